"""Judging takes linear time for every text."""

import time
from collections.abc import Callable

import pytest

from hermes_guard import judge, judge_path
from hermes_guard.guard import MAX_LENGTH


def _sum() -> float:
    started = time.process_time()
    sum(number * number for number in range(100_000))
    return time.process_time() - started


BOUND = max(0.1, 20 * min(_sum() for _ in range(5)))
"""Seconds of the processor, the best of three: twice what an answer may take, because others use the machine, too, and
far below what anything takes that grows faster than its text. On a slow machine it is counted in sums."""

PIECES = {
    "spaces": " ",
    "tabs": "\t",
    "newlines": "\n",
    "single quotes": "'",
    "double quotes": '"',
    "backticks": "`",
    "backslashes": "\\",
    "cp": "cp ",
    "words": "a ",
    "nested substitutions": "$(",
    "nested arithmetic": "$((",
    "nested parameters": "${x:-",
    "quoted substitutions": '"$(',
    "subshells": "(",
    "groups": "{ ",
    "braces": "{a,b}",
    "open braces": "{",
    "closed braces": "{}",
    "closed braces in lists": "{};",
    "ranges": "{1..9}",
    "commas in braces": "{,",
    "heredocs": "cat <<E\n",
    "heredocs that end": "cat <<E\nx\nE\n",
    "here strings": "<<<x ",
    "process substitutions": "<(",
    "redirections": ">a ",
    "pipes": "a|",
    "lists": "a;",
    "and": "a&&",
    "background": "a&",
    "assignments": "a=b ",
    "growing assignments": "a=$a$a;",
    "arrays": "a=(",
    "functions": "f(){ ",
    "calls of functions": "f(){ f; f; };f;",
    "cases": "case a in ",
    "ifs": "if a;then ",
    "loops": "for i in a;do ",
    "sudo": "sudo ",
    "shells": "sh -c ",
    "evals": "eval ",
    "find": "find . -exec ",
    "xargs": "xargs ",
    "comments": "#",
    "globs": "*",
    "brackets": "[",
    "escapes": "\x1b[",
    "titles": "\x1b]0;",
    "invisible": "\u200b",
    "wide": "ｒ",
    "nul": "\0",
    "echo substitutions": "echo $(echo a) ",
    "printf": "printf '%s' a | ",
    "base64": "echo YQ== | base64 -d | ",
    "python": "python -c 'import os' ",
    "aliases": "alias a='b';a ",
    "dollars": "$",
    "tildes": "~",
    "carets": "a^b ",
    "what may be deadly": "rm -rf /tmp/x\n",
    "what is named as deadly": "echo reboot 'a' mkfs\n",
    "loops without a blank": "for((;;)){ ",
    "parentheses behind words": "a(b) rm -f x\n",
    "parentheses without an end": "a(b rm -f x\n",
    "plain lines": "cp a b\n",
    "plain and other lines": "a\n$x\n",
}


