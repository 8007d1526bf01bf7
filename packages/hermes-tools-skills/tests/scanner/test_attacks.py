"""Every attack is stopped, and no benign look-alike is."""

from pathlib import Path

import pytest

from hermes_tools_skills.scanner import scan_skill

from .samples.attacks import ATTACKS
from .samples.benign import BENIGN
from .samples.building import Files, skill, write
from .samples.varied import BENIGN_PROSE, HOSTILE_PROSE, REALISTIC, VARIED

_ATTACKS = [
    pytest.param(files, id=f"{kind}-{number}")
    for kind, samples in ATTACKS.items()
    for number, files in enumerate(samples)
]
_ATTACKS += [pytest.param(files, id=f"varied-{name}") for name, files in (VARIED | REALISTIC).items()]
_ATTACKS += [pytest.param(skill(f"{text}\n"), id=f"prose-{at}") for at, text in enumerate(HOSTILE_PROSE)]
_BENIGN = [pytest.param(files, id=name) for name, files in BENIGN.items()]
_BENIGN += [pytest.param(skill(f"{text}\n"), id=f"prose-{at}") for at, text in enumerate(BENIGN_PROSE)]


@pytest.mark.parametrize("files", _ATTACKS)
def test_an_attack_is_blocked_for_the_community(files: Files, tmp_path: Path) -> None:
    report = scan_skill(write(files, tmp_path / "sample"))
    assert not report.problems
    assert report.action() == "block"
    assert all(finding.resolution and finding.file for finding in report.findings)


@pytest.mark.parametrize("files", _BENIGN)
def test_a_benign_look_alike_is_allowed(files: Files, tmp_path: Path) -> None:
    report = scan_skill(write(files, tmp_path / "sample"))
    assert not report.problems
    assert report.action() == "allow", [finding for finding in report.findings if finding.severity != "note"]


def test_there_are_enough_samples_of_each_class() -> None:
    assert all(len(samples) >= 8 for samples in ATTACKS.values())
    assert len(BENIGN) >= 60
