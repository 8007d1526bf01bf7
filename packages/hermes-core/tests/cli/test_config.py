"""`hermes config` shows, checks and changes settings, and never shows a secret."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from hermes_core.config.sections import SectionSpec

Run = Callable[..., CompletedProcess[str]]

WEB = SectionSpec(
    name="web",
    owner="web",
    schema={
        "type": "object",
        "properties": {
            "backend": {"type": "string", "default": "ddg"},
            "count": {"type": "integer", "minimum": 0, "examples": [3]},
            "hosts": {"type": "array", "items": {"type": "string"}},
            "key": {"type": "string", "writeOnly": True, "x-env": "WEB_KEY"},
        },
    },
)
SECRET = "s3cret-words"


@pytest.fixture(autouse=True)
def declared(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin that declares the section `web`; the home exists."""
    monkeypatch.setattr("hermes_core.cli.config.plugin_sections", lambda host: (WEB,))
    monkeypatch.delenv("WEB_KEY", raising=False)
    home.mkdir()


def write(home: Path, text: str) -> Path:
    file = home / "config.yaml"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    return file


def test_the_paths_are_printed_whatever_is_in_the_files(bare: Run, home: Path) -> None:
    write(home, "broken: [")
    assert bare("config", "path").stdout == f"{home / 'config.yaml'}\n"
    assert bare("config", "path", "--env").stdout == f"{home / '.env'}\n"


@pytest.mark.parametrize(
    ("key", "value", "printed"),
    [
        ("web.backend", "brave", "brave\n"),
        ("web.count", "7", "7\n"),
        ("web.hosts", "a,b", '["a", "b"]\n'),
        ("web.hosts", '["a"]', '["a"]\n'),
        ("calls.timeout", "1.5", "1.5\n"),
        ("terminal.timeout", "60", "60\n"),
        ("terminal.timeout", "-60", "-60\n"),
        ("terminal.shell", "zsh # mine", "zsh # mine\n"),
        ("terminal.persistent", "true", "true\n"),
        ("terminal.mounts", "[a, b]", '["a", "b"]\n'),
    ],
)
def test_what_is_set_can_be_got(key: str, value: str, printed: str, bare: Run, home: Path) -> None:
    outcome = bare("config", "set", key, value)
    assert outcome.returncode == 0
    assert outcome.stdout == f"Set {key} in {home / 'config.yaml'}.\n"
    assert bare("config", "get", key).stdout == printed
    assert json.loads(bare("config", "get", key, "--json").stdout) == json.loads(
        printed if key.split(".")[1] not in ("backend", "shell") else json.dumps(value)
    )
    assert bare("config", "unset", key).stdout == f"Removed {key}.\n"


def test_a_default_is_got_too_and_nothing_is_said_to_be_nothing(bare: Run) -> None:
    assert bare("config", "get", "web.backend").stdout == "ddg\n"
    outcome = bare("config", "get", "web.count")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "web.count is not set.\n")
    assert bare("config", "get", "web.count", "--json").stdout == "null\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("get", "web.bakend"), "Did you mean 'web.backend'"),
        (("set", "web.bakend", "x"), "Did you mean 'web.backend'"),
        (("set", "wbe.backend", "x"), "Did you mean 'web'"),
        (("set", "web.count", "many"), "Example: web: {count: 3}"),
        (("set", "web.count", "-1"), "web.count: "),
        (("get", "web.."), "is not a key"),
        (("unset", "web.cuont"), "Did you mean 'web.count'"),
    ],
)
def test_a_miss_is_one_line_with_what_was_meant(args: tuple[str, ...], said: str, bare: Run, home: Path) -> None:
    file = write(home, "web: {count: 1}\n")
    outcome = bare("config", *args)
    assert outcome.returncode == 2
    assert outcome.stderr.startswith("hermes: error: ")
    assert outcome.stderr.count("\n") == 1
    assert said in outcome.stderr
    assert file.read_text() == "web: {count: 1}\n"


