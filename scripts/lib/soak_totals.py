"""Adds the counts of a soak run to the totals file.

Usage: soak_totals.py LOG TOTALS

The tests print lines such as `SOAK kills=120 faults=0 test=NAME`. Each number is added to the total of its name, and
the run is listed with its date, commit, CPU and counts. The sizes of a test, such as `points=300 of operations=200 in
kinds=5`, are only listed.
"""

import datetime
import json
import pathlib
import re
import subprocess
import sys

# What a test chose from. A sum of these means nothing.
SIZES = {"points", "operations", "kinds"}


def counts(log):
    """The sum of each count, and the counts of each test."""
    sums, tests = {}, {}
    for line in re.findall(r"^.*?SOAK (\S+=.*)$", log, re.MULTILINE):
        fields = dict(re.findall(r"(\w+)=(\S+)", line))
        test = fields.pop("test", "unnamed")
        numbers = {name: int(value) for name, value in fields.items() if value.isdigit()}
        measures = {name: float(value) for name, value in fields.items() if not value.isdigit()}
        tests.setdefault(test, []).append(numbers | measures)
        for name, number in numbers.items():
            if name not in SIZES:
                sums[name] = sums.get(name, 0) + number
    return sums, tests


def cpu():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", text)
    flags = re.search(r"flags\s*: (.*)", text)
    features = set(flags.group(1).split()) if flags else set()
    wanted = ["avx2", "avx512f", "avx512_vnni", "amx_tile"]
    return {"model": model.group(1) if model else "unknown", "features": [one for one in wanted if one in features]}


def main():
    log, totals_file = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sums, tests = counts(log.read_text(errors="replace"))
    totals = json.loads(totals_file.read_text()) if totals_file.exists() else {"totals": {}, "runs": []}
    for name, number in sums.items():
        totals["totals"][name] = totals["totals"].get(name, 0) + number
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    totals["runs"].append(
        {
            "date": datetime.date.today().isoformat(),
            "commit": commit.stdout.strip(),
            "cpu": cpu(),
            "counts": sums,
            "tests": tests,
        }
    )
    totals_file.write_text(json.dumps(totals, indent=1) + "\n")
    print(f"totals in {totals_file}: {totals['totals']}")


main()
