"""Repairs the arguments of models that nearly fit a schema, without losing or guessing anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hermes_schemas.checker import Checker
from hermes_schemas.repair_cache import SchemaCache
from hermes_schemas.repair_objects import find_faults, find_meant_name, fix_members, plain_name, rename, resolve_claims
from hermes_schemas.repair_plans import MAX_LEVELS, Plan, Planner
from hermes_schemas.repair_records import Job, Note, Repair, Repaired, make_repaired
from hermes_schemas.repair_strings import read_object
from hermes_schemas.validation.compiler import Compiler
from hermes_schemas.validation.equality import same
from hermes_schemas.validation.type_tables import reject

__all__ = ["Repair", "Repaired", "Repairer", "repair_arguments"]

_WRAPPERS = frozenset({"arguments", "args", "parameters", "params", "input", "kwargs"})
"""Names of a single member in which models wrap all arguments."""
_MAX_WRAPPERS = 10
_MAX_PASSES = 4
"""The first pass repairs, and the second confirms; more are needed only where schemas contradict themselves."""


class Repairer:
    """Repairs the arguments of one tool. Threads may share it."""

    __slots__ = ("_aliases", "_declared", "_plain", "_plan", "checker")

    def __init__(self, parameters: object, aliases: Mapping[str, str] | None = None) -> None:
        compiler = Compiler(parameters)
        self.checker = Checker(compiler.compile(parameters))
        self._plan = plan = _effective(Planner(compiler).plan(parameters))
        self._declared = declared = _declared(plan)
        # An alias that is declared is an argument; one for an unknown argument would only hide a problem.
        self._aliases = {
            alias: name for alias, name in (aliases or {}).items() if alias not in declared and name in declared
        }
        # Then it is enough to check the members one by one, without checking the whole first.
        self._plain = bool(plan.properties) and not (plan.parts or plan.branches or plan.choices)

    def repair(self, args: object, *, keep_nulls: bool = False) -> Repaired:
        """Return the arguments, repaired as far as possible; the given ones are never changed.

        Many models send null for an argument that they omit. Unless `keep_nulls` is set, null is dropped where the
        argument is optional and cannot be null.
        """
        try:
            if not self._plain or type(args) is not dict or len(args) == 1:
                return self._settle(args, args, (), keep_nulls=keep_nulls)
            faults = find_faults(self._plan, args)
            if faults is None:
                return make_repaired(args)
            if self._aliases:
                return self._settle(args, args, (), keep_nulls=keep_nulls)
            job = Job(keep_nulls=keep_nulls)
            new = fix_members(self._plan, args, faults, "", job)
            notes = tuple(job.notes)
            return make_repaired(new, notes) if job.settled else self._settle(args, new, notes, keep_nulls=keep_nulls)
        except Exception:
            # Arguments may be of classes whose methods raise anything, or too deep for the stack. They are left
            # unchanged, and validation explains the problem.
            return make_repaired(args)

    def _settle(self, args: Any, new: Any, notes: tuple[Note, ...], *, keep_nulls: bool) -> Repaired:
        """Repeat the repair until nothing changes; arguments that keep changing are left unchanged."""
        for _ in range(_MAX_PASSES):
            job = Job(keep_nulls=keep_nulls)
            new = self._repair(new, job)
            notes += tuple(job.notes)
            if not job.notes or job.settled:
                return make_repaired(new, notes) if notes else make_repaired(args)
        return make_repaired(args)

    def _repair(self, args: Any, job: Job) -> Any:
        plan = self._plan
        if type(args) is not dict:
            args = _read_as_object(plan, args, job)
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
        """Take the arguments out of a single member that wraps them all."""
        inner = args
        for _ in range(_MAX_WRAPPERS):
            found = self._find_wrapped(inner)
            if found is None:
                break
            inner = found
        else:
            return args  # it may contain itself
        if inner is not args:
            job.settled = False
            job.note("", "unwrapped_arguments", args, inner)
        return inner

    def _find_wrapped(self, args: dict[Any, Any]) -> dict[Any, Any] | None:
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
        """Replace aliases by absent arguments, and drop aliases that repeat a present one."""
        claims: dict[str, list[Any]] = {}
        names: dict[Any, str | None] = {}
        for key, item in args.items():
            name = self._aliases.get(key)
            if name is None:
                continue
            if name not in args:
                claims.setdefault(name, []).append(key)
            elif same(item, args[name]):
                names[key] = None
        if claims:
            self._add_misspelt(claims, args)
            found = resolve_claims(claims, args)
            job.contested = frozenset(name for name, keys in claims.items() if keys[0] not in found)
            names |= found
        return {name: item for name, _, item in rename(args, names, "", job)} if names else args

    def _add_misspelt(self, claims: dict[str, list[Any]], args: dict[Any, Any]) -> None:
        """Add misspelt names to the claims of aliases, unless the schema asks for other names."""
        if self._plan.welcomes_others:
            return
        for key in args:
            name = find_meant_name(self._plan, key)
            if name in claims and key not in self._aliases:
                claims[name].append(key)


def _effective(plan: Plan) -> Plan:
    """Return the plan that a reference at the top leads to, if there is nothing beside it."""
    for _ in range(MAX_LEVELS):
        if len(plan.parts) != 1 or plan.properties or plan.branches or plan.required or plan.kinds:
            break
        plan = plan.parts[0]
    return plan


def _declared(plan: Plan) -> frozenset[str]:
    """Return every name that a part of the schema declares."""
    seen: dict[int, Plan] = {}
    todo = [plan]
    while todo:
        part = todo.pop()
        if id(part) not in seen:
            seen[id(part)] = part
            todo += (*part.parts, *part.branches)
    return frozenset(name for part in seen.values() for name in part.properties)


def _read_as_object(plan: Plan, args: Any, job: Job) -> Any:
    """Convert arguments that are JSON text, or missing, to an object."""
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


_repairers = SchemaCache(256, Repairer)


def repair_arguments(parameters: object, args: object, *, aliases: Mapping[str, str] | None = None) -> Repaired:
    """Repair arguments against a JSON Schema. Nulls are kept.

    Args:
        parameters: The schema.
        args: The arguments that the model sent.
        aliases: The declared names of arguments by their aliases.
    """
    return _repairers.get(parameters, aliases).repair(args, keep_nulls=True)
