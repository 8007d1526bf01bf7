"""`hermes lock`: pin what models are shown, see what changed since, and accept it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hermes_core.cli.completions import tool_names
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import counted, print_json, say
from hermes_core.cli.run import debug_option, loaded_host
from hermes_core.config.home import hermes_home
from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError
from hermes_core.plugins.lock import Lock, LockedPlugin
from hermes_core.plugins.lock_file import FILE_NAME, NO_LOCK, find_lock, read_lock, write_lock
from hermes_core.plugins.sources import LOCKED
from hermes_text.terminal import clean, harmless

if TYPE_CHECKING:
    from hermes_core.plugins.lock import Differences

_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "+": "green", "-": "red"}

_file = click.option("--file", type=click.Path(path_type=Path), help="Another file than the one in effect.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(invoke_without_command=True)
@_file
@_json
@click.pass_context
def command(ctx: click.Context, file: Path | None, as_json: bool) -> None:
    """Pin what models are shown, and see what changed since.

    'hermes lock' writes hermes.lock. It stores the version of each installed plugin, and the definition and digest of
    each of its tools. Tools that are new, or whose definition differs, are quarantined: they are listed as unavailable
    and cannot be called until you review them ('hermes lock diff') and accept them ('hermes lock accept NAME', or
    'hermes lock' for all).

    The lock in effect is $HERMES_LOCK, ./hermes.lock, or hermes.lock in $HERMES_HOME; a new one is written to
    ./hermes.lock. Exit status: 0 when it worked, 2 when the lock cannot be read or written.
    """
    if ctx.invoked_subcommand is not None:
        if file is not None or as_json:
            raise click.UsageError("The options stand behind the word: hermes lock check --json.", ctx)
        return
    target = file or _to_write()
    lock = _current_lock()
    written = write_lock(target, lock)
    if as_json:
        print_json({"file": str(target), "written": written, "plugins": len(lock.plugins), "tools": len(lock.tools)})
    elif written:
        say(f"Wrote {target}: {counted(len(lock.tools), 'tool')} of {counted(len(lock.plugins), 'plugin')}.")
    else:
        say(f"{target} says the same already.")


@command.command()
@_file
@_json
def check(file: Path | None, as_json: bool) -> ExitCode:
    """Check whether everything is as it was locked.

    Exit status: 0 when it is, 1 when something differs, 2 when there is no lock or it cannot be read.
    """
    target, differences = _compare(file)
    if as_json:
        print_json({"file": str(target), "ok": not differences, **differences.as_dict()})
    elif not differences:
        say(f"Everything is as {target} says.", "green")
    else:
        held = [clean(change.tool) for change in differences.changes if change.kind != "removed"]
        _show(differences, with_diff=False)
        say(f"{target} is out of date" + (f"; quarantined: {', '.join(held)}." if held else "."), "yellow")
        say("'hermes lock diff' shows what changed, 'hermes lock' accepts all of it.")
    return ExitCode.FOUND if differences else ExitCode.OK


@command.command()
@_file
@_json
def diff(file: Path | None, as_json: bool) -> None:
    """Show what changed since the lock was written.

    Prints the lines of each tool's definition that changed, and how many tokens more or less every conversation pays.
    Control characters and invisible characters appear as escapes. Exit status: 0, also when something changed; 2 when
    there is no lock or it cannot be read.
    """
    target, differences = _compare(file)
    if as_json:
        print_json({"file": str(target), **differences.as_dict()})
    elif not differences:
        say("Nothing changed.")
    else:
        _show(differences, with_diff=True)
        total = sum(change.token_delta for change in differences.changes)
        say(f"{counted(len(differences.changes), 'tool')} changed, {total:+d} tokens.")


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="TOOL...", shell_complete=tool_names)
@_file
@_json
def accept(names: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """Accept single tools as they are now.

    One that is gone is taken out of the lock. Exit status: 0 when it worked, 2 when there is no lock, it cannot be
    read, or there is no such tool.
    """
    target = _required(file)
    written = write_lock(target, read_lock(target).with_accepted(_current_lock(), names))
    if as_json:
        print_json({"file": str(target), "written": written, "accepted": list(names)})
    else:
        said = ", ".join(map(clean, names))
        say(f"Accepted {said} in {target}." if written else f"{target} says the same already.")


# -- what is compared --------------------------------------------------------------------------------------------


def _in_effect() -> Path | None:
    """Return the lock that counts here; the one of the project by its bare name."""
    file = find_lock(hermes_home(), settings_environ())
    return Path(FILE_NAME) if file is not None and file == Path.cwd() / FILE_NAME else file


def _to_write() -> Path:
    named = settings_environ().get("HERMES_LOCK", "").strip()
    if named and named.casefold() not in NO_LOCK:
        return Path(named).expanduser()
    return _in_effect() or Path(FILE_NAME)


def _required(file: Path | None) -> Path:
    target = file or _in_effect()
    if target is None and settings_environ().get("HERMES_LOCK", "").strip():
        raise ConfigError("The lock is turned off. Unset the variable, or name a file with --file.", key="HERMES_LOCK")
    if target is None:
        raise ConfigError(f"There is no {FILE_NAME} here or in {hermes_home()}. Run 'hermes lock' to write one.")
    return target


def _current_lock() -> Lock:
    """Return what a lock would say now; plugins that cannot be loaded are left out."""
    with loaded_host(locked=False) as host:
        records = [record for record in host.report if record.origin in LOCKED and record.status != "disabled"]
        specs = [(record.name, host.registry.get(name)) for record in records for name in record.tools]
    plugins = {
        record.name: LockedPlugin(distribution=record.distribution, version=record.version)
        for record in records
        if record.status != "failed"
    }
    return Lock.of(plugins, [(plugin, spec) for plugin, spec in specs if spec is not None])


def _compare(file: Path | None) -> tuple[Path, Differences]:
    from hermes_core.plugins.lock import compare

    target = _required(file)
    return target, compare(read_lock(target), _current_lock())


def _show(differences: Differences, *, with_diff: bool) -> None:
    for each in differences.versions:
        version = f"{each.before} -> {each.after}" if each.kind == "changed" else each.after or each.before
        source = " ".join(filter(None, (each.distribution, version))) or "of no distribution"
        say(f"{each.kind}: plugin {clean(each.plugin)} ({clean(source)})", _STYLES[each.kind])
    for change in differences.changes:
        whose = f" ({clean(change.plugin)})" if with_diff else ""
        fields = f": {', '.join(change.fields)}" if change.fields else ""
        say(f"{change.kind}: {clean(change.tool)}{whose}{fields}", _STYLES[change.kind])
        for line in change.diff if with_diff else ():
            say(f"  {harmless(line)}", _STYLES[line[0]])
        if change.token_delta and with_diff:
            say(f"  {change.token_delta:+d} tokens")


for _each in command.commands.values():
    _each.params.append(debug_option())  # so that it may also stand behind the last word
