"""The section `security`, which the family declares: its keys, variables, warnings and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

import hermes_tools_web.plugin
from hermes_core import ConfigError, Hermes
from hermes_tools_web.providers.access import access_for_host


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HERMES_ALLOW_PRIVATE_URLS", raising=False)


def allows_private(home: Path, text: str) -> bool:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(text)
    return access_for_host(Hermes.load(home=home, plugins=[hermes_tools_web.plugin])).policy.allow_private


def test_the_settings_open_private_addresses(tmp_path: Path) -> None:
    assert not allows_private(tmp_path, "")
    assert allows_private(tmp_path, "security: {allow_private_urls: true}")
    assert not allows_private(tmp_path, "security: {allow_private_urls: false}")


@pytest.mark.parametrize("word", ["1", "yes", "TRUE", "on"])
def test_the_environment_opens_private_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("HERMES_ALLOW_PRIVATE_URLS", word)
    assert allows_private(tmp_path, "security: {allow_private_urls: false}")


@pytest.mark.parametrize("word", ["0", "no", "false", "off"])
def test_the_environment_closes_private_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("HERMES_ALLOW_PRIVATE_URLS", word)
    assert not allows_private(tmp_path, "security: {allow_private_urls: true}")


def test_a_wrong_type_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="security"):
        allows_private(tmp_path, "security: 5")


def test_a_misspelled_key_is_warned_of_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("security: {allow_privat_urls: true}")
    problems = [
        str(problem) for problem in Hermes.load(home=tmp_path, plugins=[hermes_tools_web.plugin]).config.problems()
    ]
    assert ["Did you mean 'allow_private_urls'?" in problem for problem in problems] == [True], problems
