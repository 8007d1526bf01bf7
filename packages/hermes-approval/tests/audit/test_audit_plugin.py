"""The audit log is a plugin: an installed one logs the calls of each host, and an application may bring its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import Audit, AuditSettings
from hermes_core import ConfigError, Hermes, tool
from hermes_core.commands import probe_host


@tool(effects=["write"])
def put(text: str) -> str:
    """Put something somewhere."""
    return text


def entries(home: Path) -> Iterator[dict[str, Any]]:
    file = home / "audit.jsonl"
    for line in file.read_text().splitlines() if file.exists() else ():
        yield json.loads(line)


def texts(home: Path) -> list[str]:
    return [entry["args"]["text"] for entry in entries(home)]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have only the audit log installed."""
    monkeypatch.setenv("HERMES_PLUGINS", "audit")


@pytest.mark.usefixtures("installed")
def test_an_installed_audit_logs_every_call(home: Path) -> None:
    with Hermes.load(tools=[put]) as hermes:
        hermes.call("put", {"text": "a"})
        hermes.call("nothing")
    assert [entry["tool"] for entry in entries(home)] == ["put", "nothing"]


@pytest.mark.usefixtures("installed")
def test_the_user_may_turn_it_off(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("audit: {enabled: false}\n")
    with Hermes.load(tools=[put]) as hermes:
        hermes.call("put", {"text": "a"})
    assert not list(entries(home))


@pytest.mark.usefixtures("installed")
def test_settings_that_cannot_be_used_stop_the_host(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("audit: {keep: many}\n")
    with pytest.raises(ConfigError, match="keep"):
        Hermes.load(tools=[put])


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("given", "logged"), [(Audit(), ["a"]), (Audit(AuditSettings(enabled=False)), [])])
def test_an_audit_of_the_application_takes_the_place_of_the_installed_one(
    home: Path, given: Audit, logged: list[str]
) -> None:
    with Hermes.load(tools=[put], plugins=[given]) as hermes:
        hermes.call("put", {"text": "a"})
    assert texts(home) == logged


@pytest.mark.usefixtures("installed")
def test_a_probe_is_not_logged(home: Path) -> None:
    with probe_host() as hermes:
        hermes.registry.register(put)
        hermes.call("put", {"text": "a"})
    assert not list(entries(home))


def test_an_application_configures_it_as_a_user_does(home: Path) -> None:
    for enabled in (False, True):
        config = {"audit": {"enabled": enabled}}
        with Hermes(home=home, tools=[put], plugins=[Audit()], config=config) as hermes:
            hermes.call("put", {"text": str(enabled)})
    assert texts(home) == ["True"]


def test_a_call_of_a_child_is_logged_once(home: Path) -> None:
    audit = Audit()
    with (
        Hermes(home=home, plugins=[audit]) as parent,
        Hermes(home=home, parent=parent) as middle,
        Hermes(home=home, tools=[put], plugins=[audit], parent=middle) as child,
    ):
        child.call("put", {"text": "a"})
    assert texts(home) == ["a"]


def test_a_child_with_a_home_of_its_own_keeps_a_log_there_too(tmp_path: Path) -> None:
    with (
        Hermes(home=tmp_path / "above", plugins=[Audit()]) as parent,
        Hermes(home=tmp_path / "below", tools=[put], plugins=[Audit()], parent=parent) as child,
    ):
        child.call("put", {"text": "a"})
    assert texts(tmp_path / "above") == texts(tmp_path / "below") == ["a"]


def test_the_files_are_closed_with_the_session(home: Path) -> None:
    with Hermes(home=home, tools=[put], plugins=[Audit()]) as hermes:
        for text in ("a", "b"):
            with hermes.session() as session:
                session.call("put", {"text": text})
            assert not list((home / "open-calls").iterdir())
    assert texts(home) == ["a", "b"]
