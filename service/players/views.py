"""Players' display names and aliases."""

from http import HTTPStatus
from typing import Any, Final

from flask import Response, request
from werkzeug.routing import BaseConverter

from schemas.base import WireError, load
from schemas.fields import ID_PATTERN
from schemas.pages import PageQuerySchema
from schemas.players import (
    AliasRequest,
    AliasRequestSchema,
    DisplayNameRequestSchema,
    NameRequest,
    PlayerPageSchema,
    PlayerPathSchema,
    PlayerSchema,
    PlayerWithMetadataSchema,
    dump_player,
    dump_player_with_metadata,
)
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.http.authentication import current_transaction
from service.http.resource import Resource
from service.http.responses import (
    NEXT_PAGE,
    REPLAYED,
    created_response,
    json_response,
    no_content,
    recorded_response,
    respond_page,
)
from service.openapi import REQUEST_ID
from service.players.actions import (
    erase_player,
    get_player,
    get_player_metadata,
    join_player,
    list_players,
    name_player,
    part_player,
)

players = Resource("players", __name__, description="Display names of players, which can be erased, and their aliases.")


class PlayerConverter(BaseConverter):
    """The rest of a URL, because IDs of players can contain slashes and dots, but not `/statistics` at the end."""

    regex = r"(?s:.+)(?<!/statistics)"
    part_isolating = False


class PlayerPartConverter(BaseConverter):
    """Any ID of a player: the part of a URL before `/statistics`, or all of it where no operation reads statistics."""

    regex = "(?s:.+)"
    part_isolating = False


ONE: Final = "/v1/players/<player:player>"
ANY: Final = "/v1/players/<player_part:player>"
"""The same path for methods that `/v1/players/{player}/statistics` does not have."""
ALIASES: Final = f"{ANY}/aliases"
PLAYER: Final[list[dict[str, Any]]] = [
    {
        "in": "path",
        "name": "player",
        "required": True,
        "schema": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": ID_PATTERN},
        "description": "The operator's ID of the player, percent-encoded as one segment: `a/b` is `a%2Fb`. The IDs `.` "
        "and `..` need a client that does not normalize paths.",
    }
]


@players.route("/v1/players", methods=["GET"])
@players.operation("list_players", KeyScope.READ)
@players.arguments(PageQuerySchema, location="query")
@players.response(200, PlayerPageSchema, headers=NEXT_PAGE)
def get_players(query: dict[str, Any]) -> Response:
    """
    List the club's players with a display name or aliases, newest first.

    An alias is listed with its player only.
    """
    page = list_players(current_transaction(), after=query["cursor"], limit=query["limit"])
    return respond_page("players", [dump_player(view) for view in page.items], page.next_after)


@players.route(ONE, methods=["GET"], parameters=PLAYER)
@players.operation("get_player", KeyScope.READ)
@players.response(200, PlayerWithMetadataSchema)
def get_one_player(player: str) -> Response:
    """
    Return a player's display name, aliases and metadata, by any ID of the player.

    That of a player whose ID ends in `/statistics` is only in the list of players: here it is the URL of statistics.
    """
    view = get_player(current_transaction(), read_player(player))
    return json_response(dump_player_with_metadata(view, get_player_metadata(current_transaction(), view.player)))


@players.route(ANY, methods=["PUT"], parameters=PLAYER)
@players.operation("name_player", KeyScope.WRITE)
@players.arguments(DisplayNameRequestSchema)
@players.response(200, PlayerWithMetadataSchema)
@players.alt_response(
    201, schema=PlayerWithMetadataSchema, headers=REQUEST_ID, description="The player had no display name before."
)
def put_player(naming: NameRequest, player: str) -> Response:
    """
    Set a player's display name and metadata, or replace them. An alias has those of its player.

    Display names are stored in one place only, so that they can be erased: no record, event or stored response contains
    one.
    """
    named = name_player(current_transaction(), read_player(player), naming)
    document = dump_player_with_metadata(named.view, named.metadata)
    return json_response(document, HTTPStatus.CREATED if named.is_new else HTTPStatus.OK)


@players.route(ANY, methods=["DELETE"], parameters=PLAYER)
@players.operation("erase_player", KeyScope.ADMIN)
@players.response(204, description="The player has no display name.")
def delete_player(player: str) -> Response:
    """
    Erase a player's display names and metadata, and the texts by them and about them, under all IDs.

    These are notes and reasons of their payments, charges and claims, reasons of their departures, claims and comments
    in disputes by them or by keys that declare them, requests of proposals that such keys made or that are of their
    rounds, and labels of their links. The player's IDs, results and payments stay in the records. It
    cannot be undone.
    """
    erase_player(current_transaction(), read_player(player))
    return no_content()


@players.route(ALIASES, methods=["POST"], parameters=PLAYER)
@players.operation("join_player", KeyScope.WRITE, records=True)
@players.arguments(AliasRequestSchema)
@players.response(201, PlayerSchema, headers=REPLAYED)
def post_alias(request: AliasRequest, player: str) -> Response:
    """
    Join another ID to a player, because both are of one person.

    From then on, every list, balance, statement and statistic treats both as one player, shown under the ID in the
    path, and a stack of one carries over to the other. Records stay as they are, and each has the ID that was sent.
    IDs that sat in one round cannot be joined, and joined IDs cannot sit in one round.
    """
    joined = join_player(current_transaction(), read_player(player), request.alias)
    return created_response(dump_player(joined.view), is_replay=joined.is_replay)


@players.route(f"{ALIASES}/part", methods=["POST"], parameters=PLAYER)
@players.operation("part_player", KeyScope.WRITE, records=True)
@players.arguments(AliasRequestSchema)
@players.response(200, PlayerSchema, headers=REPLAYED)
def post_parting(request: AliasRequest, player: str) -> Response:
    """
    Part an alias from a player: it is a player of its own again, with everything that is recorded under it.

    All figures are those that they would be if the ID had never been joined.
    """
    parted = part_player(current_transaction(), read_player(player), request.alias)
    return recorded_response(dump_player(parted.view), is_replay=parted.is_replay)


def read_player(written: str) -> str:
    """
    Parse the player's ID in the URL.

    Raises:
        WireError: it is not a valid ID.
    """
    try:
        # Werkzeug has replaced invalid UTF-8 by replacement characters, which would be the ID of another player.
        request.environ["PATH_INFO"].encode("latin-1").decode()
        read: dict[str, str] = load(PlayerPathSchema(), {"player": written})
    except UnicodeDecodeError:
        mistake = Mistake("text-characters", ("path", "player"), "is not UTF-8; expected percent-encoded UTF-8")
        raise WireError((mistake,)) from None
    except WireError as error:
        raise WireError(tuple(mistake.under("path") for mistake in error.mistakes)) from None
    return read["player"]
