"""Reads Ruby and Rake."""

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.environment_secrets import sent
from hermes_guard.languages.scripts.function_names import STATEMENTS, Functions
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.tokens import RUBY
from hermes_guard.name_sets import names

VERBS = Functions(
    RUBY,
    spawn=names("system exec spawn popen popen2 popen2e popen3 capture2 capture2e capture3"),
    trees=names("rm_rf rm_r rmtree remove_dir remove_entry remove_entry_secure delete_tree"),
    files=names("delete unlink rm rm_f safe_unlink"),
    evals=names("eval instance_eval class_eval module_eval"),
    opens=names("open new"),
    reads=names("read readlines binread foreach"),
    writes={"write": 0, "binwrite": 0, "rename": 1, "symlink": 1, "cp": 1, "mv": 1, "cp_r": 1, "ln_s": 1},
    sockets=names("TCPSocket UDPSocket Socket"),
    fetches=names("Net URI open-uri Net::HTTP"),
    forks=names("fork"),
    statements=STATEMENTS
    | names("exec_params async_exec execute_batch exec_query select_all find_by_sql fetch do drop exec_update <<"),
    empties=names("drop_table drop_database drop_collection flushall flushdb delete_many truncate drop_schema"),
)
RAKE = VERBS._replace(spawn=VERBS.spawn | {"sh"})


def rake(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what a Rakefile would do."""
    return Script(code, RAKE, home, looped=looped, budget=budget).read()


def read(code: str, *, home: str, looped: bool, budget: Budget, argv: list[str] | None = None) -> list[Operation]:
    """Return what Ruby code would do."""
    script = Script(code, VERBS, home, looped=looped, budget=budget, argv=argv)
    found = script.read()
    sent(script, code)
    if script.names & {"delete_all", "destroy_all"}:
        found.append(Operation("delete", "every record of a table"))
    return found
