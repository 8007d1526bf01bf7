"""Starts the `hermes` command, also as `python -m hermes_core`."""

import gc
import sys


def main() -> int:
    """Run the command with fewer garbage collections, because starting creates little garbage."""
    gc.set_threshold(50_000)
    from hermes_core.cli.main import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
