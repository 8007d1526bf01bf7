"""Requirements are read as the library of packaging reads them."""

from __future__ import annotations

import re
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hermes_files import extras


def test_markers_and_ranges_are_read_as_packaging_reads_them() -> None:
    lines = {line for found in distributions() for line in found.requires or ()}
    assert len(lines) > 100
    for line in sorted(lines):
        theirs, ours = Requirement(line), extras._parse(line)
        assert ours is not None, line
        assert (ours.name, set(ours.extras)) == (theirs.name, theirs.extras)
        for version in ("0.9", "1.0", "1.5.2", "2.0", "3.4.1", "5", "2025.1"):
            expected = theirs.specifier.contains(version, prereleases=True)
            assert extras._is_within(version, ours.range) is expected, (line, version)
        for name in re.findall(r"extra == ['\"]([^'\"]+)", line):
            marker = theirs.marker
            assert marker is not None
            expected = marker.evaluate({"extra": name}) and not marker.evaluate({"extra": ""})
            assert extras._adds(ours.marker, canonicalize_name(name)) is expected, line


def test_the_extra_that_brings_a_module_is_found_by_names() -> None:
    assert extras.find_requirement("hermes-files", "yaml.nodes") == "hermes-files"
    assert extras.find_requirement("hermes-files", "numpy") is None
    assert extras.find_requirement("no-such-distribution", "numpy") is None


def test_what_is_missing_is_found_below_extras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = {
        "extras-shed": ["Requires-Dist: extras-parser>=1", 'Requires-Dist: other; python_version < "3"'],
        "extras-parser": ["Requires-Dist: extras-tree[html_clean] (>=4.2)", "Requires-Dist: extras-gone"],
        "extras-tree": ['Requires-Dist: extras-clean ; extra == "html-clean"', 'Requires-Dist: no ; extra == "more"'],
    }
    for name, lines in metadata.items():
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        text = "\n".join([f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0", *lines])
        (info / "METADATA").write_text(f"{text}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert set(extras.find_missing(["extras-shed", "no-such-distribution"])) == {
        ("extras-shed", "extras-clean", "extras-tree[html-clean]"),
        ("extras-shed", "extras-gone", "extras-parser"),
    }
