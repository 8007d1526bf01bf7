"""Options are parsed the way each program parses them."""

import pytest

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.shell import read

RM = Spec("r R f recursive force preserve-root? no-preserve-root o= output= interactive? i? help version")


def options(source: str, spec: Spec = RM) -> Options:
    return parse(read(source).commands[0], spec)


@pytest.mark.parametrize(
    "source", ["rm -rf x", "rm -f -r x", "rm -fr x", "rm x -r", "rm --recursive x", "rm --rec x", "rm -foa -r x"]
)
def test_recursive_in_every_spelling(source: str) -> None:
    assert options(source).has("r", "R", "recursive")
    assert [word.raw for word in options(source).operands] == ["x"]


@pytest.mark.parametrize("source", ["rm -- -r", "rm -o -r x", "rm --output -r x", "rm --output=r x", "rm -or x"])
def test_what_is_no_flag_is_none(source: str) -> None:
    assert not options(source).has("r", "recursive")


def test_values_attached_and_separate() -> None:
    for source in ("rm -oa", "rm -o a", "rm -foa", "rm --output=a", "rm --output a", "rm --out a"):
        value = options(source).value("o", "output")
        assert value is not None
        assert value.raw == "a"


def test_posix_ends_options_at_the_first_operand() -> None:
    found = options("git -C d reset --hard", Spec("C= c=", posix=True))
    assert [word.raw for word in found.operands] == ["reset", "--hard"]
    assert found.subcommand() == "reset"


def test_single_dash_names_and_bundles() -> None:
    assert options("openssl -name=x y", Spec("name=", single=True)).has("name")
    found = options("tar xzf a.tgz -C d", Spec("x z f= C=", bundle=True))
    assert str(found.value("f")) == "a.tgz"
    assert found.has("x")


def test_unknown_options_and_uncertain_words_are_kept_apart() -> None:
    found = options("rm -q --odd $x y")
    assert found.unknown == ["q", "odd"]
    assert [word.source for word in found.uncertain] == ["$x"]
