"""The command that lists payments between players."""

from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import click

from client.commands.base import (
    Command,
    NamedPath,
    Period,
    Session,
    json_option,
    overwrite_option,
    pass_session,
    period_options,
    print_json,
    print_waiting,
    refuse_output,
)
from client.commands.names import complete_players, table_option
from client.files import atomic_write, standard_output
from client.import_export import ledger_pages
from client.lookup import find_table
from client.render.console import make_console
from client.render.format import plural
from client.render.ledger import show_ledger


@click.command(
    cls=Command,
    examples=[
        "ofc ledger --from today",
        "ofc ledger --table kitchen --player ann",
        "ofc ledger --from 2026-11-01 --to 2026-12-01 --csv -o november.csv",
    ],
)
@table_option
@click.option("--player", help="Only from or to this player.", shell_complete=complete_players)
@period_options
@click.option(
    "--limit", type=click.IntRange(1), default=100, show_default=True, help="Maximum number of items, not as CSV."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print all payments as CSV, for spreadsheets.")
@click.option("-o", "--output", type=NamedPath(), metavar="FILE", help="A file to write, with --csv.")
@overwrite_option
@json_option
@pass_session
def ledger(
    session: Session,
    table: str | None,
    player: str | None,
    period: Period,
    limit: int,
    as_csv: bool,
    output: Path | None,
    overwrites: bool,
    as_json: bool,
) -> None:
    """
    List payments between players, oldest first.

    The payments are those of the revisions in force, so they follow corrections. For each: when and where it was made,
    what was due and what was paid after caps, in points and in money.
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json were given; expected one of them")
    if output is not None and not as_csv:
        raise click.UsageError("--output was given without --csv; expected both")
    refuse_output(output, overwrites=overwrites)
    with session.client(is_patient=as_csv, reports_waiting=not as_csv) as client:
        table_id = None if table is None else find_table(client, table)["id"]
        wanted: dict[str, Any] = {"table": table_id, "player": player, **period.find(client)}
        if as_csv:
            to = nullcontext(standard_output()) if output is None else atomic_write(output, overwrites=overwrites)
            with to as file:
                payments = 0
                for page in ledger_pages(client, wanted, print_waiting):
                    file.write(page.content)
                    payments += page.content.count(b"\r\n")
                file.flush()
            if output is not None:
                make_console().print(f"{plural(payments - 1, 'payment')} exported")
            return
        listed = [*islice(client.list_ledger(**wanted), limit + 1)]
    if as_json:
        print_json({"payments": listed[:limit], "has_more": len(listed) > limit})
    else:
        show_ledger(make_console(), listed[:limit], has_more=len(listed) > limit)
