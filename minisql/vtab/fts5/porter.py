"""The Porter stemmer, as FTS5 applies it to the tokens of another tokenizer: English words lose their suffixes.

A word is seen as [C](VC){m}[V], runs of consonants and vowels; its measure m decides which suffixes may go.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980; https://www.sqlite.org/fts5.html section 4.3.3.
"""

from __future__ import annotations

from functools import lru_cache

_VOWELS = frozenset("aeiou")
_LONGEST = 64

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti", "ous",
    "ive", "ize",
)  # fmt: skip


@lru_cache(20000)
def stem(word: str) -> str:
    """The stem of a folded word; words of fewer than three or more than 64 bytes stay as they are."""
    if not word.isascii():
        # Bytes count: those beyond ASCII are consonants.
        stemmed = _stem(word.encode("utf-8", "surrogateescape").decode("latin-1"))
        return stemmed.encode("latin-1").decode("utf-8", "surrogateescape")
    return _stem(word)


def _stem(word: str) -> str:
    if len(word) < 3 or len(word) > _LONGEST:
        return word
    word = _step_1(word)
    word = _replaced(word, _STEP_2, 1)
    word = _replaced(word, _STEP_3, 1)
    word = _step_4(word)
    return _step_5(word)


def _is_consonant(word: str, place: int) -> bool:
    letter = word[place]
    if letter in _VOWELS:
        return False
    if letter != "y":
        return True
    return place == 0 or not _is_consonant(word, place - 1)


def _measure(word: str) -> int:
    """How many times a vowel run is followed by a consonant run."""
    count = 0
    was_vowel = False
    for place in range(len(word)):
        is_vowel = not _is_consonant(word, place)
        if was_vowel and not is_vowel:
            count += 1
        was_vowel = is_vowel
    return count


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, place) for place in range(len(word)))


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x and y at the end."""
    n = len(word)
    return (
        n >= 3
        and word[-1] not in "wxy"
        and _is_consonant(word, n - 1)
        and not _is_consonant(word, n - 2)
        and _is_consonant(word, n - 3)
    )


def _step_1(word: str) -> str:
    if word.endswith("s"):
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif not word.endswith("ss"):
            word = word[:-1]
    if word.endswith("eed") and len(word) > 3:
        if _measure(word[:-3]) > 0:
            word = word[:-1]
    elif (word.endswith("ed") and _has_vowel(word[:-2])) or (word.endswith("ing") and _has_vowel(word[:-3])):
        word = _mended(word[:-2] if word.endswith("ed") else word[:-3])
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    return word


def _mended(word: str) -> str:
    """What is left of a word without -ed or -ing gets an e back, or loses a doubled letter."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) >= 2 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1):
        return word if word[-1] in "lsz" else word[:-1]
    if _measure(word) == 1 and _ends_short(word):
        return word + "e"
    return word


def _replaced(word: str, rules: tuple[tuple[str, str], ...], least: int) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if _measure(rest) >= least else word
    return word


def _step_4(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if suffix == "ion" and not rest.endswith(("s", "t")):
                return word
            return rest if _measure(rest) > 1 else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
