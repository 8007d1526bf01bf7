"""A host that works for another one does nothing that the other may not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_approval import Approval, Audit, HostApproval
from hermes_approval.channels.answer import Answer
from hermes_approval.channels.smart_approval import SmartChannel
from hermes_approval.grants.grant import Grant
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.settings import ApprovalSettings
from hermes_core import CallRecord, Deny, Finding, Hermes, Tool, hookimpl, tool

NAMES, RULES, NUMBERS = ("first", "second"), ("test.a", "test.b"), (1, 2)
KINDS = ("interactive", "cron")


def make_tool(name: str, rules: tuple[str, ...]) -> Tool:
    findings = [Finding(rule=rule, severity="ask", reason="it asks") for rule in rules]

    @tool(name=name, toolset="tree", assess=lambda args, ctx: findings)
    def run(number: int) -> int:
        """Take a number."""
        return number

    return run


TOOLS = [make_tool("first", ("test.a",)), make_tool("second", ("test.a", "test.b"))]

RULE = st.builds(
    lambda action, tool, lifts, shadow: {
        "action": action,
        "match": {"tool": tool},
        **({"lifts": lifts} if action == "allow" and lifts else {}),
        **({"shadow": True} if shadow else {}),
    },
    st.sampled_from(["allow", "allow", "ask", "deny"]),
    st.sampled_from(["first", "second", "*"]),
    st.lists(st.sampled_from(["test.a", "test.b", "test.*", "policy.*", "policy.r0"]), max_size=2, unique=True),
    st.sampled_from([False, False, True]),
)
POLICY = st.one_of(
    st.none(),
    st.lists(RULE, max_size=3).map(lambda rules: [{**rule, "name": f"r{n}"} for n, rule in enumerate(rules)]),
)
GRANT = st.builds(
    lambda tool, rule, number, uses: {
        "tool": tool,
        "rule": rule,
        "args": {"number": {"equals": number}},
        "scope": "always",
        "uses": uses,
        "by": "a test",
        "at": 0.0,
    },
    st.sampled_from(NAMES),
    st.sampled_from([*RULES, "policy.r0", "*"]),
    st.sampled_from(NUMBERS),
    st.sampled_from([None, None, 1, 2]),
)
HOST = st.fixed_dictionaries(
    {
        "policy": POLICY,
        "approvals": st.sampled_from(
            [ApprovalSettings(mode=mode, cron_approves=cron) for mode in ("manual", "off") for cron in (False, True)]
        ),
        "grants": st.one_of(st.none(), st.lists(GRANT, max_size=6)),
    }
)


def build(stack: ExitStack, spec: dict[str, Any], parent: Hermes | None = None) -> Hermes:
    made = [Grant(id=f"g{number}", **fields) for number, fields in enumerate(spec["grants"] or ())]
    grants = None if spec["grants"] is None else GrantSet(made)
    approval = Approval(policy=spec["policy"], mode=spec["approvals"], grants=grants)
    hermes = Hermes(tools=TOOLS, parent=parent, plugins=[approval])
    stack.callback(hermes.close)
    return hermes


def outcome(hermes: Hermes, name: str, number: int, kind: str) -> str:
    record = hermes.run(name, {"number": number}, session=hermes.session(kind=kind, id="s"))
    assert record.decision is not None
    assert (record.status == "ok") is record.decision.allowed
    return record.decision.outcome


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(HOST, min_size=2, max_size=3),
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NUMBERS), st.sampled_from(KINDS)), max_size=4),
)
def test_whatever_a_child_allows_without_asking_every_host_above_would_allow(
    specs: list[dict[str, Any]], calls: list[tuple[str, int, str]]
) -> None:
    """The same calls go to the child of one tree, and to each of its ancestors in another tree of the same hosts."""
    with ExitStack() as stack:
        child: Hermes | None = None
        for spec in specs:
            child = build(stack, spec, child)
        assert child is not None
        above: list[Hermes] = []
        for count in range(1, len(specs)):
            ancestor: Hermes | None = None
            for spec in specs[:count]:
                ancestor = build(stack, spec, ancestor)
            assert ancestor is not None
            above.append(ancestor)
        for call in calls:
            if outcome(child, *call) == "allowed":
                for ancestor in above:
                    assert outcome(ancestor, *call) == "allowed", call


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(HOST, HOST, st.sampled_from(NAMES))
def test_whatever_a_parent_denies_or_asks_about_no_child_allows(
    above: dict[str, Any], below: dict[str, Any], name: str
) -> None:
    with ExitStack() as stack:
        parent = build(stack, above)
        child = build(stack, {**below, "approvals": ApprovalSettings(mode="off")}, parent)
        # Asking the child first uses up what the parent has, so the parent is asked in a tree of its own.
        said, allowed = outcome(build(stack, above), name, 1, "interactive"), outcome(child, name, 1, "interactive")
        if said != "allowed":
            assert allowed != "allowed"
        if said == "denied-by-policy":
            assert allowed == "denied-by-policy"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 4), st.lists(st.integers(0, 2), min_size=1, max_size=8))
def test_a_use_counts_in_the_whole_tree(uses: int, turns: list[int]) -> None:
    fields = {"tool": "first", "rule": "test.a", "args": {"number": {"equals": 1}}, "uses": uses}
    grant = Grant(id="g", scope="always", by="a test", at=0.0, **fields)  # type: ignore[arg-type]
    with ExitStack() as stack:
        root = Hermes(tools=TOOLS, plugins=[Approval(grants=GrantSet([grant]))])
        middle = Hermes(tools=TOOLS, parent=root)
        hosts = [root, middle, Hermes(tools=TOOLS, parent=middle)]
        for each in hosts:
            stack.callback(each.close)
        allowed = [outcome(hosts[turn], "first", 1, "interactive") == "allowed" for turn in turns]
        assert allowed == [number < uses for number in range(len(turns))]


# -- what is answered inside a child ---------------------------------------------------------------------------------


def test_a_yes_of_the_root_for_longer_inside_a_child_is_kept_at_the_root(host: Callable[..., Hermes]) -> None:
    for scope in ("session", "always"):
        asked: list[str] = []

        def approve(request: Any, scope: str = scope, asked: list[str] = asked) -> str:
            asked.append(request.tool)
            return scope

        root = host(tools=TOOLS, approver=approve)
        middle = host(tools=TOOLS, parent=root)
        child = host(tools=TOOLS, parent=middle)
        with child.session(id="one") as session:
            assert [session.call("second", {"number": 1}) for _ in range(3)] == ["1"] * 3
            assert asked == ["second"]
            kept = HostApproval.of(root).grants.list()
            said = [(grant.rule, grant.scope, grant.session) for grant in kept]
            assert said == [(rule, scope, "one") for rule in RULES]
            root.call("second", {"number": 1})
            assert len(asked) == (1 if scope == "always" else 2)
        root.session(id="one").call("second", {"number": 1})
        assert len(asked) == (1 if scope == "always" else 3)


def test_what_is_revoked_at_the_root_is_revoked_in_its_children(host: Callable[..., Hermes]) -> None:
    root = host(tools=TOOLS, approver=lambda request: "always")
    child = host(tools=TOOLS, parent=root, grants=GrantSet())
    assert child.call("first", {"number": 1}) == "1"
    (grant,) = HostApproval.of(root).grants.list()
    assert child.run("first", {"number": 1}).decision.by == f"grant {grant.id}"  # type: ignore[union-attr]
    HostApproval.of(root).grants.revoke(grant.id)
    assert child.run("first", {"number": 1}).decision.by == "the application"  # type: ignore[union-attr]


def test_a_yes_for_longer_in_a_child_with_grants_of_its_own_is_not_asked_again(host: Callable[..., Hermes]) -> None:
    answers = ["always"]
    child = host(tools=TOOLS, parent=host(tools=TOOLS), grants=GrantSet(), approver=lambda request: answers.pop())
    assert [child.call("first", {"number": 1}) for _ in range(2)] == ["1"] * 2


def test_what_the_approver_of_a_child_allows_for_longer_ends_with_its_session(host: Callable[..., Hermes]) -> None:
    asked: list[str] = []

    def approve(request: Any) -> str:
        asked.append(request.tool)
        return "session"

    child = host(tools=TOOLS, parent=host(tools=TOOLS), approver=approve)
    for expected in (1, 2):
        with child.session(id="same") as session:
            assert [session.call("first", {"number": 1}) for _ in range(3)] == ["1"] * 3
            assert child.rehearse("first", {"number": 1}, session=session).decision is not None
        assert len(asked) == expected
    assert child.rehearse("first", {"number": 1}).decision is None


def test_the_approver_of_a_child_is_asked_about_what_a_rule_of_its_parent_asks(host: Callable[..., Hermes]) -> None:
    heard: list[CallRecord] = []

    class Listener:
        @hookimpl
        def hermes_post_tool_call(self, record: CallRecord) -> None:
            heard.append(record)

    rule = {"name": "careful", "match": {"tool": "first"}, "action": "ask"}
    requests: list[Any] = []

    def approve(request: Any) -> bool:
        requests.append(request)
        return True

    plain = Tool.from_schema({"name": "first"}, lambda args: "1")
    child = host(tools=[plain], parent=host(policy=[rule]), approver=approve, plugins=[Listener()])
    assert child.call("first") == "1"
    assert [finding.rule for finding in requests[0].findings] == ["policy.careful"]
    assert heard[0].decision is not None
    assert heard[0].decision.by == "the application"


class Watcher:
    """Judges and watches, and keeps what it saw."""

    def __init__(self, answer: object = None) -> None:
        self.answer = answer
        self.seen: list[str] = []

    @hookimpl
    def hermes_pre_tool_call(self, call: Any) -> Any:
        self.seen.append("pre")
        return self.answer

    @hookimpl
    async def hermes_assess_call(self, call: Any) -> Any:
        self.seen.append("assess")

    @hookimpl
    def hermes_transform_tool_result(self, result: str) -> str:
        self.seen.append("transform")
        return result.replace("secret", "******")

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        self.seen.append(f"post {record.status}")

    @hookimpl
    def hermes_session_start(self) -> None:
        self.seen.append("session")


PLAIN = Tool.from_schema({"name": "plain"}, lambda args: json.dumps("secret"))


@pytest.mark.parametrize("generations", [1, 2])
def test_the_hooks_of_a_parent_judge_and_watch_what_a_child_calls(
    host: Callable[..., Hermes], generations: int
) -> None:
    watcher = Watcher()
    hermes = host(plugins=[watcher])
    for _ in range(generations):
        hermes = host(tools=[PLAIN], parent=hermes)
    assert hermes.call("plain") == '"******"'
    assert watcher.seen == ["pre", "assess", "transform", "post ok"]
    watcher.answer, watcher.seen = Deny("not here"), []
    assert json.loads(hermes.call("plain"))["decision"] == "denied-by-policy"
    assert watcher.seen == ["pre", "assess", "post blocked"]
    assert asyncio.run(hermes.acall("plain")) == hermes.call("plain")
    assert hermes.rehearse("plain").decision.outcome == "denied-by-policy"  # type: ignore[union-attr]


def test_a_plugin_that_a_parent_gets_later_judges_its_children_at_once(host: Callable[..., Hermes]) -> None:
    parent = host()
    child = host(tools=[PLAIN], parent=parent)
    assert child.call("plain") == '"secret"'
    parent.add_plugin(Watcher(Deny("no more")))
    assert json.loads(child.call("plain"))["decision"] == "denied-by-policy"


def test_a_plugin_that_both_have_is_asked_once(host: Callable[..., Hermes]) -> None:
    watcher = Watcher()
    child = host(tools=[PLAIN], plugins=[watcher], parent=host(plugins=[watcher]))
    child.call("plain")
    assert watcher.seen == ["session", "pre", "assess", "transform", "post ok"]


def test_who_approves_for_a_parent_is_asked_first_about_its_children(host: Callable[..., Hermes]) -> None:
    asked: list[str] = []

    def approver(name: str, answer: bool | None) -> Callable[[Any], bool | None]:
        def approve(request: Any) -> bool | None:
            asked.append(name)
            return answer

        return approve

    for above, outcome, expected in (
        (True, "allowed", ["parent"]),
        (False, "denied-by-human", ["parent"]),
        (None, "allowed", ["parent", "child"]),
    ):
        asked.clear()
        parent = host(approver=approver("parent", above))
        child = host(tools=TOOLS, parent=parent, approver=approver("child", True))
        decision = child.run("first", {"number": 1}).decision
        assert decision is not None
        assert (decision.outcome, asked) == (outcome, expected)
    assert host(tools=TOOLS, parent=host(approver=approver("parent", True))).call("first", {"number": 1}) == "1"


def test_what_a_cron_job_has_another_host_do_is_done_by_a_cron_job(host: Callable[..., Hermes]) -> None:
    parent = host()
    child = host(tools=TOOLS, parent=parent, approver=lambda request: True)
    heard: list[Any] = []
    through = Tool.from_schema({"name": "through"}, lambda args: heard.append(child.run("first", {"number": 1})))
    parent.registry.register(through)
    parent.call("through")
    with parent.session(kind="cron") as session:
        session.call("through")
    decisions = [(record.call.session_kind, record.decision.outcome) for record in heard]
    assert decisions == [("interactive", "allowed"), ("cron", "no-approver")]


def test_a_rule_of_the_parent_about_a_plugin_holds_for_its_tools_in_a_child(host: Callable[..., Hermes]) -> None:
    class Shell:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return [PLAIN]

    rule = {"name": "no-shell", "match": {"source": "shell"}, "action": "deny"}
    parent = host(policy=[rule])
    parent.add_plugin(Shell(), name="shell")
    assert json.loads(host(tools=[PLAIN], parent=parent).call("plain"))["decision"] == "denied-by-policy"


def test_the_calls_of_a_child_stand_in_the_log_of_its_parent(tmp_path: Path) -> None:
    with (
        Hermes(home=tmp_path / "parent", plugins=[Audit()]) as parent,
        Hermes(home=tmp_path / "child", tools=[PLAIN], parent=parent) as child,
    ):
        child.call("plain")
    assert json.loads((tmp_path / "parent" / "audit.jsonl").read_text())["tool"] == "plain"


@pytest.mark.parametrize(("above", "asked"), [("manual", 0), ("off", 1), ("smart", 2)])
def test_the_model_of_a_child_is_asked_only_about_what_its_parent_leaves_to_models(
    host: Callable[..., Hermes], monkeypatch: pytest.MonkeyPatch, above: str, asked: int
) -> None:
    seen: list[Any] = []

    async def answer(self: SmartChannel, request: Any) -> Answer:
        seen.append(request)
        return Answer(choice="once", by="a model")

    monkeypatch.setattr(SmartChannel, "aask", answer)
    smart = ApprovalSettings(mode="smart", smart=("model", "http://127.0.0.1:1/v1", ""))
    parent = host(approvals=smart if above == "smart" else above)
    decision = host(tools=TOOLS, parent=parent, approvals=smart).run("first", {"number": 1}).decision
    assert decision is not None
    assert (decision.allowed, len(seen)) == (bool(asked), asked)


def test_an_async_hook_of_a_parent_keeps_its_own_loop(host: Callable[..., Hermes]) -> None:
    loops: list[object] = []

    class Caching:
        @hookimpl
        async def hermes_pre_tool_call(self, call: Any) -> None:
            loops.append(asyncio.get_running_loop())

    parent = host(tools=[PLAIN], plugins=[Caching()])
    child = host(tools=[PLAIN], parent=parent)
    for hermes in (parent, child, parent, child):
        hermes.call("plain")
    assert len(set(map(id, loops))) == 1
    assert len(loops) == 4
