"""Texts that the grammar cannot read, or that are too long, are still refused where others are."""

import time

import pytest

from hermes_guard import judge
from hermes_guard.explanation import explain
from hermes_guard.guard import MAX_LENGTH, Guard
from hermes_guard.shell.reader import read


def severity(text: str) -> str:
    return judge(text, home="/home/dev", cwd="/home/dev/shop").severity


#: What bash reads. `@` stands for a command.
FORMS = (
    "for((;;)){ @; }",
    "for ((i=0;i<3;i++)){ @; }",
    "for((i=0;i<3;i++)) { @; }",
    "for((;;));do @;done",
    "for ((;;)) do @; done",
    "for i in a; { @; }",
    "for i in a b\n{ @; }",
    "for i; { @; }",
    "for i do @; done",
    "select i in a; { @; }",
    "for i in a; { for j in b; { @; }; }",
    "function é { @; }; é",
    "function f for i in a; do @; done; f",
    "function f() for i in a; do @; done; f",
    "f() for i in a; do @; done; f",
    "f() for((;;)){ @; }; f",
    "f() while true; do @; done; f",
    "f() until false; do @; done; f",
    "f() if true; then @; fi; f",
    "f() case a in a) @;; esac; f",
    "f() select i in a; do @; done; f",
    "f() [[ -f a ]]; @",
    "coproc N while true; do @; done",
    "time -p -- @",
    "! ! @",
    "if ! { @; }; then ls; fi",
    "!(@)",
    "if true; then { @; } fi",
    "if true; then ( @ ) else ls; fi",
    "while true; do ( @ ) done",
    "for i in a; do { @; } done",
    "if true; then if true; then @; fi fi",
    "if (true) then @; fi",
    "((true); (@))",
    'cat <<"a\\"b"\nx\na"b\n@',
    "case a in a) ls;;& b) @;; esac\nls -l",
    "case a in (a) ls;; esac\n@",
    "{ { { @; } } }",
    "[[ a =~ (x|y) ]] && @",
    "cat <<< a; @",
    "ls |& cat; @",
    "ls &>> /tmp/x; @",
    "exec {fd}>/tmp/x; @",
    "cat <<'E'\na ( b\nE\n@",
    "ls\nls -l &&\n@\nls",
    "ls\nls -l |\n@\nls",
    "f() {\nls\n@\n}\nls\nf\nls",
    # Words of fish and zsh in the place of a command.
    "true; and @",
    "false; or @",
    "not @",
    "repeat 3 @",
)


@pytest.mark.parametrize("form", FORMS)
def test_what_bash_reads_is_read(form: str) -> None:
    assert severity(form.replace("@", "ls")) == "allow"
    assert severity(form.replace("@", "rm -rf /")) == "refuse"


#: What bash does not read, or another shell only.
BROKEN = (
    "&& @",
    "; @",
    "ls) ; @",
    "echo a(b); @",
    "f( ; @",
    "(ls; @",
    "if true; then @",
    "[[(a)]] ; @",
    "cat =(@)",
    "diff =(ls) =(ls a); @",
    "foreach i (a b); @; end",
    "for i (a b) { @ }",
    "for i { @; }",
    "if [[ a ]] { @ }",
    "while true { @ }",
    "{ @ } always { ls }",
    "for x in a b; @; end",
    "for x in a b\n  @\nend",
    "if test a\n ls\nelse\n  @\nend",
    "function f\n  @\nend\nf",
    "switch a; case b; @; end",
    "set x (@)",
    "echo (@)",
    "ls a(b)\n@ | cat",
    "bash -c 'for x in a; @; end'",
    "x=1; ls a(b); sudo @",
)


@pytest.mark.parametrize("form", BROKEN)
def test_what_is_refused_is_refused_in_a_text_that_nobody_reads(form: str) -> None:
    assert severity(form.replace("@", "ls")) == "ask"
    assert severity(form.replace("@", "rm -rf /")) == "refuse"
    assert severity(form.replace("@", "r\\m -rf /")) == "refuse"


def test_a_here_document_goes_with_its_piece() -> None:
    assert severity("ls a(b)\nbash <<E\nrm -rf /\nE\nls") == "refuse"
    assert severity("ls a(b)\ncat > x <<E\nrm -rf /\nE\nls") == "ask"


@pytest.mark.parametrize(
    "text",
    [
        "ls a(b); echo 'rm -rf /'",
        'ls a(b); echo "x; rm -rf /; y"',
        "ls a(b) # ; rm -rf /",
        "ls a(b)\ncat > x <<'E'\nrm -rf /\nreboot\nE",
        "ls a(b)\ncat > x <<'E'\nrm -rf /\nreboot",
        "echo 'a\nrm -rf /",
        'echo "a\nrm -rf /',
        "git log --grep=fix(reboot)",
        "git commit -m fix (reboot) now",
        "ls a(b); rm -rf *",
        "ls a(b); echo rm -rf /; grep -r reboot .",
        "docker run c sh -c 'ls a(b); rm -rf /'",
    ],
)
def test_data_in_a_text_that_nobody_reads_stays_data(text: str) -> None:
    assert severity(text) == "ask"


