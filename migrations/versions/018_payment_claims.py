"""Claims of players that they have paid, and what a link may know of what is owed in the whole club."""

from alembic import op

from migrations.safety import append_only, one_club_at_a_time

revision = "018"
down_revision = "017"


def upgrade() -> None:
    _claims()
    one_club_at_a_time("payment_claims", "payment_claim_outcomes")
    append_only("payment_claims", "payment_claim_outcomes")
    _one_table_or_player_at_a_time()
    _for_links()
    _balances_for_links()
    _to_webhooks()


def _claims() -> None:
    """
    Create the claims and their outcomes.

    A claim and its outcome have the IDs of their events. The key of an outcome is the claim, so that a claim has one at
    most. That of a confirmed claim is its payment. The reason for which a claim was declined is a text.
    """
    op.execute("""
        CREATE TABLE payment_claims (
            club_id uuid NOT NULL,
            id uuid NOT NULL,
            claimed_at timestamptz NOT NULL,
            payer text NOT NULL CHECK (payer <> ''),
            -- Null for the house.
            payee text CHECK (payee <> ''),
            unit text NOT NULL CHECK (unit <> ''),
            unit_digits smallint NOT NULL CHECK (unit_digits BETWEEN 0 AND 8),
            amount bigint NOT NULL CHECK (amount > 0),
            paid_at timestamptz NOT NULL,
            table_id uuid,
            round_id uuid,
            reference text NOT NULL CHECK (reference <> ''),
            PRIMARY KEY (club_id, id),
            CONSTRAINT payment_claims_reference_key UNIQUE (club_id, reference),
            FOREIGN KEY (club_id, id) REFERENCES events,
            FOREIGN KEY (club_id, table_id) REFERENCES tables,
            FOREIGN KEY (club_id, table_id, round_id) REFERENCES rounds (club_id, table_id, id),
            CONSTRAINT payment_claims_players_check CHECK (payee <> payer),
            CONSTRAINT payment_claims_round_known_check CHECK (round_id IS NULL OR table_id IS NOT NULL)
        );
        CREATE TABLE payment_claim_outcomes (
            club_id uuid NOT NULL,
            claim_id uuid NOT NULL,
            id uuid NOT NULL,
            outcome text NOT NULL CHECK (outcome IN ('confirmed', 'declined', 'withdrawn')),
            ended_at timestamptz NOT NULL,
            CONSTRAINT payment_claim_outcomes_pkey PRIMARY KEY (club_id, claim_id),
            CONSTRAINT payment_claim_outcomes_id_key UNIQUE (club_id, id),
            FOREIGN KEY (club_id, claim_id) REFERENCES payment_claims,
            FOREIGN KEY (club_id, id) REFERENCES events
        );
    """)


def _one_table_or_player_at_a_time() -> None:
    """Show a player's link the claims of this player, and any other link those of its table or its round."""
    op.execute("""
        CREATE POLICY one_table ON payment_claims AS RESTRICTIVE USING (
            CASE WHEN (SELECT current_table()) IS NULL THEN true
                WHEN (SELECT current_player()) IS NOT NULL
                    THEN ARRAY[payer, payee] && CAST((SELECT ids_of_player(current_player())) AS text[])
                ELSE table_id = (SELECT current_table())
                    AND CASE WHEN (SELECT current_round()) IS NULL THEN true
                        ELSE round_id = (SELECT current_round()) END
            END
        );
    """)
    op.execute("""
        CREATE POLICY one_table ON payment_claim_outcomes AS RESTRICTIVE FOR SELECT USING (
            CASE WHEN (SELECT current_table()) IS NULL THEN true
                ELSE EXISTS (
                    SELECT FROM payment_claims AS claim
                    WHERE (claim.club_id, claim.id) = (payment_claim_outcomes.club_id, payment_claim_outcomes.claim_id)
                )
            END
        );
    """)


def _for_links() -> None:
    """
    Create functions by which a transaction of a link learns a fact of the whole club, and nothing else of it.

    Money is owed in the whole club, so that a payment at one table can be recorded already at another one, or by the
    manager.
    """
    _create_of_whole_club(
        "is_reference_used(sought text)",
        "boolean",
        """
            EXISTS (SELECT FROM entries WHERE club_id = current_club() AND reference = sought)
                OR EXISTS (SELECT FROM payment_claims WHERE club_id = current_club() AND reference = sought)
        """,
    )
    _create_of_whole_club(
        "find_equal_entry(of_kind text, of_unit text, of_accounts text[], of_amounts bigint[], of_round uuid,"
        " paid_at timestamptz)",
        "uuid",
        """(
            SELECT entry.id FROM entries AS entry
            WHERE entry.club_id = current_club() AND entry.revision IS NULL
                AND entry.kind = of_kind AND entry.unit = of_unit
                AND entry.accounts = of_accounts AND entry.amounts = of_amounts
                AND (of_kind = 'payment' OR entry.round_id IS NOT DISTINCT FROM of_round)
                AND CASE WHEN of_kind = 'payment' THEN
                    entry.played_at BETWEEN coalesce(paid_at, now()) - interval '12 hours'
                        AND coalesce(paid_at, now()) + interval '12 hours'
                    ELSE true END
                AND NOT EXISTS (
                    SELECT FROM entries AS reversal
                    WHERE (reversal.club_id, reversal.reverses) = (entry.club_id, entry.id)
                )
            ORDER BY entry.id DESC LIMIT 1
        )""",
    )
    # The newest claim of a payment that is pending.
    _create_of_whole_club(
        "find_equal_claim(of_payer text, of_payee text, of_unit text, of_amount bigint)",
        "uuid",
        """(
            SELECT claim.id FROM payment_claims AS claim
            WHERE claim.club_id = current_club() AND claim.payer = of_payer
                AND claim.payee IS NOT DISTINCT FROM of_payee
                AND claim.unit = of_unit AND claim.amount = of_amount
                AND NOT EXISTS (
                    SELECT FROM payment_claim_outcomes AS ended
                    WHERE (ended.club_id, ended.claim_id) = (claim.club_id, claim.id)
                )
            ORDER BY claim.id DESC LIMIT 1
        )""",
    )


