"""Plain words and their errors, as the tests of the engines count them. `auris evaluate` counts everything else."""


def plain_words(text):
    """Lower case, without punctuation."""
    return "".join(letter if letter.isalnum() or letter == "'" else " " for letter in text.lower()).split()


def word_errors(reference, words):
    """The number of inserted, deleted and substituted words, of two lists of words."""
    row = list(range(len(words) + 1))
    for nth, expected in enumerate(reference):
        diagonal, row[0] = row[0], nth + 1
        for at, found in enumerate(words):
            diagonal, row[at + 1] = row[at + 1], min(diagonal + (expected != found), row[at] + 1, row[at + 1] + 1)
    return row[len(words)]
