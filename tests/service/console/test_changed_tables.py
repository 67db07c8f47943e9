"""The forms on the page of a table, and archived tables in the lists of the console."""

import pytest

from tests.service.console.test_disputes import csrf_of
from tests.service.console.test_signing_in import signed_in_with
from tests.support.api_client import Api, Document
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, rows_of, table_cells, text_of
from tests.support.race import at_once
from tests.support.sample_rounds import add_table, close, complete_round, open_round

MONEY = {"point_value": 20, "unit": "EUR"}


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.fixture
def table(api: Api) -> str:
    return add_table(api, **MONEY, minimum_stack=20)


def hidden_of(visitor: Visitor, page: str) -> dict[str, str]:
    """Return the hidden fields of the form that changes a table."""
    [form] = [each for each in visitor.show(page).iter("form") if each.attrib["action"].endswith("/edit")]
    return {each.attrib["name"]: each.attrib["value"] for each in form.iter("input") if each.get("type") == "hidden"}


def read(api: Api, table: str) -> Document:
    return dict(api.get(f"/v1/tables/{table}").document)


def test_a_table_is_created_once_however_often_the_form_is_sent(visitor: Visitor, api: Api) -> None:
    form = {"name": " attic ", "ruleset": "turbo", "point_value": "0.20", "unit": "EUR", "minimum_stack": ""}
    created, again = (visitor.submit("/tables/new", "/tables/new", form) for _ in range(2))
    assert created.location == again.location
    table = read(api, created.location.rpartition("/")[2])
    assert (table["name"], table["ruleset"], table["minimum_stack"]) == ("attic", "turbo@1", None)
    assert (table["point_value"], table["unit"]) == (20, "EUR")


def test_a_table_is_created_with_its_first_round(house: House, visitor: Visitor, api: Api) -> None:
    players = {"player1": "ann", "player2": "", "player4": " cyd "}
    form = {"name": "attic", "ruleset": "turbo", "stack": "150", **players}
    created, again = (visitor.submit("/tables/new", "/tables/new", form) for _ in range(2))
    assert created.location == again.location
    [round_] = api.get("/v1/rounds")["rounds"]
    assert created.location.endswith(round_["table"])
    seats = [(each["seat"], each["player"], each["opening_stack"]) for each in round_["seats"]]
    assert seats == [(1, "ann", 150), (4, "cyd", 150)]
    # They are known from now on, and every game is there in words.
    shown = visitor.show("/tables/new")
    assert {"ann", "cyd"} <= {each.get("value") for each in shown.iter("option")}
    assert "Pineapple, Fantasyland from queens (pineapple)" in text_of(shown)
    refused = visitor.submit("/tables/new", "/tables/new", {**form, "name": "cellar", "stack": "0"})
    assert refused.status_code == 422
    assert len(api.get("/v1/tables")["tables"]) == 1
    # A key that records nothing creates tables without a round.
    other = signed_in_with(house, api, "tables")
    assert "First round" not in text_of(other.show("/tables/new"))
    assert (
        other.send("/tables/new", {**form, "name": "cellar", "csrf": csrf_of(other.show("/tables/new"))}).status_code
        == 403
    )
    assert len(api.get("/v1/tables")["tables"]) == 1


def test_a_table_with_an_open_round_of_others_is_not_that_of_the_form(visitor: Visitor, api: Api) -> None:
    form = {"name": "attic", "ruleset": "turbo", "stack": "150", "player1": "ann", "player2": "ben"}
    assert visitor.submit("/tables/new", "/tables/new", form).status_code == 303
    for other in ({"player2": "cyd"}, {"player3": "cyd"}, {"stack": "200"}, {"player1": "ben", "player2": "ann"}):
        refused = visitor.submit("/tables/new", "/tables/new", form | other)
        assert refused.status_code == 409, other
        assert "Another table has this name. Choose another one." in text_of(parse(refused))
    assert len(api.get("/v1/rounds")["rounds"]) == 1


def test_the_form_opens_no_second_round_after_the_first_has_ended(visitor: Visitor, api: Api) -> None:
    form = {"name": "attic", "ruleset": "turbo", "stack": "150", "player1": "ann", "player2": "ben"}
    created = visitor.submit("/tables/new", "/tables/new", form)
    [round_] = api.get("/v1/rounds")["rounds"]
    assert close(api, round_["id"]).status == 200
    again = visitor.submit("/tables/new", "/tables/new", form)
    assert (again.status_code, again.location) == (303, created.location)
    refused = visitor.submit("/tables/new", "/tables/new", form | {"player2": "cyd"})
    assert refused.status_code == 409
    assert "Another table has this name. Choose another one." in text_of(parse(refused))
    assert len(api.get("/v1/rounds")["rounds"]) == 1


