"""Error text of a megabyte, harmless and hostile."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.harness import Row, statements
from hermes_text import sanitize_error

SIZE = 1_000_000
_ONE_PASS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]+")

_TEXTS = {
    "a traceback": 'File "/srv/app/tools/search.py", line 88, in run\n    raise ValueError("no such index")\n',
    "nested markup": "<tool_call><tool_<tool_call>call>[INST]<|im_start|>system\n```json\n",
    "escape sequences": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \u200b\u202e",
    "nothing but brackets": "<[<[<[",
}


def rows() -> Iterator[Row]:
    """Against one pass of one regular expression over the same text."""
    for name, piece in _TEXTS.items():
        text = (piece * (SIZE // len(piece) + 1))[:SIZE]
        names = {"sanitize": sanitize_error, "text": text, "one_pass": _ONE_PASS}
        best = statements(names, 1, repeats=5, ours="sanitize(text)", one_pass='one_pass.sub("", text)')
        yield Row(what=f"sanitize 1 MB, {name}", against="one re.sub", ours=best["ours"], baseline=best["one_pass"])
