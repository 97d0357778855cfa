"""Words of a text, word errors, and where two texts differ from a reference."""
import difflib
import functools


def plain_words(text):
    """Lower case, without punctuation: as the tests of the engines count words."""
    return "".join(letter if letter.isalnum() or letter == "'" else " " for letter in text.lower()).split()


def normal_words(text, language):
    """Words in a common form, so that a spelling is not an error: `Mr. Smith's 2nd colour` and `mister smith is second color`."""
    return normalizer(language)(text).split()


@functools.cache
def normalizer(language):
    from whisper_normalizer.basic import BasicTextNormalizer
    from whisper_normalizer.english import EnglishTextNormalizer

    return EnglishTextNormalizer() if language == "en" else BasicTextNormalizer()


def word_errors(reference, words):
    """The number of inserted, deleted and substituted words, of two lists of words."""
    row = list(range(len(words) + 1))
    for nth, expected in enumerate(reference):
        diagonal, row[0] = row[0], nth + 1
        for at, found in enumerate(words):
            diagonal, row[at + 1] = row[at + 1], min(diagonal + (expected != found), row[at] + 1, row[at + 1] + 1)
    return row[len(words)]


def marked(reference, words):
    """The words, with what differs from the reference marked: `the [cat->hat] sat [+down] [-here]`."""
    parts = []
    for kind, begin, end, first, last in difflib.SequenceMatcher(a=reference, b=words, autojunk=False).get_opcodes():
        expected, found = " ".join(reference[begin:end]), " ".join(words[first:last])
        parts.append({"equal": found, "replace": f"[{expected}->{found}]", "delete": f"[-{expected}]", "insert": f"[+{found}]"}[kind])
    return " ".join(parts)
