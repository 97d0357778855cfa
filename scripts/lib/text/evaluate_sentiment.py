#!/usr/bin/env python3
"""Measures the sentiment of `auris analyze` on labeled utterances.

    evaluate_sentiment.py AURIS DATA [--bare] [--model ID] [--errors N]

AURIS is the program, DATA a file with labeled utterances:

    *.csv   columns `Utterance`, `Sentiment` and `Dialogue_ID`, as MELD's dev_sent_emo.csv
    *.tsv   lines "label<TAB>text"
    *.txt   lines "grade text" with grades 0 to 4, as SST's dev.txt: 0 and 1 are negative, 3 and 4 positive

Labels are `negative`, `neutral` and `positive`. Utterances of a dialogue are sent together. With --bare they lose their
capitals and punctuation, as in many transcripts.
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess
import tempfile

LABELS = ("negative", "neutral", "positive")
GRADES = ("negative", "negative", "neutral", "positive", "positive")
# Utterances without a dialogue that are sent in one transcript.
TOGETHER = 500


def read(path):
    """The dialogues: lists of text and label."""
    if path.suffix == ".csv":
        dialogues = {}
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                said = (row["Utterance"], row["Sentiment"])
                dialogues.setdefault(row["Dialogue_ID"], []).append(said)
        return list(dialogues.values())
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if path.suffix == ".tsv":
        rows = [(text, label) for label, text in (line.split("\t", 1) for line in lines)]
    else:
        rows = [(text, GRADES[int(grade)]) for grade, text in (line.split(" ", 1) for line in lines)]
    return [rows[start : start + TOGETHER] for start in range(0, len(rows), TOGETHER)]


def cleaned(text, is_bare):
    text = text.replace("’", "'").replace("\x92", "'")
    if is_bare:
        text = re.sub(r"[^\w\s']", " ", text.lower()) if re.search(r"\w", text) else text
    return re.sub(r"\s+", " ", text).strip()


def judge(options, dialogue):
    """The labels that `auris analyze` gives to the utterances of a dialogue."""
    texts = [cleaned(text, options.bare) for text, _ in dialogue]
    transcript = {"language": "en", "text": " ".join(texts), "utterances": [{"text": text} for text in texts]}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(transcript, file)
        file.flush()
        words = [options.auris, "analyze", "--transcript", file.name, "--sentiment", "utterance", "--json"]
        words += ["--text-model", options.model] if options.model else []
        answer = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return [judged["label"] for judged in answer["sentiment"]["utterances"]]


def table(pairs):
    total = []
    print("| label | utterances | precision | recall | F1 |\n|---|--:|--:|--:|--:|")
    for label in LABELS:
        right = sum(wanted == found == label for wanted, found in pairs)
        count = sum(wanted == label for wanted, _ in pairs)
        found = sum(found == label for _, found in pairs)
        f1 = 2 * right / max(1, count + found)
        total.append(f1)
        print(f"| {label} | {count} | {right / max(1, found):.3f} | {right / max(1, count):.3f} | {f1:.3f} |")
    accuracy = sum(wanted == found for wanted, found in pairs) / max(1, len(pairs))
    print(f"\n{len(pairs)} utterances: macro-F1 {sum(total) / 3:.3f}, accuracy {accuracy:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("auris")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--bare", action="store_true", help="without capitals and punctuation")
    parser.add_argument("--model", help="the model (default: that of the catalogue)")
    parser.add_argument("--errors", type=int, default=0, help="print this many wrong answers")
    options = parser.parse_args()
    pairs, errors = [], []
    for dialogue in read(options.data):
        for (text, wanted), found in zip(dialogue, judge(options, dialogue), strict=True):
            pairs.append((wanted, found))
            if wanted != found:
                errors.append(f"{wanted}, not {found}: {text}")
    table(pairs)
    print("\n".join(errors[: options.errors]))


if __name__ == "__main__":
    main()
