"""Shortens the long quotations in a text, so that its effect on the shell can be read however long it is."""

from hermes_guard import lazy_re as re
from hermes_guard.long_text import MAX_SKIPS, SIGN, SKIP
from hermes_guard.shell.word import HOLE

#: The minimum length of quotations and words that are replaced, and the maximum length of the text.
_LONG, _MAX_SHORTENED = 256, 1_000_000
_LONG_WORD = re.compile(rf"[A-Za-z0-9+/=_.,:%@-]{{{_LONG},}}")
_RUNS = re.compile(r"`|\$[(\[]|\$\{[^}]{0,200}[=!@\[]")


def abridge(text: str) -> str:
    """Replace long quotations, here-documents and words with holes; return the text unchanged if it cannot be read."""
    if len(text) > _MAX_SHORTENED:
        return text
    pieces: list[str] = []
    at = 0
    for _ in range(MAX_SKIPS):
        start = SIGN.search(text, at)
        pieces.append(_without_long_words(text[at : start.start() if start else len(text)]))
        if start is None:
            return "".join(pieces)
        found = SKIP.match(text, start.start())
        whole = start.group() if found is None else found.group()
        at = start.start() + len(whole)
        if whole in {"'", '"'}:
            return text
        if found is not None and found.group(1):
            end = re.compile(rf"\n\t*{found.group(1)}(?=\n|\Z)").search(text, at)
            if end is None:
                return text
            line = text.find("\n", at)
            pieces.append(whole + _without_long_words(text[at : line + 1]))
            quoted = whole[-1] in {"'", '"'}
            pieces.append(_hollow(text[line + 1 : end.start()], expands=not quoted) + end.group())
            at = end.end()
        else:
            sign = whole[0]
            pieces.append(sign + _hollow(whole[1:-1], expands=sign == '"') + sign if sign in {"'", '"'} else whole)
    return text


def _hollow(text: str, *, expands: bool) -> str:
    """Return a hole for a long text, if expanding it runs and assigns nothing."""
    return HOLE if len(text) > _LONG and not (expands and _RUNS.search(text)) else text


def _without_long_words(text: str) -> str:
    return _LONG_WORD.sub(lambda found: found.group()[:32] + HOLE, text)
