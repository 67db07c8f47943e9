"""`ofc` as a program: who interrupts it while it still loads gets no traceback either."""

import atexit
import gc
import sys


def main() -> None:
    """Run `ofc`."""
    # At the end Python looks through all that was loaded for what is not needed, which can take as long as the work.
    atexit.register(gc.freeze)
    try:
        from client.cli import main as ofc
    except KeyboardInterrupt:
        sys.exit(130)
    ofc()


if __name__ == "__main__":
    main()
