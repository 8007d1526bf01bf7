"""`hermes policy` proves rules, explains what they make of a call, and tries them on the calls of the past."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from hermes_approval.audit.timestamps import stamp
from hermes_approval.grants.grant import Grant
from hermes_approval.grants.grant_store import GrantStore
from hermes_core import Hermes

Run = Callable[..., CompletedProcess[str]]

PLUGIN = '''
from hermes_core import Ask, Deny, Finding, Rewrite, hookimpl, tool


@tool(toolset="garden", effects=["delete"], aliases=["fell"])
def cut_tree(height: int, name: str = "") -> str:
    """Cut a tree."""
    open(RAN, "w").close()
    return "cut"


@tool(toolset="garden", effects=["read"])
def smell_rose() -> str:
    """Smell a rose."""
    return "sweet"


@tool(toolset="garden", requires_env=["NO_SUCH_KEY_ANYWHERE"])
def buy_spade() -> str:
    """Buy a spade."""
    return "bought"


@hookimpl
def hermes_tools():
    return [cut_tree, smell_rose, buy_spade]


@hookimpl
def hermes_assess_call(call):
    open(ASSESSED, "w").close()
    if call.args.get("name") == "yggdrasil":
        return Finding(rule="garden.world-tree", severity="refuse", reason="The world hangs on it.")


@hookimpl
def hermes_pre_tool_call(call):
    name = call.args.get("name")
    if name == "oak":
        return Rewrite({**call.args, "height": 30}, reason="oaks are taller")
    if name == "ash":
        return Ask("ashes are rare", rule="garden.ash")
    return Deny("yews are holy") if name == "yew" else None
'''

ASK = """
policy:
  rules:
    - name: ask-before-cutting
      match: {tool: cut_tree}
      action: ask
      reason: Trees grow slowly.
      examples: {match: [cut_tree height=3], not_match: [smell_rose]}
    - name: no-giants
      match: {tool: cut_tree, args: {height: {over: 10}}}
      action: deny
      reason: Giants stay.
"""


@pytest.fixture
def garden(home: Path) -> Path:
    """The user's folder, with a plugin that leaves a trace when a tool of it runs, and when it judges a call."""
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "garden.py").write_text(
        f"RAN = {str(home / 'ran')!r}\nASSESSED = {str(home / 'assessed')!r}\n{PLUGIN}"
    )
    return home


