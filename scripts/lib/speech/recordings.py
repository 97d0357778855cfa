"""The recordings and model files of the tests, by hash, and folders of recordings with texts."""
import json
import os
import pathlib
import subprocess
import tomllib

import numpy

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
RATE = 16_000
AUDIO_SUFFIXES = {".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".webm"}


def assets():
    cache = os.environ.get("AURIS_CACHE") or pathlib.Path.home() / ".cache" / "auris"
    return pathlib.Path(cache) / "assets"


def recordings():
    """Name to recording: name, sha256, language, text, file."""
    table = tomllib.loads((REPOSITORY / "crates/engines/tests/recordings.toml").read_text())
    return {entry["name"]: {**entry, "file": str(assets() / entry["sha256"])} for entry in table["recording"]}


def folder_recordings(folder):
    """The recordings of a folder: name, file, language, text, source.

    With a `manifest.jsonl`, each line is an object with `file` (relative to the folder), `language` (ISO 639-1), `text`
    and `source`. Without it, the text of `NAME.wav` is in `NAME.txt` beside it, and the language is the name of the
    top folder if that has two letters (`de/NAME.wav`), otherwise English.
    """
    folder = pathlib.Path(folder)
    manifest = folder / "manifest.jsonl"
    if manifest.exists():
        lines = [json.loads(line) for line in manifest.read_text().splitlines() if line]
        return [{**line, "name": line["file"], "file": str(folder / line["file"])} for line in lines]
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in AUDIO_SUFFIXES)
    return [recording_beside_text(folder, file) for file in files if file.with_suffix(".txt").exists()]


def recording_beside_text(folder, file):
    name = file.relative_to(folder)
    language = name.parts[0] if len(name.parts) > 1 and len(name.parts[0]) == 2 else "en"
    text = file.with_suffix(".txt").read_text().strip()
    return {"name": str(name), "file": str(file), "language": language, "text": text, "source": str(name.parent)}


def model_files(model):
    """The files of a catalogue model: name to path."""
    catalog = tomllib.loads((REPOSITORY / "models/catalog.toml").read_text())
    (entry,) = [entry for entry in catalog["models"] if entry["id"] == model]
    return {file["name"]: str(assets() / file["sha256"]) for file in entry["files"]}


def install(model, folder):
    """Adds a model to a models folder for Auris, as links to the fetched files."""
    target = pathlib.Path(folder) / model
    target.mkdir(parents=True, exist_ok=True)
    for name, path in model_files(model).items():
        # Again each time, because the catalogue or the place of the files may have changed.
        (target / name).unlink(missing_ok=True)
        (target / name).symlink_to(path)


def read_audio(path):
    """A recording as 16 kHz mono samples."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"]
    return numpy.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, dtype="<f4")
