"""The administrative commands are rows over the contract: their options are its parameters."""

import re
from datetime import UTC, datetime, timedelta

import click
import pytest

from client.cli import main
from client.commands import administration, money, players
from client.commands.base import Entry, Group
from client.commands.corrections import PROPOSAL_VERBS
from client.commands.keys import KEY_VERBS
from client.commands.verbs import FromNow, Verb
from client.parameters import PARAMETERS
from tests.support.client.contract import Contract, read_contract
from tests.support.client.faulty_server import build_response, faulty
from tests.support.client.run_ofc import ofc

VERBS = {**administration.VERBS, **money.VERBS, **players.VERBS}
CONTRACT = Contract(read_contract())
ROWS = {**VERBS, **KEY_VERBS, **PROPOSAL_VERBS}
NOT_OPTIONS = {"limit", "cursor", "dry_run", "ids"}


def find_command(name: str) -> click.Command:
    command: click.Command = main
    for part in name.split():
        assert isinstance(command, Group)
        inner = command.get_command(click.Context(command), part)
        assert inner is not None
        command = inner
    return command


@pytest.mark.parametrize(("name", "verb"), ROWS.items(), ids=ROWS)
def test_a_row_has_the_parameters_of_its_operation(name: str, verb: Verb) -> None:
    operation = CONTRACT.operations[verb.operation]
    expected = {each["name"] for each in operation["parameters"] if each["in"] != "header"} - NOT_OPTIONS
    body = CONTRACT.list_body(verb.operation)
    if body is not None:
        expected |= set(CONTRACT.schemas[body[1]]["properties"])
    own = {"limit", "as_csv", "form", "output", "overwrites", "yes", "as_json"} | {f"no_{each}" for each in verb.clears}
    assert {parameter.name for parameter in find_command(name).params} - own == expected


@pytest.mark.parametrize(("name", "verb"), ROWS.items(), ids=ROWS)
def test_the_values_of_options_are_those_of_the_contract(name: str, verb: Verb) -> None:
    choices = {each.name: each.choices for each in PARAMETERS[verb.operation] if each.choices and each.type == "string"}
    options = {option.name: option.type for option in find_command(name).params}
    assert {key: tuple(options[key].choices) for key in choices if key not in NOT_OPTIONS} == {
        key: values for key, values in choices.items() if key not in NOT_OPTIONS
    }


@pytest.mark.parametrize("name", [name for name, verb in ROWS.items() if verb.items], ids=str)
def test_a_list_has_the_items_of_its_operation(name: str) -> None:
    schema = CONTRACT.list_forms(ROWS[name].operation)["application/json"]["schema"]["$ref"].rpartition("/")[2]
    items = CONTRACT.find_items(schema)
    assert items is not None
    assert ROWS[name].items == items[0]


@pytest.mark.parametrize("name", [name for name, verb in ROWS.items() if verb.columns], ids=str)
def test_columns_show_fields_of_the_contract(name: str) -> None:
    verb = ROWS[name]
    schema = CONTRACT.find_response(verb.operation)
    assert schema is not None
    fields = CONTRACT.schemas[schema]["properties"]
    if verb.records is not None:
        fields = CONTRACT.schemas[fields[verb.records]["items"]["$ref"].rpartition("/")[2]]["properties"]
    assert {column.value for column in verb.columns if isinstance(column.value, str)} <= {*fields}


@pytest.mark.parametrize("name", [name for name, verb in ROWS.items() if verb.operation_for_all], ids=str)
def test_without_the_argument_the_options_are_the_same(name: str) -> None:
    verb = ROWS[name]
    options = tuple(each for each in PARAMETERS[verb.operation] if each.place != "path")
    assert PARAMETERS[verb.choose_operation([])] == options


def test_a_parameter_that_the_contract_got_later_is_an_option() -> None:
    page = build_response(200, {"lines": [], "has_more": False, "next_cursor": "A" * 43})
    with faulty(page) as server:
        assert ofc("ledger", "--evening", "2026-11-20", OFC_URL=server.url).text == "No lines."
        assert server.requests == ["GET /v1/ledger?evening=2026-11-20"]


@pytest.mark.parametrize(("state", "code"), [("failed", 1), ("succeeded", 0)])
def test_a_job_that_has_failed_is_a_failure(state: str, code: int) -> None:
    counts = dict.fromkeys(("rounds", "hands", "differing", "applied", "skipped", "tables", "changing", "players"), 0)
    summary = {**counts, "moved": [], "payments": {"points": [], "money": []}, "digest": "0"}
    job = {"id": "1", "state": state, "mode": "audit", "progress": {"done": 0, "total": 0}, "summary": summary}
    with faulty(build_response(200, job)) as server:
        result = ofc("recompute", "status", "01a1fb5b-de71-72b0-b398-2e268dab7c37", OFC_URL=server.url)
    assert (result.code, f"recomputation 1: {state}" in result.out) == (code, True)


def test_a_time_from_now_is_sent_as_a_moment() -> None:
    begun = datetime.now(UTC)
    moment = FromNow().convert("90d", None, None)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", moment)
    assert timedelta(0) <= datetime.fromisoformat(moment) - begun - timedelta(days=90) < timedelta(minutes=1)


@pytest.mark.parametrize("text", ["soon", "90", "0d", "2026-11-20", ""])
def test_another_time_from_now_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a time; expected minutes, hours or days"):
        FromNow().convert(text, None, None)


def test_an_entry_of_metadata_is_a_key_and_a_text() -> None:
    assert Entry().convert("city=Lyon = Lugdunum", None, None) == ("city", "Lyon = Lugdunum")
    with pytest.raises(click.BadParameter, match="'city' has no text; expected, for example, city=Lyon"):
        Entry().convert("city", None, None)
