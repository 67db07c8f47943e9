"""The kinds of problems: status code, title and advice of each, by its stable code."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from service.http.database_problems import DATABASE_PROBLEMS
from service.http.problem_kind import ProblemKind

PROBLEM_KINDS: Final[Mapping[str, ProblemKind]] = {
    "json-invalid": ProblemKind(
        HTTPStatus.BAD_REQUEST,
        "Invalid JSON",
        "Send one JSON document in UTF-8, without duplicate keys in an object and with JSON numbers only.",
    ),
    "body-unreadable": ProblemKind(
        HTTPStatus.BAD_REQUEST,
        "Unreadable request body",
        "Send the complete body, encoded as the header Content-Encoding says: gzip, or no encoding.",
    ),
    "request-malformed": ProblemKind(
        HTTPStatus.BAD_REQUEST,
        "Malformed request",
        "The request cannot be read. Correct it and send it again.",
    ),
    "idempotency-key-invalid": ProblemKind(
        HTTPStatus.BAD_REQUEST,
        "Invalid idempotency key",
        "Send one header 'Idempotency-Key' with 1 to 255 visible ASCII characters except commas. Use a new "
        "UUID for each new request.",
    ),
    "idempotency-key-reused": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Idempotency key reused",
        "This key was used for another request. Use a new key for each new request.",
    ),
    "idempotency-key-in-use": ProblemKind(
        HTTPStatus.CONFLICT,
        "Idempotency key in use",
        "The first request with this key is still being processed. Retry later; the response will be the "
        "response to the first request.",
    ),
    "response-erased": ProblemKind(
        HTTPStatus.CONFLICT,
        "Response erased",
        "The request was processed, and its response was erased with a text of a person. Read the record that it "
        "created or changed; do not send the request with another key.",
    ),
    "not-acceptable": ProblemKind(
        HTTPStatus.NOT_ACCEPTABLE,
        "Not acceptable",
        "Responses are JSON. Send 'Accept: application/json', or no Accept header.",
    ),
    "key-missing": ProblemKind(
        HTTPStatus.UNAUTHORIZED,
        "Missing API key",
        "Send the header 'Authorization: Bearer KEY' with one of your club's keys.",
    ),
    "key-unknown": ProblemKind(
        HTTPStatus.UNAUTHORIZED,
        "Unknown API key",
        "Check the key. It may be incomplete, expired or revoked.",
    ),
    "scope-missing": ProblemKind(
        HTTPStatus.FORBIDDEN,
        "Insufficient scope",
        "Send a key that has the required scope. Keys with the scope 'admin' create keys, as the operator does.",
    ),
    "own-round": ProblemKind(
        HTTPStatus.FORBIDDEN,
        "Round of one's own",
        "Nobody decides about a round that they played in. Send the request with the key of somebody who did not sit in"
        " the round.",
    ),
    "not-second-auditor": ProblemKind(
        HTTPStatus.FORBIDDEN,
        "Not a second auditor",
        "A proposal is confirmed with another key than its own: one that neither has created the other, directly or by"
        " way of others, and that is not of the same player.",
    ),
    "rate-limited": ProblemKind(
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many requests",
        "Retry after the number of seconds in the header Retry-After. Nothing was stored.",
    ),
    "batches-busy": ProblemKind(
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many batches",
        "Other batches of hands are being recorded; the limit of your key is not reached. Retry after the number of"
        " seconds in the header Retry-After. Nothing was stored.",
    ),
    "imports-busy": ProblemKind(
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many imports",
        "Other large imports are being received; the limit of your key is not reached. Send the import again after the"
        " number of seconds in the header Retry-After. Nothing was stored.",
    ),
    "exports-busy": ProblemKind(
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many exports",
        "Other exports are being sent; the limit of your key is not reached. Retry after the number of seconds in the"
        " header Retry-After.",
    ),
    "import-quota-exceeded": ProblemKind(
        HTTPStatus.TOO_MANY_REQUESTS,
        "Import quota exceeded",
        "Wait until some imports of your club have ended, or cancel one. Then send this import again. Nothing"
        " was stored.",
    ),
    "not-found": ProblemKind(
        HTTPStatus.NOT_FOUND,
        "Not found",
        "Check the URL and the id. Records of another club are not found either.",
    ),
    "link-ended": ProblemKind(
        HTTPStatus.GONE,
        "Link has ended",
        "The link was valid, but has expired or was revoked. Ask the person who sent it for a new link.",
    ),
    "method-not-allowed": ProblemKind(
        HTTPStatus.METHOD_NOT_ALLOWED,
        "Method not allowed",
        "The header Allow lists the methods that this URL accepts.",
    ),
    "body-too-large": ProblemKind(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "Request body too large",
        "Send a body of up to 1 MiB.",
    ),
    "import-too-large": ProblemKind(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "Import too large",
        "Split the file and import its parts one after the other. Nothing was stored.",
    ),
    "request-incomplete": ProblemKind(
        HTTPStatus.REQUEST_TIMEOUT,
        "Incomplete request",
        "The request body ended early, or paused for too long. Nothing was stored. Send the complete request again.",
    ),
    "media-type-unsupported": ProblemKind(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "Unsupported media type",
        "Send uncompressed JSON with the header 'Content-Type: application/json'. Send imports as "
        "'application/x-ndjson', uncompressed or compressed with gzip.",
    ),
    "request-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Validation failed",
        "Correct every field named in `errors`. The OpenAPI document describes the fields.",
    ),
    "hand-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid hand",
        "The hand could not have been dealt like this, or cannot follow the hands before it. Nothing was "
        "stored. Correct every field named in `errors` and send the hand again.",
    ),
    "card-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid card",
        "Write cards as rank and suit, for example 'As', 'Td' or '2c'.",
    ),
    "board-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid board",
        "A board has three cards in the top row, five in the middle and five in the bottom.",
    ),
    "stakes-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid stacks",
        "Every player who has points to pay or to receive needs a stack of 0 points or more.",
    ),
    "round-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid round",
        "Seats, stacks, departures and closings must fit the ruleset. Nothing was stored.",
    ),
    "ruleset-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid ruleset",
        "The rules contradict each other. Correct every rule named in `errors`.",
    ),
    "ruleset-unknown": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Unknown ruleset",
        "GET /v1/rulesets lists the presets and the custom rulesets of your club.",
    ),
    "hand-irregular": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Irregular hand",
        "After this change, a later hand no longer follows the hands before it: its button, its players, its "
        "Fantasyland or its top-ups differ. Correct that hand too if it was recorded incorrectly. If it was "
        "played like this, send 'irregular': 'accept' to accept it as played; it is then marked irregular with "
        "the reasons. Nothing was stored.",
    ),
    "correction-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid correction",
        "A correction changes what happened in one round. It cannot change the round's table, reference or "
        "money. Nothing was stored.",
    ),
    "dispute-invalid": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid dispute",
        "A dispute names a round, and a hand and a seat of that round. An upheld dispute needs a correction "
        "that names it, or a reason why nothing is corrected. Nothing was stored.",
    ),
    "expected-differs": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Unexpected result",
        "The result of the service differs from `expected` in the request. Nothing was stored. Compare the "
        "two values of every difference.",
    ),
    "round-complete": ProblemKind(
        HTTPStatus.CONFLICT,
        "Round complete",
        "The round accepts no further hands. Open a new round at the table.",
    ),
    "round-closed": ProblemKind(
        HTTPStatus.CONFLICT,
        "Round closed",
        "The round accepts no further hands. Open a new round at the table.",
    ),
    "round-open": ProblemKind(
        HTTPStatus.CONFLICT,
        "Round already open",
        "A table has one open round at a time. Finish or close it first.",
    ),
    "round-conflict": ProblemKind(
        HTTPStatus.CONFLICT,
        "Round reference conflict",
        "A round with this reference and other content is recorded at this table. Use a new reference.",
    ),
    "payment-conflict": ProblemKind(
        HTTPStatus.CONFLICT,
        "Payment or charge conflict",
        "It is recorded with other content, or was reversed for another reason, or is a claim that has ended. Use a new"
        " reference for another one.",
    ),
    "alias-conflict": ProblemKind(
        HTTPStatus.CONFLICT,
        "Alias conflict",
        "IDs that sat in one round are two people, and an ID is joined to one player at most. `errors` has the reasons."
        " Part IDs that were joined by mistake first.",
    ),
    "hand-conflict": ProblemKind(
        HTTPStatus.CONFLICT,
        "Hand number conflict",
        "A hand with this number and other content is recorded in this round. `errors` names every difference. GET the"
        " round for the next number, or correct the round.",
    ),
    "hand-number": ProblemKind(
        HTTPStatus.CONFLICT,
        "Unexpected hand number",
        "Hands of a round are recorded in order. Send the hand with the number that is expected. Nothing was stored.",
    ),
    "hand-undone": ProblemKind(
        HTTPStatus.CONFLICT,
        "Hand undone before",
        "This hand was recorded before and undone, so it does not count. To count it again, send it with the record"
        " that `errors` names in `restores`. Nothing was stored.",
    ),
    "same-deal": ProblemKind(
        HTTPStatus.CONFLICT,
        "Same deal",
        "An earlier hand of this round has the same boards. To repeat that hand, send its number. If the players were"
        " dealt the same cards again, send 'dealt_again': true. Nothing was stored.",
    ),
    "table-conflict": ProblemKind(
        HTTPStatus.CONFLICT,
        "Table name conflict",
        "The name of a table is unique among the tables of a club that are not archived. Use another name.",
    ),
    "unit-conflict": ProblemKind(
        HTTPStatus.CONFLICT,
        "Unit code conflict",
        "A unit never changes, its code is unique in its club, and a club defines at most 100 units. `errors` names"
        " every difference from the unit that has the code. Use another code.",
    ),
    "table-archived": ProblemKind(
        HTTPStatus.CONFLICT,
        "Table archived",
        "No round can be opened at an archived table. PATCH the table with 'is_archived': false first, or use another"
        " table. Nothing was stored.",
    ),
    "signing-key-missing": ProblemKind(
        HTTPStatus.CONFLICT,
        "Missing signing key",
        "The operator must set OFC_SIGNING_KEY_FILE to the key's file; `ofc-server signing-key create` creates a key.",
    ),
    "undo-refused": ProblemKind(
        HTTPStatus.CONFLICT,
        "Undo not allowed",
        "The last hand of a round can be undone until the round is closed, another round is opened at its "
        "table, or its settlement is disputed or final. GET the round for the number of its last hand.",
    ),
    "confirmation-refused": ProblemKind(
        HTTPStatus.CONFLICT,
        "Confirmation not allowed",
        "A settlement can be confirmed while it is provisional. GET the round's settlement for its state and revision.",
    ),
    "round-changed": ProblemKind(
        HTTPStatus.CONFLICT,
        "Round changed",
        "The round has changed since it was read. Nothing was stored. GET the round and its document again, "
        "then correct the current version.",
    ),
    "dispute-changed": ProblemKind(
        HTTPStatus.CONFLICT,
        "Dispute changed",
        "The dispute has changed since it was read. Nothing was stored. GET the dispute again, then decide.",
    ),
    "dispute-refused": ProblemKind(
        HTTPStatus.CONFLICT,
        "Invalid dispute transition",
        "A dispute is opened after its round has ended, is then reviewed, and is then upheld or rejected. It "
        "can be withdrawn until it is resolved.",
    ),
    "second-auditor-required": ProblemKind(
        HTTPStatus.CONFLICT,
        "Second auditor required",
        "The club requires that another key confirms what changes a final settlement. Propose the correction with"
        " `POST /v1/rounds/{round_id}/proposals`, or that an audit is applied with"
        " `POST /v1/recomputations/{recomputation_id}/proposals`. Nothing was stored.",
    ),
    "proposal-refused": ProblemKind(
        HTTPStatus.CONFLICT,
        "Invalid proposal transition",
        "A proposal is confirmed or withdrawn once, and only one waits for a round or an audit at a time. GET the"
        " proposal for its state.",
    ),
    "proposal-changed": ProblemKind(
        HTTPStatus.CONFLICT,
        "Round changed since proposal",
        "The round is no longer as it was when the correction was proposed. Nothing was stored. Withdraw the proposal,"
        " and propose the correction of the round as it is now.",
    ),
    "job-ended": ProblemKind(
        HTTPStatus.CONFLICT,
        "Job already ended",
        "The job has ended or is about to end, so it cannot be paused or resumed. GET the job for its result,"
        " or start another job.",
    ),
    "link-address-unknown": ProblemKind(
        HTTPStatus.CONFLICT,
        "Unknown address for links",
        "A link needs an address that a phone can open. The operator can set it with OFC_PUBLIC_URL, or allow the host"
        " of the request with OFC_ALLOWED_HOSTS.",
    ),
    "webhook-refused": ProblemKind(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Webhook URL not allowed",
        "Use an https URL of a public host. The operator can allow further hosts and networks with OFC_WEBHOOK_ALLOW.",
    ),
    "webhook-conflict": ProblemKind(
        HTTPStatus.CONFLICT,
        "Webhook not available",
        "A disabled webhook sends no messages; make it active first. A club has at most 20 webhooks; delete one that is"
        " no longer used.",
    ),
    "ruleset-conflict": ProblemKind(
        HTTPStatus.CONFLICT,
        "Ruleset conflict",
        "Stored rulesets and presets never change. To add the rules as a new version, omit the version or "
        "send the next one. A preset's name cannot be used.",
    ),
    "id-ambiguous": ProblemKind(
        HTTPStatus.CONFLICT,
        "Several ids end so",
        "Send more characters of the end of the id that you mean; `errors` lists the ids.",
    ),
    "busy": ProblemKind(
        HTTPStatus.CONFLICT,
        "Concurrent change",
        "Another request is changing the same record. Nothing was stored. Retry the request.",
    ),
    **DATABASE_PROBLEMS,
    "internal-error": ProblemKind(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Internal error",
        "An unhandled exception occurred. Nothing was stored. Report the request id to the operator of the service.",
    ),
}
"""Every kind of problem by its stable code."""
