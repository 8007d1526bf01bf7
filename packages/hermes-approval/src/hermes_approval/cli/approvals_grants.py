"""`hermes approvals`: the grants, which allow something without asking again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hermes_approval.channels.answer import signed
from hermes_approval.channels.safe_text import one_line
from hermes_approval.cli.options import PLACE, json_option, when
from hermes_approval.grants.allowlist import KEY, allowlist_grants
from hermes_approval.grants.argument_patterns import ANY, Pattern, under
from hermes_approval.grants.grant import REST, Grant, new_id
from hermes_approval.grants.grant_store import FILE, UNBOUND_VERSION, VERSION, GrantStore, as_bound
from hermes_approval.grants.hidden_values import concealed, concealed_text
from hermes_core.commands import Column, clean, loaded_host, note, print_json, print_table, say, tool_names
from hermes_core.errors import ConfigError, did_you_mean
from hermes_core.settings import hermes_home
from hermes_schemas import nearest

_MARK = "(arguments only)"
_UNBOUND = (
    f"hermes: Grants marked '{_MARK}' were given before approvals were bound to a directory, or for a call that "
    "depends on nothing but its arguments. Terminal commands and files ask again; revoke grants that you do not need."
)
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List what is allowed without asking.

    Each grant is listed with what it is bound to, such as a directory. Those of 'command_allowlist' in config.yaml are
    listed, too; like grants that you add by hand, they are not bound to anything. Words that look like secrets are
    shown as ***; 'hermes approvals export' prints them as they are.

    Exit status: 0, also when there is none; 2 when a file cannot be read, or when others may write to it: then nothing
    of it is allowed.
    """
    stored = _stored(_store())
    allowed, problems = _allowlist()
    if as_json:
        listed = [*(_fields(grant, FILE) for grant in stored)]
        listed += [_fields(grant, KEY) for grant in allowed]
        print_json({"grants": listed, "problems": [f"{KEY}: {problem}" for problem in problems]})
        return
    if stored or allowed:
        print_table(_COLUMNS, (_row(grant) for grant in (*stored, *allowed)))
    else:
        say("Nothing is allowed without asking.")
    if any(grant.bound == () for grant in stored):
        note(_UNBOUND)
    for problem in problems:
        note(f"hermes: warning: {KEY}: {one_line(problem)}")


