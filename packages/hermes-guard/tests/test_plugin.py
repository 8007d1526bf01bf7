"""The command `hermes guard`, with hermes-core installed."""

import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("hermes_core")

from hermes_core.cli.main import main
from hermes_core.inspection import plugin_commands
from hermes_guard import __version__, plugin
from hermes_kit import check_manifest, load_plugin


def test_the_manifest_says_what_the_code_says() -> None:
    assert check_manifest(plugin, "guard") == []


def test_it_brings_one_command_and_no_tool() -> None:
    with load_plugin(plugin) as kit:
        assert list(plugin_commands(kit.host)) == ["guard"]
        assert kit.tool_names() == []


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The distribution as an installer leaves it: in front of what hides plugins from tests."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / "site" / f"hermes_guard-{__version__}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: hermes-guard\nVersion: {__version__}\n")
    named = project["entry-points"]["hermes.plugins"]
    lines = ["[hermes.plugins]", *(f"{name} = {value}" for name, value in named.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("command", "status"), [("ls", 0), ("rm -r x", 1), ("rm -rf /", 4)])
def test_hermes_guard_is_the_same_command(
    command: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["hermes", "guard", "explain", "--", command])
    assert main() == status
    assert "Verdict: " in capsys.readouterr().out
