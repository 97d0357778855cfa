"""The figures of `scripts/bench speech` as Markdown tables."""
from engines import table

THROUGHPUT = ["model", "level", "threads", "engine", "nets: audio s per CPU s", "rounds", "Auris / engine",
              "whole: audio s per CPU s", "rounds", "Auris / engine", "whole / nets", "times real time", "peak MiB",
              "resident MiB", "before loading MiB", "first load ms", "load ms"]
LATENCY = ["model", "level", "engine", "clip of 3 s, ms", "CPU ms", "engine / Auris"]


def show(report):
    rows = report["throughput"]
    print(table(THROUGHPUT, [throughput_cells(rows, row) for row in rows]))
    print()
    rows = report["latency"]
    print(table(LATENCY, [latency_cells(rows, row) for row in rows]))


def throughput_cells(rows, row):
    return [
        row["model"], row["level"], row["threads"], row["engine"],
        f"{row['nets_per_cpu']:.1f}", span(row["rounds_nets_per_cpu"]), ratio(rows, row, "nets_per_cpu"),
        f"{row['per_cpu']:.1f}", span(row["rounds_per_cpu"]), ratio(rows, row, "per_cpu"),
        f"{row['per_cpu'] / row['nets_per_cpu']:.2f}", f"{row['per_wall']:.1f}", row["peak_mebibytes"],
        row["resident_mebibytes"], row["baseline_mebibytes"], f"{row['first_load_milliseconds']:.0f}", f"{row['load_milliseconds']:.0f}",
    ]


def latency_cells(rows, row):
    ours = ours_of(rows, row)
    times = f"{row['milliseconds'] / ours['milliseconds']:.2f}" if ours else "-"
    return [row["model"], row["level"], row["engine"], f"{row['milliseconds']:.0f}", f"{row['cpu_milliseconds']:.0f}", times]


def span(values):
    return f"{values[0]}-{values[-1]}"


def ratio(rows, row, field):
    ours = ours_of(rows, row)
    return f"{ours[field] / row[field]:.2f}" if ours else "-"


def ours_of(rows, row):
    """The row of Auris with the same model, level and threads; `None` if Auris was not measured."""
    def key(other):
        return other["model"], other["level"], other.get("threads")

    return next((other for other in rows if other["engine"] == "auris" and key(other) == key(row)), None)
