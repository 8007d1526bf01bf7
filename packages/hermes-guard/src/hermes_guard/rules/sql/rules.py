"""Declares the rules for databases."""

from hermes_guard.rules.family import Family

FAMILY = Family("sql")

DROP = FAMILY.rule("sql.drop", "drops or empties a part of a database: {path}", effects=("delete",))
ALL_ROWS = FAMILY.rule("sql.all-rows", "deletes or changes every row of a table: {path}", effects=("delete",))
RIGHTS = FAMILY.rule("sql.rights", "gives away rights over a database: {path}", effects=("privilege",))
SHELL = FAMILY.rule(
    "sql.shell", "lets a database run programs, or read and write files of its server: {path}", effects=("execute",)
)
STORE = FAMILY.rule("sql.store", "empties, drops or stops a data store: {path}", effects=("delete",))
MIGRATE = FAMILY.rule(
    "sql.migrate",
    "throws a database away, or takes back what it was given, through the tool that manages it: {path}",
    effects=("delete",),
)
HTTP = FAMILY.rule("sql.http-delete", "asks a server to delete something: {path}", effects=("delete",))
TOO_LONG = FAMILY.rule(
    "sql.too-long",
    "gives a database more text than can be judged",
    effects=("unknown",),
    # Variables grow to 4096 characters, and nine of them form one argument.
)
