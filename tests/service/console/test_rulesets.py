"""Rulesets: the list, comparisons field by field, new versions and what they would have changed."""

import csv
import io
import json
from itertools import accumulate
from typing import Any
from uuid import UUID
from xml.etree.ElementTree import Element

import pytest

from schemas.money import Unit
from schemas.rulesets import dump_ruleset
from scoring.presets import PRESETS
from scoring.ruleset import ENTRIES
from service.clubs.actions import create_key
from service.console.views.ruleset_fields import GROUPS, compare_fields, read_ruleset_form
from service.http.formats import format_money_won, format_signed
from service.recomputations.actions.what_if import replay_table
from tests.service.console.test_round_replay import rows_of, section, words
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.recomputations.test_what_if import in_fantasyland_for_money
from tests.support.api_client import Api, Document
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import COMPLETE, add_table, complete_round, document_of, post_document

NEW = "/rulesets/new"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def form_of(visitor: Visitor, path: str = NEW) -> dict[str, str]:
    """Return the values that the form of a new ruleset is filled with."""
    [form] = [each for each in visitor.show(path).iter("form") if "/rulesets/new" in each.attrib["action"]]
    values = {each.attrib["name"]: each.attrib.get("value", "") for each in form.iter("input")}
    for each in form.iter("select"):
        chosen = [option.attrib["value"] for option in each.iter("option") if "selected" in option.attrib]
        values[each.attrib["name"]] = chosen[0] if chosen else ""
    return {name: value for name, value in values.items() if name != "csrf"}


def preview(visitor: Visitor, **changes: str) -> Any:
    return visitor.submit(NEW, "/rulesets/new?from=pineapple@1", form_of(visitor) | _dotted(changes))


def store(visitor: Visitor, csrf: str, form: dict[str, str]) -> Any:
    return visitor.send("/rulesets?from=pineapple@1", form | {"csrf": csrf})


def _dotted(changes: dict[str, str]) -> dict[str, str]:
    return {name.replace("__", "."): value for name, value in changes.items()}


def add_house_rules(api: Api, **changes: Any) -> str:
    document = {**dump_ruleset(PRESETS["pineapple"]), "name": "house", "version": None, **changes}
    added = api.post("/v1/rulesets", document)
    assert added.status == 201, added
    return f"house@{added['version']}"


def test_presets_and_own_rulesets_are_listed(visitor: Visitor, api: Api) -> None:
    assert "The club has no rulesets of its own." in text_of(visitor.show("/rulesets"))
    add_house_rules(api)
    add_house_rules(api, leaving="between_hands")
    page = visitor.show("/rulesets")
    assert [row[0] for row in rows_of(section(page, "custom"))] == ["house@1", "house@2"]
    presets = rows_of(section(page, "presets"))
    assert [row[0] for row in presets] == [str(ruleset) for ruleset in PRESETS.values()]
    assert presets[1] == ["progressive@1", "pineapple", "2–3", "high", "QQ 14, KK 15, AA 16, trips 17", "hand", "stack"]


