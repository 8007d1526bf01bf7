"""Lets `python -m hermes_core` stand for the `hermes` command."""

import sys

from hermes_core.cli.main import main

sys.exit(main())
