"""
The SQLAlchemy models of all tables: importing this module completes `Base.metadata`.

`alembic check` compares them with the tables. Checks, triggers, policies and privileges are only in `migrations/`.
"""

# ruff: noqa: F401 - the modules are imported for their tables only

import service.audit_trail.models
import service.clubs.models
import service.console.models
import service.disputes.models
import service.http.idempotent_responses
import service.imports.models
import service.jobs.models
import service.links.models
import service.players.models
import service.proposals.models
import service.recomputations.models
import service.rounds.models
import service.rounds.queries.journal
import service.rounds.queries.player_results
import service.rulesets.models
import service.tables.models
import service.texts.models
import service.units.models
import service.verification.models
import service.webhooks.models
from service.db.base import Base

__all__ = ["Base"]
