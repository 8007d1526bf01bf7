"""Repairs values by plans: for each subschema, what can be done about a value that does not fit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from hermes_schemas.repair_objects import find_faults, fix_members, plain_name
from hermes_schemas.repair_records import AS_READ, IN_ARRAY, LASTING, Job
from hermes_schemas.repair_strings import (
    read_array,
    read_boolean,
    read_integer,
    read_number,
    read_object,
    says_null,
)
from hermes_schemas.validation.arrays import item_schemas
from hermes_schemas.validation.compiler import Compiler
from hermes_schemas.validation.equality import same
from hermes_schemas.validation.messages import join
from hermes_schemas.validation.objects import names_in, subschemas
from hermes_schemas.validation.patterns import compile_pattern
from hermes_schemas.validation.references import MISSING, is_schema_object
from hermes_schemas.validation.scalars import type_names
from hermes_schemas.validation.type_tables import (
    ACCEPT_ALL,
    CONTAINERS,
    SHARED_RUN,
    Run,
    Table,
    accept,
    base_class,
    entry_for,
    fits,
    reject,
)

MAX_LEVELS = 40
"""No tool nests its arguments this deep; deeper values are left unchanged."""

_READERS: dict[str, tuple[Callable[[str], object], str]] = {
    "integer": (read_integer, "string_to_integer"),
    "number": (read_number, "string_to_number"),
    "boolean": (read_boolean, "string_to_boolean"),
    "array": (read_array, "json_text_to_array"),
    "object": (read_object, "json_text_to_object"),
}
"""For each type, what reads it from a text, and the kind of that repair."""


def _plain_choice(text: str) -> str:
    return text.strip().casefold().replace("-", "_").replace(" ", "_")


@dataclass(slots=True, eq=False)
class Plan:
    """The plan for one subschema. It is filled after it is made, because schemas may be cyclic."""

    table: Table = field(default_factory=lambda: ACCEPT_ALL)
    heavy: bool = False
    kinds: tuple[str, ...] = ()
    wants_text: bool = False  # only text is allowed, so a number is meant as text
    formatted: bool = False  # text has a format, so the digits of a number are not meant as text
    exacting: bool = False  # text must meet other conditions
    choices: dict[str, str | None] = field(default_factory=dict)  # None for values that are too similar to choose
    properties: dict[str, tuple[Table, Plan, str]] = field(
        default_factory=dict
    )  # with the step that each adds to paths
    tables: dict[str, Table] = field(default_factory=dict)  # the same tables, for the hot path
    patterns: tuple[tuple[Callable[[str], bool], Plan], ...] = ()
    extra: Plan | None = None
    open_ended: bool = True  # the schema does not mention other properties
    welcomes_others: bool = False  # the schema asks for other properties
    required: frozenset[str] = frozenset()
    renames: dict[str, str | None] = field(default_factory=dict)
    prefix: tuple[Plan, ...] = ()
    items: Plan | None = None
    parts: tuple[Plan, ...] = ()
    beside: frozenset[str] = frozenset()  # the names that any of the parts requires
    branches: tuple[Plan, ...] = ()
    lone: Plan | None = None  # the only branch that is not null
    reader: Callable[[str], object] | None = None  # reads a text as the only type
    repair_kind: str = ""  # the kind of repair that the reader does
    nullable: bool = False

    def fits(self, value: object) -> bool:
        return fits(self.table, value, Run() if self.heavy else SHARED_RUN)

    def fix(self, value: Any, path: str, job: Job) -> Any:
        """Return a repaired value, or the same object when a repair would be a guess."""
        job.settled = False
        if not self.parts and not self.branches:
            return self._fix_guarded(value, path, job)
        tries = job.tries
        place = (id(self), path)
        if place in tries.active or tries.left <= 0:
            return value  # the schema refers to itself for the same value
        key = (id(self), id(value), path)
        known = tries.memo.get(key)
        if known is not None:
            job.notes.extend(known[2])
            return known[1]
        mark = len(job.notes)
        tries.left -= 1
        tries.active.add(place)
        new = self._fix_guarded(value, path, job)
        tries.active.discard(place)
        tries.memo[key] = (value, new, tuple(job.notes[mark:]))
        return new

    def _fix_guarded(self, value: Any, path: str, job: Job) -> Any:
        if job.level >= MAX_LEVELS:
            return value
        mark = len(job.notes)
        job.level += 1
        new = self._fix_here(value, path, job)
        if self.parts:
            new = self._fix_parts(new, path, job)
        if self.branches and not self.fits(new):
            new = self._fix_branches(new, path, job)
        job.level -= 1
        if new is value or (self._better(value, new) and not (self.exacting and self._only_looks_right(value, new))):
            return new
        del job.notes[mark:]
        return value

    def _better(self, old: object, new: object) -> bool:
        """Return True for a container, which may still have faults inside, and for a scalar of the right type."""
        if (self.parts or self.branches) and same(old, new):
            return False  # one part reverted the change of another
        entry = entry_for(self.table, new)
        if entry is accept:
            return True
        if entry is reject:
            return False
        if isinstance(new, CONTAINERS):
            return True
        return entry_for(self.table, old) is reject or self.fits(new)

    def _only_looks_right(self, old: object, new: object) -> bool:
        """Return True for a number that became text with a format: as a date, it would be an arbitrary one."""
        return type(new) is str and not isinstance(old, str) and (self.formatted or not self.fits(new))

    def _fix_here(self, value: Any, path: str, job: Job) -> Any:
        """Repair a value by the schema's own keywords."""
        cls = type(value)
        if cls is str:
            return self._fix_text(value, path, job)
        if isinstance(value, dict):
            if self.properties or self.patterns or self.extra is not None or self.required:
                faults = find_faults(self, value)
                new = value if faults is None else fix_members(self, value, faults, path, job)
                if new is not value:
                    return new
        elif isinstance(value, (list, tuple)):
            return self._fix_items(value, path, job) if self.items is not None or self.prefix else value
        elif self.wants_text and cls in (int, float, bool):
            return self._as_text(value, path, job)
        if value is not None and "array" in self.kinds and entry_for(self.table, value) is reject:
            return self._wrap(value, path, job)
        return value

    def _fix_text(self, text: str, path: str, job: Job) -> Any:
        if says_null(text) and (self.nullable or self.fits(None)):
            job.note(path, "text_to_null", text, None)
            return None
        if self.choices:
            choice = self.choices.get(_plain_choice(text))
            if choice is not None and choice != text and self.fits(choice):
                job.note(path, "matched_choice", text, choice)
                return choice
        for kind in self.kinds:
            mark = len(job.notes)
            new = self._read_as(kind, text, path, job)
            # Of several types, one is chosen only if the result fits completely.
            if new is not text and (len(self.kinds) == 1 or self.has_lone_kind or self.fits(new)):
                return new
            del job.notes[mark:]
        return text

    @property
    def has_lone_kind(self) -> bool:
        return sum(kind != "null" for kind in self.kinds) == 1

    def _read_as(self, kind: str, text: str, path: str, job: Job) -> Any:
        read, repair_kind = _READERS.get(kind, (None, ""))
        found = read(text) if read is not None else None
        if found is None:
            return self._wrap(text, path, job) if kind == "array" else text
        if not isinstance(found, CONTAINERS):
            job.note(path, repair_kind, text, found)
            return found
        job.note(path, repair_kind, text, AS_READ)
        return found if self.fits(found) else self._fix_here(found, path, job)

    def _as_text(self, value: Any, path: str, job: Job) -> Any:
        if isinstance(value, bool):
            text = "true" if value else "false"
        else:
            try:
                text = repr(value)
            except ValueError:  # an integer longer than Python prints
                return value
            if text in ("inf", "-inf", "nan"):
                return value
        job.note(path, "boolean_to_string" if isinstance(value, bool) else "number_to_string", value, text)
        return text

    def _wrap(self, value: Any, path: str, job: Job) -> Any:
        """Wrap a single value where an array is expected, unless arrays of arrays are allowed.

        Items are not wrapped: `[1, 2]` for an array of arrays may stand for one inner array or for two.
        """
        if job.in_array:
            return value
        wrapped = [value]
        fitting = self.fits(wrapped)
        if not fitting and (self.prefix or (self.items is not None and self.items.table[list] is not reject)):
            return value
        job.note(path, "wrapped_in_array", value, IN_ARRAY if type(value) in LASTING else wrapped)
        return wrapped if fitting else self._fix_items(wrapped, path, job)

    def _fix_items(self, value: Any, path: str, job: Job) -> Any:
        new: list[Any] | None = None
        in_array, job.in_array = job.in_array, True
        for index, item in enumerate(value):
            plan = self.prefix[index] if index < len(self.prefix) else self.items
            if plan is None or plan.fits(item):
                continue
            fixed = plan.fix(item, join(path, index), job)
            if fixed is not item:
                new = list(value) if new is None else new
                new[index] = fixed
        job.in_array = in_array
        return value if new is None else new

    def _fix_parts(self, value: Any, path: str, job: Job) -> Any:
        held, job.held = job.held, job.held | self.beside
        for part in self.parts:
            if not part.fits(value):
                value = part.fix(value, path, job)
        job.held = held
        return value

    def _fix_branches(self, value: Any, path: str, job: Job) -> Any:
        if self.lone is not None:
            return value if self.lone.fits(value) else self.lone.fix(value, path, job)
        if any(branch.fits(value) for branch in self.branches):
            return value
        for branch in self.branches:
            mark = len(job.notes)
            new = branch.fix(value, path, job)
            if new is not value and branch.fits(new) and self.fits(new):
                return new
            del job.notes[mark:]
        return value


