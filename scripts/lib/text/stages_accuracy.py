"""How good chapters, summaries and topics are on your own labeled transcripts:

    python3 scripts/lib/text/stages_accuracy.py FOLDER [--auris auris] [--text-model MODEL] [--limit N] [--json FILE]

FOLDER holds meetings in the format of QMSum (one `*.json` per meeting, or one meeting per line of a `*.jsonl` file) and
dialogues in the format of DialogSum (`*.jsonl`). Each transcript runs through `auris analyze --json`. Reported are:

- chapters: Pk and WindowDiff over utterances (half the mean length of a reference chapter as the window, lower is
  better), the number of chapters, and Pk without any border;
- summary: ROUGE-1 F of `brief`, of as many first sentences of the transcript with their speakers, and both without the
  names of speakers, also beside as many first words;
- topics: the annotated topic of each dialogue beside the first topic found, to read.
"""
import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import tempfile


def clean(text):
    """Words as a recognizer writes them: no marks such as {disfmarker}, no space before punctuation."""
    text = re.sub(r"\{[a-z]+\}|<[a-z]+>", " ", text)
    text = re.sub(r"\s+([.,?!;:])", r"\1", text)
    text = re.sub(r"\s+('(?:s|m|re|ve|ll|d|t)\b|n't\b)", r"\1", text)
    return re.sub(r"^[,.;: ]+", "", re.sub(r"\s+", " ", text).strip())


def meeting(record):
    said = [(turn["speaker"], clean(turn["content"])) for turn in record["meeting_transcripts"]]
    kept = [nth for nth, (_, text) in enumerate(said) if re.search(r"\w", text)]
    spans = [int(span[0]) for topic in record["topic_list"] for span in topic["relevant_text_span"]]
    borders = {sum(1 for nth in kept if nth < start) for start in spans} - {0, len(kept)}
    answers = [query["answer"] for query in record["general_query_list"]]
    return {"utterances": [said[nth] for nth in kept], "borders": sorted(borders), "summary": answers[:1]}


def dialogue(record):
    lines = [line.split(":", 1) for line in record["dialogue"].split("\n") if ":" in line]
    utterances = [(speaker.strip(" #"), re.sub(r" ?' ?(?=(?:s|m|re|ve|ll|d|t)\b)", "'", text.strip())) for speaker, text in lines]
    summary = record["summary"].replace("#", "")
    return {"utterances": utterances, "topic": record.get("topic", ""), "summary": [summary]}


def read(folder):
    for path in sorted(pathlib.Path(folder).rglob("*.json*")):
        text = path.read_text(encoding="utf-8")
        records = [text] if path.suffix == ".json" else [line for line in text.splitlines() if line.strip()]
        for record in map(json.loads, records):
            yield meeting(record) if "meeting_transcripts" in record else dialogue(record)


def analyze(options, sample):
    utterances = [{"speaker": speaker, "text": text} for speaker, text in sample["utterances"]]
    text = " ".join(text for _, text in sample["utterances"])
    stages = ["--summary", "brief"] + (["--chapters"] if "borders" in sample else ["--topics"])
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump({"text": text, "language": "en", "utterances": utterances}, file)
        file.flush()
        command = [options.auris, "analyze", "--transcript", file.name, "--json", *stages]
        command += ["--text-model", options.text_model] if options.text_model else []
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def segments(borders, count):
    labels, current = [], 0
    for nth in range(count):
        current += nth in borders
        labels.append(current)
    return labels


def border_errors(reference, found, count):
    """Pk and WindowDiff."""
    window = max(1, round(count / (len(reference) + 1) / 2))
    wanted, given = segments(set(reference), count), segments(set(found), count)
    pairs = [(wanted[nth + window] - wanted[nth], given[nth + window] - given[nth]) for nth in range(count - window)]
    share = lambda wrong: sum(map(wrong, pairs)) / max(1, len(pairs))
    return share(lambda pair: (pair[0] == 0) != (pair[1] == 0)), share(lambda pair: pair[0] != pair[1])


def found_borders(sample, chapters):
    starts, at = [], 0
    for _, text in sample["utterances"]:
        starts.append(at)
        at += len(text) + 1
    utterance = lambda position: max(nth for nth, start in enumerate(starts) if start <= position)
    return sorted({utterance(chapter["start_char"]) for chapter in chapters} - {0})


def rouge_1(text, reference):
    count = lambda words: collections.Counter(re.findall(r"[a-z0-9]+", words.lower()))
    one, other = count(text), count(reference)
    common = sum((one & other).values())
    return 200 * common / (sum(one.values()) + sum(other.values())) if common else 0.0


def first_sentences(sample, count):
    """The first sentences, each after the name of its speaker."""
    said = [(speaker, sentence) for speaker, text in sample["utterances"]
            for sentence in re.split(r"(?<=[.?!])\s+", text) if re.search(r"\w", sentence)]
    return said[:count]


def measure_summary(sample, summary, rows):
    kind = "meetings" if "borders" in sample else "dialogues"
    names = {speaker for speaker, _ in sample["utterances"]}
    label = re.compile("(?:^|(?<=[.?!\"')] )|(?<= ))(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + "): ")
    count = max(1, len(label.findall(summary)))
    plain = label.sub("", summary)
    first = first_sentences(sample, count)
    words = " ".join(text for _, text in sample["utterances"]).split()[: len(plain.split())]
    texts = {
        "": summary,
        " of the first sentences": " ".join(f"{speaker}: {text}" for speaker, text in first),
        " without names": plain,
        " of the first sentences without names": " ".join(text for _, text in first),
        " of as many first words without names": " ".join(words),
    }
    for reference in sample["summary"]:
        for name, text in texts.items():
            rows[f"ROUGE-1{name}, {kind}"].append(rouge_1(text, reference))


def measure(options, sample, rows):
    result = analyze(options, sample)
    result = result.get("result", result)
    measure_summary(sample, result["summary"]["text"], rows)
    if "borders" in sample:
        found = found_borders(sample, result["chapters"]["chapters"])
        count = len(sample["utterances"])
        pk, window_diff = border_errors(sample["borders"], found, count)
        rows["Pk"].append(pk)
        rows["Pk without borders"].append(border_errors(sample["borders"], [], count)[0])
        rows["WindowDiff"].append(window_diff)
        rows["chapters"].append(len(found) + 1)
        rows["chapters in the reference"].append(len(sample["borders"]) + 1)
    else:
        topics = result["topics"]["topics"]
        print(f"{sample['topic']:<30} {topics[0]['label'] if topics else '-'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--auris", default="auris")
    parser.add_argument("--text-model")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = collections.defaultdict(list)
    for sample in list(read(options.folder))[: options.limit]:
        measure(options, sample, rows)
    table = {name: {"mean": round(statistics.mean(values), 3), "n": len(values)} for name, values in rows.items()}
    print("\n| measure | mean | n |\n|---|--:|--:|")
    for name, row in table.items():
        print(f"| {name} | {row['mean']} | {row['n']} |")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
