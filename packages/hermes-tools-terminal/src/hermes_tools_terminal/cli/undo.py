"""`hermes undo`: undo, redo and finish calls that changed files, and list receipts."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from hermes_core import Hermes
from hermes_core.settings import refuse_inside
from hermes_tools_terminal.environments.base import (
    EXTENSION_POINT,
    Environment,
    TerminalEnvironmentError,
    find_provider,
)
from hermes_tools_terminal.files.factory import filesystem_for, filesystem_name
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.undo import (
    FOLDER,
    ConflictError,
    Damaged,
    Receipt,
    UndoError,
    Undone,
    UndoStore,
    finish,
    preview,
    redo,
    undo,
    undo_last,
)
from hermes_tools_terminal.undo.file_states import FileSystemFor, local_filesystem
from hermes_tools_terminal.undo.plan import diff_of

if TYPE_CHECKING:
    from hermes_tools_terminal.files.filesystem import FileSystem
    from hermes_tools_terminal.undo.plan import Plan

_LISTED = 50
"""How many receipts are listed by default: a screen or two."""

_MAX_PATHS = 3
_EPILOG = (
    "Exit codes: 0 for success; 1 if nothing was changed because there is nothing to undo, something else changed a "
    "file, or the old content was not stored; 2 for wrong usage or a system error."
)


def default_store() -> UndoStore:
    """Open the store of this user."""
    with contextlib.closing(Hermes()) as hermes:
        return UndoStore(hermes.home / FOLDER)


def open_filesystem(name: str) -> FileSystem:
    """Open a filesystem by the name in its receipts; it is closed when the command ends.

    Raises:
        UndoError: It is not available, or the settings select another one.
    """
    if name == "local":
        return local_filesystem(name)
    with Hermes.load() as hermes:
        settings = hermes.config.model("terminal", TerminalSettings)
        home = str(hermes.home)
        try:
            maker = find_provider(settings.env, hermes.providers(EXTENSION_POINT))
            environment = maker.make(settings, task=_task(home, name), home=home)
            environment.open()
        except TerminalEnvironmentError as error:
            raise UndoError(f"It was made in {name}. {error.reason} {error.hint}".strip()) from error
    selected = filesystem_name(environment, settings, _task(home, name))
    if selected != name:
        environment.close()
        raise UndoError(
            f"It was made in {name}, but terminal.env selects {selected}. Change terminal.env and try again."
        )
    filesystem = filesystem_for(environment, home=home, name=name)
    click.get_current_context().call_on_close(lambda: _close(filesystem, environment))
    return filesystem


def _task(home: str, name: str) -> str:
    """Return the task that used a filesystem: the same task gets the same container."""
    store = UndoStore(f"{home}/{FOLDER}")
    return next((receipt.task for receipt in store.receipts() if receipt.place == name), "default")


def _close(filesystem: FileSystem, environment: Environment) -> None:
    close = getattr(filesystem, "close", None)
    if close is not None:
        close()
    environment.close()


def command(
    filesystem_of: FileSystemFor = local_filesystem, open_store: Callable[[], UndoStore] = default_store
) -> click.Command:
    """Create the command `hermes undo`.

    Args:
        filesystem_of: Returns the filesystem with a name; raises `UndoError` if it is not available.
        open_store: Opens the store.
    """

    @click.command("undo", short_help="Undo file changes made by tools.", epilog=_EPILOG)
    @click.argument("steps", metavar="[N]", type=click.IntRange(min=1), required=False)
    @click.option("--list", "listing", is_flag=True, help="List receipts, newest first; N limits the number.")
    @click.option("--receipt", metavar="ID", type=click.IntRange(min=1), help="Undo this receipt instead of the last.")
    @click.option("--redo", "redoing", is_flag=True, help="Revert the last undo.")
    @click.option("--finish", "finishing", metavar="ID", type=click.IntRange(min=1), help="Finish an interrupted call.")
    @click.option("--task", metavar="NAME", help="Only receipts of this task.")
    @click.option("--dry-run", "dry", is_flag=True, help="Show what would change without changing it.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def undo_command(
        steps: int | None,
        listing: bool,
        receipt: int | None,
        redoing: bool,
        finishing: int | None,
        task: str | None,
        dry: bool,
        as_json: bool,
    ) -> None:
        """Undo the last call that changed files, or the last N calls.

        Files are restored byte for byte. If something else has changed a file since, nothing is changed and the file is
        named.
        """
        _check(steps, task, listing=listing, dry=dry, ways=(receipt, redoing or None, finishing))
        if not (listing or dry):
            refuse_inside("Changes cannot be undone")  # restored content was not assessed
        store = open_store()
        if listing:
            _list(store, steps, task, as_json=as_json)
            return
        with _report_errors(as_json=as_json):
            if dry:
                _print_plans(
                    preview(
                        store,
                        steps=steps or 1,
                        undoing=receipt,
                        finishing=finishing,
                        redoing=redoing,
                        filesystem_of=filesystem_of,
                        task=task,
                    ),
                    as_json=as_json,
                )
            else:
                _print_undone(_done(store, steps, receipt, redoing, finishing, filesystem_of, task), as_json=as_json)

    return undo_command


def _done(
    store: UndoStore,
    steps: int | None,
    receipt: int | None,
    redoing: bool,
    finishing: int | None,
    filesystem_of: FileSystemFor,
    task: str | None,
) -> list[Undone]:
    if finishing is not None:
        return [finish(store, finishing, filesystem_of=filesystem_of)]
    if receipt is not None:
        return [undo(store, receipt, filesystem_of=filesystem_of)]
    if redoing:
        return [redo(store, filesystem_of=filesystem_of, task=task)]
    if steps is None or steps == 1:
        return [undo(store, filesystem_of=filesystem_of, task=task)]
    return undo_last(store, steps, filesystem_of=filesystem_of, task=task)


def _check(steps: int | None, task: str | None, *, listing: bool, dry: bool, ways: Sequence[object]) -> None:
    asked = [way for way in ways if way is not None]
    if len(asked) > 1 or (asked and (listing or steps is not None)):
        raise click.UsageError("Use only one of N, --list, --receipt, --redo and --finish; --list N is allowed.")
    if listing and dry:
        raise click.UsageError("--dry-run cannot be combined with --list.")
    if task is not None and any(way is not None and way is not True for way in ways):
        raise click.UsageError("--task cannot be combined with --receipt or --finish.")


@contextlib.contextmanager
def _report_errors(*, as_json: bool) -> Iterator[None]:
    try:
        yield
    except UndoError as error:
        if as_json:
            conflicts = error.conflicts if isinstance(error, ConflictError) else ()
            result = [{"path": path, "reason": why} for path, why in conflicts]
            click.echo(json.dumps({"error": str(error), "code": error.code, "conflicts": result}, indent=2))
        else:
            click.echo(escape_controls(str(error)), err=True)
        sys.exit(1)
    except OSError as error:
        if not as_json:
            raise
        about = f": {error.filename}" if error.filename else ""
        details = {"error": f"{error.strerror or error}{about}", "code": "system", "conflicts": []}
        click.echo(json.dumps(details, indent=2))
        sys.exit(2)


def _list(store: UndoStore, number: int | None, task: str | None, *, as_json: bool) -> None:
    entries = list(store.entries())
    receipts = [each for each in entries if isinstance(each, Receipt) and task in (None, each.task)]
    damaged = [each for each in entries if isinstance(each, Damaged)]
    shown = receipts[: number or (len(receipts) if as_json else _LISTED)]
    if as_json:
        found = [{"name": each.name, "reason": each.reason} for each in damaged]
        click.echo(json.dumps({"receipts": [each.facts() for each in shown], "damaged": found}, indent=2))
        return
    for line in _table([_row(each) for each in shown]):
        click.echo(line)
    if len(shown) < len(receipts):
        click.echo(f"{len(receipts) - len(shown)} older receipts are not shown: hermes undo --list {len(receipts)}")
    if not receipts:
        click.echo("There are no receipts yet." if task is None else "There are no receipts for this task.")
    for each in damaged:
        click.echo(f"damaged: {escape_controls(each.name)}: {escape_controls(each.reason)}", err=True)


def _row(receipt: Receipt) -> list[str]:
    state = receipt.state if receipt.undoable or receipt.state != "done" else "done, cannot be undone"
    about = f" of {receipt.undoes}" if receipt.undoes is not None else ""
    paths = [file.path for file in receipt.files[:_MAX_PATHS]]
    more = f" and {len(receipt.files) - _MAX_PATHS} more" if len(receipt.files) > _MAX_PATHS else ""
    where = "" if receipt.place == "local" else f"{receipt.place}: "
    files = f"{where}{', '.join(paths)}{more}"
    return [str(receipt.number), _time(receipt.at), f"{receipt.tool}{about}", state, receipt.task or "-", files]


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    cells = [[escape_controls(cell) for cell in row] for row in rows]
    widths = [min(40, max(map(len, column))) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _print_undone(done: Iterable[Undone], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"undone": [_facts(each) for each in done]}, indent=2))
        return
    for each in done:
        what = "Finished" if each.completed else "Redone" if each.receipt.kind == "undo" else "Undone"
        by = f" Its own receipt is {each.by.number}." if each.by is not None and each.by.number else ""
        nothing = "" if each.files else " All files were already in that state."
        click.echo(f"{what}: receipt {each.receipt.number} ({escape_controls(each.receipt.tool)}).{by}{nothing}")
        for path in each.files:
            click.echo(f"  {escape_controls(path)}")
        for folder in each.folders:
            click.echo(f"  {escape_controls(folder)}/ was empty and was removed")
        for note in each.notes:
            click.echo(f"  {escape_controls(note)}", err=True)


def _facts(each: Undone) -> dict[str, Any]:
    return {
        "receipt": each.receipt.number,
        "completed": each.completed,
        "files": list(each.files),
        "by": each.by.number if each.by is not None else None,
        "folders": list(each.folders),
        "notes": list(each.notes),
    }


def _print_plans(plans: Sequence[Plan], *, as_json: bool) -> None:
    if as_json:
        result = [
            {
                "receipt": plan.target.receipt.number,
                "completes": plan.target.side == "after",
                "files": [change.path for change in plan.changes],
                "diff": "\n".join(diff_of(plan)),
            }
            for plan in plans
        ]
        click.echo(json.dumps({"would_undo": result}, indent=2))
        return
    for plan in plans:
        back = "redo" if plan.target.receipt.kind == "undo" else "undo"
        what = "finish" if plan.target.side == "after" else back
        click.echo(f"Would {what} receipt {plan.target.receipt.number} ({escape_controls(plan.target.receipt.tool)}):")
        for line in diff_of(plan):
            click.echo(escape_controls(line))


def escape_controls(text: str) -> str:
    """Escape control characters, so that text is one line and safe to print."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\t" else char.encode("unicode_escape").decode() for char in text
    )


def _time(at: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    except (OverflowError, ValueError, OSError):
        return "?"
