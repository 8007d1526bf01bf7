"""The family as a plugin: known without being imported, and what the manifest says is what the code says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes
from hermes_core.inspection import plugin_sections

SOURCE = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """The test kit, which makes manifests."""
    return "hermes-kit"


def test_the_manifest_is_fresh() -> None:
    program = "from hermes_core.cli.main import main; raise SystemExit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "plugin", "manifest", "--check", str(SOURCE)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_listing_the_tools_does_not_import_the_family() -> None:
    program = (
        "import sys; from hermes_core import Hermes\n"
        "hermes = Hermes.load(); names = [each['function']['name'] for each in hermes.definitions()]\n"
        "print(sorted(names), 'hermes_tools_terminal' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "terminal" in done.stdout or "[]" in done.stdout
    assert done.stdout.rstrip().endswith("False")


def test_places_files_and_scripts_have_their_settings(agent: Callable[..., Any]) -> None:
    hermes: Hermes = agent().hermes
    assert {"code_execution", "files", "terminal"} <= {section.name for section in plugin_sections(hermes)}


def test_a_broken_setting_reaches_the_model_as_an_error_it_can_tell(agent: Callable[..., Any]) -> None:
    told = agent(terminal={"timeout": "soon"}).run("true")
    assert "cannot read its settings" in json.dumps(told)
