"""Read, list, set and erase display names of players, and join and part the IDs of one person."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from evidence.events import PlayerErased, PlayerJoined, PlayerNamed, PlayerParted
from evidence.texts import SaltedText
from schemas.base import WireError, show
from schemas.metadata import Metadata
from schemas.players import MOST_ALIASES, AliasView, NameRequest, PlayerView
from scoring.errors import Mistake
from service.audit_trail.queries.events import record_event
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import AliasConflict, NotFound
from service.players.queries import aliases, names
from service.players.queries.aliases import Aliases, StoredAlias
from service.players.queries.names import StoredPlayer
from service.texts.actions import erase_texts_of_player, get_metadata, lock_texts_of_players, set_metadata
from service.texts.queries import MetadataOwner

_MOST_FOUND: Final = 1000
_MOST_ROUNDS: Final = 20
"""How many rounds a refusal names in which two IDs sat."""
_RECENT_ROUNDS: Final = 100
"""The number of rounds whose players are suggested."""


def _view_player(stored: StoredPlayer, joined: Iterable[StoredAlias]) -> PlayerView:
    own = tuple(AliasView(each.alias, each.joined_at) for each in joined if each.player == stored.player)
    return PlayerView(stored.player, stored.display_name, stored.named_at, own)


def get_player(transaction: Transaction, known_as: str) -> PlayerView:
    """
    Return a player's display name and aliases.

    Args:
        transaction: of the club.
        known_as: any ID of the player.

    Raises:
        NotFound: the player has no display name and no aliases.
    """
    stored = names.get(transaction, aliases.read_aliases(transaction).player_of(known_as))
    return _view_player(stored, aliases.list_aliases(transaction, [stored.player]))


def list_aliases(transaction: Transaction, player: str) -> Sequence[AliasView]:
    """List the aliases of a player, in the order in which they were joined."""
    return [AliasView(each.alias, each.joined_at) for each in aliases.list_aliases(transaction, [player])]


def get_player_metadata(transaction: Transaction, player: str) -> Metadata:
    """Return a player's metadata."""
    return get_metadata(transaction, MetadataOwner.of_player(player))


def list_players(transaction: Transaction, *, after: UUID | None, limit: int) -> Page[PlayerView]:
    """List the club's players with a display name or aliases, the newest first."""
    stored = names.list_page(transaction, after=after, limit=limit + 1)
    joined = aliases.list_aliases(transaction, [each.player for each in stored])
    return cut_page(stored, limit, lambda each: _view_player(each, joined))


def list_names(transaction: Transaction, of: Iterable[str]) -> dict[str, str]:
    """Return the display names of those players that have one, by the IDs received: an alias has that of its player."""
    joined = aliases.read_aliases(transaction)
    players = {each: joined.player_of(each) for each in of}
    shown = names.list_shown(transaction, {*players.values()})
    by_player = {each.player: each.display_name for each in shown if each.display_name is not None}
    return {each: by_player[player] for each, player in players.items() if player in by_player}


def search_names(transaction: Transaction, text: str) -> list[str]:
    """
    Return all IDs of players with a text in a display name, in small or capital letters.

    Of players with aliases, also those with the text in any of their IDs.
    """
    joined = aliases.read_aliases(transaction)
    named = names.search_names(transaction, text, _MOST_FOUND)
    like = [each for each in (*joined.players, *joined.players.values()) if text.lower() in each.lower()]
    return joined.ids_of_all(dict.fromkeys(joined.player_of(each) for each in (*named, *like)))


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """
    A player who was found.

    Attributes:
        player: the ID under which they are shown.
        display_name: their display name, if they have one.
        is_exact: whether an ID or the display name is the text, and not only contains it.
    """

    player: str
    display_name: str | None
    is_exact: bool = False


def find_player(transaction: Transaction, player: str) -> FoundPlayer | None:
    """Find the player with an ID or an alias as it is recorded."""
    joined = aliases.read_aliases(transaction)
    if player not in joined.players and not aliases.list_known(transaction, [player]):
        return None
    return _name(transaction, [joined.player_of(player)], joined, player)[0]


