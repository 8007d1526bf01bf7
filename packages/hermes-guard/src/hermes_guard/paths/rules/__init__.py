"""The built-in path rules as data.

A glob is judged by the `match` examples that it matches. `not_match` examples are in `hermes_guard/examples`.
"""

from hermes_guard.paths.rules import (
    accounts,
    agents,
    browsers,
    cloud_logins,
    devices,
    dotenv,
    editor_tasks,
    histories,
    kernel,
    password_stores,
    private_keys,
    program_startup,
    registry_logins,
    search_path,
    secret_files,
    service_secrets,
    session_startup,
    shell_startup,
    system_files,
    tool_logins,
    version_control,
    wallets,
)

RULES = (
    *devices.RULES,
    *kernel.RULES,
    *accounts.RULES,
    *service_secrets.RULES,
    *system_files.RULES,
    *cloud_logins.RULES,
    *registry_logins.RULES,
    *tool_logins.RULES,
    *password_stores.RULES,
    *browsers.RULES,
    *wallets.RULES,
    *histories.RULES,
    *dotenv.RULES,
    *private_keys.RULES,
    *secret_files.RULES,
    *shell_startup.RULES,
    *session_startup.RULES,
    *program_startup.RULES,
    *agents.RULES,
    *version_control.RULES,
    *editor_tasks.RULES,
    *search_path.RULES,
)

__all__ = ["RULES"]
