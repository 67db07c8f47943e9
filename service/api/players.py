"""Players' display names."""

from http import HTTPStatus
from typing import Any, Final

from flask import Response, request
from werkzeug.routing import BaseConverter

from schemas.base import WireError, load
from schemas.fields import PLAIN_PATTERN
from schemas.pages import PageQuerySchema
from schemas.players import (
    NameRequest,
    NameRequestSchema,
    PlayerPageSchema,
    PlayerPathSchema,
    PlayerSchema,
    dump_player,
)
from scoring.errors import Mistake
from service.api.access import current_transaction
from service.api.answers import NEXT_PAGE, answer, nothing, page_link
from service.api.resource import Resource
from service.openapi import REQUEST_ID
from service.scopes import Scope
from service.usecases.erase_player import erase_player
from service.usecases.get_player import get_player
from service.usecases.list_players import list_players
from service.usecases.name_player import name_player

players = Resource("players", __name__, description="Players' display names, which can be erased.")


class PlayerConverter(BaseConverter):
    """The rest of an address, whatever it holds: players' ids are the operator's, and may hold slashes and dots."""

    regex = "(?s:.+)"
    part_isolating = False


ONE: Final = "/v1/players/<player:player>"
PLAYER: Final[list[dict[str, Any]]] = [
    {
        "in": "path",
        "name": "player",
        "required": True,
        "schema": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": PLAIN_PATTERN},
        "description": "The operator's own id of the player, percent-encoded as one segment: `a/b` is `a%2Fb`. Only "
        "the ids `.` and `..` need a client that leaves addresses as they are: most take them for steps in the path.",
    }
]


@players.route("/v1/players", methods=["GET"])
@players.operation("list_players", Scope.READ)
@players.arguments(PageQuerySchema, location="query")
@players.response(200, PlayerPageSchema, headers=NEXT_PAGE)
def get_players(query: dict[str, Any]) -> Response:
    """List the club's players who have a display name, the newest first."""
    page = list_players(current_transaction(), after=query["cursor"], limit=query["limit"])
    return answer({"players": [dump_player(view) for view in page.items]}, headers=page_link(page.next_after))


@players.route(ONE, methods=["GET"], parameters=PLAYER)
@players.operation("get_player", Scope.READ, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
@players.response(200, PlayerSchema)
def get_one_player(player: str) -> Response:
    """Show what a player is called."""
    return answer(dump_player(get_player(current_transaction(), read_player(player))))


@players.route(ONE, methods=["PUT"], parameters=PLAYER)
@players.operation("name_player", Scope.WRITE, problems=(HTTPStatus.GATEWAY_TIMEOUT,))
@players.arguments(NameRequestSchema)
@players.response(200, PlayerSchema)
@players.alt_response(201, schema=PlayerSchema, headers=REQUEST_ID, description="He had no display name before.")
def put_player(naming: NameRequest, player: str) -> Response:
    """
    Give a player a display name, in place of the one that he may have.

    Names are kept in one place, from which they can be erased: no record, event or kept answer holds one.
    """
    named = name_player(current_transaction(), read_player(player), naming.display_name)
    return answer(dump_player(named.view), HTTPStatus.CREATED if named.is_new else HTTPStatus.OK)


@players.route(ONE, methods=["DELETE"], parameters=PLAYER)
@players.operation("erase_player", Scope.WRITE, problems=(HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.GATEWAY_TIMEOUT))
@players.response(204, description="He has no display name now.")
def delete_player(player: str) -> Response:
    """Erase a player's display name, if he has one. His id in the records stays, and so does every figure."""
    erase_player(current_transaction(), read_player(player))
    return nothing()


def read_player(written: str) -> str:
    """
    Read a player's id out of the address.

    Raises:
        WireError: it cannot be one.
    """
    try:
        # What is not UTF-8 has become a replacement character by now, and would be another player.
        request.environ["PATH_INFO"].encode("latin-1").decode()
        read: dict[str, str] = load(PlayerPathSchema(), {"player": written})
    except UnicodeDecodeError:
        mistake = Mistake("text-characters", ("path", "player"), "is not UTF-8; percent-encoded UTF-8 is right")
        raise WireError((mistake,)) from None
    except WireError as error:
        raise WireError(tuple(mistake.under("path") for mistake in error.mistakes)) from None
    return read["player"]
