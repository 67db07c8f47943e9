"""`ofc-server` as a program: who interrupts it while it still loads gets no traceback either."""

import sys


def main() -> None:
    """Run `ofc-server`."""
    try:
        from service.cli import main as ofc_server
    except KeyboardInterrupt:
        sys.exit(130)
    ofc_server()


if __name__ == "__main__":
    main()
