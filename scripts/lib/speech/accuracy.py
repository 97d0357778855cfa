"""The table of `scripts/accuracy`: `accuracy.py BENCH FOLDER [MODEL...]`."""
import sys

from engines import MOONSHINE, WHISPER, Engines, table
from recordings import assets, recordings, word_errors, words


def recordings_for(model):
    """The recordings in a language of the model."""
    every = recordings().values()
    return [entry for entry in every if model in WHISPER or entry["language"] == "en"]


def rate(lines, entries):
    """The word error rate over all recordings in percent, and a table cell with the errors of each recording."""
    errors = [word_errors(entry["text"], line["text"]) for line, entry in zip(lines, entries, strict=True)]
    total = sum(len(words(entry["text"])) for entry in entries)
    return 100 * sum(errors) / total, f"{100 * sum(errors) / total:.1f} % ({' + '.join(map(str, errors))} of {total})"


def main():
    bench, folder, *models = sys.argv[1:]
    engines = Engines(bench, folder)
    rows, same_files = [], {}
    for model in models or MOONSHINE + WHISPER:
        entries = recordings_for(model)
        files = [assets() / entry["sha256"] for entry in entries]
        cells = [model]
        for engine in ["auris", "onnxruntime", "faster-whisper"]:
            if engine == "faster-whisper" and model not in WHISPER:
                cells.append("-")
                continue
            value, cell = rate(engines.run(engine, model, 1, files), entries)
            cells.append(cell)
            if engine == "onnxruntime":
                same_files[model] = value
            print(f"{model} {engine}: {cell}", file=sys.stderr)
        rows.append(cells)
    print(table(["model", "Auris", "ONNX Runtime", "faster-whisper"], rows))
    print("\n# For recordings.toml: ONNX Runtime on the same files.\n[peers]")
    print("\n".join(f"{model} = {value:.2f}" for model, value in same_files.items()))


main()
