"""A text without its long quotations: what it leaves in its shell can be read however long they are."""

from hermes_guard import lazy_re as re
from hermes_guard.parts import MAX_SKIPS, SIGN, SKIP
from hermes_guard.shell.word import HOLE

#: Quotations and words of which nothing is kept, and how much of a text is looked at.
_LONG, _MOST_SHORTENED = 256, 1_000_000
_LONG_WORD = re.compile(rf"[A-Za-z0-9+/=_.,:%@-]{{{_LONG},}}")
_RUNS = re.compile(r"[$`]")


def abridge(text: str) -> str:
    """A text with holes for its long quotations, here-documents and words; as it is when it cannot be read that way."""
    if len(text) > _MOST_SHORTENED:
        return text
    pieces: list[str] = []
    at = 0
    for _ in range(MAX_SKIPS):
        sign = SIGN.search(text, at)
        pieces.append(_without_long_words(text[at : sign.start() if sign else len(text)]))
        if sign is None:
            return "".join(pieces)
        found = SKIP.match(text, sign.start())
        whole = sign.group() if found is None else found.group()
        at = sign.start() + len(whole)
        if whole in {"'", '"'}:
            return text
        if found is not None and found.group(1):
            end = re.compile(rf"\n\t*{found.group(1)}(?=\n|\Z)").search(text, at)
            if end is None:
                return text
            line = text.find("\n", at)
            pieces.append(whole + _without_long_words(text[at : line + 1]))
            pieces.append(_hollow(text[line + 1 : end.start()]) + end.group())
            at = end.end()
        else:
            pieces.append(whole[0] + _hollow(whole[1:-1]) + whole[-1] if whole[:1] in {"'", '"'} else whole)
    return text


def _hollow(text: str) -> str:
    """A hole for a long text that runs nothing."""
    return HOLE if len(text) > _LONG and not _RUNS.search(text) else text


def _without_long_words(text: str) -> str:
    return _LONG_WORD.sub(lambda found: found.group()[:32] + HOLE, text)
