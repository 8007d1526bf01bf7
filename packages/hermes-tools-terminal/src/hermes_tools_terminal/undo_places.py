"""The files of a receipt that was made elsewhere: the place is opened as the settings say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hermes_core import Hermes
from hermes_tools_terminal.environments.base import POINT, Environment, PlaceError
from hermes_tools_terminal.environments.catalog import provider
from hermes_tools_terminal.files.factory import filesystem_for, filesystem_name
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.undo import FOLDER, UndoError, UndoStore
from hermes_tools_terminal.undo.file_states import local_filesystem

if TYPE_CHECKING:
    from hermes_tools_terminal.files.filesystem import FileSystem


def open_filesystem(name: str) -> FileSystem:
    """The files of a place by the name that its receipts bear, until the command ends.

    Raises:
        UndoError: the place cannot be had, or the settings lead to another one.
    """
    if name == "local":
        return local_filesystem(name)
    with Hermes.load() as hermes:
        settings = hermes.config.model("terminal", TerminalSettings)
        home = str(hermes.home)
        try:
            maker = provider(settings.env, hermes.providers(POINT))
            place = maker.make(settings, task=_task(home, name), home=home)
            place.open()
        except PlaceError as error:
            raise UndoError(f"It was made in {name}. {error.reason} {error.hint}".strip()) from error
    here = filesystem_name(place, settings, _task(home, name))
    if here != name:
        place.close()
        raise UndoError(f"It was made in {name}, and terminal.env leads to {here}. Set it, then try again.")
    filesystem = filesystem_for(place, home=home, name=name)
    click.get_current_context().call_on_close(lambda: _let_go(filesystem, place))
    return filesystem


def _task(home: str, name: str) -> str:
    """Whose place it was: the same task gets the same container."""
    store = UndoStore(f"{home}/{FOLDER}")
    return next((receipt.task for receipt in store.receipts() if receipt.place == name), "default")


def _let_go(filesystem: FileSystem, place: Environment) -> None:
    close = getattr(filesystem, "close", None)
    if close is not None:
        close()
    place.close()
