"""Pages of lists."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from uuid import UUID


class Identified(Protocol):
    """An item of a list. Lists are in the order of IDs."""

    @property
    def id(self) -> UUID:
        """The ID of the item."""


T = TypeVar("T", bound=Identified)
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Page(Generic[U]):
    """A part of a list, and the ID after which the next page starts; None on the last page."""

    items: list[U]
    next_after: UUID | None


def cut_page(items: Sequence[T], limit: int, view: Callable[[T], U]) -> Page[U]:
    """Return a page of a query's result; the query asks for one item more than `limit`."""
    shown = items[:limit]
    return Page([view(item) for item in shown], shown[-1].id if len(items) > limit else None)
