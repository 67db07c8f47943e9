"""The pages of the console. Importing the package registers all of them."""

from service.console.views import (
    aliases,
    anomalies,
    audit,
    findings,
    home,
    jobs,
    keys,
    links,
    new_jobs,
    new_key,
    new_table,
    phones,
    players,
    plots,
    rulesets,
    signing_in,
    tables,
    webhooks,
)
from service.console.views.accounting import claims, ledger, money, statements
from service.console.views.disputes import cases as dispute_cases
from service.console.views.disputes import lists as dispute_lists
from service.console.views.navigation import search
from service.console.views.pages import console
from service.console.views.proposals import pages as proposals
from service.console.views.rounds import correction as round_correction
from service.console.views.rounds import evidence as round_evidence
from service.console.views.rounds import lists as round_lists
from service.console.views.rounds import payments as round_payments
from service.console.views.rounds import replay as round_replay
from service.console.views.rounds import revisions as round_revisions

__all__ = [
    "aliases",
    "anomalies",
    "audit",
    "claims",
    "console",
    "dispute_cases",
    "dispute_lists",
    "findings",
    "home",
    "jobs",
    "keys",
    "ledger",
    "links",
    "money",
    "new_jobs",
    "new_key",
    "new_table",
    "phones",
    "players",
    "plots",
    "proposals",
    "round_correction",
    "round_evidence",
    "round_lists",
    "round_payments",
    "round_replay",
    "round_revisions",
    "rulesets",
    "search",
    "signing_in",
    "statements",
    "tables",
    "webhooks",
]