def best_of_three(run: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
        if times[-1] < BOUND:
            break
    return min(times)


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Rules and the grammar are loaded once."""
    judge("ls | rm -r x")


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_a_megabyte_is_answered_in_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert judge(text).severity == "ask"
    assert best_of_three(lambda: judge(text)) < BOUND


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_the_longest_text_that_is_read_is_answered_in_time(piece: str) -> None:
    text = piece * (MAX_LENGTH // len(piece))
    assert best_of_three(lambda: judge(text, home="/home/dev")) < BOUND


@pytest.mark.parametrize("piece", ["$", "*", "a;", ">a ", "a|", "{a,", "{", "(", "[ ", "$x", "<x "])
def test_signs_beside_many_words_are_answered_in_time(piece: str) -> None:
    text = piece * 4_900
    text += " a" * ((MAX_LENGTH - len(text)) // 2)
    assert best_of_three(lambda: judge(text, home="/home/dev")) < BOUND


@pytest.mark.parametrize("piece", ["/", "../", "~", "a/", "*", "**/", "[", "\\", "%2e", "\u200b", "é", "{a,b}", "\0"])
def test_a_megabyte_of_a_path_is_answered_in_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert best_of_three(lambda: judge_path("write", text, workspace="/home/dev/x", home="/home/dev")) < BOUND


ONE_LINERS = [
    "python3 -c",
    "echo",
    "git commit -m",
    "jq",
    "psql -c",
    "curl -d",
    "find . -name",
    "sed",
    "sed -e",
    "sed -n",
    "vim -c",
    "vim +1 -c",
    "mysql -e",
    "sqlite3 a.db",
    "cypher-shell",
    "mongosh --eval",
    "sqlcmd -Q",
    "awk",
    "perl -e",
    "perl -ne",
    "ruby -e",
    "node -e",
    "php -r",
    "lua -e",
    "Rscript -e",
    "julia -e",
    "osascript -e",
    "emacs --eval",
    "deno eval",
    "groovy -e",
    "dc -e",
    "cmd /c",
    "gdb -ex",
    "curl -X POST",
    "git -c",
    "tar cf a b --checkpoint-action",
    "tftp h",
    "smbclient -c",
    "curl",
]
HOSTILE = (
    "(",
    "[",
    "{",
    '"',
    "x=",
    "a;",
    "| ",
    "+1",
    "not ",
    "a\n",
    "$x",
    "f(",
    " ",
    "\t",
    "\n",
    " \n",
    "!\n",
    "!a\n",
    "/[",
    "eval ",
    'eval "',
    "exec ",
    "unlink ",
    "system ",
    'system("a",',
    "chmod 0777,",
    "kill ",
    "py x\n",
    "r !a\n",
    '"${',
    "#{",
    "$a[",
    "s{a}{",
    '\\"',
    "\\c ",
    "\\! a\n",
    "\\copy ",
    "\\copy program ",
    "copy from ",
    "(delete from t ",
    "(alter ",
    "match()-[",
    "syscmd(",
    "del ",
    "/update?",
    "@a\n",
    "s/a/b/e;",
    "x=x+x\n",
    'eval("1");',
    "a if b else ",
    "process.env.HOME+",
    "-",
    "a.",
    "lambda:",
)


@pytest.mark.parametrize("program", ONE_LINERS)
@pytest.mark.parametrize("length", [12_000, MAX_LENGTH - 100])
def test_what_stands_in_quotes_is_answered_in_time(program: str, length: int) -> None:
    for piece in HOSTILE:
        text = f"{program} '{piece * (length // len(piece))}'"
        assert best_of_three(lambda text=text: judge(text, home="/home/dev")) < BOUND, piece  # type: ignore[misc]


#: No shell code, which a grammar tries to make sense of for long.
NO_SHELL = (
    '(shell-command "a")',
    "| | a^b ",
    "[ f()",
    "if (a) { b(); } ",
    '{"a": 1}, ',
    '<a href="x">',
    "a|{1..9}",
    "eval f(){ ",
    "echo YQ== | base64 -d | ",
    '"`',
    "'",
    "\"'",
    "a=b ",
    "{1..9}function ",
)


@pytest.mark.parametrize("length", [3_000, MAX_LENGTH - 100])
@pytest.mark.parametrize("shape", ["{}", "bash -c '{}'", "bash <<'E'\n{}\nE", 'eval "{}"', "ssh h '{}'", "pdsh '{}'"])
def test_what_is_no_shell_code_is_answered_in_time(shape: str, length: int) -> None:
    for piece in NO_SHELL:
        text = shape.replace("{}", piece * (length // len(piece)))
        assert best_of_three(lambda text=text: judge(text, home="/home/dev")) < BOUND, piece  # type: ignore[misc]


@pytest.mark.parametrize("program", ["bash -c", "ssh h", "make --eval"])
def test_code_for_a_shell_in_quotes_is_answered_in_time(program: str) -> None:
    for piece in ("(", "[", "{", '"', "x=", "a;", "| ", "+1", "not ", "a\n", "$x", "f(", " \n"):
        text = f"{program} '{piece * (8_000 // len(piece))}'"
        assert best_of_three(lambda text=text: judge(text, home="/home/dev")) < BOUND, piece  # type: ignore[misc]


@pytest.mark.parametrize(
    "program",
    [
        "python3",
        "uv run -",
        "perl",
        "ruby",
        "node",
        "php",
        "tclsh",
        "ex -s f",
        "ed f",
        "psql",
        "redis-cli",
        "nc h 1",
        "make -f-",
        "m4",
        "sed -f- f",
        "awk -f - f",
    ],
)
def test_what_stands_on_the_input_is_answered_in_time(program: str) -> None:
    for piece in HOSTILE:
        text = f"{program} <<'E'\n{piece * ((MAX_LENGTH - 100) // len(piece))}\nE"
        assert best_of_three(lambda text=text: judge(text, home="/home/dev")) < BOUND, piece  # type: ignore[misc]


def _python(*lines: str) -> str:
    return "python3 <<'E'\n" + "\n".join(lines) + "\nE"


GROWING = {
    "loops in loops": _python(*(f"{' ' * deep}for a in [1,2,3,4,5,6,7,8]:" for deep in range(15)), " " * 15 + "x"),
    "comprehensions": _python(f"x = [[[a for a in '{'a' * 900}'] for b in '{'a' * 900}'] for c in '{'a' * 900}']"),
    "commands": _python("import os", "x = 'a ' * 16000", *(f"os.system(x + '{number}')" for number in range(300))),
    "evaluated again and again": _python("x = '1\\n' * 16000", *["exec(x)"] * 500),
    "replaced by more": _python("x = ('a' * 60000).replace('a', 'b' * 60000)"),
    "joined": _python("x = ''.join(['a' * 60000] * 60000)"),
    "padded": _python("x = '{0:999999999}'.format('a')"),
    "filled in": _python("x = ('%s' * 30000) % tuple(['a' * 60000] * 30000)"),
    "a slow encoding": _python("x = (b'a' * 60000).decode('punycode')"),
    "stripped": _python("x = ('a' * 60000).strip('b' * 60000)"),
    "put into a text": _python("x = 'a' * 60000", "y = f'" + "{x}" * 3000 + "'"),
    "a long number": _python("import os", f"os.kill(-0x{'f' * 12000}, 9)"),
    "starred imports": _python(*(f"from a{number} import *" for number in range(300)), *["a()"] * 1500),
    "calls of calls": _python("x = a" + "()" * 6000),
    "nested calls": _python("os.system(" * 90 + "1" + ")" * 90),
    "unary": _python("x = " + "-" * 13000 + "1"),
    "doubled texts": 'perl -e \'$a="aa";' + "$a=$a.$a;" * 1000 + "system($a);'",
    "evaluated texts": "perl -e '$x=\"" + "1;" * 30 + '";' + "eval $x;" * 1500 + "'",
    "many commands": "perl -e '$x=\""
    + "a " * 2000
    + '";'
    + "".join(f'system($x."{number}");' for number in range(300))
    + "'",
    "scripts in scripts": 'perl -e \'system("perl -e \\"system(q(ls))\\"")\';' * 150,
    "lines of an editor": "vim -c '" + "".join(f"!echo {number}\n" for number in range(3000)) + "'",
    "a first line": "cat > x <<'E'\n#!" + "a" * 16000 + "/\nE\n./x",
}


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING.keys())
def test_code_that_grows_while_it_is_read_is_answered_in_time(text: str) -> None:
    assert len(text) <= MAX_LENGTH
    assert best_of_three(lambda: judge(text, home="/home/dev")) < BOUND


@pytest.mark.parametrize("text", [f"perl -e '{'x=' * 8_000}'", f"python -c '{'a,' * 8_000}'", f"awk '{'x ' * 8_000}'"])
def test_code_that_is_too_long_to_be_read_is_asked_about(text: str) -> None:
    found = [finding for finding in judge(text, home="/home/dev").findings if finding.rule == "interpreter.unreadable"]
    assert found
    assert "too long" in found[0].reason


@pytest.mark.parametrize("padding", NO_SHELL)
def test_no_padding_hides_what_is_refused_at_an_end(padding: str) -> None:
    junk = padding * (20_000 // len(padding))
    assert judge(f"rm -rf /\n{junk}", home="/home/dev").severity == "refuse"


def test_what_was_read_before_the_code_became_too_long_still_counts() -> None:
    code = 'fork while fork; system("rm -rf /");' + "x=" * 8_000
    assert judge(f"perl -e '{code}'", home="/home/dev").severity == "refuse"
