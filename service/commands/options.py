"""Options and arguments that several commands have."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Final

import click

from service.config import default_directory
from service.errors import OperatorError

_DIRECTORY: Final = str(default_directory()).replace(str(Path.home()), "~")
_LONGEST: Final = 100
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONGEST_LIFE: Final = timedelta(days=3660)

data_option = click.option(
    "--data",
    "directory",
    type=click.Path(path_type=Path),
    help=f"Directory of the records and the first key.  [OFC_DATA; {_DIRECTORY}]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Answer as JSON, for scripts.")


def read_name(what: str, given: str) -> str:
    """
    Read a name that an operator gives: one line of text.

    Raises:
        OperatorError: it is empty, too long or has control characters.

    >>> read_name("The club's name", "home")
    'home'
    """
    from marshmallow import ValidationError

    from schemas.fields import Text

    try:
        name: str = Text(longest=_LONGEST).deserialize(given)
    except ValidationError as error:
        raise OperatorError(f"{what} {error.messages[0]}.") from None
    return name


def read_duration(what: str, given: str) -> timedelta:
    """
    Read how long something lasts: a number and a unit.

    Raises:
        OperatorError: it is no such thing, nothing at all, or more than ten years.

    >>> read_duration("The key's life", "90d")
    datetime.timedelta(days=90)
    """
    found = re.fullmatch(r"([1-9]\d{0,6})([mhdw])", given, re.ASCII)
    duration = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta(0)
    if not timedelta(0) < duration <= _LONGEST_LIFE:
        raise OperatorError(f"{what} is {given!r}; a number and m, h, d or w is right, as in 90d, up to ten years.")
    return duration
