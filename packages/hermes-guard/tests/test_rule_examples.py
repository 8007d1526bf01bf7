"""Every rule holds on its own examples."""

import pytest

from hermes_guard import judge
from hermes_guard.guard import Guard
from hermes_guard.rules.family import Rule
from hermes_guard.rules.rule_files import RuleFileError, from_data, load

RULES = [rule for family in Guard().families for rule in family.rules]


@pytest.mark.parametrize(("rule", "command"), [(rule, command) for rule in RULES for command in rule.match])
def test_a_rule_finds_its_examples(rule: Rule, command: str) -> None:
    found = [finding for finding in judge(command, home="/home/dev").findings if finding.rule == rule.id]
    assert found, judge(command, home="/home/dev")
    assert rule.severity in {finding.severity for finding in found}


@pytest.mark.parametrize(("rule", "command"), [(rule, command) for rule in RULES for command in rule.not_match])
def test_a_rule_leaves_its_counterexamples_alone(rule: Rule, command: str) -> None:
    found = [f for f in judge(command, home="/home/dev").findings if f.rule == rule.id and f.severity == rule.severity]
    assert not found


def test_rule_ids_are_unique() -> None:
    ids = [rule.id for rule in RULES]
    assert len(ids) == len(set(ids))


def test_every_rule_has_examples_of_both_kinds() -> None:
    assert not [rule.id for rule in RULES if not rule.match or not rule.not_match]


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
