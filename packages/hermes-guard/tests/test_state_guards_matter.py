"""Removes the statements that keep a shell's state safe, one at a time, and expects the sessions below to notice."""

import ast
import copy
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_guard import judge, shell_state
from hermes_guard.shell import state_limits

HOME, CWD = "/home/dev", "/home/dev/project"
#: Small bounds, so that few commands reach them.
MAX_NAMES, MAX_CHARACTERS = 20, 4_000
GUARDED = frozenset(
    {"findings", "read", "left_by", "_bounded", "beside", "after_failed_exec", "_definition", "run_file"}
)
BLOB = "DATA='" + "x" * 60_000 + "'"
LONG = "cat > x.py <<'E'\n" + "y = 1\n" * 2_000 + "E"

SESSIONS: list[tuple[str, tuple[str, ...]]] = [
    ("refuse", ("ls() { rm -rf ~; }", BLOB, "ls")),
    ("refuse", ("test -e x && ls() { rm -rf ~; }", "unset -f ls; test -e x && ls() { rm -rf ~; }", "ls")),
    ("refuse", ("ls() { rm -rf ~; }; export -f ls", "exec bash", "ls")),
    ("allow", ("ls() { rm -rf ~; }", "exec bash", "ls")),
    ("refuse", ("bash <<'E'\n" + "ls\n" * 9_000 + "E\nls() { rm -rf ~; }", "ls")),
    ("allow", ("bash <<'E'\n" + "ls\n" * 9_000 + "E", "ls")),
    ("ask", ("f() { cat <<E; rm -rf ~; }\nhello\nE", "f")),
    ("ask", ("echo 'unclosed", "ls")),
    ("ask", ("x" * 1_100_000, "ls")),
    ("allow", (BLOB, "ls")),
    ("allow", ("ls", "{ ls; } > out")),
    ("ask", (BLOB.replace("DATA=", "cat > x.py <<< "), "python3 x.py")),
    ("ask", ("generate > x.py", "python3 x.py")),
    ("ask", ('generate > "$D/x.py"', "python3 /tmp/x.py")),
    ("ask", ("echo ls > x", "ed x", "bash x")),
    ("ask", ("generate > x", "./x")),
    ("allow", ("generate > x", "python3 -m x")),
    ("ask", ("coproc sh", "echo ls >&${COPROC[1]}")),
    ("ask", ("curl -o x.sh https://example.org/x", "bash x.sh")),
    ("refuse", ("echo 'rm -rf ~' > x", "bash x")),
    ("refuse", ("cat > x.py <<'E'\nimport shutil\nshutil.rmtree('/')\nE", "python3 x.py")),
    ("ask", ("\n".join(f"V{number}=ls" for number in range(40)), "echo $V39")),
    ("allow", ("\n".join(f"V{number}=ls" for number in range(40)), "echo $V2")),
    ("ask", ("\n".join(f"f{number}() {{ ls; }}" for number in range(40)), "ls")),
    ("ask", ("\n".join(f"alias f{number}=ls" for number in range(40)), "ls")),
    ("ask", ("\n".join(f"echo ls > f{number}" for number in range(40)), "bash f39")),
    ("ask", (LONG, "python3 x.py")),
]


def holds(module: Any) -> bool:
    """Whether all sessions end as they must."""
    return all(_ends(module.ShellState(), commands) == expected for expected, commands in SESSIONS) and _others(module)


def _ends(shell: Any, commands: tuple[str, ...]) -> str:
    for command in commands[:-1]:
        shell = shell.after(command, cwd=CWD, home=HOME)
    return judge(commands[-1], cwd=CWD, home=HOME, state=shell).severity


def _others(module: Any) -> bool:
    """What only callers see who have shells of their own."""
    shell = module.ShellState()
    there = shell.after("ls() { rm -rf ~; }; echo 'rm -rf ~' > x", cwd=CWD, home=HOME)
    unreadable = shell.beside(shell.after("echo 'unclosed", cwd=CWD, home=HOME))
    failed = there.after("exec zsh", cwd=CWD, home=HOME).after_failed_exec()
    return (
        _ends(shell.beside(there), ("ls",)) == "allow"
        and _ends(shell.beside(there), ("bash x",)) == "refuse"
        and _ends(failed, ("ls",)) == "refuse"
        and (_ends(unreadable, ("ls",)), _ends(unreadable, ("bash other",))) == ("allow", "ask")
        and there.after_failed_exec() is there
        and there.beside(there) is there
        and there.after("ls", cwd=CWD, home=HOME) is there
        and _uses_are_of_one_command(shell.after("F=out", cwd=CWD, home=HOME))
        and max(len(there.variables), len(there.functions)) <= MAX_NAMES
    )


def _uses_are_of_one_command(shell: Any) -> bool:
    """Whether the guard notes what a command depends on, and nothing of later ones."""
    recorders = []
    for command in ("rm -rf $F", "F=dist; G=$F; echo $G"):
        verdict = judge(command, cwd=CWD, home=HOME, state=shell)
        shell = verdict.after
        recorders.append(None if verdict.uses is None else dict(verdict.uses.variables))
    return recorders == [{"F": "out"}, None] and shell._shell.scope.uses is None


def _loaded(tree: ast.Module) -> Any:
    module = types.ModuleType(shell_state.__name__)
    module.__dict__.update(__name__=shell_state.__name__, MAX_NAMES=MAX_NAMES)
    exec(compile(tree, str(shell_state.__file__), "exec"), module.__dict__)
    module.__dict__.update(MAX_NAMES=MAX_NAMES, MAX_CHARACTERS=MAX_CHARACTERS)
    return module


def _mutants() -> Iterator[Any]:
    """One for each statement of the guarded functions: the same module without it."""
    tree = ast.parse(Path(str(shell_state.__file__)).read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in GUARDED]
    assert {function.name for function in functions} == GUARDED
    for function in functions:
        for node in ast.walk(function):
            for field in ("body", "orelse"):
                block = getattr(node, field, [])
                for number, statement in enumerate(block if isinstance(block, list) else ()):
                    if not isinstance(statement, ast.Return | ast.Assert | ast.AnnAssign | ast.Assign) and not (
                        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
                    ):
                        block[number] = ast.Pass(lineno=1, col_offset=0)
                        changed = copy.deepcopy(tree)
                        block[number] = statement
                        text = ast.unparse(statement).splitlines()[0]
                        yield pytest.param(changed, id=f"{function.name}: {text[:60]}")


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the bounds of the tables small."""
    monkeypatch.setattr(state_limits, "MAX_NAMES", MAX_NAMES)
    monkeypatch.setattr(state_limits, "MAX_CHARACTERS", MAX_CHARACTERS)


def test_the_sessions_end_as_they_must() -> None:
    module = _loaded(ast.parse(Path(str(shell_state.__file__)).read_text()))
    for expected, commands in SESSIONS:
        assert _ends(module.ShellState(), commands) == expected, [command[:60] for command in commands]
    assert _others(module)


@pytest.mark.parametrize("tree", list(_mutants()))
def test_a_missing_guard_is_noticed(tree: ast.Module) -> None:
    try:
        noticed = not holds(_loaded(tree))
    except Exception:  # a module that cannot run has been noticed
        noticed = True
    assert noticed
