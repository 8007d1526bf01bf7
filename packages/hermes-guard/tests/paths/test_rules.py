"""Every rule matches its own examples, and none of its counterexamples."""

import pytest

from hermes_guard import Guard
from hermes_guard.catalogue import Entry, catalogue
from hermes_guard.paths import DEFAULT_POLICY, Op, PathRule, judge_path
from hermes_guard.paths.rule import BOTH

HOME = "/home/dev"
RULES = DEFAULT_POLICY.rules
IDS = {rule.id for rule in RULES}
ENTRIES = [entry for entry in catalogue(Guard()) if entry.id in IDS]


def _examples(kind: str) -> list[tuple[str, Op, str]]:
    return [
        (entry.id, op, path) for entry in ENTRIES for op in BOTH if op in entry.ops for path in getattr(entry, kind)
    ]


@pytest.mark.parametrize(("rule", "op", "path"), _examples("match"))
def test_a_rule_hits_its_examples(rule: str, op: Op, path: str) -> None:
    assert rule in judge_path(op, path, home=HOME).rules


@pytest.mark.parametrize(("rule", "op", "path"), _examples("not_match"))
def test_a_rule_leaves_its_counterexamples_alone(rule: str, op: Op, path: str) -> None:
    assert rule not in judge_path(op, path, home=HOME).rules


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_a_rule_has_examples_of_both_kinds(entry: Entry) -> None:
    assert entry.match
    assert entry.not_match


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_complete(rule: PathRule) -> None:
    assert rule.id.startswith("path.")
    assert rule.reason.endswith(".")
    assert len(set(rule.patterns)) == len(rule.patterns)
    assert rule.effects <= {"read", "write", "delete", "network", "exec", "privileged", "spend", "message"}


def test_only_what_destroys_the_machine_is_refused() -> None:
    refused = {rule.id for rule in RULES if rule.severity == "refuse"}
    assert refused == {"path.raw-disk", "path.sysrq"}


def test_a_rule_about_a_whole_place_gives_way_to_one_that_knows_better() -> None:
    assert judge_path("write", "/etc/sudoers", home=HOME, workspace="/home/dev/shop").rules == ("path.accounts",)
    assert judge_path("write", "/etc/motd", home=HOME, workspace="/home/dev/shop").rules == ("path.etc",)
    assert judge_path("write", "/dev/sda", home=HOME, workspace="/home/dev/shop").rules == ("path.raw-disk",)
    assert judge_path("write", ".git/hooks/pre-push", home=HOME).rules == ("path.git-hook",)


def test_a_finding_names_the_rule_the_path_and_the_effects() -> None:
    (finding,) = judge_path("write", "~/.bashrc", home=HOME).findings
    assert finding.rule == "path.shell-startup"
    assert finding.path == "/home/dev/.bashrc"
    assert finding.effects == {"write", "exec"}
    assert finding.severity == "ask"
