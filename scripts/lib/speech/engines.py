"""Runs Auris and other engines on the same files, each in a separate process."""
import json
import pathlib
import subprocess
import sys

import recordings

MOONSHINE = ["moonshine-tiny-en", "moonshine-base-en"]
WHISPER = ["whisper-tiny", "whisper-base", "whisper-small"]
PEER = pathlib.Path(__file__).with_name("peer.py")


class Engines:
    """`bench` is the program auris-bench; `folder` keeps the models and what is converted from them."""

    def __init__(self, bench, folder):
        self.bench, self.folder = str(bench), pathlib.Path(folder)
        self.models = self.folder / "models"
        for model in MOONSHINE + WHISPER:
            recordings.install(model, self.models)

    def run(self, engine, model, threads, files):
        """For each file: text, wall_seconds, cpu_seconds, peak_mebibytes, audio_seconds."""
        files = [str(file) for file in files]
        if engine == "auris":
            command = [self.bench, "engine-speech", str(self.models), model, str(threads), *files]
        else:
            command = [sys.executable, str(PEER), engine, model, str(threads), str(self.folder), *files]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        return [json.loads(line) for line in output.decode().splitlines() if line.startswith("{")]


def table(head, rows):
    """A Markdown table with right-aligned numbers."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
