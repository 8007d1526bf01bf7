"""Files of the same program on other systems and in sandboxes."""

import pytest

from hermes_guard.paths import judge_path

HOME = "/home/dev"
SLACK = [
    "~/.config/Slack/Cookies",
    "~/Library/Application Support/Slack/Cookies",
    "~/Library/Containers/com.tinyspeck.slackmacgap/Data/Library/Application Support/Slack/Cookies",
    "~/.var/app/com.slack.Slack/config/Slack/Cookies",
    "~/snap/slack/current/.config/Slack/Cookies",
    "~/AppData/Roaming/Slack/Cookies",
    "/Users/bob/Library/Application Support/Slack/Cookies",
    "/mnt/c/Users/bob/AppData/Roaming/Slack/Cookies",
]


@pytest.mark.parametrize("path", SLACK)
def test_a_login_is_one_on_every_system(path: str) -> None:
    assert "path.tool-credentials" in judge_path("read", path, home=HOME).rules


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("~/.var/app/com.visualstudio.code/config/Code/User/settings.json", "path.editor-task"),
        ("~/Library/Application Support/Code/User/settings.json", "path.editor-task"),
        ("~/.var/app/org.telegram.desktop/data/TelegramDesktop/tdata/key", "path.tool-credentials"),
        ("~/Library/Application Support/go/env", "path.program-startup"),
        ("~/snap/firefox/common/.mozilla/firefox/x/key4.db", "path.browser"),
    ],
)
def test_what_runs_later_is_known_on_every_system(path: str, rule: str) -> None:
    assert rule in judge_path("write", path, home=HOME).rules


@pytest.mark.parametrize(
    "path",
    [
        "~/Library/Application Support/MyApp/state.json",
        "~/.var/app/org.example.App/config/app/settings.json",
        "~/snap/node/current/work/index.js",
        "~/AppData/Local/Temp/a.txt",
        "~/Library/Caches/pip/x",
        "~/Library/Logs/app.log",
    ],
)
def test_other_folders_of_other_systems_are_ordinary(path: str) -> None:
    assert judge_path("read", path, home=HOME).allowed
    assert judge_path("write", path, home=HOME).allowed


@pytest.mark.parametrize(
    "path", [".git::$INDEX_ALLOCATION/config", ".git:$I30:$INDEX_ALLOCATION/config", "git~1/config"]
)
def test_other_spellings_of_the_repository_are_noticed(path: str) -> None:
    assert judge_path("write", path, home=HOME, workspace="/home/dev/shop").severity == "ask"


@pytest.mark.parametrize("name", ["CLAUDE.md", "skills/a/SKILL.md"])
def test_instructions_are_asked_about_in_a_home_and_ordinary_in_a_project(name: str) -> None:
    assert judge_path("write", f"~/.claude/{name}", home=HOME).rules == ("path.agent-instructions",)
    for workspace in ("/home/dev/shop", None):
        assert judge_path("write", f".claude/{name}", home=HOME, workspace=workspace).allowed
    assert judge_path("write", f"/home/dev/shop/.claude/{name}", home=HOME).allowed


@pytest.mark.parametrize(
    "path",
    [
        ".cursorrules",
        ".cursor/rules/x.mdc",
        ".windsurfrules",
        ".clinerules",
        ".claude/rules/style.md",
        ".junie/guidelines.md",
        ".github/copilot-instructions.md",
        ".devcontainer/devcontainer.json",
        "config.yaml",
        "deploy/config.yaml",
    ],
)
def test_what_agents_and_editors_obey_is_asked_about_in_a_project_too(path: str) -> None:
    assert judge_path("write", path, home=HOME, workspace="/home/dev/shop").severity == "ask"
    assert judge_path("read", path, home=HOME, workspace="/home/dev/shop").allowed
