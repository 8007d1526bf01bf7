"""The settings sections `terminal`, `files` and `code_execution`.

They are dataclasses. pydantic reads the metadata of their fields when the manifest is generated, so a process that
calls a tool does not import it.
"""
# ruff: noqa: RUF009 - `setting` and `section` return fields

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, field
from typing import Any, ClassVar, Literal, TypeVar, cast

Value = TypeVar("Value")


def setting(default: Value, description: str, **limits: float) -> Value:
    """Define a field with a description and limits (`ge`, `gt`), which are checked when the section is read."""
    metadata: dict[str, Any] = {"description": description, **limits}
    if isinstance(default, (list, dict)):
        metadata["json_schema_extra"] = {"default": default}
        return cast("Value", field(default_factory=type(default), metadata=metadata))
    return field(default=default, metadata=metadata)


def section(kind: type[Value], description: str) -> Value:
    """Define a field with nested settings."""
    return field(default_factory=kind, metadata={"description": description})


class _Section:
    """The base of all sections, with one constructor: generating methods for each class would slow down the import."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init__(self, **values: Any) -> None:
        if not values.keys() <= self.__dataclass_fields__.keys():
            raise TypeError(
                f"{type(self).__name__} has no {', '.join(values.keys() - self.__dataclass_fields__.keys())}"
            )
        for name, each in self.__dataclass_fields__.items():
            if name in values:
                vars(self)[name] = values[name]
            else:
                vars(self)[name] = each.default if each.default_factory is MISSING else each.default_factory()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"settings cannot be changed: {name}")


@dataclass(init=False, eq=False, repr=False)
class ContainerLimits(_Section):
    """Resource limits of a container."""

    cpu: float = setting(1, "Number of processors.", gt=0)
    memory: int = setting(5120, "Memory in MB.", ge=6)
    disk: int = setting(51200, "Disk space in MB, if the engine supports a limit; 0 for no limit.", ge=0)
    pids: int = setting(256, "Maximum number of processes.", ge=1)


@dataclass(init=False, eq=False, repr=False)
class DockerSettings(_Section):
    """Containers of docker, podman or a compatible engine."""

    engine: str = setting("", "The program, `docker` or `podman`; found automatically when empty.")
    image: str = setting("nikolaik/python-nodejs:python3.11-nodejs20", "The image.")
    network: bool = setting(True, "Whether commands can use the network.")
    volumes: list[str] = setting([], "Mounted directories: HOST:CONTAINER or HOST:CONTAINER:ro.")
    env: dict[str, str] = setting({}, "Environment variables of commands.")
    forward_env: list[str] = setting([], "Names of variables of this process to pass to commands.")
    extra_args: list[str] = setting([], "Additional arguments of `docker run`.")
    run_as_host_user: bool = setting(False, "Run as the user of this process instead of root.")
    mount_cwd: bool = setting(False, "Mount the working directory of this process as /workspace.")
    persist: bool = setting(True, "Keep /root and /workspace in directories of this machine.")
    reuse: bool = setting(True, "Keep the container for the next process with the same task.")
    orphan_reaper: bool = setting(True, "Remove containers that dead processes left behind.")


@dataclass(init=False, eq=False, repr=False)
class SshSettings(_Section):
    """A remote machine, reached with OpenSSH."""

    host: str = setting("", "The host name.")
    user: str = setting("", "The remote user; that of the SSH configuration when empty.")
    port: int = setting(0, "The port; that of the SSH configuration when 0.", ge=0, le=65535)
    key: str = setting("", "The private key file; keys of the SSH agent when empty.")
    jump: str = setting("", "Jump hosts, as for `ssh -J`.")
    known_hosts: Literal["accept-new", "strict", "ignore"] = setting(
        "accept-new", "Which host keys to accept: also new ones, known ones only, or any."
    )
    known_hosts_file: str = setting("", "The file of known host keys; that of SSH when empty.")
    config_file: str = setting("", "An alternative SSH configuration; `none` for no configuration.")
    connect_timeout: int = setting(10, "Seconds to wait for a connection.", ge=1)
    keep: int = setting(300, "Seconds to keep an idle connection open.", ge=1)


@dataclass(init=False, eq=False, repr=False)
class SingularitySettings(_Section):
    """Containers of Apptainer or Singularity."""

    engine: str = setting("", "The program, `apptainer` or `singularity`; found automatically when empty.")
    image: str = setting("docker://nikolaik/python-nodejs:python3.11-nodejs20", "A .sif file, or a source to build.")
    network: bool = setting(True, "Whether commands can use the network.")
    binds: list[str] = setting([], "Mounted directories: HOST:CONTAINER or HOST:CONTAINER:ro.")
    persist: bool = setting(True, "Keep changes in an overlay on this machine.")
    extra_args: list[str] = setting([], "Additional arguments of `instance start`.")


@dataclass(init=False, eq=False, repr=False)
class ModalSettings(_Section):
    """Sandboxes of modal.com."""

    image: str = setting("nikolaik/python-nodejs:python3.11-nodejs20", "The image.")
    app: str = setting("hermes-tools", "The Modal app of the sandboxes.")
    lifetime: int = setting(3600, "Seconds until Modal ends a sandbox.", ge=60)
    persist: bool = setting(True, "Snapshot the files for the task's next sandbox.")


@dataclass(init=False, eq=False, repr=False)
class DaytonaSettings(_Section):
    """Sandboxes of daytona.io."""

    image: str = setting("nikolaik/python-nodejs:python3.11-nodejs20", "The image.")
    api_url: str = setting("", "The URL of another server than the vendor's.")
    target: str = setting("", "The region.")
    persist: bool = setting(True, "Stop the sandbox instead of deleting it, and resume it later.")


@dataclass(init=False, eq=False, repr=False)
class SandboxSettings(_Section):
    """A sandbox on this machine: read-only files except for the workspace, hidden secrets, no network."""

    engine: Literal["auto", "bubblewrap", "landlock"] = setting(
        "auto", "The engine; `auto` uses bubblewrap, or Landlock where bubblewrap is missing."
    )
    network: bool = setting(False, "Whether commands can use the network.")
    writable: list[str] = setting([], "Writable directories in addition to the workspace.")
    hidden: list[str] = setting([], "Hidden paths in addition to known secrets.")


@dataclass(init=False, eq=False, repr=False)
class TerminalSettings(_Section):
    """Where and how commands run."""

    env: str = setting(
        "local", "The environment: local, docker, ssh, singularity, modal, daytona, sandbox, or a plugin's."
    )
    cwd: str = setting("", "The directory in which commands start; that of the process when empty.")
    timeout: int = setting(180, "Default time limit of a command in seconds.", ge=1)
    max_foreground_timeout: int = setting(600, "Maximum time limit that a command may request, in seconds.", ge=1)
    lifetime_seconds: int = setting(300, "Seconds after which an idle environment is closed.", ge=1)
    output_limit: int = setting(50_000, "Maximum number of characters of a command's output.", ge=1000)
    disk_warning_gb: float = setting(500, "Warn when environments use more disk space, in GB; 0 for never.", ge=0)
    env_passthrough: list[str] = setting([], "Names of variables of this process to pass to commands.")
    shell_init_files: list[str] = setting([], "Files that a new shell sources first.")
    auto_source_bashrc: bool = setting(False, "Whether a new shell sources ~/.bashrc.")
    sandbox_dir: str = setting("", "Where environments store files; HERMES_HOME/sandboxes when empty.")
    guard_isolated: bool = setting(False, "Require approval of dangerous commands in isolated environments, too.")
    foreground_guard: bool = setting(True, "Reject servers and detached commands in the foreground.")
    container: ContainerLimits = section(ContainerLimits, "Resource limits of containers.")
    docker: DockerSettings = section(DockerSettings, "Docker and podman.")
    ssh: SshSettings = section(SshSettings, "A remote machine.")
    singularity: SingularitySettings = section(SingularitySettings, "Apptainer, Singularity.")
    modal: ModalSettings = section(ModalSettings, "Modal.")
    daytona: DaytonaSettings = section(DaytonaSettings, "Daytona.")
    sandbox: SandboxSettings = section(SandboxSettings, "A sandbox on this machine.")
    providers: dict[str, dict[str, Any]] = setting({}, "Settings of environments from plugins.")


@dataclass(init=False, eq=False, repr=False)
class FileSettings(_Section):
    """Which files agents may use, and how much of them is returned."""

    workspace: str = setting("", "The project directory; `terminal.cwd` when empty.")
    extra_roots: list[str] = setting([], "Directories to treat like the workspace.")
    confined: bool = setting(False, "Refuse all files outside the workspace and the extra roots.")
    read_max_chars: int = setting(100_000, "Maximum number of characters per read.", ge=1000)
    max_lines: int = setting(2000, "Maximum number of lines per read.", ge=1)
    max_line_chars: int = setting(2000, "Maximum number of characters shown of a line.", ge=80)
    mask_secrets: Literal[True, False, "on", "off"] = setting(
        True, "Mask secrets in files, search results, diffs and the output of commands and scripts for the model."
    )
    max_edit_mb: int = setting(64, "Maximum size of a patched file in MB.", ge=1)
    lint: bool = setting(True, "Check the syntax of a file after an edit.")
    undo_keep: int = setting(500, "Maximum number of changes that can be undone.", ge=1)
    undo_max_mb: int = setting(500, "Maximum size of the stored old contents in MB.", ge=1)

    @property
    def masks_secrets(self) -> bool:
        """Return True unless the user disabled masking."""
        return self.mask_secrets not in (False, "off")


@dataclass(init=False, eq=False, repr=False)
class CodeSettings(_Section):
    """How scripts of `execute_code` run."""

    timeout: float = setting(300, "Time limit of a script in seconds.", gt=0)
    max_tool_calls: int = setting(50, "Maximum number of tool calls of a script.", ge=0)
    memory_mb: int = setting(4096, "Memory limit of each process of a script in MB; 0 for no limit. Linux only.", ge=0)
    mode: Literal["project", "strict"] = setting(
        "project",
        "`project`: in the task's directory, with the project's Python; `strict`: in an empty directory, "
        "with the Python that runs Hermes.",
    )
    max_stdout: int = setting(50_000, "Maximum number of characters of a script's output.", ge=100)
    max_stderr: int = setting(10_000, "Maximum number of characters of a script's errors.", ge=100)
