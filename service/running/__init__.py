"""`ofc-server up`: database, migrations and web, started, kept and stopped together."""

from service.running.errors import UpError
from service.running.up import up

__all__ = ["UpError", "up"]
