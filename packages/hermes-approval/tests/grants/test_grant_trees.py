"""In whatever tree of sets, nobody is permitted what an ancestor would not permit, or more often than was granted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_approval.grants.grant import Grant, GrantRequest
from hermes_approval.grants.grant_set import GrantSet

COMMANDS = ("git push a", "git push b", "git pull", "rm x", "git push a; rm x")
PATHS = ("/srv/a", "/srv/a/b", "/srv/../etc", "/etc")
PATTERNS: tuple[dict[str, Any], ...] = (
    {"any": True},
    {"glob": "*"},
    {"glob": "git *"},
    {"command": "git push *"},
    {"equals": "git push a"},
    {"equals": "rm x"},
    {"under": "/srv"},
    {"under": "/srv/a"},
    {"equals": "/srv/a/b"},
    {"host": "a.org"},
)
TOOLS, RULES, SESSIONS = ("terminal", "terminal", "write"), ("r1", "r1", "r2"), ("s1", "s2")


class Dice:
    """Choices out of the bytes that hypothesis draws: one draw for a whole tree, so that thousands are quick."""

    def __init__(self, data: bytes) -> None:
        self._data = iter(data)

    def roll(self, sides: int) -> int:
        return next(self._data, 0) % sides

    def pick(self, options: tuple[Any, ...]) -> Any:
        return options[self.roll(len(options))]


class Tree:
    """A random tree of at most five levels below its root, with a clock that moves."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.now = 0.0
        self.made: list[Grant] = []
        self.limits: dict[tuple[int, str], int | None] = {}
        first = self.some_grants() + self.some_grants()
        self.nodes: list[tuple[GrantSet, tuple[int, ...]]] = [(GrantSet(first, clock=lambda: self.now), ())]
        self.note(0, first)
        for _ in range(dice.roll(8)):
            self.grow()

    def grow(self) -> None:
        above = max(0, len(self.nodes) - 1 - self.dice.roll(3))  # rather deep than broad
        parent, ancestors = self.nodes[above]
        if len(ancestors) < 5:
            own = None if self.dice.roll(3) == 1 else self.inherited(parent) + self.some_grants()
            self.note(len(self.nodes), own or [])
            session = self.dice.pick((None, *SESSIONS))
            self.nodes.append((parent.child(own, session=session), (*ancestors, above)))

    def note(self, node: int, grants: list[Grant]) -> None:
        self.limits.update({(node, grant.id): grant.uses_left for grant in grants})

    def inherited(self, parent: GrantSet) -> list[Grant]:
        return [grant for grant in parent.list() if self.dice.roll(6)]

    def some_grants(self) -> list[Grant]:
        return [self.grant() for _ in range(self.dice.roll(4))]

    def grant(self) -> Grant:
        dice = self.dice
        args = {dice.pick(("command", "path")): dice.pick(PATTERNS)}
        if dice.roll(2):
            args["*"] = PATTERNS[0]
        grant = Grant(
            id=f"g{len(self.made)}",
            tool=dice.pick(TOOLS),
            rule=dice.pick(RULES),
            args=args,
            scope=dice.pick(("always", "session", "once")),
            session=dice.pick(SESSIONS),
            expires=dice.pick((None, None, 2.0, 4.0)),
            uses=dice.pick((None, 1, 2, 3)),
            by="test",
            at=0.0,
        )
        self.made.append(grant)
        return grant

    def request(self) -> GrantRequest:
        dice = self.dice
        if self.made and dice.roll(4):  # mostly something that was granted somewhere
            near = dice.pick(tuple(self.made))
            near_args = {name: dice.pick(COMMANDS + PATHS) for name in near.args if name != "*"}
            return GrantRequest(tool=near.tool, rule=near.rule, args=near_args, session_id=near.session or "s1")
        args: dict[str, Any] = {"command": dice.pick(COMMANDS)} if dice.roll(4) else {}
        if dice.roll(4) == 0:
            args["path"] = dice.pick(PATHS)
        return GrantRequest(tool=dice.pick(TOOLS), rule=dice.pick(RULES), args=args, session_id=dice.pick(SESSIONS))


@settings(max_examples=7_000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.binary(min_size=240, max_size=240))
def test_whatever_a_descendant_permits_every_ancestor_permits_at_that_moment(data: bytes) -> None:
    tree = Tree(Dice(data))
    used: Counter[tuple[int, str]] = Counter()
    for _ in range(6):
        index = tree.dice.roll(len(tree.nodes))
        node = tree.nodes[index][0]
        act = tree.dice.roll(10)
        if act == 0:
            tree.now += 1
        elif act == 1:
            grant = tree.grant()
            node.add(grant)
            tree.note(index, [grant])
        elif act == 2 and node.list():
            node.revoke(node.list()[0].id)
        else:
            check_one_call(tree, index, used)
    for (where, id), times in used.items():
        limit = tree.limits[where, id]
        assert limit is None or times <= limit


def check_one_call(tree: Tree, index: int, used: Counter[tuple[int, str]]) -> None:
    node, ancestors = tree.nodes[index]
    requests = [tree.request() for _ in range(1 + tree.dice.roll(2))]
    before = [each.list() for each, _ in tree.nodes]
    expected = node.peek(requests)
    above = [tree.nodes[each][0].peek(requests) for each in ancestors]
    assert [each.list() for each, _ in tree.nodes] == before, "looking uses nothing"
    permitted = node.permit(requests)
    assert permitted == expected
    if permitted is None:
        assert [each.list() for each, _ in tree.nodes] == before, "a refusal uses nothing"
        return
    assert None not in above
    assert len(permitted) == len(requests)
    for grant, request in zip(permitted, requests, strict=True):
        assert (grant.tool, grant.rule) == (request.tool, request.rule)
    for where, answer in zip((index, *ancestors), (permitted, *above), strict=True):
        for id in {grant.id for grant in answer or () if (where, grant.id) in tree.limits}:
            used[where, id] += 1
