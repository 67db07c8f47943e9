"""`ofc-server up`: database, migrations, web and worker, started, kept and stopped together."""

from service.running.errors import UpError
from service.running.up import up

__all__ = ["UpError", "up"]
