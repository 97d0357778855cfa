"""The table of `scripts/bench console`: `bench.py SERVER BASE BROWSER_PACKAGES [OPTION...]`."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

LIBRARIES = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(LIBRARIES))
import bench_report

REPOSITORY = LIBRARIES.parents[1]
# A frame of a screen with 60 frames a second, in milliseconds.
FRAME = 1000 / 60
# Clocks of screen and browser differ a little; a frame this much later than the one before is still in time.
TOLERANCE = 1.0
# The page must show this many frames a second.
RATE_GOAL = 60
# The page must show its first text within this time, in milliseconds.
FIRST_TEXT_GOAL = 300
# Seconds after which something hangs: to start and to make the transcript, and for each round.
START_LIMIT = 120
ROUND_LIMIT = 180


def parse():
    parser = argparse.ArgumentParser(prog="scripts/bench console")
    parser.add_argument("server", type=pathlib.Path)
    parser.add_argument("base")
    parser.add_argument("packages")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    return parser.parse_args()


def auris(server, *words):
    return subprocess.run([server, *words], check=True, capture_output=True, text=True).stdout.strip()


def measure(options):
    environment = {
        **os.environ,
        "AURIS_BASE": options.base,
        "AURIS_BROWSER_PACKAGES": options.packages,
        "AURIS_KEY": auris(options.server, "keys", "create", "--name", "bench"),
        "AURIS_LINK": auris(options.server, "console").rsplit("#link=", 1)[1],
        "AURIS_ROUNDS": str(options.rounds),
    }
    script = REPOSITORY / "e2e/browser/long_transcript_bench.mjs"
    limit = START_LIMIT + options.rounds * ROUND_LIMIT
    try:
        finished = subprocess.run(["node", script], env=environment, stdout=subprocess.PIPE, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        sys.exit(f"the browser did not finish within {limit} s")
    if finished.returncode != 0:
        sys.exit("the browser failed; see above")
    return json.loads(finished.stdout.splitlines()[-1])


def part(values, share):
    ordered = sorted(values)
    return ordered[round((len(ordered) - 1) * share)]


def summary(rounds):
    """One movement: all its frames of all rounds."""
    intervals = [value for one in rounds for value in one["intervals"]]
    work = [value for one in rounds for value in one["work"]]
    asked = [value for one in rounds for value in one["asked"]]
    late = sum(value > FRAME + TOLERANCE for value in intervals)
    return {
        "frames": len(intervals),
        "interval_median_milliseconds": part(intervals, 0.5),
        "interval_p95_milliseconds": part(intervals, 0.95),
        "late_share": late / len(intervals),
        # A frame drawn 3 ms late is still shown in its turn; after one drawn 17 ms late, a turn of the screen was skipped.
        "frames_per_second": 1000 * len(intervals) / sum(intervals),
        "skipped_share": sum(max(0, round(value / FRAME) - 1) for value in intervals) / (sum(intervals) / FRAME),
        "work_median_milliseconds": part(work, 0.5),
        "work_p95_milliseconds": part(work, 0.95),
        "request_animation_frame_median_milliseconds": part(asked, 0.5),
    }


def show(name, found):
    return [
        name,
        found["frames"],
        f"{found['frames_per_second']:.1f}",
        f"{100 * found['skipped_share']:.1f} %",
        f"{found['interval_median_milliseconds']:.1f}",
        f"{found['interval_p95_milliseconds']:.1f}",
        f"{100 * found['late_share']:.1f} %",
        f"{found['work_median_milliseconds']:.1f}",
        f"{found['work_p95_milliseconds']:.1f}",
    ]


def table(head, rows):
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def main():
    options = parse()
    found = measure(options)
    movements = {name: summary(found[name]) for name in ("scroll", "jump", "seek")}
    head = ["movement", "frames", f"per s (goal {RATE_GOAL})", "skipped", "median ms", "95 % ms", f"over {FRAME:.1f} ms", "work median ms", "work 95 % ms"]
    print(table(head, [show(name, one) for name, one in movements.items()]))
    median = statistics.median(found["first_text"])
    print(f"\nfirst text: median {median:.0f} ms of {len(found['first_text'])} (goal {FIRST_TEXT_GOAL} ms)")
    measures = {"first_text_milliseconds": found["first_text"], "first_text_median_milliseconds": median, **movements}
    bench_report.write(options.json, "console", options.server, measures)


main()
