"""The command that draws plots of what was played. Statistics as text are a row of the table of commands."""

from pathlib import Path
from typing import Any, Final, Literal

import click

from client.commands.base import (
    Command,
    NamedPath,
    Period,
    Session,
    overwrite_option,
    pass_session,
    period_options,
    refuse_output,
)
from client.commands.names import complete_players, complete_rounds, complete_tables
from client.files import STDIN as STDOUT
from client.files import standard_output, write_file
from client.lookup import find_round, find_table

PlotForm = Literal["image/svg+xml", "text/csv"]
_PLOTS: Final = ("caps", "distribution", "fouls", "head-to-head", "net", "sources", "stacks")
_FORMS: Final[dict[str, PlotForm]] = {".svg": "image/svg+xml", ".csv": "text/csv"}
_SVG: Final = _FORMS[".svg"]
_CSV: Final = _FORMS[".csv"]


@click.command(
    cls=Command,
    examples=[
        "ofc plot net november.svg --from 2026-11-01 --to 2026-12-01",
        "ofc plot net friday.svg --table friday --highlight ann",
        "ofc plot stacks last-evening.svg --table kitchen",
        "ofc plot fouls - --csv --player ann",
    ],
)
@click.argument("name", type=click.Choice(_PLOTS))
@click.argument("file", type=NamedPath(), metavar="FILE")
@click.option(
    "--round", "round_", help="Only this round, by its id or its table's name.", shell_complete=complete_rounds
)
@click.option("--table", help="Only rounds at this table, by its name or id.", shell_complete=complete_tables)
@click.option("--player", help="Only the figures of this player.", shell_complete=complete_players)
@click.option("--highlight", help="The player whose line is in color.", shell_complete=complete_players)
@period_options
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV, for a FILE that does not end with .svg or .csv.")
@overwrite_option
@pass_session
def plot(
    session: Session,
    name: Any,
    file: Path,
    round_: str | None,
    table: str | None,
    player: str | None,
    highlight: str | None,
    period: Period,
    as_csv: bool,
    overwrites: bool,
) -> None:
    """
    Draw a plot of what was played, as an SVG or CSV file.

    FILE ends with .svg or .csv; - prints to the standard output. The plots are: stacks after each hand, net points over
    time, points by their sources, points head-to-head, points due and paid (caps), the rate of fouls with its interval,
    and the distribution of points in a hand. stacks is of a round, or of the newest evening at a table.

    The SVG file has a line for the 8 players with the most hands, and the others as a band. The CSV file has all.
    """
    output = None if str(file) == STDOUT else file
    form = _find_form(file, as_csv=as_csv)
    refuse_output(output, overwrites=overwrites)
    with session.client() as client:
        query: dict[str, Any] = {
            "round": None if round_ is None else find_round(client, round_)["id"],
            "table": None if table is None else find_table(client, table)["id"],
            "player": player,
            "highlight": highlight,
            **period.find(client),
        }
        content = client.get_plot_as(form, name, **query).content
    if output is not None:
        write_file(output, content, overwrites=overwrites)
        return
    printer = standard_output()
    printer.write(content)
    printer.flush()


def _find_form(file: Path, *, as_csv: bool) -> PlotForm:
    """Return the content type of a file by its ending, or by --csv for the standard output."""
    if str(file) == STDOUT:
        return _CSV if as_csv else _SVG
    form = _FORMS.get(file.suffix.lower())
    if form is None and not as_csv:
        raise click.UsageError(f"{file} ends with neither .svg nor .csv; expected one of them, or --csv")
    if form == _SVG and as_csv:
        raise click.UsageError(f"--csv was given, but {file} ends with .svg; expected one form")
    return form or _CSV
