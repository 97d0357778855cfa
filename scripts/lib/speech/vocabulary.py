"""What a custom vocabulary changes: `vocabulary.py AURIS FOLDER OTHER_FOLDER [--models A,B] [--json FILE]`.

Transcribes all recordings of FOLDER (NAME.wav with NAME.txt beside it) with four prompts: none; all names in their texts,
of which nearly all are not said in a given recording; as many names from the texts of OTHER_FOLDER, which nobody says; and
as many invented names, mixed from the syllables of the words that are said, none of which is a word of the recordings.
Counts the word errors, the names that are found, and the names of the prompt that are written where nobody said them."""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import tempfile

from words import plain_words, word_errors

# A request may have 4,000 characters of prompt.
LONGEST_PROMPT = 3_900
# Of the invented names, so that each run has the same.
SEED = 2026


def names(text):
    """Capitalized words that do not begin a sentence."""
    found = re.findall(r"(?<=[a-z,;] )[A-Z][a-z]{2,}", text)
    return [name.lower() for name in found]


def syllables(word):
    """The parts of a word with a vowel each. Consonants between two vowels belong to the second one."""
    return re.findall(r"[^aeiouy]*[aeiouy]+(?:[^aeiouy]+$)?", word)


def invented_names(words, count):
    """Names that begin as one of the words and end as another, and are none of them."""
    parts = [found for word in sorted(words) if word.isalpha() and len(found := syllables(word)) > 1]
    chance, made = random.Random(SEED), {}
    for _ in range(100 * count if parts else 0):
        first, last = chance.choice(parts), chance.choice(parts)
        name = "".join(first[: max(1, len(first) - 1)] + last[-1:])
        if 4 <= len(name) <= 12 and name not in words:
            made[name] = None
        if len(made) == count:
            break
    return list(made)


def texts(folder):
    return {path.with_suffix(".wav"): path.read_text() for path in sorted(folder.glob("*.txt"))}


def prompt_of(terms):
    words = []
    for term in terms:
        if sum(len(word) + 2 for word in words) + len(term) > LONGEST_PROMPT:
            break
        words.append(term.capitalize())
    return words


def transcribe(auris, model, recordings, prompt):
    with tempfile.TemporaryDirectory() as folder:
        words = [auris, "transcribe", "--quiet", "--model", model, "--language", "en", "--output", folder]
        words += ["--prompt", ", ".join(prompt)] if prompt else []
        subprocess.run([*words, *map(str, recordings)], check=True)
        return {path: (pathlib.Path(folder) / path.with_suffix(".txt").name).read_text() for path in recordings}


def scores(references, found, spoken, terms):
    errors = words = said = right = wrong = 0
    for path, reference in references.items():
        expected, written = plain_words(reference), plain_words(found[path])
        errors += word_errors(expected, written)
        words += len(expected)
        expected, written = collections.Counter(expected), collections.Counter(written)
        for name in set(names(reference)) & spoken:
            said += expected[name]
            right += min(expected[name], written[name])
        wrong += sum(max(0, written[term] - expected[term]) for term in terms)
    return {"word_error_percent": 100 * errors / words, "names_said": said, "names_found": right, "not_said": wrong}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("auris")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("other", type=pathlib.Path)
    parser.add_argument("--models", default="moonshine-base-en,whisper-base")
    parser.add_argument("--invented", type=int, help="invented names (default: as many as names that are said)")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    references = texts(options.folder)
    spoken = prompt_of(dict.fromkeys(name for text in references.values() for name in names(text)))
    all_words = {word for text in references.values() for word in plain_words(text)}
    strangers = dict.fromkeys(name for text in texts(options.other).values() for name in names(text))
    strangers = prompt_of([name for name in strangers if name not in all_words][: len(spoken)])
    invented = prompt_of(invented_names(all_words, options.invented or len(spoken)))
    prompts = {"none": [], "names that occur": spoken, "names that do not occur": strangers, "invented names": invented}
    lower = {label: {term.lower() for term in terms} for label, terms in prompts.items()}
    report = {}
    print("| model | prompt | terms | word errors | names found | written, not said |")
    print("|---|---|--:|--:|--:|--:|")
    for model in options.models.split(","):
        for label, terms in prompts.items():
            found = transcribe(options.auris, model, list(references), terms)
            # Without a prompt, the names that occur are counted for comparison.
            counted = lower[label] or lower["names that occur"]
            score = scores(references, found, lower["names that occur"], counted)
            report.setdefault(model, {})[label] = {**score, "terms": terms}
            print(f"| {model} | {label} | {len(terms)} | {score['word_error_percent']:.2f} % "
                  f"| {score['names_found']} of {score['names_said']} | {score['not_said']} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