def test_a_secret_goes_to_dotenv_and_is_never_shown(bare: Run, home: Path) -> None:
    outcome = bare("config", "set", "web.key", SECRET)
    assert outcome.stdout == f"Set web.key in {home / '.env'}.\n"
    assert (home / ".env").read_text() == f"WEB_KEY={SECRET}\n"
    assert not (home / "config.yaml").exists()
    assert bare("config", "get", "web.key").stdout == "***\n"
    assert bare("config", "get", "web", "--json").stdout.count("***") == 1
    assert "env WEB_KEY (.env)" in bare("config", "show", "--origin").stdout
    assert bare("config", "unset", "web.key").returncode == 0
    assert (home / ".env").read_text() == ""


def test_a_secret_can_be_read_from_stdin(process: Run, home: Path) -> None:
    (home / "plugins").mkdir()
    source = f"@hookimpl\ndef hermes_settings():\n    return {{'weather': {WEB.schema!r}}}\n"
    (home / "plugins" / "weather.py").write_text(f"from hermes_core import hookimpl\n\n{source}")
    outcome = process("config", "set", "weather.key", "-", input=f"{SECRET}\n")
    assert outcome.returncode == 0, outcome.stderr
    assert (home / ".env").read_text() == f"WEB_KEY={SECRET}\n"
    assert SECRET not in outcome.stdout + outcome.stderr


NEEDY = """
from hermes_core import hookimpl, tool

@tool(toolset="sky", requires_env=["SKY_API_KEY"])
def look_up() -> str:
    "Look up."
    return "blue"

@hookimpl
def hermes_tools():
    return [look_up]
"""


def test_the_remedy_for_a_missing_variable_works_as_it_is_written(process: Run, home: Path) -> None:
    (home / "plugins").mkdir()
    (home / "plugins" / "sky.py").write_text(NEEDY)
    remedy = json.loads(process("call", "look_up").stdout)["hint"]
    assert "'hermes config set SKY_API_KEY -'" in remedy
    outcome = process("config", "set", "SKY_API_KEY", "-", input=f"{SECRET}\n")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == f"Set SKY_API_KEY in {home / '.env'}.\n"
    assert (home / ".env").read_text() == f"SKY_API_KEY={SECRET}\n"
    assert (home / ".env").stat().st_mode & 0o777 == 0o600
    assert process("call", "look_up").returncode == 0
    assert process("config", "set", "SKY_API_KEYS", "-", input="x").returncode == 2
    assert process("config", "unset", "SKY_API_KEY").returncode == 0
    assert (home / ".env").read_text() == ""
    assert process("config", "unset", "SKY_API_KEY").returncode == 2


def test_the_variable_of_a_setting_sets_the_setting(bare: Run, home: Path) -> None:
    assert bare("config", "set", "WEB_KEY", SECRET).stdout == f"Set web.key in {home / '.env'}.\n"
    assert bare("config", "unset", "WEB_KEY").returncode == 0
    outcome = bare("config", "set", "WEB_KEYS", SECRET)
    assert outcome.returncode == 2
    assert "no installed tool or plugin reads this variable. Did you mean 'WEB_KEY'?" in outcome.stderr


def test_no_command_shows_a_secret(bare: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        home,
        f"web: {{key: {SECRET}, count: {SECRET}}}\n"
        f"auxiliary: {{vision: {{api_key: {SECRET}}}}}\n"
        f"mcp_servers: {{gh: {{env: {{GITHUB_TOKEN: {SECRET}}}, args: [--token, {SECRET}]}}}}\n".replace(
            f"count: {SECRET}", "count: [1]"
        ),
    )
    monkeypatch.setenv("HERMES_WEB__KEY", SECRET)
    for args in (
        ("check",),
        ("check", "--json"),
        ("get", "mcp_servers"),
        ("get", "auxiliary.vision.api_key"),
        ("get", "web.key"),
    ):
        outcome = bare("config", *args)
        assert SECRET not in outcome.stdout + outcome.stderr
        assert outcome.stdout + outcome.stderr
    bare("config", "unset", "web.count")
    for options in ([], ["--json", "--origin"], ["--defaults"]):
        outcome = bare("config", "show", *options)
        assert outcome.returncode == 0
        assert SECRET not in outcome.stdout + outcome.stderr
        assert "***" in outcome.stdout


