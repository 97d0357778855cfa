"""Word errors of engines on the same recordings, how sure a difference is, and the recordings where texts differ."""
import sys

import numpy

from engines import table
from words import marked, normal_words, word_errors

# Draws of the recordings, to see how much a difference depends on which ones were chosen.
DRAWS = 2000


def rows(model, language, entries, runs):
    """One row per engine and level: errors, words, and the difference from Auris at its first level."""
    references = [normal_words(entry["text"], language) for entry in entries]
    errors = {run: count(references, texts, language) for run, texts in runs.items()}
    ours = errors[next(iter(runs))]
    total = sum(len(reference) for reference in references)
    lengths = numpy.array([len(reference) for reference in references])
    return [
        {
            "model": model, "language": language, "engine": engine, "level": level, "recordings": len(entries),
            "words": total, "errors": int(found.sum()), "percent": 100 * int(found.sum()) / total,
            "auris_minus_engine": 100 * int((ours - found).sum()) / total,
            "interval": interval(ours - found, lengths),
        }
        for (engine, level), found in errors.items()
    ]


def count(references, texts, language):
    pairs = zip(references, texts, strict=True)
    return numpy.array([word_errors(reference, normal_words(text, language)) for reference, text in pairs])


def interval(difference, lengths):
    """Where 95 % of the differences are, in points, if the recordings are drawn again with replacement."""
    generator = numpy.random.default_rng(1)
    draws = generator.integers(0, len(lengths), (DRAWS, len(lengths)))
    points = 100 * difference[draws].sum(axis=1) / lengths[draws].sum(axis=1)
    return [round(float(bound), 2) for bound in numpy.percentile(points, [2.5, 97.5])]


def differences(model, entries, runs):
    """A paragraph per recording in which the engines' words differ, with the errors marked."""
    found = []
    for nth, entry in enumerate(entries):
        language = entry["language"]
        reference = normal_words(entry["text"], language)
        texts = {run: normal_words(texts[nth], language) for run, texts in runs.items()}
        if len({tuple(words) for words in texts.values()}) > 1:
            lines = [f"## {model}: {entry['name']}", f"reference: {' '.join(reference)}"]
            lines += [f"{title(*run)}, {word_errors(reference, words)}: {marked(reference, words)}" for run, words in texts.items()]
            found.append("\n".join(lines))
    return found


def title(engine, level):
    return f"{engine} {level}" if level else engine


def markdown(all_rows):
    head = ["model", "language", "engine", "recordings", "words", "errors", "word errors, %", "Auris - engine, points", "95 % of draws"]
    return table(head, [
        [row["model"], row["language"], title(row["engine"], row["level"]), row["recordings"], row["words"], row["errors"],
         f"{row['percent']:.2f}", f"{row['auris_minus_engine']:+.2f}", "{} to {}".format(*row["interval"])]
        for row in all_rows
    ])


def log(all_rows, model, language):
    for row in all_rows:
        if (row["model"], row["language"]) == (model, language):
            print(model, language, title(row["engine"], row["level"]), f"{row['percent']:.2f} %", file=sys.stderr, flush=True)
