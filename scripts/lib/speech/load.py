"""The table of `scripts/bench speech-load`: `load.py BENCH SERVER FOLDER [OPTION...]`."""
import argparse
import concurrent.futures
import os
import pathlib
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import bench_report
import sounds
from engines import Engines, table
from server import Server

SHORT_CLIPS = 40


class MemoryCurve:
    """The resident memory of the server, once a second."""

    def __init__(self, server):
        self.server, self.stop, self.mebibytes = server, threading.Event(), []
        self.thread = threading.Thread(target=self.sample)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def sample(self):
        while not self.stop.wait(1.0):
            self.mebibytes.append(self.server.memory("VmRSS"))

    def summary(self):
        """The beginning is left out: the models are loaded then, and buffers grow to their size."""
        quarter = max(1, len(self.mebibytes) // 4)
        early, late = self.mebibytes[quarter : 2 * quarter], self.mebibytes[-quarter:]
        return {
            "memory_second_quarter_mebibytes": statistics.median(early or late),
            "memory_last_quarter_mebibytes": statistics.median(late),
            "memory_peak_mebibytes": self.server.memory("VmHWM"),
        }


class Load:
    """One long recording after the other as jobs, and bursts of clips that clients wait for."""

    def __init__(self, server, options):
        self.server, self.options = server, options
        self.clips = sounds.clips(options.folder, options.clips)
        self.long = sounds.long_recording(options.folder, options.long)
        self.latencies, self.audio_seconds = [], 0.0

    def short_clips(self):
        clip = sounds.short_clip(self.options.folder)
        return sorted(self.server.transcribe(clip, self.options.model) for _ in range(SHORT_CLIPS))

    def run(self):
        started = time.monotonic()
        job = self.submit()
        beside = self.short_clips()
        self.audio_seconds += SHORT_CLIPS * 3.0
        bursts = 0
        with concurrent.futures.ThreadPoolExecutor(self.options.clips) as clients:
            while time.monotonic() - started < 60 * self.options.minutes:
                next_burst = time.monotonic() + self.options.every
                self.burst(clients)
                bursts += 1
                time.sleep(max(0.0, next_burst - time.monotonic()))
                if self.server.job(job)["status"] == "completed":
                    job = self.submit()
        finished = self.server.finished(job)
        assert finished["status"] == "completed", finished["error"]
        return started, bursts, beside

    def submit(self):
        job = self.server.submit(self.long, self.options.model)
        self.server.wait_until_it_runs(job)
        self.audio_seconds += self.options.long_seconds
        return job

    def burst(self, clients):
        """All clips at once, and their latencies."""
        def client(clip):
            path, seconds = clip
            return seconds, self.server.transcribe(path, self.options.model)

        answers = list(clients.map(client, self.clips))
        self.latencies += answers
        self.audio_seconds += sum(seconds for seconds, _ in answers)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def milliseconds(name, values):
    return {f"{name}_median_ms": 1000 * statistics.median(values), f"{name}_p99_ms": 1000 * percentile(values, 0.99)}


def measure(engines, options):
    long = sounds.long_recording(options.folder, options.long)
    (bare,) = engines.run("auris", options.model, [long], threads=options.threads, language="en")
    options.long_seconds = bare["audio_seconds"]
    bare_rate = bare["audio_seconds"] / bare["wall_seconds"]
    log(f"bare engine: {bare_rate:.1f} audio seconds per second")
    with Server(options.server, engines.models, options.threads) as server, MemoryCurve(server) as memory:
        load = Load(server, options)
        load.short_clips()
        idle = load.short_clips()
        started, bursts, beside = load.run()
        rate = load.audio_seconds / (time.monotonic() - started)
        short = [latency for seconds, latency in load.latencies if seconds < 6.0]
        every = [latency for _, latency in load.latencies]
        return {
            "model": options.model, "threads": options.threads, "long_seconds": options.long_seconds,
            "clips_at_once": options.clips, "bursts": bursts,
            "bare_engine_audio_seconds_per_second": bare_rate, "server_audio_seconds_per_second": rate,
            "server_share_of_bare_engine": rate / bare_rate,
            **milliseconds("short_clip_idle", idle), **milliseconds("short_clip_beside_long", beside),
            **milliseconds("burst_clip_under_6_s", short), **milliseconds("burst_clip", every),
            **memory.summary(), "memory_each_second_mebibytes": memory.mebibytes,
        }


def log(*words):
    print(*words, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("server")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--model", default="moonshine-base-en")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--clips", type=int, default=64)
    parser.add_argument("--every", type=float, default=15.0)
    parser.add_argument("--long", type=int, default=3600)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    options = parser.parse_args()
    report = measure(Engines(options.bench, options.folder), options)
    shown = [(name, f"{value:.2f}" if isinstance(value, float) else value) for name, value in report.items() if not isinstance(value, list)]
    print(table(["under load", ""], shown))
    bench_report.write(options.json, "speech-load", options.bench, report)


main()
