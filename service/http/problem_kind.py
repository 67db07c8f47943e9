from dataclasses import dataclass
from http import HTTPStatus


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of problem: its status, its title, and what to do about it."""

    status: HTTPStatus
    title: str
    advice: str
