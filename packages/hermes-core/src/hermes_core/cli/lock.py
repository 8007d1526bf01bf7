"""`hermes lock`: pin tool definitions, show changes, and accept them."""

from __future__ import annotations

from pathlib import Path

import click

from hermes_core.cli.completion import tool_names
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import counted, json_option, print_either, print_json, say
from hermes_core.cli.run import loaded_host
from hermes_core.config.home import hermes_home
from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError
from hermes_core.plugins.lock import Differences, Lock, LockedPlugin, compare
from hermes_core.plugins.lock_file import FILE_NAME, NO_LOCK, find_lock, read_lock, write_lock
from hermes_core.plugins.plugin_sources import LOCKED
from hermes_text.terminal import clean, harmless

_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "+": "green", "-": "red"}

_file = click.option("--file", type=click.Path(path_type=Path), help="Use this file instead of the one in effect.")


@click.group(invoke_without_command=True)
@_file
@json_option
@click.pass_context
def command(ctx: click.Context, file: Path | None, as_json: bool) -> None:
    """Pin tool definitions and show what changed since.

    'hermes lock' writes hermes.lock. It stores the version of each installed plugin, and the definition and digest of
    each of its tools. Tools that are new, or whose definition differs, are quarantined: they are listed as unavailable
    and cannot be called until you review them ('hermes lock diff') and accept them ('hermes lock accept NAME', or
    'hermes lock' for all).

    The lock in effect is $HERMES_LOCK, ./hermes.lock, or hermes.lock in $HERMES_HOME; a new one is written to
    ./hermes.lock. Exit code: 0 on success, 2 if the lock cannot be read or written.
    """
    if ctx.invoked_subcommand is not None:
        if file is not None or as_json:
            raise click.UsageError("Options must follow the subcommand: hermes lock check --json.", ctx)
        return
    target = file or _to_write()
    lock = _current_lock()
    written = write_lock(target, lock)
    facts = {"file": str(target), "written": written, "plugins": len(lock.plugins), "tools": len(lock.tools)}
    said = f"Wrote {target}: {counted(len(lock.tools), 'tool')} of {counted(len(lock.plugins), 'plugin')}."
    print_either(as_json, facts, said if written else f"{target} is up to date.")


@command.command()
@_file
@json_option
def check(file: Path | None, as_json: bool) -> ExitCode:
    """Check whether the tools match the lock.

    Exit code: 0 if they match, 1 if something differs, 2 if there is no lock or it cannot be read.
    """
    target, differences = _compare(file)
    if as_json:
        print_json({"file": str(target), "ok": not differences, **differences.as_dict()})
    elif not differences:
        say(f"Everything matches {target}.", "green")
    else:
        held = [clean(change.tool) for change in differences.changes if change.kind != "removed"]
        _show(differences, with_diff=False)
        say(f"{target} is out of date" + (f"; quarantined: {', '.join(held)}." if held else "."), "yellow")
        say("'hermes lock diff' shows the changes, 'hermes lock' accepts all of them.")
    return ExitCode.FOUND if differences else ExitCode.OK


@command.command()
@_file
@json_option
def diff(file: Path | None, as_json: bool) -> None:
    """Show what changed since the lock was written.

    Print the changed lines of each tool's definition and the difference in tokens per request. Control characters and
    invisible characters appear as escapes. Exit code: 0, even if something changed; 2 if there is no lock or it cannot
    be read.
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
@json_option
def accept(names: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """Accept the current definition of a tool.

    Tools that no longer exist are removed from the lock. Exit code: 0 on success, 2 if there is no lock, it cannot be
    read, or there is no such tool.
    """
    target = _required(file)
    written = write_lock(target, read_lock(target).with_accepted(_current_lock(), names))
    said = f"Accepted {', '.join(map(clean, names))} in {target}." if written else f"{target} is up to date."
    print_either(as_json, {"file": str(target), "written": written, "accepted": list(names)}, said)


def _in_effect() -> Path | None:
    """Return the lock in effect; by its bare name if it is in the current directory."""
    file = find_lock(hermes_home(), settings_environ())
    return Path(FILE_NAME) if file is not None and file == Path.cwd() / FILE_NAME else file


def _to_write() -> Path:
    named = _named()
    return Path(named).expanduser() if named and named.casefold() not in NO_LOCK else _in_effect() or Path(FILE_NAME)


def _named() -> str:
    return settings_environ().get("HERMES_LOCK", "").strip()


def _required(file: Path | None) -> Path:
    if target := file or _in_effect():
        return target
    if _named():
        raise ConfigError("The lock is turned off. Unset the variable, or name a file with --file.", key="HERMES_LOCK")
    raise ConfigError(f"There is no {FILE_NAME} here or in {hermes_home()}. Run 'hermes lock' to write one.")


def _current_lock() -> Lock:
    """Return a lock of the current tools, without plugins that cannot be loaded."""
    with loaded_host(locked=False) as host:
        records = [record for record in host.report if record.origin in LOCKED and record.status != "disabled"]
        specs = [(record.name, host.registry.get(name)) for record in records for name in record.tools]
    usable = (record for record in records if record.status != "failed")
    plugins = {each.name: LockedPlugin(distribution=each.distribution, version=each.version) for each in usable}
    return Lock.of(plugins, [(plugin, spec) for plugin, spec in specs if spec is not None])


def _compare(file: Path | None) -> tuple[Path, Differences]:
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