def test_a_double_tap_creates_one_table_and_opens_one_round(house: House, api: Api) -> None:
    form = {"name": "attic", "ruleset": "turbo", "stack": "150", "player1": "ann", "player2": "ben"}
    visitors = [Visitor.signed_in(house, api) for _ in range(2)]
    forms = [form | {"csrf": csrf_of(each.show("/tables/new"))} for each in visitors]

    def send(place: int) -> str:
        return visitors[place].send("/tables/new", forms[place]).location

    first, second = at_once(lambda: send(0), lambda: send(1))
    assert first == second
    assert len(api.get("/v1/rounds")["rounds"]) == 1


def test_a_table_that_is_refused_is_shown_again_with_the_reason(visitor: Visitor, api: Api) -> None:
    form = {"name": "attic", "ruleset": "turbo", "point_value": "20", "unit": ""}
    refused = visitor.submit("/tables/new", "/tables/new", form)
    assert refused.status_code == 422
    document = parse(refused)
    assert "Choose a unit for the value of a point." in text_of(document)
    [name] = [each for each in document.iter("input") if each.get("name") == "name"]
    assert name.get("value") == "attic"
    assert api.get("/v1/tables")["tables"] == []


@pytest.mark.smoke
def test_a_table_is_changed_on_its_page(visitor: Visitor, api: Api, table: str) -> None:
    before, page = read(api, table), f"/tables/{table}"
    form = {
        "name": " attic ",
        "ruleset": "turbo",
        "point_value": "",
        "unit": "",
        "minimum_stack": "40",
        "correction_window_minutes": "5",
    }
    assert visitor.submit(page, "/edit", form).location == f"/console{page}"
    changed = {"name": "attic", "ruleset": "turbo@1", "minimum_stack": 40, "correction_window_minutes": 5}
    without_money = {"point_value": None, "unit": None, "unit_digits": None}
    assert read(api, table) == {**before, **changed, **without_money}
    assert "points only" in text_of(visitor.show(page))


def test_only_what_differs_from_the_page_is_changed(visitor: Visitor, api: Api, table: str) -> None:
    page = f"/tables/{table}"
    opened = hidden_of(visitor, page)
    assert api.patch(f"/v1{page}", {"minimum_stack": 50, "name": "loft"}).status == 200
    form = {**opened, "name": "kitchen", "ruleset": "turbo", "minimum_stack": "20"}
    assert visitor.send(f"{page}/edit", form).location == f"/console{page}"
    changed = read(api, table)
    assert (changed["name"], changed["ruleset"], changed["minimum_stack"]) == ("loft", "turbo@1", 50)


def test_the_reference_and_the_metadata_of_a_table_are_shown_and_changed(
    visitor: Visitor, api: Api, table: str
) -> None:
    page = f"/tables/{table}"
    form = {"reference": "room-1/3", "metadata": "city=Lyon\r\nfloor = second\r\n"}
    assert visitor.submit(page, "/edit", form).location == f"/console{page}"
    changed = read(api, table)
    assert (changed["reference"], changed["metadata"]) == ("room-1/3", {"city": "Lyon", "floor": "second"})
    shown = text_of(visitor.show(page))
    assert all(text in shown for text in ("room-1/3", "city", "Lyon", "floor", "second"))
    opened = hidden_of(visitor, page)
    assert api.patch(f"/v1{page}", {"metadata": {"city": "Nice"}}).status == 200
    assert visitor.send(f"{page}/edit", {**opened, "metadata": opened["shown:metadata"]}).location
    assert read(api, table)["metadata"] == {"city": "Nice"}
    refused = visitor.submit(page, "/edit", {"metadata": "the city=Lyon"})
    assert refused.status_code == 422
    [entries] = parse(refused).iter("textarea")
    assert (entries.text or "").strip() == "the city=Lyon"
    assert visitor.submit(page, "/edit", {"metadata": ""}).location
    assert read(api, table)["metadata"] == {}


