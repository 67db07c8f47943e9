"""The program `ofc-server`, without a traceback when it is interrupted during its start."""

import atexit
import gc
import sys


def main() -> None:
    """Run `ofc-server`."""
    # Without this, the final garbage collection can take as long as the command.
    atexit.register(gc.freeze)
    try:
        from service.cli import main as ofc_server
    except KeyboardInterrupt:
        sys.exit(130)
    ofc_server()


if __name__ == "__main__":
    main()
