"""The tables of `scripts/bench speech`: `bench.py BENCH SERVER FOLDER [--rounds N] [--hour SECONDS] [--json]`."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from engines import Engines, table
from recordings import assets, recordings
from server import Server

# Model, and who else can run it. whisper.cpp's weights are those of base.en: the same net, trained on English.
PEERS = {
    "moonshine-tiny-en": ["onnxruntime", "sherpa-onnx"],
    "moonshine-base-en": ["onnxruntime", "sherpa-onnx"],
    "whisper-tiny": ["onnxruntime", "faster-whisper", "faster-whisper-batched"],
    "whisper-base": ["onnxruntime", "faster-whisper", "faster-whisper-batched", "whisper.cpp"],
}


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-y", "-v", "error", *map(str, arguments)], check=True)


def sound(folder, name, sources, repeat=1, begin=0.0, seconds=None):
    """16 kHz mono of these recordings one after the other, all of it `repeat` times, as WAV or FLAC."""
    path = folder / name
    if path.exists():
        return path
    inputs = [word for source in sources for word in ("-i", assets() / recordings()[source]["sha256"])]
    graph = "".join(f"[{n}:a]aresample=16000,aformat=channel_layouts=mono[a{n}];" for n in range(len(sources)))
    graph += "".join(f"[a{n}]" for n in range(len(sources))) + f"concat=n={len(sources)}:v=0:a=1"
    once, part = folder / "once.wav", folder / f"part-{name}"
    ffmpeg(*inputs, "-filter_complex", graph, "-ss", begin, *(["-t", seconds] if seconds else []), once)
    ffmpeg("-stream_loop", repeat - 1, "-i", once, part)
    once.unlink()
    return part.rename(path)


def throughput(engines, models, talk, rounds):
    """Audio seconds per second of CPU and of the clock; engines take turns, medians count."""
    rows = []
    for model in models:
        for threads in (1, 2):
            runs = {engine: [] for engine in ["auris", *PEERS[model]]}
            for _ in range(rounds):
                for engine, lines in runs.items():
                    # The second line: the first is still warming caches up.
                    lines.append(engines.run(engine, model, threads, [talk, talk])[1])
                    say(model, threads, engine, lines[-1])
            rows += [summary(model, threads, engine, lines) for engine, lines in runs.items()]
    return rows


def summary(model, threads, engine, lines):
    def median(field):
        return statistics.median(line[field] for line in lines)

    seconds = lines[0]["audio_seconds"]
    return {
        "model": model, "threads": threads, "engine": engine, "per_cpu": seconds / median("cpu_seconds"),
        "per_wall": seconds / median("wall_seconds"), "peak_mebibytes": max(line["peak_mebibytes"] for line in lines),
        "rounds_per_cpu": sorted(round(seconds / line["cpu_seconds"], 1) for line in lines),
    }


def latency(engines, models, clip, rounds):
    """Milliseconds for a short clip, the model loaded: the median of many, one at a time."""
    rows = []
    for model in models:
        for engine in ["auris", *PEERS[model]]:
            lines = engines.run(engine, model, 1, [clip] * (4 * rounds + 1))[1:]
            milliseconds = statistics.median(line["wall_seconds"] for line in lines) * 1000
            rows.append({"model": model, "engine": engine, "milliseconds": milliseconds})
            say(model, "latency", engine, rows[-1])
    return rows


def service(binary, engines, clip, hour, rounds):
    """What a server needs, and what a short clip waits while an hour of audio is heard."""
    model = "moonshine-base-en"
    with Server(binary, engines.models) as server:
        idle_memory = server.memory("VmRSS")
        server.transcribe(clip, model)
        idle = statistics.median(server.transcribe(clip, model) for _ in range(5 * rounds))
        job = server.submit(hour, model)
        server.wait_until_it_runs(job)
        busy = [server.transcribe(clip, model) for _ in range(5 * rounds)]
        still_runs = server.job(job)["status"] == "in_progress"
        finished = server.finished(job)
        assert finished["status"] == "completed", finished["error"]
        return {
            "idle_mebibytes": idle_memory, "peak_mebibytes": server.memory("VmHWM"),
            "clip_idle_ms": idle * 1000, "clip_busy_ms": statistics.median(busy) * 1000,
            "clip_busy_worst_ms": max(busy) * 1000, "job_ran_all_the_while": still_runs,
            "job_audio_seconds": finished["usage"]["audio_seconds"],
            "job_seconds": finished["completed_at"] - finished["started_at"],
        }


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def ratio(rows, row, field):
    (ours,) = [other[field] for other in rows if other["engine"] == "auris" and key(other) == key(row)]
    return f"{ours / row[field]:.2f}"


def key(row):
    return row["model"], row.get("threads")


def markdown(report):
    rows = report["throughput"]
    print(table(
        ["model", "threads", "engine", "audio s per CPU s", "rounds", "Auris is", "times real time", "Auris is", "peak MiB"],
        [[row["model"], row["threads"], row["engine"], f"{row['per_cpu']:.1f}", "-".join(map(str, (row["rounds_per_cpu"][0], row["rounds_per_cpu"][-1]))),
          ratio(rows, row, "per_cpu"), f"{row['per_wall']:.1f}", ratio(rows, row, "per_wall"), row["peak_mebibytes"]] for row in rows],
    ))
    rows = report["latency"]
    print()
    print(table(
        ["model", "engine", "a clip of 3 s, ms", "of Auris' time"],
        [[row["model"], row["engine"], f"{row['milliseconds']:.0f}", f"{1 / float(ratio(rows, row, 'milliseconds')):.2f}"] for row in rows],
    ))
    if not report["service"]:
        return
    print()
    print(table(["server, moonshine-base-en", ""], [[name, f"{value:.0f}" if isinstance(value, float) else value] for name, value in report["service"].items()]))


def main():
    words = argparse.ArgumentParser()
    words.add_argument("bench")
    words.add_argument("server")
    words.add_argument("folder", type=pathlib.Path)
    words.add_argument("--rounds", type=int, default=3)
    # So many times 95 seconds.
    words.add_argument("--talk", type=int, default=3)
    words.add_argument("--hour", type=int, default=3600)
    words.add_argument("--models", default=",".join(PEERS))
    words.add_argument("--json", action="store_true")
    given = words.parse_args()
    engines = Engines(given.bench, given.folder)
    talk = sound(given.folder, f"talk-{given.talk}.wav", ["two_cities", "jfk", "beckett", "call"], repeat=given.talk)
    clip = sound(given.folder, "clip.wav", ["jfk"], begin=8.0, seconds=3.0)
    # An hour of nothing leaves the server out. FLAC, because an hour of WAV is over the limit of an upload.
    hour = sound(given.folder, f"hour-{given.hour}.flac", ["two_cities"], repeat=max(1, round(given.hour / 44.37)))
    models = [model for model in given.models.split(",") if model]
    report = {
        "cores": os.cpu_count(), "load": os.getloadavg()[0],
        "throughput": throughput(engines, models, talk, given.rounds),
        "latency": latency(engines, models, clip, given.rounds),
        "service": service(given.server, engines, clip, hour, given.rounds) if given.hour else {},
    }
    if given.json:
        print(json.dumps(report, indent=1))
    else:
        markdown(report)


main()
