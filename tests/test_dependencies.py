"""What our packages declare is enough for every installer that may read it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from tomllib import loads

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PACKAGES = sorted((Path(__file__).parents[1] / "packages").glob("*/pyproject.toml"))
DECLARED = {
    canonicalize_name(Requirement(line).name)
    for file in PACKAGES
    for line in loads(file.read_text(encoding="utf-8"))["project"]["dependencies"]
}


@pytest.fixture(autouse=True)
def no_plugins_but_those_of_the_test() -> None:
    """Our own packages are what these tests are about."""


def requested(name: str, extras: frozenset[str] = frozenset(), *, seen: set[str]) -> Iterator[Requirement]:
    """Every requirement that installing a distribution leads to."""
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker and not any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            continue
        yield requirement
        if str(requirement) not in seen:
            seen.add(str(requirement))
            yield from requested(requirement.name, frozenset(requirement.extras), seen=seen)


def test_an_extra_that_old_pips_ignore_is_a_dependency_of_our_own() -> None:
    """The pips bundled with Python 3.11 compare extras as spelled, and ignore one that is spelled otherwise."""
    seen: set[str] = set()
    every = [each for file in PACKAGES for each in requested(file.parent.name, seen=seen)]
    assert len(every) > 20
    for requirement in every:
        offered = distribution(requirement.name).metadata.get_all("Provides-Extra") or []
        for extra in sorted(requirement.extras - set(offered)):
            brought = {canonicalize_name(each.name) for each in brought_by(requirement.name, extra)}
            assert brought <= DECLARED, f"{requirement} is not complete: declare {brought - DECLARED}"


def brought_by(name: str, extra: str) -> Iterator[Requirement]:
    """The requirements of one extra, however it is spelled."""
    for line in distribution(name).requires or ():
        marker = Requirement(line).marker
        if marker and marker.evaluate({"extra": canonicalize_name(extra)}) and not marker.evaluate({"extra": ""}):
            yield Requirement(line)
