"""Pages of lists, and the meaning of violated constraints."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from sqlalchemy.exc import IntegrityError

from service.db import conflict_of
from service.errors import ServiceError


class Identified(Protocol):
    """What is listed has an id, and lists are in the order of ids."""

    @property
    def id(self) -> UUID:
        """Its id."""


T = TypeVar("T", bound=Identified)
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Page(Generic[U]):
    """Some of a list, and the id after which it goes on; None where it does not."""

    items: list[U]
    next_after: UUID | None


def cut_page(found: Sequence[T], limit: int, view: Callable[[T], U]) -> Page[U]:
    """Make a page of what a query for one more than the page found."""
    shown = found[:limit]
    return Page([view(item) for item in shown], shown[-1].id if len(found) > limit else None)


@contextmanager
def conflicts(**by_constraint: ServiceError) -> Iterator[None]:
    """
    Turn the violation of a constraint into the conflict that it means; the transaction can then only be rolled back.

    Raises:
        ServiceError: the one given for the constraint's name.
    """
    try:
        yield
    except IntegrityError as error:
        conflict = conflict_of(error, by_constraint)
        if conflict is None:
            raise
        raise conflict from error
