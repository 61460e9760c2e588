"""The nearest known word to one that is not known."""

from collections.abc import Iterable


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word of `words` most like `word`, or None where nothing is like it.

    Case and `_` against `-` do not count; ties go to the word that sorts first, so the answer
    depends on no order of a set.
    """
    from difflib import SequenceMatcher  # only a fault pays for it

    wanted = _folded(word)
    best: tuple[float, str] | None = None
    for candidate in sorted(words):
        ratio = SequenceMatcher(None, wanted, _folded(candidate), autojunk=False).ratio()
        if ratio >= 0.6 and (best is None or ratio > best[0]):
            best = (ratio, candidate)
    return None if best is None else best[1]


def _folded(word: str) -> str:
    return word[:200].lower().replace("_", "-")
