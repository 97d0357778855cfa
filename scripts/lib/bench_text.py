"""A table of the lines that `bench_text` prints: a row for each stage, the lengths side by side."""
import json
import sys


def main():
    rows = {}
    for line in sys.stdin:
        found = json.loads(line)
        rows.setdefault(found["stage"], []).append(found)
    for stage, runs in rows.items():
        if stage == next(iter(rows)):
            lengths = [f"{run['characters']:,}" for run in runs]
            titles = (f"s per million, {one} | CPU s per million | peak MiB" for one in lengths)
            print("| stage | " + " | ".join(titles) + " |")
            print("|---|" + "---|---|---|" * len(lengths))
        figures = " | ".join(
            f"{run['seconds_per_million']:.2f} | {run['cpu_seconds_per_million']:.2f} | {run['peak_mebibytes']}"
            for run in runs
        )
        print(f"| {stage} | {figures} |")


if __name__ == "__main__":
    main()
