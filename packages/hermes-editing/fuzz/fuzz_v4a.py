"""Fuzzes V4A patches with atheris: no text may raise anything but a refusal, take long, or do what it does not say.

    python packages/hermes-editing/fuzz/fuzz_v4a.py -max_total_time=300

atheris is not among the test requirements: it has no wheels for every Python. Where it finds something, the text is
written to a file beside the program, and belongs into the tests.
"""

import sys
import time

import atheris

with atheris.instrument_imports(include=["hermes_editing"]):
    from hermes_editing.v4a import Patch, PatchError, parse, plan

_SECONDS = 5.0
"""An answer takes milliseconds; instrumented and on a busy machine, many times that."""

_FILES = {
    "a": "class A:\n    def run(self):\n        return 1\n\nclass B:\n    def run(self):\n        return 1\n",
    "b": "x\ny\nx\ny\n\n\nend",
    "c": "",
    "d": "say(“hi”)\n\tif x:\n\t\tpass\n" + "z\n" * 50,
}

_PIECES = [
    "*** Begin Patch\n", "*** End Patch\n", "*** Update File: a\n", "*** Update File: b\n", "*** Update File: c\n",
    "*** Update File: d\n", "*** Add File: e\n", "*** Delete File: b\n", "*** Move File: a -> f\n", "*** Move to: g\n",
    "*** End of File\n", "@@\n", "@@ class B: @@\n", "@@ def run\n", "@@ x\n", "*** ", "***", "Update File:", " -> ",
    "..", " class A:\n", "     def run(self):\n", "-        return 1\n", "+        return 2\n", "-    return 1\n",
    " x\n", "-x\n", "-y\n", "+y\n", "+x\n", " \n", "\n", "-end\n", " end\n", '-say("hi")\n', "+new\n", " z\n", "-z\n",
    "x\n", "\\ No newline\n", "```\n", "\r\n", "\x00", "\\n", " ", "-", "+", "@@", "\ud800", "\u2028",
    "apply_patch <<EOF\n", "EOF\n", "*** Update File: f\n",
]  # fmt: skip


def text_of(data: bytes) -> str:
    """A text: as the bytes have it, or made of pieces that they choose."""
    if not data:
        return ""
    if data[0] < 64:
        return data[1:].decode("utf-8", "surrogateescape")
    return "".join(_PIECES[byte] if byte < len(_PIECES) else chr(byte) for byte in data[1:])


def check(patch: Patch, asked: list[str]) -> None:
    """A patch touches what the guard is told, and nothing else."""
    told = {each.path for each in patch.paths()}
    assert set(asked) <= told, (asked, told)
    assert all(".." not in path.split("/") and "\x00" not in path for path in told), told


def test_one(data: bytes) -> None:
    """Read a patch and try it on some files."""
    text, asked = text_of(data), []

    def look(path: str) -> str | None:
        asked.append(path)
        return _FILES.get(path)

    started = time.process_time()
    try:
        patch = parse(text)
        outcomes = plan(patch, look)
    except PatchError as error:
        line = error.line
    else:
        line = 0
        check(patch, asked)
        written = {each.path for each in patch.paths() if each.how != "read"}
        assert all(each.before == each.after or each.path in written for each in outcomes), text
    assert 0 <= line <= text.count("\n") + 1, text
    assert time.process_time() - started < _SECONDS, text


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one)
    atheris.Fuzz()
