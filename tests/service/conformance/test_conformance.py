"""
The service against its contract: requests that schemathesis makes of it, right and broken, and all its checks.

What it makes goes to ids that exist, and of the bodies that may be taken most are such as the game allows: a hand of
random cards never follows. Every operation has a club of its own, and always gets the same requests: in `make check` 10
random ones, and in the long run 1,000 and every boundary of its schema.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

import pytest
import schemathesis
import yaml
from schemathesis.checks import load_all_checks
from schemathesis.config import ChecksConfig
from schemathesis.config._checks import NegativeDataRejectionConfig, PositiveDataAcceptanceConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.feedback import NO_FEEDBACK
from schemathesis.generation.meta import TestPhase
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.schemas import APIOperation

from schemas.fields import ID_PATTERN, TEXT_PATTERN
from service.clubs.actions import issue_key
from service.clubs.scopes import EVERY_SCOPE
from service.http.services import services_of
from tests.service.conformance.club import Club
from tests.service.http.test_contract import CONDITIONAL, ROOT
from tests.support import process_jobs
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of

CONTRACT = yaml.load((ROOT / "openapi-audit.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
OPERATIONS = {
    operation["operationId"]: {"parameters": [], **item, **operation}
    for item in CONTRACT["paths"].values()
    for method, operation in item.items()
    if method != "parameters"
}

IN_LONG_RUNS = 1000
MORE_OF = {"record_hand": 3}
"""Boundaries of the schema of a hand are many and never legal hands: so many times more hands are dealt."""

BEYOND_THE_PLANE = (
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
"""The characters beyond U+FFFF of Unicode's category Cf."""
PRIVATE_USE = re.compile("[\U000f0000-\U0010ffff]")
"""
The characters beyond U+FFFF of Unicode's category Co.

They are replaced in what is to be accepted, because Hypothesis lists those of a pattern one by one, 131,072 a text.
"""

NOTHING_TO_VARY = {"check_health", "check_readiness", "get_metrics", "list_rulesets", "list_units"}
NOTHING_TO_VARY |= {"list_checkpoint_keys", "make_checkpoint", "get_club", "get_link", "issue_console_link"}
NOTHING_TO_VARY |= {"issue_phone_link"}
"""Operations without parameters: there is only one request."""

REFUSED_BEYOND_THE_SHAPE = {
    "score_hand": "cards come from one deck, and the ruleset must be there",
    "add_ruleset": "rules must not contradict each other",
    "define_unit": "the code must not be that of a currency, nor differ from another one in capital letters only",
    "add_table": "a point value needs a unit, and the ruleset must be there",
    "update_table": "one field is required, a point value needs a unit, and the ruleset must be there",
    "open_round": "players and stacks must fit the ruleset",
    "record_hand": "a hand must follow from the hands before it",
    "close_round": "the result must be the expected one",
    "record_departure": "the player who leaves must have the seat, and the ruleset must allow it",
    "undo_hand": "the number must be the last hand's",
    "confirm_settlement": "somebody must sit in the seat",
    "play_document": "every hand must follow",
    "list_rounds": "a period ends where it begins, or later",
    "export_rounds": "a period ends where it begins, or later",
    "list_ledger": "a period ends where it begins, or later, and not every text of 43 characters is a cursor",
    "record_payment": "the players must have played, and the payment needs a reference or an idempotency key",
    "claim_payment": "the players must have played, and the claim needs a reference or an idempotency key",
    "record_charge": "the player must have played, and the charge needs a reference or an idempotency key",
    "list_statistics": "a period ends where it begins, or later, and an evening is no period",
    "get_player_statistics": "a period ends where it begins, or later, and an evening is no period",
    "get_plot": "a period ends where it begins, or later, an evening is no period, and stacks are of a table or round",
    "get_club_statement": "a period ends where it begins, or later, and an evening is no period",
    "get_statement": "a period ends where it begins, or later",
    "find_hands": "a period ends where it begins, or later",
    "list_hands": "a cursor leads on in one list only",
    "record_hands": "a body without lines is a text too",
    "start_import": "an idempotency key stands for one file",
    "correct_round": "the amended round must be playable, and a patch must fit the document",
    "propose_correction": "the amended round must be playable, and a patch must fit the document",
    "propose_recomputation": "what is proposed is an audit that has succeeded",
    "what_if": "the amended round must be playable, and a patch must fit the document",
    "add_cosignature": "the key must be that of a witness, and the signature one of the checkpoint",
    "prove_consistency": "the smaller size comes first",
    "prove_inclusion": "the tree must have been so large, and have the position",
    "open_dispute": "the round must have the hand and the seat, a row needs a hand, and a player of it must dispute it",
    "comment_on_dispute": "a player of the round or the key must comment",
    "review_dispute": "a player of the round or the key must review",
    "resolve_dispute": "what is upheld or rejected may need a reason, from a player of the round or the key",
    "withdraw_dispute": "a player of the round or the key must withdraw it",
    "add_webhook": "the URL must name a public host",
    "update_webhook": "the URL must name a public host",
    "create_key": "a preset or scopes are required, not both, and the end must be in the future",
    "issue_link": "a link is for a table or for a round; one of the kind `player`, and no other, needs a player",
    "start_recomputation": "what the scope names must be there, or else an audit that has succeeded",
}
"""Operations that may respond with 422 to a body that fits the schema, and why no JSON Schema can express it."""

