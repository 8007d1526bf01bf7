"""Whoever judges a call judges what will run, and what cannot be judged does not run because nobody is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import Approval, Broker, HostApproval
from hermes_approval.channels.answer import Answer
from hermes_approval.grants.grant import Grant
from hermes_approval.grants.grant_set import GrantSet
from hermes_approval.settings import ApprovalSettings
from hermes_core import (
    ApprovalRequest,
    Ask,
    Decision,
    Deny,
    Finding,
    Hermes,
    Session,
    Tool,
    ToolCall,
    ToolContext,
    hookimpl,
    tool,
)
from hermes_core.errors import ConfigError, HostError, PluginError, ToolDefinitionError

PLAIN_TOOL = Tool.from_schema({"name": "plain"}, lambda args: "1")


def pushing(**fields: Any) -> Tool:
    @tool(toolset="git", **fields)
    def push(branch: str = "main", force: bool = True) -> str:
        """Push a branch."""
        return f"pushed {branch} {force}"

    return push


def outcome(hermes: Hermes, name: str, args: Any = None, **options: Any) -> str:
    decision = hermes.run(name, args, **options).decision
    assert decision is not None
    return decision.outcome


# -- defaults -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [{}, {"branch": None}, {"branch": "main"}, {"force": "false"}])
def test_a_rule_sees_what_a_tool_gets_by_default(host: Callable[..., Hermes], args: dict[str, Any]) -> None:
    rule = {"name": "no-main", "match": {"tool": "push", "args": {"branch": "main"}}, "action": "deny"}
    hermes = host(tools=[pushing()], policy=[rule])
    assert outcome(hermes, "push", args) == "denied-by-policy"
    assert outcome(hermes, "push", {**args, "branch": "other"}) == "allowed"


def test_hooks_assessors_approvers_and_observers_see_it_too(host: Callable[..., Hermes]) -> None:
    seen: list[dict[str, Any]] = []

    class Watcher:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any) -> None:
            seen.append(dict(call.args))

        @hookimpl
        def hermes_post_tool_call(self, record: Any) -> None:
            seen.append(dict(record.call.args))

    def assess(args: Any, ctx: Any) -> Finding:
        seen.append(dict(args))
        return Finding(rule="git.push", severity="ask", reason="it pushes")

    def approve(request: Any) -> bool:
        seen.append(dict(request.args))
        return True

    hermes = host(tools=[pushing(assess=assess)], plugins=[Watcher()], approver=approve)
    assert hermes.call("push", {"force": False}) == '"pushed main False"'
    assert seen == [{"force": False, "branch": "main"}] * 4


def test_a_grant_for_a_default_is_a_grant_for_its_value(host: Callable[..., Hermes]) -> None:
    def assess(args: Any, ctx: Any) -> Finding:
        return Finding(rule="git.push", severity="ask", reason="it pushes")

    answers = ["always"]
    hermes = host(tools=[pushing(assess=assess)], approver=lambda request: answers.pop() if answers else False)
    assert outcome(hermes, "push") == "allowed"
    assert outcome(hermes, "push", {"branch": "main", "force": True}) == "allowed"
    assert outcome(hermes, "push", {"branch": "other"}) == "denied-by-human"


def test_a_handler_of_the_explicit_form_gets_what_was_sent(host: Callable[..., Hermes]) -> None:
    schema = {"name": "plain", "parameters": {"type": "object", "properties": {"mode": {"default": "fast"}}}}
    judged: list[dict[str, Any]] = []

    class Watcher:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any) -> None:
            judged.append(dict(call.args))

    def handler(args: dict[str, Any]) -> str:
        return json.dumps(args)

    hermes = host(tools=[Tool.from_schema(schema, handler)], plugins=[Watcher()])
    assert hermes.call("plain", {}) == "{}"
    assert judged == [{"mode": "fast"}]


# -- what cannot be assessed ----------------------------------------------------------------------------------------


def broken(args: Any, ctx: Any) -> Any:
    raise ValueError("no closing quotation")


def test_what_could_not_be_assessed_does_not_run_because_nobody_is_asked(host: Callable[..., Hermes]) -> None:
    lift = {"name": "anything", "match": {"tool": "push"}, "action": "allow", "lifts": ["*"]}
    cron = ApprovalSettings(cron_approves=True)
    assert outcome(host(tools=[pushing(assess=broken)], approvals="off"), "push") == "no-approver"
    assert outcome(host(tools=[pushing(assess=broken)], policy=[lift]), "push") == "no-approver"
    hermes = host(tools=[pushing(assess=broken)], approvals=cron)
    with hermes.session(kind="cron") as session:
        assert outcome(hermes, "push", session=session) == "no-approver"
    assert outcome(host(tools=[pushing(assess=broken)], approvals="off", approver=lambda request: True), "push") == (
        "allowed"
    )


def test_a_rule_that_means_just_this_answers_it(host: Callable[..., Hermes]) -> None:
    lift = {"name": "anything", "match": {"tool": "push"}, "action": "allow", "lifts": ["assess.failed"]}
    assert outcome(host(tools=[pushing(assess=broken)], policy=[lift]), "push") == "allowed"


def test_what_was_allowed_about_one_assessor_or_plugin_is_not_allowed_about_another(
    host: Callable[..., Hermes],
) -> None:
    class Failing:
        @hookimpl
        def hermes_assess_call(self, call: Any) -> Any:
            raise RuntimeError("down")

    class Asking:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any) -> Any:
            return Ask("really?")

    rules: list[list[str]] = []

    def approve(request: Any) -> str:
        rules.append([finding.rule for finding in request.findings])
        return "session"

    hermes = host(tools=[pushing()], approver=approve)
    for number, plugin in enumerate((Asking(), Asking(), Failing(), Failing())):
        hermes.add_plugin(plugin, name=f"plugin{number}")
        assert outcome(hermes, "push") == "allowed"
        if number < 2:  # what nobody could assess is asked about each time
            assert outcome(hermes, "push") == "allowed"
    rules_of = [f"plugin{number}.ask" for number in (0, 1)] + [f"assess.failed.plugin{number}" for number in (2, 3)]
    assert [(set(asked) - set(before)).pop() for before, asked in zip([[], *rules], rules, strict=False)] == rules_of


@pytest.mark.parametrize(
    "fields",
    [{"rule": "*"}, {"rule": "a.*"}, {"rule": ""}, {"rule": 5}, {"reason": None}, {"span": 3}, {"severity": "no"}],
)
def test_a_finding_that_is_none_is_refused_where_it_is_made(fields: dict[str, Any]) -> None:
    with pytest.raises(ToolDefinitionError):
        Finding(**{"rule": "a.b", "severity": "ask", "reason": "why", **fields})


@pytest.mark.parametrize("fields", [{"outcome": "perhaps"}, {"reason": None}, {"by": 5}])
def test_a_decision_that_is_none_is_refused_where_it_is_made(fields: dict[str, Any]) -> None:
    with pytest.raises(ToolDefinitionError):
        Decision(**{"outcome": "allowed", **fields})


# -- which request is answered --------------------------------------------------------------------------------------


def asking(args: Any, ctx: Any) -> Finding:
    return Finding(rule="git.push", severity="ask", reason="it pushes")


def test_what_is_said_to_one_request_never_answers_another(host: Callable[..., Hermes]) -> None:
    seen: list[Any] = []
    broker = Broker(notify=seen.append, seconds=0.3)
    hermes = host(tools=[pushing(assess=asking)], approver=broker)
    call = {"id": "call_0", "name": "push", "args": {}}
    assert json.loads(hermes.batch([call])[0])["decision"] == "timed-out"
    late = threading.Timer(0.1, lambda: broker.resolve(seen[0].id, "once", by="ada"))
    late.start()
    answer = hermes.batch([{**call, "args": {"branch": "other"}}])[0]
    late.join()
    assert json.loads(answer)["decision"] == "timed-out"
    assert [request.call_id for request in seen] == ["call_0", "call_0"]
    assert seen[0].id != seen[1].id


def test_two_sessions_that_count_their_calls_alike_are_both_asked(host: Callable[..., Hermes]) -> None:
    hermes = host(tools=[pushing(assess=asking)], approver=Broker(notify=lambda request: None, seconds=0.3))
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(hermes.call("push", {}, id="call_0"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [json.loads(answer)["decision"] for answer in answers] == ["timed-out"] * 2


# -- what the user wrote --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"config": {"calls": {"timeout": 10.0}}},
        {"config": {"other": {"a": 1}}},
        {"policy": []},
        {"policy": [{"name": "fine", "match": {"tool": "push"}, "action": "allow"}], "approvals": "off"},
    ],
)
def test_an_application_cannot_forget_the_policy_of_its_user(
    host: Callable[..., Hermes], tmp_path: Path, options: dict[str, Any]
) -> None:
    (tmp_path / "config.yaml").write_text("policy: {rules: [{name: never, match: {tool: push}, action: deny}]}\n")
    hermes = host(load=True, home=tmp_path, discover=False, tools=[pushing()], **options)
    decision = hermes.run("push").decision
    assert decision is not None
    assert (decision.outcome, decision.by) == ("denied-by-policy", "policy.never")


def test_a_policy_that_no_plugin_reads_denies_every_call(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("policy: {rules: [{name: never, match: {tool: other}, action: deny}]}\n")
    with Hermes.load(home=tmp_path, discover=False, tools=[pushing()]) as hermes:
        answer = json.loads(hermes.call("push"))
        assert answer["decision"] == "denied-by-policy"
        assert "no plugin reads it" in answer["error"]
        hermes.add_plugin(Approval())
        assert outcome(hermes, "push") == "allowed"


def test_rules_of_the_application_come_beside_those_of_the_user(host: Callable[..., Hermes], tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "policy: {shadow: true, rules: [{name: never, match: {tool: push}, action: deny}]}\n"
    )
    rule = {"name": "ask", "match": {"tool": "push"}, "action": "ask"}
    decision = host(load=True, home=tmp_path, discover=False, tools=[pushing()], policy=[rule]).run("push").decision
    assert decision is not None
    assert [(each.rule, each.severity) for each in decision.findings] == [
        ("policy.ask", "ask"),
        ("policy.never", "note"),
    ]


def test_in_cron_jobs_it_is_cron_mode_that_decides(tmp_path: Path) -> None:
    for written, expected in (
        ("", "no-approver"),
        (", cron_mode: deny", "no-approver"),
        (", cron_mode: approve", "allowed"),
    ):
        (tmp_path / "config.yaml").write_text(f"approvals: {{mode: off{written}}}\n")
        with Hermes.load(home=tmp_path, discover=False, tools=[pushing(assess=asking)], plugins=[Approval()]) as hermes:
            assert outcome(hermes, "push") == "allowed"
            with hermes.session(kind="cron") as session:
                assert outcome(hermes, "push", session=session) == expected


@pytest.mark.parametrize("kind", ["Cron", "cron ", "", "CRON", 5, None])
def test_a_kind_of_session_that_rules_would_not_find_is_refused(host: Callable[..., Hermes], kind: Any) -> None:
    with pytest.raises(HostError, match="kind of session"):
        host().session(kind=kind)


@pytest.mark.parametrize("option", ["id", "origin", "task_id"])
def test_an_option_that_is_no_text_is_refused_before_anything_runs(host: Callable[..., Hermes], option: str) -> None:
    with pytest.raises(TypeError, match=option):
        host(tools=[pushing()]).call("push", {}, **{option: 5})


def test_what_is_no_set_of_grants_is_refused(host: Callable[..., Hermes]) -> None:
    with pytest.raises(ConfigError, match="grants"):
        host(tools=[pushing()], grants="none").call("push")
    assert outcome(host(tools=[pushing(assess=asking)], grants=GrantSet()), "push") == "no-approver"


def test_people_who_are_waited_for_take_no_place_from_tools(host: Callable[..., Hermes]) -> None:
    released = threading.Event()

    def approve(request: Any) -> bool:
        released.wait(20)
        return True

    quick = Tool.from_schema({"name": "quick"}, lambda args: "1")
    hermes = host(tools=[pushing(assess=asking), quick], approver=approve)
    done: list[str] = []
    waiting = threading.Thread(target=lambda: hermes.batch([("push", {"branch": str(n)}) for n in range(70)]))
    waiting.start()
    try:
        plain = threading.Thread(target=lambda: done.extend(hermes.batch([("quick", {})])))
        plain.start()
        plain.join(10)
        assert done == ["1"]
    finally:
        released.set()
        waiting.join()


class Stop(BaseException):
    """What nobody expects of a hook."""


def test_whatever_a_quick_hook_raises_denies_the_call(host: Callable[..., Hermes]) -> None:
    class Odd:
        @hookimpl
        def hermes_pre_tool_call(self, call: Any) -> Any:
            if call.args["branch"] == "odd":
                raise Stop
            return Deny("never") if call.args["branch"] == "no" else None

    hermes = host(tools=[pushing()], plugins=[Odd()])
    for _ in range(10):
        assert outcome(hermes, "push") == "allowed"
    assert outcome(hermes, "push", {"branch": "odd"}) == "denied-by-policy"


def test_a_tool_that_the_application_put_in_the_place_of_a_plugins_is_the_applications(
    host: Callable[..., Hermes],
) -> None:
    class Git:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return [pushing()]

    rule = {"name": "trusted", "match": {"source": "git"}, "action": "deny"}
    hermes = host(policy=[rule])
    hermes.add_plugin(Git(), name="git")
    assert outcome(hermes, "push") == "denied-by-policy"
    hermes.registry.register(pushing(), override=True)
    assert outcome(hermes, "push") == "allowed"


def test_an_answer_cannot_bring_a_grant_for_something_else(host: Callable[..., Hermes]) -> None:
    wide = Grant(id="g1", tool="other", rule="git.push", args={"*": {"any": True}}, scope="always", by="x", at=0.0)
    hermes = host(tools=[pushing(assess=asking)], approver=lambda request: Answer(choice="always", by="x", grant=wide))
    assert outcome(hermes, "push") == "no-approver"
    assert HostApproval.of(hermes).grants.list() == ()


def test_a_request_that_a_grant_answers_meanwhile_is_answered_by_it(host: Callable[..., Hermes]) -> None:
    seen: list[Any] = []

    def approve(request: Any) -> str:
        seen.append(request)
        return "session"

    hermes = host(tools=[pushing(assess=asking)], approver=approve)
    assert outcome(hermes, "push") == "allowed"
    (grant,) = HostApproval.of(hermes).grants.list()
    assert HostApproval.of(hermes).granted(seen[0]) == f"grant {grant.id}"
    HostApproval.of(hermes).grants.revoke(grant.id)
    assert HostApproval.of(hermes).granted(seen[0]) == ""


def test_a_tool_cannot_hide_that_it_is_the_one_who_calls(host: Callable[..., Hermes]) -> None:
    rule = {"name": "not-from-tools", "match": {"tool": "push", "origin": "nested"}, "action": "deny"}
    heard: list[Any] = []

    class Listener:
        @hookimpl
        def hermes_post_tool_call(self, record: Any) -> None:
            heard.append((record.call.name, record.call.origin, record.status))

    @tool(toolset="git")
    def outer(ctx: ToolContext) -> str:
        """Call another tool."""
        return ctx.call_tool("push", {}, origin="direct", id=ctx.call.id)

    hermes = host(tools=[pushing(), outer], policy=[rule], plugins=[Listener()])
    hermes.call("outer")
    assert heard[0] == ("push", "nested", "blocked")


def test_no_plugin_can_be_the_application(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "application.py").write_text("")
    with Hermes.load(home=tmp_path) as hermes:
        record = hermes.report.get("application")
        assert record is not None
        assert record.status == "failed"
    with pytest.raises(PluginError, match="application"):
        hermes.add_plugin(object(), name="application")


def test_a_decision_cannot_bring_a_grant_for_something_else(host: Callable[..., Hermes]) -> None:
    wide = Grant(id="g1", tool="other", rule="git.push", args={"*": {"any": True}}, scope="always", by="x", at=0.0)
    fine = Grant(id="g2", tool="push", rule="git.push", args={"*": {"any": True}}, scope="always", by="x", at=0.0)
    hermes = host(
        tools=[pushing(assess=asking)], approver=lambda request: Decision(outcome="allowed", grants=(wide, fine))
    )
    assert outcome(hermes, "push") == "allowed"
    assert [grant.id for grant in HostApproval.of(hermes).grants.list()] == ["g2"]


def test_a_hook_learns_the_plugin_of_a_tool_also_in_a_child(host: Callable[..., Hermes]) -> None:
    seen: list[str] = []

    class Shell:
        __name__ = "shell"

        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return [PLAIN_TOOL]

        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> None:
            seen.append(call.source)

    parent = host(plugins=[Shell()])
    parent.call("plain")
    host(tools=[PLAIN_TOOL], parent=parent).call("plain")
    parent.registry.register(Tool.from_schema({"name": "own"}, lambda args: "1"))
    parent.call("own")
    assert seen == ["shell", "shell", "application"]


def test_a_denial_names_its_rule(host: Callable[..., Hermes]) -> None:
    class Policy:
        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Deny:
            return Deny("never", rule="firm.never")

    record = host(tools=[PLAIN_TOOL], plugins=[Policy()]).run("plain")
    assert record.decision is not None
    assert record.decision.by == "firm.never"


def test_who_watches_approvals_knows_the_session_and_whose_answer_it_was(host: Callable[..., Hermes]) -> None:
    heard: list[tuple[str, str, bool]] = []

    class Watcher:
        def __init__(self, name: str, answer: str = "") -> None:
            self.__name__ = name
            self.answer = answer

        @hookimpl
        def hermes_pre_tool_call(self, call: ToolCall) -> Ask:
            return Ask("hm")

        @hookimpl
        def hermes_request_approval(self, request: ApprovalRequest) -> Decision | None:
            assert request.effects == {"delete"}
            return Decision(outcome="allowed") if self.answer == "yes" else None

        @hookimpl
        def hermes_approval_resolved(self, session: Session, own: bool) -> None:
            heard.append((self.__name__, session.id, own))

    wipe = Tool.from_schema({"name": "wipe"}, lambda args: "1", effects=["delete"])
    for above, below, expected in (("yes", "", [True, True]), ("", "yes", [True, False]), ("", "", [False, False])):
        child = host(tools=[wipe], plugins=[Watcher("child", below)], parent=host(plugins=[Watcher("parent", above)]))
        child.call("wipe", session=child.session(id="s"))
        assert heard == [("child", "s", expected[0]), ("parent", "s", expected[1])]
        heard.clear()