@pytest.mark.parametrize(
    ("changed", "status", "message"),
    [
        ({"name": "attic"}, 409, "Another table has this name. Choose another one."),
        ({"name": ""}, 422, "the name"),
        ({"ruleset": "omaha"}, 422, "The rules are not known to the service."),
        ({"point_value": ""}, 422, "Give the value of a point in this unit."),
        ({"unit": ""}, 422, "Choose a unit for the value of a point."),
        ({"minimum_stack": "a few"}, 422, "the minimum stack is 'a few'"),
        ({"correction_window_minutes": "-1"}, 422, "the correction window is '-1'"),
    ],
)
def test_a_refused_change_is_shown_at_the_form(
    visitor: Visitor, api: Api, table: str, changed: dict[str, str], status: int, message: str
) -> None:
    add_table(api, name="attic")
    before, page = read(api, table), f"/tables/{table}"
    response = visitor.submit(page, "/edit", {"minimum_stack": "30", **changed})
    assert response.status_code == status
    document = parse(response)
    [form] = [each for each in document.iter("form") if each.attrib["action"].endswith("/edit")]
    [notice] = [each for each in document.iter() if each.attrib.get("role") == "alert"]
    assert notice in list(form.iter())
    assert message in "".join(notice.itertext())
    values = {each.attrib["name"]: each.attrib.get("value") for each in form.iter("input")}
    assert {name: values[name] for name in changed} == changed
    assert read(api, table) == before


def test_a_table_is_archived_and_brought_back(visitor: Visitor, api: Api, table: str) -> None:
    page = f"/tables/{table}"
    assert visitor.submit(page, "/archive", {"is_archived": "true"}).location == f"/console{page}"
    assert read(api, table)["archived_at"] is not None
    assert "Archived" in text_of(visitor.show(page))
    assert "Bring the table back" in text_of(visitor.show(page))
    visitor.submit(page, "/archive", {"is_archived": "false"})
    assert read(api, table)["archived_at"] is None
    round_id = open_round(api, table)["id"]
    refused = visitor.submit(page, "/archive", {"is_archived": "true"})
    assert refused.status_code == 409
    assert round_id in text_of(parse(refused))
    form = {"csrf": csrf_of(visitor.show(page)), "is_archived": "perhaps"}
    assert visitor.send(f"{page}/archive", form).status_code == 422


def test_a_key_without_the_scope_sees_no_forms(house: House, api: Api, table: str) -> None:
    page = signed_in_with(house, api, "read").show(f"/tables/{table}")
    assert "Change the table" not in text_of(page)
    assert [each for each in page.iter("form") if each.attrib["action"].endswith(("/edit", "/archive"))] == []


def test_archived_tables_are_a_list_of_their_own(visitor: Visitor, api: Api) -> None:
    archived, other = add_table(api, name="old"), add_table(api, name="new")
    assert api.patch(f"/v1/tables/{archived}", {"is_archived": True}).status == 200
    assert [cells[0] for cells in table_cells(visitor.show("/tables"), "Tables")[1:]] == ["new"]
    [shown] = table_cells(visitor.show("/tables?archived=true"), "Tables")[1:]
    assert (shown[0], shown[3]) == ("old", "archived")
    [row] = rows_of(visitor.get("/tables?archived=true&format=csv"))
    assert row["id"] == archived
    assert row["archived_at"]
    assert [row["id"] for row in rows_of(visitor.get("/tables?format=csv"))] == [other]


def test_lists_find_an_archived_table_by_its_id_and_its_successor_by_the_name(visitor: Visitor, api: Api) -> None:
    first = complete_round(api)
    archived = api.get(f"/v1/rounds/{first}")["table"]
    assert api.patch(f"/v1/tables/{archived}", {"is_archived": True}).status == 200
    second = complete_round(api)
    for known_as, round_id in (("kitchen", second), (archived, first)):
        assert {row["round"] for row in rows_of(visitor.get(f"/rounds?table={known_as}&format=csv"))} == {round_id}
        assert {row["round"] for row in rows_of(visitor.get(f"/ledger?table={known_as}&format=csv"))} == {round_id}
    page = visitor.show(f"/tables/{archived}")
    links = {each.attrib["href"] for each in page.iter("a")}
    assert f"/console/ledger?table={archived}" in links
    filters = {each.attrib["href"] for each in visitor.show("/rounds").iter("a")}
    assert {f"/console/rounds?table={archived}", "/console/rounds?table=kitchen"} <= filters