LONGEST_CHANGED_ID = 8
"""Each character is at most twelve encoded, and an ID has at most a hundred."""
JOINERS = "\u200c\u200d"

TOO_LONG = dict.fromkeys(
    ("play_document", "correct_round", "propose_correction"),
    "ten thousand hands, the most of a round, can be longer than a body",
)
"""Operations that may respond with 413 to a body that fits the schema."""

ENDED = {"sign_in_phone": "no schema can tell a code that was used"}
"""Operations that may respond with 410 to a body that fits the schema, and why."""

TAKES_ANY_TEXT = dict.fromkeys(
    ("start_import", "record_hands"), "the results of the lines state what is wrong with a line"
)
"""Operations that take a body of any shape, and why."""

ACCEPTED = ("2xx", "404", "409")
"""Responses to requests that fit the schema: an id may be unknown, and the round may have changed."""
REJECTED = ("400", "401", "404", "405", "406", "413", "415", "422")
"""Responses to requests that do not."""

LEFT_AS_IT_IS = 1 / 8
"""How many of the requests that may be taken keep the body that has nothing but the right shape."""


@dataclass
class Tally:
    """Counts of requests and of responses."""

    statuses: Counter[int] = field(default_factory=Counter)
    random: int = 0
    stored: int = 0


@schemathesis.serializer("application/x-ndjson")
def write_lines(_context: object, value: object) -> bytes:
    """Lines are sent as they are; what is no text at all, as if it were one."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.fixture(autouse=True)
def _nobody_waits(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Respond as a service that stops: thousands of requests would wait half a minute each for events."""
    monkeypatch.setattr(services_of(house.app), "is_stopping", lambda: True)


@pytest.mark.parametrize("operation_id", OPERATIONS)
@pytest.mark.no_cover
def test_the_service_conforms_to_its_contract(house: House, operation_id: str, pytestconfig: pytest.Config) -> None:
    hold_to_contract(house, operation_id, pytestconfig.getoption("requests"))


@pytest.mark.verify
@pytest.mark.parametrize("operation_id", OPERATIONS)
def test_the_service_conforms_to_its_contract_in_a_long_run(house: House, operation_id: str) -> None:
    hold_to_contract(house, operation_id, IN_LONG_RUNS)


def test_an_empty_selection_reads_nothing() -> None:
    reads = {name for name, operation in OPERATIONS.items() if operation["parameters"] or "requestBody" in operation}
    assert set(OPERATIONS) - reads == NOTHING_TO_VARY


def buffered(app: Callable[..., Iterable[bytes]]) -> Callable[..., list[bytes]]:
    """Return an application whose responses are read and closed, which their reader does not do."""

    def respond(environ: object, start_response: object) -> list[bytes]:
        blocks = app(environ, start_response)
        try:
            return list(blocks)
        finally:
            getattr(blocks, "close", lambda: None)()

    return respond


def hold_to_contract(house: House, operation_id: str, number: int) -> None:
    """Make so many random requests, in the long run also at every boundary of the schema: all checks must pass."""
    tally = Tally()
    run(house, operation_id, int(number * MORE_OF.get(operation_id, 1)), tally)
    assert tally.random >= number or operation_id in NOTHING_TO_VARY, tally
    assert any(status < 300 for status in tally.statuses), f"{tally}: who is always refused is held to little"
    if operation_id == "record_hand":
        assert tally.stored >= 0.3 * tally.random, tally


def run(house: House, operation_id: str, number: int, tally: Tally) -> None:
    load_all_checks()
    # The file is what the service gives out, which takes longer to read than some operations to call.
    schema = schemathesis.openapi.from_dict(strict_contract())
    schema.app = buffered(house.app)
    # The key is ours. That it is required is checked by further requests without it, and with another.
    schema.config.generation.update(max_examples=number, deterministic=True, with_security_parameters=False)
    schema.config.phases.coverage.enabled = number >= IN_LONG_RUNS
    accepted = [
        *ACCEPTED,
        *(["422"] if operation_id in REFUSED_BEYOND_THE_SHAPE else []),
        *(["413"] if operation_id in TOO_LONG else []),
        *(["410"] if operation_id in ENDED else []),
        *(["304"] if operation_id in CONDITIONAL else []),
    ]
    schema.config.checks = ChecksConfig(
        positive_data_acceptance=PositiveDataAcceptanceConfig(expected_statuses=accepted),
        negative_data_rejection=NegativeDataRejectionConfig(
            expected_statuses=[
                *REJECTED,
                *(["202"] if operation_id in TAKES_ANY_TEXT else []),
            ]
        ),
    )
    club = Club(house.new_client(), operation_id)
    add_other_keys(house, club)
    club.work_on = process_jobs.Club(house, club.api).work_on
    # A key is no link.
    key = club.link_secret() if operation_id == "get_link" else club.api.key
    # A compressed response would be validated as it is sent.
    headers = {"Authorization": f"Bearer {key}", "Accept-Encoding": "identity"}

    def send(case: schemathesis.Case) -> None:
        make_real(club, operation_id, case)
        response = case.call_and_validate(headers=headers)
        count(case, response, tally)

    operation: APIOperation = schema.find_operation_by_id(operation_id)
    test = build_operation_test(
        config=schema.config, operation=operation, test_func=send, given_kwargs={}, feedback=NO_FEEDBACK
    )
    test()


