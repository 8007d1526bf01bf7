"""What users can decide: the section `terminal`, the one place that every tool of the family reads."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ContainerLimits(_Section):
    """How much of the machine a container may use."""

    cpu: float = Field(default=1, gt=0, description="Processors.")
    memory: int = Field(default=5120, ge=6, description="Memory in MB.")
    disk: int = Field(default=51200, ge=0, description="Disk in MB, where the engine can limit it; 0 for no limit.")
    pids: int = Field(default=256, ge=1, description="Processes.")


class DockerSettings(_Section):
    """Containers of docker, podman, or another engine with the same commands."""

    engine: str = Field(default="", description="The program, `docker` or `podman`; found when it is empty.")
    image: str = Field(default="nikolaik/python-nodejs:python3.11-nodejs20", description="The image.")
    network: bool = Field(default=True, description="Whether commands reach the network.")
    volumes: list[str] = Field(default=[], description="Folders of this machine: HOST:CONTAINER or HOST:CONTAINER:ro.")
    env: dict[str, str] = Field(default={}, description="Variables for commands.")
    forward_env: list[str] = Field(default=[], description="Variables of this process that commands get.")
    extra_args: list[str] = Field(default=[], description="Further arguments of `docker run`.")
    run_as_host_user: bool = Field(default=False, description="Run as the user of this process, not as root.")
    mount_cwd: bool = Field(default=False, description="Mount the folder of this process as /workspace.")
    persist: bool = Field(default=True, description="Keep /root and /workspace in folders of this machine.")
    reuse: bool = Field(default=True, description="Keep the container for the next process with the same task.")
    orphan_reaper: bool = Field(default=True, description="Remove containers that dead processes left behind.")


class SshSettings(_Section):
    """Another machine, by OpenSSH."""

    host: str = Field(default="", description="The machine.")
    user: str = Field(default="", description="The user there; the one in the SSH configuration when it is empty.")
    port: int = Field(default=0, ge=0, le=65535, description="The port; that of the SSH configuration when it is 0.")
    key: str = Field(default="", description="A private key's file; the agent's keys when it is empty.")
    jump: str = Field(default="", description="Machines on the way, as `ssh -J` takes them.")
    known_hosts: Literal["accept-new", "strict", "ignore"] = Field(
        default="accept-new", description="What to do about a machine's key: trust the first one, only known ones, any."
    )
    known_hosts_file: str = Field(default="", description="Where known keys are; that of SSH when it is empty.")
    config_file: str = Field(default="", description="Another SSH configuration; `none` for none at all.")
    connect_timeout: int = Field(default=10, ge=1, description="Seconds to wait for the machine.")
    keep: int = Field(default=300, ge=1, description="Seconds that an idle connection is kept.")


class SingularitySettings(_Section):
    """Containers of Apptainer or Singularity."""

    engine: str = Field(default="", description="The program, `apptainer` or `singularity`; found when it is empty.")
    image: str = Field(
        default="docker://nikolaik/python-nodejs:python3.11-nodejs20", description="A .sif file, or its source."
    )
    network: bool = Field(default=True, description="Whether commands reach the network.")
    binds: list[str] = Field(default=[], description="Folders of this machine: HOST:CONTAINER or HOST:CONTAINER:ro.")
    persist: bool = Field(default=True, description="Keep what is written in an overlay of this machine.")
    extra_args: list[str] = Field(default=[], description="Further arguments of `instance start`.")


class ModalSettings(_Section):
    """Sandboxes of modal.com."""

    image: str = Field(default="nikolaik/python-nodejs:python3.11-nodejs20", description="The image.")
    app: str = Field(default="hermes-tools", description="The Modal app that the sandboxes belong to.")
    lifetime: int = Field(default=3600, ge=60, description="Seconds until Modal ends a sandbox.")
    persist: bool = Field(default=True, description="Keep a snapshot of the files for the task's next sandbox.")


class DaytonaSettings(_Section):
    """Sandboxes of daytona.io."""

    image: str = Field(default="nikolaik/python-nodejs:python3.11-nodejs20", description="The image.")
    api_url: str = Field(default="", description="Another server than the vendor's.")
    target: str = Field(default="", description="The region.")
    persist: bool = Field(default=True, description="Stop the sandbox instead of deleting it, and resume it later.")


class SandboxSettings(_Section):
    """A sandbox on this machine: files read-only but for the workspace, secrets hidden, no network."""

    engine: Literal["auto", "bubblewrap", "landlock"] = Field(
        default="auto", description="What builds it; `auto` takes bubblewrap, and Landlock where that is missing."
    )
    network: bool = Field(default=False, description="Whether commands reach the network.")
    writable: list[str] = Field(default=[], description="Folders that can be written beside the workspace.")
    hidden: list[str] = Field(default=[], description="Paths that cannot be seen beside the known secrets.")


class TerminalSettings(_Section):
    """Where commands run, and how."""

    env: str = Field(
        default="local",
        description="The environment: local, docker, ssh, singularity, modal, daytona, sandbox, or a plugin's.",
    )
    cwd: str = Field(default="", description="Where commands start; where the process is when it is empty.")
    timeout: int = Field(default=180, ge=1, description="Seconds that a command may take when it does not say.")
    max_foreground_timeout: int = Field(default=600, ge=1, description="The most seconds that a command may ask for.")
    lifetime_seconds: int = Field(default=300, ge=1, description="Idle seconds after which an environment is closed.")
    output_limit: int = Field(default=50_000, ge=1000, description="Characters of a command's output that are kept.")
    disk_warning_gb: float = Field(default=500, ge=0, description="Warn when environments keep more; 0: never.")
    env_passthrough: list[str] = Field(default=[], description="Variables of this process that commands get.")
    shell_init_files: list[str] = Field(default=[], description="Files that a new shell reads first.")
    auto_source_bashrc: bool = Field(default=False, description="Whether a new shell reads ~/.bashrc.")
    sandbox_dir: str = Field(default="", description="Where environments keep files; HERMES_HOME/sandboxes when empty.")
    guard_isolated: bool = Field(
        default=False, description="Ask about dangerous commands in isolated environments, too."
    )
    foreground_guard: bool = Field(
        default=True, description="Send servers and commands that go to the background to `background=true`."
    )
    container: ContainerLimits = Field(default_factory=ContainerLimits, description="Limits of containers.")
    docker: DockerSettings = Field(default_factory=DockerSettings, description="Docker and podman.")
    ssh: SshSettings = Field(default_factory=SshSettings, description="Another machine.")
    singularity: SingularitySettings = Field(default_factory=SingularitySettings, description="Apptainer, Singularity.")
    modal: ModalSettings = Field(default_factory=ModalSettings, description="Modal.")
    daytona: DaytonaSettings = Field(default_factory=DaytonaSettings, description="Daytona.")
    sandbox: SandboxSettings = Field(default_factory=SandboxSettings, description="A sandbox on this machine.")
    providers: dict[str, dict[str, Any]] = Field(default={}, description="Settings of plugins' environments.")
