"""Opens a container, starts something in it, says its name, and waits to be killed. Not a test: a test starts it."""

from __future__ import annotations

import sys
import time

from pydantic import TypeAdapter

from hermes_tools_terminal.environments.docker import environment as docker
from hermes_tools_terminal.settings import TerminalSettings

settings, home = TypeAdapter(TerminalSettings).validate_json(sys.argv[1]), sys.argv[2]
place = docker.make(settings, task="task", home=home)
place.open()
place.start(["sleep", "5432"])
print(place.name, flush=True)
time.sleep(600)
