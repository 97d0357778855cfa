"""The tables of `scripts/accuracy`: `accuracy.py BENCH FOLDER [OPTION...] [MODEL...]`."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import bench_report
import comparison
import levels
from engines import MOONSHINE, WHISPER, Engines, table
from recordings import folder_recordings, recordings
from words import plain_words, word_errors

PEERS = ["onnxruntime", "faster-whisper"]


def peers_of(model):
    return [peer for peer in PEERS if peer != "faster-whisper" or model in WHISPER]


def for_model(entries, model):
    """The recordings in a language of the model."""
    return [entry for entry in entries if model in WHISPER or entry["language"] == "en"]


def test_recordings(engines, models):
    """The table of docs/models.md: the recordings of the tests, in a language that the engine detects."""
    rows, same_files = [], {}
    for model in models:
        entries = for_model(recordings().values(), model)
        cells = {engine: "-" for engine in ["auris", *PEERS]}
        for engine in ["auris", *peers_of(model)]:
            lines = engines.run(engine, model, [entry["file"] for entry in entries])
            value, cells[engine] = rate(lines, entries)
            if engine == "onnxruntime":
                same_files[model] = value
            print(f"{model} {engine}: {cells[engine]}", file=sys.stderr)
        rows.append([model, *cells.values()])
    print(table(["model", "Auris", "ONNX Runtime", "faster-whisper"], rows))
    print("\n# For recordings.toml: ONNX Runtime on the same files.\n[peers]")
    print("\n".join(f"{model} = {value:.2f}" for model, value in same_files.items()))


def rate(lines, entries):
    """The word error rate over all recordings in percent, and a table cell with the errors of each recording."""
    pairs = [(plain_words(entry["text"]), plain_words(line["text"])) for line, entry in zip(lines, entries, strict=True)]
    errors = [word_errors(*pair) for pair in pairs]
    total = sum(len(reference) for reference, _ in pairs)
    return 100 * sum(errors) / total, f"{100 * sum(errors) / total:.1f} % ({' + '.join(map(str, errors))} of {total})"


def folder(engines, models, options):
    """Compares the engines on the recordings of a folder, language by language and level by level."""
    rows, differences = [], []
    recordings_with_texts = folder_recordings(options.recordings)
    if not recordings_with_texts:
        sys.exit(f"there are no recordings with texts in {options.recordings}")
    for model in models:
        for language, entries in by_language(for_model(recordings_with_texts, model)).items():
            files = [entry["file"] for entry in entries]
            runs = {("auris", level): None for level in options.levels} | {(peer, None): None for peer in peers_of(model)}
            for engine, level in runs:
                lines = engines.run(engine, model, files, level=level, language=language)
                runs[engine, level] = [line["text"] for line in lines]
            rows += comparison.rows(model, language, entries, runs)
            differences += comparison.differences(model, entries, runs)
            comparison.log(rows, model, language)
    print(comparison.markdown(rows))
    if options.differences:
        pathlib.Path(options.differences).write_text("\n\n".join(differences) + "\n")
    bench_report.write(options.json, "accuracy", options.bench, rows)


def by_language(entries):
    groups = {}
    for entry in entries:
        groups.setdefault(entry["language"], []).append(entry)
    return groups


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--recordings", type=pathlib.Path)
    parser.add_argument("--levels", type=levels.listed, default=[None])
    parser.add_argument("--differences")
    parser.add_argument("--json")
    parser.add_argument("models", nargs="*")
    # Models may come after options.
    options = parser.parse_intermixed_args()
    engines = Engines(options.bench, options.folder)
    models = options.models or MOONSHINE + WHISPER
    if options.recordings:
        folder(engines, models, options)
    else:
        test_recordings(engines, models)


main()
