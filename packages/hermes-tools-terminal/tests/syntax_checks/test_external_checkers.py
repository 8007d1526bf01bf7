"""What programs say of texts in other languages: real ones where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache

import pytest

from hermes_tools_terminal.syntax_checks.external_checkers import SECONDS
from hermes_tools_terminal.syntax_checks.problem import Problem

from .conftest import check


def run(argv: Sequence[str], text: str) -> tuple[int, str]:
    """Run a program here."""
    try:
        done = subprocess.run(
            argv, input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    return done.returncode, done.stdout


def installed(cases: Sequence[tuple[str, str, str, *tuple[object, ...]]]) -> list[tuple[object, ...]]:
    """The cases whose programs are here and work: bash always does. What the others say stands recorded below."""
    return [case for case in cases if _works(case[2])]


@cache
def _works(program: str) -> bool:
    """Whether a program is more than a name: rustup's programs need a toolchain in the user's home."""
    if shutil.which(program) is None:
        return False
    asked = subprocess.run([program, "--version"], capture_output=True, timeout=SECONDS, check=False)
    return asked.returncode == 0 or program == "gofmt"  # which has no such option


@pytest.mark.parametrize(
    ("name", "text", "program"),
    installed(
        [
            ("a.js", "const a = require('b');\n", "node"),
            ("a.js", "import a from 'b';\nexport const c = await a();\n", "node"),
            ("a.mjs", "export default 1;\n", "node"),
            ("a.cjs", "module.exports = 1;\n", "node"),
            ("a.rs", "mod other;\nfn main() { let x = 1; }\n", "rustfmt"),
            ("a.sh", "#!/bin/sh\nif true; then echo x; fi\n", "bash"),
            ("a.sh", "a=(1 2)\n[[ $a == 1 ]] && exit 1\n", "bash"),
            ("a.go", "package a\n", "gofmt"),
            ("a.rb", "puts 1\n", "ruby"),
            ("a.php", "<?php echo 1;\n", "php"),
        ]
    ),
)
def test_what_is_right_is_found_right_and_never_run(name: str, text: str, program: str) -> None:
    assert check(name, text, run) == []


@pytest.mark.parametrize(
    ("name", "text", "program", "line", "message"),
    installed(
        [
            ("a.js", "const a = 1;\nconst b = ;\n", "node", 2, "SyntaxError: Unexpected token ';'"),
            ("a.js", "import a from 'b';\nconst c = ;\n", "node", 2, "SyntaxError: Unexpected token ';'"),
            ("a.rs", "fn main() {\n    let x = ;\n}\n", "rustfmt", 2, "expected expression, found `;`"),
            ("a.sh", "echo a\nfi\n", "bash", 2, "syntax error near unexpected token `fi'"),
            ("a.go", "package a\nfunc f( {\n", "gofmt", 2, "expected"),
            ("a.rb", "x = 1\ndef f(\n", "ruby", 2, ""),
            ("a.php", "<?php\necho 1 2;\n", "php", 2, "syntax error"),
        ]
    ),
)
def test_what_is_wrong_is_found_with_its_line(name: str, text: str, program: str, line: int, message: str) -> None:
    problems = check(name, text, run)

    assert problems
    assert problems[0].line == line
    assert message in problems[0].message


@pytest.mark.parametrize(
    ("name", "status", "output", "problems"),
    [
        (
            "a.go",
            2,
            "<standard input>:3:9: expected ')', found '{'\n<standard input>:5:2: expected operand, found '}'\n",
            [Problem(3, 9, "expected ')', found '{'"), Problem(5, 2, "expected operand, found '}'")],
        ),
        (
            "a.php",
            255,
            "PHP Parse error:  syntax error, unexpected integer in Standard input code on line 2\n\n"
            "Errors parsing Standard input code\n",
            [Problem(2, 0, "Parse error:  syntax error, unexpected integer")],
        ),
        (
            "a.rb",
            1,
            "-:4: syntax error, unexpected end-of-input\n",
            [Problem(4, 0, "syntax error, unexpected end-of-input")],
        ),
        (
            "a.sh",
            2,
            "/bin/bash: line 3: syntax error: unexpected end of file\n",
            [Problem(3, 0, "syntax error: unexpected end of file")],
        ),
        ("a.js", 1, "node: error while loading shared libraries: libuv.so\n", None),
        ("a.js", 1, "[stdin]:1\nx = <div/>\n    ^\n\nSyntaxError: Unexpected token '<'\n", None),
        ("a.js", 127, "node: not found", None),
        ("a.js", 126, "node: Permission denied", None),
    ],
)
def test_what_they_say_is_understood(name: str, status: int, output: str, problems: list[Problem] | None) -> None:
    assert check(name, "text", lambda argv, text: (status, output)) == problems


def test_a_program_that_is_missing_or_slow_tells_nothing() -> None:
    def missing(argv: Sequence[str], text: str) -> tuple[int, str]:
        raise FileNotFoundError(argv[0])

    def slow(argv: Sequence[str], text: str) -> tuple[int, str]:
        raise TimeoutError

    assert check("a.go", "x", missing) is None
    assert check("a.go", "x", slow) is None


def test_a_script_for_any_shell_is_checked_by_the_one_that_is_there() -> None:
    asked = []

    def only_sh(argv: Sequence[str], text: str) -> tuple[int, str]:
        asked.append(argv[0])
        return (2, 'sh: 2: Syntax error: "fi" unexpected\n') if argv[0] == "sh" else (127, "")

    assert check("a.sh", "#!/bin/sh\nfi\n", only_sh) == [Problem(2, 0, 'Syntax error: "fi" unexpected')]
    assert asked == ["bash", "sh"]
    assert check("a.sh", "#!/usr/bin/env bash\nfi\n", only_sh) is None
    assert check("a.sh", "#!/usr/bin/env -S zsh -f\nfi\n", only_sh) is None
    assert asked == ["bash", "sh", "bash"]


def test_text_that_is_too_long_is_not_sent_around() -> None:
    assert check("a.go", "x" * 3_000_000, lambda argv, text: (0, "")) is None