@cache
def strict_contract() -> Any:
    """Return the contract with closed objects, and with every refused character in its patterns."""
    return with_every_refused_character(closed(CONTRACT))


def closed(part: Any) -> Any:
    """Copy a contract with closed objects: responses are open to clients, but the service sends no other fields."""
    if isinstance(part, dict):
        only = {"additionalProperties": False} if isinstance(part.get("properties"), dict) else {}
        return {**only, **{key: closed(value) for key, value in part.items()}}
    return [closed(value) for value in part] if isinstance(part, list) else part


def with_every_refused_character(schema: Any) -> Any:
    """
    Copy a contract, with the refused characters beyond U+FFFF in its patterns too.

    The contract leaves them out: readers of regular expressions disagree about how to write them.
    """
    if isinstance(schema, dict):
        return {key: with_every_refused_character(value) for key, value in schema.items()}
    if isinstance(schema, list):
        return [with_every_refused_character(value) for value in schema]
    if schema in (TEXT_PATTERN, ID_PATTERN):
        # The first class has the refused characters.
        return schema.replace("]", f"{BEYOND_THE_PLANE}]", 1)
    return schema


def without_private_use(value: Any) -> Any:
    """Copy a part of a request, with the letter x for each private-use character beyond U+FFFF."""
    if isinstance(value, dict):
        return {without_private_use(key): without_private_use(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_private_use(inner) for inner in value]
    return PRIVATE_USE.sub("x", value) if isinstance(value, str) else value


def replace_private_use(case: schemathesis.Case) -> None:
    """
    Replace private-use characters in a request that is to be accepted.

    What does not change is not assigned: schemathesis validates assigned parts again, and those of the path as they are
    encoded, in which a short ID can be too long. A changed ID is cut, so that it is short enough encoded; no joiner may
    be at its end.
    """
    for name, encoded in case.path_parameters.items():
        decoded = unquote(str(encoded))
        if PRIVATE_USE.search(decoded):
            cut = PRIVATE_USE.sub("x", decoded)[:LONGEST_CHANGED_ID]
            case.path_parameters[name] = quote(cut.rstrip(JOINERS), safe="")
    for part in ("query", "body"):
        value = getattr(case, part)
        changed = without_private_use(value)
        if changed != value:
            setattr(case, part, changed)


def add_other_keys(house: House, club: Club) -> None:
    """Create a key that nobody uses, and one that makes proposals, as the operator does."""
    with house.owner.transaction(club_of(house, club.api)) as transaction:
        issue_key(transaction, "its club", "spare", [EVERY_SCOPE], None)
        club.proposer = Api(house.app, issue_key(transaction, "its club", "proposer", [EVERY_SCOPE], None).secret)


def make_real(club: Club, operation_id: str, case: schemathesis.Case) -> None:
    """Lead a request to what there is, and let most of those that may be taken be such as the game allows."""
    meta = case.meta
    assert meta is not None
    if not meta.generation.mode.is_negative:
        replace_private_use(case)
    for name in case.path_parameters:
        if not meta.is_negative_at(ParameterLocation.PATH) and club.rng.random() > LEFT_AS_IT_IS:
            case.path_parameters[name] = club.parameters[name]()
    if meta.generation.mode.is_negative or meta.phase.name is TestPhase.COVERAGE:
        return
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = club.new_name()
    if operation_id in club.queries and club.rng.random() > LEFT_AS_IT_IS:
        case.query.update(club.queries[operation_id]())
    if operation_id in club.bodies and club.rng.random() > LEFT_AS_IT_IS:
        case.body = club.bodies[operation_id]()
        if club.rng.random() > LEFT_AS_IT_IS:
            case.query.pop("dry_run", None)


def count(case: schemathesis.Case, response: schemathesis.Response, tally: Tally) -> None:
    tally.statuses[response.status_code] += 1
    tally.random += case.meta is not None and case.meta.phase.name is TestPhase.FUZZING
    is_new = response.status_code == 201 and "idempotent-replayed" not in response.headers
    tally.stored += is_new and case.query.get("dry_run") not in (True, "true")
