"""Matchers know texts, and nothing of those who ask."""

from __future__ import annotations

import subprocess
import sys


def test_matchers_know_neither_rules_nor_grants() -> None:
    code = """
import sys
from hermes_approval.matchers import globs, hosts, paths, regexes, rule_error
print([name for name in sys.modules if name.startswith(("hermes_approval.policy", "hermes_approval.grants"))])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_listing_tools_loads_no_matcher() -> None:
    code = """
import sys, hermes_core
from hermes_approval.settings_schema import APPROVAL_SECTIONS
hermes_core.Hermes.load(discover=False).tools()
print([name for name in sys.modules if name == "re2" or name.startswith("hermes_approval.matchers")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