def test_files_have_the_whole_list(visitor: Visitor, api: Api) -> None:
    add_house_rules(api)
    rows = list(csv.DictReader(io.StringIO(visitor.get("/rulesets?format=csv").text)))
    assert [row["ruleset"] for row in rows] == ["house@1", *map(str, PRESETS.values())]
    assert rows[0]["kind"] == "custom"
    assert [row["ruleset"] for row in json.loads(visitor.get("/rulesets?format=json").text)] == [
        row["ruleset"] for row in rows
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_every_field_of_a_preset_comes_back_from_its_form(name: str) -> None:
    document = dump_ruleset(PRESETS[name])
    form = {field.name: field.written(document) for group in GROUPS for field in group.fields}
    assert {**read_ruleset_form({"name": name, **form}), "version": 1} == document


def test_every_difference_of_two_presets_is_shown() -> None:
    def leaves(value: Any, *path: str) -> dict[tuple[str, ...], Any]:
        if isinstance(value, dict):
            return {key: leaf for name in value for key, leaf in leaves(value[name], *path, name).items()}
        return {path: value}

    def rules(ruleset: Document) -> dict[tuple[str, ...], Any]:
        """Return what holds: a pair that is not named enters as the next lower one does."""
        named = (ruleset["fantasyland"]["enter"].get(each) for each in ENTRIES)
        entries = accumulate(named, lambda below, own: own or below)
        enter = {("fantasyland", "enter", each): cards for each, cards in zip(ENTRIES, entries, strict=True)}
        return leaves(ruleset) | enter

    for one in PRESETS.values():
        for other in PRESETS.values():
            before, after = dump_ruleset(one), dump_ruleset(other)
            shown = sum(field.differs for field in compare_fields(before, after))
            was, now = rules(before), rules(after)
            named = {("name",), ("version",)}
            low = ("fantasyland", "enter_low")
            expected = {path for path in {*was, *now} - named - {low} if was.get(path) != now.get(path)}
            assert shown == len(expected)


def test_two_rulesets_are_compared_in_words(visitor: Visitor) -> None:
    page = visitor.show("/rulesets/compare?from=pineapple&to=progressive")
    assert "3 of 55 fields are different" in text_of(page)
    assert [row[1:] for row in rows_of(section(page, "different"))] == [
        ["14", "15", "Different"],
        ["14", "16", "Different"],
        ["14", "17", "Different"],
    ]
    assert "Stakes Stacks count over" in text_of(page)
    same = visitor.show("/rulesets/compare?from=turbo&to=turbo")
    assert "The two rulesets have the same rules." in text_of(same)
    rows = json.loads(visitor.get("/rulesets/compare?from=pineapple&to=progressive&format=json").text)
    assert [row["to"] for row in rows if row["differs"]] == ["15", "16", "17"]


@pytest.mark.parametrize("query", ["from=unknown", "to=house@3", "from=pineapple@9"])
def test_an_unknown_ruleset_is_not_found(visitor: Visitor, query: str) -> None:
    assert visitor.get(f"/rulesets/compare?{query}").status_code == 404


def test_an_invalid_reference_is_explained(visitor: Visitor) -> None:
    response = visitor.get(f"/rulesets/compare?from={SCRIPT}")
    assert response.status_code in (400, 422)
    assert SCRIPT not in response.text


def test_a_ruleset_shows_its_versions_and_every_field(visitor: Visitor, api: Api) -> None:
    add_house_rules(api)
    add_house_rules(api, leaving="between_hands")
    page = text_of(visitor.show("/rulesets/house@1"))
    assert "Versions: house@1, house@2" in page
    assert "Players can leave and top uponly between rounds" in page
    assert "between hands" in text_of(visitor.show("/rulesets/house"))
    assert visitor.get("/rulesets/attic").status_code == 404


def test_rulesets_of_other_clubs_are_not_found(visitor: Visitor, other_api: Api) -> None:
    add_house_rules(other_api)
    for path in (
        "/rulesets/house@1",
        "/rulesets/compare?to=house@1",
        f"{NEW}?from=house@1",
        "/rulesets/what-if?ruleset=house@1",
    ):
        assert visitor.get(path).status_code == 404, path


def test_a_new_ruleset_is_previewed_before_it_is_stored(visitor: Visitor, api: Api, house: House) -> None:
    records = house.count_records()
    response = preview(visitor, name="house", fantasyland__enter__KK="15", points__foul_penalty="4")
    assert response.status_code == 200
    assert rows_of(section(parse(response), "changes")) == [
        ["Points Paid by a foul board", "6", "4"],
        *(
            [f"Fantasyland cards for the top row, and better ones {entry}", "14", "15"]
            for entry in ("KK", "AA", "trips")
        ),
    ]
    assert "Nothing is stored yet. house@1 would be a new ruleset." in text_of(parse(response))
    assert house.count_records() == records
    [form] = [
        each for each in parse(response).iter("form") if each.attrib["action"] == "/console/rulesets?from=pineapple@1"
    ]
    fields = {each.attrib["name"]: each.attrib.get("value", "") for each in form.iter("input")}
    stored = visitor.send("/rulesets?from=pineapple@1", fields)
    assert (stored.status_code, stored.location) == (303, "/console/rulesets/house@1")
    rules = api.get("/v1/rulesets/house@1").document
    expected = dump_ruleset(PRESETS["pineapple"])
    expected["points"]["foul_penalty"], expected["fantasyland"]["enter"]["KK"] = 4, 15
    assert rules == {**expected, "name": "house", "version": 1}


def test_the_same_name_makes_the_next_version(visitor: Visitor, api: Api) -> None:
    add_house_rules(api)
    form = form_of(visitor, f"{NEW}?from=house@1")
    assert form["name"] == "house"
    changed = form | {"leaving": "between_hands"}
    response = visitor.submit(f"{NEW}?from=house@1", "/rulesets/new?from=house@1", changed)
    assert "house@2 would be version 2." in text_of(parse(response))
    csrf = _csrf(visitor)
    assert store(visitor, csrf, changed).location == "/console/rulesets/house@2"
    again = store(visitor, csrf, changed)
    assert again.location == "/console/rulesets/house@2", "the same rules are stored once"


def _csrf(visitor: Visitor) -> str:
    return next(each.attrib["value"] for each in visitor.show().iter("input") if each.attrib["name"] == "csrf")


def test_rules_that_are_stored_already_are_named(visitor: Visitor, api: Api) -> None:
    add_house_rules(api)
    response = preview(visitor, name="house")
    assert "These rules are stored as house@1 already." in text_of(parse(response))
    assert [each for each in parse(response).iter("form") if "/rulesets?" in each.attrib["action"]] == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": "pineapple"}, "is a preset, which never changes; expected another name"),
        ({"name": ""}, "name"),
        ({"name": SCRIPT}, "small letters, digits and inner hyphens"),
        ({"points__row": "two"}, "points.row"),
        ({"points__row": ""}, "points.row"),
        ({"players__max": "40"}, "players"),
        ({"fantasyland__stay_cards": "3"}, "expected 13 to 17"),
        ({"fantasyland__enter__QQ": SCRIPT}, "fantasyland.enter.QQ"),
        ({"royalties__middle__ten_low": "2"}, "ten_low"),
        ({"fantasyland__enter_low__cards": "14"}, "both"),
        ({"variant": "sundays"}, "variant"),
        ({"table": "nowhere"}, "There is no table named 'nowhere'"),
    ],
)
def test_an_invalid_ruleset_is_explained_and_can_be_changed(
    visitor: Visitor, house: House, changes: dict[str, str], sentence: str
) -> None:
    records = house.count_records()
    response = preview(visitor, **changes)
    assert 400 <= response.status_code < 500
    page = parse(response)
    [notice] = [each for each in page.iter("div") if each.attrib.get("role") == "alert"]
    assert sentence in words(notice)
    assert SCRIPT not in response.text
    [(name, value)] = _dotted(changes).items()
    if name != "variant":
        assert [each.attrib["value"] for each in page.iter("input") if each.attrib["name"] == name] == [value]
    assert house.count_records() == records


