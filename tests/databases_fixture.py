"""One small set of tables in every kind of database, and what shows that nothing in it was changed.

PostgreSQL is there where ``FORMGYM_TEST_DATABASE_URL`` names one: the URL of a role that may create schemas. Its tables
are read by ``FORMGYM_TEST_DATABASE_READER_URL``, or by the same role.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.pool import NullPool

from formgym.envs.paper_forms.accounting.database_loader import digest, load_rows, sqlite_image
from formgym.envs.paper_forms.accounting.generator.database_generator import shipped_database
from formgym.envs.paper_forms.accounting.generator.database_schema import TABLES
from formgym.envs.paper_forms.accounting.read_only_database import Database

POSTGRESQL = os.environ.get("FORMGYM_TEST_DATABASE_URL")
READER = os.environ.get("FORMGYM_TEST_DATABASE_READER_URL")
KINDS = ("file", "image", "postgresql")


@dataclass
class Opened:
    """A database, and a function whose result is the same as long as nothing in it or beside it was changed."""

    kind: str
    source: str | bytes
    database: Database
    fingerprint: Callable[[], object]

    @property
    def dialect(self) -> str:
        return "postgresql" if self.kind == "postgresql" else "sqlite"


def opened(kind: str, folder: Path) -> Opened:
    """The shipped tables in a kind of database.

    Raises:
        LookupError: if there is no PostgreSQL.
    """
    tables = shipped_database().tables
    if kind == "image":
        image = sqlite_image(tables)
        database = Database(image)
        return Opened(kind, image, database, lambda: [database.query(f"SELECT * FROM {table}") for table in TABLES])
    if kind == "file":
        source = load_rows(f"sqlite:///{folder / 'bank.db'}", tables)
        return Opened(kind, source, Database(source), lambda: {p.name: p.read_bytes() for p in folder.iterdir()})
    if POSTGRESQL is None:
        raise LookupError("FORMGYM_TEST_DATABASE_URL names no PostgreSQL")
    source = load_rows(POSTGRESQL, tables, READER)
    return Opened(kind, source, Database(source), lambda: _postgresql_state(f"formgym_{digest(tables)}"))


# Tables, columns, and what else could have been left behind: large objects, locks, roles, settings. Other tests may
# load schemas of other rows at the same time.
_STATE = (
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '{schema}' ORDER BY 1, 2",
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_(toast_)?temp|formgym_)' ORDER BY 1",
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    "SELECT count(*) FROM pg_largeobject_metadata",
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42",
    "SELECT rolname FROM pg_roles ORDER BY 1",
    "SELECT setconfig FROM pg_db_role_setting",
    "SELECT count(*) FROM pg_prepared_xacts",
)


def _postgresql_state(schema: str) -> list[object]:
    engine = create_engine(make_url(POSTGRESQL).set(drivername="postgresql+psycopg"), poolclass=NullPool)
    rows = [f"SELECT * FROM {schema}.{table.name} ORDER BY 1" for table in TABLES]
    with engine.connect() as connection:
        return [connection.execute(text(sql.format(schema=schema))).all() for sql in (*rows, *_STATE)]
