"""
The health check of the image: exit with 0 if what this container runs works.

A web server must respond to `/healthz`, which does not use the database, so that a database that is down restarts
nothing. A worker must have its process for webhooks and periodic tasks.
"""

import os
import sys
from pathlib import Path
from urllib.request import urlopen


def list_commands() -> list[bytes]:
    """Return the command lines of all processes of the container."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes())
        except OSError:  # it has just ended
            continue
    return found


def main() -> int:
    """Check the web server if there is one, else the worker."""
    commands = list_commands()
    if any(b"\0service.server.web\0" in command for command in commands):
        with urlopen(f"http://127.0.0.1:{os.environ.get('OFC_PORT', '8000')}/healthz", timeout=5) as response:
            return int(response.status != 200)
    return int(not any(b"\0service.worker\0others\0" in command for command in commands))


if __name__ == "__main__":
    sys.exit(main())
