"""What holds: a variable over the file, the file over the default, and every value where its section says."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr, field_validator

from hermes_core import ConfigError, PluginError
from hermes_core.config.config import Config
from hermes_core.config.core_settings import Settings
from hermes_core.config.sections import SectionSpec
from hermes_core.config.setting_problems import ConfigProblem


class Retry(BaseModel):
    count: int = Field(default=3, ge=0, le=9)
    wait: float = 1.5


class Web(BaseModel):
    backend: str = "ddg"
    mode: str = Field(default="fast", json_schema_extra={"enum": ["fast", "deep"]})
    cache: bool = True
    key: SecretStr | None = Field(default=None, json_schema_extra={"x-env": "WEB_KEY"})
    retry: Retry = Retry()
    hosts: list[str] = []

    @field_validator("backend")
    @classmethod
    def check(cls, value: str) -> str:
        if value == "none":
            raise ValueError("there must be one")
        return value


WEB = SectionSpec.from_model("web", Web, owner="web")


def config(home: Path, text: str = "", env: dict[str, str] | None = None, dotenv: str | None = None) -> Config:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(text)
    if dotenv is not None:
        (home / ".env").write_text(dotenv)
        (home / ".env").chmod(0o600)
    return Config(home, [WEB], env or {})


def only_problem(config: Config) -> ConfigProblem:
    (problem,) = config.problems()
    return problem


# -- what holds --------------------------------------------------------------------------------------------------


def test_without_a_file_the_defaults_hold(home: Path) -> None:
    found = Config(home, [WEB], {})
    assert found.section("web")["retry"] == {"count": 3, "wait": 1.5}
    assert found.get("web.backend") == "ddg"
    assert found.get("web.key") is None
    assert found.model("web", Web) == Web()
    assert found.problems() == []
    assert not home.exists()


def test_the_file_wins_over_the_default_and_a_variable_over_both(home: Path) -> None:
    text = "web:\n  backend: file\n  retry: {count: 5}\n"
    found = config(
        home, text, {"HERMES_WEB__RETRY__WAIT": "9.5", "hermes_web__hosts": "a, b", "HERMES_WEB__CACHE": "off"}
    )
    assert found.section("web") == {
        "backend": "file",
        "mode": "fast",
        "cache": False,
        "retry": {"count": 5, "wait": 9.5},
        "hosts": ["a", "b"],
    }
    assert str(found.origin("web.backend")) == "config.yaml:2"
    assert str(found.origin("web.retry.count")) == "config.yaml:3"
    assert str(found.origin("web.retry.wait")) == "env HERMES_WEB__RETRY__WAIT"
    assert str(found.origin("web.mode")) == "default"


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("HERMES_WEB__RETRY__COUNT", "7", "web.retry.count", 7),
        ("HERMES_WEB__RETRY", '{"count": 1}', "web.retry.count", 1),
        ("HERMES_WEB__HOSTS", '["a,b"]', "web.hosts", ["a,b"]),
        ("HERMES_WEB__HOSTS", "a", "web.hosts", ["a"]),
        ("HERMES_WEB__CACHE", "0", "web.cache", False),
        ("HERMES_WEB__CACHE", "Yes", "web.cache", True),
        ("HERMES_WEB__BACKEND", "5", "web.backend", "5"),
        ("Hermes_Web__Backend", "x", "web.backend", "x"),
        ("HERMES_WEB__BACKEND", "", "web.backend", "ddg"),
        ("HERMES_CALLS__TIMEOUT", "inf", "calls.timeout", float("inf")),
        ("HERMES_PLUGINS__ENABLED", "a,b", "plugins.enabled", ["a", "b"]),
        ("HERMES_TOOLSETS__MINE", '["a"]', "toolsets.mine", ["a"]),
        ("WEB_KEY", "k", "web.key", "k"),
        ("HERMES_WEB__KEY", "k", "web.key", "k"),
    ],
)
def test_a_variable_is_read_as_the_type_of_its_setting(
    variable: str, text: str, key: str, value: Any, home: Path
) -> None:
    found = config(home, "", {variable: text})
    assert found.get(key) == value
    assert found.problems() == []


def test_the_more_exact_variable_wins(home: Path) -> None:
    env = {
        "HERMES_WEB__RETRY__COUNT": "1",
        "HERMES_WEB__RETRY": '{"count": 2, "wait": 3}',
        "WEB_KEY": "other",
        "HERMES_WEB__KEY": "own",
    }
    found = config(home, "web: {key: file}", env)
    assert found.get("web.retry") == {"count": 1, "wait": 3}
    assert found.get("web.key") == "own"


def test_dotenv_adds_to_the_environment_and_never_overrides_it(home: Path) -> None:
    found = config(
        home, "", {"WEB_KEY": "real", "PATH": "/bin"}, "WEB_KEY=stored\nHERMES_WEB__BACKEND=stored\nOTHER=1\n"
    )
    assert found.get("web.key") == "real"
    assert found.get("web.backend") == "stored"
    assert str(found.origin("web.backend")) == "env HERMES_WEB__BACKEND (.env)"
    assert found.environ == {"WEB_KEY": "real", "PATH": "/bin", "HERMES_WEB__BACKEND": "stored", "OTHER": "1"}


def test_a_key_without_a_value_means_its_default(home: Path) -> None:
    found = config(home, "web:\n  backend:\n  retry:\n    count:\n")
    assert found.model("web", Web) == Web()
    assert found.problems() == []


def test_sections_that_nobody_declares_are_read_as_they_stand(home: Path) -> None:
    found = config(home, 'terminal: {timeout: 5}\nmcp_servers: {"my.server": {url: x}}\ncommand_allowlist: [ls]\n')
    assert found.section("terminal") == {"timeout": 5}
    assert found.get('mcp_servers."my.server".url') == "x"
    assert found.get("command_allowlist") == ["ls"]
    assert found.section("memory") == {}
    with pytest.raises(ConfigError, match="not a section"):
        found.section("command_allowlist")


def test_what_is_handed_out_is_a_copy(home: Path) -> None:
    found = config(home, "web: {hosts: [a]}\n")
    found.get("web.hosts").append("b")
    found.section("web")["hosts"].append("c")
    assert found.get("web.hosts") == ["a"]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("web.bakend", "Did you mean 'web.backend'"),
        ("web.retry.cout", "Did you mean 'web.retry.count'"),
        ("wbe.backend", "Did you mean 'web'"),
        ("terminal.timeout", "no installed plugin reads the section 'terminal'"),
        ("web..x", "is not a key"),
        ("", "is not a key"),
        ("web.", "is not a key"),
    ],
)
def test_a_miss_is_answered_with_what_was_meant(key: str, said: str, home: Path) -> None:
    with pytest.raises(ConfigError, match=said):
        config(home).get(key)


def test_two_plugins_cannot_read_one_section() -> None:
    with pytest.raises(PluginError, match="belongs to web"):
        Config("/nowhere", [WEB, SectionSpec(name="web", schema={}, owner="other")], {})
    with pytest.raises(PluginError, match="belongs to hermes-core"):
        Config("/nowhere", [SectionSpec(name="calls", schema={}, owner="other")], {})


def test_a_model_says_more_than_its_schema_and_never_shows_a_secret(home: Path) -> None:
    with pytest.raises(ConfigError, match="there must be one") as caught:
        config(home, "web:\n  backend: none\n  key: s3cret\n").model("web", Web)
    assert (caught.value.line, caught.value.key) == (2, "web.backend")
    assert "s3cret" not in str(caught.value)


# -- the settings of the core ------------------------------------------------------------------------------------


def test_the_core_reads_the_environment_too(home: Path) -> None:
    found = config(
        home, "calls: {timeout: 5}\n", {"HERMES_CALLS__HOOK_TIMEOUT": "2", "HERMES_PLUGINS__DISABLED": "a,b"}
    )
    assert found.settings() == Settings(timeout=5, hook_timeout=2, plugins_disabled=("a", "b"))
    with pytest.raises(ConfigError, match="HERMES_CALLS__TIMEOUT"):
        config(home, "", {"HERMES_CALLS__TIMEOUT": "soon"}).settings()


def test_the_defaults_of_the_sections_are_those_of_the_settings(home: Path) -> None:
    found, plain = Config(home, environ={}), Settings()
    assert found.settings() == plain
    assert found.section("calls") == {
        name: getattr(plain, name) for name in ("hook_timeout", "approval_timeout", "max_depth", "max_abandoned")
    }
    assert found.section("results") == {"reader_tool": plain.reader_tool}
    assert found.section("plugins") == {
        "disabled": [],
        "required": [],
        "accept": {},
        "import_seconds": plain.plugins_import_seconds,
        "upstream": plain.plugins_upstream,
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plugins: 5",
        "plugins: [dice]",
        "plugins: {enabled: dice}",
        "plugins: {enabled: [5]}",
        "plugins: {enabled: }",
        "plugins: {disabled: false}",
        "calls: soon",
        "calls: {timeout: 0}",
        "calls: {timeout: true}",
        "calls: {timeout: .nan}",
        "calls: {timeout: .inf}",
        "calls: {approval_timeout: '5'}",
        "results: {reader_tool: ''}",
        "results: {reader_tool: '  '}",
        "toolset_distributions: [web]",
        "toolset_distributions: {a: {web: 5}}",
        "toolsets: [a]",
        "toolsets: false",
        "toolsets: {on: [a]}",
        "toolsets: {mine: 5}",
        "toolsets: {mine: {tools: a}}",
        "toolsets: {mine: {tools: }}",
        "toolsets: {mine: {tool: [a]}}",
        "toolsets: {mine: {tools: [a], description: 5}}",
    ],
)
def test_the_check_refuses_what_the_core_refuses_and_nothing_else(text: str, home: Path) -> None:
    found = config(home, text)
    try:
        Config(found.home).settings()
        refused = None
    except ConfigError as error:
        refused = error
    problems = found.problems()
    assert bool(refused) == bool(problems)
    if refused:
        assert refused.line == problems[0].line == 1
        assert (problems[0].key or "").startswith((refused.key or "").split(".")[0])
        assert "Send" not in problems[0].reason


# -- what is wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "key", "said"),
    [
        ("web:\n  retry:\n    count: 10\n", 3, "web.retry.count", "9"),
        ("web:\n  retry:\n    count: many\n", 3, "web.retry.count", 'a string: "many"'),
        ("web:\n  mode: slow\n", 2, "web.mode", '"slow"'),
        ("web:\n  hosts:\n    - a\n    - 5\n", 4, "web.hosts[1]", "5"),
        ("web:\n  retry: 5\n", 2, "web.retry", "5"),
        ("\nweb: 5\n", 2, "web", "an object"),
        ("web:\n  hosts: {a: 1}\n", 2, "web.hosts", "is an object, where an array should be"),
        ("web:\n  on: 1\n", 2, "web.True", "so quote it"),
    ],
)
def test_a_wrong_value_is_named_with_file_line_and_key(text: str, line: int, key: str, said: str, home: Path) -> None:
    found = config(home, text)
    problem = only_problem(found)
    assert (problem.level, problem.file, problem.line, problem.key) == ("error", str(found.file), line, key)
    assert said in problem.reason
    with pytest.raises(ConfigError, match=f":{line}: ") as caught:
        found.section("web")
    assert str(caught.value) == str(problem)


@pytest.mark.parametrize(
    ("text", "level", "nearest"),
    [
        ("web: {bakend: x}\n", "warning", ("backend",)),
        ("web: {retry: {cuont: 5}}\n", "warning", ("count",)),
        ("web: {zzz: x}\n", "warning", ()),
        ("wbe: {backend: x}\n", "warning", ("web",)),
        ("zzz: 1\n", "warning", ()),
        ("5: 1\n", "warning", ()),
        ("terminal: {timeout: 5}\n", "note", ()),
        ("mcp_servers: {a: {url: x}}\n", "note", ()),
        ("command_allowlist: []\n", "note", ()),
    ],
)
def test_what_nobody_reads_is_pointed_out_and_no_error(
    text: str, level: str, nearest: tuple[str, ...], home: Path
) -> None:
    found = config(home, text)
    problem = only_problem(found)
    assert (problem.level, problem.nearest, problem.line) == (level, nearest, 1)
    assert found.model("web", Web) == Web()


@pytest.mark.parametrize(
    ("env", "level", "said"),
    [
        (
            {"HERMES_WEB__RETRY__COUNT": "many"},
            "error",
            "HERMES_WEB__RETRY__COUNT: Expected an integer but got a string",
        ),
        ({"HERMES_WEB__RETRY__COUNT": "10"}, "error", "HERMES_WEB__RETRY__COUNT: "),
        ({"HERMES_WEB__RETRY": "5"}, "error", "HERMES_WEB__RETRY: "),
        ({"HERMES_WEB__BAKEND": "x"}, "warning", "Did you mean 'backend'"),
        ({"HERMES_WBE__BACKEND": "x"}, "warning", "Did you mean 'web'"),
        ({"HERMES_TERMINAL__TIMEOUT": "x"}, "note", "no installed plugin reads the section 'terminal'"),
    ],
)
def test_a_wrong_variable_is_named(env: dict[str, str], level: str, said: str, home: Path) -> None:
    found = config(home, "", env)
    problem = only_problem(found)
    assert problem.level == level
    assert said in str(problem)
    assert problem.source == f"env {next(iter(env))}"
    assert problem.file is None
    if level == "error":
        with pytest.raises(ConfigError, match=next(iter(env))):
            found.get("web.backend")


def test_other_variables_of_hermes_are_no_settings(home: Path) -> None:
    found = config(home, "", {"HERMES_HOME": "/x", "HERMES_PLUGINS": "a", "HERMES___": "1", "HERMES__X": "1"})
    assert found.problems() == []


def test_a_wrong_value_in_the_file_is_wrong_even_when_a_variable_hides_it(home: Path) -> None:
    problem = only_problem(config(home, "web: {retry: {count: 99}}", {"HERMES_WEB__RETRY__COUNT": "1"}))
    assert problem.line == 1


def test_a_required_key_may_come_from_the_environment(home: Path) -> None:
    spec = SectionSpec(
        name="mail", schema={"type": "object", "properties": {"host": {"type": "string"}}, "required": ["host"]}
    )
    assert [each.key for each in Config(home, [spec], {}).problems()] == ["mail.host"]
    assert Config(home, [spec], {"HERMES_MAIL__HOST": "x"}).section("mail") == {"host": "x"}


def test_every_problem_is_listed_at_once(home: Path) -> None:
    found = config(
        home,
        "web:\n  mode: slow\n  bakend: x\n  mode: fast\ncalls: {timeout: soon}\nzzz: 1\n",
        {"HERMES_WEB__CACHE": "maybe"},
        "WEB_KEY=1\nWEB_KEY=2\n",
    )
    found.env_file.chmod(0o644)
    assert [(each.level, each.source, each.line, each.key) for each in found.problems()] == [
        ("warning", "config.yaml", 3, "web.bakend"),
        ("error", "config.yaml", 4, "web.mode"),
        ("error", "config.yaml", 5, "calls.timeout"),
        ("warning", "config.yaml", 6, "zzz"),
        ("warning", ".env", None, None),
        ("warning", ".env", 2, "WEB_KEY"),
        ("error", "env HERMES_WEB__CACHE", None, "web.cache"),
    ]


def test_a_broken_file_is_one_problem_and_the_rest_is_still_checked(home: Path) -> None:
    found = config(home, "web: [\n", {"HERMES_WEB__CACHE": "maybe"}, "not a line")
    assert [(each.source, each.line) for each in found.problems()] == [
        ("config.yaml", 2),
        (".env", 1),
        ("env HERMES_WEB__CACHE", None),
    ]
    with pytest.raises(ConfigError):
        found.get("web.backend")


# -- secrets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "web: {key: {a: s3cret-value}}\n",
        "web: {key: [s3cret-value]}\n",
        "web: [{key: s3cret-value}]\n",
        "web: {retry: {count: {api_key: s3cret-value}}}\n",
        "web: {mode: sk-ant-s3cret-value0000}\n",
        "web: {hosts: {token: s3cret-value}}\n",
    ],
)
def test_no_problem_shows_a_secret(text: str, home: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = config(home, text)
    with caplog.at_level(logging.DEBUG):
        shown = "".join(map(repr, found.problems()))
        with pytest.raises(ConfigError) as caught:
            found.section("web")
    assert "s3cret-value" not in shown + str(caught.value) + caplog.text


def test_a_secret_in_a_variable_is_not_shown(home: Path) -> None:
    spec = SectionSpec(
        name="mail", schema={"properties": {"pin": {"type": "integer", "writeOnly": True, "x-env": "MAIL_PIN"}}}
    )
    (problem,) = Config(home, [spec], {"MAIL_PIN": "s3cret"}).problems()
    assert "s3cret" not in repr(problem)
    assert "MAIL_PIN" in str(problem)


def test_a_secret_in_the_file_is_better_kept_in_dotenv(home: Path) -> None:
    found = config(home, "web:\n  key: s3cret\n")
    found.file.chmod(0o600)
    assert (only_problem(found).level, only_problem(found).line) == ("note", 2)
    found.file.chmod(0o644)
    assert only_problem(found).level == "warning"


def test_what_may_be_shown_holds_no_secret(home: Path) -> None:
    found = config(home, "web: {key: s3cret}\nauxiliary: {vision: {api_key: s3cret, timeout: 5}}\n")
    assert found.get_masked("web.key") == "***"
    assert found.get_masked("web")["key"] == "***"
    assert found.get_masked("auxiliary") == {"vision": {"api_key": "***", "timeout": 5}}
    assert found.get("web.key") == "s3cret"


def test_without_a_file_yaml_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from hermes_core.config.config import Config\n"
        "c = Config(sys.argv[1], environ={}); c.settings(); c.section('calls'); c.get('calls.timeout')\n"
        "print(sorted({'yaml', 'pydantic', 'rich'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.strip() == "[]"
    (tmp_path / "config.yaml").write_text("calls: {timeout: 5}\n")
    assert subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.strip() == "['yaml']"


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, True), (0o604, True)])
def test_a_file_that_others_may_read_is_worth_a_warning(
    mode: int, warned: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / ".env"
    file.write_text("A=s3cret")
    file.chmod(mode)
    with caplog.at_level(logging.WARNING):
        assert Config(tmp_path, environ={}).environ["A"] == "s3cret"
    assert (f"chmod 600 {file}" in caplog.text) is warned
    assert "s3cret" not in caplog.text