def test_a_refused_store_changes_nothing(visitor: Visitor, house: House) -> None:
    csrf, form = _csrf(visitor), form_of(visitor)
    records = house.count_records()
    assert store(visitor, csrf, form | {"name": "turbo"}).status_code == 409
    assert store(visitor, csrf, {"name": "house"}).status_code == 422
    assert store(visitor, "0" * 64, form).status_code == 403
    assert house.count_records() == records


def test_the_form_needs_the_scope_of_tables(house: House, api: Api, visitor: Visitor) -> None:
    key = create_key(house.owner, stored_club(house, api), name="reader", scopes=("read",))
    reader = Visitor.signed_in(house, Api(house.app, key.secret))
    assert "New ruleset" not in text_of(reader.show("/rulesets"))
    assert "New ruleset" in text_of(visitor.show("/rulesets"))
    assert reader.get(NEW).status_code == 403
    form = form_of(visitor)
    for path in (NEW, "/rulesets"):
        assert reader.send(path, form | {"csrf": _csrf(reader)}).status_code == 403


def table_of(part: Element) -> list[list[str]]:
    """Return the cells of the table of a part of a page, with its header."""
    return [[words(cell) for cell in row] for row in part.iter("tr")]


def test_a_what_if_shows_who_would_have_won_more(visitor: Visitor, house: House, api: Api) -> None:
    round_id = in_fantasyland_for_money(api)
    rules = PRESETS["pineapple-2-4-us-none"]
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    with database_of(house).transaction(club_of(house, api)) as transaction:
        expected = replay_table(transaction, UUID(table), rules)
    path = f"/rulesets/what-if?table=money&ruleset={rules.name}"
    part = section(visitor.show(path), "what-if")
    assert any(each.change for each in expected.players)
    header, *shown = table_of(part)
    assert header == ["Player", "Difference in EUR", "Difference in points", "As recorded", f"Under {rules}"]
    euro = Unit("EUR", 2)
    assert shown == [
        [
            each.player,
            format_money_won(each.money[euro], euro),
            *map(format_signed, (each.change, each.before, each.after)),
        ]
        for each in expected.players
    ]
    table, sentence, rest = words(part).partition(
        "1 round with 2 hands was replayed from the same cards. Hands, top-ups"
    )
    assert sentence
    assert "Difference in EUR" in table, "the table comes before any sentence"
    assert rest.startswith(" and departures count as they were played.")
    rows = json.loads(visitor.get(path + "&format=json").text)
    assert [row["change"] for row in rows] == [each.change for each in expected.players]


