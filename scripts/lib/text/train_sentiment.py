#!/usr/bin/env python3
"""Trains the sentiment head and writes crates/text/src/data/sentiment_head.bin. Needs numpy.

    train_sentiment.py texts DATA                   writes DATA/texts.json and DATA/texts.txt
    cargo run --release -p auris-text --example sentiment_features MODELS/minilm-l6-v2 \\
        < DATA/texts.txt > DATA/features.bin
    train_sentiment.py train DATA HEAD              writes HEAD and prints the figures of the development sets

DATA has what was downloaded, with these names. Only data whose licence allows it is trained on:

    goemotions/train.tsv, emotions.txt   GoEmotions (Google Research), Apache-2.0: comments
    xed/en-annotated.tsv, neu_en.txt     XED (Helsinki-NLP), CC BY 4.0: lines of films
    topical/valid_*.json                 Topical-Chat (Amazon), CDLA-Sharing-1.0, which does not restrict results: chats
    meld/dev_sent_emo.csv                optional, only measured: MELD
    sst/dev.txt                          optional, only measured: SST with five grades ("4 a fine film")

A third of the texts lose their capitals and punctuation, because transcripts often have none.

The file, little-endian: u16 features, u16 hidden units; f32 mean of each feature; f32 bias of each label (negative,
neutral, positive); then for each unit f32 scale, f32 bias, f32 weight for each label, i8 weight of each feature.
"""

import csv
import json
import random
import re
import struct
import sys
from pathlib import Path

import numpy as np

FEATURES = 384 + 8
# The number of labelled texts that are used of each source. Most are lines of films, because these are spoken.
TAKEN = {"goemotions": 6_000, "xed": 16_000, "xed-neutral": 7_000, "topical": 1_500}
BARE_SHARE = 0.35
UNITS, EPOCHS, BATCH, RATE, DECAY, DROPOUT = 32, 4, 256, 2e-3, 0.5, 0.5
MEMBERS = 4
# Added to the scores of the labels, so that the shares of the labels are those of conversations.
BIASES = (0.0, 0.0, 0.0)

# Shares of negative, neutral and positive for each emotion.
NEGATIVE, NEUTRAL, POSITIVE = (1, 0, 0), (0, 1, 0), (0, 0, 1)
GOEMOTIONS = dict.fromkeys("amusement excitement joy love pride admiration gratitude relief".split(), POSITIVE)
GOEMOTIONS |= dict.fromkeys(
    "fear nervousness remorse embarrassment disappointment sadness grief disgust anger annoyance".split(), NEGATIVE
)
GOEMOTIONS |= {
    "approval": (0, 0.35, 0.65), "caring": (0.1, 0.25, 0.65), "desire": (0.05, 0.35, 0.6), "optimism": (0, 0.2, 0.8),
    "disapproval": (0.8, 0.2, 0), "neutral": NEUTRAL, "curiosity": (0.05, 0.9, 0.05),
    "realization": (0.15, 0.7, 0.15), "confusion": (0.4, 0.6, 0), "surprise": (0.4, 0.2, 0.4),
}
XED_NAMES = "neutral anger anticipation disgust fear joy sadness surprise trust".split()
XED = dict.fromkeys("anger disgust fear sadness".split(), NEGATIVE)
XED |= {"joy": POSITIVE, "trust": (0, 0.4, 0.6), "anticipation": (0.2, 0.5, 0.3), "surprise": (0.45, 0.2, 0.35)}
XED |= {"neutral": NEUTRAL}
TOPICAL = dict.fromkeys("Sad Disgusted Angry Fearful".split(), NEGATIVE)
TOPICAL |= {"Neutral": NEUTRAL, "Happy": (0, 0.2, 0.8)}


