"""The tables of `scripts/accuracy`: `accuracy.py AURIS FOLDER [OPTION...] [MODEL...]`."""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import bench_report
import evaluation
import levels
from engines import MOONSHINE, WHISPER, Engines, table
from recordings import folder_recordings, recordings
from words import plain_words, word_errors

PEERS = ["onnxruntime", "faster-whisper"]


def peers_of(model, peers=PEERS):
    return [peer for peer in peers if not peer.startswith("faster-whisper") or model in WHISPER]


def for_model(entries, model):
    """The recordings in a language of the model."""
    return [entry for entry in entries if model in WHISPER or entry["language"] == "en"]


def test_recordings(engines, models, options):
    """The table of docs/models.md: the recordings of the tests, in a language that the engine detects."""
    rows, same_files = [], {}
    for model in models:
        known = for_model(recordings().values(), model)
        entries = [{"file": entry["file"], "text": entry["text"]} for entry in known]
        with tempfile.TemporaryDirectory() as folder:
            compared = evaluation.Evaluation(options.auris, engines.models, folder, entries)
            for peer in peers_of(model):
                lines = engines.run(peer, model, [entry["file"] for entry in entries])
                compared.add_texts(peer, [line["text"] for line in lines])
                if peer == "onnxruntime":
                    same_files[model] = plain_rate(lines, entries)
            report = compared.run(model)
        cells = {engine: cell(evaluation.of(report, engine)) for engine in [model, *peers_of(model)]}
        rows.append([f"`{model}`", cells[model], *(cells.get(peer, "-") for peer in PEERS)])
        print(*rows[-1], file=sys.stderr, flush=True)
    print(table(["model", "Auris", "ONNX Runtime", "faster-whisper"], rows))
    print("\n# For recordings.toml: ONNX Runtime on the same files, in plain words.\n[peers]")
    print("\n".join(f"{model} = {value:.2f}" for model, value in same_files.items()))


def cell(figures):
    """Errors in percent, and those of each recording."""
    counts = [result["inserted"] + result["deleted"] + result["substituted"] for result in figures["results"]]
    return f"{figures['error_percent']:.1f} % ({' + '.join(map(str, counts))} of {figures['words']})"


def plain_rate(lines, entries):
    """Errors in percent of plain words, which the tests of the engines compare with theirs."""
    pairs = [(plain_words(entry["text"]), plain_words(line["text"])) for line, entry in zip(lines, entries, strict=True)]
    return 100 * sum(word_errors(*pair) for pair in pairs) / sum(len(reference) for reference, _ in pairs)


def folder(engines, models, options):
    """Compares the engines on the recordings of a folder, language by language and level by level."""
    rows = []
    recordings_with_texts = folder_recordings(options.recordings)
    if not recordings_with_texts:
        sys.exit(f"there are no recordings with texts in {options.recordings}")
    for model in models:
        for language, entries in by_language(for_model(recordings_with_texts, model)).items():
            with tempfile.TemporaryDirectory() as scratch:
                rows += compare(engines, evaluation.Evaluation(options.auris, engines.models, scratch, entries), model, options)
            for row in rows[-len(peers_of(model, options.peers)) - len(options.levels):]:
                print(model, language, row["engine"], f"{row['percent']:.2f} %", file=sys.stderr, flush=True)
    print(markdown(rows))
    bench_report.write(options.json, "accuracy", options.auris, rows)


def compare(engines, compared, model, options):
    """One row per engine and level, for recordings in one language: errors, and the difference from Auris."""
    language = compared.entries[0]["language"]
    for peer in peers_of(model, options.peers):
        lines = engines.run(peer, model, [entry["file"] for entry in compared.entries], language=language)
        compared.add_texts(peer, [line["text"] for line in lines])
    first, *others = options.levels
    for level in others:
        figures = evaluation.of(compared.run(model, level=level), model)
        compared.add_texts(f"auris {level}", [result["text"] for result in figures["results"]])
    html = pathlib.Path(options.html, f"{model}-{language}.html") if options.html else None
    report = compared.run(model, level=first, html=html)
    return [row(report, model, engine, language) for engine in [model, *compared.texts]]


def row(report, model, engine, language):
    figures = evaluation.of(report, engine)
    points, low, high = evaluation.difference(report, model, engine)
    errors = figures["inserted"] + figures["deleted"] + figures["substituted"]
    return {
        "model": model, "language": language, "engine": "auris" if engine == model else engine,
        "recordings": figures["recordings"], "words": figures["words"], "errors": errors,
        "percent": figures["error_percent"], "auris_minus_engine": points, "interval": [low, high],
    }


def markdown(rows):
    head = ["model", "language", "engine", "recordings", "words", "errors", "word errors, %", "Auris - engine, points", "95 % of draws"]
    return table(head, [
        [row["model"], row["language"], row["engine"], row["recordings"], row["words"], row["errors"],
         f"{row['percent']:.2f}", f"{row['auris_minus_engine']:+.2f}", "{:.2f} to {:.2f}".format(*row["interval"])]
        for row in rows
    ])


def by_language(entries):
    groups = {}
    for entry in entries:
        groups.setdefault(entry["language"], []).append(entry)
    return groups


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("auris")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--recordings", type=pathlib.Path)
    parser.add_argument("--levels", type=levels.listed, default=[None])
    parser.add_argument("--peers", type=lambda names: names.split(","), default=PEERS)
    parser.add_argument("--html", type=pathlib.Path)
    parser.add_argument("--json")
    parser.add_argument("models", nargs="*")
    # Models may come after options.
    options = parser.parse_intermixed_args()
    # Auris runs through its own command line; this runs the others.
    engines = Engines(None, options.folder)
    models = options.models or MOONSHINE + WHISPER
    if options.recordings:
        folder(engines, models, options)
    else:
        test_recordings(engines, models, options)


main()
