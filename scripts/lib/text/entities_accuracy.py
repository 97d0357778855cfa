"""How good entities are on your own labeled texts:

    python3 scripts/lib/text/entities_accuracy.py FOLDER [--auris auris] [--case lower|upper] [--errors N] [--json FILE]

FOLDER holds texts in the formats of CoNLL-2003 (`*.conll`: a word and its tag per line, `-DOCSTART-` between texts),
WNUT-17 (`*.wnut`: the same with tabs) and Earnings-21 (`*.nlp` with `*.tags.json` beside each). Each text runs through
`auris analyze --entities --json`. An entity is right if its text and its kind are those of the reference; an article
before it and a possessive or a sign after it do not count. `--case` removes the capitals or writes everything in them,
as some recognizers do. `--errors` prints the most frequent mistakes.
"""
import argparse
import ast
import collections
import json
import pathlib
import re
import subprocess
import tempfile

NAMES = ("person", "location", "organization")
CALL_KINDS = NAMES + ("date", "money", "percent")
CONLL = {"PER": "person", "LOC": "location", "ORG": "organization"}
WNUT = {"person": "person", "location": "location", "corporation": "organization", "group": "organization"}
EARNINGS = {"PERSON": "person", "GPE": "location", "LOC": "location", "FAC": "location", "ORG": "organization",
            "DATE": "date", "MONEY": "money", "PERCENT": "percent"}


class Text:
    def __init__(self):
        self.text, self.entities = "", []

    def add_sentence(self, words, kinds):
        """Words with tags such as B-PER; the texts of these corpora have spaces before every sign."""
        self.text += "\n" if self.text else ""
        previous = "O"
        for nth, (word, tag) in enumerate(words):
            self.text += " " if nth else ""
            start = len(self.text)
            self.text += word
            if tag != "O" and tag[2:] == previous[2:] and tag[0] == "I" and previous != "O":
                if tag[2:] in kinds:
                    self.entities[-1][1] = len(self.text)
            elif tag[2:] in kinds:
                self.entities.append([start, len(self.text), kinds[tag[2:]]])
            previous = tag


def sentences(path, separator):
    words = []
    for line in path.read_text(encoding="utf-8").splitlines() + [""]:
        fields = line.split(separator)
        if line.strip() and fields[0] != "-DOCSTART-":
            words.append((fields[0], fields[-1].strip()))
            continue
        if words:
            yield words
        words = []
        if fields[0] == "-DOCSTART-":
            yield None


def read_tagged(path):
    is_web = path.suffix == ".wnut"
    texts = [Text()]
    for words in sentences(path, "\t" if is_web else " "):
        if words is None:
            texts.append(Text())
        else:
            texts[-1].add_sentence(words, WNUT if is_web else CONLL)
    return [text for text in texts if text.text]


def read_call(path):
    tags = json.loads(path.with_suffix(".tags.json").read_text(encoding="utf-8"))
    call, places, speaker = Text(), {}, None
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        fields = line.split("|")
        if not line:
            continue
        call.text += "" if not call.text else "\n" if fields[1] != speaker else " "
        speaker, start = fields[1], len(call.text)
        call.text += fields[0]
        for tag in ast.literal_eval(fields[-1]):
            places.setdefault(tag, [start, start])[1] = len(call.text)
        call.text += fields[4]
    for tag, (start, end) in sorted(places.items(), key=lambda item: item[1]):
        kind = EARNINGS.get(tags.get(tag, {}).get("entity_type"))
        last = call.entities[-1] if call.entities else None
        # The corpus tags `5`, `million` and `dollars` separately.
        if kind in ("money", "percent") and last and last[2] == kind and call.text[last[1]:start] == " ":
            last[1] = end
        elif kind:
            call.entities.append([start, end, kind])
    return call


def analyze(options, text):
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump({"text": text, "language": "en"}, file)
        file.flush()
        command = [options.auris, "analyze", "--transcript", file.name, "--json", "--entities"]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [[found["start_char"], found["end_char"], found["type"]] for found in answer["entities"]["entities"]]


def trimmed(text, start, end):
    article = re.match(r"(the|a|an)\s+", text[start:end], re.IGNORECASE)
    start += article.end() if article else 0
    tail = re.search(r"('s|’s|[\s.,;:!?'\"]+)$", text[start:end], re.IGNORECASE)
    return start, start + tail.start() if tail and tail.start() else end


class Score:
    def __init__(self):
        self.right, self.found, self.wanted, self.touched = (collections.Counter() for _ in range(4))
        self.missed, self.wrong = collections.Counter(), collections.Counter()

    def add(self, text, wanted, found, kinds):
        keys = lambda entities: {(*trimmed(text, start, end), kind) for start, end, kind in entities if kind in kinds}
        wanted, found = keys(wanted), keys(found)
        for kind in kinds:
            of = lambda entities: {entity for entity in entities if entity[2] == kind}
            self.right[kind] += len(of(wanted & found))
            self.found[kind] += len(of(found))
            self.wanted[kind] += len(of(wanted))
            self.touched[kind] += sum(
                any(start < other_end and other_start < end for other_start, other_end, _ in of(found))
                for start, end, _ in of(wanted))
        self.missed.update((kind, text[start:end]) for start, end, kind in wanted - found)
        self.wrong.update((kind, text[start:end]) for start, end, kind in found - wanted)

    def rows(self):
        for kinds in [list(self.wanted)] + [[kind] for kind in self.wanted]:
            right, found, wanted, touched = (
                sum(counter[kind] for kind in kinds) for counter in (self.right, self.found, self.wanted, self.touched))
            precision, recall = right / max(1, found), right / max(1, wanted)
            yield {"kind": "all" if len(kinds) > 1 else kinds[0], "entities": wanted,
                   "f1": round(200 * precision * recall / max(1e-9, precision + recall), 1),
                   "precision": round(100 * precision, 1), "recall": round(100 * recall, 1),
                   "recall_in_part": round(100 * touched / max(1, wanted), 1)}


def measure(options, name, texts, kinds):
    change = {"lower": str.lower, "upper": str.upper}.get(options.case, str)
    score = Score()
    for text in texts:
        changed = change(text.text)
        # A few letters have another length in the other case; then the positions would be wrong.
        changed = changed if len(changed) == len(text.text) else text.text
        score.add(changed, text.entities, analyze(options, changed), kinds)
    rows = list(score.rows())
    for row in rows:
        print(f"{name:10} {row['kind']:13} F1 {row['f1']:5}  precision {row['precision']:5}  recall {row['recall']:5}"
              f"  in part {row['recall_in_part']:5}  of {row['entities']}", flush=True)
    for label, counter in (("missed", score.missed), ("wrong", score.wrong)):
        for (kind, text), count in counter.most_common(options.errors):
            print(f"  {label} {count:4} {kind:13} {text}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--auris", default="auris")
    parser.add_argument("--case", choices=["lower", "upper"])
    parser.add_argument("--errors", type=int, default=0)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    results = {}
    for path in sorted(options.folder.glob("*.conll")) + sorted(options.folder.glob("*.wnut")):
        results[path.name] = measure(options, path.name, read_tagged(path), NAMES)
    calls = [read_call(path) for path in sorted(options.folder.glob("*.nlp"))]
    if calls:
        results["calls"] = measure(options, "calls", calls, CALL_KINDS)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


main()
