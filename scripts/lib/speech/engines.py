"""Runs Auris and other engines on the same files, each in a separate process."""
import json
import os
import pathlib
import subprocess
import sys

import levels
import recordings

MOONSHINE = ["moonshine-tiny-en", "moonshine-base-en"]
WHISPER = ["whisper-tiny", "whisper-base", "whisper-small"]
PEER = pathlib.Path(__file__).with_name("peer.py")


class Engines:
    """`bench` is the program auris-bench, which runs Auris; `folder` keeps the models and what is converted from them."""

    def __init__(self, bench, folder):
        self.bench, self.folder = str(bench), pathlib.Path(folder)
        self.models = self.folder / "models"
        for model in MOONSHINE + WHISPER:
            recordings.install(model, self.models)

    def remove_copy(self, model):
        """Deletes the packed copy of the weights, so that the next load of Auris is a first one."""
        for copy in (self.models / model).glob("packed-*"):
            copy.unlink()

    def run(self, engine, model, files, threads=1, level=None, language=None, nets=False):
        """For each file: text, wall_seconds, cpu_seconds, audio_seconds, memory, and the time to load the model.

        With `nets`, also nets_wall_seconds and nets_cpu_seconds: the same segments again, without decoding, voice
        detection and cutting. `level` limits the instructions; without `language`, the engine detects it.
        """
        if engine == "auris":
            command = [self.bench, "engine-speech", str(self.models), model, str(threads)]
        else:
            command = [sys.executable, "-W", "ignore", str(PEER), engine, model, str(threads), str(self.folder)]
        command += ["--nets"] if nets else []
        command += ["--language", language] if language else []
        command += [str(file) for file in files]
        environment = {**os.environ, **levels.environment(engine, level)}
        finished = subprocess.run(command, env=environment, capture_output=True)
        if finished.returncode != 0:
            sys.exit(f"{engine} failed with {model}: {finished.stderr.decode()[-2000:]}")
        return [json.loads(line) for line in finished.stdout.decode().splitlines() if line.startswith("{")]


def table(head, rows):
    """A Markdown table with right-aligned numbers."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
