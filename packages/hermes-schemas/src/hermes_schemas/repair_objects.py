"""Repairs inside one object: names that were meant, values of known names, nulls that mean "not given"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_schemas.repair_records import AS_READ, Job, Words
from hermes_schemas.repair_strings import says_null
from hermes_schemas.validation.equality import same
from hermes_schemas.validation.messages import join
from hermes_schemas.validation.type_tables import CONTAINERS, IDLE_RUN, Run, accept, base_class, fits

if TYPE_CHECKING:
    from hermes_schemas.repair_plans import Plan

NOT_GIVEN = Words("not given")


def plain_name(name: str) -> str:
    """The name without case and separators: `maxResults`, `max_results` and `MAX-RESULTS` are one word."""
    return name.strip().lower().replace("_", "").replace("-", "").replace(" ", "")


def find_faults(plan: Plan, value: dict[Any, Any]) -> list[Any] | None:
    """The keys of members that do not fit or are not declared; None when there are none."""
    faults: list[Any] | None = None
    get = plan.tables.get
    run = Run() if plan.heavy else IDLE_RUN
    for key, item in value.items():
        table = get(key)
        if table is not None:
            entry = table.get(type(item)) or table[base_class(item)]
            if entry is accept or entry(item, run):
                continue
        if faults is None:
            faults = []
        faults.append(key)
    return faults


def fix_members(plan: Plan, value: dict[Any, Any], faults: list[Any], path: str, job: Job) -> dict[Any, Any]:
    """The object with better members, or the same object when there is nothing to better."""
    new: dict[Any, Any] | None = None
    strange = dropped = False
    for key in faults:
        known = plan.properties.get(key)
        if known is None:
            strange = True
            continue
        item = value[key]
        table, child, step = known
        place = step if not path else f"{path}{step}" if step[0] == "[" else f"{path}.{step}"
        if item is None and key not in plan.required and key not in job.held and not job.keep_nulls:
            new = dict(value) if new is None else new
            del new[key]
            dropped = True
            job.note(place, "null_dropped", None, NOT_GIVEN)
            continue
        if type(item) is str and child.reader is not None:
            # The common case, decided here at once; whatever it leaves open is decided by the plan in full.
            found = child.reader(item)
            entry = table.get(type(found)) if found is not None else None
            if entry is accept or (entry is not None and entry(found, Run())):
                job.note(place, child.reading, item, AS_READ if isinstance(found, CONTAINERS) else found)
                new = dict(value) if new is None else new
                new[key] = found
                continue
            if found is None and child.nullable and says_null(item):
                job.note(place, "text_to_null", item, None)
                new = dict(value) if new is None else new
                new[key] = None
                continue
        fixed = _descend(child, item, place, job)
        if fixed is not item:
            new = dict(value) if new is None else new
            new[key] = fixed
    current = value if new is None else new
    if dropped and (strange or len(current) == 1):
        job.settled = False  # another member may have been meant for the name that is free now
    return _fix_strange(plan, current, path, job) if strange else current


def _descend(plan: Plan, item: Any, path: str, job: Job) -> Any:
    if not job.held and not job.in_array:
        return plan.fix(item, path, job)
    # What is required beside this object says nothing about the objects inside it, nor does where it stands itself.
    held, job.held = job.held, frozenset()
    in_array, job.in_array = job.in_array, False
    fixed = plan.fix(item, path, job)
    job.held, job.in_array = held, in_array
    return fixed


def _fix_strange(plan: Plan, value: dict[Any, Any], path: str, job: Job) -> dict[Any, Any]:
    """Members with undeclared names: values under patterns and `additionalProperties`, then misspelt names."""
    new: dict[Any, Any] | None = None
    for key, item in value.items():
        if key in plan.properties:
            continue
        matching = [child for matches, child in plan.patterns if isinstance(key, str) and matches(key)]
        if not matching and plan.extra is not None:
            matching = [plan.extra]
        for child in matching:
            current = item if new is None else new[key]
            if not child.fits(current):
                fixed = _descend(child, current, join(path, key), job)
                if fixed is not current:
                    new = dict(value) if new is None else new
                    new[key] = fixed
    return rename_members(plan, value if new is None else new, path, job)


def name_meant(plan: Plan, key: object) -> str | None:
    """The one declared name from which an undeclared one differs only in case and separators."""
    if not isinstance(key, str) or key in plan.properties or len(key) > 200:
        return None
    name = plan.renames.get(plain_name(key))
    return name if name is None or not any(matches(key) for matches, _ in plan.patterns) else None


def agreed(claims: dict[str, list[Any]], value: dict[Any, Any]) -> dict[Any, str | None]:
    """What to do with keys that stand for the same name: the first takes it, the others are dropped (None).

    Where they hold different values, it cannot be known which was meant, and none of them is in the answer.
    """
    meant: dict[Any, str | None] = {}
    for name, (first, *others) in claims.items():
        if all(same(value[first], value[other]) for other in others):
            meant[first] = name
            meant.update(dict.fromkeys(others))
    return meant


def meant_names(plan: Plan, value: dict[Any, Any], contested: frozenset[str]) -> dict[Any, str | None]:
    """Misspelt names, each with the declared and absent name that it takes, or None where another has taken it."""
    claims: dict[str, list[Any]] = {}
    for key in value:
        name = name_meant(plan, key)
        if name is not None and name not in value and name not in contested:
            claims.setdefault(name, []).append(key)
    return agreed(claims, value)


def rename_members(plan: Plan, value: dict[Any, Any], path: str, job: Job) -> dict[Any, Any]:
    meant = meant_names(plan, value, job.contested if path == "" else frozenset())
    if not meant or (not (plan.open_ended and path == "") and plan.fits(value)):
        return value
    job.settled = False
    new: dict[Any, Any] = {}
    for key, item in value.items():
        if key not in meant:
            new[key] = item
            continue
        name = meant[key]
        if name is None:
            job.note(join(path, key), "dropped_duplicate", key, NOT_GIVEN)
            continue
        job.note(join(path, name), "renamed_argument", key, name)
        table, child, _ = plan.properties[name]
        if fits(table, item, Run()):
            new[name] = item
        elif item is None and name not in plan.required and name not in job.held and not job.keep_nulls:
            job.note(join(path, name), "null_dropped", None, NOT_GIVEN)
        else:
            new[name] = _descend(child, item, join(path, name), job)
    return new
