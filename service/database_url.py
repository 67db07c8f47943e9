"""Database URLs of one server, or of several, in each form that libpq or SQLAlchemy reads."""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlalchemy import URL

_SEVERAL: Final = re.compile(r"(?P<login>[\w+]+://(?:[^@/?]*@)?)(?P<hosts>[^@/?]*,[^@/?]*)(?P<rest>[/?].*)?", re.DOTALL)
_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.%]+\]|[^:\[\],]+|/[^,]+?)(?::(?P<port>[0-9]{1,5}))?")
_PORT: Final = "5432"


def parse_database_url(text: str) -> "URL":
    """
    Parse a database URL. Several servers become two lists, as both SQLAlchemy and libpq read them.

    >>> url = parse_database_url("postgresql://ofc@one,two:5433/ofc?target_session_attrs=read-write")
    >>> url.query["host"], url.query["port"]
    ('one,two', '5432,5433')
    >>> parse_database_url("postgresql://ofc@/ofc?host=one&host=two:5433").query["port"]
    '5432,5433'
    >>> parse_database_url("postgresql://ofc@/ofc?host=one,two&port=5433").query["port"]
    '5433,5433'

    Raises:
        ArgumentError, ValueError: it is not a URL.
    """
    # SQLAlchemy takes long to import, and commands that need no database do without it.
    from sqlalchemy import make_url

    several = _SEVERAL.fullmatch(text)
    if several is not None:
        return _with_hosts(make_url(f"{several['login']}{several['rest'] or ''}"), several["hosts"].split(","), "")
    url = make_url(text)
    hosts, ports = url.query.get("host", ()), url.query.get("port", "")
    if isinstance(hosts, str):
        hosts = tuple(hosts.split(",")) if "," in hosts else ()
    if len(hosts) < 2 or not isinstance(ports, str):
        return url
    return _with_hosts(url, hosts, ports)


def _with_hosts(url: "URL", hosts: "list[str] | tuple[str, ...]", listed: str) -> "URL":
    """Return a URL with the lists of the hosts, and of a port for each; `listed` has ports beside the hosts."""
    matches = [_HOST.fullmatch(host) for host in hosts]
    ports = listed.split(",")
    if len(ports) == 1:
        ports *= len(hosts)
    servers = [
        (each["name"].strip("[]"), each["port"] or port or _PORT)
        for each, port in zip(matches, ports, strict=True)
        if each is not None
    ]
    if len(servers) != len(hosts):
        raise ValueError("a host is not NAME or NAME:PORT")
    names, numbers = zip(*servers, strict=True)
    return url.update_query_dict({"host": ",".join(names), "port": ",".join(numbers)})
