"""Every rule holds on its own examples, which are data of the package."""

import sys
import tomllib

import pytest

from hermes_guard import judge
from hermes_guard.catalogue import EXAMPLES, READING, Entry, catalogue
from hermes_guard.guard import Guard
from hermes_guard.paths.rules import RULES as PATH_RULES
from hermes_guard.rules import registry
from hermes_guard.rules.family import Family
from hermes_guard.rules.rule_files import RuleFileError, from_data, load

RULES = [entry for entry in catalogue(Guard()) if not entry.ops]
IDS_OF_FAMILY = {entry.family: {other.id for other in RULES if other.family == entry.family} for entry in RULES}
FIND_NOTHING_ALONE = {"guard.failed", "shell.too-long", "shell.unknown-state"}
"""Rules that no short command shows."""


@pytest.mark.parametrize(("rule", "command"), [(rule, command) for rule in RULES for command in rule.match])
def test_a_rule_finds_its_examples(rule: Entry, command: str) -> None:
    found = [finding for finding in judge(command, home="/home/dev").findings if finding.rule == rule.id]
    assert found, judge(command, home="/home/dev")
    assert rule.severity in {finding.severity for finding in found}


@pytest.mark.parametrize(("rule", "command"), [(rule, command) for rule in RULES for command in rule.not_match])
def test_a_rule_leaves_its_counterexamples_alone(rule: Entry, command: str) -> None:
    found = judge(command, home="/home/dev").findings
    ids = {finding.rule for finding in found if finding.rule != rule.id or finding.severity == rule.severity}
    # What one hardline rule leaves alone, another may refuse.
    assert ids.isdisjoint({rule.id} if rule.family == "hardline" else IDS_OF_FAMILY[rule.family])


def test_rule_ids_are_unique() -> None:
    ids = [rule.id for family in Guard().families for rule in family.rules]
    assert len(ids) == len(set(ids))


def test_every_rule_has_examples_of_both_kinds() -> None:
    assert {rule.id for rule in RULES if not rule.match} == FIND_NOTHING_ALONE
    assert not [rule.id for rule in RULES if not rule.not_match]


def test_every_group_of_rules_has_its_file_of_examples() -> None:
    groups = {name: {rule.id for rule in family.rules} for name, family in families_by_module().items()}
    groups |= {"paths": {rule.id for rule in PATH_RULES}, "reading": {entry.id for entry in READING}}
    files = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in EXAMPLES.glob("*.toml")}
    assert {name: examples.keys() for name, examples in files.items()} == groups
    assert {kind for examples in files.values() for kinds in examples.values() for kind in kinds} == {
        "match",
        "not_match",
    }


def families_by_module() -> dict[str, Family]:
    """The built-in families by the name of the module or package that holds them."""
    prefix = "hermes_guard.rules."
    registry.families()
    names = {name.removeprefix(prefix): module for name, module in sys.modules.items() if name.startswith(prefix)}
    return {name: module.FAMILY for name, module in names.items() if "." not in name and hasattr(module, "FAMILY")}


def test_rules_of_users_keep_their_own_examples() -> None:
    (git,) = (family for family in registry.families() if family.name == "git")
    family = Family("mine")
    family.rule(git.rules[0].id, "mine", match=["x"], not_match=["y"])
    (entry,) = (entry for entry in catalogue(Guard(rules=[family])) if entry.id == git.rules[0].id)
    assert (entry.match, entry.not_match) == (("x",), ("y",))


def test_a_user_adds_rules_from_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "rules.toml"
    file.write_text(
        """
        [[rule]]
        id = "mine.deploy"
        program = ["deploy", "ship"]
        flags = ["-f"]
        args = ["prod*"]
        severity = "refuse"
        reason = "production is deployed by people"
        """
    )
    guard = Guard(rules=[file])
    assert guard.judge("ship -vf production").severity == "refuse"
    assert guard.judge("ship -vf staging").severity == "allow"
    assert guard.judge("ship production").severity == "allow"
    assert guard.judge("rm -rf x").severity == "ask"


@pytest.mark.parametrize(
    "table", [{"id": "x"}, {"id": "x", "program": "p", "colour": 1}, {"id": "x", "program": "p", "severity": "no"}]
)
def test_a_bad_rule_says_what_is_wrong(table: dict[str, object]) -> None:
    with pytest.raises(RuleFileError, match="x"):
        from_data([table])


def test_a_file_that_is_no_toml_is_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "rules.toml"
    file.write_text("[[rule")
    with pytest.raises(RuleFileError, match=r"rules\.toml"):
        load(file)
