"""The table of `scripts/bench text`: stages_bench.py BENCH MODELS_DIR [--characters N] [--json FILE].

Each stage and length runs in a separate process, so that its peak memory can be measured.
"""
import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import bench_report

STAGES = ["chapters", "entities", "formatting", "key_phrases", "sentiment", "summary", "topics"]


def measure(options, stage, characters):
    words = [options.bench, "engine-text", options.models, stage, str(characters)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def table(rows):
    lengths = [f"{run['characters']:,}" for run in next(iter(rows.values()))]
    titles = (f"s per million, {length} | CPU s per million | peak MiB" for length in lengths)
    print("| stage | " + " | ".join(titles) + " |")
    print("|---|" + "---|---|---|" * len(lengths))
    for stage, runs in rows.items():
        figures = " | ".join(
            f"{run['seconds_per_million']:.2f} | {run['cpu_seconds_per_million']:.2f} | {run['peak_mebibytes']}"
            for run in runs
        )
        print(f"| {stage} | {figures} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("models")
    parser.add_argument("--characters", type=int, default=10_000_000)
    parser.add_argument("--json")
    options = parser.parse_args()
    lengths = (options.characters // 10, options.characters)
    rows = {stage: [measure(options, stage, length) for length in lengths] for stage in STAGES}
    table(rows)
    bench_report.write(options.json, "text", options.bench, [run for runs in rows.values() for run in runs])


if __name__ == "__main__":
    main()
