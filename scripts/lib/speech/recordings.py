"""The recordings and model files of the tests, by hash, and the word errors of a transcript."""
import os
import pathlib
import subprocess
import tomllib

import numpy

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
RATE = 16_000


def assets():
    cache = os.environ.get("AURIS_CACHE") or pathlib.Path.home() / ".cache" / "auris"
    return pathlib.Path(cache) / "assets"


def recordings():
    """Name to recording: sha256, language, text."""
    table = tomllib.loads((REPOSITORY / "crates/engines/tests/recordings.toml").read_text())
    return {entry["name"]: entry for entry in table["recording"]}


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
        if not (target / name).exists():
            (target / name).symlink_to(path)


def read_audio(path):
    """A recording as 16 kHz mono samples."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"]
    return numpy.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, dtype="<f4")


def words(text):
    return "".join(letter if letter.isalnum() or letter == "'" else " " for letter in text.lower()).split()


def word_errors(reference, text):
    """The number of inserted, deleted and substituted words."""
    reference, text = words(reference), words(text)
    row = list(range(len(text) + 1))
    for nth, expected in enumerate(reference):
        diagonal, row[0] = row[0], nth + 1
        for at, found in enumerate(text):
            diagonal, row[at + 1] = row[at + 1], min(diagonal + (expected != found), row[at] + 1, row[at + 1] + 1)
    return row[len(text)]
