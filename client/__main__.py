"""`ofc` as a program: who interrupts it while it still loads gets no traceback either."""

import sys


def main() -> None:
    """Run `ofc`."""
    try:
        from client.cli import main as ofc
    except KeyboardInterrupt:
        sys.exit(130)
    ofc()


if __name__ == "__main__":
    main()
