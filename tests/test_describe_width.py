"""`hermes describe` fits narrow terminals, for the tools of all packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_core import Hermes
from hermes_core.cli.main import main
from hermes_schemas.parameter_table import list_parameters
from hermes_text.terminal import cell_width, clean

WIDTH = 60


@pytest.fixture
def veil() -> str:
    """Nothing is hidden: the families of this workspace are what is tested."""
    return ""


def test_every_tool_is_described_in_60_columns_without_a_word_cut_or_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    with Hermes.load(home=tmp_path) as host:
        specs = host.tools(available=False)
    assert {"terminal", "web_search", "tool_search"} <= {spec.name for spec in specs}
    for spec in specs:
        assert main(["describe", spec.name]) == 0
        shown = capsys.readouterr().out
        assert not [line for line in shown.splitlines() if cell_width(line) > WIDTH], spec.name
        words = " ".join(shown.split())
        assert clean(spec.description) in words
        for parameter in list_parameters(spec.parameters):
            assert f" {parameter.name}: {clean(parameter.type)}" in words
            for text in (parameter.description, parameter.limits, parameter.default):
                assert clean(text) in words