def find_players(transaction: Transaction, text: str, limit: int) -> list[FoundPlayer]:
    """List players whose ID, alias or display name contains a text in small or capital letters, the best ones first."""
    joined = aliases.read_aliases(transaction)
    ids = [*names.search_ids(transaction, text, limit), *search_names(transaction, text)]
    matches = _name(transaction, map(joined.player_of, ids), joined, text)
    return sorted(matches, key=lambda each: not each.is_exact)[:limit]


def suggest_players(transaction: Transaction, limit: int) -> list[FoundPlayer]:
    """List the players of the newest rounds, whom forms suggest."""
    joined = aliases.read_aliases(transaction)
    recent = names.list_recent(transaction, rounds=_RECENT_ROUNDS, limit=limit)
    return _name(transaction, map(joined.player_of, recent), joined)


def _name(
    transaction: Transaction, players: Iterable[str], joined: Aliases, text: str | None = None
) -> list[FoundPlayer]:
    """Add to players, each once, their display names, and whether a name or an ID is a text."""
    listed = [*dict.fromkeys(players)]
    shown = list_names(transaction, listed)

    def is_exact(player: str) -> bool:
        known_as = (*joined.ids_of(player), shown.get(player))
        return text is not None and any(each and each.lower() == text.lower() for each in known_as)

    return [FoundPlayer(each, shown.get(each), is_exact(each)) for each in listed]


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player with their display name and metadata, and whether they had no display name before."""

    view: PlayerView
    metadata: Metadata
    is_new: bool


def name_player(transaction: Transaction, known_as: str, request: NameRequest) -> NamedPlayer:
    """
    Set or replace a player's display name and, unless they are None, their metadata, by any of their IDs.

    The events contain neither, because events are never erased, but digests that verification compares.
    """
    player = aliases.read_aliases(transaction).player_of(known_as)
    name = SaltedText.of(request.display_name)
    event = PlayerNamed.of(player, name.text, name.salt)
    is_new = names.set_name(transaction, player, name.text, name.salt, event.encode())
    if request.metadata is not None:
        set_metadata(transaction, MetadataOwner.of_player(player), request.metadata)
    return NamedPlayer(get_player(transaction, player), get_player_metadata(transaction, player), is_new)


def erase_player(transaction: Transaction, known_as: str) -> None:
    """
    Erase a player's display names and metadata, and the texts by them and about them; their IDs stay in the records.

    These are notes and reasons of their payments, charges and claims, reasons of their departures with the request
    bodies that have them, claims and comments in disputes by them or by keys that declare them, requests of proposals
    that such keys made or that are of their rounds, and labels of their links. All IDs of the player are
    erased, by any of them. The action is idempotent.
    """
    players = aliases.read_aliases(transaction).ids_of(known_as)
    lock_texts_of_players(transaction, players)
    for player in players:
        erased = erase_texts_of_player(transaction, player)
        has_name = names.erase(transaction, player)
        for digests in erased or ([()] if has_name else []):
            event = PlayerErased(player=player, texts=digests)
            record_event(transaction, event.kind, event.encode())


@dataclass(frozen=True, slots=True)
class ChangedAliases:
    """A player after an ID was joined or parted, and whether the request is a replay."""

    view: PlayerView
    is_replay: bool


def join_player(transaction: Transaction, known_as: str, alias: str) -> ChangedAliases:
    """
    Join another ID to a player: every list, sum and stack treats both as one from now on. No record changes.

    Args:
        transaction: of the club.
        known_as: any ID of the player.
        alias: the other ID.

    Raises:
        WireError: the alias is the ID itself.
        NotFound: neither ID has sat in a round.
        AliasConflict: the IDs sat in one round, or the alias is joined to another player or has aliases itself.
        Busy: rounds were being opened for too long.
    """
    joined = aliases.lock_aliases(transaction)
    proposed = _propose(transaction, joined, known_as, alias)
    player = proposed.player
    if proposed.is_joined:
        return ChangedAliases(_view_changed(transaction, player), is_replay=True)
    if proposed.obstacles:
        raise AliasConflict(f"{alias!r} is not joined to {player!r}", proposed.obstacles)
    aliases.join(transaction, player, alias, PlayerJoined(player=player, alias=alias).encode())
    return ChangedAliases(_view_changed(transaction, player), is_replay=False)


@dataclass(frozen=True, slots=True)
class ProposedJoin:
    """
    An ID that may be joined to a player.

    Attributes:
        player: the ID under which the player is shown.
        is_joined: whether both are of one player already.
        obstacles: why they cannot be joined, if they cannot.
        rounds: the first rounds in which both sat.
    """

    player: str
    alias: str
    is_joined: bool
    obstacles: Sequence[Mistake]
    rounds: Sequence[UUID]


def propose_join(transaction: Transaction, known_as: str, alias: str) -> ProposedJoin:
    """
    Return whether an ID can be joined to a player. Nothing changes.

    Raises:
        WireError, NotFound: as `join_player`.
    """
    return _propose(transaction, aliases.read_aliases(transaction), known_as, alias)


def _propose(transaction: Transaction, joined: Aliases, known_as: str, alias: str) -> ProposedJoin:
    player = joined.player_of(known_as)
    if alias == known_as:
        detail = f"is {show(alias)}, as the player is; expected another ID of the same person"
        raise WireError((Mistake("alias-not-other", ("alias",), detail),))
    if joined.player_of(alias) == player:
        return ProposedJoin(player, alias, is_joined=True, obstacles=(), rounds=())
    ids = joined.ids_of(player)
    if not aliases.list_known(transaction, [*ids, alias]):
        raise NotFound(f"neither {player!r} nor {alias!r} has sat in a round")
    rounds = aliases.list_rounds_together(transaction, ids, [alias], _MOST_ROUNDS)
    sitting = " or ".join(map(repr, ids))
    together = [
        Mistake(
            "players-together", ("alias",), f"{sitting} and {alias!r} both sat in round {each}; expected one person"
        )
        for each in rounds
    ]
    obstacles = (*_find_other_joins(joined, player, alias), *together)
    return ProposedJoin(player, alias, is_joined=False, obstacles=obstacles, rounds=rounds)


def _find_other_joins(joined: Aliases, player: str, alias: str) -> Iterator[Mistake]:
    """Yield why an ID cannot be joined to a player because of what is joined already."""
    other = joined.players.get(alias)
    if other is not None:
        detail = f"{alias!r} is an alias of {other!r}; part them first, or join {player!r} to {other!r}"
        yield Mistake("alias-taken", ("alias",), detail)
    if joined.of(alias):
        its_own = ", ".join(map(repr, joined.of(alias)))
        detail = f"{alias!r} has aliases itself: {its_own}; part them first, or join {player!r} to {alias!r}"
        yield Mistake("alias-has-aliases", ("alias",), detail)
    if len(joined.of(player)) >= MOST_ALIASES:
        yield Mistake("aliases-count", ("alias",), f"{player!r} has {MOST_ALIASES} aliases, the most that are possible")


def part_player(transaction: Transaction, known_as: str, alias: str) -> ChangedAliases:
    """
    Part an alias from a player: it is a player of its own again, with what is recorded under it.

    Raises:
        NotFound: the ID is no alias.
        AliasConflict: it is one of another player.
        Busy: rounds were being opened for too long.
    """
    joined = aliases.lock_aliases(transaction)
    player = joined.player_of(known_as)
    event = PlayerParted(player=player, alias=alias).encode()
    other = joined.players.get(alias)
    if other is None:
        if not aliases.was_parted(transaction, event):
            raise NotFound(f"{alias!r} is no alias of the player {player!r}")
        return ChangedAliases(_view_changed(transaction, player), is_replay=True)
    if other != player:
        detail = f"{alias!r} is an alias of {other!r}; expected an alias of {player!r}"
        raise AliasConflict(detail, (Mistake("alias-taken", ("alias",), detail),))
    aliases.part(transaction, alias, event)
    return ChangedAliases(_view_changed(transaction, player), is_replay=False)


def _view_changed(transaction: Transaction, player: str) -> PlayerView:
    """Return a player, who can have no display name and no aliases any longer."""
    stored = names.find(transaction, player)
    if stored is None:
        return PlayerView(player, None, None, ())
    return _view_player(stored, aliases.list_aliases(transaction, [player]))
