#!/usr/bin/env python3
"""Trains the sentiment head and writes crates/text/src/data/sentiment_head.bin. Needs numpy.

    train_sentiment.py texts DATA                   writes DATA/texts.json and DATA/texts.txt
    train_sentiment_adapter.py DATA MODELS/minilm-l6-v2 crates/text/src/data/sentiment_adapter.bin
    cargo run --release -p auris-text --example sentiment_features MODELS/minilm-l6-v2 \\
        < DATA/texts.txt > DATA/features.bin
    train_sentiment.py train DATA HEAD              writes HEAD and prints the figures of the development sets

DATA has what was downloaded, with these names. Only data whose license allows it is trained on:

    goemotions/train.tsv, dev.tsv, emotions.txt     GoEmotions (Google Research), Apache-2.0: comments
    xed/en-annotated.tsv, en-projections.tsv, neu_en.txt
                                                    XED (Helsinki-NLP), CC BY 4.0: lines of films
    topical/valid_*.json                            Topical-Chat (Amazon), CDLA-Sharing-1.0, which does not restrict
                                                    results: chats
    meld/dev_sent_emo.csv                           optional, only measured: MELD
    sst/dev.txt                                     optional, only measured: SST with five grades ("4 a fine film")

Beside this script are sentiment_lines.txt and sentiment_dialogues.txt, lines and dialogues that were written for this
project, and sentiment_labels.txt, sentiments of lines of XED that were judged again for this project, by the hash of
the line. A quarter of the latter and a sixth of the dialogues are not trained on and are measured as `xed-dev` and
`dialogues-dev`.

A third of the texts lose their capitals and punctuation, because transcripts often have none.

The file, little-endian: u16 features, u16 hidden units; f32 mean of each feature; f32 bias of each label (negative,
neutral, positive); then for each unit f32 scale, f32 bias, f32 weight for each label, i8 weight of each feature.
"""

import csv
import hashlib
import json
import random
import re
import struct
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FEATURES = 384 + 8
# The number of labeled texts that are used of each source. Most are lines of films, because these are spoken.
TAKEN = {"goemotions": 6_000, "xed": 13_000, "xed-neutral": 4_000, "topical": 300, "lines": 6_000, "judged": 3_000,
         "dialogues": 3_000}
WEIGHTS = {"judged": 2.0, "lines": 1.5, "dialogues": 3.0}
# The number of texts that are made of one line with words to replace.
MADE = 7
BARE_SHARE = 0.35
# The number of texts that the head is trained on, of those of the adapter.
HEAD_TEXTS = 7_000
UNITS, EPOCHS, BATCH, RATE, DECAY, DROPOUT = 32, 8, 256, 2e-3, 0.5, 0.5
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
XED |= {"joy": POSITIVE, "trust": (0.03, 0.47, 0.5), "anticipation": (0.1, 0.62, 0.28), "surprise": (0.42, 0.28, 0.3)}
XED |= {"neutral": NEUTRAL}
TOPICAL = dict.fromkeys("Sad Disgusted Angry Fearful".split(), NEGATIVE)
TOPICAL |= {"Neutral": NEUTRAL, "Happy": (0, 0.2, 0.8)}
SIGNS = {"-": NEGATIVE, "0": NEUTRAL, "+": POSITIVE, "~": (0.45, 0.1, 0.45)}
FILLERS = "Well, |Oh, |Look, |Okay, |So, |Hey, |You know, |I mean, |Uh, |Umm, |And |But ".split("|")
SPOKEN = {"going to": "gonna", "want to": "wanna", "you know": "y'know", "You know": "Y'know", "because": "'cause",
          "have to": "gotta", "kind of": "kinda", "Come on": "C'mon", "I am": "I'm", "!": "!!"}


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


def row(source, text, sentiment, emotions=None):
    """A text to train on. `emotions` has the name of a set of emotions and numbers of it."""
    weight = WEIGHTS.get(source, 1.0)
    return {"source": source, "text": text, "sentiment": list(sentiment), "weight": weight, "emotions": emotions}


def goemotions(folder):
    names = (folder / "goemotions/emotions.txt").read_text().split()
    for file in ("train.tsv", "dev.tsv"):
        for line in (folder / "goemotions" / file).read_text().splitlines():
            text, labels, _ = line.split("\t")
            labels = [int(nth) for nth in labels.split(",")]
            wanted = shares(GOEMOTIONS, [names[nth] for nth in labels])
            yield row("goemotions", joined(text), wanted, ["goemotions", labels])


def xed(folder):
    judged = dict(line.split() for line in (HERE / "sentiment_labels.txt").read_text().splitlines())
    for file in ("en-annotated.tsv", "en-projections.tsv", "neu_en.txt"):
        for line in (folder / "xed" / file).read_text().split("\n"):
            text, _, labels = line.partition("\t")
            if not labels or ".xml" in text:
                continue
            if file == "neu_en.txt":
                text, source, labels = labels, "xed-neutral", [0]
            else:
                source, labels = "xed", [int(nth) for nth in labels.split(",")]
            wanted, text = shares(XED, [XED_NAMES[nth] for nth in labels]), joined(text.strip(" -"))
            if hash_of(text) in judged:
                source, wanted = "judged", SIGNS[judged[hash_of(text)]]
            yield row(source, text, wanted, ["xed", labels])