def plain(text):
    """The text with ordinary quotation marks and spaces."""
    for odd, usual in (("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"'), ("…", "..."), ("\x92", "'"), ("\x85", "...")):
        text = text.replace(odd, usual)
    return re.sub(r"\s+", " ", text).strip()


def bare(text):
    """The text without capitals and punctuation."""
    return plain(re.sub(r"[^\w\s']", " ", text.lower())) or text


def joined(text):
    """The text of a tokenized sentence, with names instead of placeholders."""
    names = {"PERSON": ["Mike", "Anna", "Tom", "Sarah", "John"], "LOCATION": ["London", "Paris", "Texas"]}
    names |= {"ORGANIZATION": ["the company"], "NAME": ["Alex"], "RELIGION": ["religion"]}
    text = re.sub(r"\[([A-Z]+)\]", lambda found: random.choice(names.get(found[1], [""])), text)
    text = re.sub(r"\s+([.,!?;:])", r"\1", text)
    return plain(re.sub(r"\s+(n't|'s|'re|'m|'ll|'ve|'d)\b", r"\1", text))


def shares(table, labels):
    return [sum(table[label][nth] for label in labels) / len(labels) for nth in range(3)]


def goemotions(folder):
    names = (folder / "goemotions/emotions.txt").read_text().split()
    for line in (folder / "goemotions/train.tsv").read_text().splitlines():
        text, labels, _ = line.split("\t")
        yield "goemotions", joined(text), shares(GOEMOTIONS, [names[int(nth)] for nth in labels.split(",")])


def xed(folder):
    for line in (folder / "xed/en-annotated.tsv").read_text().split("\n"):
        text, _, labels = line.partition("\t")
        if labels:
            yield "xed", joined(text), shares(XED, [XED_NAMES[int(nth)] for nth in labels.split(",")])
    for line in (folder / "xed/neu_en.txt").read_text().split("\n"):
        if "\t" in line:
            yield "xed-neutral", joined(line.partition("\t")[2]), list(NEUTRAL)


def topical(folder):
    for file in sorted((folder / "topical").glob("valid_*.json")):
        turns = [turn for talk in json.loads(file.read_text()).values() for turn in talk["content"]]
        for turn in turns:
            if turn["sentiment"] in TOPICAL:
                yield "topical", plain(turn["message"]), list(TOPICAL[turn["sentiment"]])


def measured(folder):
    """The development sets that exist, never trained on."""
    if (folder / "meld/dev_sent_emo.csv").exists():
        with open(folder / "meld/dev_sent_emo.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                label = ("negative", "neutral", "positive").index(row["Sentiment"])
                yield "meld-dev", plain(row["Utterance"]), [float(nth == label) for nth in range(3)]
    if (folder / "sst/dev.txt").exists():
        for line in (folder / "sst/dev.txt").read_text().splitlines():
            grade, _, text = line.partition(" ")
            label = (0, 0, 1, 2, 2)[int(grade)]
            yield "sst-dev", joined(text), [float(nth == label) for nth in range(3)]


def write_texts(folder):
    random.seed(7)
    held_out = list(measured(folder))
    known = {bare(text) for _, text, _ in held_out if len(text.split()) >= 4}
    rows = [(name + form, change(text), label)
            for name, text, label in held_out for form, change in (("", plain), ("-bare", bare))]
    by_source = {}
    for source in (goemotions, xed, topical):
        for name, text, label in source(folder):
            if bare(text) not in known and 1 <= len(text.split()) <= 40:
                by_source.setdefault(name, []).append((name, text, label))
    trained = []
    for name, found in by_source.items():
        random.shuffle(found)
        trained += found[: TAKEN[name]]
    random.shuffle(trained)
    rows += [(name, bare(text) if random.random() < BARE_SHARE else text, label) for name, text, label in trained]
    (folder / "texts.json").write_text(json.dumps(rows))
    (folder / "texts.txt").write_text("".join(text + "\n" for _, text, _ in rows))
    print(len(trained), "texts to train on,", len(rows) - len(trained), "to measure")


class Head:
    """One hidden layer, trained with Adam."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        first = self.random.normal(0, np.sqrt(2 / FEATURES), (FEATURES, UNITS))
        second = self.random.normal(0, np.sqrt(1 / UNITS), (UNITS, 3))
        self.parts = [part.astype(np.float32) for part in (first, np.zeros(UNITS), second, np.zeros(3))]

    def kept(self, shape, dropout):
        return (self.random.random(shape, dtype=np.float32) > dropout) / np.float32(1 - dropout)

    def gradients(self, features, wanted, weights):
        first, first_bias, second, second_bias = self.parts
        features = features * self.kept(features.shape, 0.1)
        sums = features @ first + first_bias
        mask = (sums > 0) * self.kept(sums.shape, DROPOUT)
        hidden = sums * mask
        error = (softmax(hidden @ second + second_bias) - wanted) * weights[:, None] / len(wanted)
        back = (error @ second.T) * mask
        return features.T @ back, back.sum(0), hidden.T @ error, error.sum(0)

    def fit(self, features, wanted, weights):
        means = [np.zeros_like(part) for part in self.parts]
        squares = [np.zeros_like(part) for part in self.parts]
        step, steps = 0, EPOCHS * (len(features) // BATCH)
        for _ in range(EPOCHS):
            order = self.random.permutation(len(features))
            for start in range(0, len(order) - BATCH + 1, BATCH):
                step += 1
                rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
                chosen = order[start : start + BATCH]
                for nth, gradient in enumerate(self.gradients(features[chosen], wanted[chosen], weights[chosen])):
                    means[nth] = 0.9 * means[nth] + 0.1 * gradient
                    squares[nth] = 0.999 * squares[nth] + 0.001 * gradient**2
                    change = means[nth] / (1 - 0.9**step) / (np.sqrt(squares[nth] / (1 - 0.999**step)) + 1e-8)
                    decay = DECAY * self.parts[nth] if nth in (0, 2) else 0
                    self.parts[nth] -= rate * (change + decay)
        return self


def softmax(sums):
    powers = np.exp(sums - sums.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def merged(heads, spread):
    """One head whose scores are the mean of those of all, for features that are only centered."""
    first = np.concatenate([head.parts[0] / spread[:, None] for head in heads], axis=1)
    bias = np.concatenate([head.parts[1] for head in heads])
    second = np.concatenate([head.parts[2] / len(heads) for head in heads])
    return first, bias, second, np.mean([head.parts[3] for head in heads], axis=0)


def quantized(first):
    scales = np.abs(first).max(0) / 127
    return np.round(first / scales).astype(np.int8), scales.astype(np.float32)


def write_head(path, means, parts):
    first, bias, second, biases = parts
    weights, scales = quantized(first)
    with open(path, "wb") as file:
        file.write(struct.pack("<HH", *first.shape))
        file.write(means.astype("<f4").tobytes() + (biases + BIASES).astype("<f4").tobytes())
        for unit in range(first.shape[1]):
            numbers = [scales[unit], bias[unit], *second[unit]]
            file.write(np.array(numbers, "<f4").tobytes() + weights[:, unit].tobytes())


def report(name, wanted, found):
    figures = []
    for label in range(3):
        right = ((wanted == label) & (found == label)).sum()
        all_found, all_wanted = max(1, (found == label).sum()), max(1, (wanted == label).sum())
        figures.append((2 * right / (all_found + all_wanted), right / all_wanted))
    f1, recall = np.transpose(figures)
    print(f"{name:14} n {len(wanted):5} accuracy {np.mean(wanted == found):.3f} macro-F1 {f1.mean():.3f} "
          f"F1 {f1.round(2)} recall {recall.round(2)} (negative, neutral, positive)")


def train(folder, path):
    rows = json.loads((folder / "texts.json").read_text())
    features = np.fromfile(folder / "features.bin", "<f4").reshape(-1, FEATURES)
    rows = rows[: len(features)]
    names = np.array([row[0] for row in rows])
    wanted = np.array([row[2] for row in rows], np.float32)
    held_out = np.char.find(names, "-dev") >= 0
    means, spread = features[~held_out].mean(0), features[~held_out].std(0) + 1e-3
    scaled = (features - means) / spread
    weights = 1 / (3 * wanted[~held_out].mean(0))
    weights = (wanted[~held_out] @ weights).astype(np.float32)
    heads = [Head(seed).fit(scaled[~held_out], wanted[~held_out], weights) for seed in range(MEMBERS)]
    parts = merged(heads, spread)
    write_head(path, means, parts)
    first, bias, second, biases = parts
    weights, scales = quantized(first)
    sums = np.maximum((features - means) @ (weights * scales) + bias, 0) @ second + biases + BIASES
    for name in sorted(set(names[held_out])):
        report(name, wanted[names == name].argmax(1), sums[names == name].argmax(1))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "texts":
        write_texts(Path(sys.argv[2]))
    elif len(sys.argv) == 4 and sys.argv[1] == "train":
        train(Path(sys.argv[2]), sys.argv[3])
    else:
        sys.exit(__doc__)