def _patterns(form: str) -> Any:
    """Reads `name=PATTERN`, as often as it is given, into patterns of one form."""

    def read(_ctx: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> list[tuple[str, Pattern]]:
        found: list[tuple[str, Pattern]] = []
        for value in values:
            name, sign, text = value.partition("=")
            if not sign or not name:
                raise click.BadParameter(f"{value!r} is not name=VALUE.")
            try:
                found.append((name, _pattern(form, text)))
            except (ConfigError, ValueError, RecursionError) as error:
                said = error.reason if isinstance(error, ConfigError) else f"{error}."
                raise click.BadParameter(f"{name}: {said}") from error
        return found

    return read


def _pattern(form: str, text: str) -> Pattern:
    from hermes_approval.grants.argument_patterns import checked

    if form == "under":
        return under(str(Path(text).expanduser().absolute()))
    if form == "json":
        return checked({"equals": json.loads(text)})
    return checked({form: text})


def _expiry(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> float | None:
    """In how long, or when."""
    if value is None:
        return None
    from datetime import datetime

    now, text = time.time(), value.strip()
    number = text[:-1]
    if text[-1:] in _UNITS and number.isascii() and number.replace(".", "", 1).isdecimal():
        at = now + float(number) * _UNITS[text[-1]]
    else:
        try:
            at = datetime.fromisoformat(text).timestamp()
        except (ValueError, OverflowError, OSError):
            raise click.BadParameter(f"{value!r} is no time. Examples: 30m, 2h, 7d, 2027-03-01.") from None
    if at <= now:
        raise click.BadParameter(f"{value!r} has passed.")
    return at


@click.command()
@click.argument("tool", required=False, shell_complete=tool_names)
@click.argument("rule", required=False)
@click.option("--arg", "equal", multiple=True, metavar="NAME=VALUE", help="This argument is exactly this.")
@click.option(
    "--arg-json", "json_", multiple=True, metavar="NAME=JSON", callback=_patterns("json"), help="The same, as JSON."
)
@click.option(
    "--arg-glob", "glob", multiple=True, metavar="NAME=GLOB", callback=_patterns("glob"), help="A line; * is any text."
)
@click.option(
    "--arg-command",
    "commands",
    multiple=True,
    metavar="NAME=GLOB",
    callback=_patterns("command"),
    help="One simple shell command; * crosses no ; & | $ and the like.",
)
@click.option(
    "--arg-under",
    "folders",
    multiple=True,
    metavar="NAME=DIR",
    callback=_patterns("under"),
    help="A path in this folder, wherever links lead.",
)
@click.option(
    "--arg-host",
    "hosts",
    multiple=True,
    metavar="NAME=HOST",
    callback=_patterns("host"),
    help="A URL at this host; *.example.org is every host below.",
)
@click.option("--source", default="", metavar="PLUGIN", help="Only this plugin's tool of that name.")
@click.option("--any-args", is_flag=True, help="All other arguments may be anything.")
@click.option("--expires", callback=_expiry, metavar="2h|TIME", help="Until when: 30m, 2h, 7d, 2027-03-01.")
@click.option("--uses", type=click.IntRange(min=1), metavar="N", help="How many calls.")
@click.option("--reason", default="", help="Why, for those who look at it later.")
@click.option(
    "--from", "file", type=click.Path(path_type=Path, exists=True), help="Add what 'hermes approvals export' wrote."
)
@json_option
def add(
    tool: str | None,
    rule: str | None,
    equal: tuple[str, ...],
    source: str,
    any_args: bool,
    expires: float | None,
    uses: int | None,
    reason: str,
    file: Path | None,
    as_json: bool,
    **patterns: list[tuple[str, Pattern]],
) -> None:
    """Allow one rule of one tool without asking.

    RULE is what a prompt shows in brackets, and 'hermes call --json' or 'hermes audit show' under findings. A call with
    an argument that is not named here is not allowed, unless --any-args says so; nor is one that lacks an argument that
    is named. Exit status: 0 when it worked; 2 for wrong usage, or when approvals.json cannot be read or written.
    """
    named = [pair for pairs in patterns.values() for pair in pairs]
    if file is not None:
        if tool or equal or named or source or any_args or expires or uses or reason:
            raise click.UsageError("--from stands alone: the file says what is allowed.")
        grants = _exported(file)
    elif not tool or not rule:
        raise click.UsageError("Name the tool and the rule, or a file with --from.")
    else:
        canonical, exact = _known(tool, equal)
        args = _merged([*exact, *named])
        grants = [
            Grant(
                id=new_id(),
                tool=canonical,
                rule=rule,
                args={**args, REST: ANY} if any_args else args,
                scope="always",
                expires=expires,
                uses=uses,
                by=signed(PLACE),
                at=time.time(),
                reason=reason,
                source=source,
            )
        ]
    store = _store()
    for grant in grants:
        store.add(grant)
    if as_json:
        print_json({"added": [_fields(grant, FILE) for grant in grants]})
    else:
        for grant in grants:
            say(f"{grant.id}  {one_line(grant.describe())}")


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="All of them.")
@json_option
def revoke(ids: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Take grants back, for every process at once.

    ID is what 'hermes approvals list' shows, or its beginning. Exit status: 0 when it worked; 2 for an id that is not
    there, in which case nothing is taken back, or when approvals.json cannot be read or written.
    """
    if bool(ids) == everything:
        raise click.UsageError("Name grants by their ids, or all of them with --all.")
    store = _store()
    known = {grant.id: grant for grant in _stored(store)}
    meant = list(known) if everything else list(dict.fromkeys(_one(each, known) for each in ids))
    revoked = [each for each in meant if store.revoke(each)]
    if as_json:
        print_json({"revoked": revoked})
        return
    for each in revoked:
        say(f"Taken back: {each}  {one_line(known[each].describe())}")
    if not revoked:
        say("There was nothing to take back.")


@click.command()
@click.option("--json", is_flag=True, expose_value=False, help="Print JSON, as it does in any case.")
def export() -> None:
    """Print every stored grant as JSON, those that expired lately, too.

    'hermes approvals add --from FILE' reads it back. Exit status: 0 when it worked, 2 when approvals.json cannot be
    read.
    """
    print_json({"version": VERSION, "grants": _store().export()})


COMMANDS = (list_, add, revoke, export)


# -- what there is -----------------------------------------------------------------------------------------------


def _store() -> GrantStore:
    return GrantStore(hermes_home())


def _stored(store: GrantStore) -> list[Grant]:
    return [Grant.from_dict(data, file=str(store.file)) for data in store.export()]


def _allowlist() -> tuple[list[Grant], list[str]]:
    from hermes_core.settings import Config

    return allowlist_grants(Config(hermes_home()).stored(KEY))


def _one(id: str, known: dict[str, Grant]) -> str:
    """The grant that is called so, or whose id begins so."""
    if id in known:
        return id
    near = [each for each in known if id and each.startswith(id)]
    if len(near) == 1:
        return near[0]
    if near:
        raise click.UsageError(f"{clean(id)!r} could be any of {', '.join(near)}.")
    if id in {grant.id for grant in _allowlist()[0]}:
        raise click.UsageError(f"{clean(id)} stands in 'command_allowlist' of config.yaml: take it out there.")
    hint = did_you_mean(nearest(id, known)).strip() or "'hermes approvals list' shows those that there are."
    raise click.UsageError(f"There is no grant {clean(id)!r}. {hint}")


def _known(tool: str, words: tuple[str, ...]) -> tuple[str, list[tuple[str, Pattern]]]:
    """A tool's own name, and its exact arguments, typed by its schema. An application may have tools unknown here."""
    from hermes_core.commands import type_pairs

    pairs = []
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{word!r} is not name=VALUE.", param_hint="'--arg'")
        pairs.append((name, value))
    with loaded_host(warn=False) as host:
        spec = host.registry.get(tool)
        near = [] if spec else nearest(tool, host.registry.snapshot.names)
    if spec is None:
        note(f"hermes: There is no tool {clean(tool)!r} here.{did_you_mean(near)}")
        return tool, [(name, {"equals": value}) for name, value in pairs]
    if spec.name == "tool_call":  # its calls are judged as calls of the tool that they lead to
        note("hermes: approvals are about the tool that tool_call calls, and never tool_call: grant that tool.")
    typed = type_pairs(pairs, spec.parameters, spec.argument_aliases)
    return spec.name, [(spec.argument_aliases.get(name, name), {"equals": value}) for name, value in typed.items()]


def _merged(pairs: Iterable[tuple[str, Pattern]]) -> dict[str, Pattern]:
    made: dict[str, Pattern] = {}
    for name, pattern in pairs:
        if name in made:
            raise click.UsageError(f"There are two patterns for {name!r}: a grant has one for each argument.")
        if name == REST:
            raise click.UsageError("Say --any-args for all other arguments.")
        made[name] = pattern
    return made


def _exported(file: Path) -> list[Grant]:
    try:
        data = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"cannot be read as JSON: {error}.", file=str(file)) from error
    listed = data.get("grants") if isinstance(data, dict) else None
    if not isinstance(listed, list) or data.get("version") not in (UNBOUND_VERSION, VERSION):
        raise ConfigError("is not what 'hermes approvals export' writes.", file=str(file))
    grants = [Grant.from_dict(each, file=str(file), key=f"grants[{index}]") for index, each in enumerate(listed)]
    return [as_bound(grant) for grant in grants] if data["version"] == UNBOUND_VERSION else grants


# -- words -------------------------------------------------------------------------------------------------------


def _fields(grant: Grant, kept_in: str) -> dict[str, Any]:
    """All of a grant, without the secrets in it."""
    args = {name: _shown(name, pattern) for name, pattern in grant.as_dict()["args"].items()}
    bound = None if grant.bound is None else [[label, concealed_text(value)] for label, value in grant.bound]
    facts = {"source": grant.source, "allows": grant.describe(), "live": grant.live(time.time()), "kept_in": kept_in}
    return {**grant.as_dict(), "args": args, "bound": bound, **facts}


def _shown(name: str, pattern: Mapping[str, Any]) -> dict[str, Any]:
    ((form, operand),) = pattern.items()
    return {form: concealed(operand, name) if form == "equals" else _shown_text(operand)}


def _shown_text(operand: Any) -> Any:
    return concealed_text(operand) if isinstance(operand, str) else operand


def _row(grant: Grant) -> tuple[object, ...]:
    left = "" if grant.uses_left is None else grant.uses_left
    expires = "" if grant.expires is None else when(grant.expires)
    if expires and not grant.live(time.time()):
        expires += " (expired)"
    given = when(grant.at) if grant.at else ""
    allows = f"{grant.describe()}{f' {_MARK}' if grant.bound == () else ''}"
    return (one_line(grant.id), left, expires, one_line(grant.by), given, one_line(allows))


_COLUMNS = (
    Column(title="id"),
    Column(title="uses left"),
    Column(title="expires"),
    Column(title="by", fit="wrap"),
    Column(title="given", fit="wrap"),
    Column(title="allows", fit="wrap"),
)
