"""What a violated constraint means."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import IntegrityError

from service.database import conflict_of
from service.errors import ServiceError


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
