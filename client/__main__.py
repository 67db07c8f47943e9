"""Run `ofc` as a program. An interruption during loading prints no traceback."""

import atexit
import gc
import os
import sys


def main() -> None:
    """Run `ofc`."""
    # Skip the garbage collection at exit, which can take as long as the command.
    atexit.register(gc.freeze)
    try:
        from client.cli import main as ofc

        if "_OFC_COMPLETE" in os.environ:
            from client.commands.completion import complete_line

            complete_line(ofc)
    except KeyboardInterrupt:
        sys.exit(130)
    ofc()


if __name__ == "__main__":
    main()
