"""Correct a round or apply an audit, or propose it if the club requires a second auditor."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from client.api import Client
from client.errors import ApiError, UnreadableError

Document = Mapping[str, Any]

_SECOND_AUDITOR: Final = "second-auditor-required"


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a correction changes, and its proposal if another key has to confirm it."""

    comparison: Document
    proposal: Document | None

    @property
    def response(self) -> Document:
        """The response of the service: the proposal, or the corrected round."""
        return self.comparison if self.proposal is None else self.proposal


def needs_second_auditor(error: ApiError) -> bool:
    """Return whether a change was refused only because another key has to confirm it."""
    return error.code == _SECOND_AUDITOR


def correct_or_propose(
    client: Client, round_id: str, request: Any, *, upholds: Document | None = None, dry_run: bool = False
) -> Corrected:
    """
    Correct a round, or propose the correction if the club requires a second auditor for it.

    Args:
        client: the service.
        round_id: the round.
        request: the correction.
        upholds: the decision that upholds the dispute with a proposed correction.
        dry_run: whether nothing is stored.

    Raises:
        ApiError: the correction is refused.
        UnreadableError: the same correction was proposed before, and has ended.
    """
    try:
        return Corrected(client.correct_round(round_id, request, dry_run=dry_run), None)
    except ApiError as error:
        if not needs_second_auditor(error):
            raise
    proposed: Any = request if upholds is None else {**request, "upholds": upholds}
    proposal = client.propose_correction(round_id, proposed, dry_run=dry_run)
    refuse_ended(proposal)
    assert proposal["comparison"] is not None  # the request names the version that the round has
    return Corrected(proposal["comparison"], proposal)


def refuse_ended(proposal: Document) -> None:
    """
    Refuse a proposal that was made before and has ended.

    Raises:
        UnreadableError: it was confirmed or withdrawn.
    """
    if proposal["state"] != "waiting":
        raise UnreadableError(
            f"the same was proposed before, and proposal {proposal['id']} was {proposal['state']};"
            " change the reason to propose it again"
        )
