"""One event of each kind, in the order of a club's evening."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Final
from uuid import UUID

from evidence import canonical_json
from evidence.codec import CanonicalJson
from evidence.events import (
    ChargeRecorded,
    ChargeReversed,
    CheckpointSealed,
    ClubChanged,
    ClubCreated,
    CorrectedClosing,
    CorrectedDeparture,
    CorrectedDocument,
    DepartureRecorded,
    DisputeCommented,
    DisputeOpened,
    DisputeResolved,
    DisputeReviewed,
    DisputeStep,
    DisputeWithdrawn,
    EventPayload,
    FinalReason,
    FindingsAcknowledged,
    HandRecorded,
    HandWithdrawn,
    KeyCreated,
    KeyRevoked,
    LinkIssued,
    LinkKind,
    LinkRevoked,
    MetadataChanged,
    MetadataOf,
    PaymentClaimDeclined,
    PaymentClaimed,
    PaymentClaimWithdrawn,
    PaymentRecorded,
    PaymentReversed,
    PlayerErased,
    PlayerJoined,
    PlayerNamed,
    PlayerParted,
    ProposalConfirmed,
    ProposalKind,
    ProposalOpened,
    ProposalWithdrawn,
    Received,
    RecordDigest,
    RoundClosed,
    RoundCorrected,
    RoundOpened,
    RoundRecomputed,
    RulesetAdded,
    SettlementConfirmed,
    SettlementFinalized,
    TableChanged,
    TableCreated,
    TextsErased,
    UnitDefined,
    WebhookAdded,
    WebhookChanged,
    WebhookRemoved,
    WebhookSecretRotated,
)
from evidence.hands import encode_hand
from evidence.texts import digest_text
from scoring.board import Board, Row
from scoring.hand import Hand, PlayerHand, Street, TopUp
from scoring.round_state import RoundSeat

AT: Final = datetime(2026, 11, 20, 21, 5, 0, 250_000, tzinfo=UTC)
ROUND: Final = UUID("0193f0c0-0000-7000-8000-000000000001")
TABLE: Final = UUID("0193f0c0-0000-7000-8000-000000000002")
DISPUTE: Final = UUID("0193f0c0-0000-7000-8000-000000000003")
KEY: Final = UUID("0193f0c0-0000-7000-8000-000000000004")
LINK: Final = UUID("0193f0c0-0000-7000-8000-000000000006")
PAYMENT: Final = UUID("0193f0c0-0000-7000-8000-000000000007")
PROPOSAL: Final = UUID("0193f0c0-0000-7000-8000-000000000008")
SEATS: Final = (RoundSeat(1, "ann", 100), RoundSeat(2, "bob", 100))
RULES: Final = CanonicalJson(canonical_json({"name": "pineapple-qq", "version": 1, "low_middle": False}))
RULES_DIGEST: Final = sha256(RULES).digest()
RECEIVED: Final = Received(UUID("0193f0c0-0000-7000-8000-000000000005"), sha256(b"{}").digest())
SALT: Final = bytes(range(32))
WORDS: Final = digest_text("that was not my board", SALT)
BOARDS: Final = {
    1: Board.of("AhKd9c", "JsJd8c5h2c", "AsAdTcTh4s"),
    2: Board.of("QsJc6d", "9s9d7h4h2s", "KcKh8s8h5c"),
}


def hand_id(number: int) -> UUID:
    return UUID(int=ROUND.int + 0x100 + number)


def hand(number: int, button: int = 1, *, top_ups: tuple[TopUp, ...] = (), exchanged: bool = False) -> CanonicalJson:
    """Encode a hand of ann and bob; `exchanged` gives each the board of the other."""
    boards = {seat: BOARDS[3 - seat if exchanged else seat] for seat in BOARDS}
    players = tuple(PlayerHand(seat, board) for seat, board in boards.items())
    return CanonicalJson(canonical_json(encode_hand(Hand(number, button, players, top_ups), AT)))


def hand_in_full() -> CanonicalJson:
    """Encode a hand of which everything is known."""
    board = BOARDS[1]
    street = Street(board.cards, board.rows, (), board.rows.top)
    players = (
        PlayerHand(1, board, fantasyland=13, discards=(), streets=(street,)),
        PlayerHand(2, BOARDS[2], fantasyland=0, discards=None, streets=None),
    )
    return CanonicalJson(canonical_json(encode_hand(Hand(2, 1, players, (TopUp(2, 40),)))))


OPENED: Final = RoundOpened(
    round=ROUND,
    table=TABLE,
    table_sequence=1,
    imported=False,
    reference="friday",
    digest=bytes(32),
    ruleset="pineapple-qq@1",
    ruleset_digest=RULES_DIGEST,
    point_value=10,
    unit="EUR",
    unit_digits=2,
    opened_at=AT,
    correction_window_minutes=30,
    seats=SEATS,
    carried_over=(2,),
    submission=RECEIVED,
)

EXAMPLES: Final[tuple[EventPayload, ...]] = (
    ClubCreated(club=TABLE, name="home"),
    ClubChanged(club=TABLE, time_zone="Europe/Berlin", evening_begins="05:30"),
    CheckpointSealed(map_root=bytes(range(32))),
    FindingsAcknowledged(verified_at=AT, findings=(bytes(range(32)), bytes(32))),
    KeyCreated(
        key=KEY,
        prefix="ofc_abcdefgh",
        name=digest_text("the scorekeeper", SALT),
        scopes=("play", "audit"),
        expires_at=None,
        replaces=None,
        secret=WORDS,
    ),
    KeyRevoked(key=KEY, prefix="ofc_abcdefgh", overlap_seconds=3600, revoked_at=AT),
    WebhookAdded(webhook=KEY, host="club.example", kinds=("round.completed", "hand.recorded"), state="active"),
    WebhookChanged(webhook=KEY, host="club.example", kinds=("round.completed",), state="disabled"),
    WebhookRemoved(webhook=KEY, host="club.example"),
    WebhookSecretRotated(webhook=KEY, host="club.example", overlap_seconds=3600),
    LinkIssued(
        link=LINK,
        table=TABLE,
        key=KEY,
        link_kind=LinkKind.SCOREKEEPER,
        label=digest_text("Anna's phone", SALT),
        scopes=("read", "write"),
        expires_at=AT,
        secret=bytes(32),
    ),
    LinkRevoked(link=LINK, table=TABLE),
    PlayerNamed.of("ann", "Ann Example", SALT),
    PlayerErased(player="ann", texts=(WORDS,)),
    PlayerJoined(player="bob", alias="bobby"),
    PlayerParted(player="bob", alias="bobby"),
    TextsErased(record=ROUND, texts=(WORDS,)),
    MetadataChanged(of=MetadataOf.HAND, record=hand_id(1), round=ROUND, metadata=WORDS),
    RulesetAdded(ruleset=RULES),
    UnitDefined(code="mBTC", name="Millibitcoin", digits=5),
    TableCreated(
        id=TABLE,
        name="kitchen",
        ruleset="pineapple-qq@1",
        point_value=10,
        unit="EUR",
        unit_digits=2,
        minimum_stack=None,
        correction_window_minutes=30,
    ),
    TableChanged(
        id=TABLE,
        name="attic",
        ruleset="pineapple-qq@2",
        point_value=None,
        unit=None,
        unit_digits=None,
        minimum_stack=40,
        correction_window_minutes=60,
        archived_at=AT,
        reference="friday-room",
    ),
    OPENED,
    HandRecorded(
        round=ROUND,
        id=hand_id(2),
        hand=hand_in_full(),
        stacks=(80, 160),
        scorer=1,
        irregular=True,
        restores=hand_id(1),
        submission=RECEIVED,
        reference="friday/3/2",
    ),
    HandWithdrawn(
        round=ROUND,
        number=2,
        hand=hand_id(2),
        digest=bytes(32),
        departures=(1,),
        irregular=(1,),
        reason=digest_text("misread", SALT),
        revision=2,
        scorer=1,
    ),
    DepartureRecorded(round=ROUND, seat=1, after_hand=2, reason=None),
    RoundClosed(round=ROUND, after_hand=2, reason=digest_text("the room closes", SALT)),
    RoundCorrected(
        round=ROUND,
        revision=2,
        reason=digest_text("misread", SALT),
        dispute=DISPUTE,
        correction=bytes(32),
        document=CorrectedDocument(
            ruleset="pineapple-qq@1",
            table="kitchen",
            reference="friday",
            opened_at=AT,
            point_value=10,
            unit="EUR",
            unit_digits=2,
            seats=SEATS,
            hands=(hand(1),),
            departures=(CorrectedDeparture(1, 1, digest_text("a train", SALT)),),
            closed=CorrectedClosing(1, None),
        ),
        digest=bytes(32),
        ruleset="pineapple-qq@1",
        ruleset_digest=RULES_DIGEST,
        hands=(hand_id(3),),
        hands_before=(hand_id(1),),
        recorded=(RecordDigest(hand_id(3), bytes(32)),),
        irregular=(),
        submission=Received(RECEIVED.id, text=WORDS),
        scorer=1,
    ),
    RoundRecomputed(
        round=ROUND,
        recomputation=KEY,
        ruleset="pineapple-qq@1",
        ruleset_digest=RULES_DIGEST,
        revision=2,
        reason=digest_text("a mistake of the scorer", SALT),
        scorer=2,
    ),
    SettlementConfirmed(round=ROUND, revision=1, seat=1),
    SettlementFinalized(round=ROUND, revision=1, because=FinalReason.WINDOW),
    DisputeOpened(round=ROUND, dispute=DISPUTE, revision=1, hand=1, seat=1, row=Row.TOP, by="ann", claim=WORDS),
    DisputeCommented(
        round=ROUND, dispute=DISPUTE, version=2, step=DisputeStep.COMMENT, by="bob", words=WORDS, correction=None
    ),
    DisputeReviewed(
        round=ROUND,
        dispute=DISPUTE,
        version=3,
        step=DisputeStep.UNDER_REVIEW,
        by=None,
        key_name=WORDS,
        words=None,
        correction=None,
    ),
    DisputeResolved(
        round=ROUND, dispute=DISPUTE, version=4, step=DisputeStep.UPHELD, by="eve", words=None, correction=2
    ),
    DisputeWithdrawn(
        round=ROUND, dispute=DISPUTE, version=2, step=DisputeStep.WITHDRAWN, by="ann", words=WORDS, correction=None
    ),
    PaymentRecorded(
        payer="bob",
        payee="ann",
        unit="EUR",
        unit_digits=2,
        amount=1250,
        paid_at=AT,
        table=None,
        reference="paid-1",
        note=digest_text("cash", SALT),
    ),
    PaymentReversed(payment=PAYMENT, reason=digest_text("it was a loan", SALT)),
    PaymentClaimed(
        payer="bob",
        payee="ann",
        unit="EUR",
        unit_digits=2,
        amount=1250,
        paid_at=AT,
        table=TABLE,
        reference="tap-1",
        round=ROUND,
    ),
    PaymentClaimDeclined(claim=PAYMENT, reason=digest_text("not received", SALT)),
    PaymentClaimWithdrawn(claim=PAYMENT),
    ChargeRecorded(
        player="ann",
        unit=str(TABLE),
        unit_digits=0,
        amount=2,
        table=TABLE,
        round=ROUND,
        reference="rake-1",
        reason=digest_text("the room", SALT),
    ),
    ChargeReversed(charge=PAYMENT, reason=digest_text("it was free", SALT)),
    ProposalOpened(
        proposal=ProposalKind.CORRECTION,
        digest=bytes(32),
        request=WORDS,
        received=digest_text("{}", SALT),
        round=ROUND,
        table=TABLE,
        revision=1,
        dispute=DISPUTE,
        upholds=True,
        audit=None,
    ),
    ProposalConfirmed(proposal=PROPOSAL, revision=2, recomputation=None),
    ProposalWithdrawn(proposal=PROPOSAL, reason=WORDS),
)
