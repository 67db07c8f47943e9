"""IDs of one person, joined and parted now and then."""

from random import Random
from urllib.parse import quote

from tests.service.any_history.steps import AT_HOME, Happening
from tests.service.players.figures import check_added, read_sums
from tests.support.sample_rounds import Document


class Joining(Happening):
    """Joins and partings of the two IDs of a player."""

    def two_ids_are_joined(self, rng: Random) -> None:
        """Join two IDs, part them and join them again: the sums are those of both, of each, and of both."""
        seated = {seat["player"] for each in self.club.rounds for seat in each.happened.document["seats"]}
        apart = sorted({player.removesuffix(AT_HOME) for player in seated} - self._joined())
        if not apart:
            return
        name = rng.choice(apart)
        player, alias = rng.sample([name, name + AT_HOME], 2)
        path, body = f"/v1/players/{quote(player, safe='')}/aliases", {"alias": alias}
        before = self._sums()
        self.tried(path, body)
        self.post(path, body)
        together = self._sums()
        check_added(before, together, {alias: player})
        self.post(f"{path}/part", body)
        assert self._sums() == before
        self.post(path, body)
        assert self._sums() == together
        self.club.aliases[alias] = player
        self._do_not_sit_together(rng, player, alias)

    def an_id_is_parted(self, rng: Random) -> None:
        if not self.club.aliases:
            return
        alias = rng.choice(sorted(self.club.aliases))
        player = self.club.aliases.pop(alias)
        together = self._sums()
        self.post(f"/v1/players/{quote(player, safe='')}/aliases/part", {"alias": alias})
        check_added(self._sums(), together, {alias: player})

    def _joined(self) -> set[str]:
        return {player.removesuffix(AT_HOME) for player in self.club.aliases}

    def _do_not_sit_together(self, rng: Random, player: str, alias: str) -> None:
        table = rng.choice(list(self.club.tables))
        sitting = [{"seat": seat, "player": each, "stack": 20} for seat, each in enumerate((player, alias), start=1)]
        self.is_refused(f"/v1/tables/{table}/rounds", {"seats": sitting}, 409, 422)

    def _sums(self) -> dict[str, Document]:
        return read_sums(self.club.api, self.club.tables)
