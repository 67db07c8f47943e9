"""The examples in the contract are complete, valid and up to date."""

import json
from collections.abc import Iterator

import pytest
import yaml

from service.examples import FOLDER, PROBLEMS
from service.http.problem_kinds import PROBLEM_KINDS
from service.http.services import services_of
from service.openapi import build_contract
from tests.support.api_client import Document, resolve, validate
from tests.support.application import House, open_house
from tests.support.database.postgres import Logins, Server
from tests.support.story import play_story

NDJSON = "application/x-ndjson"
NOT_IN_STORY = {"internal-error", "busy", "idempotency-key-in-use", "response-erased", "method-not-allowed"} | {
    "request-malformed",
    "link-ended",
    "id-ambiguous",
}
"""Problems that a story cannot run into on purpose, or that belong to no operation."""
OF_AN_OPERATOR = {"database-unknown", "database-denied", "database-altered", "database-read-only"} | {
    "commits-waiting",
    "statement-timeout",
}
REFUSED_AS_SHAPE = {"card-invalid", "board-invalid", "stakes-invalid"}
"""What the shape of a request leaves no room for."""


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    """A database of the story's own: the keys that checkpoints are signed by belong to all clubs of a database."""
    with open_house(embedded_postgres) as opened:
        yield opened


@pytest.fixture(scope="module")
def contract(house: House) -> Document:
    return build_contract(services_of(house.app).contract)


def operations(contract: Document) -> Iterator[tuple[Document, list[Document]]]:
    """Every operation, and all its parameters."""
    for item in contract["paths"].values():
        for method, operation in item.items():
            if method != "parameters":
                yield operation, [*item.get("parameters", []), *operation.get("parameters", [])]


def contents(contract: Document) -> Iterator[tuple[str, Document]]:
    """Every content that the contract describes, by the name of its operation and what it is of."""
    for operation, _ in operations(contract):
        if "requestBody" in operation:
            yield f"{operation['operationId']} request", operation["requestBody"]["content"]
        for status, response in operation["responses"].items():
            yield f"{operation['operationId']} {status}", resolve(contract, response).get("content", {})


def bodies(contract: Document) -> Iterator[tuple[str, Document]]:
    """Every body of text that the contract describes, by the name of its operation and what it is of."""
    for place, content in contents(contract):
        for media_type, media in content.items():
            if media_type != "application/vnd.apache.parquet":
                yield place, media


def test_the_story_produces_the_stored_examples(house: House, bare_logins: Logins) -> None:
    replayed = play_story(house, bare_logins)
    stored = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}
    assert set(replayed) == set(stored), "`make generate` writes them anew"
    differing = [name for name, examples in replayed.items() if examples != stored[name]]
    assert not differing, f"`make generate` writes them anew: {differing}, {replayed[differing[0]]}"


def test_every_request_and_response_has_a_valid_example(contract: Document) -> None:
    shown = dict(bodies(contract))
    assert len(shown) > 200
    for place, media in shown.items():
        assert media.get("examples"), place
        for example in media["examples"].values():
            value = resolve(contract, example)["value"]
            # A YAML response is shown as text.
            is_yaml = place == "get_contract 200"
            validate(contract, media["schema"], yaml.safe_load(value) if is_yaml else value)


def test_every_line_of_ndjson_is_valid_by_the_schema_of_lines(contract: Document) -> None:
    media_by_place = {place: media[NDJSON] for place, media in contents(contract) if NDJSON in media}
    assert len(media_by_place) == 7
    for place, media in media_by_place.items():
        lines = [
            line for example in media["examples"].values() for line in resolve(contract, example)["value"].splitlines()
        ]
        assert lines, place
        for line in lines:
            validate(contract, media["x-line-schema"], json.loads(line))


def test_every_parameter_has_a_valid_example(contract: Document) -> None:
    for operation, parameters in operations(contract):
        for parameter in parameters:
            place = f"{operation['operationId']} {parameter['name']}"
            assert "example" in parameter, place
            validate(contract, parameter["schema"], parameter["example"])


def test_every_header_with_an_address_has_an_example(contract: Document) -> None:
    for operation, _ in operations(contract):
        for status, response in operation["responses"].items():
            for name, header in resolve(contract, response).get("headers", {}).items():
                if name in ("Location", "Link"):
                    assert "example" in header, f"{operation['operationId']} {status} {name}"


def test_error_responses_have_examples_of_their_status(contract: Document) -> None:
    for place, media in bodies(contract):
        status = place.split()[1]
        expected = {"404": {404}, "409": {409}, "422": {422}, "4XX": range(400, 500), "default": range(500, 600)}
        for example in media["examples"].values() if status in expected else ():
            assert resolve(contract, example)["value"]["status"] in expected[status], place


def test_every_kind_of_problem_that_can_be_provoked_has_an_example() -> None:
    problems = json.loads((FOLDER / f"{PROBLEMS}.json").read_text(encoding="utf-8"))
    assert set(problems) == set(PROBLEM_KINDS) - NOT_IN_STORY - OF_AN_OPERATOR - REFUSED_AS_SHAPE


def test_every_example_is_used(contract: Document) -> None:
    used = {
        example["$ref"].rpartition("/")[2] for _, media in bodies(contract) for example in media["examples"].values()
    }
    assert set(contract["components"]["examples"]) == used
