"""Starts the `hermes` command, also as `python -m hermes_core`."""

import gc
import sys


def main() -> int:
    """Run the command in a process that rarely looks for garbage: starting makes none, and looking takes a while."""
    gc.set_threshold(50_000)
    from hermes_core.cli.main import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
