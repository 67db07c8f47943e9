from hashlib import sha256
from uuid import UUID

from uuid_utils.compat import uuid7

from service.database import Database
from service.errors import NotFound, OperatorError
from service.repository import keys
from service.repository.keys import IssuedKey

_LONGEST_SHOWN = len(str(UUID(int=0)))


def find_key(database: Database, known_as: str) -> IssuedKey:
    """
    Find a key by its prefix or its id, for the owner of the tables; or by the whole of it, as one finds a leaked one.

    Raises:
        NotFound: there is none.
        OperatorError: several begin like this.
    """
    with database.reading(uuid7()) as transaction:
        found = keys.list_known_as(
            transaction,
            prefix=known_as.encode(errors="replace").decode(),
            key_id=_id_or_none(known_as),
            secret_sha256=sha256(known_as.encode(errors="replace")).digest(),
        )
    # What is longer than an id may be a secret.
    shown = known_as if len(known_as) <= _LONGEST_SHOWN else f"{known_as[:12]}…"
    if not found:
        raise NotFound(f"There is no key {shown!r}; `ofc-server key list` shows prefixes and ids.")
    if len(found) > 1:
        raise OperatorError(
            f"{len(found)} keys begin with {shown!r}; give the id, as `ofc-server key list --json` has it."
        )
    return found[0]


def _id_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
