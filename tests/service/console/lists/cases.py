"""The lists of the console, and how tests fill them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from schemas.rulesets import dump_ruleset
from scoring.presets import PRESETS
from service.clubs.actions import create_key
from service.console.views.accounting.claims import CLAIMS
from service.console.views.accounting.ledger import LEDGER
from service.console.views.accounting.money import PAYMENTS
from service.console.views.audit import EVENTS
from service.console.views.disputes.lists import DISPUTES
from service.console.views.findings import FINDINGS
from service.console.views.jobs import DIFFERENCES, JOBS, LINES
from service.console.views.keys import KEYS, SESSIONS
from service.console.views.links import LINKS
from service.console.views.listing import Listing
from service.console.views.players import PLAYERS
from service.console.views.proposals.pages import PROPOSALS
from service.console.views.rounds.lists import ROUNDS
from service.console.views.rulesets import RULESETS
from service.console.views.tables import TABLES
from service.console.views.webhooks import DELIVERIES, WEBHOOKS
from tests.service.console.sentences.test_findings import finding, verified
from tests.service.console.test_jobs import imported, started, work_on
from tests.service.console.test_rulesets import add_house_rules
from tests.service.console.test_webhooks import URL, add
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.feed.test_api_feed import join
from tests.service.links.linked_table import issue
from tests.support.api_client import Api
from tests.support.api_disputes import opened, step
from tests.support.application import House
from tests.support.auditors import proposed, withdraw
from tests.support.browser.console_visitor import Visitor
from tests.support.process_jobs import rounds_to_import
from tests.support.sample_rounds import add_table, complete_round
from tests.support.worker_process import lines_of

OTHER_RULES = "pineapple-2-4-us-none"
Add = Callable[[House, Api, range], str]
"""Adds rows of these numbers to a list, and returns the path of its page."""


@dataclass(frozen=True)
class Case:
    """
    A list, and how to fill it.

    Attributes:
        listing: the list.
        add: adds rows.
        shown: the column of the files whose values the rows of the page have too.
        some: a query with which the list has some of the rows.
        nothing: a query with which it has none.
        others: further queries for which the number of statements is compared.
        item: the column of the files that identifies a row of the page, if a row has several lines in the files.
    """

    listing: Listing[Any]
    add: Add
    shown: str
    some: str = ""
    nothing: str = ""
    others: tuple[str, ...] = ()
    item: str | None = None


def add_rounds(path: str) -> Add:
    def add_numbered(_: House, api: Api, numbers: range) -> str:
        for number in numbers:
            sitting = {1: "ann 100", 2: f"bob{number} 100", 3: f"cyd{number} 100"}
            complete_round(api, name=f"table {number}", sitting=sitting, point_value=10, unit="EUR")
        return path

    return add_numbered


def add_keys(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        create_key(house.owner, stored_club(house, api), name=f"key {number}", scopes=("read",))
    return "/keys"


def add_sessions(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        key = create_key(house.owner, stored_club(house, api), name=f"key {number}", scopes=("read",))
        visitor = Visitor.signed_in(house, Api(house.app, key.secret))
        if number == 0:
            visitor.submit("/", "/sign-out", {})
    return "/keys/sessions"


def add_links(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        issue(api, add_table(api, name=f"table {number}"), kind="viewer", label=f"screen {number}")
    return "/links"


def add_webhooks(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        add(api, url=f"{URL}/{number}")
    return "/webhooks"


def add_deliveries(_: House, api: Api, numbers: range) -> str:
    webhook = add(api, url=f"{URL}/{uuid4()}")["id"]
    for _number in numbers:
        assert api.request("POST", f"/v1/webhooks/{webhook}/test").status == 202
    return f"/webhooks/{webhook}"


def add_imports(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        page = imported(Visitor.signed_in(house, api), lines_of(rounds_to_import(1)) + b"{}\n" * number)
        if number == 0:
            work_on(house, api, page)
    return "/jobs"


def add_recomputations(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        page = started(Visitor.signed_in(house, api), reason=f"check {number}")
        if number == 0:
            work_on(house, api, page)
    return "/jobs?kind=recomputation"


def add_lines(house: House, api: Api, numbers: range) -> str:
    content = lines_of(rounds_to_import(1)) + b"{}\n" * (len(numbers) - 1) + f"{{{' ' * numbers.stop}\n".encode()
    page = imported(Visitor.signed_in(house, api), content)
    if numbers:
        work_on(house, api, page)
    return page


def add_differences(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        complete_round(api, name=f"table {number}")
    page = started(Visitor.signed_in(house, api), ruleset=OTHER_RULES, reason=f"to {numbers.stop}")
    work_on(house, api, page)
    return page


def add_disputes(tab: str) -> Add:
    def add_in_state(_: House, api: Api, numbers: range) -> str:
        for number in numbers:
            dispute = opened(api, complete_round(api, name=f"table {number}"), claim=f"claim {number}")
            if tab != "open":
                step(api, dispute, "review")
            if tab == "decided":
                step(api, dispute, "resolve")
        return f"/disputes?tab={tab}"

    return add_in_state


def add_events(house: House, api: Api, numbers: range) -> str:
    for number in numbers:
        add_table(api, name=f"table {number}")
    if numbers:
        join(house, api)
    return "/audit"


def add_payments(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        complete_round(api, name=f"table {number}", point_value=10, unit="EUR")
        payer = "cyd" if number % 2 else "bob"
        paid = {"payer": payer, "payee": "ann", "unit": "EUR", "amount": 100, "reference": f"paid {number}"}
        assert api.post("/v1/payments", paid).status == 201
    return "/money"


def add_proposals(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        path = proposed(api, complete_round(api, name=f"table {number}"), reason=f"misread {number}")
        if number == 0:
            withdraw(api, path)
    return "/proposals"


def add_claims(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        complete_round(api, name=f"table {number}", point_value=10, unit="EUR")
        payer = "cyd" if number % 2 else "bob"
        paid = {"payer": payer, "payee": "ann", "unit": "EUR", "amount": 100, "reference": f"claimed {number}"}
        claimed = api.post("/v1/payment-claims", paid)
        assert claimed.status == 201
        if number == 1:
            assert api.post(f"/v1/payment-claims/{claimed['id']}/withdraw", None).status == 201
    return "/money/claims"


def add_rulesets(_: House, api: Api, numbers: range) -> str:
    for number in numbers:
        add_house_rules(api, points=dump_ruleset(PRESETS["pineapple"])["points"] | {"scoop_bonus": number + 5})
    return "/rulesets"


def add_findings(house: House, api: Api, numbers: range) -> str:
    verified(house, api, [finding(number, UUID(int=number + 1)) for number in range(numbers.stop)])
    return "/findings"


CASES = {
    "tables": Case(TABLES, add_rounds("/tables"), "name", "name=LE 1", "name=100%"),
    "rounds": Case(
        ROUNDS, add_rounds("/rounds"), "table", "player=bob1", "from=2100-01-01", ("unusual=true",), "round"
    ),
    "players": Case(PLAYERS, add_rounds("/players"), "player", "name=BOB", "name=nobody", ("sort=hands",)),
    "ledger": Case(LEDGER, add_rounds("/ledger"), "payer", "player=bob1", "kind=reversal"),
    "payments": Case(PAYMENTS, add_payments, "reference", "player=bob", "unit=USD"),
    "proposals": Case(PROPOSALS, add_proposals, "reason", "state=withdrawn", "state=confirmed"),
    "claims": Case(CLAIMS, add_claims, "reference", "player=bob", "state=declined", ("state=pending",)),
    "keys": Case(KEYS, add_keys, "name"),
    "sessions": Case(SESSIONS, add_sessions, "key_name", "state=ended"),
    "links": Case(LINKS, add_links, "label", "table=table 1", "kind=player"),
    "webhooks": Case(WEBHOOKS, add_webhooks, "url"),
    "deliveries": Case(DELIVERIES, add_deliveries, "kind", nothing="state=delivered"),
    "imports": Case(JOBS["import"], add_imports, "state", "state=succeeded", "state=failed"),
    "recomputations": Case(JOBS["recomputation"], add_recomputations, "reason", "state=succeeded", "state=failed"),
    "lines": Case(LINES, add_lines, "line", "status=refused", "status=stored"),
    "differences": Case(DIFFERENCES, add_differences, "round"),
    **{
        f"{tab} disputes": Case(
            listing, add_disputes(tab), "claim", "table=table 1", "reviewer=nobody", ("unusual=true", "sort=money")
        )
        for tab, listing in DISPUTES.items()
    },
    "events": Case(EVENTS[True], add_events, "kind", "table=table 1", f"round={UUID(int=0)}"),
    "findings": Case(
        FINDINGS, add_findings, "sentence", f"round={UUID(int=1)}", f"round={UUID(int=0)}", ("state=new",)
    ),
    "rulesets": Case(RULESETS, add_rulesets, "ruleset"),
}
