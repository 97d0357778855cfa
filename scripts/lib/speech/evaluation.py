"""Runs `auris evaluate` on recordings, with the texts of other engines beside its own."""
import json
import os
import pathlib
import subprocess
import sys

import levels


class Evaluation:
    """Some recordings in a folder of links, and the texts that engines wrote for them."""

    def __init__(self, auris, models, folder, entries):
        """`entries` have a file, a text and maybe a language; `models` is the folder of the installed models."""
        self.auris, self.models, self.folder = auris, models, pathlib.Path(folder)
        self.entries, self.texts = list(entries), {}
        recordings = self.folder / "recordings"
        recordings.mkdir(parents=True)
        self.names = [f"{nth:05}{pathlib.Path(entry['file']).suffix or '.wav'}" for nth, entry in enumerate(self.entries)]
        lines = []
        for name, entry in zip(self.names, self.entries, strict=True):
            (recordings / name).symlink_to(pathlib.Path(entry["file"]).resolve())
            lines.append({"file": name, **{field: entry[field] for field in ("text", "language") if field in entry}})
        (recordings / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def add_texts(self, engine, texts):
        """Keeps the texts of an engine, in the order of the recordings."""
        folder = self.folder / engine
        folder.mkdir()
        for name, text in zip(self.names, texts, strict=True):
            (folder / name).with_suffix(".txt").write_text(text)
        self.texts[engine] = folder

    def run(self, model, level=None, html=None):
        """The report of a model and of the engines whose texts are known."""
        command = [str(self.auris), "evaluate", str(self.folder / "recordings"), "--models", model, "--json"]
        for engine, folder in self.texts.items():
            command += ["--transcripts", f"{engine}={folder}"]
        command += ["--html", str(html)] if html else []
        settings = {"AURIS_MODELS__DIR": str(self.models), "AURIS_ENGINES__THREADS": "1", "AURIS_DATA": str(self.folder / "data")}
        environment = {**os.environ, **settings, **levels.environment("auris", level)}
        finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE)
        if finished.returncode != 0:
            sys.exit(f"auris evaluate failed with {model}")
        return json.loads(finished.stdout)


def of(report, engine):
    """The figures of a model or engine in a report."""
    (found,) = [model for model in report["models"] if model["model"] == engine]
    return found


def difference(report, model, other):
    """The errors of a model minus those of another one in points, and the interval of 95 %."""
    for found in report["differences"]:
        if (found["model"], found["other"]) == (model, other):
            return found["points"], found["low"], found["high"]
        if (found["model"], found["other"]) == (other, model):
            return -found["points"], -found["high"], -found["low"]
    return 0.0, 0.0, 0.0
