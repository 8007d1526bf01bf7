"""Libraries with effects outside Python: clients of servers, and the C library."""

import ast
from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.languages.operation import Operation, starts
from hermes_guard.languages.python.code_execution import evaluate
from hermes_guard.languages.text_values import text
from hermes_guard.name_sets import names

if TYPE_CHECKING:
    from hermes_guard.languages.python.reader import Reader

#: Client methods that destroy data on a server, by imported library.
_CLIENTS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(
        ("boto3", "botocore", "aioboto3", "google", "azure", "kubernetes", "openstack", "digitalocean"),
        re.compile(r"(?:begin_)?(?:delete|terminate|deregister|purge|destroy)_\w+\Z|begin_delete\Z"),
    ),
    "docker": re.compile(r"(?:prune|prune_\w+|remove|remove_\w+|kill)\Z"),
    "redis": re.compile(r"flush(?:all|db)\Z"),
    "pymongo": re.compile(r"(?:drop|drop_\w+|delete_many)\Z"),
    "motor": re.compile(r"(?:drop|drop_\w+|delete_many)\Z"),
    "elasticsearch": re.compile(r"delete_by_query\Z"),
    "pika": re.compile(r"queue_(?:delete|purge)\Z"),
    "sqlalchemy": re.compile(r"drop_all\Z"),
    "storage": re.compile(r"delete_bucket\Z"),
}
#: Methods with the same meaning whatever was imported.
_ANYWHERE = names("drop_all drop_database flushall flushdb drop_collection")
_NATIVE = names(
    """
    execve execv execl execlp unlink rmdir kill syscall mprotect mmap memmove setuid ptrace mount VirtualAlloc
    """
)
_LIBRARIES = frozenset({"CDLL", "cdll", "windll", "PyDLL"})


def client(reader: "Reader", func: ast.Attribute, node: ast.Call) -> None:
    """Find client calls that destroy data or run a command on another machine."""
    method = func.attr
    if method in _ANYWHERE or (
        method == "delete" and isinstance(func.value, ast.Attribute) and func.value.attr == "indices"
    ):
        reader.found.append(Operation("delete", method))
        return
    for package in reader.packages & _CLIENTS.keys():
        if _CLIENTS[package].match(method):
            reader.found.append(Operation("delete", f"{method} of {package}"))
    if "git" in reader.packages and isinstance(func.value, ast.Attribute) and func.value.attr == "git":
        words = [text(reader.value(one)) for one in node.args]
        reader.found.append(starts(["git", method.replace("_", "-"), *words], "a command of git"))
    elif method == "exec_command" and reader.packages & {"paramiko", "asyncssh"} and node.args:
        reader.found.append(starts(["ssh", "host", text(reader.value(node.args[0]))], method))
    elif method in {"runsource", "runcode", "push"} and "code" in reader.packages and node.args:
        evaluate(reader, method, node.args[0])


def native(reader: "Reader", func: ast.Attribute, owner: str) -> None:
    """Report functions of the C library that are called through `ctypes`."""
    if func.attr in _NATIVE and ("ctypes" in owner or reader.mentions(func.value, _LIBRARIES)):
        reader.found.append(Operation("native", f"calls {func.attr} of the system's library"))
