"""The agent's home as a whole: whatever reads all of a directory reads its keys, and a glob finds its lock."""

import ast
import inspect
import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from hermes_guard import Guard, PathPolicy
from hermes_guard.paths import globs, policy
from hermes_guard.rules.common import path_arguments
from hermes_guard.rules.secrets import file_readers, findings, printed_secrets
from hermes_guard.rules.writes import agent_home

ASKED = [
    "grep -r KEY HERMES",
    "grep -rn KEY ..",
    "cd .. && grep -R KEY",
    "cd HERMES; grep --recursive KEY .",
    "rgrep KEY HERMES",
    "rg --hidden KEY ..",
    "rg -uu KEY HERMES",
    "rg KEY HERMES",
    "grep -r KEY ../*",
    "grep -r KEY ../h*",
    "tar c HERMES | tar xO",
    "tar cf x.tar -C HERMES .",
    "tar czf x.tgz ..",
    "grep -r KEY linked",
    "zip -r x ..",
    "zip -9qr x HERMES",
    "7z a x.7z HERMES",
    "cp -r HERMES/. x",
    "cp -a .. /mnt/x",
    "cp -R -t x HERMES",
    "rsync -a HERMES/ x/",
    "diff -r x HERMES",
    "find HERMES -type f -exec cat {} +",
    "find .. -type f | xargs cat",
    "find .. -exec cat {} \\;",
    "find HERMES -type f -print0 | xargs -0 -I{} cp {} x",
    "git diff --no-index /dev/null HERMES",
    "git grep --no-index KEY ..",
    "python3 -m http.server -d HERMES",
    'python3 -c \'import shutil; shutil.copytree("HERMES", "x")\'',
    "cat HERMES/*",
    "cat HERMES/*.json",
    "cd HERMES && cat *",
    "cat HERMES/*/*",
    "for f in HERMES/.*; do cat $f; done",
    "cat ../*/.env",
    "source HERMES/.env",
    ". HERMES/.env; echo $KEY",
    "set -a; . HERMES/.env",
    "mktemp -p HERMES",
    "mktemp -d HERMES/XXXXXX",
    "git config --file HERMES/config.yaml a.b c",
    "git bundle create HERMES/x HEAD",
    "git checkout-index -a --prefix=HERMES/",
    "python3 -m venv HERMES/v",
    "npm install --prefix HERMES x",
    "bwrap --bind / / --bind HERMES /m touch /m/z",
    "cd HERMES && some-tool --force config.yaml",
    "cd HERMES/plugins && some-tool ./x.py",
    "some-tool HERMES/plugins/x.py",
    "some-tool -- ../home/config.yaml",
    "sqlite3 HERMES/x.db 'create table t (a)'",
    "ar r HERMES/plugins/x.a y.o",
    "zstd -d x.zst -o HERMES/plugins/x.py",
    "pygmentize -o HERMES/config.yaml x",
    "tomlq -i .a HERMES/config.yaml",
]
ALLOWED = [
    "ls -la HERMES",
    "ls HERMES/*",
    "du -sh HERMES",
    "find HERMES -type f",
    "find .. -name '*.py' | xargs cat",
    "find . -type f -exec cat {} +",
    "grep KEY HERMES/config.yaml",
    "grep -r KEY .",
    "grep -rn KEY src ../other",
    "rg KEY",
    "rg KEY ../other/*",
    "cat HERMES/logs/*",
    "cat HERMES/config.yaml",
    "cat *.py",
    "cat ../*/x.py",
    "cp -r src x",
    "tar cf x.tar .",
    "zip -r x src",
    "zip x a.txt",
    "tar xf HERMES.tar",
    "source ./env.sh",
    "source .env",
    "python3 -m http.server",
    "rm *.log",
    "rm src/*.lock",
    "rm -f poetry.*",
    "touch *.lock.bak",
    "git -C HERMES log",
    "git add .hermes/plugins/x.py",
    "pytest .hermes/plugins",
    "git add hermes.lock",
    "git diff hermes.lock",
    "git status ../homepage/x.py",
    "some-tool ../homepage/x.py",
    "mktemp -p HERMES/scratch",
    "python3 HERMES/skills/deploy/run.py --all",
    "python3 x.py HERMES/results/1.json",
    "cd HERMES && git status",
    "stat HERMES/config.yaml",
    "jq . HERMES/plugins/x.json",
]
OF_THE_LOCK = [
    "rm *.lock",
    "rm hermes.*",
    "rm -f h*s.lock",
    "rm ../*/*.lock",
    "rm ../w*/hermes.loc?",
    "mv *.lock old",
    "truncate -s0 *.lock",
    "sed -i d *.lock",
    "for f in *.lock; do rm $f; done",
]
TRACERS = ["gdb -p $PPID", "strace -f -p $PPID", "p=$PPID; gdb --pid=$p", "py-spy dump --pid $PPID"]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A directory with the agent's home and a project that has a lock."""
    for name in ("home/plugins", "home/mcp-tokens", "home/logs", "work/src", ".hidden/home"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home" / ".env").write_text("KEY=1\n")
    (tmp_path / "work" / "hermes.lock").write_text("{}")
    (tmp_path / "work" / "linked").symlink_to("../home")
    (tmp_path / "work" / "up").symlink_to("..")
    return tmp_path


def verdict(base: Path, command: str, home: str = "home") -> str:
    text = command.replace("HERMES", str(base / home))
    guard = Guard(paths=PathPolicy(hermes_home=str(base / home)))
    found = {guard.judge(text, cwd=str(base / "work"), home="/home/dev").severity}
    if "HERMES" in command and "python3 -c" not in command:  # where it is a text
        text = command.replace("HERMES", "$HERMES_HOME")
        found.add(guard.judge(text, cwd=str(base / "work"), home="/home/dev").severity)
    return " or ".join(found)


@pytest.mark.parametrize("command", ASKED)
def test_reading_all_of_the_home_is_asked_about(base: Path, command: str) -> None:
    assert verdict(base, command) == "ask"


@pytest.mark.parametrize("command", ALLOWED)
def test_other_reads_and_writes_are_not(base: Path, command: str) -> None:
    assert verdict(base, command) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "echo x > deep/../config.yaml",
        "cat deep/../mcp-tokens/a.json",
        "cp x deep/../config.yaml",
        "rm deep/../config.yaml",
        "tee ./deep/../config.yaml",
        "tar c deep/..",
        "sed -i s/a/b/ deep/.././audit.jsonl",
        "python3 -c \"open('deep/../config.yaml', 'w')\"",
        "mv x src/../deep/../x",
    ],
)
def test_a_step_up_behind_a_link_is_one_from_its_target(base: Path, command: str) -> None:
    (base / "work" / "deep").symlink_to("../home/plugins")
    assert verdict(base, command) == "ask"
    assert verdict(base, command.replace("deep", "src")) == "allow"


