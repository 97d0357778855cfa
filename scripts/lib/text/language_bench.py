"""The table of `scripts/bench language`: language_bench.py BENCH MODELS_DIR PYTHON [OPTION...].

Each model reads a prompt and writes an answer, on one thread and on two. Auris and llama.cpp (xllamacpp, or another
build of it) take turns.
"""
import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import bench_report


def auris(options, model, threads):
    words = [options.bench, "engine-language", options.folder, model, options.read, options.write, threads]
    output = subprocess.run(map(str, words), check=True, capture_output=True, text=True).stdout
    return {line["what"]: line for line in map(json.loads, output.splitlines())}


def llama(options, model, threads):
    (file,) = (pathlib.Path(options.folder) / model).glob("*.gguf")
    peer = pathlib.Path(__file__).with_name("llama_bench.py")
    words = [options.python, str(peer), str(file), str(options.read), str(options.write), str(threads)]
    output = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return {line["what"]: line for line in map(json.loads, output.splitlines() or [])}


def llama_bench(options, model, threads):
    """With a llama.cpp that was compiled for this machine. Its own benchmark reports no CPU time."""
    (file,) = (pathlib.Path(options.folder) / model).glob("*.gguf")
    words = [options.llama_bench, "-m", file, "-p", options.read, "-n", options.write, "-t", threads, "-o", "json"]
    output = subprocess.run(map(str, words), check=True, capture_output=True, text=True).stdout
    lines = {}
    for line in json.loads(output):
        what = "read" if line["n_prompt"] else "write"
        tokens = line["n_prompt"] or line["n_gen"]
        lines[what] = {"tokens": tokens, "wall_seconds": tokens / line["avg_ts"], "cpu_seconds": None}
    return lines


def rate(line, seconds):
    return line[seconds] and line["tokens"] / line[seconds]


def ratio(ours, theirs):
    return f"{ours / theirs:.2f}" if theirs else ""


def number(value):
    return f"{value:.1f}" if value else ""


def rows(options):
    for model in options.models.split(","):
        for threads in (1, 2):
            peer = llama_bench if options.llama_bench else llama
            ours, theirs = auris(options, model, threads), peer(options, model, threads)
            for what in ("read", "write"):
                yield {
                    "model": model, "threads": threads, "what": what,
                    "auris_per_cpu_second": rate(ours[what], "cpu_seconds"),
                    "llama_per_cpu_second": rate(theirs[what], "cpu_seconds"),
                    "auris_per_second": rate(ours[what], "wall_seconds"),
                    "llama_per_second": rate(theirs[what], "wall_seconds"),
                }


def show(row):
    per_cpu, per_second = row["auris_per_cpu_second"], row["auris_per_second"]
    peer_per_cpu, peer_per_second = row["llama_per_cpu_second"], row["llama_per_second"]
    cells = [
        row["model"], row["threads"], row["what"], number(per_cpu), number(peer_per_cpu), ratio(per_cpu, peer_per_cpu),
        number(per_second), number(peer_per_second), ratio(per_second, peer_per_second),
    ]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("folder")
    parser.add_argument("python")
    parser.add_argument("--models", default="qwen2.5-1.5b-instruct,smollm2-135m-instruct")
    parser.add_argument("--read", type=int, default=512)
    parser.add_argument("--write", type=int, default=64)
    parser.add_argument("--llama-bench")
    parser.add_argument("--json")
    options = parser.parse_args()
    print("| model | threads | tokens | Auris / CPU s | llama.cpp / CPU s | ratio | Auris / s | llama.cpp / s | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    measures = []
    for row in rows(options):
        measures.append(row)
        show(row)
    bench_report.write(options.json, "language", options.bench, measures)


if __name__ == "__main__":
    main()
