"""
The operations of the service as methods. Generated from the contract by `make generate`.

A request is a dictionary of a type of `client.requests`. A method whose name ends with `_as` returns the response in
another form than JSON, as it was received.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from client import responses
from client.paths import build_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from client import models, requests
    from client.calls import Calls, Pages
    from client.responses import Content


class Operations:
    """The part of `Client` with a method for each operation of the contract, of the same name."""

    _calls: Calls

    def score_hand(self, request: requests.ScoreRequest) -> models.HandScore:
        """
        Score a hand without storing it.

        Args:
            request: A hand to score without storing it. With a button and every player's stack, the response
                includes transfers.
        """
        return self._calls.call("POST", build_path("/v1/score"), body=request)

    def list_rulesets(self) -> list[models.ListedRuleset]:
        """List the presets and, with a key, the club's custom rulesets, each in its newest version."""
        return list(self._calls.get_pages(build_path("/v1/rulesets"), "rulesets", is_valid=responses.is_ruleset))

    def add_ruleset(
        self, request: requests.Ruleset, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Ruleset:
        """
        Add a ruleset, or a new version of one.

        Args:
            request: A ruleset. It never changes; a change is a new version.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/rulesets"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            is_valid=responses.is_ruleset,
        )

    def get_ruleset(self, reference: str) -> models.Ruleset:
        """
        Return a ruleset by name (newest version) or as `name@version`.

        Args:
            reference: Ruleset, as a name (newest version) or `name@version`.
        """
        return self._calls.call(
            "GET", build_path("/v1/rulesets/{reference}", reference=reference), is_valid=responses.is_ruleset
        )

    def list_players(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[models.Player]:
        """
        List the club's players with a display name or aliases, newest first.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
        """
        return self._calls.get_pages(build_path("/v1/players"), "players", query={"limit": limit, "cursor": cursor})

    def get_player(self, player: str) -> models.PlayerWithMetadata:
        """
        Return a player's display name, aliases and metadata, by any ID of the player.

        Args:
            player: The operator's ID of the player, percent-encoded as one segment: `a/b` is `a%2Fb`.
        """
        return self._calls.call("GET", build_path("/v1/players/{player}", player=player))

    def name_player(self, player: str, request: requests.DisplayNameRequest) -> models.PlayerWithMetadata:
        """
        Set a player's display name and metadata, or replace them. An alias has those of its player.

        Args:
            player: The operator's ID of the player, percent-encoded as one segment: `a/b` is `a%2Fb`.
            request: A display name to set. It replaces the player's previous one.
        """
        return self._calls.call("PUT", build_path("/v1/players/{player}", player=player), body=request)

    def erase_player(self, player: str) -> None:
        """
        Erase a player's display names and metadata, and the texts by them and about them, under all IDs.

        Args:
            player: The operator's ID of the player, percent-encoded as one segment: `a/b` is `a%2Fb`.
        """
        self._calls.call_without_response("DELETE", build_path("/v1/players/{player}", player=player))

    def join_player(
        self, player: str, request: requests.AliasRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Player:
        """
        Join another ID to a player, because both are of one person.

        Args:
            player: The operator's ID of the player, percent-encoded as one segment: `a/b` is `a%2Fb`.
            request: Another ID of a player.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/players/{player}/aliases", player=player),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def part_player(
        self, player: str, request: requests.AliasRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Player:
        """
        Part an alias from a player: it is a player of its own again, with everything that is recorded under it.

        Args:
            player: The operator's ID of the player, percent-encoded as one segment: `a/b` is `a%2Fb`.
            request: Another ID of a player.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/players/{player}/aliases/part", player=player),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def add_table(
        self, request: requests.TableRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.TableWithMetadata:
        """
        Create a table.

        Args:
            request: A table to create.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/tables"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
            is_valid=responses.is_table,
        )

    def list_tables(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        name: str | None = None,
        archived: bool | None = None,
        reference: str | None = None,
    ) -> Pages[models.Table]:
        """
        List the club's tables that are not archived, or the archived ones, newest first, or find one.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            name: List only tables with exactly this name: one, if they are not archived.
            archived: True for the archived tables.
            reference: List only the table with this reference, if any.
        """
        return self._calls.get_pages(
            build_path("/v1/tables"),
            "tables",
            query={"limit": limit, "cursor": cursor, "name": name, "archived": archived, "reference": reference},
            is_valid=responses.is_table,
        )

    def get_table(self, table_id: str, *, if_none_match: str | None = None) -> models.TableWithMetadata:
        """
        Return a table with its metadata, which links do not see.

        Args:
            table_id: ID of the table.
            if_none_match: The `ETag` of a response that the client has.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/tables/{table_id}", table_id=table_id),
            headers={"If-None-Match": if_none_match},
            is_valid=responses.is_table,
        )

    def update_table(
        self,
        table_id: str,
        request: requests.TableChanges,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.TableWithMetadata:
        """
        Change the name or the settings of a table for its next rounds, archive it, or bring it back.

        Args:
            table_id: ID of the table.
            request: What to change in a table. A field that is omitted stays as it is; at least one is required.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "PATCH",
            build_path("/v1/tables/{table_id}", table_id=table_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
            is_valid=responses.is_table,
        )

    def get_statement(
        self,
        table_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        evening: str | None = None,
        settle_up: Literal["fewest", "pairs"] | None = None,
        if_none_match: str | None = None,
    ) -> models.TableStatement:
        """
        Return the totals of a table's rounds, player by player, and the payments that settle them up.

        Args:
            table_id: ID of the table.
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            settle_up: `fewest` for the fewest payments, `pairs` for one payment between each two players, of what
                they won from each other.
            if_none_match: The `ETag` of a response that the client has.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/tables/{table_id}/statement", table_id=table_id),
            query={"from": from_, "to": to, "evening": evening, "settle_up": settle_up},
            headers={"If-None-Match": if_none_match},
        )

    def open_round(
        self,
        table_id: str,
        request: requests.RoundRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.OpenedRound:
        """
        Open a round at a table.

        Args:
            table_id: ID of the table.
            request: A round to open at a table.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/tables/{table_id}/rounds", table_id=table_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
            is_valid=responses.is_round,
        )

    def list_rounds(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        table_name: str | None = None,
        reference: str | None = None,
        player: str | None = None,
        status: models.RoundStatus | None = None,
        state: models.SettlementState | None = None,
        if_none_match: str | None = None,
    ) -> Pages[models.Round]:
        """
        List the club's rounds, newest first, by table, player, status, settlement state and opening time.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            table: Only rounds of the table with this ID.
            table_name: List only rounds of the table with this name, if it is not archived.
            reference: List only rounds with this reference.
            player: List only rounds of the player with this ID.
            status: List only rounds with this status.
            state: List only rounds whose settlement is in this state.
            if_none_match: The `ETag` of a response that the client has.
        """
        return self._calls.get_pages(
            build_path("/v1/rounds"),
            "rounds",
            query={
                "limit": limit,
                "cursor": cursor,
                "from": from_,
                "to": to,
                "table": table,
                "table_name": table_name,
                "reference": reference,
                "player": player,
                "status": status,
                "state": state,
            },
            headers={"If-None-Match": if_none_match},
            is_valid=responses.is_round,
        )

    def get_round(self, round_id: str, *, if_none_match: str | None = None) -> models.RoundWithMetadata:
        """
        Return a round as it is now, with its metadata, and the number, button and players of its next hand.

        Args:
            round_id: ID of the round.
            if_none_match: The `ETag` of a response that the client has.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/rounds/{round_id}", round_id=round_id),
            headers={"If-None-Match": if_none_match},
            is_valid=responses.is_round,
        )

    def update_round(
        self,
        round_id: str,
        request: requests.MetadataChanges,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.RoundWithMetadata:
        """
        Change the metadata of a round. Everything else of it is changed by a correction.

        Args:
            round_id: ID of the round.
            request: The metadata that a record has from now on, instead of those that it had.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "PATCH",
            build_path("/v1/rounds/{round_id}", round_id=round_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
            is_valid=responses.is_round,
        )

    def close_round(
        self,
        round_id: str,
        request: requests.RoundCloseRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.Round:
        """
        End a round early. Points added up under scope `round` are settled; Fantasyland still owed is void.

        Args:
            round_id: ID of the round.
            request: The early end of a round.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/rounds/{round_id}/close", round_id=round_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
            is_valid=responses.is_round,
        )

    def record_departure(
        self,
        round_id: str,
        request: requests.DepartureRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.Round:
        """
        Record that a player left between two hands, for the rest of the round.

        Args:
            round_id: ID of the round.
            request: A player who leaves for the rest of the round.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/rounds/{round_id}/departures", round_id=round_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
            is_valid=responses.is_round,
        )

    def undo_hand(
        self,
        round_id: str,
        request: requests.HandUndoRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.RoundAfterUndo:
        """
        Undo the last hand of a round, and the departures after it.

        Args:
            round_id: ID of the round.
            request: The last hand of a round, to undo.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/rounds/{round_id}/undo", round_id=round_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
            is_valid=responses.is_round,
        )

    def get_settlement(
        self, round_id: str, *, revision: int | None = None, if_none_match: str | None = None
    ) -> models.RoundSettlement:
        """
        Return the settlement of a round: every transfer, the stacks and the standings.

        Args:
            round_id: ID of the round.
            revision: Number of the settlement revision.
            if_none_match: The `ETag` of a response that the client has.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/rounds/{round_id}/settlement", round_id=round_id),
            query={"revision": revision},
            headers={"If-None-Match": if_none_match},
        )

    def confirm_settlement(
        self,
        round_id: str,
        request: requests.SettlementConfirmationRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.RoundSettlement:
        """
        Confirm a settlement for a player. It is final once every player of the round has confirmed it.

        Args:
            round_id: ID of the round.
            request: A player's confirmation of a settlement.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/rounds/{round_id}/confirmations", round_id=round_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def get_document(self, round_id: str, *, revision: int | None = None) -> models.RoundDocument:
        """
        Return a round as one document without results, in its newest revision or an older one.

        Args:
            round_id: ID of the round.
            revision: Number of the settlement revision.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/rounds/{round_id}/document", round_id=round_id),
            query={"revision": revision},
            is_valid=responses.is_document,
        )

    def get_evidence(self, round_id: str, *, since: int | None = None) -> models.Evidence:
        """
        Return the evidence file of a round: every revision, its events, their proofs and the signed checkpoint.

        Args:
            round_id: ID of the round.
            since: Size of a checkpoint that you have stored: the file then has the consistency proof from it.
        """
        return self._calls.call(
            "GET", build_path("/v1/rounds/{round_id}/evidence", round_id=round_id), query={"since": since}
        )

    def record_hand(
        self, round_id: str, request: requests.HandRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.RecordedHandWithRound:
        """
        Record the next hand of a round: validate, score and settle it.

        Args:
            round_id: ID of the round.
            request: A hand to record, optionally with the players' IDs and the expected result.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/rounds/{round_id}/hands", round_id=round_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            is_valid=responses.is_hand_of_round,
        )

    def list_hands(
        self, round_id: str, *, limit: int | None = None, cursor: str | None = None, revision: int | None = None
    ) -> Pages[models.ListedHand]:
        """
        List the hands of a round in the order in which they were played, for the newest revision or an older one.

        Args:
            round_id: ID of the round.
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            revision: Number of the round's revision.
        """
        return self._calls.get_pages(
            build_path("/v1/rounds/{round_id}/hands", round_id=round_id),
            "hands",
            query={"limit": limit, "cursor": cursor, "revision": revision},
            is_valid=responses.is_hand,
        )

    def record_hands(
        self, lines: Iterable[requests.HandLine] | bytes, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> list[models.HandLineResult]:
        """
        Record up to 500 hands of any rounds of the club: NDJSON, one hand per line.

        Args:
            lines: A hand, and its round.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.post_lines(
            build_path("/v1/hands"),
            lines,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
        )

    def find_hands(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        player: str | None = None,
        table: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        ruleset: str | None = None,
        reference: str | None = None,
        foul: bool | None = None,
        fantasyland: bool | None = None,
    ) -> Pages[models.FoundHand]:
        """
        List the hands in force of all rounds of the club, newest recorded first.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            player: Find only hands that were dealt to the player with this ID.
            table: Find only hands of the table with this ID.
            from_: Find only hands played, or else recorded, at or after this time.
            to: Find only hands played, or else recorded, before this time.
            ruleset: Find only hands scored under this ruleset, as a name (any version) or `name@version`.
            reference: Find only the hand with this reference: one, or none if it was undone.
            foul: Find only hands with a foul board, or without one; with `player`, only their board counts.
            fantasyland: Find only hands with a player in Fantasyland, or without one; with `player`, only they
                count.
        """
        return self._calls.get_pages(
            build_path("/v1/hands"),
            "hands",
            query={
                "limit": limit,
                "cursor": cursor,
                "player": player,
                "table": table,
                "from": from_,
                "to": to,
                "ruleset": ruleset,
                "reference": reference,
                "foul": foul,
                "fantasyland": fantasyland,
            },
        )

    def get_hand(self, hand_id: str) -> models.RecordedHandWithRound:
        """
        Return a hand with its result and its metadata, and the round as it is now.

        Args:
            hand_id: ID of the hand.
        """
        return self._calls.call(
            "GET", build_path("/v1/hands/{hand_id}", hand_id=hand_id), is_valid=responses.is_hand_of_round
        )

    def update_hand(
        self,
        hand_id: str,
        request: requests.MetadataChanges,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.RecordedHandWithRound:
        """
        Change the metadata of a hand.

        Args:
            hand_id: ID of the hand.
            request: The metadata that a record has from now on, instead of those that it had.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "PATCH",
            build_path("/v1/hands/{hand_id}", hand_id=hand_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
            is_valid=responses.is_hand_of_round,
        )

    def correct_round(
        self,
        round_id: str,
        request: requests.CorrectionRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.RoundComparison:
        """
        Correct a round: amend its document, and replay it from the start.

        Args:
            round_id: ID of the round.
            request: A correction of a round: a patch of its document, changes of rows, or the whole corrected
                document.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/rounds/{round_id}/corrections", round_id=round_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def what_if(self, round_id: str, request: requests.WhatIfRequest) -> models.RoundComparison:
        """
        Return the result of a round under another ruleset, or with another document. Nothing is stored.

        Args:
            round_id: ID of the round.
            request: Another ruleset, or changes to the round's document, to play without storing the result.
        """
        return self._calls.call("POST", build_path("/v1/rounds/{round_id}/what-if", round_id=round_id), body=request)

    def open_dispute(
        self, request: requests.DisputeRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.DisputeWithHistory:
        """
        Open a dispute of the settlement of a round that has ended.

        Args:
            request: A claim against the settlement of a round: about the whole round, a hand, a seat, or a row of a
                hand.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/disputes"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_disputes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: models.DisputeState | None = None,
        table: str | None = None,
        round: str | None = None,
    ) -> Pages[models.Dispute]:
        """
        List the club's disputes, oldest first, by state, table and round.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            state: List only disputes in this state.
            table: List only disputes about rounds of this table.
            round: List only disputes about this round.
        """
        return self._calls.get_pages(
            build_path("/v1/disputes"),
            "disputes",
            query={"limit": limit, "cursor": cursor, "state": state, "table": table, "round": round},
        )

    def get_dispute(self, dispute_id: str) -> models.DisputeWithHistory:
        """
        Return a dispute with its history and the anomalies of its round.

        Args:
            dispute_id: ID of the dispute.
        """
        return self._calls.call("GET", build_path("/v1/disputes/{dispute_id}", dispute_id=dispute_id))

    def comment_on_dispute(
        self,
        dispute_id: str,
        request: requests.DisputeCommentRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.DisputeWithHistory:
        """
        Add a comment to a dispute that has not ended.

        Args:
            dispute_id: ID of the dispute.
            request: A comment on a dispute.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/disputes/{dispute_id}/comments", dispute_id=dispute_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def review_dispute(
        self,
        dispute_id: str,
        request: requests.DisputeReviewRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.DisputeWithHistory:
        """
        Start the review of an open dispute.

        Args:
            dispute_id: ID of the dispute.
            request: The start of a dispute's review.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/disputes/{dispute_id}/review", dispute_id=dispute_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def resolve_dispute(
        self,
        dispute_id: str,
        request: requests.DisputeResolutionRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.DisputeWithHistory:
        """
        Resolve a dispute that is under review: uphold or reject it.

        Args:
            dispute_id: ID of the dispute.
            request: The result of a dispute's review.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/disputes/{dispute_id}/resolve", dispute_id=dispute_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def withdraw_dispute(
        self,
        dispute_id: str,
        request: requests.DisputeWithdrawalRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.DisputeWithHistory:
        """
        Withdraw a dispute that has not ended.

        Args:
            dispute_id: ID of the dispute.
            request: The withdrawal of a dispute.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/disputes/{dispute_id}/withdraw", dispute_id=dispute_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def explain_hand(self, hand_id: str, *, revision: int | None = None) -> models.HandExplanation:
        """
        Explain a hand: every point with the deciding cards, every cap with the stacks.

        Args:
            hand_id: ID of the hand.
            revision: Number of the round's revision.
        """
        return self._calls.call(
            "GET", build_path("/v1/hands/{hand_id}/explanation", hand_id=hand_id), query={"revision": revision}
        )

    def explain_hand_as(
        self, form: Literal["text/plain", "text/html"], hand_id: str, *, revision: int | None = None
    ) -> Content:
        """
        Return the response of `explain_hand` in another form.

        Args:
            form: the media type.
            hand_id: ID of the hand.
            revision: Number of the round's revision.
        """
        return self._calls.get_content(
            build_path("/v1/hands/{hand_id}/explanation", hand_id=hand_id), form, query={"revision": revision}
        )

    def play_document(
        self, request: requests.RoundDocumentRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.RoundWithSettlement:
        """
        Play a whole round in one transaction, or refuse it and report every error.

        Args:
            request: A round document to play, optionally with charges of its hands and the expected result.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/documents"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
        )

    def issue_link(self, request: requests.LinkRequest) -> models.NewLink:
        """
        Create a link to one table or one round: for a scorekeeper, for viewers, or for a player.

        Args:
            request: A link to a table or to a round. Without a kind, it is a viewer's.
        """
        return self._calls.call("POST", build_path("/v1/links"), body=request)

    def list_links(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        table: str | None = None,
        round: str | None = None,
        kind: models.LinkKind | None = None,
        state: Literal["valid", "ended"] | None = None,
    ) -> Pages[models.Link]:
        """
        List the links of the club, newest first, including expired and revoked ones.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            table: Only links to this table and to its rounds.
            round: Only links to this round.
            kind: Only links of this kind.
            state: `valid` for links that can be used; `ended` for those that are expired or revoked, or whose key
                has ended.
        """
        return self._calls.get_pages(
            build_path("/v1/links"),
            "links",
            query={"limit": limit, "cursor": cursor, "table": table, "round": round, "kind": kind, "state": state},
        )

    def revoke_link(self, link_id: str) -> None:
        """
        Revoke a link immediately. Other links stay valid.

        Args:
            link_id: ID of the link.
        """
        self._calls.call_without_response("DELETE", build_path("/v1/links/{link_id}", link_id=link_id))

    def get_link(self) -> models.CurrentLink:
        """Return the link that authenticates the request."""
        return self._calls.call("GET", build_path("/v1/link"))

    def issue_console_link(self) -> models.ConsoleLink:
        """Create a link that signs in to the console once, with the key of this request."""
        return self._calls.call("POST", build_path("/v1/console-links"))

    def issue_phone_link(self) -> models.PhoneLink:
        """Create a link that makes one phone a scorekeeper of the club, once."""
        return self._calls.call("POST", build_path("/v1/phone-links"))

    def sign_in_phone(self, request: requests.PhoneSignIn) -> models.CurrentLink:
        """
        Issue a link to the club to a phone, with the code of a link that signs in once.

        Args:
            request: What a phone sends to become a scorekeeper of the club.
        """
        return self._calls.call("POST", build_path("/v1/phones"), body=request)

    def show_scorekeeper(self, table_id: str, device_id: str, request: requests.ScorekeeperRequest) -> None:
        """
        Show that a hand is being entered on a device, so that nobody else enters it too.

        Args:
            table_id: ID of the table.
            device_id: ID that the device has given itself, as a UUID.
            request: The hand that is being entered on a device.
        """
        self._calls.call_without_response(
            "PUT",
            build_path("/v1/tables/{table_id}/scorekeepers/{device_id}", table_id=table_id, device_id=device_id),
            body=request,
        )

    def hide_scorekeeper(self, table_id: str, device_id: str) -> None:
        """
        Remove a device from the scorekeepers of a table.

        Args:
            table_id: ID of the table.
            device_id: ID that the device has given itself, as a UUID.
        """
        self._calls.call_without_response(
            "DELETE",
            build_path("/v1/tables/{table_id}/scorekeepers/{device_id}", table_id=table_id, device_id=device_id),
        )

    def list_scorekeepers(self, table_id: str, *, if_none_match: str | None = None) -> Pages[models.Scorekeeper]:
        """
        List the devices on which hands of a table are being entered now.

        Args:
            table_id: ID of the table.
            if_none_match: The `ETag` of a response that the client has.
        """
        return self._calls.get_pages(
            build_path("/v1/tables/{table_id}/scorekeepers", table_id=table_id),
            "scorekeepers",
            headers={"If-None-Match": if_none_match},
        )

    def define_unit(
        self, request: requests.UnitRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Unit:
        """
        Define a unit of the club, for example `chips` or `mBTC`, which tables, payments and charges can then use.

        Args:
            request: A unit to define.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/units"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_units(self) -> list[models.Unit]:
        """List the units that the club has defined, and the currencies of its tables, rounds, payments and charges."""
        return list(self._calls.get_pages(build_path("/v1/units"), "units"))

    def start_import(
        self,
        lines: Iterable[requests.RoundDocumentRequest] | bytes,
        *,
        state: Literal["final", "provisional"] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Import:
        """
        Import rounds from NDJSON: one round document per line.

        Args:
            lines: A round document to play, optionally with charges of its hands and the expected result.
            state: Settlement state of the imported rounds that can have no more hands.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
        """
        return self._calls.post_packed(
            build_path("/v1/imports"),
            lines,
            query={"state": state},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_imports(
        self, *, limit: int | None = None, cursor: str | None = None, state: models.JobState | None = None
    ) -> Pages[models.Import]:
        """
        List the club's imports with their progress and results so far, newest first.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            state: List only jobs in this state.
        """
        return self._calls.get_pages(
            build_path("/v1/imports"), "imports", query={"limit": limit, "cursor": cursor, "state": state}
        )

    def get_import(self, import_id: str) -> models.Import:
        """
        Return an import with its progress and its results so far.

        Args:
            import_id: ID of the import.
        """
        return self._calls.call("GET", build_path("/v1/imports/{import_id}", import_id=import_id))

    def cancel_import(
        self, import_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Import:
        """
        Cancel an import. Stored rounds stay; lines that are being stored are completed; no further ones are started.

        Args:
            import_id: ID of the import.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/imports/{import_id}/cancel", import_id=import_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def pause_import(
        self, import_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Import:
        """
        Pause an import until it is resumed.

        Args:
            import_id: ID of the import.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/imports/{import_id}/pause", import_id=import_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def resume_import(
        self, import_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Import:
        """
        Resume a paused import.

        Args:
            import_id: ID of the import.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/imports/{import_id}/resume", import_id=import_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_import_results(self, import_id: str) -> list[models.ImportLineResult]:
        """
        List the result of every line so far, as NDJSON.

        Args:
            import_id: ID of the import.
        """
        return list(
            self._calls.get_content(
                build_path("/v1/imports/{import_id}/results", import_id=import_id), "application/x-ndjson"
            ).parse()
        )

    def export_rounds(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        records: Literal["hands", "results", "transfers"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Content:
        """
        Export rounds as NDJSON: one document per line, in the format that `POST /v1/imports` accepts.

        Args:
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            table: Only rounds of the table with this ID.
            records: What the rows of a Parquet file are: hands, the result of each player in a hand, or transfers.
            limit: Maximum number of lines; the header `Link` then leads to the next ones.
            cursor: Cursor from the header `Link` of the lines before.
        """
        return self._calls.get_content(
            build_path("/v1/export"),
            "application/x-ndjson",
            query={"from": from_, "to": to, "table": table, "records": records, "limit": limit, "cursor": cursor},
        )

    def export_rounds_as(
        self,
        form: Literal["application/vnd.apache.parquet"],
        *,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        records: Literal["hands", "results", "transfers"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Content:
        """
        Return the response of `export_rounds` in another form.

        Args:
            form: the media type.
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            table: Only rounds of the table with this ID.
            records: What the rows of a Parquet file are: hands, the result of each player in a hand, or transfers.
            limit: Maximum number of lines; the header `Link` then leads to the next ones.
            cursor: Cursor from the header `Link` of the lines before.
        """
        return self._calls.get_content(
            build_path("/v1/export"),
            form,
            query={"from": from_, "to": to, "table": table, "records": records, "limit": limit, "cursor": cursor},
        )

    def list_ledger(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        evening: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        posted_from: str | None = None,
        posted_before: str | None = None,
        player: str | None = None,
        kind: models.EntryKind | None = None,
        unit: str | None = None,
        reference: str | None = None,
        round: str | None = None,
        ids: Literal["raw"] | None = None,
    ) -> Pages[models.LedgerLine]:
        """
        List the journal of the club in the order in which it was written, as lines that say who owes whom how much.

        Args:
            from_: Only entries of rounds opened, and of payments paid, at or after this time.
            to: Only entries of rounds opened, and of payments paid, before this time.
            table: Only entries of rounds at this table, and of payments of its points.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            limit: Maximum number of lines on the page.
            cursor: The `next_cursor` of an earlier page.
            posted_from: Only entries written at or after this time.
            posted_before: Only entries written before this time.
            player: Only lines from or to this player.
            kind: Only entries of this kind.
            unit: Only entries in this unit.
            reference: Only entries with this reference: of a payment or charge, or of the round.
            round: Only entries of the round with this ID.
            ids: With `raw`, the texts of CSV are as they are stored, so that programs can compare IDs.
        """
        return self._calls.get_pages(
            build_path("/v1/ledger"),
            "lines",
            query={
                "from": from_,
                "to": to,
                "table": table,
                "evening": evening,
                "limit": limit,
                "cursor": cursor,
                "posted_from": posted_from,
                "posted_before": posted_before,
                "player": player,
                "kind": kind,
                "unit": unit,
                "reference": reference,
                "round": round,
                "ids": ids,
            },
        )

    def list_ledger_as(
        self,
        form: Literal["text/csv", "application/vnd.apache.parquet"],
        *,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        evening: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        posted_from: str | None = None,
        posted_before: str | None = None,
        player: str | None = None,
        kind: models.EntryKind | None = None,
        unit: str | None = None,
        reference: str | None = None,
        round: str | None = None,
        ids: Literal["raw"] | None = None,
    ) -> Content:
        """
        Return the response of `list_ledger` in another form.

        Args:
            form: the media type.
            from_: Only entries of rounds opened, and of payments paid, at or after this time.
            to: Only entries of rounds opened, and of payments paid, before this time.
            table: Only entries of rounds at this table, and of payments of its points.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            limit: Maximum number of lines on the page.
            cursor: The `next_cursor` of an earlier page.
            posted_from: Only entries written at or after this time.
            posted_before: Only entries written before this time.
            player: Only lines from or to this player.
            kind: Only entries of this kind.
            unit: Only entries in this unit.
            reference: Only entries with this reference: of a payment or charge, or of the round.
            round: Only entries of the round with this ID.
            ids: With `raw`, the texts of CSV are as they are stored, so that programs can compare IDs.
        """
        return self._calls.get_content(
            build_path("/v1/ledger"),
            form,
            query={
                "from": from_,
                "to": to,
                "table": table,
                "evening": evening,
                "limit": limit,
                "cursor": cursor,
                "posted_from": posted_from,
                "posted_before": posted_before,
                "player": player,
                "kind": kind,
                "unit": unit,
                "reference": reference,
                "round": round,
                "ids": ids,
            },
        )

    def get_balances(
        self, *, player: str | None = None, unit: str | None = None, table: str | None = None, as_of: str | None = None
    ) -> models.Balances:
        """
        Return what everyone is owed or owes now, by unit, and the payments that settle it.

        Args:
            player: Only the balances of this player, and of what settles all balances only their payments.
            unit: Only the balances in this unit: a currency, as an ISO 4217 code; a unit of the club, by its code;
                or the ID of a table whose points have no value.
            table: Only entries of this table: those of its rounds, of payments and charges for them, and of
                payments of its points or by its links.
            as_of: Only entries written at or before this time.
        """
        return self._calls.call(
            "GET", build_path("/v1/balances"), query={"player": player, "unit": unit, "table": table, "as_of": as_of}
        )

    def get_club_statement(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        evening: str | None = None,
        tables: str | None = None,
        player: str | None = None,
        settle_up: Literal["fewest", "pairs"] | None = None,
        ids: Literal["raw"] | None = None,
    ) -> models.ClubStatement:
        """
        Return the results of rounds at all tables or some, player by player, and the payments that settle them up.

        Args:
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            tables: Only rounds at these tables: their IDs, separated by commas.
            player: Only rounds that this player played.
            settle_up: `fewest` for the fewest payments, `pairs` for one payment between each two players, of what
                they won from each other.
            ids: With `raw`, the texts of CSV are as they are stored, so that programs can compare IDs.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/statement"),
            query={
                "from": from_,
                "to": to,
                "evening": evening,
                "tables": tables,
                "player": player,
                "settle_up": settle_up,
                "ids": ids,
            },
        )

    def get_club_statement_as(
        self,
        form: Literal["text/csv"],
        *,
        from_: str | None = None,
        to: str | None = None,
        evening: str | None = None,
        tables: str | None = None,
        player: str | None = None,
        settle_up: Literal["fewest", "pairs"] | None = None,
        ids: Literal["raw"] | None = None,
    ) -> Content:
        """
        Return the response of `get_club_statement` in another form.

        Args:
            form: the media type.
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            tables: Only rounds at these tables: their IDs, separated by commas.
            player: Only rounds that this player played.
            settle_up: `fewest` for the fewest payments, `pairs` for one payment between each two players, of what
                they won from each other.
            ids: With `raw`, the texts of CSV are as they are stored, so that programs can compare IDs.
        """
        return self._calls.get_content(
            build_path("/v1/statement"),
            form,
            query={
                "from": from_,
                "to": to,
                "evening": evening,
                "tables": tables,
                "player": player,
                "settle_up": settle_up,
                "ids": ids,
            },
        )

    def record_payment(
        self, request: requests.PaymentRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.RecordedPayment:
        """
        Record that one player paid another, or the house.

        Args:
            request: A payment of one player to another, or to or from the house.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/payments"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def reverse_payment(
        self,
        payment_id: str,
        request: requests.ReversalRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.Reversal:
        """
        Take back a payment. The journal then has both; a payment can be taken back once.

        Args:
            payment_id: ID of the payment.
            request: Why a payment or charge is taken back.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/payments/{payment_id}/reversal", payment_id=payment_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def record_charge(
        self, request: requests.ChargeRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.RecordedCharge:
        """
        Record that a player owes the house an amount, for example a fee.

        Args:
            request: An amount that a player owes the house.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/charges"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def reverse_charge(
        self,
        charge_id: str,
        request: requests.ReversalRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.Reversal:
        """
        Take back a charge. The journal then has both; a charge can be taken back once.

        Args:
            charge_id: ID of the charge.
            request: Why a payment or charge is taken back.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/charges/{charge_id}/reversal", charge_id=charge_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def claim_payment(
        self, request: requests.PaymentClaimRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.PaymentClaim:
        """
        Record that a player claims to have paid another, or the house.

        Args:
            request: A payment that its payer claims to have made, to another player or to the house.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/payment-claims"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_payment_claims(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: models.PaymentClaimState | None = None,
        player: str | None = None,
    ) -> Pages[models.PaymentClaim]:
        """
        List claims of payments, newest first.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            state: List only claims in this state.
            player: List only claims by this player or to this player.
        """
        return self._calls.get_pages(
            build_path("/v1/payment-claims"),
            "claims",
            query={"limit": limit, "cursor": cursor, "state": state, "player": player},
        )

    def confirm_payment_claim(
        self, payment_claim_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.RecordedPayment:
        """
        Confirm that a claimed payment was received: it is recorded as a payment, with the reference of the claim.

        Args:
            payment_claim_id: ID of the payment claim.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/payment-claims/{payment_claim_id}/confirm", payment_claim_id=payment_claim_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def decline_payment_claim(
        self,
        payment_claim_id: str,
        request: requests.PaymentClaimDeclineRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.PaymentClaim:
        """
        Decline a claim, because the payment was not received. A player's link declines payments to this player.

        Args:
            payment_claim_id: ID of the payment claim.
            request: Why a claim is declined.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/payment-claims/{payment_claim_id}/decline", payment_claim_id=payment_claim_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def withdraw_payment_claim(
        self, payment_claim_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.PaymentClaim:
        """
        Withdraw a claim that is pending. A player's link withdraws claims of this player.

        Args:
            payment_claim_id: ID of the payment claim.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/payment-claims/{payment_claim_id}/withdraw", payment_claim_id=payment_claim_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_statistics(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        evening: str | None = None,
        ruleset: str | None = None,
    ) -> models.Statistics:
        """
        Return the statistics of all players, by table, ruleset and period.

        Args:
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            table: Only rounds of the table with this ID.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            ruleset: Only hands under this ruleset: all versions, or one as `name@version`.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/statistics"),
            query={"from": from_, "to": to, "table": table, "evening": evening, "ruleset": ruleset},
        )

    def get_player_statistics(
        self,
        player: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        evening: str | None = None,
        ruleset: str | None = None,
    ) -> models.Statistics:
        """
        Return the statistics of a player, by table, ruleset and period.

        Args:
            player: The operator's ID of the player, percent-encoded as one segment: `a/b` is `a%2Fb`.
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            table: Only rounds of the table with this ID.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            ruleset: Only hands under this ruleset: all versions, or one as `name@version`.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/players/{player}/statistics", player=player),
            query={"from": from_, "to": to, "table": table, "evening": evening, "ruleset": ruleset},
        )

    def get_plot(
        self,
        plot: models.PlotName,
        *,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        evening: str | None = None,
        round: str | None = None,
        player: str | None = None,
        highlight: str | None = None,
        ids: Literal["raw"] | None = None,
    ) -> models.Plot:
        """
        Return a plot as SVG, or its figures as CSV or JSON, as the header `Accept` requests.

        Args:
            plot: Name of the plot: the stacks after each hand (`stacks`), points won over time (`net`), points by
                source (`sources`), points between each two players (`head-to-head`), points due and paid (`caps`),
                the rate of foul boards (`fouls`), or how often each number of points was won in a hand
                (`distribution`).
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            table: Only rounds of the table with this ID.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            round: Only this round.
            player: Only the figures of this player.
            highlight: Player whose line is in color, and who has a line even if others have more hands.
            ids: With `raw`, the texts of CSV are as they are stored, so that programs can compare IDs.
        """
        return self._calls.call(
            "GET",
            build_path("/v1/plots/{plot}", plot=plot),
            query={
                "from": from_,
                "to": to,
                "table": table,
                "evening": evening,
                "round": round,
                "player": player,
                "highlight": highlight,
                "ids": ids,
            },
        )

    def get_plot_as(
        self,
        form: Literal["image/svg+xml", "text/csv"],
        plot: models.PlotName,
        *,
        from_: str | None = None,
        to: str | None = None,
        table: str | None = None,
        evening: str | None = None,
        round: str | None = None,
        player: str | None = None,
        highlight: str | None = None,
        ids: Literal["raw"] | None = None,
    ) -> Content:
        """
        Return the response of `get_plot` in another form.

        Args:
            form: the media type.
            plot: Name of the plot: the stacks after each hand (`stacks`), points won over time (`net`), points by
                source (`sources`), points between each two players (`head-to-head`), points due and paid (`caps`),
                the rate of foul boards (`fouls`), or how often each number of points was won in a hand
                (`distribution`).
            from_: Only rounds opened at or after this time.
            to: Only rounds opened before this time.
            table: Only rounds of the table with this ID.
            evening: Only rounds opened on this evening of the club, which ends when the next one begins.
            round: Only this round.
            player: Only the figures of this player.
            highlight: Player whose line is in color, and who has a line even if others have more hands.
            ids: With `raw`, the texts of CSV are as they are stored, so that programs can compare IDs.
        """
        return self._calls.get_content(
            build_path("/v1/plots/{plot}", plot=plot),
            form,
            query={
                "from": from_,
                "to": to,
                "table": table,
                "evening": evening,
                "round": round,
                "player": player,
                "highlight": highlight,
                "ids": ids,
            },
        )

    def make_checkpoint(self) -> models.Checkpoint:
        """Sign a checkpoint of all events so far."""
        return self._calls.call("POST", build_path("/v1/checkpoints"))

    def list_checkpoints(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[models.Checkpoint]:
        """
        List the club's checkpoints, newest first.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
        """
        return self._calls.get_pages(
            build_path("/v1/checkpoints"), "checkpoints", query={"limit": limit, "cursor": cursor}
        )

    def prove_consistency(self, *, from_: int, to: int) -> models.CheckpointConsistencyProof:
        """
        Return the proof that a tree of events has every event of an older tree, in the same order.

        Args:
            from_: Size of the older tree, in events.
            to: Size of the newer tree, in events.
        """
        return self._calls.call("GET", build_path("/v1/checkpoints/consistency"), query={"from": from_, "to": to})

    def prove_inclusion(self, *, position: int, size: int) -> models.CheckpointInclusionProof:
        """
        Return the proof that an event is in the tree of a checkpoint.

        Args:
            position: Position of the event in the tree, as in `/v1/events`.
            size: Number of events in the tree of the checkpoint.
        """
        return self._calls.call(
            "GET", build_path("/v1/checkpoints/inclusion"), query={"position": position, "size": size}
        )

    def get_checkpoint(self, address: str) -> str:
        """
        Return a checkpoint as a signed note. No key is required.

        Args:
            address: ID of the checkpoint.
        """
        return self._calls.get_text(build_path("/v1/checkpoints/{address}", address=address), "text/plain")

    def add_cosignature(self, address: str, request: requests.CosignatureRequest) -> models.Cosignature:
        """
        Add the cosignature of a witness to a checkpoint.

        Args:
            address: ID of the checkpoint.
            request: The cosignature of a witness (C2SP tlog-cosignature, version 1) to add to a checkpoint.
        """
        return self._calls.call(
            "POST", build_path("/v1/checkpoints/{address}/cosignatures", address=address), body=request
        )

    def list_checkpoint_keys(self) -> list[models.CheckpointKey]:
        """List every public key that signed a checkpoint. No key is required."""
        return list(self._calls.get_pages(build_path("/.well-known/tablestakes-checkpoint-keys"), "keys"))

    def list_events(
        self,
        *,
        kind: list[
            Literal[
                "ruleset.added",
                "club.created",
                "club.changed",
                "checkpoint.sealed",
                "key.created",
                "key.revoked",
                "webhook.added",
                "webhook.changed",
                "webhook.removed",
                "webhook.secret-rotated",
                "link.issued",
                "link.revoked",
                "player.named",
                "player.erased",
                "player.joined",
                "player.parted",
                "unit.defined",
                "texts.erased",
                "metadata.changed",
                "table.created",
                "table.changed",
                "round.opened",
                "hand.recorded",
                "hand.withdrawn",
                "departure.recorded",
                "round.closed",
                "round.corrected",
                "round.recomputed",
                "settlement.confirmed",
                "settlement.finalized",
                "dispute.opened",
                "dispute.commented",
                "dispute.reviewed",
                "dispute.resolved",
                "dispute.withdrawn",
                "payment.recorded",
                "payment.reversed",
                "payment.claimed",
                "payment.claim-declined",
                "payment.claim-withdrawn",
                "charge.recorded",
                "charge.reversed",
                "proposal.opened",
                "proposal.confirmed",
                "proposal.withdrawn",
                "findings.acknowledged",
            ]
        ]
        | None = None,
        table: str | None = None,
        round: str | None = None,
        after: int | None = None,
        limit: int | None = None,
        wait: int | None = None,
    ) -> Content:
        """
        List the club's events, in the order in which they joined the tree that checkpoints sign.

        Args:
            kind: Only events of these kinds, separated by commas.
            table: Only events of the table with this ID and of its rounds.
            round: Only events of the round with this ID.
            after: Position of the last event that you have.
            limit: Maximum number of events in the response.
            wait: Seconds to wait for a new event if there is none yet.
        """
        return self._calls.get_content(
            build_path("/v1/events"),
            "application/x-ndjson",
            query={"kind": kind, "table": table, "round": round, "after": after, "limit": limit, "wait": wait},
        )

    def start_recomputation(
        self, request: requests.RecomputationRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Recomputation:
        """
        Replay stored rounds from their boards, and report every difference from the records.

        Args:
            request: A recomputation to start: stored rounds are replayed and compared with the records.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/recomputations"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_recomputations(
        self, *, limit: int | None = None, cursor: str | None = None, state: models.JobState | None = None
    ) -> Pages[models.Recomputation]:
        """
        List the club's recomputations with their progress and results so far, newest first.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            state: List only jobs in this state.
        """
        return self._calls.get_pages(
            build_path("/v1/recomputations"), "recomputations", query={"limit": limit, "cursor": cursor, "state": state}
        )

    def get_recomputation(self, recomputation_id: str) -> models.Recomputation:
        """
        Return a recomputation with its progress and its results so far.

        Args:
            recomputation_id: ID of the recomputation.
        """
        return self._calls.call(
            "GET", build_path("/v1/recomputations/{recomputation_id}", recomputation_id=recomputation_id)
        )

    def cancel_recomputation(
        self, recomputation_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Recomputation:
        """
        Cancel a recomputation. Stored results stay; running chunks are completed; no further ones are started.

        Args:
            recomputation_id: ID of the recomputation.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/recomputations/{recomputation_id}/cancel", recomputation_id=recomputation_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def pause_recomputation(
        self, recomputation_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Recomputation:
        """
        Pause a recomputation until it is resumed.

        Args:
            recomputation_id: ID of the recomputation.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/recomputations/{recomputation_id}/pause", recomputation_id=recomputation_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def resume_recomputation(
        self, recomputation_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Recomputation:
        """
        Resume a paused recomputation.

        Args:
            recomputation_id: ID of the recomputation.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/recomputations/{recomputation_id}/resume", recomputation_id=recomputation_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_differences(
        self, recomputation_id: str, *, limit: int | None = None, cursor: str | None = None
    ) -> Pages[models.RecomputationDifference]:
        """
        List the differences that a recomputation has found so far, in the order of rounds.

        Args:
            recomputation_id: ID of the recomputation.
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
        """
        return self._calls.get_pages(
            build_path("/v1/recomputations/{recomputation_id}/differences", recomputation_id=recomputation_id),
            "differences",
            query={"limit": limit, "cursor": cursor},
        )

    def list_differences_as(
        self,
        form: Literal["application/x-ndjson"],
        recomputation_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Content:
        """
        Return the response of `list_differences` in another form.

        Args:
            form: the media type.
            recomputation_id: ID of the recomputation.
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
        """
        return self._calls.get_content(
            build_path("/v1/recomputations/{recomputation_id}/differences", recomputation_id=recomputation_id),
            form,
            query={"limit": limit, "cursor": cursor},
        )

    def propose_correction(
        self,
        round_id: str,
        request: requests.CorrectionProposalRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.ProposalWithChanges:
        """
        Propose a correction of a round, which takes effect when another key confirms it.

        Args:
            round_id: ID of the round.
            request: A correction of a round that is proposed, as `POST /v1/rounds/{round_id}/corrections` has it.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/rounds/{round_id}/proposals", round_id=round_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def propose_recomputation(
        self,
        recomputation_id: str,
        request: requests.RecomputationProposalRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.ProposalWithChanges:
        """
        Propose to apply an audit, with its rounds whose settlement is or was final.

        Args:
            recomputation_id: ID of the recomputation.
            request: The proposal to apply an audit, with its rounds whose settlement is or was final.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/recomputations/{recomputation_id}/proposals", recomputation_id=recomputation_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_proposals(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: models.ProposalState | None = None,
        round: str | None = None,
    ) -> Pages[models.Proposal]:
        """
        List the club's proposals, newest first, by state and round.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            state: List only proposals in this state.
            round: List only proposals to correct this round.
        """
        return self._calls.get_pages(
            build_path("/v1/proposals"),
            "proposals",
            query={"limit": limit, "cursor": cursor, "state": state, "round": round},
        )

    def get_proposal(self, proposal_id: str) -> models.ProposalWithChanges:
        """
        Return a proposal with what it changes.

        Args:
            proposal_id: ID of the proposal.
        """
        return self._calls.call("GET", build_path("/v1/proposals/{proposal_id}", proposal_id=proposal_id))

    def confirm_proposal(
        self, proposal_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.ProposalWithChanges:
        """
        Confirm a proposal, so that it takes effect.

        Args:
            proposal_id: ID of the proposal.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/proposals/{proposal_id}/confirm", proposal_id=proposal_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def withdraw_proposal(
        self,
        proposal_id: str,
        request: requests.WithdrawalRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.ProposalWithChanges:
        """
        Withdraw a proposal, or refuse that of another key.

        Args:
            proposal_id: ID of the proposal.
            request: Why a proposal is withdrawn or refused.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/proposals/{proposal_id}/withdraw", proposal_id=proposal_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def add_webhook(
        self, request: requests.WebhookRequest, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Webhook:
        """
        Create a webhook. `get_webhook_secret` returns the secret that signs its messages.

        Args:
            request: A webhook: an endpoint, and the kinds of messages that it receives.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/webhooks"),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_webhooks(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[models.Webhook]:
        """
        List the club's webhooks, newest first.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
        """
        return self._calls.get_pages(build_path("/v1/webhooks"), "webhooks", query={"limit": limit, "cursor": cursor})

    def get_webhook(self, webhook_id: str) -> models.Webhook:
        """
        Return a webhook.

        Args:
            webhook_id: ID of the webhook.
        """
        return self._calls.call("GET", build_path("/v1/webhooks/{webhook_id}", webhook_id=webhook_id))

    def update_webhook(self, webhook_id: str, request: requests.WebhookChanges) -> models.Webhook:
        """
        Change the URL, kinds, description or state of a webhook. What is omitted stays as it is.

        Args:
            webhook_id: ID of the webhook.
            request: What to change in a webhook. A field that is omitted stays as it is.
        """
        return self._calls.call("PATCH", build_path("/v1/webhooks/{webhook_id}", webhook_id=webhook_id), body=request)

    def remove_webhook(self, webhook_id: str) -> None:
        """
        Delete a webhook with its deliveries. Messages that wait are not sent.

        Args:
            webhook_id: ID of the webhook.
        """
        self._calls.call_without_response("DELETE", build_path("/v1/webhooks/{webhook_id}", webhook_id=webhook_id))

    def get_webhook_secret(self, webhook_id: str) -> models.WebhookSecret:
        """
        Return the secret that signs the messages of a webhook.

        Args:
            webhook_id: ID of the webhook.
        """
        return self._calls.call("GET", build_path("/v1/webhooks/{webhook_id}/secret", webhook_id=webhook_id))

    def rotate_webhook_secret(
        self,
        webhook_id: str,
        request: requests.SecretRotationRequest,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
    ) -> models.Webhook:
        """
        Replace the secret of a webhook by a new one.

        Args:
            webhook_id: ID of the webhook.
            request: A rotation of the secret of a webhook.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/webhooks/{webhook_id}/secret/rotate", webhook_id=webhook_id),
            body=request,
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def test_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Delivery:
        """
        Send a message of the kind `webhook.test`. `list_webhook_deliveries` shows its result.

        Args:
            webhook_id: ID of the webhook.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path("/v1/webhooks/{webhook_id}/test", webhook_id=webhook_id),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: models.DeliveryState | None = None,
    ) -> Pages[models.Delivery]:
        """
        List the messages to a webhook, newest first: all, or those in one state.

        Args:
            webhook_id: ID of the webhook.
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
            state: List only deliveries in this state.
        """
        return self._calls.get_pages(
            build_path("/v1/webhooks/{webhook_id}/deliveries", webhook_id=webhook_id),
            "deliveries",
            query={"limit": limit, "cursor": cursor, "state": state},
        )

    def redeliver_message(
        self, webhook_id: str, delivery_id: str, *, idempotency_key: str | None = None, dry_run: bool = False
    ) -> models.Delivery:
        """
        Send a message again, with the same `webhook-id`, whether it was delivered or dead-lettered.

        Args:
            webhook_id: ID of the webhook.
            delivery_id: ID of the delivery.
            idempotency_key: Makes the request safe to retry: for 30 days, unless the service is configured
                otherwise, the same key and body return the first response.
            dry_run: Process the request and return the same response, but store nothing.
        """
        return self._calls.call(
            "POST",
            build_path(
                "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
                webhook_id=webhook_id,
                delivery_id=delivery_id,
            ),
            query={"dry_run": dry_run or None},
            headers={"Idempotency-Key": idempotency_key},
            makes_key=True,
        )

    def get_club(self) -> models.Club:
        """Return the club of the key: its time zone, when its evenings begin, and whether it requires a second auditor."""
        return self._calls.call("GET", build_path("/v1/club"), is_valid=responses.is_club)

    def create_key(self, request: requests.ApiKeyRequest) -> models.NewApiKey:
        """
        Create an API key of the club.

        Args:
            request: An API key to create, with the scopes of a preset or with single scopes.
        """
        return self._calls.call("POST", build_path("/v1/keys"), body=request)

    def list_keys(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[models.ApiKey]:
        """
        List the club's keys, newest first, including expired and revoked ones.

        Args:
            limit: Maximum number of items on the page.
            cursor: The `next_cursor` of the page before.
        """
        return self._calls.get_pages(build_path("/v1/keys"), "keys", query={"limit": limit, "cursor": cursor})

    def revoke_key(self, key_id: str) -> None:
        """
        Revoke a key of the club immediately; it can be the key of this request.

        Args:
            key_id: ID of the key.
        """
        self._calls.call_without_response("DELETE", build_path("/v1/keys/{key_id}", key_id=key_id))

    def find_id(self, *, ending: str, kind: models.IdKind | None = None) -> models.FoundId:
        """
        Find the whole ID of a record by its last characters.

        Args:
            ending: The last 6 or more characters of the id.
            kind: What it is the id of.
        """
        return self._calls.call("GET", build_path("/v1/ids"), query={"ending": ending, "kind": kind})

    def erase_texts(self, record_id: str) -> None:
        """
        Erase the texts of a record: notes, reasons, claims, comments, metadata, the label of a link or the name of a key.

        Args:
            record_id: ID of a table, round, hand, dispute, payment, charge, reversal, recomputation, link or key.
        """
        self._calls.call_without_response("DELETE", build_path("/v1/texts/{record_id}", record_id=record_id))

    def check_health(self) -> models.Health:
        """Return whether the process responds. The database is not queried."""
        return self._calls.call("GET", build_path("/healthz"))

    def check_readiness(self) -> models.Readiness:
        """Return whether the database is ready: migrated, unaltered, writable and durable, and no commit waits long."""
        return self._calls.call("GET", build_path("/readyz"))

    def get_contract(self) -> str:
        """Return the OpenAPI document of this API, compressed with `Accept-Encoding: gzip`."""
        return self._calls.get_text(build_path("/openapi.yaml"), "application/yaml")

    def get_metrics(self) -> str:
        """Return the metrics of all workers since the start, and what waits in all clubs together."""
        return self._calls.get_text(build_path("/metrics"), "text/plain")
