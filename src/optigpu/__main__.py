"""The command `optigpu`: nothing is imported before an interrupt can be answered."""

from __future__ import annotations

import sys


def main() -> int:
    try:
        import gc

        gc.disable()  # until the command is loaded: what is imported is no garbage
        from optigpu.cli import main as command

        return command()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
