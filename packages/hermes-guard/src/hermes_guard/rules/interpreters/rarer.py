"""Languages without a reader of their own: what their texts would do in a shell."""

import itertools
import re
from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.interpreters.rules import DELETE, EVAL, FAMILY, SPAWN
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

# What is not closed reaches to the end.
_TEXTS = re.compile(r'"((?:[^"\\]|\\.)*)(?:"|\\?\Z)|\'((?:[^\'\\]|\\.)*)(?:\'|\\?\Z)', re.DOTALL)
_SPAWNS = re.compile(
    r"\b(?:system|shell|execute|exec\w*|spawn\w*|popen|os:cmd|cmd|process|Runtime|ProcessBuilder|sh|proc|run-program|"
    r"run|syscmd|esyscmd|readProcess|callCommand)\b|\.!",
    re.IGNORECASE,
)
_DELETES = re.compile(
    r"\b(?:deleteDir|deleteRecursively|delete_tree|rm_rf|rm_r|rmdir|rmtree|del_dir_r|delete-directory|delete-tree|"
    r"removeDirectoryRecursive|deltree|confirm_recursive_rmdir|File\.rm_rf!?)\b"
)
_SHELL = re.compile(r"(?:/usr)?/?(?:bin/)?(?:ba|z|da|k)?sh\Z")
_M4 = re.compile(r"syscmd\(\s*`?([^)\']{0,400})")
_DC = re.compile(r"!\s*([^<>=!\n].*)")
#: The options that hold code, by program.
_EVALS: dict[str, tuple[str, ...]] = {
    "groovy": ("-e",),
    "elixir": ("-e", "--eval"),
    "erl": ("-eval",),
    "octave": ("--eval",),
    "matlab": ("-r", "-batch"),
    "gnuplot": ("-e",),
    "guile": ("-c",),
    "racket": ("-e", "--eval"),
    "sbcl": ("--eval",),
    "clojure": ("-e", "--eval"),
    "clj": ("-e", "--eval"),
    "bb": ("-e",),
    "scala": ("-e",),
    "ghc": ("-e",),
    "ocaml": ("-e",),
    "crystal": ("eval",),
    "kotlin": ("-e",),
    "janet": ("-e",),
    "swift": ("-e",),
    "nim": ("--eval:",),
    "clisp": ("-x",),
    "ecl": ("-eval", "--eval"),
    "csi": ("-e",),
    "gst": ("-e",),
    "swipl": ("-g", "-t"),
    "maxima": ("--batch-string=",),
    "gp": (),
    "m4": (),
    "dc": ("-e",),
    "jshell": (),
    "scheme": (),
    "elvish": ("-c",),
    "nu": ("-c",),
    "octave-cli": ("--eval",),
    "newlisp": ("-e",),
    "picolisp": (),
    "luau": (),
    "wolframscript": ("-code", "-c"),
    "qmk": (),
}


@FAMILY.judges(*_EVALS)
def rarer(command: Command, context: Context) -> Iterator[Finding]:
    """Code of rarer languages: what its texts would do in a shell, when it starts programs at all."""
    for code in _codes(command):
        if command.program in {"nu", "elvish"}:
            # Their commands look like those of a shell.
            yield from _shell_code(code, command, context)
        elif command.program == "dc":
            for found in _DC.findall(code):
                yield from _shell_code(found, command, context)
        else:
            yield from _code(code, command, context)


def _codes(command: Command) -> list[str]:
    words = command.args
    options = _EVALS[command.program or ""]
    codes = [after.raw for word, after in itertools.pairwise(words) if word.raw in options]
    codes += [
        word.raw[len(option) :]
        for word in words
        for option in options
        if option[-1:] in "=:" and word.raw.startswith(option)
    ]
    if codes or command.stdin is None or not command.stdin.text:
        return codes
    return [command.stdin.text] if all(word.raw.startswith("-") for word in words) else []


def _code(code: str, command: Command, context: Context) -> Iterator[Finding]:
    if code.lstrip().startswith(HOLE):
        yield EVAL.found(command, path="its text is made while the command runs")
    if _DELETES.search(code):
        yield DELETE.found(command, path=code[:80])
    if not _SPAWNS.search(code):
        return
    texts = [left or right for left, right in _TEXTS.findall(code)]
    if command.program == "m4":
        texts += _M4.findall(code)
    for text in dict.fromkeys((*texts, " ".join(texts))):
        if len(text) > 1:
            yield from _shell_code(text, command, context)
    if any(_SHELL.match(text) for text in texts):
        yield SPAWN.found(command, path=code[:80])


def _shell_code(code: str, command: Command, context: Context) -> list[Finding]:
    return context.judge_code(code.replace(HOLE, "$unknown"), command)
