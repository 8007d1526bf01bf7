"""Reads PHP."""

import re

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.environment_secrets import sent
from hermes_guard.languages.scripts.function_names import STATEMENTS, Functions
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.tokens import PHP
from hermes_guard.name_sets import names

VERBS = Functions(
    PHP,
    shell=names("system exec shell_exec passthru popen proc_open expect_popen"),
    spawn=names("pcntl_exec"),
    files=names("unlink rmdir"),
    evals=names("eval assert create_function"),
    writes={"file_put_contents": 0, "rename": 1, "copy": 1, "symlink": 1, "touch": 0},
    opens=names("fopen"),
    reads=names("file_get_contents readfile file show_source highlight_file"),
    sockets=names("fsockopen pfsockopen stream_socket_client socket_create socket_connect"),
    fetches=names("curl_exec curl_init"),
    forks=names("pcntl_fork"),
    statements=STATEMENTS
    | names(
        """
        mysqli_query mysqli_multi_query mysqli_real_query multi_query real_query pg_query pg_exec pg_query_params
        pg_send_query sqlsrv_query odbc_exec oci_parse mssql_query mysql_query sqlite_query sqlite_exec executeUpdate
        select delete update insert exec_sql dbDelta get_results
        """
    ),
    empties=names("flushAll flushDB flushall flushdb dropDatabase dropIfExists dropAllTables deleteMany"),
)


def read(code: str, *, home: str, looped: bool, budget: Budget, argv: list[str] | None = None) -> list[Operation]:
    """Return what PHP code would do."""
    code = re.sub(r"<\?(?:php|=)?|\?>", " ", code)
    script = Script(code, VERBS, home, looped=looped, budget=budget, argv=argv)
    found = script.read()
    sent(script, code)
    for index, token in enumerate(script.tokens):
        if token.text in {"include", "require", "include_once", "require_once"}:
            args = script.args(index)
            first = script.first(args)
            if first and re.match(r"(?:https?|ftp|data|php)://|data:", first):
                found.append(Operation("remote", "includes code from elsewhere"))
        before = script.tokens[index - 1].text if index else ""
        if token.text in {"truncate", "forceDelete"} and before in {"::", "->", ":", ">"}:
            found.append(Operation("delete", "every record of a table"))
    return found
