"""The samples that `hermes doctor` has the guard judge."""

import pytest

from hermes_guard import health


def test_the_samples_are_judged_as_they_should_be() -> None:
    assert list(health.misjudged()) == []


def test_a_wrong_verdict_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "SAMPLES", (("rm -rf /", "allow"), ("ls", "allow")))
    (problem,) = health.misjudged()
    assert problem.startswith("'rm -rf /' is judged 'refuse' instead of allow")
