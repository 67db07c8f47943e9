from datetime import datetime
from typing import Annotated, Any, ClassVar
from uuid import UUID

from sqlalchemy import BigInteger, DateTime, ForeignKeyConstraint, MetaData, SmallInteger, Text
from sqlalchemy.dialects.postgresql import ARRAY, BYTEA, JSONB
from sqlalchemy.orm import DeclarativeBase, mapped_column

Small = Annotated[int, mapped_column(SmallInteger)]
Big = Annotated[int, mapped_column(BigInteger)]
Key = Annotated[UUID, mapped_column(primary_key=True)]
NumberKey = Annotated[int, mapped_column(primary_key=True)]
SmallKey = Annotated[int, mapped_column(SmallInteger, primary_key=True)]
SmallList = Annotated[list[int], mapped_column(ARRAY(SmallInteger))]
PointsList = Annotated[list[int], mapped_column(ARRAY(BigInteger))]
TextList = Annotated[list[str], mapped_column(ARRAY(Text))]
Json = Annotated[Any, mapped_column(JSONB)]
TRACEPARENT = "nullif(current_setting('ofc.traceparent', true), '')"
"""The trace of the transaction, as the default of a column."""


class Base(DeclarativeBase):
    """The declarative base of all records, with the types and constraint names of PostgreSQL."""

    metadata = MetaData(
        naming_convention={
            "pk": "%(table_name)s_pkey",
            "uq": "%(table_name)s_%(column_0_N_name)s_key",
            "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: Text,
        bytes: BYTEA,
        datetime: DateTime(timezone=True),
    }


def references(table: str, *columns: str, to: tuple[str, ...] = ()) -> ForeignKeyConstraint:
    """Return a foreign key constraint. The columns have the same names in the other table unless `to` is given."""
    return ForeignKeyConstraint(columns, [f"{table}.{column}" for column in to or columns])
