import click

from client.commands.common import Session, json_option, make_console, pass_session, print_json
from client.render.cards import Names
from client.render.rounds import list_rounds, show_round
from client.render.settlement import show_settlement


@click.group(name="round")
def rounds() -> None:
    """Look at rounds that are recorded."""


@rounds.command(name="show")
@click.argument("round_id", metavar="ID")
@json_option
@pass_session
def show(session: Session, round_id: str, as_json: bool) -> None:
    r"""
    Show a round as it stands, and what the next hand must be.

    \b
    Example:
      ofc round show 01a1fa77-4a59-709e-b6dd-b28a73ab9d3e
    """
    with session.client() as client:
        found = client.get_round(round_id)
    if as_json:
        print_json(found)
    else:
        show_round(make_console(), found)


@rounds.command(name="list")
@click.option("--table", help="Only of this table, by its id.")
@click.option("--player", help="Only with this player.")
@click.option("--status", type=click.Choice(["open", "complete", "closed"]), help="Only in this state.")
@click.option("--from", "opened_from", metavar="TIME", help="Opened at this time or later (RFC 3339).")
@click.option("--to", "opened_before", metavar="TIME", help="Opened before this time.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@json_option
@pass_session
def list_(
    session: Session,
    table: str | None,
    player: str | None,
    status: str | None,
    opened_from: str | None,
    opened_before: str | None,
    limit: int,
    as_json: bool,
) -> None:
    r"""
    List rounds, the newest first.

    \b
    Examples:
      ofc round list --status open
      ofc round list --player ann --from 2026-11-01T00:00:00Z
    """
    wanted = {"table": table, "player": player, "status": status, "from": opened_from, "to": opened_before}
    with session.client() as client:
        found = [round_ for round_, _ in zip(client.list_rounds(**wanted), range(limit), strict=False)]
    if as_json:
        print_json({"rounds": found})
    else:
        list_rounds(make_console(), found)


@rounds.command(name="settlement")
@click.argument("round_id", metavar="ID")
@json_option
@pass_session
def settlement(session: Session, round_id: str, as_json: bool) -> None:
    r"""
    Show who paid whom, what the caps cut off and why, and the standings.

    \b
    Example:
      ofc round settlement 01a1fa77-4a59-709e-b6dd-b28a73ab9d3e
    """
    with session.client() as client:
        found = client.get_settlement(round_id)
        if as_json:
            print_json(found)
            return
        round_ = client.get_round(round_id)
        ruleset = client.get_ruleset(round_["ruleset"])
    show_settlement(make_console(), found, ruleset, Names(round_["seats"]))


@rounds.command(name="document")
@click.argument("round_id", metavar="ID")
@pass_session
def document(session: Session, round_id: str) -> None:
    r"""
    Print a round as one document: all that happened, and no result.

    \b
    Example:
      ofc round document 01a1fa77-4a59-709e-b6dd-b28a73ab9d3e > round.json
    """
    with session.client() as client:
        print_json(client.get_document(round_id))
