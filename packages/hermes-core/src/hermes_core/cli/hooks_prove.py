"""`hermes hooks prove`: a harmless call by every path there is, and which hooks saw it."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from hermes_core import hookspecs
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.invocation import current_invocation
from hermes_core.cli.logs import warning_lines
from hermes_core.cli.output import clean, note, print_json, say
from hermes_core.cli.table import Column, print_table
from hermes_core.errors import describe_error
from hermes_core.hookspecs import hookimpl

if TYPE_CHECKING:
    from hermes_core.calls.call import CallRecord
    from hermes_core.calls.session import Session
    from hermes_core.host import Hermes
    from hermes_core.plugins.manager import Implementation, Plugins

PROBE = "hermes_probe"
PROVEN_HOOKS = (
    "hermes_session_start",
    "hermes_pre_tool_call",
    "hermes_assess_call",
    "hermes_transform_tool_result",
    "hermes_post_tool_call",
)
"""The hooks that every call meets; approvers are left alone, because nobody is to be asked about a probe."""

_OBSERVER = "hermes hooks prove"
_OFTEN = 6
"""So many calls that hooks which are quick have moved from a thread to the caller's own, which is a path of its own."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def prove(as_json: bool) -> ExitCode:
    """Send a harmless call by every path, and show which hooks saw it.

    The call does nothing, is not in the audit log, asks nobody and leaves no approval behind; but every plugin that
    judges or watches calls really sees it, under the name hermes_probe. A plugin that denies it has seen it. The exit
    status is 0 when each hook saw it on each path, and 1 when one was left out.
    """
    with _probe_host() as host:
        proof = prove_host(host)
    if as_json:
        print_json(proof.as_dict())
    else:
        _print(proof)
    return ExitCode.OK if proof.ok else ExitCode.FOUND


@contextlib.contextmanager
def _probe_host() -> Iterator[Hermes]:
    """The user's host, but for what a probe must not leave behind."""
    from hermes_core.approval.grants.grant_set import GrantSet
    from hermes_core.host import Hermes

    with (
        warning_lines(show=True, debug=current_invocation().debug, plugins=True),
        contextlib.redirect_stdout(sys.stderr),
        contextlib.closing(Hermes.load(audit=False, grants=GrantSet(), approvals="off")) as host,
    ):
        yield host


