"""Models send arguments that nearly fit; this makes them fit where nothing is lost and nothing guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hermes_schemas.checker import Checker
from hermes_schemas.repair_cache import RecentlyMade
from hermes_schemas.repair_objects import NOT_GIVEN, agreed, find_faults, fix_members, name_meant, plain_name
from hermes_schemas.repair_plans import MAX_LEVELS, Plan, Planner
from hermes_schemas.repair_records import Job, Note, Repair, Repaired, repaired
from hermes_schemas.repair_strings import read_object
from hermes_schemas.validation.compiler import Compiler
from hermes_schemas.validation.equality import same
from hermes_schemas.validation.messages import join
from hermes_schemas.validation.type_tables import reject

__all__ = ["Repair", "Repaired", "Repairer", "repair_arguments"]

# Names under which models put the whole set of arguments once more.
_WRAPPERS = frozenset({"arguments", "args", "parameters", "params", "input", "kwargs"})
_MAX_WRAPPERS = 10
# One look does it, and a second sees that nothing is left; more are needed only where schemas contradict themselves.
_MAX_PASSES = 4


class Repairer:
    """The repairs of one tool's parameters, compiled once. Threads may share it."""

    __slots__ = ("_aliases", "_declared", "_plain", "_plan", "checker")

    def __init__(self, parameters: object, aliases: Mapping[str, str] | None = None) -> None:
        compiler = Compiler(parameters)
        self.checker = Checker(compiler.compile(parameters))
        self._plan = plan = _effective(Planner(compiler).plan(parameters))
        self._declared = declared = _declared(plan)
        # An alias that is itself declared is a name of its own; one that leads nowhere would only hide a mistake.
        self._aliases = {
            alias: name for alias, name in (aliases or {}).items() if alias not in declared and name in declared
        }
        # Then looking at the members one by one is all there is to do, and no check of the whole is needed before it.
        self._plain = bool(plan.properties) and not (plan.parts or plan.branches or plan.choices)

    def repair(self, args: object, *, keep_nulls: bool = False) -> Repaired:
        """The arguments, repaired as far as can be; what was passed in is never changed.

        Many models send null for an argument that they do not want to give. Where null is not a value that the
        argument can have, and it is not required, it is dropped, unless nulls are to be kept.
        """
        try:
            if not self._plain or type(args) is not dict or len(args) == 1:
                return self._settle(args, args, (), keep_nulls=keep_nulls)
            faults = find_faults(self._plan, args)
            if faults is None:
                return repaired(args)
            if self._aliases:
                return self._settle(args, args, (), keep_nulls=keep_nulls)
            job = Job(keep_nulls=keep_nulls)
            new = fix_members(self._plan, args, faults, "", job)
            notes = tuple(job.notes)
            return repaired(new, notes) if job.settled else self._settle(args, new, notes, keep_nulls=keep_nulls)
        except Exception:
            # Arguments may be of classes whose own methods raise anything, and may be too deep for the stack that is
            # left. Whatever it was, they stay as they are, and validation says what is wrong with them.
            return repaired(args)

    def _settle(self, args: Any, new: Any, notes: tuple[Note, ...], *, keep_nulls: bool) -> Repaired:
        """Look again as long as there is something to do; arguments that never come to rest are left as they are."""
        for _ in range(_MAX_PASSES):
            job = Job(keep_nulls=keep_nulls)
            new = self._repair(new, job)
            notes += tuple(job.notes)
            if not job.notes or job.settled:
                return repaired(new, notes) if notes else repaired(args)
        return repaired(args)

    def _repair(self, args: Any, job: Job) -> Any:
        plan = self._plan
        if type(args) is not dict:
            args = _as_object(plan, args, job)
            if not isinstance(args, dict):
                return args if plan.fits(args) else plan.fix(args, "", job)
        if len(args) == 1:
            args = self._unwrap(args, job)
        if self._aliases:
            args = self._apply_aliases(args, job)
        if self._plain:
            faults = find_faults(plan, args)
            return args if faults is None else fix_members(plan, args, faults, "", job)
        return args if plan.fits(args) else plan.fix(args, "", job)

    def _unwrap(self, args: dict[Any, Any], job: Job) -> dict[Any, Any]:
        """Take the arguments out of a member that holds them all."""
        inner = args
        for _ in range(_MAX_WRAPPERS):
            found = self._inside(inner)
            if found is None:
                break
            inner = found
        else:
            return args  # wrapped in itself, or as good as
        if inner is not args:
            job.settled = False
            job.note("", "unwrapped_arguments", args, inner)
        return inner

    def _inside(self, args: dict[Any, Any]) -> dict[Any, Any] | None:
        plan = self._plan
        if len(args) != 1:
            return None
        ((key, inner),) = args.items()
        if key not in _WRAPPERS or key in self._declared or key in self._aliases:
            return None
        if isinstance(inner, str):
            inner = read_object(inner)
        if not isinstance(inner, dict):
            return None
        if plan.fits(args) and not (plan.open_ended and any(self._knows(name) for name in inner)):
            return None
        return inner

    def _knows(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        plan = self._plan
        return name in self._declared or name in self._aliases or plan.renames.get(plain_name(name)) is not None

    def _apply_aliases(self, args: dict[Any, Any], job: Job) -> dict[Any, Any]:
        """Put absent arguments in place of their aliases, and drop aliases that repeat a present one."""
        claims: dict[str, list[Any]] = {}
        meant: dict[Any, str | None] = {}
        for key, item in args.items():
            name = self._aliases.get(key)
            if name is None:
                continue
            if name not in args:
                claims.setdefault(name, []).append(key)
            elif same(item, args[name]):
                meant[key] = None
        if claims:
            self._add_misspelt(claims, args)
            found = agreed(claims, args)
            job.contested = frozenset(name for name, keys in claims.items() if keys[0] not in found)
            meant |= found
        return _renamed(args, meant, job) if meant else args

    def _add_misspelt(self, claims: dict[str, list[Any]], args: dict[Any, Any]) -> None:
        """Misspelt names claim an argument beside its aliases, unless they may be names of their own."""
        if self._plan.welcomes_others:
            return
        for key in args:
            name = name_meant(self._plan, key)
            if name in claims and key not in self._aliases:
                claims[name].append(key)


def _renamed(args: dict[Any, Any], meant: Mapping[Any, str | None], job: Job) -> dict[Any, Any]:
    new: dict[Any, Any] = {}
    for key, item in args.items():
        name = meant.get(key, key)
        if name is None:
            job.note(join("", key), "dropped_duplicate", key, NOT_GIVEN)
            continue
        new[name] = item
        if name is not key:
            job.note(join("", name), "renamed_argument", key, name)
    return new


def _effective(plan: Plan) -> Plan:
    """The plan a reference at the top leads to, where there is nothing beside it."""
    for _ in range(MAX_LEVELS):
        if len(plan.parts) != 1 or plan.properties or plan.branches or plan.required or plan.kinds:
            break
        plan = plan.parts[0]
    return plan


def _declared(plan: Plan) -> frozenset[str]:
    """Every name the arguments may have, whichever part of the schema declares it."""
    seen: dict[int, Plan] = {}
    todo = [plan]
    while todo:
        part = todo.pop()
        if id(part) not in seen:
            seen[id(part)] = part
            todo += (*part.parts, *part.branches)
    return frozenset(name for part in seen.values() for name in part.properties)


def _as_object(plan: Plan, args: Any, job: Job) -> Any:
    """Arguments that came as text, or not at all, as the object they stand for."""
    if isinstance(args, dict) or plan.table[dict] is reject:
        return args
    if args is None or (isinstance(args, str) and not args.strip()):
        job.note("", "empty_to_object", args, {})
        return {}
    if isinstance(args, str):
        found = read_object(args)
        if found is not None:
            job.note("", "json_text_to_object", args, found)
            return found
    return args


# Enough for every tool of a large host; each entry is checked against its schema before it is used.
_recent = RecentlyMade(256, Repairer)


def repair_arguments(parameters: object, args: object, *, aliases: Mapping[str, str] | None = None) -> Repaired:
    """Repair arguments against a JSON Schema. A null is kept as it was sent.

    Args:
        parameters: The schema.
        args: What the model sent.
        aliases: Other names of arguments, to their declared ones.
    """
    return _recent.get(parameters, aliases).repair(args, keep_nulls=True)