def test_a_new_ruleset_is_tried_on_a_table_before_it_is_stored(visitor: Visitor, api: Api) -> None:
    complete_round(api)
    response = preview(visitor, name="house", points__scoop_bonus="5", table="kitchen")
    part = section(parse(response), "what-if")
    assert "Under house@1 at kitchen" in words(part)
    header, *shown = table_of(part)
    assert header[1] == "Difference in points"
    assert {row[0]: row[1] for row in shown} == {"ann": "+12", "bob": "0", "cyd": "−12"}


def test_a_what_if_has_a_column_for_each_unit_and_display_names(visitor: Visitor, api: Api) -> None:
    in_fantasyland_for_money(api)
    assert api.put("/v1/players/ann", {"display_name": "Ann Lee"}).status == 201
    in_dollars = document_of(table="money", hands=COMPLETE, point_value=25, unit="USD")
    assert post_document(api, in_dollars).status == 201
    header, *shown = table_of(section(visitor.show("/rulesets/what-if?table=money&ruleset=progressive"), "what-if"))
    assert header[1:4] == ["Difference in EUR", "Difference in USD", "Difference in points"]
    assert "Ann Lee ann" in [row[0] for row in shown]


def test_a_table_without_rounds_has_nothing_to_replay(visitor: Visitor, api: Api) -> None:
    add_table(api)
    assert "No round of the table has ended yet" in text_of(visitor.show("/rulesets/what-if?table=kitchen"))


def test_a_table_of_another_club_is_not_found(visitor: Visitor, other_api: Api) -> None:
    complete_round(other_api)
    assert visitor.get("/rulesets/what-if?table=kitchen").status_code == 404


def test_texts_are_never_markup(visitor: Visitor, api: Api) -> None:
    complete_round(api, name=SCRIPT)
    response = visitor.get("/rulesets/what-if", query_string={"table": SCRIPT})
    assert response.status_code == 200
    assert SCRIPT not in response.text
    assert f"at {SCRIPT}" in text_of(parse(response))
