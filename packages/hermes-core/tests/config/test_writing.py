"""A change is whole or not at all, loses nobody else's, and never touches what it cannot read."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hermes_core import ConfigError
from hermes_core.config.config import Config
from hermes_core.config.sections import SectionSpec
from hermes_files.atomic import file_lock
from hermes_files.yaml_document import read_document

WEB = SectionSpec(
    name="web",
    owner="web",
    schema={
        "type": "object",
        "properties": {
            "backend": {"type": "string", "minLength": 1},
            "count": {"type": "integer", "minimum": 0},
            "key": {"type": "string", "writeOnly": True, "x-env": "WEB_KEY"},
            "pin": {"type": "string", "writeOnly": True},
            "retry": {"type": "object", "properties": {"wait": {"type": "number"}}},
        },
    },
)


@pytest.fixture
def config(home: Path) -> Config:
    return Config(home, [WEB], {})


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def entries(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


# -- one change --------------------------------------------------------------------------------------------------


def test_the_first_change_makes_a_file_for_the_owner_alone(config: Config, home: Path) -> None:
    assert config.set("web.backend", "brave") == config.file
    assert config.file.read_text() == "web:\n  backend: brave\n"
    assert mode_of(config.file) == 0o600
    assert mode_of(home) == 0o700
    assert entries(home) == ["config.yaml"]
    assert config.get("web.backend") == "brave"


def test_comments_order_and_mode_stay(config: Config, home: Path) -> None:
    home.mkdir()
    config.file.write_text("# mine\nweb:\n  count: 1  # one\n\n# last\ncalls: {timeout: 5}\n")
    config.file.chmod(0o640)
    config.set("web.count", "2")
    config.set("web.retry.wait", 1.5)
    assert config.file.read_text() == (
        "# mine\nweb:\n  count: 2  # one\n  retry:\n    wait: 1.5\n\n# last\ncalls: {timeout: 5}\n"
    )
    assert mode_of(config.file) == 0o640


def test_a_link_stays_a_link_and_its_target_changes(config: Config, home: Path, tmp_path: Path) -> None:
    home.mkdir()
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "hermes.yaml").write_text("# kept in git\n")
    (dotfiles / "link.yaml").symlink_to("hermes.yaml")
    config.file.symlink_to(dotfiles / "link.yaml")
    config.set("web.backend", "brave")
    assert config.file.is_symlink()
    assert (dotfiles / "link.yaml").is_symlink()
    assert (dotfiles / "hermes.yaml").read_text() == "# kept in git\nweb:\n  backend: brave\n"
    assert entries(dotfiles) == ["hermes.yaml", "link.yaml"]
    assert entries(home) == ["config.yaml"]


def test_a_link_to_nothing_yet_makes_its_target(config: Config, home: Path, tmp_path: Path) -> None:
    home.mkdir()
    config.file.symlink_to(tmp_path / "later.yaml")
    config.set("web.backend", "brave")
    assert config.file.is_symlink()
    assert (tmp_path / "later.yaml").exists()


def test_links_in_a_circle_are_refused(config: Config, home: Path) -> None:
    home.mkdir()
    config.file.symlink_to(config.file)
    with pytest.raises(ConfigError, match="cannot be"):
        config.set("web.backend", "brave")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("web.count", "many", "Expected an integer"),
        ("web.count", -1, "0"),
        ("web.backend", "", "at least"),
        ("web.backend", None, "null"),
        ("web.bakend", "x", "Did you mean 'web.backend'"),
        ("web.backend.deeper", "x", "no such setting"),
        ("web.retry", {"wait": "long"}, "'wait': Expected a number"),
        ("web", "x", "Expected an object"),
        ("wbe.backend", "x", "Did you mean 'web'"),
        ("calls.timeout", 0, "0"),
        ("terminal.thing", object(), "cannot hold a value of type object"),
        ("terminal.backend.deeper", "x", "is a value, not a section"),
    ],
)
def test_what_would_be_refused_on_reading_is_never_written(
    key: str, value: Any, said: str, config: Config, home: Path
) -> None:
    home.mkdir()
    config.file.write_text("terminal: {backend: local}\n")
    with pytest.raises(ConfigError, match=said):
        config.set(key, value)
    assert config.file.read_text() == "terminal: {backend: local}\n"
    assert entries(home) == ["config.yaml"]


@pytest.mark.parametrize("content", [b"web: [\n", b"a: 1\na: 2\n", b"- list\n", b"\xff\xfe", b"a: x\0y\n"])
def test_a_broken_file_is_refused_and_never_overwritten(content: bytes, config: Config, home: Path) -> None:
    home.mkdir()
    config.file.write_bytes(content)
    for change in (
        lambda: config.set("web.backend", "x"),
        lambda: config.set("terminal.timeout", 5),
        lambda: config.set("web.key", "secret"),
        lambda: config.unset("web.backend"),
    ):
        with pytest.raises(ConfigError):
            change()
    assert config.file.read_bytes() == content
    assert entries(home) == ["config.yaml"]


def test_one_wrong_value_can_be_mended_while_another_is_still_wrong(config: Config, home: Path) -> None:
    home.mkdir()
    config.file.write_text("web: {count: many, backend: 5}\n")
    config.set("web.count", 3)
    config.set("web.backend", "x")
    assert config.section("web") == {"count": 3, "backend": "x"}


def test_a_section_that_no_installed_plugin_reads_can_be_set(config: Config) -> None:
    config.set("terminal.timeout", 60)
    config.set('mcp_servers."my.server".url', "http://x")
    assert config.get("terminal.timeout") == 60
    assert config.get('mcp_servers."my.server".url') == "http://x"


def test_removing_gives_the_default_back(config: Config, home: Path) -> None:
    home.mkdir()
    config.file.write_text("# a\ncalls:\n  hook_timeout: 5\n# b\nwbe: 1\n")
    assert config.unset("calls.hook_timeout")
    assert config.get("calls.hook_timeout") == 10.0
    assert config.unset("wbe")
    assert not config.unset("wbe")
    assert not config.unset("web.backend")
    assert config.file.read_text() == "# a\n# b\n"


def test_a_folder_that_may_not_be_written_is_one_clear_error(config: Config, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    blocked = Config(tmp_path / "file" / "home", [WEB], {})
    with pytest.raises(ConfigError, match="cannot be"):
        blocked.set("web.backend", "x")


# -- secrets -----------------------------------------------------------------------------------------------------


def test_a_secret_goes_to_dotenv_and_not_to_the_file(config: Config, home: Path) -> None:
    assert config.set("web.key", "s3cret # value") == config.env_file
    assert config.set("web.pin", "12") == config.env_file
    assert config.env_file.read_text() == 'WEB_KEY="s3cret # value"\nHERMES_WEB__PIN=12\n'
    assert mode_of(config.env_file) == 0o600
    assert entries(home) == [".env"]
    assert config.get("web.key") == "s3cret # value"
    assert str(config.origin("web.key")) == "env WEB_KEY (.env)"


def test_a_secret_is_not_carried_into_the_file_by_the_section_around_it(config: Config, home: Path) -> None:
    with pytest.raises(ConfigError, match=r"web\.key: is a secret"):
        config.set("web", {"backend": "x", "key": "s3cret"})
    assert not config.file.exists()
    config.set("web", {"backend": "x"})
    assert config.get("web.backend") == "x"


def test_a_secret_leaves_the_file_when_it_is_set_anew(config: Config, home: Path) -> None:
    home.mkdir()
    config.file.write_text("web:\n  backend: x\n  key: old\n")
    config.set("web.key", "new")
    assert config.file.read_text() == "web:\n  backend: x\n"
    assert config.get("web.key") == "new"


def test_dotenv_becomes_the_owners_alone_and_keeps_its_lines(config: Config, home: Path) -> None:
    home.mkdir()
    config.env_file.write_text("# keys\nexport OTHER='x'\n")
    config.env_file.chmod(0o600)
    config.set("web.key", "1")
    assert config.env_file.read_text() == "# keys\nexport OTHER='x'\nWEB_KEY=1\n"
    assert config.unset("web.key")
    assert config.env_file.read_text() == "# keys\nexport OTHER='x'\n"
    assert not config.unset("web.key")


def test_a_broken_dotenv_is_never_overwritten(config: Config, home: Path) -> None:
    home.mkdir()
    config.env_file.write_text("no assignment\n")
    config.env_file.chmod(0o600)
    with pytest.raises(ConfigError, match=r"\.env:1: "):
        config.set("web.key", "1")
    assert config.env_file.read_text() == "no assignment\n"
    with pytest.raises(ConfigError, match="NUL"):
        config.set("web.key", "a\0b")


# -- many processes ----------------------------------------------------------------------------------------------

SETTER = """
import sys
from hermes_core.config.config import Config
for number in range(25):
    Config(sys.argv[1], environ={}).set(f"terminal.{sys.argv[2]}{number}", number)
