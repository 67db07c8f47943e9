"""
Comparison of a database's schema with the schema that the migrations of this release create.

Row-level security, triggers, constraints and grants protect the records, and functions authenticate keys. A database
administrator can change all of them without changing a record.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from time import monotonic
from typing import Final

from sqlalchemy import Connection, text

from service.database_errors import DatabaseAltered
from service.db.address import SERVICE_ROLE
from service.db.migrations import migrations_directory

MANIFEST: Final = "manifest.json"
"""The file that lists the objects that the migrations create."""

# The session's search path is `public`, so PostgreSQL omits that schema in names, on every server alike.
_OBJECTS: Final = text(r"""
WITH RECURSIVE
-- Privileges of a role reach its members; that the service's role is a member is listed, also of a member of a role.
memberships (role) AS (
    SELECT roleid FROM pg_auth_members WHERE member = to_regrole(:service)
    UNION SELECT roleid FROM pg_auth_members JOIN memberships ON member = role
),
owners AS (SELECT relowner AS owner FROM pg_class WHERE oid = 'public.clubs'::regclass),
schemas AS (
    SELECT oid, nspname, nspowner, coalesce(nspacl, acldefault('n', nspowner)) AS acl
    FROM pg_namespace WHERE nspname IN ('public', 'shared')
),
of_extensions AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e'),
relations AS (
    SELECT pg_class.*, nspname, format('%I.%I', nspname, relname) AS name,
        CASE WHEN relowner <> owner THEN 'owned by ' || pg_get_userbyid(relowner) END AS foreign_owner
    FROM pg_class JOIN schemas ON schemas.oid = relnamespace CROSS JOIN owners
    WHERE relkind NOT IN ('i', 'I', 'c')
        AND ('pg_class'::regclass, pg_class.oid) NOT IN (SELECT classid, objid FROM of_extensions)
),
functions AS (
    SELECT pg_proc.*, format('%I.%I(%s)', nspname, proname, pg_get_function_identity_arguments(pg_proc.oid)) AS name,
        CASE WHEN proowner <> owner THEN 'owned by ' || pg_get_userbyid(proowner) END AS foreign_owner
    FROM pg_proc JOIN schemas ON schemas.oid = pronamespace CROSS JOIN owners
    WHERE ('pg_proc'::regclass, pg_proc.oid) NOT IN (SELECT classid, objid FROM of_extensions)
),
access AS (
    SELECT 'schema ' || quote_ident(nspname) AS target, nspowner AS owner, acl FROM schemas
    UNION ALL
    SELECT CASE relkind WHEN 'S' THEN 'sequence ' ELSE 'table ' END || name, relowner,
        coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner)) FROM relations
    UNION ALL
    SELECT format('column %s.%I', name, attname), relowner, attacl
    FROM relations JOIN pg_attribute ON attrelid = relations.oid WHERE attacl IS NOT NULL AND NOT attisdropped
    UNION ALL
    SELECT 'function ' || name, proowner, coalesce(proacl, acldefault('f', proowner)) FROM functions
)
SELECT 'table ' || name AS object, concat_ws(', ',
        concat('kind ', relkind), concat('persistence ', relpersistence),
        'row-level security ' || CASE WHEN relrowsecurity THEN 'on' ELSE 'off' END,
        CASE WHEN relforcerowsecurity THEN 'for its owner too' END,
        (SELECT 'inherits ' || string_agg(inhparent::regclass::text, ' ')
            FROM pg_inherits WHERE inhrelid = table_.oid),
        (SELECT 'is inherited by ' || string_agg(inhrelid::regclass::text, ' ')
            FROM pg_inherits WHERE inhparent = table_.oid),
        foreign_owner) AS definition
    FROM relations AS table_ WHERE relkind NOT IN ('S', 'v', 'm')
UNION ALL
SELECT 'view ' || name, concat_ws(', ', array_to_string(reloptions, ', '), pg_get_viewdef(oid), foreign_owner)
    FROM relations WHERE relkind IN ('v', 'm')
