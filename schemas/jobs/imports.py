"""Imports: jobs that store rounds."""

from schemas.base import WireSchema
from schemas.fields import Choice, Inner, Integer, Listing, UuidField
from schemas.jobs.progress import CountField, JobSchema
from schemas.pages import PageSchema, QuerySchema
from schemas.problems import ProblemSchema
from schemas.settlements import IMPORT_STATES


class ImportSummarySchema(WireSchema):
    """The results of an import so far."""

    rounds = CountField(description="Number of rounds stored.")
    replayed = CountField(description="Number of lines whose round was stored before.")
    refused = CountField(description="Number of lines refused.")
    hands = CountField(description="Number of hands stored.")


class ImportSchema(JobSchema):
    """An import: a job that stores rounds, one per line. Its progress counts lines that are not blank."""

    summary = Inner(ImportSummarySchema, required=True, description="Results of the import so far.")


class ImportQuerySchema(QuerySchema):
    """Settlement state of imported rounds."""

    state = Choice(
        {state: state for state in IMPORT_STATES},
        load_default=IMPORT_STATES[0],
        description="Settlement state of the imported rounds that can have no more hands.",
    )


class ImportPageSchema(PageSchema):
    """One page of imports, newest first."""

    imports = Listing(
        Inner(ImportSchema), most=100, required=True, description="The imports of this page, newest first."
    )


class ImportLineResultSchema(WireSchema):
    """The result of a line of an import."""

    line = Integer(least=1, required=True, description="Number of the line, from 1.")
    status = Choice(
        {status: status for status in ("stored", "replayed", "refused")},
        required=True,
        description="Whether the round was stored now, was stored before, or was refused.",
    )
    round = UuidField(required=True, allow_none=True, description="ID of the round. Null if the line was refused.")
    problem = Inner(
        ProblemSchema, required=True, allow_none=True, description="Why the line was refused. Null if it was not."
    )
