"""A real `auris serve` on a free port, for the benches."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

import requests

# Seconds after which a request, or something that is waited for, counts as failed.
LONGEST_WAIT = 3600


class Server:
    def __init__(self, binary, models, threads):
        self.home = tempfile.TemporaryDirectory()
        self.data = pathlib.Path(self.home.name) / "data"
        self.binary = str(binary)
        self.environment = {
            **{name: text for name, text in os.environ.items() if not name.startswith("AURIS_")},
            "AURIS_MODELS__DIR": str(models), "AURIS_MODELS__PULL": "false",
            "AURIS_MODELS__FAKE": "false", "AURIS_ENGINES__THREADS": str(threads),
            "AURIS_RATE_LIMITS__REQUESTS_PER_MINUTE": "0",
            "AURIS_RATE_LIMITS__CONCURRENT_TRANSCRIPTIONS": "0",
            "AURIS_TRANSCRIPTION__CONCURRENT_CALLS": "256",
        }

    def __enter__(self):
        command = [self.binary, "serve", "--listen", "127.0.0.1:0", "--data", str(self.data)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=self.environment, **quiet)
        try:
            self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def connect(self):
        address_file = self.data / "serve.json"
        self.until(lambda: address_file.exists() and address_file.read_text())
        self.base = f"http://{json.loads(address_file.read_text())['address']}/v1"
        key = [self.binary, "keys", "create", "--name", "bench", "--data", str(self.data)]
        key = subprocess.run(key, env=self.environment, check=True, capture_output=True, text=True).stdout.strip()
        self.headers = {"Authorization": f"Bearer {key}"}
        # A session is not safe for several threads, so each has its own.
        self.sessions = threading.local()

    @property
    def session(self):
        if not hasattr(self.sessions, "own"):
            self.sessions.own = requests.Session()
            self.sessions.own.headers.update(self.headers)
        return self.sessions.own

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.home.cleanup()

    def until(self, ready, every=0.05):
        deadline = time.monotonic() + LONGEST_WAIT
        while not (answer := ready()):
            assert self.process.poll() is None, "the server stopped"
            assert time.monotonic() < deadline, f"not done after {LONGEST_WAIT} seconds"
            time.sleep(every)
        return answer

    def memory(self, field):
        """Memory of the process in MiB, from /proc/PID/status."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        (line,) = [line for line in lines if line.startswith(field)]
        return int(line.split()[1]) // 1024

    def post(self, file, model, **more):
        with open(file, "rb") as opened:
            answer = self.session.post(f"{self.base}/audio/transcriptions", files={"file": opened}, data={"model": model, **more}, timeout=LONGEST_WAIT)
        assert answer.ok, answer.text
        return answer.json()

    def transcribe(self, file, model):
        """Seconds until a synchronous transcription returns."""
        started = time.perf_counter()
        self.post(file, model)
        return time.perf_counter() - started

    def submit(self, file, model):
        return self.post(file, model, **{"async": "true"})["id"]

    def job(self, job):
        return self.session.get(f"{self.base}/jobs/{job}", timeout=LONGEST_WAIT).json()

    def wait_until_it_runs(self, job):
        """Waits until a part of the recording is transcribed."""
        self.until(lambda: (self.job(job)["progress"] or {}).get("audio_seconds_processed"))

    def finished(self, job):
        ended = ("completed", "failed", "cancelled")
        return self.until(lambda: (found := self.job(job))["status"] in ended and found, every=0.5)
