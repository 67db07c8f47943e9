"""Options and arguments that several commands have."""

from pathlib import Path
from typing import Final

import click
from marshmallow import ValidationError

from schemas.fields import Text
from service.config import default_directory
from service.errors import OperatorError

_DIRECTORY: Final = str(default_directory()).replace(str(Path.home()), "~")
_LONGEST: Final = 100

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
    try:
        name: str = Text(longest=_LONGEST).deserialize(given)
    except ValidationError as error:
        raise OperatorError(f"{what} {error.messages[0]}.") from None
    return name
