"""The public names: what they load, and what they answer to wrong arguments."""

import ast
import inspect
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

import hermes_guard
from hermes_guard import Guard, judge, judge_path
from hermes_guard.catalogue import READING, catalogue
from hermes_guard.cli.rules import failing
from hermes_guard.rules.rule_files import from_data

SOURCE = Path(str(hermes_guard.__file__)).parent


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running some code."""
    script = f"{code}\nimport json, sys; print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(done.stdout))


USER_PATHS = """
[[path]]
id = "shop.ledger"
ops = ["read", "write"]
severity = "refuse"
reason = "Only the shop itself touches the ledger."
patterns = ["/srv/ledger/**"]
match = ["/srv/ledger/a.csv"]
not_match = ["/srv/shop/a.csv"]

[[path]]
id = "shop.test-keys"
ops = ["read"]
severity = "allow"
reason = "These keys open nothing."
patterns = ["**/certs/x.key"]
match = ["/srv/certs/x.key"]
not_match = ["/srv/certs/y.key"]
"""


@pytest.mark.parametrize(
    "command",
    [
        "echo x > /srv/ledger/a",
        "cat /srv/ledger/a | wc -l",
        "cp a /srv/ledger/",
        "rm /srv/ledger/a",
        "sed -i s/a/b/ /srv/ledger/a",
        "sudo tee /srv/ledger/../ledger/a < x",
        "python3 -c \"open('/srv/ledger/a', 'w')\"",
    ],
)
def test_a_users_rule_for_paths_counts_for_the_files_of_commands(tmp_path: Path, command: str) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(USER_PATHS)
    verdict = Guard([rules]).judge(command, home="/home/dev")
    assert verdict.severity == "refuse"
    (finding,) = {finding.rule: finding for finding in verdict.findings if finding.rule == "shop.ledger"}.values()
    assert finding.argv
    assert "shop.ledger" not in judge(command, home="/home/dev").rules


def test_a_users_rule_for_paths_lifts_a_question(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(USER_PATHS)
    assert judge("cat certs/x.key", home="/home/dev").severity == "ask"
    assert Guard([rules]).judge("cat certs/x.key", home="/home/dev").severity == "allow"


def test_importing_it_loads_neither_the_grammar_nor_a_rule() -> None:
    loaded = loaded_by("import hermes_guard")
    assert [name for name in loaded if name.startswith(("hermes_guard.", "tree_sitter", "dataclasses"))] == []


def test_a_verdict_is_had_without_the_grammar() -> None:
    loaded = loaded_by("from hermes_guard import Finding, Verdict, judge_path\njudge_path('read', 'x')")
    assert "tree_sitter" not in loaded


def test_nothing_of_the_core_is_loaded() -> None:
    loaded = loaded_by("import hermes_guard\nhermes_guard.judge('ls | rm -r x')")
    assert "tree_sitter" in loaded
    assert [name for name in loaded if name.startswith(("hermes_core", "click", "pluggy"))] == []
    loaded = loaded_by("import hermes_guard.cli.main")
    assert "click" in loaded
    assert [name for name in loaded if name.startswith(("hermes_core", "pluggy", "tree_sitter"))] == []


def test_it_shows_exactly_what_it_lists() -> None:
    names = hermes_guard.__all__
    imported = [
        (alias.asname, node.module)
        for node in ast.walk(ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("hermes_guard.")
        for alias in node.names
    ]
    assert names == sorted(name for name, _ in imported if name is not None)
    assert set(names) <= set(dir(hermes_guard))
    for name, module in imported:
        value = getattr(hermes_guard, str(name))
        assert value is getattr(import_module(str(module)), str(name))
        assert not (inspect.isclass(value) or inspect.isroutine(value)) or inspect.getdoc(value)
    with pytest.raises(AttributeError, match="no attribute 'judgement'"):
        hermes_guard.judgement  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("command", [None, b"ls", 3, ["ls"], Path("ls")])
def test_a_command_is_a_text(command: object) -> None:
    with pytest.raises(TypeError, match="a command is a str, not"):
        judge(command)  # type: ignore[arg-type]


def test_folders_may_be_paths() -> None:
    assert judge("rm -rf .", cwd=Path("/home/dev"), home=Path("/home/dev")).severity == "refuse"
    assert judge("rm -rf .", cwd="", home="").severity == "ask"
    assert judge_path("write", Path("x"), workspace=Path("/home/dev/x"), home=Path("/home/dev")).allowed
    with pytest.raises(TypeError):
        judge("ls", home=3)  # type: ignore[arg-type]


def test_a_failing_rule_asks(caplog: pytest.LogCaptureFixture) -> None:
    family = hermes_guard.Family("mine")

    @family.judges("ls")
    def broken(command: hermes_guard.Command, context: hermes_guard.Context) -> list[hermes_guard.Finding]:
        raise RuntimeError("no")

    verdict = Guard([family]).judge("ls")
    assert (verdict.severity, verdict.rules) == ("ask", ("guard.failed",))
    assert "failed on a command" in caplog.text


def test_every_rule_id_in_the_code_is_in_the_catalogue() -> None:
    listed = {entry.id for entry in catalogue(Guard())}
    pattern = re.compile(r'"((?:shell\.(?=too|un)|text\.|guard\.|path\.)[a-z-]+)"')
    files = [*SOURCE.glob("*.py"), *SOURCE.glob("shell/*.py"), *SOURCE.glob("paths/**/*.py")]
    written = {found for file in files for found in pattern.findall(file.read_text(encoding="utf-8"))}
    assert written
    assert written - listed == set()


def test_what_the_reading_finds_has_examples_that_hold() -> None:
    assert [failure for entry in READING for failure in failing(Guard(), entry)] == []


def test_every_module_says_why_it_exists() -> None:
    silent = [
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if not ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert silent == []


@pytest.mark.parametrize("name", ["", " ", "a b", "\x1b[31mx", "x" * 200, "-x"])
def test_an_id_that_nobody_could_read_is_no_id(name: str) -> None:
    with pytest.raises(hermes_guard.RuleFileError, match="id"):
        from_data([{"id": name, "program": "ls"}])


def test_rules_are_several() -> None:
    with pytest.raises(TypeError, match="a list of them"):
        Guard("rules.toml")


def test_a_workspace_is_text_or_a_path() -> None:
    with pytest.raises(TypeError, match="str, bytes or os.PathLike"):
        judge_path("read", "x", workspace=5)  # type: ignore[arg-type]


def test_threads_judge_at_the_same_time() -> None:
    texts = [f"mkdir -p build/m{number}\n" * (40 + number) for number in range(16)] + ["ls", "rm -rf build", "rm -rf /"]
    expected = [judge(text, home="/home/dev") for text in texts]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: judge(text, home="/home/dev"), texts * 20))
    assert found == expected * 20


@pytest.mark.parametrize(
    ("text", "rule", "part"),
    [
        ("ls\r\nrm -rf src\r\n", "delete.recursive", "rm -rf src"),
        ("\x1b[31mls\x1b[0m; rm -rf src", "delete.recursive", "rm -rf src"),
        ("l\u200bs; rm -rf s\u200brc", "delete.recursive", "rm -rf s\u200brc"),
        ("a\0b; rm -rf src", "delete.recursive", "rm -rf src"),
        ("\uff52\uff4d -rf src; ls", "delete.recursive", "\uff52\uff4d -rf src"),
        ("echo \ufb01; rm -rf src", "delete.recursive", "rm -rf src"),
        ("xargs <<< a $x", "shell.unknown-command", "xargs <<< a $x"),
        ("rm <<< a -rf b", "delete.recursive", "rm <<< a -rf b"),
        ("ls; echo x > /etc/passwd; ls", "write.system", "echo x > /etc/passwd"),
        ("echo \u00e9; rm -rf b", "delete.recursive", "rm -rf b"),
    ],
)
def test_a_span_is_a_part_of_the_text_as_it_was_given(text: str, rule: str, part: str) -> None:
    finding = next(finding for finding in judge(text, home="/home/dev").findings if finding.rule == rule)
    assert finding.span
    assert text[slice(*finding.span)] == part


def test_a_key_is_the_same_for_the_same_deed_only() -> None:
    def keys(command: str, cwd: str = "/home/dev/shop") -> set[str]:
        return {finding.key for finding in judge(command, cwd=cwd, home="/home/dev").findings}

    assert keys("rm -rf build") == keys("r'm'  -rf \"build\"") == keys("true && rm -rf build")
    operations = [
        "rm -rf build",
        "sudo rm -rf build",
        "ssh prod rm -rf build",
        "docker exec c rm -rf build",
        "rm -rf src",
        "cd x && rm -rf build",
        "cat a | sh",
        "cat b | sh",
        "echo '* * * * * a' | crontab -",
        "echo '* * * * * b' | crontab -",
        "if true; then",
        "while true; do",
        "echo \x1b[31m",
        "echo \x1b[32m",
        "x" * 40_000,
        "y" * 40_000,
    ]
    found = [keys(operation) for operation in operations]
    assert all(found)
    for number, one in enumerate(found):
        assert not any(one & other for other in found[number + 1 :]), operations[number]
    assert keys("rm -rf build") != keys("rm -rf build", cwd="/home/dev/other")


@pytest.mark.parametrize("failure", ["raise RuntimeError", "sys.exit(1)", "yield 'text'"])
def test_a_rule_that_fails_keeps_no_other_from_finding_something(failure: str) -> None:
    names: dict[str, object] = {"sys": sys}
    exec(f"def broken(command, context):\n    {failure}\n    yield", names)
    family = hermes_guard.Family("mine")
    family.judges("t", "rm")(names["broken"])  # type: ignore[arg-type]
    verdict = Guard([family]).judge("t boom; rm -rf /")
    assert verdict.severity == "refuse"
    assert "guard.failed" in verdict.rules
