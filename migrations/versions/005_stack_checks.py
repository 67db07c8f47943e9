"""Triggers that check that stacks follow from transfers."""

from alembic import op

revision = "005"
down_revision = "004"


def upgrade() -> None:
    """
    Reject a hand whose stacks do not result from the stacks before it, its top-ups and its transfers in order.

    The check runs at the end of the statement that inserts the hand. Lookups use whole keys, one hand at a time, so
    that their plans stay good while the tables grow.
    """
    _functions()
    _hands()
    _payouts()


def _functions() -> None:
    op.execute("""
        CREATE FUNCTION refuse_stacks(place text, why text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'the stacks do not add up in %: %', place, why USING ERRCODE = 'check_violation';
        END $$;

        -- Returns the stacks after transfers in their order.
        CREATE FUNCTION apply_transfers(
            place text, seats smallint[], stacks bigint[], paid transfer[]
        ) RETURNS bigint[] LANGUAGE plpgsql AS $$
        DECLARE
            now_stacks bigint[] := stacks;
            transfer transfer;
            payer_at integer;
            payee_at integer;
        BEGIN
            FOREACH transfer IN ARRAY paid LOOP
                IF (transfer.payer <> transfer.payee AND transfer.due > 0 AND transfer.paid BETWEEN 0 AND transfer.due
                        AND (transfer.limited_by IS NULL) = (transfer.paid = transfer.due)
                        AND coalesce(transfer.limited_by IN ('payer_stack', 'winner_room'), true)
                        AND transfer.payer_stack >= 0 AND transfer.payee_stack >= 0) IS NOT TRUE THEN
                    PERFORM refuse_stacks(place, format('the transfer %s is impossible', transfer));
                END IF;
                payer_at := array_position(seats, transfer.payer);
                payee_at := array_position(seats, transfer.payee);
                IF payer_at IS NULL OR payee_at IS NULL THEN
                    PERFORM refuse_stacks(place, format('seat %s pays seat %s, but the seats of the round are %s',
                        transfer.payer, transfer.payee, seats));
                END IF;
                now_stacks[payer_at] := now_stacks[payer_at] - transfer.paid;
                now_stacks[payee_at] := now_stacks[payee_at] + transfer.paid;
                IF transfer.payer_stack <> now_stacks[payer_at] OR transfer.payee_stack <> now_stacks[payee_at] THEN
                    PERFORM refuse_stacks(place, format(
                        'seats %s and %s are left with %s and %s after a transfer; expected %s and %s',
                        transfer.payer, transfer.payee, transfer.payer_stack, transfer.payee_stack,
                        now_stacks[payer_at], now_stacks[payee_at]));
                END IF;
            END LOOP;
            RETURN now_stacks;
        END $$;
    """)


def _hands() -> None:
    """Check the scores of hands. They are read in order, so that a statement with many rounds needs few lookups."""
    op.execute("""
        CREATE FUNCTION check_stacks_of_hands() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            hand hand_scores;
            before hand_scores;
            follows boolean;
            place text;
            seats smallint[];
            opening_stacks bigint[];
            now_stacks bigint[];
            paid_out_after integer;
            knows_payout boolean;
        BEGIN
            FOR hand IN SELECT * FROM added ORDER BY club_id, round_id, revision, number LOOP
                place := format('revision %s of round %s, hand %s', hand.revision, hand.round_id, hand.number);
                follows := coalesce((before.club_id, before.round_id, before.revision)
                    = (hand.club_id, hand.round_id, hand.revision), false);
                IF NOT follows THEN
                    SELECT array_agg(s.seat ORDER BY s.seat), array_agg(s.opening_stack ORDER BY s.seat)
                        INTO seats, opening_stacks FROM round_seats AS s
                        WHERE (s.club_id, s.round_id, s.revision) = (hand.club_id, hand.round_id, hand.revision);
                    knows_payout := false;
                END IF;
                IF hand.number = 1 THEN
                    now_stacks := opening_stacks;
                ELSE
                    IF follows AND before.number = hand.number - 1 THEN
                        now_stacks := before.stacks;
                    ELSE
                        SELECT h.stacks INTO now_stacks FROM hand_scores AS h
                            WHERE (h.club_id, h.round_id, h.revision) = (hand.club_id, hand.round_id, hand.revision)
                                AND h.number = hand.number - 1;
                    END IF;
                    IF NOT knows_payout THEN
                        SELECT p.number INTO paid_out_after FROM payouts AS p
                            WHERE (p.club_id, p.round_id, p.revision) = (hand.club_id, hand.round_id, hand.revision);
                        knows_payout := true;
                    END IF;
                    IF paid_out_after < hand.number THEN
                        PERFORM refuse_stacks(place, 'the round was paid out before it');
                    END IF;
                END IF;
                IF hand.stacks_before IS DISTINCT FROM now_stacks THEN
                    PERFORM refuse_stacks(place, format('it begins with stacks %s; expected %s',
                        hand.stacks_before, now_stacks));
                END IF;
                FOR i IN 1 .. cardinality(seats) LOOP
                    now_stacks[i] := now_stacks[i] + hand.top_ups[i];
                END LOOP;
                now_stacks := apply_transfers(place, seats, now_stacks, hand.transfers);
                IF hand.stacks IS DISTINCT FROM now_stacks THEN
                    PERFORM refuse_stacks(place, format('it ends with stacks %s; expected %s',
                        hand.stacks, now_stacks));
                END IF;
                before := hand;
            END LOOP;
            RETURN NULL;
        END $$;

        CREATE TRIGGER stacks_add_up AFTER INSERT ON hand_scores REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION check_stacks_of_hands();
    """)


def _payouts() -> None:
    op.execute("""
        CREATE FUNCTION check_stacks_of_payouts() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            payout payouts;
            place text;
            seats smallint[];
            now_stacks bigint[];
        BEGIN
            FOR payout IN SELECT * FROM added LOOP
                place := format('revision %s of round %s, the payout after hand %s',
                    payout.revision, payout.round_id, payout.number);
                SELECT array_agg(s.seat ORDER BY s.seat) INTO seats FROM round_seats AS s
                    WHERE (s.club_id, s.round_id, s.revision) = (payout.club_id, payout.round_id, payout.revision);
                SELECT h.stacks INTO now_stacks FROM hand_scores AS h
                    WHERE (h.club_id, h.round_id, h.revision) = (payout.club_id, payout.round_id, payout.revision)
                        AND h.number = payout.number;
                IF payout.stacks_before IS DISTINCT FROM now_stacks THEN
                    PERFORM refuse_stacks(place, format('it begins with stacks %s; expected %s',
                        payout.stacks_before, now_stacks));
                END IF;
                PERFORM FROM hand_scores AS h
                    WHERE (h.club_id, h.round_id, h.revision) = (payout.club_id, payout.round_id, payout.revision)
                        AND h.number = payout.number + 1;
                IF FOUND THEN
                    PERFORM refuse_stacks(place, 'another hand follows');
                END IF;
                now_stacks := apply_transfers(place, seats, now_stacks, payout.transfers);
                IF payout.stacks IS DISTINCT FROM now_stacks THEN
                    PERFORM refuse_stacks(place, format('it ends with stacks %s; expected %s',
                        payout.stacks, now_stacks));
                END IF;
            END LOOP;
            RETURN NULL;
        END $$;

        CREATE TRIGGER stacks_add_up AFTER INSERT ON payouts REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION check_stacks_of_payouts();
    """)
