"""Declares the rules for databases."""

from hermes_guard.rules.family import Family

FAMILY = Family("sql")

DROP = FAMILY.rule("sql.drop", "drops or empties a part of a database: {path}", effects=("delete",))
ALL_ROWS = FAMILY.rule("sql.all-rows", "deletes or changes every row of a table: {path}", effects=("delete",))
RIGHTS = FAMILY.rule("sql.rights", "grants rights to a database: {path}", effects=("privilege",))
SHELL = FAMILY.rule(
    "sql.shell", "lets a database run programs, or read and write files on its server: {path}", effects=("execute",)
)
STORE = FAMILY.rule("sql.store", "empties, drops or stops a data store: {path}", effects=("delete",))
MIGRATE = FAMILY.rule(
    "sql.migrate",
    "drops a database or rolls back its migrations with a migration tool: {path}",
    effects=("delete",),
)
HTTP = FAMILY.rule("sql.http-delete", "asks a server to delete something: {path}", effects=("delete",))
TOO_LONG = FAMILY.rule(
    "sql.too-long",
    "gives a database more text than can be judged",
    effects=("unknown",),
    # Variables grow to 4096 characters, and nine of them form one argument.
)
