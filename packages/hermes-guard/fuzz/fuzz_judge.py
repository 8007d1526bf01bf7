"""Fuzzes the guard with atheris: no text may raise, hang, or make the guard fail.

    python packages/hermes-guard/fuzz/fuzz_judge.py -max_total_time=120

atheris is not among the test requirements: it has no wheels for every Python. Where it finds something, the text is
written to a file beside the program, and belongs into the tests.
"""

import sys
import time

import atheris

with atheris.instrument_imports(include=["hermes_guard"]):
    import hermes_guard.explanation
    from hermes_guard import Guard, judge, judge_path

    judge("rules and the grammar are loaded | at the first judgement")

_SECONDS = 2.0
"""An answer takes milliseconds; instrumented and on a busy machine, a hundred times that."""

_PIECES = [
    "$(", ")", "'", '"', "`", "((", "))", "{", "}", "a,b", "<<E\n", "\nE\n", "|", "&", ";", "${", "rm -rf /", " ", "\\",
    "$'", "[[ ", " ]]", "case a in ", "esac", "if a;then ", "fi", "for i in a;do ", "done", "<(", ">", "=", "=(", "#",
    "~", "*", "\x00", "\x1b[", "ｒ", "f(){ ", "sudo ", "sh -c ", "eval ", "find . -exec ", "xargs ", "$@", "${x//a/b}",
    "$((1+", "\n", "python3 -c ", "perl -e ", "awk ", "docker run -v /:/h x ", "ssh h ", "git -C d ", "base64 -d",
    "/dev/sda", "cd ", "alias a=", "export X=", "kubectl exec p -- ", "psql -c ", "tee ", "curl ", "mkfs ", "env -S ",
    "printf %s ",
]  # fmt: skip
_GUARD = Guard()


def text_of(data: bytes) -> str:
    """A text: as the bytes have it, or made of pieces that they choose."""
    if not data:
        return ""
    if data[0] < 96:
        return data[1:].decode("utf-8", "surrogateescape")
    return "".join(_PIECES[byte] if byte < len(_PIECES) else chr(byte) for byte in data[1:])


def test_one(data: bytes) -> None:
    """Judge one text in every way there is."""
    text = text_of(data)
    started = time.process_time()
    verdict = judge(text, cwd="/home/dev/shop", home="/home/dev")
    for op in ("read", "write"):
        judge_path(op, text, workspace="/home/dev/shop", home="/home/dev")  # type: ignore[arg-type]
    if len(text) < 512:
        hermes_guard.explanation.explain(_GUARD, text, home="/home/dev").as_dict()
    assert "guard.failed" not in verdict.rules, text
    assert time.process_time() - started < _SECONDS, text


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one)
    atheris.Fuzz()
