"""The tables of `scripts/bench speech`: `bench.py BENCH SERVER FOLDER [OPTION...]`."""
import argparse
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import bench_report
from engines import Engines, table
from recordings import assets, recordings
from server import Server

# Each model with the other engines that run it. whisper.cpp uses base.en: the same architecture, trained on English.
PEERS = {
    "moonshine-tiny-en": ["onnxruntime", "sherpa-onnx"],
    "moonshine-base-en": ["onnxruntime", "sherpa-onnx"],
    "whisper-tiny": ["onnxruntime", "faster-whisper", "faster-whisper-batched"],
    "whisper-base": ["onnxruntime", "faster-whisper", "faster-whisper-batched", "whisper.cpp"],
}


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-y", "-v", "error", *map(str, arguments)], check=True)


def sound(folder, name, sources, repeat=1, begin=0.0, seconds=None):
    """These recordings in sequence, `repeat` times, as 16 kHz mono WAV or FLAC."""
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
    """Audio seconds per CPU second and per second. The engines run alternately, and the medians are reported."""
    rows = []
    for model in models:
        for threads in (1, 2):
            runs = {engine: [] for engine in ["auris", *PEERS[model]]}
            for _ in range(rounds):
                for engine, lines in runs.items():
                    # The second line, because the first run warms the caches.
                    lines.append(engines.run(engine, model, threads, [talk, talk])[1])
                    log(model, threads, engine, lines[-1])
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
    """Milliseconds for a short clip with the model loaded, as the median of many runs in sequence."""
    rows = []
    for model in models:
        for engine in ["auris", *PEERS[model]]:
            lines = engines.run(engine, model, 1, [clip] * (4 * rounds + 1))[1:]
            milliseconds = statistics.median(line["wall_seconds"] for line in lines) * 1000
            rows.append({"model": model, "engine": engine, "milliseconds": milliseconds})
            log(model, "latency", engine, rows[-1])
    return rows


def service(binary, engines, clip, hour, rounds):
    """Memory of the server, and the latency of a short clip while it transcribes an hour of audio."""
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
            "clip_busy_worst_ms": max(busy) * 1000, "job_ran_during_all_clips": still_runs,
            "job_audio_seconds": finished["usage"]["audio_seconds"],
            "job_seconds": finished["completed_at"] - finished["started_at"],
        }


def log(*words):
    print(*words, file=sys.stderr, flush=True)


def ratio(rows, row, field):
    (ours,) = [other[field] for other in rows if other["engine"] == "auris" and key(other) == key(row)]
    return f"{ours / row[field]:.2f}"


def key(row):
    return row["model"], row.get("threads")


def markdown(report):
    rows = report["throughput"]
    print(table(
        ["model", "threads", "engine", "audio s per CPU s", "rounds", "Auris / engine", "times real time", "Auris / engine", "peak MiB"],
        [[row["model"], row["threads"], row["engine"], f"{row['per_cpu']:.1f}", "-".join(map(str, (row["rounds_per_cpu"][0], row["rounds_per_cpu"][-1]))),
          ratio(rows, row, "per_cpu"), f"{row['per_wall']:.1f}", ratio(rows, row, "per_wall"), row["peak_mebibytes"]] for row in rows],
    ))
    rows = report["latency"]
    print()
    print(table(
        ["model", "engine", "clip of 3 s, ms", "engine / Auris"],
        [[row["model"], row["engine"], f"{row['milliseconds']:.0f}", f"{1 / float(ratio(rows, row, 'milliseconds')):.2f}"] for row in rows],
    ))
    if not report["service"]:
        return
    print()
    print(table(["server, moonshine-base-en", ""], [[name, f"{value:.0f}" if isinstance(value, float) else value] for name, value in report["service"].items()]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("server")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--talk", type=int, default=3, help="repetitions of 95 seconds of speech in each run")
    parser.add_argument("--hour", type=int, default=3600)
    parser.add_argument("--models", default=",".join(PEERS))
    parser.add_argument("--json")
    options = parser.parse_args()
    engines = Engines(options.bench, options.folder)
    talk = sound(options.folder, f"talk-{options.talk}.wav", ["two_cities", "jfk", "beckett", "call"], repeat=options.talk)
    clip = sound(options.folder, "clip.wav", ["jfk"], begin=8.0, seconds=3.0)
    # FLAC, because an hour of WAV is larger than an upload may be. Without the hour, the server is not measured.
    hour = sound(options.folder, f"hour-{options.hour}.flac", ["two_cities"], repeat=max(1, round(options.hour / 44.37)))
    models = [model for model in options.models.split(",") if model]
    report = {
        "throughput": throughput(engines, models, talk, options.rounds),
        "latency": latency(engines, models, clip, options.rounds),
        "service": service(options.server, engines, clip, hour, options.rounds) if options.hour else {},
    }
    markdown(report)
    bench_report.write(options.json, "speech", options.bench, report)


main()
