"""Faster checks of chips for many hands in one statement."""

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """
    Replace the check by an equivalent one that needs fewer lookups, because it reads hands in order.

    A statement with one hand takes the same time; one with hundreds of rounds takes half.
    """
    op.execute("""
        CREATE OR REPLACE FUNCTION check_hands() RETURNS trigger LANGUAGE plpgsql AS $$
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
                        PERFORM refuse_chips(place, 'the round was paid out before it');
                    END IF;
                END IF;
                IF hand.stacks_before IS DISTINCT FROM now_stacks THEN
                    PERFORM refuse_chips(place, format('it begins with %s where %s were left before it',
                        hand.stacks_before, now_stacks));
                END IF;
                FOR i IN 1 .. cardinality(seats) LOOP
                    now_stacks[i] := now_stacks[i] + hand.top_ups[i];
                END LOOP;
                now_stacks := move_chips(place, seats, now_stacks, hand.transfer_count,
                    ARRAY(SELECT t FROM transfers AS t
                        WHERE (t.club_id, t.round_id, t.revision) = (hand.club_id, hand.round_id, hand.revision)
                            AND t.number = hand.number AND NOT t.late ORDER BY t.position));
                IF hand.stacks IS DISTINCT FROM now_stacks THEN
                    PERFORM refuse_chips(place, format('it ends with %s where its transfers leave %s',
                        hand.stacks, now_stacks));
                END IF;
                before := hand;
            END LOOP;
            RETURN NULL;
        END $$;
    """)
