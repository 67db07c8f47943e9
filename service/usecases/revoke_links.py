from schemas.hands import canonical_json
from service.audit import EventKind, record_event
from service.database import Database
from service.repository import link_secrets
from service.repository.clubs import StoredClub


def revoke_links(database: Database, club: StoredClub) -> None:
    """
    Let every link to a round of a club open nothing any more, at once.

    Raises:
        Busy: somebody else is doing the same.
    """
    with database.transaction(club.id) as transaction:
        version = link_secrets.renew(transaction)
        record_event(transaction, EventKind.LINKS_REVOKED, canonical_json({"version": version}))
