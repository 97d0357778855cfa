"""The table of `scripts/bench speech-load`: `load.py BENCH SERVER FOLDER [OPTION...]`.

The latency of a clip is the time until its whole text is there."""
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

# With fewer, the 99th percentile is the slowest one.
SHORT_CLIPS = 200
SHORT_SECONDS = 3.0


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
        """Medians of a tenth of the time each. Buffers still grow in the first one."""
        samples = self.mebibytes or [self.server.memory("VmRSS")]
        tenth = max(1, len(samples) // 10)
        middle = (len(samples) - tenth) // 2
        return {
            "memory_start_mebibytes": statistics.median(samples[:tenth]),
            "memory_middle_mebibytes": statistics.median(samples[middle : middle + tenth]),
            "memory_end_mebibytes": statistics.median(samples[-tenth:]),
            "memory_peak_mebibytes": self.server.memory("VmHWM"),
        }


class Load:
    """One long recording after the other as jobs, and bursts of clips that clients wait for."""

    def __init__(self, server, options):
        self.server, self.options = server, options
        self.clips = sounds.clips(options.folder, options.clips)
        self.long = sounds.long_recording(options.folder, options.long)
        self.latencies, self.audio_seconds, self.job = [], 0.0, None

    def short_clip(self):
        return self.server.transcribe(sounds.short_clip(self.options.folder), self.options.model)

    def idle(self):
        return [self.short_clip() for _ in range(SHORT_CLIPS)]

    def beside_long(self):
        """Clips one after the other, while a long recording is transcribed all the time."""
        latencies = []
        for _ in range(SHORT_CLIPS):
            latencies.append(self.short_clip())
            self.audio_seconds += SHORT_SECONDS
            self.keep_busy()
        return latencies

    def run(self):
        started = time.monotonic()
        self.keep_busy()
        beside = self.beside_long()
        log(f"{SHORT_CLIPS} clips beside the long recording in {time.monotonic() - started:.0f} s")
        bursts = 0
        with concurrent.futures.ThreadPoolExecutor(self.options.clips) as clients:
            while time.monotonic() - started < 60 * self.options.minutes:
                next_burst = time.monotonic() + self.options.every
                self.burst(clients)
                bursts += 1
                log(f"burst {bursts} done after {time.monotonic() - started:.0f} s")
                while time.monotonic() < next_burst:
                    self.keep_busy()
                    time.sleep(min(0.5, max(0.0, next_burst - time.monotonic())))
        finished = self.server.finished(self.job)
        assert finished["status"] == "completed", finished["error"]
        return time.monotonic() - started, bursts, beside

    def keep_busy(self):
        """Submits the long recording, if none is being transcribed."""
        found = self.job and self.server.job(self.job)
        assert not found or found["status"] not in ("failed", "cancelled"), found["error"]
        if not found or found["status"] == "completed":
            self.job = self.server.submit(self.long, self.options.model)
            self.server.wait_until_it_runs(self.job)
            self.audio_seconds += self.options.long_seconds

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
    with Server(options.server, engines.models, options.threads) as server:
        load = Load(server, options)
        # Loads the model.
        load.short_clip()
        idle = load.idle()
        with MemoryCurve(server) as memory:
            seconds, bursts, beside = load.run()
        rate = load.audio_seconds / seconds
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
    parser = argparse.ArgumentParser(description=__doc__)
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