UNION ALL
SELECT format('type %I.%I', nspname, relname), string_agg(
        format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
    FROM pg_class JOIN schemas ON schemas.oid = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relkind = 'c' AND NOT attisdropped
        AND ('pg_class'::regclass, pg_class.oid) NOT IN (SELECT classid, objid FROM of_extensions)
    GROUP BY nspname, relname
UNION ALL
SELECT 'sequence ' || name, concat_ws(', ', format_type(seqtypid, NULL),
        format('from %s by %s, %s to %s', seqstart, seqincrement, seqmin, seqmax),
        CASE WHEN seqcycle THEN 'cycle' END, foreign_owner)
    FROM relations JOIN pg_sequence ON seqrelid = relations.oid
UNION ALL
SELECT format('column %s.%I', name, attname), concat_ws(' ', format_type(atttypid, atttypmod),
        CASE WHEN attcollation <> typcollation THEN concat('collate ', attcollation::regcollation) END,
        CASE WHEN attnotnull THEN 'not null' END,
        CASE attgenerated WHEN '' THEN 'default' ELSE concat('generated ', attgenerated) END || ' '
            || pg_get_expr(adbin, adrelid),
        CASE WHEN attidentity <> '' THEN concat('identity ', attidentity) END)
    FROM relations JOIN pg_attribute ON attrelid = relations.oid AND attnum > 0 AND NOT attisdropped
    JOIN pg_type ON pg_type.oid = atttypid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relkind NOT IN ('S', 'v', 'm')
UNION ALL
-- NOT NULL has been a constraint since PostgreSQL 18; it is compared with its column.
SELECT format('constraint %s.%I', name, conname), concat_ws(' ', pg_get_constraintdef(pg_constraint.oid),
        CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgconstraint = pg_constraint.oid AND tgenabled <> 'O')
            THEN '(disabled)' END)
    FROM relations JOIN pg_constraint ON conrelid = relations.oid WHERE contype NOT IN ('n', 't')
UNION ALL
SELECT format('index %I.%I', nspname, index_.relname),
        concat_ws(' ', pg_get_indexdef(index_.oid), CASE WHEN NOT (indisvalid AND indisready) THEN '(invalid)' END)
    FROM relations JOIN pg_index ON indrelid = relations.oid JOIN pg_class AS index_ ON index_.oid = indexrelid
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = index_.oid AND contype IN ('p', 'u', 'x'))
UNION ALL
SELECT format('trigger %s.%I', name, tgname), concat_ws(' ', pg_get_triggerdef(pg_trigger.oid),
        CASE tgenabled WHEN 'O' THEN NULL WHEN 'D' THEN '(disabled)' ELSE concat('(enabled ', tgenabled, ')') END)
    FROM relations JOIN pg_trigger ON tgrelid = relations.oid WHERE NOT tgisinternal
UNION ALL
SELECT format('policy %s.%I', name, polname), concat_ws(' ',
        CASE WHEN polpermissive THEN 'permissive' ELSE 'restrictive' END, concat('for ', polcmd), 'to',
        (SELECT string_agg(CASE role WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(role) END, ', ' ORDER BY role)
            FROM unnest(polroles) AS role),
        'using ' || pg_get_expr(polqual, polrelid), 'with check ' || pg_get_expr(polwithcheck, polrelid))
    FROM relations JOIN pg_policy ON polrelid = relations.oid
UNION ALL
SELECT format('rule %s.%I', name, rulename), pg_get_ruledef(pg_rewrite.oid)
    FROM relations JOIN pg_rewrite ON ev_class = relations.oid WHERE relkind NOT IN ('v', 'm')
UNION ALL
SELECT 'function ' || name, concat_ws(', ', 'SHA-256 ' || encode(sha256(convert_to(
        CASE WHEN prokind IN ('a', 'w') THEN prosrc ELSE pg_get_functiondef(oid) END, 'UTF8')), 'hex'), foreign_owner)
    FROM functions
