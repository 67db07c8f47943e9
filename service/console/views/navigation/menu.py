"""The menu of the console: five subjects, and what a club sets up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flask import url_for

from service.clubs.scopes import KeyScope
from service.console.views.addresses import page_path
from service.console.views.session import allows


@dataclass(frozen=True, slots=True)
class Entry:
    """
    A page of the menu.

    Attributes:
        title: of the entry.
        endpoint: of the page.
        scopes: the key needs one of them.
        part: the part of the page that the entry leads to; None for the whole page.
    """

    title: str
    endpoint: str
    scopes: Sequence[KeyScope] = (KeyScope.READ,)
    part: str | None = None


SUBJECTS: Final[Sequence[tuple[str, Sequence[Entry]]]] = (
    ("Home", (Entry("Home", "console.show_home"),)),
    ("Disputes", (Entry("Disputes", "console.list_disputes"),)),
    ("Rounds", (Entry("Rounds", "console.list_rounds"),)),
    (
        "Money",
        (
            Entry("Balances", "console.show_money"),
            Entry("Statement", "console.show_club_statement"),
            Entry("Ledger", "console.list_ledger"),
            Entry("Claims", "console.list_claims"),
        ),
    ),
    ("Players", (Entry("Figures", "console.list_players"), Entry("Plots", "console.show_plots"))),
)
"""What a club does every day: each subject with its pages, the first of which the menu opens."""

CLUB: Final[Sequence[Entry]] = (
    Entry("Tables", "console.list_tables"),
    Entry("Units", "console.list_tables", part="units"),
    Entry("Rulesets", "console.list_rulesets"),
    Entry("Jobs", "console.list_jobs", (KeyScope.READ, KeyScope.IMPORTS, KeyScope.RECOMPUTE)),
    Entry("Links", "console.list_links", (KeyScope.WRITE, KeyScope.ADMIN)),
    Entry("Keys", "console.list_keys", (KeyScope.ADMIN,)),
    Entry("Webhooks", "console.list_webhooks", (KeyScope.WEBHOOKS,)),
    Entry("Audit trail", "console.list_events", (KeyScope.READ, KeyScope.AUDIT)),
)
"""What a club sets up, and what it looks up: the entries of the menu “Club”."""


@dataclass(frozen=True, slots=True)
class Link:
    """
    A link of the menu.

    Attributes:
        title: of the link.
        address: of its page.
        is_here: whether the page of the request is this page, or one below it.
    """

    title: str
    address: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Menu:
    """
    The menu as a key sees it.

    Attributes:
        subjects: the subjects.
        club: the entries of the menu “Club”.
        subject: the subject of the page.
        tabs: the pages of the subject, if the page is one of several.
    """

    subjects: Sequence[Link]
    club: Sequence[Link]
    subject: str | None
    tabs: Sequence[Link]

    @property
    def is_in_club(self) -> bool:
        """Whether the page of the request belongs to the menu “Club”."""
        return any(each.is_here for each in self.club)


def find_first_page() -> str | None:
    """Return the address of the first page that the key can open; None if there is none."""
    entries = (*(entry for _, pages in SUBJECTS for entry in pages), *CLUB)
    return next((url_for(entry.endpoint) for entry in entries if allows(*entry.scopes)), None)


def read_menu() -> Menu:
    """Return the menu for the key and the page of the request."""
    subjects: list[Link] = []
    subject, tabs = None, []
    for title, entries in SUBJECTS:
        pages = [_link(entry) for entry in entries if allows(*entry.scopes)]
        if not pages:
            continue
        is_here = any(page.is_here for page in pages)
        subject = title if is_here else subject
        subjects.append(Link(title, pages[0].address, is_here))
        if len(pages) > 1 and page_path() in [page.address for page in pages]:
            tabs = [Link(page.title, page.address, page_path() == page.address) for page in pages]
    return Menu(subjects, [_link(entry) for entry in CLUB if allows(*entry.scopes)], subject, tabs)


def _link(entry: Entry) -> Link:
    page, here = url_for(entry.endpoint), page_path()
    is_here = here == page or (not page.endswith("/") and here.startswith(f"{page}/"))
    return Link(entry.title, url_for(entry.endpoint, _anchor=entry.part), is_here and entry.part is None)
