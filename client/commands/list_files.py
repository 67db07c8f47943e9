"""Lists as files: the options of commands that print or write a list as CSV or Parquet, and how they do it."""

import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final, Literal

import click

from client.api import Client
from client.commands.base import NamedPath, print_waiting, refuse_output
from client.files import atomic_write, standard_output
from client.import_export import csv_pages, retry_until_available
from client.parameters import PARAMETERS
from client.render.console import make_console
from client.render.format import plural
from client.responses import Content

Form = Literal["csv", "parquet"]
_PARQUET: Final = "application/vnd.apache.parquet"


def file_options(*, has_parquet: bool) -> list[click.Parameter]:
    """Return the options of a list that can be a file."""
    options: list[click.Parameter] = [
        click.Option(["--csv", "as_csv"], is_flag=True, help="Print all as CSV, for spreadsheets.")
    ]
    if has_parquet:
        forms = click.Choice(["csv", "parquet"])
        text = "Print all as CSV, or write them as Parquet, for pandas, DuckDB and Spark."
        options.append(click.Option(["--format", "form"], type=forms, help=text))
    how = "--csv or --format" if has_parquet else "--csv"
    return [
        *options,
        click.Option(["-o", "--output"], type=NamedPath(), metavar="FILE", help=f"A file to write, with {how}."),
        click.Option(["--overwrite", "overwrites"], is_flag=True, help="Overwrite an existing file."),
    ]


def find_form(values: Mapping[str, Any]) -> Form | None:
    """
    Return the form in which a list is wanted as a file, from the values of the options.

    >>> find_form({"as_csv": True}), find_form({"as_csv": False, "form": "parquet"}), find_form({})
    ('csv', 'parquet', None)
    """
    return "csv" if values.get("as_csv") else values.get("form")


def check_file_options(values: Mapping[str, Any], *, has_parquet: bool) -> None:
    """
    Check the options of a list against each other, before anything is sent.

    Raises:
        UsageError: two contradict each other, or one is missing.
    """
    chosen = {"--csv": values["as_csv"], "--format": values.get("form"), "--json": values["as_json"]}
    options = [option for option, value in chosen.items() if value]
    if len(options) > 1:
        raise click.UsageError(f"{options[0]} and {options[1]} were given; expected one of them")
    form = find_form(values)
    if values["output"] is not None and form is None:
        needed = "--csv or --format; expected one of them" if has_parquet else "--csv; expected both"
        raise click.UsageError(f"--output was given without {needed}")
    if form == "parquet":
        refuse_terminal(values["output"])
    refuse_output(values["output"], overwrites=values["overwrites"])


def refuse_terminal(output: Path | None) -> None:
    """
    Check that a Parquet file is not printed on a terminal.

    Raises:
        UsageError: it would be.
    """
    if output is None and sys.stdout.isatty():
        raise click.UsageError("Parquet is no text for a terminal; name a file with -o")


def fetch_parquet(call: Callable[..., Content], query: Mapping[str, Any]) -> bytes:
    """
    Return a list as a Parquet file.

    Args:
        call: the method of the client that returns the list in another form.
        query: the filters.
    """
    return retry_until_available(print_waiting, call, _PARQUET, **query).content


def write_file(
    client: Client, form: Form, operation: str, items: str, query: Mapping[str, Any], values: Mapping[str, Any]
) -> None:
    """
    Print a list as a file, or write it to one.

    Args:
        client: the service.
        form: of the file.
        operation: the operation of the list.
        items: what the list has, in the plural.
        query: the filters.
        values: the options.
    """
    output: Path | None = values["output"]
    to = nullcontext(standard_output()) if output is None else atomic_write(output, overwrites=values["overwrites"])
    call = getattr(client, f"{operation}_as")
    lines = 0
    with to as file:
        if form == "parquet":
            file.write(fetch_parquet(call, query))
        else:
            is_paged = any(each.name == "limit" for each in PARAMETERS[operation])
            for page in csv_pages(call, query, print_waiting, is_paged=is_paged):
                file.write(page.content)
                lines += page.content.count(b"\r\n")
        file.flush()
    if output is not None and form == "csv":
        make_console().print(f"{plural(lines - 1, items.removesuffix('s'))} exported")