def test_a_search_that_skips_hidden_directories_does_not_reach_a_hidden_home(base: Path) -> None:
    assert verdict(base, "rg KEY ..", home=".hidden/home") == "allow"
    assert verdict(base, "grep -r KEY ..", home=".hidden/home") == "ask"


@pytest.mark.parametrize("command", OF_THE_LOCK)
def test_a_glob_that_finds_the_lock_is_asked_about(base: Path, command: str) -> None:
    assert verdict(base, command) == "ask"
    os.unlink(base / "work" / "hermes.lock")
    if command.startswith(("rm *", "rm h", "rm -f", "rm ../w", "for")):  # the others are asked about in any case
        assert verdict(base, command) == "allow"


@pytest.mark.parametrize("command", TRACERS)
def test_looking_into_the_process_that_started_the_shell_is_asked_about(base: Path, command: str) -> None:
    assert verdict(base, command) == "ask"
    assert verdict(base, command.replace("$PPID", str(os.getpid()))) == "ask"
    assert verdict(base, command.replace("$PPID", "424242")) == "allow"


def test_a_name_that_the_shell_is_told_to_run_a_program_under_is_that_program(base: Path) -> None:
    assert verdict(base, "BASH_CMDS[q]=/bin/rm; q -rf src") == "ask"
    assert verdict(base, "BASH_CMDS=([q]=/bin/rm); q -rf src") == "ask"
    assert verdict(base, "BASH_CMDS[q]=/bin/ls; q src") == "allow"


# -- the checks themselves -------------------------------------------------------------------------------------------

GUARDING: tuple[Any, ...] = (
    file_readers.whole_directories,
    findings.holding_keys,
    path_arguments.searched,
    policy.PathPolicy.holds_agent,
    policy._lock_matched,
    policy._same_directory,
    globs.paths_matched,
    printed_secrets._is_agent,
    agent_home.programs,
)


SHORTCUTS = (
    "return",
    "return None",
    "return False",
    "return []",
    "if not path.startswith('/')",
    "if len(_WILD.findall(glob))",
)
"""What only saves time: the verdict is the same without it."""


def _mutants() -> Iterator[Any]:
    """One for each statement of the functions: the same function without it, or with another answer."""
    for function in GUARDING:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
        assert isinstance(tree, ast.FunctionDef)
        tree.decorator_list.clear()
        nodes = list(ast.walk(tree))
        if inspect.isgeneratorfunction(function):  # it stays one without its last `yield`
            tree.body.append(ast.parse("if False:\n    yield").body[0])
        for node in nodes:
            for field in ("body", "orelse"):
                block = getattr(node, field, [])
                for number, statement in enumerate(block if isinstance(block, list) else ()):
                    text = ast.unparse(statement).splitlines()[0]
                    if isinstance(statement, ast.Assign | ast.ImportFrom) or text.startswith(("'", '"')):
                        continue
                    if text in (*SHORTCUTS, "if False:") or text.startswith(SHORTCUTS[-2:]):
                        continue
                    block[number] = ast.parse("pass").body[0]
                    yield pytest.param(function, _code(tree, function), id=f"{function.__name__}: {text[:60]}")
                    block[number] = statement


def _code(tree: ast.FunctionDef, function: FunctionType) -> CodeType:
    module = ast.fix_missing_locations(ast.Module(body=[tree], type_ignores=[]))
    made = compile(module, inspect.getfile(function), "exec").co_consts
    return next(each for each in made if isinstance(each, CodeType) and each.co_name == function.__name__)


@pytest.mark.parametrize(("function", "code"), list(_mutants()))
def test_every_statement_of_the_checks_matters(base: Path, function: Any, code: CodeType) -> None:
    before, function.__code__ = function.__code__, code
    try:
        noticed = (
            any(verdict(base, command) != "ask" for command in (*OF_THE_LOCK, *TRACERS, *ASKED))
            or any(verdict(base, command) != "allow" for command in ALLOWED)
            or verdict(base, "rg KEY ..", home=".hidden/home") != "allow"
        )
    finally:
        function.__code__ = before
    assert noticed