# -- what was seen ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One implementation that was called: for which call (none for a session's start) of which session."""

    hook: str
    plugin: str
    session_id: str
    call_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathProof:
    """What one path showed.

    Attributes:
        path: What the path is called.
        seen: The plugins that saw the probe, by hook, in the order in which they were called.
        skipped: Hook and plugin of those that should have seen it.
        outcomes: What was decided about each call; `allowed` where nobody judged it.
        problem: Why the path could not be taken to its end; empty when it could.
    """

    path: str
    seen: dict[str, list[str]]
    skipped: list[tuple[str, str]]
    outcomes: list[str]
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether nobody was left out."""
        return not self.skipped and not self.problem

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON."""
        return {
            "path": self.path,
            "ok": self.ok,
            "calls": len(self.outcomes),
            "decisions": list(dict.fromkeys(self.outcomes)),
            "hooks": self.seen,
            "skipped": [{"hook": hook, "plugin": plugin} for hook, plugin in self.skipped],
            "problem": self.problem or None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What all paths showed, and who implements which hook, in the order of the calls."""

    implemented: dict[str, list[str]]
    paths: list[PathProof]

    @property
    def ok(self) -> bool:
        """Whether nobody was left out anywhere."""
        return all(path.ok for path in self.paths)

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON."""
        return {"ok": self.ok, "hooks": self.implemented, "paths": [path.as_dict() for path in self.paths]}


@dataclass
class _Notes:
    """Everything that was seen, in order, and what became of the calls."""

    sightings: list[Sighting] = field(default_factory=list)
    records: list[CallRecord] = field(default_factory=list)
    ran: set[str] = field(default_factory=set)

    def saw(self, implementation: Implementation, values: dict[str, Any]) -> None:
        record = values.get("record")
        call = record.call if record is not None else values.get("call")
        about = values["session"].id if call is None else call.session_id
        self.sightings.append(
            Sighting(
                hook=implementation.hook,
                plugin=implementation.plugin,
                session_id=about,
                call_id=call.id if call else None,
            )
        )


class _Observer:
    """Hears what became of each probe."""

    def __init__(self, notes: _Notes) -> None:
        self.__name__ = _OBSERVER
        self._notes = notes

    @hookimpl(trylast=True)
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        self._notes.records.append(record)


class _WatchedPlugins:
    """The plugins of the probe's host, each of whose functions says that it was called before it is."""

    def __init__(self, plugins: Plugins, notes: _Notes) -> None:
        self._plugins = plugins
        self._notes = notes
        self._watched: dict[Implementation, Implementation] = {}

    @property
    def generation(self) -> int:
        return self._plugins.generation

    def implementations(self, hook: str) -> tuple[Implementation, ...]:
        found = self._plugins.implementations(hook)
        if hook not in PROVEN_HOOKS:
            return found
        for each in found:
            if each not in self._watched:
                self._watched[each] = _watched(each, self._notes)
        return tuple(self._watched[each] for each in found)


def _watched(implementation: Implementation, notes: _Notes) -> Implementation:
    """The same implementation, but it takes every argument of its hook: otherwise nobody knows which call it is for."""
    function, wanted = implementation.function, implementation.argnames
    names = tuple(inspect.signature(getattr(hookspecs, implementation.hook)).parameters)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        values = dict(zip(names, args, strict=True))
        notes.saw(implementation, values)
        return function(*(values[name] for name in wanted))

    @functools.wraps(function)
    async def acall(*args: Any) -> Any:
        return await call(*args)

    is_async = inspect.iscoroutinefunction(function)
    return replace(implementation, function=acall if is_async else call, argnames=names)


# -- the paths -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Path:
    """A way to call the probe in a session, and how often it does so."""

    name: str
    take: Callable[[Hermes, Session], object]
    calls: int = 1


def _names(host: Hermes) -> tuple[str, str, str]:
    """The probe, its alias, and the tool that calls it: names that no tool of the user has."""
    name = PROBE
    while any(host.registry.snapshot.canonical(each) for each in (name, f"{name}_alias", f"{name}_nested")):
        name += "_"
    return name, f"{name}_alias", f"{name}_nested"


def _register_probe(host: Hermes, notes: _Notes) -> tuple[str, str, str]:
    from hermes_core.calls.context import ToolContext
    from hermes_core.tools.tool import Tool

    probe, alias, nested = _names(host)
    empty = {"type": "object", "properties": {}}
    ways = {"type": "object", "properties": {"way": {"type": "string"}}, "required": ["way"]}

    def run(args: dict[str, Any], ctx: ToolContext) -> str:
        del args
        notes.ran.add(ctx.call.id)
        return "{}"

    async def nest(args: dict[str, Any], ctx: ToolContext) -> str:
        if args["way"] == "batch":
            await ctx.abatch([(probe, {}), (probe, {})])
        else:
            await ctx.acall(probe)
        return "{}"

    def nest_in_a_thread(args: dict[str, Any], ctx: ToolContext) -> str:
        del args
        ctx.call_tool(probe)
        return "{}"

    host.register(
        Tool.from_schema(
            {"name": probe, "description": "Does nothing.", "parameters": empty},
            run,
            toolset=PROBE,
            aliases=[alias],
        )
    )
    host.register(Tool.from_schema({"name": nested, "parameters": ways}, nest, toolset=PROBE))
    host.register(Tool.from_schema({"name": f"{nested}_sync", "parameters": empty}, nest_in_a_thread, toolset=PROBE))
    return probe, alias, nested


def _paths(probe: str, alias: str, nested: str) -> Iterable[_Path]:
    """Every path that the pipeline has. The direct one comes first: it begins the host's own session."""
    from concurrent.futures import ThreadPoolExecutor

    import anyio

    two: list[tuple[str, dict[str, Any]]] = [(probe, {}), (probe, {})]

    def awaited(start: Callable[[Hermes, Session], Any]) -> Callable[[Hermes, Session], object]:
        async def main(host: Hermes, session: Session) -> object:
            return await start(host, session)

        return lambda host, session: anyio.run(main, host, session)

    def in_a_loop(host: Hermes, session: Session) -> object:
        async def main() -> str:
            return host.call(probe, session=session)

        return anyio.run(main)

    def in_a_thread(host: Hermes, session: Session) -> object:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(host.call, probe, session=session).result()  # the call keeps its own deadlines

    def often(host: Hermes, session: Session) -> object:
        return [host.call(probe, session=session) for _ in range(_OFTEN)]

    async def often_async(host: Hermes, session: Session) -> object:
        return [await host.acall(probe, session=session) for _ in range(_OFTEN)]

    yield _Path(name="direct", take=lambda host, _session: host.call(probe))
    yield _Path(name="async", take=awaited(lambda host, session: host.acall(probe, session=session)))
    yield _Path(name="batch", take=lambda host, session: host.batch(two, session=session), calls=2)
    yield _Path(name="async batch", take=awaited(lambda host, session: host.abatch(two, session=session)), calls=2)
    yield _Path(name="worker thread", take=in_a_thread)
    yield _Path(name="inside a loop", take=in_a_loop)
    yield _Path(name="nested", take=lambda host, session: host.call(f"{nested}_sync", session=session))
    yield _Path(name="nested async", take=lambda host, session: host.call(nested, {"way": "call"}, session=session))
    yield _Path(
        name="nested batch", take=lambda host, session: host.call(nested, {"way": "batch"}, session=session), calls=2
    )
    yield _Path(name="session", take=lambda _host, session: session.call(probe))
    yield _Path(name="async session", take=awaited(lambda _host, session: session.acall(probe)))
    yield _Path(name="alias", take=lambda host, session: host.call(alias, session=session))
    yield _Path(name="repeated", take=often, calls=_OFTEN)
    yield _Path(name="repeated async", take=awaited(often_async), calls=_OFTEN)


def prove_host(host: Hermes) -> Proof:
    """Send the probe through a host by every path. The host is of no other use afterwards."""
    notes = _Notes()
    host.add_plugin(_Observer(notes))
    probe, alias, nested = _register_probe(host, notes)
    dispatcher = host._dispatcher  # whoever judges calls is imported now
    watched: Any = _WatchedPlugins(host.plugins, notes)
    dispatcher.hooks._plugins = watched
    dispatcher.hooks._generation = -1
    proofs = []
    for path in _paths(probe, alias, nested):
        session = host.session() if path.name != "direct" else dispatcher.default_session
        try:
            path.take(host, session)
            problem = ""
        except Exception as error:  # foreign code ran: one path that cannot be taken must not hide the others
            problem = describe_error(error)
        proofs.append(_proof(path, session.id, probe, _implementers(host), notes, problem))
    return Proof(implemented=_implementers(host), paths=proofs)


def _implementers(host: Hermes) -> dict[str, list[str]]:
    """The user's plugins that implement each hook, in the order of the calls."""
    found = {hook: [each.plugin for each in host.plugins.implementations(hook)] for hook in PROVEN_HOOKS}
    return {hook: [plugin for plugin in plugins if plugin != _OBSERVER] for hook, plugins in found.items()}


def _proof(
    path: _Path, session_id: str, probe: str, implemented: dict[str, list[str]], notes: _Notes, problem: str
) -> PathProof:
    records = [record for record in notes.records if record.call.session_id == session_id]
    inner = [record for record in records if record.call.name == probe]
    if inner or not any(record.status == "blocked" for record in records):
        records = inner
        if len(records) != path.calls and not problem:
            problem = f"{len(records)} of {path.calls} calls came to their end"
    # Otherwise the tool that was to call the probe was denied itself: then that is the call that all must have seen.
    ids = {None, *(record.call.id for record in records)}
    here = [each for each in notes.sightings if each.session_id == session_id and each.call_id in ids]
    seen: dict[str, list[str]] = {}
    skipped = []
    for hook, plugins in implemented.items():
        order = dict.fromkeys(each.plugin for each in here if each.hook == hook and each.plugin != _OBSERVER)
        seen[hook] = list(order)
        for plugin in plugins:
            met = {each.call_id for each in here if (each.hook, each.plugin) == (hook, plugin)}
            if not _expected_calls(hook, records, notes.ran) <= met:
                skipped.append((hook, plugin))
    outcomes: list[str] = [record.decision.outcome if record.decision else "allowed" for record in records]
    return PathProof(path=path.name, seen=seen, skipped=skipped, outcomes=outcomes, problem=problem)


def _expected_calls(hook: str, records: list[CallRecord], ran: set[str]) -> set[str | None]:
    """The calls that a hook must have seen: of one that was denied there is no result to transform."""
    if hook == "hermes_session_start":
        return {None}
    ids = {record.call.id for record in records}
    return set(ids & ran if hook == "hermes_transform_tool_result" else ids)


# -- for people ------------------------------------------------------------------------------------------------------


def _print(proof: Proof) -> None:
    columns = [
        Column(title="path", style="bold cyan"),
        *(Column(title=hook.removeprefix("hermes_"), fit="wrap") for hook in PROVEN_HOOKS),
        Column(title="remark", fit="wrap", style="yellow"),
    ]
    print_table(
        columns, ((path.path, *(_cell(path, hook) for hook in PROVEN_HOOKS), _remark(path)) for path in proof.paths)
    )
    say()
    wrong = [path.path for path in proof.paths if not path.ok]
    if wrong:
        say(f"Not every hook saw every call: look at {', '.join(wrong)}.", "red")
    elif any(proof.implemented.values()):
        say(f"Every hook saw the call on each of {len(proof.paths)} paths.", "green")
    else:
        note("No installed plugin judges or watches calls, so there was nothing to be left out.")


def _cell(path: PathProof, hook: str) -> str:
    missed = [f"NOT {plugin}" for skipped, plugin in path.skipped if skipped == hook]
    return ", ".join([*path.seen[hook], *missed])


def _remark(path: PathProof) -> str:
    said = [outcome for outcome in dict.fromkeys(path.outcomes) if outcome != "allowed"]
    return clean("; ".join([*said, *([path.problem] if path.problem else [])]))