def hash_of(text):
    return hashlib.sha256(bare(text).encode()).hexdigest()[:10]


def topical(folder):
    for file in sorted((folder / "topical").glob("valid_*.json")):
        turns = [turn for talk in json.loads(file.read_text()).values() for turn in talk["content"]]
        for turn in turns:
            if turn["sentiment"] in TOPICAL:
                yield row("topical", plain(turn["message"]), TOPICAL[turn["sentiment"]])


def made_lines(_):
    """Texts from the lines that were written for this project."""
    words = {}
    for line in (HERE / "sentiment_lines.txt").read_text().splitlines():
        sign, _, line = line.partition(" ")
        if sign == "=":
            name, _, choices = line.partition(": ")
            words[name] = choices.split(" | ")
        elif sign in SIGNS:
            texts = {filled(line, words) for _ in range(MADE)}
            yield from (row("lines", varied(text), SIGNS[sign]) for text in sorted(texts))


def dialogues(_):
    """The lines of the dialogues that were written for this project, every sixth dialogue to measure."""
    for nth, dialogue in enumerate((HERE / "sentiment_dialogues.txt").read_text().strip().split("\n\n")):
        for line in dialogue.split("\n"):
            sign, _, text = line.partition(" ")
            yield row("dialogues-dev" if nth % 6 == 5 else "dialogues", text, SIGNS[sign])


def filled(line, words):
    text = re.sub(r"\{(\w+)\}", lambda found: random.choice(words[found[1]]), line)
    return text[0].upper() + text[1:]


def varied(text):
    """The text, or the text after a filler, with another sign at its end, or as it is spoken."""
    if random.random() < 0.2 and len(text.split()) > 2:
        start = text if re.match(r"I\b|[A-Z]\w+[.,!]", text) else text[0].lower() + text[1:]
        text = random.choice(FILLERS) + start
    if random.random() < 0.15 and text[-1] in ".!":
        text = text[:-1] + random.choice([".", "!", "..."])
    if random.random() < 0.3:
        for written, spoken in SPOKEN.items():
            text = text.replace(written, spoken)
    if random.random() < 0.06:
        first, _, rest = text.partition(" ")
        text = f"{first}-{first.lower() if first != 'I' else first} {rest}".strip()
    return text


def measured(folder):
    """The development sets that exist, never trained on."""
    if (folder / "meld/dev_sent_emo.csv").exists():
        with open(folder / "meld/dev_sent_emo.csv", encoding="utf-8", newline="") as file:
            for said in csv.DictReader(file):
                label = ("negative", "neutral", "positive").index(said["Sentiment"])
                yield "meld-dev", plain(said["Utterance"]), [float(nth == label) for nth in range(3)]
    if (folder / "sst/dev.txt").exists():
        for line in (folder / "sst/dev.txt").read_text().splitlines():
            grade, _, text = line.partition(" ")
            label = (0, 0, 1, 2, 2)[int(grade)]
            yield "sst-dev", joined(text), [float(nth == label) for nth in range(3)]


def write_texts(folder):
    random.seed(7)
    held_out = [row(source, text, label) for source, text, label in measured(folder)]
    held_out += [said for said in dialogues(folder) if said["source"] == "dialogues-dev"]
    known = {bare(said["text"]) for said in held_out if len(said["text"].split()) >= 4}
    by_source = {}
    for source in (made_lines, dialogues, xed, goemotions, topical):
        for said in source(folder):
            key = bare(said["text"])
            if key not in known and 1 <= len(key.split()) <= 24 and said["source"] in TAKEN:
                known |= {key} if source not in (made_lines, dialogues) else set()
                by_source.setdefault(said["source"], []).append(said)
    by_source["judged"].sort(key=lambda said: hash_of(said["text"]))
    quarter = len(by_source["judged"]) // 4
    held_out += [said | {"source": "xed-dev"} for said in by_source["judged"][:quarter]]
    by_source["judged"] = by_source["judged"][quarter:]
    trained = []
    for source, found in by_source.items():
        random.shuffle(found)
        trained += found[: TAKEN[source]]
        print(source, len(found[: TAKEN[source]]))
    random.shuffle(trained)
    trained = [said | {"text": bare(said["text"])} if random.random() < BARE_SHARE else said for said in trained]
    bares = [said | {"text": bare(said["text"]), "source": said["source"] + "-bare"} for said in held_out]
    rows = [said | {"held_out": True} for said in held_out + bares] + [said | {"held_out": False} for said in trained]
    (folder / "texts.json").write_text(json.dumps(rows))
    of_head = rows[: len(rows) - len(trained) + HEAD_TEXTS]
    (folder / "texts.txt").write_text("".join(said["text"] + "\n" for said in of_head))
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
    names = np.array([row["source"] for row in rows])
    wanted = np.array([row["sentiment"] for row in rows], np.float32)
    held_out = np.array([row["held_out"] for row in rows])
    means, spread = features[~held_out].mean(0), features[~held_out].std(0) + 1e-3
    scaled = (features - means) / spread
    weights = np.array([row["weight"] for row in rows], np.float32)[~held_out]
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
