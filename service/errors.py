"""
What the service refuses beyond the rules of the game.

    ServiceError
    ├── NotFound                  no such thing, or another club's
    ├── KeyMissing, KeyUnknown    a request without a key, or with one that opens nothing
    ├── IdempotencyKeyInvalid           an idempotency key that is none
    ├── IdempotencyKeyReused            an idempotency key that came with another request
    ├── BodyUnreadable            a body that is not compressed as it says
    ├── ImportTooLarge            an import is larger than any may be
    ├── ScopeMissing              the key opens its club, but not for this
    ├── TooManyRequests           the key, or the address, has to wait
    │   └── ImportQuotaExceeded   too many of the club's imports are under way
    ├── RulesetUnknown            a request names a ruleset that is not there
    ├── ExpectedDiffers           the result is not what the sender expected
    ├── HandIrregular             a corrected round has a hand that could not have followed
    ├── CorrectionInvalid         a correction changes what none can, or opens a round that is over
    ├── DisputeInvalid            a dispute names no place of the round, or is upheld for no reason
    ├── Conflict
    │   ├── RulesetConflict       this version of the ruleset has other rules
    │   ├── TableConflict         the name belongs to another table
    │   ├── RoundConflict         the reference belongs to another round
    │   ├── RoundOpen             the table has an open round already
    │   ├── HandConflict          the number belongs to another hand
    │   ├── HandNumberWrong       another number is the next
    │   ├── SameDeal              an earlier hand of the round has the same boards
    │   ├── IdempotencyKeyInUse         the first request with the idempotency key is still at work
    │   ├── UndoRefused           it is not the last hand, or something stands upon it
    │   ├── ConfirmationRefused   the settlement is not provisional, or another is in force
    │   ├── RoundChanged          the round is no longer as the sender read it
    │   ├── DisputeChanged        the dispute is no longer as the sender read it
    │   ├── DisputeRefused        the dispute has ended, or is not as far
    │   ├── JobEnded              nothing is left of the job to pause or to resume
    │   └── Busy                  somebody else is changing the same thing
    ├── OperatorError             what an operator asks for cannot be
    │   └── ClubTaken             the name belongs to another club
    └── DatabaseError
        ├── DatabaseUnreachable   it does not answer
        ├── OutcomeUnknown        it stopped answering while a commit was under way
        ├── DatabaseBehind        it awaits its migrations
        ├── DatabaseNewer         a newer release has migrated it
        ├── DatabaseAltered       its schema is not the one that the migrations build
        ├── DatabaseReadOnly      nothing can be written to it now
        └── DatabaseDenied        the login may not do what is needed

Every message is one sentence for whoever can put it right. Only the API knows status codes.
"""

from collections.abc import Iterable
from typing import ClassVar

from scoring.errors import Mistake


class ServiceError(Exception):
    """The service cannot do what it was asked; where a part of the request is to blame, `mistakes` says which."""

    code: ClassVar[str] = "refused"

    def __init__(self, message: str, mistakes: Iterable[Mistake] = ()) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(message)


class NotFound(ServiceError):
    """There is no such thing, or it belongs to another club, which is the same to whoever asks."""

    code = "not-found"


class KeyMissing(ServiceError):
    """The request has no key."""

    code = "key-missing"


class KeyUnknown(ServiceError):
    """The key is not known, or not any more."""

    code = "key-unknown"


class IdempotencyKeyInvalid(ServiceError):
    """The header `Idempotency-Key` has no key in it."""

    code = "idempotency-key-invalid"


class IdempotencyKeyReused(ServiceError):
    """The idempotency key came with another request before."""

    code = "idempotency-key-reused"


class BodyUnreadable(ServiceError):
    """The body is not compressed as its header says."""

    code = "body-unreadable"


class ImportTooLarge(ServiceError):
    """An import has more bytes or lines than any may have, or unpacks to far more than it was."""

    code = "import-too-large"


class ScopeMissing(ServiceError):
    """The key opens its club, but not for this."""

    code = "scope-missing"


