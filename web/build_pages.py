"""Builds the web pages. `make web` and `make web-watch` run it."""

import sys
from contextlib import suppress

from install import build_pages

if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        build_pages(*sys.argv[1:])
