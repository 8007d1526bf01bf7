"""Repairs the members of one object: misspelt names, values that do not fit, nulls for omitted arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hermes_schemas.repair_records import AS_READ, Job, PlainText
from hermes_schemas.repair_strings import says_null
from hermes_schemas.validation.equality import same
from hermes_schemas.validation.messages import join
from hermes_schemas.validation.type_tables import CONTAINERS, SHARED_RUN, Run, accept, base_class, fits

if TYPE_CHECKING:
    from hermes_schemas.repair_plans import Plan

NOT_GIVEN = PlainText("not given")


def plain_name(name: str) -> str:
    """Remove case and separators from a name: `maxResults` and `max_results` become `maxresults`."""
    return name.strip().lower().replace("_", "").replace("-", "").replace(" ", "")


def find_faults(plan: Plan, value: dict[Any, Any]) -> list[Any] | None:
    """Return the keys of members that do not fit or are not declared; None when there are none."""
    faults: list[Any] | None = None
    get = plan.tables.get
    run = Run() if plan.heavy else SHARED_RUN
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
    """Return the object with repaired members, or the same object when none can be repaired."""
    new: dict[Any, Any] | None = None
    has_unknown = dropped = False
    for key in faults:
        known = plan.properties.get(key)
        if known is None:
            has_unknown = True
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
            # The common case; the plan handles the others.
            found = child.reader(item)
            entry = table.get(type(found)) if found is not None else None
            if entry is accept or (entry is not None and entry(found, Run())):
                job.note(place, child.repair_kind, item, AS_READ if isinstance(found, CONTAINERS) else found)
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
    if dropped and (has_unknown or len(current) == 1):
        job.settled = False  # another member may be meant for the name that is now free
    return _fix_unknown(plan, current, path, job) if has_unknown else current


def _descend(plan: Plan, item: Any, path: str, job: Job) -> Any:
    if not job.held and not job.in_array:
        return plan.fix(item, path, job)
    # What is required beside this object does not apply to the objects inside it.
    held, job.held = job.held, frozenset()
    in_array, job.in_array = job.in_array, False
    fixed = plan.fix(item, path, job)
    job.held, job.in_array = held, in_array
    return fixed


def _fix_unknown(plan: Plan, value: dict[Any, Any], path: str, job: Job) -> dict[Any, Any]:
    """Repair members that are not declared: values of patterns and `additionalProperties`, then misspelt names."""
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


def find_meant_name(plan: Plan, key: object) -> str | None:
    """Return the one declared name from which an undeclared one differs only in case and separators."""
    if not isinstance(key, str) or key in plan.properties or len(key) > 200:
        return None
    name = plan.renames.get(plain_name(key))
    return name if name is None or not any(matches(key) for matches, _ in plan.patterns) else None


def resolve_claims(claims: dict[str, list[Any]], value: dict[Any, Any]) -> dict[Any, str | None]:
    """Return a new name for each key that claims a name: the first key gets it, the others are dropped (None).

    Keys with different values are ambiguous, and not in the result.
    """
    names: dict[Any, str | None] = {}
    for name, (first, *others) in claims.items():
        if all(same(value[first], value[other]) for other in others):
            names[first] = name
            names.update(dict.fromkeys(others))
    return names


def rename(
    value: dict[Any, Any], names: Mapping[Any, str | None], path: str, job: Job
) -> Iterator[tuple[Any, bool, Any]]:
    """Yield the new name of each member, whether it has changed, and the value; dropped members are left out."""
    for key, item in value.items():
        name = names.get(key, key)
        if name is None:
            job.note(join(path, key), "dropped_duplicate", key, NOT_GIVEN)
            continue
        if name is not key:
            job.note(join(path, name), "renamed_argument", key, name)
        yield name, name is not key, item


def rename_members(plan: Plan, value: dict[Any, Any], path: str, job: Job) -> dict[Any, Any]:
    """Replace misspelt names by the declared and absent names that are meant."""
    claims: dict[str, list[Any]] = {}
    for key in value:
        meant = find_meant_name(plan, key)
        if meant is not None and meant not in value and not (path == "" and meant in job.contested):
            claims.setdefault(meant, []).append(key)
    names = resolve_claims(claims, value)
    if not names or (not (plan.open_ended and path == "") and plan.fits(value)):
        return value
    job.settled = False
    new: dict[Any, Any] = {}
    for name, is_renamed, item in rename(value, names, path, job):
        if not is_renamed:
            new[name] = item
            continue
        table, child, _ = plan.properties[name]
        if fits(table, item, Run()):
            new[name] = item
        elif item is None and name not in plan.required and name not in job.held and not job.keep_nulls:
            job.note(join(path, name), "null_dropped", None, NOT_GIVEN)
        else:
            new[name] = _descend(child, item, join(path, name), job)
    return new