def _balances_for_links() -> None:
    """
    Create functions by which a transaction of a link learns balances in the whole club.

    `list_net_balances` has the units of the player of a personal link, and is empty for every other transaction: the
    club and the player remain set.
    """
    _create_of_whole_club(
        "find_net_balance(of_unit text, of_account text)",
        "numeric",
        """(
            SELECT coalesce(sum(part.amount), 0)
            FROM entries AS entry CROSS JOIN LATERAL unnest(entry.accounts, entry.amounts) AS part (account, amount)
            WHERE entry.club_id = current_club() AND entry.unit = of_unit
                AND part.account = ANY (CAST((SELECT ids_of_player(of_account)) AS text[]))
        )""",
    )
    # As JSON, because a row of sums has no type of its own.
    _create_of_whole_club(
        "list_net_balances()",
        "jsonb",
        """(
            SELECT coalesce(jsonb_agg(of_unit), '[]')
            FROM (
                SELECT net.unit, net.unit_digits, jsonb_object_agg(net.account, net.amount) AS amounts
                FROM (
                    SELECT entry.unit, entry.unit_digits, coalesce(joined.player, part.account) AS account,
                        sum(part.amount) AS amount
                    FROM entries AS entry
                    CROSS JOIN LATERAL unnest(entry.accounts, entry.amounts) AS part (account, amount)
                    LEFT JOIN aliases AS joined ON (joined.club_id, joined.alias) = (entry.club_id, part.account)
                    WHERE entry.club_id = current_club() AND entry.unit IN (
                        SELECT own.unit FROM entries AS own
                        WHERE own.club_id = current_club()
                            AND own.accounts && CAST((SELECT ids_of_player(current_player())) AS text[])
                    )
                    GROUP BY entry.unit, entry.unit_digits, coalesce(joined.player, part.account)
                ) AS net
                GROUP BY net.unit, net.unit_digits
            ) AS of_unit
        )""",
    )


def _create_of_whole_club(signature: str, returns: str, expression: str) -> None:
    """
    Create a function that computes an expression without the table and the round of a link, and sets them again.

    A `SET` of the function would do it, but only a superuser can create a function that sets such a setting.
    """
    op.execute(f"""
        CREATE FUNCTION {signature} RETURNS {returns} LANGUAGE plpgsql STABLE AS $$
        DECLARE
            link_table text := current_setting('ofc.table', true);
            link_round text := current_setting('ofc.round', true);
            result {returns};
        BEGIN
            PERFORM set_config('ofc.table', '', true), set_config('ofc.round', '', true);
            result := {expression};
            PERFORM set_config('ofc.table', link_table, true), set_config('ofc.round', link_round, true);
            RETURN result;
        END $$;
    """)


def _to_webhooks() -> None:
    """Send that a player claims a payment, and that a claim was declined or withdrawn. A confirmed one is a payment."""
    op.execute("""
        CREATE FUNCTION send_payment_claim() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF has_webhooks() THEN
                PERFORM send_to_webhooks(
                    'payment.claimed', jsonb_build_object('payment_claim_id', NEW.id, 'reference', NEW.reference),
                    NULL, NULL, 1);
            END IF;
            RETURN NULL;
        END $$;

        CREATE FUNCTION send_payment_claim_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            claimed payment_claims;
        BEGIN
            IF has_webhooks() THEN
                SELECT * INTO claimed FROM payment_claims WHERE club_id = NEW.club_id AND id = NEW.claim_id;
                PERFORM send_to_webhooks(
                    'payment.claim-' || NEW.outcome,
                    jsonb_build_object('payment_claim_id', claimed.id, 'reference', claimed.reference),
                    NULL, NULL, 1);
            END IF;
            RETURN NULL;
        END $$;

        CREATE TRIGGER send_to_webhooks AFTER INSERT ON payment_claims
            FOR EACH ROW EXECUTE FUNCTION send_payment_claim();
        CREATE TRIGGER send_to_webhooks AFTER INSERT ON payment_claim_outcomes
            FOR EACH ROW WHEN (NEW.outcome <> 'confirmed') EXECUTE FUNCTION send_payment_claim_outcome();
    """)