class Planner:
    """Makes the plans of one schema document, one per subschema, from the top down."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self._plans: dict[int, Plan] = {}
        self._todo: deque[tuple[Plan, Any, int]] = deque()

    def plan(self, schema: object) -> Plan:
        root = self._plan(schema, 0)
        while self._todo:
            plan, sub, level = self._todo.popleft()
            self._fill(plan, sub, level)
        _spread(self._plans.values(), "formatted")
        _spread(self._plans.values(), "exacting")
        for plan in self._plans.values():
            _fill_reader(plan)
        return root

    def _plan(self, schema: object, level: int) -> Plan:
        known = self._plans.get(id(schema)) if is_schema_object(schema) else None
        if known is not None:
            return known
        plan = Plan()
        node = self._compiler.compile(schema) if level <= MAX_LEVELS else None
        if node is not None:
            plan.table, plan.heavy = node.table, node.heavy
            plan.nullable = node.table[NoneType] is accept
        if node is not None and is_schema_object(schema):
            self._plans[id(schema)] = plan
            self._todo.append((plan, schema, level))
        return plan

    def _fill(self, plan: Plan, schema: Any, level: int) -> None:
        def make(sub: object) -> Plan:
            return self._plan(sub, level + 1)

        _fill_scalars(plan, schema)
        self._fill_object(plan, schema, make)
        first, others = item_schemas(schema)
        plan.prefix = tuple(make(sub) for sub in first)
        plan.items = make(others) if is_schema_object(others) else None
        parts = schema.get("allOf")
        found = list(parts) if isinstance(parts, (list, tuple)) else []
        target = self._compiler.references.resolve(schema["$ref"]) if "$ref" in schema else MISSING
        if target is not MISSING:
            found.append(target)
        plan.parts = tuple(make(part) for part in found)
        plan.beside = plan.required.union(*(names_in(part.get("required")) for part in found if is_schema_object(part)))
        branches = [sub for word in ("anyOf", "oneOf") if isinstance(schema.get(word), list) for sub in schema[word]]
        plan.branches = tuple(make(branch) for branch in branches)
        real = [branch for branch in plan.branches if any(branch.table[c] is not reject for c in _NOT_NULL)]
        plan.lone = real[0] if len(real) == 1 else None

    def _fill_object(self, plan: Plan, schema: Any, make: Callable[[object], Plan]) -> None:
        for name, sub in subschemas(schema, "properties").items():
            child = make(sub)
            plan.properties[name] = (child.table, child, join("", name))
            plan.tables[name] = child.table
            word = plain_name(name)
            plan.renames[word] = None if word in plan.renames else name
        plan.patterns = tuple(
            (matches, make(sub))
            for pattern, sub in subschemas(schema, "patternProperties").items()
            if (matches := compile_pattern(pattern)) is not None
        )
        extra = schema.get("additionalProperties")
        plan.open_ended = "additionalProperties" not in schema and not plan.patterns
        plan.welcomes_others = extra is not None and extra is not False
        plan.extra = make(extra) if is_schema_object(extra) else None
        plan.required = frozenset(names_in(schema.get("required")))


_NOT_NULL = (str, int, float, bool, list, dict)
_KINDS: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def _spread(plans: Iterable[Plan], mark: str) -> None:
    """Mark every plan that combines a marked one."""
    above: dict[int, list[Plan]] = {}
    todo = []
    for plan in plans:
        if getattr(plan, mark):
            todo.append(plan)
        for part in (*plan.parts, *plan.branches):
            above.setdefault(id(part), []).append(plan)
    while todo:
        for plan in above.get(id(todo.pop()), ()):
            if not getattr(plan, mark):
                setattr(plan, mark, True)
                todo.append(plan)


def _fill_reader(plan: Plan) -> None:
    source = plan.lone if plan.lone is not None and not plan.kinds else plan
    if plan.parts or plan.choices or source.parts or source.choices or source.branches:
        return
    kinds = [kind for kind in source.kinds if kind != "null"]
    if len(kinds) == 1 and kinds[0] in _READERS:
        plan.reader, plan.repair_kind = _READERS[kinds[0]]


def _fill_scalars(plan: Plan, schema: Any) -> None:
    members = schema.get("enum")
    allowed = list(members) if isinstance(members, (list, tuple)) else []
    if "const" in schema:
        allowed.append(schema["const"])
    kinds = list(type_names(schema))
    if not kinds:
        kinds = list(dict.fromkeys(_KINDS[base] for member in allowed if (base := _class(member)) in _KINDS))
    plan.kinds = tuple(kinds)
    plan.wants_text = {kind for kind in kinds if kind != "null"} == {"string"}
    # A format of numbers, such as `int32`, does not apply to text.
    plan.formatted = isinstance(schema.get("format"), str) and (not kinds or "string" in kinds)
    plan.exacting = plan.formatted or any(word in schema for word in ("enum", "const", "pattern"))
    for member in allowed:
        if isinstance(member, str):
            word = _plain_choice(member)
            plan.choices[word] = member if plan.choices.get(word, member) == member else None


def _class(member: object) -> type:
    return type(member) if type(member) in _KINDS else base_class(member)