def test_a_piece_counts_once_and_is_no_step() -> None:
    verdict = judge("(ls; rm -rf /", home="/home/dev")
    assert [finding.rule for finding in verdict.findings].count("hardline.wipe") == 1
    (step,) = explain(Guard(), "ls a(b); rm -rf src").steps
    assert step.argv[0] == "ls"


DEEDS = (
    "rm -rf /",
    "sudo rm -rf --no-preserve-root /",
    "rm -rf ~",
    "rm -fr /*",
    "mkfs.ext4 /dev/sda1",
    "dd if=/dev/zero of=/dev/sda bs=1M",
    "echo x > /dev/sda",
    "wipefs -a /dev/sda",
    "reboot",
    "sudo shutdown -h now",
    "systemctl poweroff -i",
    "kill -9 -1",
)
_LINES = [f"echo line {number} 'quoted text' && cp a{number} b{number}; rm -f c{number}" for number in range(1_600)]


@pytest.mark.parametrize("operation", DEEDS)
@pytest.mark.parametrize("length", [700, 1_600])
def test_what_is_refused_is_refused_amid_a_text_that_is_too_long(operation: str, length: int) -> None:
    lines = _LINES[:length]
    lines.insert(length // 2, operation)
    assert severity("\n".join(lines)) == "refuse"


@pytest.mark.parametrize("operation", DEEDS)
@pytest.mark.parametrize("length", [20, 150, 400])
def test_what_is_refused_is_refused_amid_a_long_text_that_nobody_reads(operation: str, length: int) -> None:
    lines = ["ls a(b)", *_LINES[:length]]
    lines.insert(length // 2, operation)
    assert severity("\n".join(lines)) == "refuse"


@pytest.mark.parametrize(
    "data",
    [
        "echo 'rm -rf /'",
        "# rm -rf /",
        "ls # ; reboot",
        "cat > x <<'E'\nrm -rf /\nreboot\nE",
        "git commit -m 'x\nreboot\n'",
        "echo rm -rf /",
        "man reboot",
        "rm -rf /tmp/x",
        "echo x > /dev/null",
        "dd if=a of=/dev/null",
        "kill -9 1234",
    ],
)
def test_data_amid_a_text_that_is_too_long_stays_data(data: str) -> None:
    lines = [*_LINES]
    lines.insert(800, data)
    text = "\n".join(lines)
    assert len(text) > MAX_LENGTH
    assert severity(text) == "ask"


#: Plain lines need no grammar; what stands around them must not change what they are.
AROUND = {
    "a b\nc d": ["a b", "c d"],
    "a\nif b; then\nc\nd\nfi\ne\nf": ["a", "b", "c", "d", "e", "f"],
    "a\ncase x in\ny) b ;;\nesac\nc\nd": ["a", "b", "c", "d"],
    "a\ncat <<E\nb\nc\nE\nd\ne": ["a", "cat", "d", "e"],
    "x=(\na\nb\n)\nc": ["c"],
    "a 'b\nc\nd'\ne": ["a b\nc\nd", "e"],
    "a \\\nb\nc": ["a b", "c"],
    "a\ntrue &&\nb\nc": ["a", "true", "b", "c"],
    "x=rm\n$x y\nz": ["rm y", "z"],
    "f() {\na\n}\nf\nb": ["f", "a", "b"],
    "alias a='b c'\na\nd": ["alias a=b c", "a", "b c", "d"],
    "a # b\nc\n\n\n  d\t": ["a", "c", "d"],
}


@pytest.mark.parametrize(("text", "expected"), AROUND.items())
def test_plain_lines_are_commands_where_they_stand(text: str, expected: list[str]) -> None:
    commands = [command for command in read(text).commands if command.called and not command.guessed]
    assert [" ".join(command.texts) for command in commands if command.argv] == expected


def test_a_plain_line_has_its_place() -> None:
    text = "ls\nif a; then\nb\nfi\n  rm -rf src\nls"
    (finding,) = judge(text, home="/home/dev").findings
    assert finding.span
    assert text[slice(*finding.span)] == "rm -rf src"


def test_a_long_script_of_plain_lines_is_judged_as_a_whole() -> None:
    text = "\n".join(f"mkdir -p build/m{number}\ncp src/a{number}.py build/" for number in range(80))
    judge(text, home="/home/dev")
    started = time.process_time()
    assert judge(text, home="/home/dev").severity == "allow"
    assert time.process_time() - started < 0.1
