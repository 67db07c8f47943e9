"""Check the signatures of a checkpoint against a trust policy: a quorum of witnesses must have cosigned it."""

from collections.abc import Sequence

from evidence import EvidenceError, SignedNote, verify_note
from evidence.cosignatures import Cosignature
from evidence.policy import Policy
from schemas.fields import show_time
from schemas.verification.findings import Finding, FindingCode
from schemas.verification.report import Report


def check_policy(report: Report, note: SignedNote, origin: str, policy: Policy) -> None:
    """
    Check that a log of the policy has signed a checkpoint, and a quorum of its witnesses has cosigned it.

    What the policy demands and the checkpoint lacks is an error, not something that could not be checked.
    """
    if policy.logs:
        _check_log(report, note, origin, policy)
    cosignatures = policy.cosignatures(note)
    if not policy.is_met_by(cosignatures):
        detail = f"the checkpoint is cosigned by {_list(cosignatures)}; expected the quorum `{policy.quorum}`"
        report.failed.append(Finding(FindingCode.QUORUM_MISSING, ("checkpoint",), detail))
    elif cosignatures:
        report.verified.append(f"the checkpoint is cosigned by {_list(cosignatures)}: the quorum of your policy")
    else:
        report.verified.append("your policy demands no witness")


def _check_log(report: Report, note: SignedNote, origin: str, policy: Policy) -> None:
    try:
        [log, *_] = verify_note(note, policy.logs)
    except EvidenceError as error:
        report.fail(error.mistakes, "checkpoint")
        return
    # One service signs for all of its clubs: its name is the beginning of their origins.
    if origin != log.name and not origin.startswith(f"{log.name}/"):
        value, expected = f"a checkpoint of {origin}", f"one of {log.name}, the log of your policy"
        report.failed.append(Finding.of_difference(FindingCode.ORIGIN_DIFFERS, ("checkpoint",), value, expected))
        return
    report.verified.append(f"the checkpoint is signed by a log of your policy, {log.written}")


def _list(cosignatures: Sequence[Cosignature]) -> str:
    if not cosignatures:
        return "no witness of your policy"
    return " and ".join(f"{each.key.name} at {show_time(each.at)}" for each in cosignatures)