class TooManyRequests(ServiceError):
    """The key has asked too often for now, or too many keys that open nothing came from where it comes from."""

    code = "rate-limited"

    def __init__(self, message: str, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class ImportQuotaExceeded(TooManyRequests):
    """Too many of the club's imports are under way, or too much of them waits."""

    code = "import-quota-exceeded"


class RulesetUnknown(ServiceError):
    """A request names a ruleset that is neither a preset nor the club's own."""

    code = "ruleset-unknown"


class ExpectedDiffers(ServiceError):
    """The result is not what the sender expected."""

    code = "expected-differs"


class HandIrregular(ServiceError):
    """After a correction a hand could not have followed those before it, and it was not said that it stands."""

    code = "hand-irregular"


class CorrectionInvalid(ServiceError):
    """A correction changes what none can, cannot be applied, or opens a round again that is over."""

    code = "correction-invalid"


class DisputeInvalid(ServiceError):
    """A dispute names a place that the round has not, or is upheld with neither a correction nor a reason."""

    code = "dispute-invalid"


class Conflict(ServiceError):
    """What is recorded already, or being recorded, stands against it."""

    code = "busy"


class RulesetConflict(Conflict):
    """A stored ruleset of this name and version has other rules."""

    code = "ruleset-conflict"


class TableConflict(Conflict):
    """The name belongs to another table of the club."""

    code = "table-conflict"


class RoundConflict(Conflict):
    """The reference belongs to another round of the table."""

    code = "round-conflict"


class RoundOpen(Conflict):
    """The table has an open round already."""

    code = "round-open"


class HandConflict(Conflict):
    """The number belongs to another hand of the round."""

    code = "hand-conflict"


class HandNumberWrong(Conflict):
    """The number of a hand is not the next number of the round."""

    code = "hand-number"


class SameDeal(Conflict):
    """An earlier hand of the round has the same boards."""

    code = "same-deal"


class IdempotencyKeyInUse(Conflict):
    """The first request with the idempotency key is still at work; asking again helps."""

    code = "idempotency-key-in-use"


class UndoRefused(Conflict):
    """The hand is not the last one, or something has happened that stands upon it."""

    code = "undo-refused"


class ConfirmationRefused(Conflict):
    """The settlement is not provisional, or is another than the one that is confirmed."""

    code = "confirmation-refused"


class RoundChanged(Conflict):
    """The round is no longer as the sender of a correction has read it."""

    code = "round-changed"


class DisputeChanged(Conflict):
    """The dispute is no longer as the sender of a step has read it."""

    code = "dispute-changed"


class DisputeRefused(Conflict):
    """The dispute takes no such step: it has ended or is not as far, or its round is still played."""

    code = "dispute-refused"


class SigningKeyMissing(Conflict):
    """The service has no key to sign with."""

    code = "signing-key-missing"


class JobEnded(Conflict):
    """The job has ended, or is about to: nothing is left to pause or to resume."""

    code = "job-ended"


class Busy(Conflict):
    """Somebody else is changing the same thing; asking again helps."""

    code = "busy"


class OperatorError(ServiceError):
    """What an operator asks for cannot be; the API knows nothing of it."""

    code = "operator"


class ClubTaken(OperatorError):
    """The name belongs to another club."""


class DatabaseError(ServiceError):
    """The database is not as the service needs it."""

    code = "database-unavailable"


class DatabaseUnreachable(DatabaseError):
    """The database does not answer."""

    code = "database-unavailable"


class OutcomeUnknown(DatabaseError):
    """The database was told to commit and stopped answering before it said that it has: nobody knows whether it has."""

    code = "outcome-unknown"


class DatabaseBehind(DatabaseError):
    """The database awaits its migrations."""

    code = "database-behind"


class DatabaseNewer(DatabaseError):
    """A newer release has migrated the database."""

    code = "database-newer"


class DatabaseAltered(DatabaseError):
    """The database's functions, policies, triggers, constraints or grants are not those that the migrations build."""

    code = "database-altered"


class DatabaseReadOnly(DatabaseError):
    """Nothing can be written to the database now: it is a standby, or was made read-only."""

    code = "database-read-only"


class DatabaseDenied(DatabaseError):
    """The login may not do what is needed."""

    code = "database-denied"
