from service.errors import NotFound
from service.repository.rounds import FIRST, StoredRound


def find_revision(stored: StoredRound, wanted: int | None) -> int:
    """
    Find a revision of a round that a request names; the newest where it names none.

    Raises:
        NotFound: the round has none with this number.
    """
    if wanted is not None and wanted > stored.revision:
        there_are = f"revisions {FIRST} to {stored.revision}" if stored.revision > FIRST else f"revision {FIRST} only"
        raise NotFound(f"round {stored.id} has no revision {wanted}; it has {there_are}")
    return stored.revision if wanted is None else wanted
