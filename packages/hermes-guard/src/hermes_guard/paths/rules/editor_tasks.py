"""Rules for files that an editor runs when a project is opened or built."""

from hermes_guard.paths.rule import WRITE, PathRule

_RUNS = frozenset({"exec"})

_EDITORS = (
    "~/.vscode-oss/**", "~/.vscode-insiders/**", "~/.vscode-remote/**", "~/.vscode-server-insiders/**",
    "~/.windsurf-server/**", "~/.config/code - oss/user/**", "~/.config/code - insiders/user/**",
    "~/.config/windsurf*/user/**", "~/.config/trae*/user/**", "~/.config/positron/user/**", "~/.config/kiro/user/**",
    "~/.config/antigravity/user/**", "~/.config/void/user/**", "~/.config/codium/user/**", "~/.config/theia*/**",
    "~/.theia/**", "~/.local/share/code-server/**", "~/.local/share/openvscode*/**", "~/.config/code-flags.conf",
    "~/.config/electron*-flags.conf", "**/.nova/tasks/**", "**/.nova/configuration.json",
    "**/.externaltoolbuilders/**", "**/.vs/*.vs.json", "**/*.sublime-project", "**/.bsp/*.json", "**/.neoconf.json",
    "**/.vim/coc-settings.json", "**/.vim/vimrc", "**/.idea/startup.xml", "**/.idea/tools/**", "**/.idea/ant.xml",
    "**/.idea/remote-targets.xml", "**/.idea/remotetargets.xml", "**/.idea/jshell/**",
    "**/.idea/filetemplates/**/*.groovy", "**/.idea/httprequests/**/http-client.private.env.json", "**/.fleet/*.json",
    "**/.settings/*.launch", "**/.theia/tasks.json", "**/.theia/launch.json", "**/.theia/settings.json",
    "**/.vscode-test/user/**", "**/.spyproject/**", "~/.local/share/jetbrains/**",
    "~/.config/google/androidstudio*/**", "~/.androidstudio*/**", "~/.intellijidea*/**", "~/.pycharm*/**",
    "~/.webstorm*/**", "~/.idea*/**", "~/.eclipse/**", "~/.netbeans/**", "~/.config/netbeans/**", "~/.spyder-py3/**",
    "~/.config/spyder*/**", "~/.thonny/**", "~/.config/thonny/**", "~/.config/qtcreator/**", "~/.config/kdevelop*",
    "~/.config/codeblocks/**", "~/.codelite/**", "~/.config/gnome-builder/**", "~/.config/fleet/**", "~/.fleet/**",
    "~/.config/panic/**", "~/.config/nova/**", "~/.config/bbedit/**", "~/.config/textmate/**",
    "~/.config/coteditor/**", "~/library/avian/**", "~/library/textmate/**", "~/.arduino*/**/platform.local.txt",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.editor-task",
        ops=WRITE,
        severity="ask",
        reason="An editor runs commands from it when the project is opened or built.",
        effects=_RUNS,
        patterns=(
            *_EDITORS, "**/.vscode/tasks.json", "**/.vscode/launch.json", "**/.vscode/settings.json",
            "**/.vscode/mcp.json", "**/*.code-workspace", "~/.vscode/extensions/**", "~/.vscode/argv.json",
            "~/.vscode-server/**", "~/.cursor-server/**", "~/.config/code/user/**", "~/.config/vscodium/user/**",
            "~/library/application support/code/user/**", "~/appdata/roaming/code/user/**",
            "**/.idea/runconfigurations/**", "**/.idea/workspace.xml", "**/.idea/externaltools.xml",
            "**/.idea/watchertasks.xml", "**/.run/*.run.xml", "~/.config/jetbrains/**", "**/.fleet/run.json",
            "**/.devcontainer/devcontainer.json", "**/.devcontainer/*/devcontainer.json", "**/.devcontainer.json",
            "**/.gitpod.yml",
        ),
        match=(
            ".vscode/tasks.json", ".vscode/settings.json", ".idea/runConfigurations/Run.xml", "~/.vscode/argv.json",
            "~/.config/Code - OSS/User/settings.json", "~/Library/Application Support/Code/User/tasks.json",
            ".bsp/sbt.json", ".devcontainer/devcontainer.json", ".devcontainer.json",
            "~/.local/share/JetBrains/Toolbox/x",
        ),
    ),
)  # fmt: skip
