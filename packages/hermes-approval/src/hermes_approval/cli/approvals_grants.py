"""`hermes approvals list`, `add`, `revoke` and `export`: stored grants; and the hint after a denied call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import click

from hermes_approval.audit.timestamps import parse_time
from hermes_approval.channels.answer import signed
from hermes_approval.channels.safe_text import one_line
from hermes_approval.cli.options import PLACE, json_option, when
from hermes_approval.grants.allowlist import KEY, allowlist_grants
from hermes_approval.grants.argument_patterns import ANY, Pattern, under
from hermes_approval.grants.grant import REST, Grant, new_id
from hermes_approval.grants.grant_store import FILE, UNBOUND_VERSION, VERSION, GrantStore, as_bound
from hermes_approval.grants.hidden_values import concealed, concealed_text
from hermes_core import CallRecord
from hermes_core.commands import Column, clean, loaded_host, note, print_json, print_table, say, tool_names
from hermes_core.errors import ConfigError, did_you_mean
from hermes_core.settings import hermes_home
from hermes_schemas import nearest

_MARK = "(arguments only)"
_MAX_HINT_CHARS = 2_000  # no one copies a longer command
_UNBOUND = (
    f"hermes: Grants marked '{_MARK}' were stored before approvals were bound to a directory, or are for calls that "
    "depend only on their arguments. Terminal commands and files ask again; revoke grants that you do not need."
)


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the calls that are allowed without asking.

    Each grant is listed with what it is bound to, such as a directory. The list includes 'command_allowlist' in
    config.yaml; its entries, like grants that you add manually, are not bound to anything. Words that look like secrets
    are shown as ***; 'hermes approvals export' prints them.

    Exit code: 0, even if there are no grants; 2 if a file cannot be read, or if other users can modify it. In that
    case, none of its grants apply.
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
        say("No call is allowed without asking.")
    if any(grant.bound == () for grant in stored):
        note(_UNBOUND)
    for problem in problems:
        note(f"hermes: warning: {KEY}: {one_line(problem)}")


def _patterns(form: str) -> Any:
    """Return a callback that reads `name=PATTERN` into patterns of one form."""

    def read(_ctx: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> list[tuple[str, Pattern]]:
        found: list[tuple[str, Pattern]] = []
        for value in values:
            name, sign, text = value.partition("=")
            if not sign or not name:
                raise click.BadParameter(f"{value!r} is not name=VALUE.")
            try:
                found.append((name, _pattern(form, text)))
            except (ConfigError, ValueError, RecursionError) as error:
                reason = error.reason if isinstance(error, ConfigError) else f"{error}."
                raise click.BadParameter(f"{name}: {reason}") from error
        return found

    return read


def _pattern_option(form: str, operand: str, help: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        f"--arg-{form}", f"_{form}", multiple=True, metavar=f"NAME={operand}", callback=_patterns(form), help=help
    )


def _pattern(form: str, text: str) -> Pattern:
    from hermes_approval.grants.argument_patterns import checked

    if form == "under":
        return under(str(Path(text).expanduser().absolute()))
    if form == "json":
        return checked({"equals": json.loads(text)})
    return checked({form: text})


def _expiry(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    now = time.time()
    try:
        at = parse_time(value, now=now, is_past=False)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a time. Examples: 30m, 2h, 7d, 2027-03-01.") from None
    if at <= now:
        raise click.BadParameter(f"{value!r} has passed.")
    return at


@click.command()
@click.argument("tool", required=False, shell_complete=tool_names)
@click.argument("rule", required=False)
@click.option("--arg", "equal", multiple=True, metavar="NAME=VALUE", help="The argument has this value.")
@_pattern_option("json", "JSON", "The same, as JSON.")
@_pattern_option("glob", "GLOB", "The argument is one line; * matches any text.")
@_pattern_option("command", "GLOB", "The argument is one simple shell command; * does not match ; & | $ and the like.")
@_pattern_option("under", "DIR", "The argument is a path in this directory, after links.")
@_pattern_option("host", "HOST", "The argument is a URL at this host; *.example.org matches its subdomains.")
@click.option("--source", default="", metavar="PLUGIN", help="Only for the tool of this plugin.")
@click.option("--any-args", is_flag=True, help="Allow calls with other arguments too.")
@click.option("--expires", callback=_expiry, metavar="2h|TIME", help="When it expires: 30m, 2h, 7d, 2027-03-01.")
@click.option("--uses", type=click.IntRange(min=1), metavar="N", help="The maximum number of calls.")
@click.option("--reason", default="", help="The reason, for people who review the grant.")
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, exists=True),
    help="Import the output of 'hermes approvals export'.",
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

    RULE is the ID shown in brackets in a prompt, and in the findings of 'hermes call --json' and 'hermes audit show'.
    The grant covers only calls that have exactly the arguments named here; with --any-args, calls may have others too.
    Exit code: 0 on success; 2 for invalid usage, or if approvals.json cannot be read or written.
    """
    named = [pair for pairs in patterns.values() for pair in pairs]
    if file is not None:
        if tool or equal or named or source or any_args or expires or uses or reason:
            raise click.UsageError("--from cannot be combined with other options: the file has the grants.")
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
@click.option("--all", "everything", is_flag=True, help="Revoke all grants.")
@json_option
def revoke(ids: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Revoke grants, effective immediately in all processes.

    ID is an ID from 'hermes approvals list', or the beginning of one.

    Exit code: 0 on success; 2 for an unknown ID, in which case no grant is revoked, or if approvals.json cannot be read
    or written.
    """
    if bool(ids) == everything:
        raise click.UsageError("Name grants by their ids, or all of them with --all.")
    store = _store()
    known = {grant.id: grant for grant in _stored(store)}
    chosen = list(known) if everything else list(dict.fromkeys(_one(each, known) for each in ids))
    revoked = [each for each in chosen if store.revoke(each)]
    if as_json:
        print_json({"revoked": revoked})
        return
    for each in revoked:
        say(f"Revoked: {each}  {one_line(known[each].describe())}")
    if not revoked:
        say("There was no grant to revoke.")


@click.command()
@click.option("--json", is_flag=True, expose_value=False, help="Accepted, but the output is always JSON.")
def export() -> None:
    """Print all stored grants as JSON, including recently expired ones.

    'hermes approvals add --from FILE' reads it back. Exit code: 0 on success, 2 if approvals.json cannot be read.
    """
    print_json({"version": VERSION, "grants": _store().export()})


COMMANDS = (list_, add, revoke, export)


def _store() -> GrantStore:
    return GrantStore(hermes_home())


def _stored(store: GrantStore) -> list[Grant]:
    return [Grant.from_dict(data, file=str(store.file)) for data in store.export()]


def _allowlist() -> tuple[list[Grant], list[str]]:
    from hermes_core.settings import Config

    return allowlist_grants(Config(hermes_home()).stored(KEY))


def _one(id: str, known: dict[str, Grant]) -> str:
    if id in known:
        return id
    near = [each for each in known if id and each.startswith(id)]
    if len(near) == 1:
        return near[0]
    if near:
        raise click.UsageError(f"{clean(id)!r} could be any of {', '.join(near)}.")
    if id in {grant.id for grant in _allowlist()[0]}:
        raise click.UsageError(f"{clean(id)} is in 'command_allowlist' of config.yaml: remove it there.")
    hint = did_you_mean(nearest(id, known)).strip() or "'hermes approvals list' shows all grants."
    raise click.UsageError(f"There is no grant {clean(id)!r}. {hint}")


def _known(tool: str, words: tuple[str, ...]) -> tuple[str, list[tuple[str, Pattern]]]:
    """Return the canonical name of a tool, and its exact arguments, typed by its schema if the tool is known."""
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
    if spec.name == "tool_call":  # its calls are judged as calls of the inner tool
        note("hermes: approvals are for the tool that tool_call calls, never for tool_call: grant that tool.")
    typed = type_pairs(pairs, spec.parameters, spec.argument_aliases)
    return spec.name, [(spec.argument_aliases.get(name, name), {"equals": value}) for name, value in typed.items()]


def _merged(pairs: Iterable[tuple[str, Pattern]]) -> dict[str, Pattern]:
    made: dict[str, Pattern] = {}
    for name, pattern in pairs:
        if name in made:
            raise click.UsageError(f"There are two patterns for {name!r}: a grant has one for each argument.")
        if name == REST:
            raise click.UsageError("Use --any-args for all other arguments.")
        made[name] = pattern
    return made


def _exported(file: Path) -> list[Grant]:
    try:
        data = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"cannot be read as JSON: {error}.", file=str(file)) from error
    listed = data.get("grants") if isinstance(data, dict) else None
    if not isinstance(listed, list) or data.get("version") not in (UNBOUND_VERSION, VERSION):
        raise ConfigError("is not the output of 'hermes approvals export'.", file=str(file))
    grants = [Grant.from_dict(each, file=str(file), key=f"grants[{index}]") for index, each in enumerate(listed)]
    return [as_bound(grant) for grant in grants] if data["version"] == UNBOUND_VERSION else grants


def _fields(grant: Grant, kept_in: str) -> dict[str, Any]:
    args = {name: _conceal(name, pattern) for name, pattern in grant.as_dict()["args"].items()}
    bound = None if grant.bound is None else [[label, concealed_text(value)] for label, value in grant.bound]
    facts = {"source": grant.source, "allows": grant.describe(), "live": grant.live(time.time()), "kept_in": kept_in}
    return {**grant.as_dict(), "args": args, "bound": bound, **facts}


def _conceal(name: str, pattern: Mapping[str, Any]) -> dict[str, Any]:
    ((form, operand),) = pattern.items()
    if form == "equals":
        return {form: concealed(operand, name)}
    return {form: concealed_text(operand) if isinstance(operand, str) else operand}


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


def explain_grants(record: CallRecord) -> list[str]:
    """Return the commands that store a grant for each rule that asked, for exactly this call."""
    call, decision = record.call, record.decision
    rules = dict.fromkeys(each.rule for each in decision.findings if each.severity == "ask") if decision else ()
    words = [*(("--source", call.source) if call.source else ()), *_argument_words(call.args)]
    lines = [" ".join(map(quote, ("hermes", "approvals", "add", call.name, rule, *words))) for rule in rules]
    if all(line.isprintable() and len(line) <= _MAX_HINT_CHARS for line in lines):
        return ["To allow it permanently:", *(f"  {line}" for line in lines)]
    return ["'hermes approvals add --help' explains how to allow it permanently."]


def _argument_words(args: Mapping[str, object]) -> Iterator[str]:
    for name, value in args.items():
        if isinstance(value, str) and value.isprintable():
            yield from ("--arg", f"{name}={value}")
        else:
            yield from ("--arg-json", f"{name}={json.dumps(value, default=str)}")