UNION ALL
SELECT concat_ws(' ', 'grant', privilege_type, 'on', target, 'to',
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(grantee) END),
        CASE WHEN is_grantable THEN 'with grant option' ELSE 'without grant option' END
    FROM access CROSS JOIN aclexplode(acl) WHERE grantee <> owner GROUP BY 1, 2
UNION ALL
SELECT concat_ws(' ', 'grant', privilege_type, 'on parameter', parname, 'to',
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(grantee) END),
        CASE WHEN is_grantable THEN 'with grant option' ELSE 'without grant option' END
    FROM pg_parameter_acl CROSS JOIN aclexplode(paracl) WHERE grantee IN (0, to_regrole(:service))
UNION ALL
SELECT format('membership in %I of %s', pg_get_userbyid(role), :service), 'member' FROM memberships
UNION ALL
SELECT 'role ' || rolname, concat_ws(', ', 'ordinary',
        CASE WHEN rolsuper THEN 'superuser' END, CASE WHEN rolbypassrls THEN 'bypasses row-level security' END,
        CASE WHEN rolcreaterole THEN 'creates roles' END, CASE WHEN rolreplication THEN 'replicates' END)
    FROM pg_roles WHERE oid = to_regrole(:service)
UNION ALL
SELECT format('event trigger %I', evtname), concat(evtevent, ' ', evtfoid::regproc) FROM pg_event_trigger
    WHERE ('pg_event_trigger'::regclass, oid) NOT IN (SELECT classid, objid FROM of_extensions)
UNION ALL
SELECT concat_ws(' ', 'setting', split_part(setting, '=', 1), 'of',
        CASE setrole WHEN 0 THEN 'everyone' ELSE pg_get_userbyid(setrole) END), setting
    FROM pg_db_role_setting CROSS JOIN unnest(setconfig) AS setting
    WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        AND split_part(setting, '=', 1) IN ('session_replication_role', 'row_security')
""")

CHECK_SECONDS: Final = 60.0
"""How long a process relies on a schema that it has compared."""

_READING_ROLES: Final = (
    "pg_monitor",
    "pg_read_all_data",
    "pg_read_all_settings",
    "pg_read_all_stats",
    "pg_stat_scan_tables",
)
"""Predefined roles whose members can only read; row-level security applies to them."""

_PLAIN_INDEX: Final = re.compile(
    r"CREATE INDEX .+ USING \w+ \([^()]+\)( INCLUDE \([^()]+\))?( WITH \(.+\))?( \(invalid\))?"
)
"""An index of columns. One that is unique or has an expression or a condition can refuse records."""
_INDEXED: Final = re.compile(r"CREATE (UNIQUE )?INDEX .+? ON (ONLY )?(?P<table>.+?) USING ")
_REFERENCED: Final = re.compile(r"FOREIGN KEY .+? REFERENCES (?P<table>.+?)\(")

Schema = Mapping[str, str]
"""The definition of each object, by its kind and name: `policy public.rounds.club`."""


class Change(StrEnum):
    """How an object differs from this release's."""

    MISSING = "missing"
    CHANGED = "changed"
    ADDED = "added"
    HARMLESS = "harmless"
    """Added, but without effect on the service: a plain index, a view, a type, a table, a privilege to read."""


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """An object that differs from this release's, with its definitions if it has them."""

    change: Change
    object: str
    actual: str | None
    expected: str | None

    def __str__(self) -> str:
        return f"{self.object} is {self.change}"


def read_schema(connection: Connection) -> Schema:
    """
    Read the definition of every object that the migrations create, or that can change their effect.

    Objects of extensions and in other schemas are excluded.
    """
    return {row.object: row.definition for row in connection.execute(_OBJECTS, {"service": SERVICE_ROLE})}


