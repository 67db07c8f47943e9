"""The version of both distributions: the client, and the service, which needs the client of the same version."""

from typing import Final

VERSION: Final = "0.1.0"
