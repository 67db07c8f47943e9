"""Statistics of players."""

from typing import Any

from flask import Response

from schemas.statistics.player_statistics import StatisticsQuerySchema, StatisticsSchema, dump_statistics
from service.clubs.actions import get_club
from service.clubs.scopes import KeyScope
from service.db import Transaction
from service.http.authentication import current_transaction
from service.http.resource import Resource
from service.http.responses import json_response
from service.players.views import PLAYER, read_player
from service.statistics.actions import get_player_statistics, list_statistics
from service.statistics.queries.sums import StatisticsFilter

statistics = Resource("statistics", __name__, description="Statistics of players.")


@statistics.route("/v1/statistics", methods=["GET"])
@statistics.operation("list_statistics", KeyScope.READ)
@statistics.arguments(StatisticsQuerySchema, location="query")
@statistics.response(200, StatisticsSchema)
def get_statistics(query: dict[str, Any]) -> Response:
    """
    Return the statistics of all players, by table, ruleset and period.

    They follow corrections: only the revisions in force count. Hands of open rounds count.
    """
    transaction = current_transaction()
    return json_response(dump_statistics(list_statistics(transaction, _filter(transaction, query))))


@statistics.route("/v1/players/<player_part:player>/statistics", methods=["GET"], parameters=PLAYER)
@statistics.operation("get_player_statistics", KeyScope.READ)
@statistics.arguments(StatisticsQuerySchema, location="query")
@statistics.response(200, StatisticsSchema)
def get_one_player_statistics(query: dict[str, Any], player: str) -> Response:
    """
    Return the statistics of a player, by table, ruleset and period.

    They follow corrections: only the revisions in force count. Hands of open rounds count. A player who has played no
    round is not found; if no round matches, all figures are 0.
    """
    transaction = current_transaction()
    filter_ = _filter(transaction, query, read_player(player))
    return json_response(dump_statistics(get_player_statistics(transaction, filter_)))


def _filter(transaction: Transaction, query: dict[str, Any], player: str | None = None) -> StatisticsFilter:
    return StatisticsFilter(player=player, **get_club(transaction).period(query))