def write_config(home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(text)


def write_log(home: Path, *entries: dict[str, Any]) -> None:
    home.mkdir(exist_ok=True)
    common = {"v": 1, "id": "c1", "toolset": "garden", "effects": ["delete"], "source": "garden", "status": "ok"}
    lines = [json.dumps({**common, "at": stamp(time.time()), **entry}) for entry in entries]
    (home / "audit.jsonl").write_text("".join(f"{line}\n" for line in lines))


def told(outcome: CompletedProcess[str], code: int = 0) -> Any:
    assert outcome.returncode == code, outcome.stdout + outcome.stderr
    return json.loads(outcome.stdout)


# -- check -------------------------------------------------------------------------------------------------------


def test_a_policy_that_is_fine_says_how_many_rules_and_examples_it_has(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    outcome = bare("policy", "check")
    assert (outcome.returncode, outcome.stdout) == (0, f"{garden}/config.yaml is fine: 2 rules, 2 examples run.\n")
    report = told(bare("policy", "check", "--json"))
    assert (report["ok"], report["examples"], report["problems"]) == (True, 2, [])
    assert report["rules"][1] == {
        "name": "no-giants",
        "action": "deny",
        "file": f"{garden}/config.yaml",
        "line": 9,
        "shadow": False,
        "examples": 0,
    }


def test_no_policy_is_no_mistake(bare: Run, home: Path) -> None:
    outcome = bare("policy", "check")
    assert outcome.returncode == 0
    assert outcome.stdout.startswith("There is no policy in ")
    assert told(bare("policy", "check", "--json"))["rules"] == []


def test_every_mistake_is_listed_with_place_key_reason_nearest_name_and_example(bare: Run, garden: Path) -> None:
    wrong = ASK.replace("action: ask", "action: aks").replace("{over: 10}", "{ovr: 10}")
    write_config(garden, wrong)
    outcome = bare("policy", "check")
    assert outcome.returncode == 1
    first, second, *rest = outcome.stdout.splitlines()
    assert first == (
        f"error: {garden}/config.yaml:6: policy.rules[0].action: is 'aks': allow, ask or deny. Did you mean 'ask'? "
        "Example: action: deny"
    )
    assert "config.yaml:10: policy.rules[1].match.args.height.ovr: there is no such matcher." in second
    assert "Did you mean 'over'?" in second
    assert rest == [
        "2 errors. Other rules: 0 rules, 0 examples run.",
        "No tool can be called until you fix them.",
    ]
    report = told(bare("policy", "check", "--json"), 1)
    assert [problem["nearest"] for problem in report["problems"]] == [["ask"], ["over"]]
    assert bare("call", "smell_rose").returncode == 2


def test_an_example_that_fails_is_a_mistake(bare: Run, garden: Path) -> None:
    write_config(garden, ASK.replace("[smell_rose]", "[cut_tree height=1]"))
    outcome = bare("policy", "check")
    assert outcome.returncode == 1
    assert "matches 'cut_tree height=1', which is under not_match" in outcome.stdout
    assert "1 error. Other rules: 1 rule, 0 examples run." in outcome.stdout


def test_a_policy_that_is_fine_lets_tools_be_called(bare: Run, garden: Path) -> None:
    by_effect = "{match: [cut_tree height=3], not_match: [smell_rose]}"
    write_config(
        garden,
        f"policy: {{rules: [{{name: a, match: {{effect: delete}}, action: ask, examples: {by_effect}}}]}}\n",
    )
    # What needs the tools to be judged must not be called fine when the host, which reads without them, refuses it.
    assert bare("policy", "check").returncode == (0 if bare("call", "smell_rose").returncode == 0 else 1)


def test_a_rule_for_a_tool_that_is_not_there_is_a_warning(bare: Run, garden: Path) -> None:
    write_config(garden, ASK.replace("match: {tool: cut_tree}", "match: {tool: cut_tre}").replace("    examples", "#"))
    outcome = bare("policy", "check")
    assert outcome.returncode == 0, outcome.stdout
    assert outcome.stdout.startswith("warning: ")
    assert "no tool has this name. Did you mean 'cut_tree'?" in outcome.stdout
    report = told(bare("policy", "check", "--json"))
    assert (report["ok"], report["problems"][0]["level"]) == (True, "warning")


def test_a_rule_about_tool_search_is_known_and_one_about_tool_call_is_told_to_name_the_tool_inside(
    bare: Run, garden: Path
) -> None:
    rules = "".join(
        f"  - {{name: {name}, match: {{{about}}}, action: ask}}\n"
        for name, about in (
            ("found", "tool: tool_search"),
            ("both", "toolset: tool_search"),
            ("call", "tool: tool_call"),
        )
    )
    write_config(garden, f"policy:\n  rules:\n{rules}")
    report = told(bare("policy", "check", "--json"))
    (problem,) = report["problems"]
    assert (report["ok"], problem["key"]) == (True, "policy.rules[2].match.tool")
    assert "never see tool_call, but the tool that it calls: name that tool." in problem["reason"]
    steps = told(bare("policy", "explain", "tool_search", "query=roses", "--json"))
    assert (steps["resolve"]["found"], steps["resolve"]["toolset"]) == (True, "tool_search")
    assert [rule["matches"] for rule in steps["policy"]["rules"]] == [True, True, False]
    assert steps["verdict"]["outcome"] == "ask"
    inside = told(bare("policy", "explain", "tool_call", '{"name": "smell_rose", "arguments": {}}', "--json"))
    assert inside["call"]["tool"] == "smell_rose"


def test_rules_in_shadow_are_named(bare: Run, garden: Path) -> None:
    write_config(garden, ASK.replace("reason: Giants stay.", "shadow: true"))
    outcome = bare("policy", "check")
    assert "In shadow, only noting what they would have done: no-giants.\n" in outcome.stdout
    assert [rule["shadow"] for rule in told(bare("policy", "check", "--json"))["rules"]] == [False, True]
    write_config(garden, ASK.replace("  rules:", "  shadow: true\n  rules:"))
    assert "would have done: all rules.\n" in bare("policy", "check").stdout
    assert told(bare("policy", "check", "--json"))["shadow"] is True


@pytest.mark.parametrize("text", ["policy: [", "policy: {}\npolicy: {}\n", "- 1\n"])
def test_a_file_that_cannot_be_read_is_another_status(bare: Run, garden: Path, text: str) -> None:
    write_config(garden, text)
    for words in (["check"], ["explain", "smell_rose"], ["backtest"]):
        outcome = bare("policy", *words)
        assert (outcome.returncode, outcome.stdout) == (2, "")
        assert "config.yaml" in outcome.stderr


@pytest.mark.parametrize("section", ["5", "[1]", "{rules: 3}", "{rules: [3]}", "{ruls: []}", "{rules: [{}]}"])
def test_a_section_of_any_shape_is_a_mistake_with_a_line(bare: Run, garden: Path, section: str) -> None:
    write_config(garden, f"policy: {section}\n")
    report = told(bare("policy", "check", "--json"), 1)
    assert {problem["line"] for problem in report["problems"]} == {1}


@pytest.mark.parametrize("head", ["policy:\n  rules:", "rules:"])
def test_rules_are_checked_before_they_are_installed(bare: Run, garden: Path, tmp_path: Path, head: str) -> None:
    write_config(garden, ASK.replace("action: ask", "action: aks"))
    file = tmp_path / "new.yaml"
    file.write_text(f"{head} [{{name: softer, match: {{tool: cut_tree}}, action: ask}}]\n")
    outcome = bare("policy", "check", "--rules", str(file))
    assert (outcome.returncode, outcome.stdout) == (0, f"{file} is fine: 1 rule, 0 examples run.\n")
    file.write_text(f"{head} [{{name: softer, match: {{tool: cut_tree}}, action: aks}}]\n")
    outcome = bare("policy", "check", "--rules", str(file))
    assert outcome.returncode == 1
    lines = outcome.stdout.splitlines()
    assert lines[0].startswith(f"error: {file}:")
    assert lines[1:] == ["1 error. Other rules: 0 rules, 0 examples run."]
    assert told(bare("policy", "check", "--rules", str(file), "--json"), 1)["file"] == str(file)


@pytest.mark.parametrize("text", ["something: else\n", "policies: {rules: []}\n", "policy: [\n", "- 1\n", ""])
def test_a_file_without_rules_is_not_fine(bare: Run, garden: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "new.yaml"
    file.write_text(text)
    outcome = bare("policy", "check", "--rules", str(file))
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert str(file) in outcome.stderr
    assert ("Did you mean 'policy'?" in outcome.stderr) == text.startswith("policies")


@pytest.mark.parametrize("name", ["policies", "Policy", "POLICY", "polcy", "rules"])
def test_a_section_that_was_meant_to_be_the_policy_is_a_mistake(bare: Run, garden: Path, name: str) -> None:
    body = "\n  - {name: a, match: {tool: cut_tree}, action: deny}\n" if name == "rules" else "\n  rules: []\n"
    write_config(garden, f"{name}:{body}")
    outcome = bare("policy", "check")
    assert outcome.returncode == 1
    first, last = outcome.stdout.splitlines()
    assert first.startswith(
        f"error: {garden}/config.yaml:1: {name}: is not a known section, so its rules are not used."
    )
    assert "Did you mean 'policy'?" in first
    assert last.startswith("There is no policy in ")
    assert told(bare("policy", "check", "--json"), 1)["ok"] is False
    write_config(garden, f"{ASK}{name}:{body}")
    assert bare("policy", "check").returncode == 1


def test_other_sections_that_nobody_reads_are_no_matter_of_the_policy(bare: Run, garden: Path) -> None:
    write_config(garden, f"{ASK}garden: {{}}\nmodel: x\n")
    assert bare("policy", "check").returncode == 0


# -- explain -----------------------------------------------------------------------------------------------------


def explained(bare: Run, *words: str) -> Any:
    return told(bare("policy", "explain", *words, "--json"))


@pytest.mark.parametrize(
    "words",
    [
        ('cut_tree {"height": 3}',),
        ("cut_tree height=3",),
        ("cut_tree", "height=3"),
        ("cut_tree", '{"height": 3}'),
        ("fell", "height=3"),
    ],
)
def test_a_call_can_be_written_as_in_examples_and_as_for_call(bare: Run, garden: Path, words: tuple[str, ...]) -> None:
    write_config(garden, ASK)
    report = explained(bare, *words)
    assert report["call"] == {"tool": "cut_tree", "args": {"height": 3}, "session": "interactive"}
    assert report["verdict"]["outcome"] == "ask"


def test_every_stage_is_told_and_nothing_runs(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    report = explained(bare, "cut_tree", '{"height": "30"}')
    assert report["resolve"] == {
        "found": True,
        "name": "cut_tree",
        "plugin": "garden",
        "toolset": "garden",
        "effects": ["delete"],
        "available": True,
        "reason": None,
    }
    assert report["arguments"]["fit"] is True
    assert report["arguments"]["args"]["height"] == 30
    assert len(report["arguments"]["repairs"]) == 1
    asks, denies = report["policy"]["rules"]
    assert (asks["name"], asks["line"], asks["matches"], asks["counts"]) == ("ask-before-cutting", 4, True, True)
    assert (denies["action"], denies["matches"], denies["why"]) == ("deny", True, "Giants stay.")
    assert report["policy"]["findings"] == [
        {"rule": "policy.ask-before-cutting", "severity": "ask", "reason": "Trees grow slowly."}
    ]
    assert (report["grants"], report["mode"]) == ([], "manual")
    assert (report["verdict"]["outcome"], report["verdict"]["by"]) == ("denied-by-policy", "rules")
    assert [(hook["stage"], hook["plugin"], hook["says"]) for hook in report["hooks"]] == [
        ("pre", "garden", "allow"),
        ("assess", "garden", "allow"),
    ]
    assert report["hooks_run"] is True
    assert (garden / "assessed").exists()
    assert not (garden / "ran").exists()
    assert not (garden / "audit.jsonl").exists()


def test_people_see_a_table_of_the_rules_and_a_verdict(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    lines = bare("policy", "explain", "cut_tree height=3").stdout.splitlines()
    assert lines[0] == "tool       cut_tree (plugin garden, toolset garden, effects: delete)"
    assert "ask-before-cutting  ask   yes      Trees grow slowly." in " ".join(lines)
    assert any(line.endswith("config.yaml:9") and "args.height does not match over 10" in line for line in lines)
    assert lines[-1] == "cut_tree: ask. It would ask an approver; without one, the call is denied. Trees grow slowly."


def test_plugins_are_heard_and_have_their_part_in_the_verdict(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    for name, outcome, by in (
        ("yggdrasil", "refused", "garden.world-tree"),
        ("yew", "denied-by-policy", "garden"),
        ("oak", "denied-by-policy", "rules"),
        ("ash", "ask", "findings"),
    ):
        report = explained(bare, "cut_tree", "height=3", f"name={name}")
        assert (report["verdict"]["outcome"], report["verdict"]["by"]) == (outcome, by)
        with Hermes.load() as host:
            decision = host.run("cut_tree", {"height": 3, "name": name}).decision
            assert decision is not None
            assert decision.outcome == ("no-approver" if outcome == "ask" else outcome)
    assert report["findings"] == [
        {"rule": "garden.ash", "severity": "ask", "reason": "ashes are rare"},
        {"rule": "policy.ask-before-cutting", "severity": "ask", "reason": "Trees grow slowly."},
    ]
    told_to_people = bare("policy", "explain", "cut_tree", "height=3", "name=ash").stdout
    assert "policy hook of garden  ask    garden.ash: ashes are rare" in told_to_people
    assert explained(bare, "cut_tree", "height=3", "name=oak")["arguments"]["args"]["height"] == 30


def test_rules_can_be_explained_without_running_any_plugin(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    report = explained(bare, "cut_tree", "height=3", "name=yew", "--rules-only")
    assert (report["hooks"], report["hooks_run"], report["verdict"]["outcome"]) == ([], False, "ask")
    assert not (garden / "assessed").exists()
    shown = bare("policy", "explain", "cut_tree", "height=3", "--rules-only").stdout
    assert shown.endswith("Policy hooks and the tool's own assessment were not run, and may change it.\n")


@pytest.mark.parametrize("columns", ["80", "100"])
def test_the_tables_fit_the_terminal(bare: Run, garden: Path, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    write_config(garden, ASK.replace("Trees grow slowly.", "Trees grow slowly. " * 20))
    write_log(garden, {"tool": "cut_tree", "args": {"height": 3, "name": "x" * 300}})
    monkeypatch.setenv("COLUMNS", columns)
    lines = bare("policy", "explain", "cut_tree height=3").stdout.splitlines()
    table = lines[lines.index(next(line for line in lines if line.startswith("RULE"))) : -3]
    assert max(map(len, table)) <= int(columns)
    assert max(map(len, bare("policy", "backtest").stdout.splitlines())) <= int(columns)


def test_the_session_decides_who_can_be_asked(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    verdict = explained(bare, "cut_tree height=3", "--session", "cron")["verdict"]
    assert (verdict["outcome"], verdict["by"], verdict["rules"]) == ("no-approver", "session kind cron", "ask")
    write_config(garden, ASK + "approvals: {cron_mode: approve}\n")
    assert explained(bare, "cut_tree height=3", "--session", "cron")["verdict"]["outcome"] == "allowed"
    assert explained(bare, "cut_tree height=3")["verdict"]["outcome"] == "ask"
    write_config(garden, ASK + "approvals: {mode: off}\n")
    verdict = explained(bare, "cut_tree height=3")["verdict"]
    assert (verdict["outcome"], verdict["by"]) == ("allowed", "approvals.mode")
    assert explained(bare, "cut_tree height=30")["verdict"]["outcome"] == "denied-by-policy"


def test_what_was_granted_before_is_told_and_not_used_up(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    grant = Grant(
        id="g1",
        tool="cut_tree",
        rule="policy.ask-before-cutting",
        args={"*": {"any": True}},
        scope="always",
        uses=1,
        by="ann",
        at=1.0,
    )
    GrantStore(garden).add(grant)
    for _ in range(2):
        report = explained(bare, "cut_tree height=3")
        assert report["grants"] == [{"rule": "policy.ask-before-cutting", "id": "g1", "scope": "always", "by": "ann"}]
        assert report["verdict"]["outcome"] == "allowed"
        assert "approved before" in report["policy"]["rules"][0]["why"]
    assert "g1 answers policy.ask-before-cutting, given by ann" in bare("policy", "explain", "cut_tree height=3").stdout
    assert explained(bare, "cut_tree height=30")["verdict"]["outcome"] == "denied-by-policy"


def test_a_rule_in_shadow_matches_and_does_not_count(bare: Run, garden: Path) -> None:
    write_config(garden, ASK.replace("reason: Giants stay.", "shadow: true"))
    rule = explained(bare, "cut_tree height=30")["policy"]["rules"][1]
    assert (rule["shadow"], rule["matches"], rule["counts"]) == (True, True, False)
    outcome = bare("policy", "explain", "cut_tree height=30")
    assert "deny, in shadow" in outcome.stdout
    assert "matches, but only in shadow" in outcome.stdout
    assert "cut_tree: ask." in outcome.stdout


def test_a_call_of_a_hidden_tool_is_explained_as_the_call_inside(bare: Run, garden: Path) -> None:
    wrapped = json.dumps({"name": "fell", "arguments": {"height": 3}})
    inside = bare("policy", "explain", "--json", "tool_call", wrapped)
    direct = json.loads(bare("policy", "explain", "--json", "fell", '{"height": 3}').stdout)
    told_inside = json.loads(inside.stdout)
    assert told_inside["call"]["tool"] == direct["call"]["tool"] == "cut_tree"
    assert told_inside["verdict"] == direct["verdict"]


def test_the_rules_are_explained_for_a_tool_that_is_not_there(bare: Run, garden: Path) -> None:
    write_config(garden, ASK.replace("tool: cut_tree, args", "tool: cut_*, args"))
    report = explained(bare, "cut_trees", "height=30", "note=two words")
    assert report["call"]["args"] == {"height": 30, "note": "two words"}
    assert report["resolve"] == {"found": False, "nearest": ["cut_tree"]}
    assert report["arguments"]["fit"] is None
    assert [rule["matches"] for rule in report["policy"]["rules"]] == [False, True]
    assert (report["verdict"]["outcome"], report["verdict"]["rules"]) == ("unknown-tool", "denied")
    outcome = bare("policy", "explain", "cut_trees height=30")
    assert "cut_trees is unknown here; did you mean cut_tree?" in outcome.stdout
    assert "The rules alone would say: denied.\n" in outcome.stdout


def test_a_call_that_ends_before_the_rules_says_so(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    verdict = explained(bare, 'cut_tree {"height": "tall"}')["verdict"]
    assert (verdict["outcome"], verdict["by"]) == ("invalid-arguments", "validate")
    assert "height" in verdict["reason"]
    assert explained(bare, "buy_spade")["verdict"]["outcome"] == "unavailable"


@pytest.mark.parametrize("words", [("cut_tree {",), ("cut_tree", "height"), ("=",), ()])
def test_what_is_no_call_is_wrong_usage(bare: Run, garden: Path, words: tuple[str, ...]) -> None:
    outcome = bare("policy", "explain", *words)
    assert (outcome.returncode, outcome.stdout) == (2, "")


def test_rules_that_cannot_be_used_explain_nothing(bare: Run, garden: Path) -> None:
    write_config(garden, ASK.replace("action: ask", "action: aks"))
    outcome = bare("policy", "explain", "cut_tree height=3")
    assert outcome.returncode == 2
    assert "policy.rules[0].action" in outcome.stderr


def test_the_verdict_is_what_becomes_of_the_call(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    with Hermes.load() as host:
        for call, said in (("smell_rose", "allowed"), ("cut_tree height=3", "ask"), ("cut_tree height=30", "denied")):
            name, _, value = call.partition(" height=")
            record = host.run(name, {"height": int(value)} if value else {})
            outcome = record.decision.outcome if record.decision else "allowed"
            expected = {"ask": "no-approver", "denied": "denied-by-policy"}.get(said, said)
            assert outcome == expected
            assert explained(bare, call)["verdict"]["outcome"].startswith(said)


def test_nothing_that_is_printed_steers_the_terminal(bare: Run, garden: Path) -> None:
    evil = "\x1b[2Jgone\u202e"
    write_config(garden, ASK.replace("Trees grow slowly.", json.dumps(evil)))
    write_log(garden, {"tool": f"cut_tree{evil}", "args": {"name": evil}}, {"tool": "cut_tree", "args": {"a": evil}})
    outputs = [
        bare("policy", "explain", f"cut_tree{evil}", f'{{"height": {json.dumps(evil)}}}'),
        bare("policy", "explain", "cut_tree height=3"),
        bare("policy", "check"),
        bare("policy", "backtest"),
    ]
    for outcome in outputs:
        assert outcome.stdout
        assert "\x1b" not in outcome.stdout + outcome.stderr
        assert "\u202e" not in outcome.stdout + outcome.stderr


# -- backtest ----------------------------------------------------------------------------------------------------


def test_without_a_file_the_present_policy_is_compared_with_none(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    write_log(
        garden,
        {"tool": "cut_tree", "args": {"height": 1}},
        {"tool": "cut_tree", "args": {"height": 30}},
        {"tool": "smell_rose", "args": {}},
        {"tool": "cut_tree", "args": {"height": 2}},
    )
    outcome = bare("policy", "backtest")
    assert outcome.returncode == 1
    lines = outcome.stdout.splitlines()
    assert lines[0] == "2 calls: no rule -> ask, by ask-before-cutting"
    assert lines[1].startswith("  20")
    assert lines[1].endswith('  cut_tree {"height": 1}')
    assert lines[2].endswith('  cut_tree {"height": 2}')
    assert lines[3] == "1 call: no rule -> deny, by no-giants"
    assert lines[5] == "4 calls judged, 3 would change."
    report = told(bare("policy", "backtest", "--json"), 1)
    assert report["judged"] == 4
    assert [(flip["before"], flip["after"], flip["count"]) for flip in report["flips"]] == [
        (None, "ask", 2),
        (None, "deny", 1),
    ]


@pytest.mark.parametrize("head", ["policy:\n  rules:", "rules:"])
def test_new_rules_are_compared_with_the_present_ones(bare: Run, garden: Path, tmp_path: Path, head: str) -> None:
    write_config(garden, ASK)
    write_log(garden, {"tool": "cut_tree", "args": {"height": 3}}, {"tool": "cut_tree", "args": {"height": 30}})
    file = tmp_path / "new.yaml"
    file.write_text(f"{head} [{{name: softer, match: {{tool: cut_tree}}, action: ask}}]\n")
    report = told(bare("policy", "backtest", "--rules", str(file), "--json"), 1)
    assert [(flip["before"], flip["after"], flip["by"]) for flip in report["flips"]] == [("deny", "ask", ["softer"])]
    file.write_text(ASK)
    outcome = bare("policy", "backtest", "--rules", str(file))
    assert (outcome.returncode, outcome.stdout) == (0, "2 calls judged, 0 would change.\n")


def test_rules_in_shadow_change_nothing_until_they_are_taken_to_be_in_force(bare: Run, garden: Path) -> None:
    write_config(garden, ASK.replace("reason: Giants stay.", "shadow: true"))
    write_log(garden, {"tool": "cut_tree", "args": {"height": 3}}, {"tool": "cut_tree", "args": {"height": 30}})
    outcome = bare("policy", "backtest")
    assert "2 calls: no rule -> ask, by ask-before-cutting" in outcome.stdout
    assert "1 rule in shadow changed nothing; use --in-force to judge by them, too." in outcome.stdout
    report = told(bare("policy", "backtest", "--in-force", "--json"), 1)
    assert [(flip["before"], flip["after"], flip["count"]) for flip in report["flips"]] == [("ask", "deny", 1)]


def test_only_calls_of_the_time_that_is_asked_for_count(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    now = time.time()
    call = {"tool": "cut_tree", "args": {"height": 3}}
    write_log(garden, {**call, "at": stamp(now - 7200)}, {**call, "at": stamp(now)})
    assert told(bare("policy", "backtest", "--since", "1h", "--json"), 1)["judged"] == 1
    assert bare("policy", "backtest", "--since", "yesterdayish").returncode == 2


def test_calls_that_never_reached_the_rules_are_left_out(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    codes = ("unknown_tool", "unavailable", "invalid_arguments", "denied")
    write_log(garden, *({"tool": "cut_tree", "args": {"height": 3}, "code": code} for code in codes))
    report = told(bare("policy", "backtest", "--json"), 1)
    assert (report["judged"], report["skipped"]) == (1, {"it ended before rules are asked": 3})


def test_every_call_that_would_change_is_listed_and_the_same_one_only_counted(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    heights = [number % 40 + 20 for number in range(120)]
    write_log(
        garden,
        *({"tool": "cut_tree", "args": {"height": height}, "id": f"c{n}"} for n, height in enumerate(heights)),
    )
    head, *lines = bare("policy", "backtest").stdout.splitlines()
    assert head == "120 calls: no rule -> deny, by no-giants"
    assert [line.partition(" x 3  ")[2] for line in lines[:-1]] == [
        f'cut_tree {{"height": {height}}}' for height in range(20, 60)
    ]
    assert lines[-1] == "120 calls judged, 120 would change."
    calls = told(bare("policy", "backtest", "--json"), 1)["flips"][0]["calls"]
    assert [(call["id"], call["args"]["height"]) for call in calls] == [(f"c{n}", h) for n, h in enumerate(heights)]
    assert set(calls[0]) == {"id", "at", "tool", "args"}
    limited = bare("policy", "backtest", "--limit", "2").stdout.splitlines()
    assert limited[3:] == ["  and 38 other calls", "120 calls judged, 120 would change."]
    assert len(told(bare("policy", "backtest", "--limit", "2", "--json"), 1)["flips"][0]["calls"]) == 2
    assert bare("policy", "backtest", "--limit", "0").returncode == 2


def test_a_call_whose_arguments_were_cut_is_listed_apart(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    call = {"tool": "cut_tree", "args": {"height": 3, "name": "… [9000 chars]"}}
    write_log(garden, {**call, "args_cut": ["name"]}, {**call, "args_cut": ["*"]}, {**call, "args_cut": ["height"]})
    report = told(bare("policy", "backtest", "--json"), 1)
    assert (report["judged"], report["unsure"]["count"], len(report["unsure"]["calls"])) == (1, 2, 2)
    lines = bare("policy", "backtest").stdout.splitlines()
    assert lines[2:4] == [
        "1 call judged, 1 would change.",
        "2 calls left out: a rule depends on an argument that was cut.",
    ]
    assert " x 2  cut_tree " in lines[4]


def test_padding_cannot_hide_a_call_from_the_backtest(bare: Run, garden: Path) -> None:
    with Hermes.load() as host:
        host.call("cut_tree", {"name": "\U0001f600" * 5_000, "height": 30})
    write_config(garden, ASK)
    report = told(bare("policy", "backtest", "--json"), 1)
    assert [flip["after"] for flip in report["flips"]] == ["deny"]


def test_a_log_that_is_missing_or_damaged_is_no_obstacle(bare: Run, garden: Path) -> None:
    write_config(garden, ASK)
    outcome = bare("policy", "backtest")
    assert (outcome.returncode, outcome.stdout) == (0, "0 calls judged, 0 would change.\n")
    assert "There is no such call" in outcome.stderr
    (garden / "audit.jsonl").write_text("{torn\n")
    assert "1 damaged line of the log skipped." in bare("policy", "backtest").stderr


@pytest.mark.parametrize("text", ["rules: [{name: a}]\n", "something: else\n", "policy: [\n", "- 1\n", ""])
def test_new_rules_that_cannot_be_used_are_refused(bare: Run, garden: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "new.yaml"
    file.write_text(text)
    outcome = bare("policy", "backtest", "--rules", str(file))
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert str(file) in outcome.stderr
    assert bare("policy", "backtest", "--rules", str(tmp_path / "none.yaml")).returncode == 2


def test_ten_thousand_calls_are_judged_in_five_seconds(bare: Run, garden: Path) -> None:
    actions = ("ask", "deny", "allow")
    rules = [
        {
            "name": f"rule-{number}",
            "match": {"tool": "run_*", "args": {"command": {"regex": rf"\bgit (push|pull) .*branch-{number}\b"}}},
            "action": actions[number % 3],
        }
        for number in range(30)
    ]
    write_config(garden, json.dumps({"policy": {"rules": rules}}))
    write_log(
        garden,
        *(
            {"tool": f"run_{number % 7}", "args": {"command": f"git push origin branch-{number % 100}"}}
            for number in range(10_000)
        ),
    )
    started = time.process_time()
    report = told(bare("policy", "backtest", "--json"), 1)
    seconds = time.process_time() - started
    print(f"10,000 calls by 30 rules: {seconds:.2f} s")
    assert (report["judged"], sum(flip["count"] for flip in report["flips"])) == (10_000, 2_000)
    assert seconds < 5


# -- help --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["check", "explain", "backtest"])
def test_every_command_says_what_its_exit_status_means(bare: Run, name: str) -> None:
    assert "Exit code: 0" in " ".join(bare("policy", name, "--help").stdout.split())


def test_the_environment_can_put_all_rules_in_shadow_and_bring_them_out(
    bare: Run, garden: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_log(garden, {"tool": "cut_tree", "args": {"height": 30}})
    for written, variable, outcome in (("", "true", "allowed"), ("  shadow: true\n", "false", "denied-by-policy")):
        write_config(garden, ASK.replace("policy:\n", f"policy:\n{written}"))
        monkeypatch.setenv("HERMES_POLICY__SHADOW", variable)
        assert told(bare("policy", "check", "--json"))["shadow"] is (variable == "true")
        assert explained(bare, "cut_tree height=30")["verdict"]["outcome"] == outcome
        assert told(bare("policy", "backtest", "--json"), variable == "false")["judged"] == 1
        monkeypatch.delenv("HERMES_POLICY__SHADOW")
        assert explained(bare, "cut_tree height=30")["verdict"]["outcome"] != outcome
    monkeypatch.setenv("HERMES_POLICY__SHADOW", "perhaps")
    assert bare("policy", "check").returncode == 2
    assert json.loads(bare("call", "cut_tree", "height=30", "--yes").stdout or "{}").get("result") is None


@pytest.mark.parametrize(
    ("written", "status"), [("yes", 2), ("true", 2), ("no", 2), ("off", 2), ("approve", 0), ("deny", 0), ("'off'", 0)]
)
def test_a_cron_mode_that_yaml_turns_into_a_boolean_is_a_mistake(
    bare: Run, garden: Path, written: str, status: int
) -> None:
    write_config(garden, ASK + f"approvals: {{cron_mode: {written}}}\n")
    outcome = bare("policy", "explain", "cut_tree height=3", "--session", "cron")
    assert outcome.returncode == status
    if status:
        assert "approvals.cron_mode" in outcome.stderr
        assert "approve" in outcome.stderr
    else:
        assert ("cut_tree: allowed" in outcome.stdout) is (written in ("approve", "'off'"))