@cache
def expected_schema() -> Schema:
    """Return the schema that the migrations create on every supported version of PostgreSQL."""
    manifest: Schema = json.loads((migrations_directory() / MANIFEST).read_text(encoding="utf-8"))
    return manifest


def compare_schema(actual: Schema, expected: Schema) -> list[SchemaChange]:
    """
    List every difference between two schemas, in the order of the objects' names.

    An added table is listed without its columns, constraints and other parts, except references to other tables.

    >>> actual = {"view public.a": "SELECT 1", "rule public.b.c": "DO NOTHING"}
    >>> compare_schema(actual, {"policy public.b.d": "USING true"})
    ... # doctest: +NORMALIZE_WHITESPACE
    [SchemaChange(change=<Change.MISSING: 'missing'>, object='policy public.b.d', actual=None, expected='USING true'),
     SchemaChange(change=<Change.ADDED: 'added'>, object='rule public.b.c', actual='DO NOTHING', expected=None),
     SchemaChange(change=<Change.HARMLESS: 'harmless'>, object='view public.a', actual='SELECT 1', expected=None)]
    """
    added_tables = tuple(
        name.removeprefix("table ") for name in actual.keys() - expected.keys() if name[:6] == "table "
    )
    changes = []
    for name in sorted(actual.keys() | expected.keys()):
        is_there, definition = actual.get(name), expected.get(name)
        if is_there == definition:
            continue
        if definition is None and _belongs_to(name, is_there or "", added_tables, expected):
            continue
        if definition is None:
            change = Change.HARMLESS if _is_harmless(name, is_there or "") else Change.ADDED
        else:
            change = Change.MISSING if is_there is None else Change.CHANGED
        changes.append(SchemaChange(change, name, is_there, definition))
    return changes


def _belongs_to(name: str, definition: str, tables: tuple[str, ...], expected: Schema) -> bool:
    """Return whether an object is part of one of the added tables, and does not concern another one."""
    kind, *words = name.split(" ")
    if kind == "index":
        return _table_of(_INDEXED, definition) in tables
    # A reference keeps records of the other table from being deleted.
    if f"table {_table_of(_REFERENCED, definition)}" in expected:
        return False
    return kind != "table" and any(word == table or word.startswith(f"{table}.") for table in tables for word in words)


def _table_of(pattern: re.Pattern[str], definition: str) -> str | None:
    """Return the table, with its schema, that a definition names."""
    match = pattern.match(definition)
    if match is None:
        return None
    return match["table"] if "." in match["table"] else f"public.{match['table']}"


def _is_harmless(name: str, definition: str) -> bool:
    """Return whether an added object changes neither records nor their visibility."""
    kind, _, rest = name.partition(" ")
    match kind:
        case "table":
            return "inherit" not in definition
        case "index":
            return _PLAIN_INDEX.fullmatch(definition) is not None
        case "grant":
            return rest.startswith(("SELECT on ", "USAGE on schema "))
        case "membership":
            return rest.removeprefix("in ").partition(" ")[0] in _READING_ROLES
    return kind in ("type", "view")


class SchemaCheck:
    """The comparison of a database's schema with that of this release, which a process makes at most once a minute."""

    def __init__(self) -> None:
        self._checked_at = -math.inf

    @property
    def is_due(self) -> bool:
        """Whether the last comparison without a difference was too long ago."""
        return monotonic() - self._checked_at >= CHECK_SECONDS

    def check(self, connection: Connection, database: str) -> None:
        """
        Compare the schema now.

        Raises:
            DatabaseAltered: it differs in more than what is harmless.
        """
        compared = compare_schema(read_schema(connection), expected_schema())
        changes = [change for change in compared if change.change is not Change.HARMLESS]
        if changes:
            more = f", and {len(changes) - 1} more" if len(changes) > 1 else ""
            raise DatabaseAltered(
                f"The schema of the database {database} differs from that of this release: "
                f"{changes[0]}{more}; `ofc-server verify` lists every difference."
            )
        self._checked_at = monotonic()
