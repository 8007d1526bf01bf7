"""The logger of the project. `logging` takes time to import, so a run that has nothing to say does without it.

Every module of the project logs through this one, and foreign code runs after it was imported: whoever wants to see
what is said puts a function into `hermes_core._before_logging`, which is called before the first word.
"""

from __future__ import annotations

import logging

import hermes_core

log = logging.getLogger("hermes")

for prepare in hermes_core._before_logging:
    prepare()
hermes_core._before_logging.clear()
