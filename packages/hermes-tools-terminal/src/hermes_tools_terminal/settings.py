"""What users can decide: the sections `terminal`, `files` and `code_execution`.

They are dataclasses, and pydantic reads the metadata of their fields when the manifest is made: a process that calls a
tool does not pay for its import.
"""
# ruff: noqa: RUF009 - `setting` and `section` return fields

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, field
from typing import Any, ClassVar, Literal, TypeVar, cast

Value = TypeVar("Value")


def setting(default: Value, description: str, **limits: float) -> Value:
    """A field with a description and limits (`ge`, `gt`), which are checked when the section is read."""
    metadata: dict[str, Any] = {"description": description, **limits}
    if isinstance(default, (list, dict)):
        metadata["json_schema_extra"] = {"default": default}
        return cast("Value", field(default_factory=type(default), metadata=metadata))
    return field(default=default, metadata=metadata)


def section(kind: type[Value], description: str) -> Value:
    """A field with settings of its own."""
    return field(default_factory=kind, metadata={"description": description})


class _Section:
    """What the sections share: one constructor for all, because to generate methods for each takes time at import."""

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
    """How much of the machine a container may use."""

    cpu: float = setting(1, "Processors.", gt=0)
    memory: int = setting(5120, "Memory in MB.", ge=6)
    disk: int = setting(51200, "Disk in MB, where the engine can limit it; 0 for no limit.", ge=0)
    pids: int = setting(256, "Processes.", ge=1)


@dataclass(init=False, eq=False, repr=False)
class DockerSettings(_Section):
    """Containers of docker, podman, or another engine with the same commands."""

    engine: str = setting("", "The program, `docker` or `podman`; found when it is empty.")
    image: str = setting("nikolaik/python-nodejs:python3.11-nodejs20", "The image.")
    network: bool = setting(True, "Whether commands reach the network.")
    volumes: list[str] = setting([], "Folders of this machine: HOST:CONTAINER or HOST:CONTAINER:ro.")
    env: dict[str, str] = setting({}, "Variables for commands.")
    forward_env: list[str] = setting([], "Variables of this process that commands get.")
    extra_args: list[str] = setting([], "Further arguments of `docker run`.")
    run_as_host_user: bool = setting(False, "Run as the user of this process, not as root.")
    mount_cwd: bool = setting(False, "Mount the folder of this process as /workspace.")
    persist: bool = setting(True, "Keep /root and /workspace in folders of this machine.")
    reuse: bool = setting(True, "Keep the container for the next process with the same task.")
    orphan_reaper: bool = setting(True, "Remove containers that dead processes left behind.")


@dataclass(init=False, eq=False, repr=False)
class SshSettings(_Section):
    """Another machine, by OpenSSH."""

    host: str = setting("", "The machine.")
    user: str = setting("", "The user there; the one in the SSH configuration when it is empty.")
    port: int = setting(0, "The port; that of the SSH configuration when it is 0.", ge=0, le=65535)
    key: str = setting("", "A private key's file; the agent's keys when it is empty.")
    jump: str = setting("", "Machines on the way, as `ssh -J` takes them.")
    known_hosts: Literal["accept-new", "strict", "ignore"] = setting(
        "accept-new", "What to do about a machine's key: trust the first one, only known ones, any."
    )
    known_hosts_file: str = setting("", "Where known keys are; that of SSH when it is empty.")
    config_file: str = setting("", "Another SSH configuration; `none` for none at all.")
    connect_timeout: int = setting(10, "Seconds to wait for the machine.", ge=1)
    keep: int = setting(300, "Seconds that an idle connection is kept.", ge=1)


@dataclass(init=False, eq=False, repr=False)
class SingularitySettings(_Section):
    """Containers of Apptainer or Singularity."""

    engine: str = setting("", "The program, `apptainer` or `singularity`; found when it is empty.")
    image: str = setting("docker://nikolaik/python-nodejs:python3.11-nodejs20", "A .sif file, or its source.")
    network: bool = setting(True, "Whether commands reach the network.")
    binds: list[str] = setting([], "Folders of this machine: HOST:CONTAINER or HOST:CONTAINER:ro.")
    persist: bool = setting(True, "Keep what is written in an overlay of this machine.")
    extra_args: list[str] = setting([], "Further arguments of `instance start`.")


@dataclass(init=False, eq=False, repr=False)
class ModalSettings(_Section):
    """Sandboxes of modal.com."""

    image: str = setting("nikolaik/python-nodejs:python3.11-nodejs20", "The image.")
    app: str = setting("hermes-tools", "The Modal app that the sandboxes belong to.")
    lifetime: int = setting(3600, "Seconds until Modal ends a sandbox.", ge=60)
    persist: bool = setting(True, "Keep a snapshot of the files for the task's next sandbox.")


