"""The schema of the practice's database: ``TABLES`` in an order in which rows can be loaded."""

from __future__ import annotations

from sqlalchemy import Table

# Imported for the tables that they declare.
from . import tables_finance, tables_people, tables_trade  # noqa: F401
from .columns import METADATA

TABLES: tuple[Table, ...] = tuple(METADATA.sorted_tables)
