"""`python -m hermes_guard` is `hermes-guard`."""

import sys

from hermes_guard.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
