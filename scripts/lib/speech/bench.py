"""The tables of `scripts/bench speech`: `bench.py BENCH FOLDER [OPTION...]`."""
import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import bench_report
import levels
import sounds
import speech_tables
from engines import Engines

# Each model with the other engines that run it. whisper.cpp uses base.en: the same architecture, trained on English.
FASTER_WHISPER = ["faster-whisper", "faster-whisper-batched"]
PEERS = {
    "moonshine-tiny-en": ["onnxruntime", "onnxruntime-repaired", "sherpa-onnx"],
    "moonshine-base-en": ["onnxruntime", "onnxruntime-repaired", "sherpa-onnx"],
    "whisper-tiny": ["onnxruntime", "onnxruntime-repaired", *FASTER_WHISPER],
    "whisper-base": ["onnxruntime", "onnxruntime-repaired", *FASTER_WHISPER, "whisper.cpp"],
    "whisper-small": ["onnxruntime", "onnxruntime-repaired", *FASTER_WHISPER],
}


class Bench:
    def __init__(self, engines, options):
        self.engines, self.options = engines, options

    def engines_at(self, model, level):
        """The engines that run at a level. Those that cannot be limited run only at the best one."""
        best = level == levels.available()[0]
        every = [engine for engine in ["auris", *PEERS[model]] if self.options.engines is None or engine in self.options.engines]
        return [engine for engine in every if best or levels.can_be_limited(engine, level)]

    def throughput(self, talk):
        """Audio seconds per CPU second and per second. The engines take turns, and the medians are reported."""
        return [row for model in self.options.models for level in self.options.levels for threads in self.options.threads
                for row in self.turns(model, level, threads, talk)]

    def turns(self, model, level, threads, talk):
        runs = {engine: [] for engine in self.engines_at(model, level)}
        self.engines.remove_copy(model)
        for _ in range(self.options.rounds):
            for engine, lines in runs.items():
                lines += self.engines.run(engine, model, [talk], threads=threads, level=level, language="en", nets=True)
                log(model, level, threads, engine, {name: value for name, value in lines[-1].items() if "text" not in name})
        return [summary(lines) | {"model": model, "level": level, "threads": threads, "engine": engine} for engine, lines in runs.items()]

    def latency(self, clip):
        """Milliseconds for a short clip with the model loaded, as the median of many runs in sequence."""
        rows = []
        for model in self.options.models:
            for level in self.options.levels:
                for engine in self.engines_at(model, level):
                    files = [clip] * (4 * self.options.rounds)
                    lines = self.engines.run(engine, model, files, level=level, language="en")
                    row = {name: 1000 * statistics.median(line[f"{kind}_seconds"] for line in lines) for name, kind in (("milliseconds", "wall"), ("cpu_milliseconds", "cpu"))}
                    rows.append(row | {"model": model, "level": level, "engine": engine})
                    log(rows[-1])
        return rows


def summary(lines):
    def median(field):
        return statistics.median(line[field] for line in lines)

    seconds = lines[0]["audio_seconds"]
    return {
        "per_cpu": seconds / median("cpu_seconds"), "per_wall": seconds / median("wall_seconds"),
        "nets_per_cpu": seconds / median("nets_cpu_seconds"), "nets_per_wall": seconds / median("nets_wall_seconds"),
        "peak_mebibytes": max(line["peak_mebibytes"] for line in lines),
        "resident_mebibytes": max(line["resident_mebibytes"] for line in lines),
        "baseline_mebibytes": max(line["baseline_mebibytes"] for line in lines),
        "first_load_milliseconds": 1000 * lines[0]["load_seconds"],
        "load_milliseconds": 1000 * min(line["load_seconds"] for line in lines),
        "rounds_per_cpu": sorted(round(seconds / line["cpu_seconds"], 1) for line in lines),
        "rounds_nets_per_cpu": sorted(round(seconds / line["nets_cpu_seconds"], 1) for line in lines),
    }


def log(*words):
    print(*words, file=sys.stderr, flush=True)


def listed(text):
    return [word for word in text.split(",") if word]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--talk", type=int, default=3)
    parser.add_argument("--models", type=listed, default=list(PEERS))
    parser.add_argument("--levels", type=levels.listed, default=levels.available()[:1])
    parser.add_argument("--threads", type=lambda text: [int(word) for word in listed(text)], default=[1, 2])
    parser.add_argument("--engines", type=listed)
    parser.add_argument("--json")
    options = parser.parse_args()
    bench = Bench(Engines(options.bench, options.folder), options)
    report = {
        "throughput": bench.throughput(sounds.talk(options.folder, options.talk)),
        "latency": bench.latency(sounds.short_clip(options.folder)),
    }
    speech_tables.show(report)
    bench_report.write(options.json, "speech", options.bench, report)


main()