"""

FLIPPER = """
import sys
from hermes_core.config.config import Config
config = Config(sys.argv[1], environ={})
print("ready", flush=True)
while True:
    for word in ("old", "new"):
        config.set("terminal.word", word * 500)
"""


def test_two_processes_that_set_different_keys_lose_nothing(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("# kept\nterminal:\n  first: 1\n")
    running = [subprocess.Popen([sys.executable, "-c", SETTER, str(home), name]) for name in ("a", "b")]
    assert [process.wait(60) for process in running] == [0, 0]
    found = read_document(home / "config.yaml")
    wanted = {f"{name}{number}": number for name in ("a", "b") for number in range(25)}
    assert found.data == {"terminal": {"first": 1, **wanted}}
    assert found.text.startswith("# kept\n")
    assert entries(home) == ["config.yaml"]


def test_a_process_killed_at_any_moment_leaves_the_old_file_or_the_new(home: Path) -> None:
    home.mkdir()
    file = home / "config.yaml"
    file.write_text("# kept\nterminal:\n  word: " + "old" * 500 + "\n")
    chance = random.Random(5)
    for _ in range(8):
        command = [sys.executable, "-c", FLIPPER, str(home)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == "ready\n"
                moment = time.monotonic() + chance.uniform(0, 0.08)
                while time.monotonic() < moment:  # readers never see half a file either
                    assert read_document(file).data["terminal"]["word"] in ("old" * 500, "new" * 500)
            finally:
                process.send_signal(signal.SIGKILL)
        found = read_document(file)
        assert found.data["terminal"]["word"] in ("old" * 500, "new" * 500)
        assert found.text.startswith("# kept\n")
    Config(home, environ={}).set("terminal.word", "last")  # nobody's death locks others out
    assert read_document(file).data == {"terminal": {"word": "last"}}


def test_a_lock_that_somebody_holds_is_an_error_that_names_the_process(
    config: Config, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_files.text_file._LOCK_SECONDS", 0.05)
    with file_lock(home / "config.yaml"), pytest.raises(ConfigError, match=f"process {os.getpid()} holds the lock"):
        config.set("web.backend", "x")
    assert not config.file.exists()
