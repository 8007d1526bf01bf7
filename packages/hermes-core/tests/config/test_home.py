"""Where settings and state live: `$HERMES_HOME`, or a folder in the user's home."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_core import ConfigError, Hermes
from hermes_core.config.home import hermes_home


def test_the_environment_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "h"))
    assert hermes_home() == tmp_path / "h"
    assert not (tmp_path / "h").exists()


@pytest.mark.parametrize("value", [None, "", "   "])
def test_without_it_the_users_home_has_a_folder(
    value: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if value is None:
        monkeypatch.delenv("HERMES_HOME")
    else:
        monkeypatch.setenv("HERMES_HOME", value)
    assert hermes_home() == tmp_path / ".hermes"


def test_a_tilde_stands_for_the_users_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_HOME", "~/agents/one")
    assert hermes_home() == tmp_path / "agents" / "one"


def test_a_relative_path_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HERMES_HOME", "state")
    assert hermes_home() == tmp_path / "state"


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", "~no-such-user-anywhere/h")
    with pytest.raises(ConfigError, match="HERMES_HOME") as caught:
        hermes_home()
    assert caught.value.example


def test_a_host_uses_it_unless_another_is_given(home: Path, tmp_path: Path) -> None:
    with Hermes() as hermes:
        assert hermes.home == home
    with Hermes(home=tmp_path / "other") as hermes:
        assert hermes.home == tmp_path / "other"
    assert not home.exists()


def test_a_loaded_host_reads_its_settings_there(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("calls: {timeout: 7}\n")
    with Hermes.load(discover=False) as hermes:
        assert hermes.config.get("calls.timeout") == 7
