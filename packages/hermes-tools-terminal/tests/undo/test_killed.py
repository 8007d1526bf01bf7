"""kill -9 at any point: every file is old or new, and somebody can go on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DRIVER = Path(__file__).with_name("killing.py")


def test_whoever_is_killed_leaves_files_that_are_old_or_new_and_a_way_to_go_on(memory: Path) -> None:
    words = [sys.executable, "-W", "error", str(DRIVER), str(memory), "150", "7"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "killed 150" in done.stdout
    # It is no proof unless some of them were killed between two files.
    assert "mixed unfinished" in done.stdout
