"""
The errors of the service, beyond those of the rules.

    ServiceError
    ├── NotFound                  not found, or a record of another club
    ├── LinkEnded                 a link that has expired or was revoked
    ├── KeyMissing, KeyUnknown    a request without a key, or with an invalid one
    ├── IdempotencyKeyInvalid, IdempotencyKeyReused   a malformed idempotency key, or one of another request
    ├── BodyUnreadable            a body that is not valid gzip
    ├── ImportTooLarge            an import over a limit
    ├── ScopeMissing              the key does not have the scope
    ├── OwnRound                  the player of the key sat in the round that it decides about
    ├── NotSecondAuditor          the key confirms what it, or one that belongs to it, has proposed
    ├── TooManyRequests           a rate limit of the key or the address
    │   ├── BatchesBusy, ExportsBusy, ImportsBusy   a process has as many batches, exports or large imports as it can
    │   └── ImportQuotaExceeded   the quota of unfinished imports of the club
    ├── WebhookRefused            messages may not be sent to the URL of a webhook
    ├── RulesetUnknown            a request names an unknown ruleset
    ├── ExpectedDiffers           the result differs from `expected`
    ├── HandIrregular             a corrected round has a hand that cannot follow the hands before it
    ├── CorrectionInvalid, DisputeInvalid   a correction or a dispute that is not possible for the round
    ├── Conflict
    │   ├── RulesetConflict       the version is stored with other rules, or is not the next
    │   ├── TableConflict, UnitConflict   another table has this name, or another unit has this code
    │   ├── TableArchived         no round can be opened at the table
    │   ├── RoundConflict, PaymentConflict   another round, payment or charge has this reference
    │   ├── AliasConflict         the IDs cannot be joined or parted
    │   ├── RoundOpen             the table has an open round
    │   ├── HandConflict, HandNumberWrong   another hand has this number, or the number is not the next
    │   ├── HandUndone, SameDeal  the hand was recorded and undone, or an earlier hand has the same boards
    │   ├── IdempotencyKeyInUse   the first request with the key is still being processed
    │   ├── ResponseErased        the response to the first request with the key had a text that was erased
    │   ├── UndoRefused, ConfirmationRefused   the hand is not the last, or the settlement is not provisional
    │   ├── RoundChanged, DisputeChanged   the record has changed since it was read
    │   ├── IdAmbiguous           several ids end as the request says
    │   ├── DisputeRefused        an invalid transition of a dispute
    │   ├── SecondAuditorRequired a final settlement changes only after a proposal that another key confirms
    │   ├── ProposalRefused, ProposalChanged   the proposal has ended, another one waits, or the round has changed since
    │   ├── SigningKeyMissing, LinkAddressUnknown   the service has no signing key, or no known address for links
    │   ├── WebhookConflict       the webhook is disabled, or the club has too many webhooks
    │   ├── JobEnded              the job can no longer be paused or resumed
    │   └── Busy                  a concurrent change of the same record
    │       └── StatementTimeout  a statement took too long
    ├── OperatorError             an invalid operator command
    │   └── ClubTaken             another club has this name
    └── DatabaseError             in service/database_errors.py
        ├── DatabaseUnreachable   the database cannot be reached
        ├── OutcomeUnknown        a commit was not confirmed
        ├── CommitsWaiting        commits wait for a standby, so nothing new is written
        ├── DatabaseBehind        the database needs migrations
        ├── DatabaseUnknown       another release has migrated the database
        ├── DatabaseAltered       the schema differs from that of the migrations
        └── DatabaseReadOnly, DatabaseDenied   the database is read-only, or the login lacks a privilege

Every message is one sentence. The status codes are in `service/http/problem_kinds.py`.
"""

from collections.abc import Iterable
from typing import ClassVar

from scoring.errors import Mistake


class ServiceError(Exception):
    """The base of all errors of the service; `mistakes` lists the invalid parts of the request, if any."""

    code: ClassVar[str] = "refused"

    def __init__(self, message: str, mistakes: Iterable[Mistake] = ()) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(message)


class NotFound(ServiceError):
    """The record does not exist or belongs to another club; the response is the same."""

    code = "not-found"


class LinkEnded(ServiceError):
    """The link was valid, but has expired or was revoked."""

    code = "link-ended"


class KeyMissing(ServiceError):
    """The request has no API key."""

    code = "key-missing"


class KeyUnknown(ServiceError):
    """The API key is unknown, expired or revoked."""

    code = "key-unknown"


class IdempotencyKeyInvalid(ServiceError):
    """The header `Idempotency-Key` is not one valid key."""

    code = "idempotency-key-invalid"


class IdempotencyKeyReused(ServiceError):
    """The idempotency key was used for another request."""

    code = "idempotency-key-reused"


class BodyUnreadable(ServiceError):
    """The body is not encoded as the header `Content-Encoding` says."""

    code = "body-unreadable"


class ImportTooLarge(ServiceError):
    """An import has too many bytes or lines, or too high a compression ratio."""

    code = "import-too-large"


class ScopeMissing(ServiceError):
    """The key does not have the required scope."""

    code = "scope-missing"


class OwnRound(ServiceError):
    """The player of the key sat in the round that the request decides about."""

    code = "own-round"


class NotSecondAuditor(ServiceError):
    """The key confirms its own proposal, or one of a key that has created it, that it has created, or of its player."""

    code = "not-second-auditor"


