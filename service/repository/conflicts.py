"""What a violated constraint means."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import IntegrityError

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
        diagnosis = getattr(error.orig, "diag", None)
        conflict = by_constraint.get(diagnosis.constraint_name) if diagnosis else None
        if conflict is None:
            raise
        raise conflict from error
