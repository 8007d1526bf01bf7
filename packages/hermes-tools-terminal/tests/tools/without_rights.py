"""Uses the tools for files as a user to whom rights mean something; run as a program, by root or by such a user."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import hermes_tools_terminal.plugin
from hermes_core import Hermes
from hermes_tools_terminal.undo import UndoError, UndoStore, undo

Step = list[Any]


class Stage:
    """A folder, and who works in it.

    Args:
        folder: The folder.
        name: The name of its part that is used.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, home = folder / name, folder / f"{name}-home"
        self.folder.mkdir()
        self.hermes = Hermes(
            plugins=[hermes_tools_terminal.plugin], config={"terminal": {"cwd": str(self.folder)}}, home=home
        )  # made by who may read the program
        self.store = UndoStore(home / "undo")

    def do(self, step: Step) -> Any:
        """Do one thing: a call, an undo, or a change of rights. What became of it."""
        what, *rest = step
        if what == "undo":
            return self._undo()
        if what == "chmod":
            return (self.folder / rest[0]).chmod(rest[1])
        if what == "make":
            (self.folder / rest[0]).parent.mkdir(exist_ok=True)
            return (self.folder / rest[0]).write_text(rest[1])
        return json.loads(self.hermes.call(what, rest[0]))

    def _undo(self) -> dict[str, Any]:
        try:
            return {"files": undo(self.store).files}
        except (OSError, UndoError) as error:
            return {"error": str(error), "kind": type(error).__name__}


def main(folder: Path, user: int, steps: list[Step]) -> None:
    """Do everything twice: at first with all rights, so that everything is loaded when they are given up."""
    rehearsal, stage = Stage(folder, "rehearsal"), Stage(folder, "stage")
    for step in steps:
        with suppress(OSError):  # what works now may leave less for the next step
            rehearsal.do(step)
    rehearsal.hermes.close()
    if user != os.geteuid():
        for path in (folder, stage.folder):
            os.chown(path, user, user)
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    print(json.dumps([stage.do(step) for step in steps]))
    stage.hermes.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]))