@dataclass(init=False, eq=False, repr=False)
class DaytonaSettings(_Section):
    """Sandboxes of daytona.io."""

    image: str = setting("nikolaik/python-nodejs:python3.11-nodejs20", "The image.")
    api_url: str = setting("", "Another server than the vendor's.")
    target: str = setting("", "The region.")
    persist: bool = setting(True, "Stop the sandbox instead of deleting it, and resume it later.")


@dataclass(init=False, eq=False, repr=False)
class SandboxSettings(_Section):
    """A sandbox on this machine: files read-only but for the workspace, secrets hidden, no network."""

    engine: Literal["auto", "bubblewrap", "landlock"] = setting(
        "auto", "What builds it; `auto` takes bubblewrap, and Landlock where that is missing."
    )
    network: bool = setting(False, "Whether commands reach the network.")
    writable: list[str] = setting([], "Folders that can be written beside the workspace.")
    hidden: list[str] = setting([], "Paths that cannot be seen beside the known secrets.")


@dataclass(init=False, eq=False, repr=False)
class TerminalSettings(_Section):
    """Where commands run, and how."""

    env: str = setting(
        "local", "The environment: local, docker, ssh, singularity, modal, daytona, sandbox, or a plugin's."
    )
    cwd: str = setting("", "Where commands start; where the process is when it is empty.")
    timeout: int = setting(180, "Seconds that a command may take when it does not say.", ge=1)
    max_foreground_timeout: int = setting(600, "The most seconds that a command may ask for.", ge=1)
    lifetime_seconds: int = setting(300, "Idle seconds after which an environment is closed.", ge=1)
    output_limit: int = setting(50_000, "Characters of a command's output that are kept.", ge=1000)
    disk_warning_gb: float = setting(500, "Warn when environments keep more; 0: never.", ge=0)
    env_passthrough: list[str] = setting([], "Variables of this process that commands get.")
    shell_init_files: list[str] = setting([], "Files that a new shell reads first.")
    auto_source_bashrc: bool = setting(False, "Whether a new shell reads ~/.bashrc.")
    sandbox_dir: str = setting("", "Where environments keep files; HERMES_HOME/sandboxes when empty.")
    guard_isolated: bool = setting(False, "Ask about dangerous commands in isolated environments, too.")
    foreground_guard: bool = setting(True, "Send servers and commands that go to the background to `background=true`.")
    container: ContainerLimits = section(ContainerLimits, "Limits of containers.")
    docker: DockerSettings = section(DockerSettings, "Docker and podman.")
    ssh: SshSettings = section(SshSettings, "Another machine.")
    singularity: SingularitySettings = section(SingularitySettings, "Apptainer, Singularity.")
    modal: ModalSettings = section(ModalSettings, "Modal.")
    daytona: DaytonaSettings = section(DaytonaSettings, "Daytona.")
    sandbox: SandboxSettings = section(SandboxSettings, "A sandbox on this machine.")
    providers: dict[str, dict[str, Any]] = setting({}, "Settings of plugins' environments.")


@dataclass(init=False, eq=False, repr=False)
class FileSettings(_Section):
    """Which files agents work on, and how much of them they get at once."""

    workspace: str = setting("", "The project's folder; where commands start (`terminal.cwd`) when it is empty.")
    extra_roots: list[str] = setting([], "Folders that are worked in like the workspace.")
    confined: bool = setting(False, "Refuse every file outside of the workspace and the extra roots.")
    read_max_chars: int = setting(100_000, "Characters that one read gives at most.", ge=1000)
    max_lines: int = setting(2000, "Lines that one read gives at most.", ge=1)
    max_line_chars: int = setting(2000, "Characters of one line that are shown.", ge=80)
    mask_secrets: Literal[True, False, "on", "off"] = setting(
        True, "Mask secrets in files, search results, diffs and the output of commands and scripts for the model."
    )
    max_edit_mb: int = setting(64, "The biggest file that is patched, in MB.", ge=1)
    lint: bool = setting(True, "Check the syntax of a file after an edit.")
    undo_keep: int = setting(500, "How many changes can be undone.", ge=1)
    undo_max_mb: int = setting(500, "How much of old contents is kept for that, in MB.", ge=1)

    @property
    def masks_secrets(self) -> bool:
        """True unless the user turned masks off."""
        return self.mask_secrets not in (False, "off")


@dataclass(init=False, eq=False, repr=False)
class CodeSettings(_Section):
    """How scripts of the tool `execute_code` run."""

    timeout: float = setting(300, "Seconds that a script may take.", gt=0)
    max_tool_calls: int = setting(50, "How many tools one script may call.", ge=0)
    memory_mb: int = setting(
        4096, "Megabytes of memory that each process of a script may allocate; 0 for no limit. It needs Linux.", ge=0
    )
    mode: Literal["project", "strict"] = setting(
        "project",
        "`project`: in the task's folder, with the project's own Python; `strict`: in an empty folder, "
        "with the Python that runs Hermes.",
    )
    max_stdout: int = setting(50_000, "Characters of a script's output that are kept.", ge=100)
    max_stderr: int = setting(10_000, "Characters of its errors that are kept.", ge=100)