def test_show_tells_where_each_value_comes_from(bare: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, "# settings\nweb:\n  backend: brave\nterminal: {timeout: 5}\n")
    monkeypatch.setenv("HERMES_WEB__COUNT", "7")
    assert bare("config", "show", "--origin").stdout.splitlines() == [
        "KEY               VALUE  ORIGIN",
        "web.backend       brave  config.yaml:3",
        "web.count         7      env HERMES_WEB__COUNT",
        "terminal.timeout  5      config.yaml:4",
    ]
    assert json.loads(bare("config", "show", "--json").stdout) == {
        "web.backend": "brave",
        "web.count": 7,
        "terminal.timeout": 5,
    }
    everything = json.loads(bare("config", "show", "--json", "--defaults", "--origin").stdout)
    assert everything["web.hosts"] == {"value": None, "origin": "default"}
    assert everything["calls.hook_timeout"] == {"value": 10.0, "origin": "default"}


def test_show_copes_with_keys_of_every_kind(bare: Run, home: Path) -> None:
    write(home, '5: {on: 1}\n"a b": {"c.d": [x], "": 2}\n\'q"q\': 3\nterminal: 7\n')
    outcome = bare("config", "show", "--json")
    assert outcome.returncode == 0
    assert json.loads(outcome.stdout) == {"5.True": 1, '"a b"."c.d"': ["x"], '"a b".""': 2, '"q"q"': 3, "terminal": 7}
    assert bare("config", "get", '"a b"."c.d"').stdout == '["x"]\n'


def test_show_of_nothing_says_so(bare: Run) -> None:
    outcome = bare("config", "show")
    assert (outcome.returncode, outcome.stdout) == (0, "")
    assert "--defaults" in outcome.stderr


def test_check_lists_every_problem_and_exits_with_2(bare: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(home, "web:\n  count: many\n  bakend: x\ncalls: {timeout: 0}\nterminal: {}\n")
    monkeypatch.setenv("HERMES_WEB__COUNT", "few")
    outcome = bare("config", "check")
    assert outcome.returncode == 2
    lines = outcome.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["error", "warning", "error", "note", "error", "4 problems."]
    assert lines[0].startswith(f"error: {file}:2: web.count: ")
    assert lines[1].endswith("Did you mean 'backend'?")
    assert "HERMES_WEB__COUNT" in lines[4]
    found = json.loads(bare("config", "check", "--json").stdout)
    assert found["ok"] is False
    assert found["problems"][1] == {
        "level": "warning",
        "file": str(file),
        "line": 3,
        "column": None,
        "key": "web.bakend",
        "reason": "there is no such key.",
        "nearest": ["backend"],
        "example": None,
        "source": "config.yaml",
    }


@pytest.mark.parametrize("text", ["web: {backend: x}\n", "terminal: {timeout: 5}\nagent: {max_turns: 90}\n"])
def test_check_of_a_good_file_exits_with_0(text: str, bare: Run, home: Path) -> None:
    file = write(home, text)
    outcome = bare("config", "check")
    assert outcome.returncode == 0
    assert outcome.stdout.splitlines()[-1] == f"{file} is valid."


def test_check_works_when_nothing_else_does(bare: Run, home: Path) -> None:
    file = write(home, "web:\n  - [\n")
    outcome = bare("config", "check")
    assert outcome.returncode == 2
    assert outcome.stdout.startswith(f"error: {file}:3:1: ")
    (home / "config.yaml").unlink()
    assert bare("config", "check").stdout == f"There is no {file}; the defaults apply.\n"


def test_a_variable_that_wins_is_named_when_the_file_is_changed(bare: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_WEB__BACKEND", "env")
    outcome = bare("config", "set", "web.backend", "file")
    assert outcome.returncode == 0
    assert "HERMES_WEB__BACKEND is set in the environment" in outcome.stderr
    assert bare("config", "get", "web.backend").stdout == "env\n"


def test_what_no_plugin_reads_is_said_when_it_is_set(bare: Run) -> None:
    assert "no installed plugin reads it" in bare("config", "set", "terminal.timeout", "5").stderr


@pytest.mark.parametrize("name", ["get", "set", "unset", "path", "check", "show"])
def test_every_part_has_help(name: str, bare: Run) -> None:
    outcome = bare("config", name, "--help")
    assert outcome.returncode == 0
    assert "--debug" in outcome.stdout