class TooManyRequests(ServiceError):
    """The key exceeds its rate limit, or the address has sent too many invalid keys."""

    code = "rate-limited"

    def __init__(self, message: str, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class ImportQuotaExceeded(TooManyRequests):
    """The club has too many unfinished imports, in number or size."""

    code = "import-quota-exceeded"


class BatchesBusy(TooManyRequests):
    """The process records as many batches of hands as it can at a time."""

    code = "batches-busy"


class ExportsBusy(TooManyRequests):
    """The process sends as many exports and files as it can at a time."""

    code = "exports-busy"


class ImportsBusy(TooManyRequests):
    """The process receives as many large imports as it can hold in memory."""

    code = "imports-busy"


class RulesetUnknown(ServiceError):
    """A request names a ruleset that is neither a preset nor a custom ruleset of the club."""

    code = "ruleset-unknown"


class ExpectedDiffers(ServiceError):
    """The result differs from `expected` in the request."""

    code = "expected-differs"


class HandIrregular(ServiceError):
    """After a correction a hand cannot follow the hands before it, and was not accepted as played."""

    code = "hand-irregular"


class CorrectionInvalid(ServiceError):
    """A correction changes what cannot be corrected, cannot be applied, or reopens a round."""

    code = "correction-invalid"


class DisputeInvalid(ServiceError):
    """A dispute names a hand or seat that the round does not have, or is upheld without correction and reason."""

    code = "dispute-invalid"


class Conflict(ServiceError):
    """The request conflicts with stored records or a concurrent request."""

    code = "busy"


class RulesetConflict(Conflict):
    """The name and version are stored with other rules, or the version is not the next."""

    code = "ruleset-conflict"


class TableConflict(Conflict):
    """Another table of the club has this name."""

    code = "table-conflict"


class UnitConflict(Conflict):
    """Another unit of the club has this code, or the club has too many units."""

    code = "unit-conflict"


class TableArchived(Conflict):
    """The table is archived, so that no round can be opened at it."""

    code = "table-archived"


class RoundConflict(Conflict):
    """Another round of the table has this reference."""

    code = "round-conflict"


class PaymentConflict(Conflict):
    """Another payment, charge or claim has this reference, or it was reversed or ended otherwise."""

    code = "payment-conflict"


class AliasConflict(Conflict):
    """The IDs sat in one round, one is joined to another player, or they are not joined."""

    code = "alias-conflict"


class RoundOpen(Conflict):
    """The table has an open round."""

    code = "round-open"


class HandConflict(Conflict):
    """Another hand of the round has this number."""

    code = "hand-conflict"


class HandNumberWrong(Conflict):
    """The number is not the next hand number of the round."""

    code = "hand-number"


class HandUndone(Conflict):
    """The hand was recorded before and undone. It counts again only if the request restores the record."""

    code = "hand-undone"


class SameDeal(Conflict):
    """An earlier hand of the round has the same boards."""

    code = "same-deal"


class IdempotencyKeyInUse(Conflict):
    """The first request with the idempotency key is still being processed; a retry can succeed."""

    code = "idempotency-key-in-use"
    retry_after = 1


class ResponseErased(Conflict):
    """The request was processed before, and its response was erased with a text of a person."""

    code = "response-erased"


class UndoRefused(Conflict):
    """The hand is not the last one, or later records depend on it."""

    code = "undo-refused"


class ConfirmationRefused(Conflict):
    """The settlement is not provisional, or the confirmed revision is not the current one."""

    code = "confirmation-refused"


class RoundChanged(Conflict):
    """The round has changed since the client read it."""

    code = "round-changed"


class DisputeChanged(Conflict):
    """The dispute has changed since the client read it."""

    code = "dispute-changed"


class IdAmbiguous(Conflict):
    """Several ids end as the request says; the mistakes list them."""

    code = "id-ambiguous"


class DisputeRefused(Conflict):
    """The transition is invalid in the state of the dispute, or its round is open."""

    code = "dispute-refused"


class SecondAuditorRequired(Conflict):
    """The club requires that another key confirms what changes a final settlement."""

    code = "second-auditor-required"


class ProposalRefused(Conflict):
    """The proposal was confirmed or withdrawn before, or another one waits."""

    code = "proposal-refused"


class ProposalChanged(Conflict):
    """The round has changed since the proposal, or would change otherwise; the mistakes list how."""

    code = "proposal-changed"


class SigningKeyMissing(Conflict):
    """The service has no signing key."""

    code = "signing-key-missing"


class LinkAddressUnknown(Conflict):
    """The service does not know an address at which phones reach it."""

    code = "link-address-unknown"


class WebhookRefused(ServiceError):
    """Messages may not be sent to the URL of a webhook."""

    code = "webhook-refused"


class WebhookConflict(Conflict):
    """The webhook is disabled, or the club has too many webhooks."""

    code = "webhook-conflict"


class JobEnded(Conflict):
    """The job has ended or is being cancelled, so it cannot be paused or resumed."""

    code = "job-ended"


class Busy(Conflict):
    """A concurrent request changes the same record; a retry can succeed."""


class StatementTimeout(Busy):
    """A statement took longer than the database allows; nothing was stored, and a retry can succeed."""

    code = "statement-timeout"


class OperatorError(ServiceError):
    """A command of an operator cannot be executed. The API never returns this error."""

    code = "operator"


class ClubTaken(OperatorError):
    """Another club has this name."""
