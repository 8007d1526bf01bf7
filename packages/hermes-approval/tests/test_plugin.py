"""The manifest describes the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hermes_approval

SOURCE = Path(__file__).parents[1]


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


def test_the_facade_holds_what_it_names() -> None:
    assert all(hasattr(hermes_approval, name) for name in hermes_approval.__all__)
