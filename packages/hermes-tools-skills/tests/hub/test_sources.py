"""Every source is used over the network, against servers that answer like the real ones, and wrongly."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from hermes_net import NetPolicy
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.search import browse_skills, find_source, search_skills
from hermes_tools_skills.hub.taps import add_tap, list_taps, remove_tap
from hermes_tools_skills.providers.protocol import FetchedSkill, SourceError

from .conftest import Answer, FakeGitHub, MakeHub, Site, skill_text
from .test_archives import make_zip


def fetch(hub: SkillHub, identifier: str) -> FetchedSkill:
    _, source, rest = find_source(hub, identifier)
    return source.fetch(rest, hub.access)


def contents(fetched: FetchedSkill) -> dict[str, bytes]:
    return {file.path: file.data for file in fetched.files}


def problem(hub: SkillHub, identifier: str) -> SourceError:
    with pytest.raises(SourceError) as raised:
        fetch(hub, identifier)
    return raised.value


# -- GitHub ----------------------------------------------------------------------------------------------------------

PDF = {
    "skills/pdf/SKILL.md": skill_text("pdf", "Read PDF files."),
    "skills/pdf/scripts/run.sh": "echo hi\n",
    "skills/.curated/deploy/SKILL.md": skill_text("deploy", "Deploy to a cluster."),
    "README.md": "x",
}


def test_a_directory_of_a_repository_is_fetched(hub: SkillHub, github: FakeGitHub) -> None:
    commit = github.add("anthropics/skills", dict(PDF), skills__pdf__scripts__run_sh="100755")
    for identifier in ("anthropics/skills/skills/pdf", "github:anthropics/skills/pdf"):
        fetched = fetch(hub, identifier)
        assert contents(fetched) == {"SKILL.md": PDF["skills/pdf/SKILL.md"].encode(), "scripts/run.sh": b"echo hi\n"}
        assert [file.executable for file in fetched.files] == [False, True]
        assert fetched.entry.name == "pdf"
        assert fetched.entry.trust == "trusted"
        assert fetched.pinned == f"github:anthropics/skills/skills/pdf@{commit}"
    assert fetch(hub, "anthropics/skills/deploy").entry.description == "Deploy to a cluster."


def test_only_the_default_branch_of_a_trusted_repository_is_trusted(hub: SkillHub, github: FakeGitHub) -> None:
    commit = github.add("Anthropics/Skills", dict(PDF))
    assert fetch(hub, "Anthropics/Skills/pdf").entry.trust == "trusted"
    assert fetch(hub, f"Anthropics/Skills/pdf@{commit}").entry.trust == "community"  # it may be in a fork
    assert fetch(hub, "Anthropics/Skills/pdf@main").entry.trust == "community"
    github.add("anthropics/skills-2", dict(PDF))
    assert fetch(hub, "anthropics/skills-2/pdf").entry.trust == "community"


def test_a_skill_that_is_not_there_is_an_error_that_lists_the_others(hub: SkillHub, github: FakeGitHub) -> None:
    github.add("o/r", dict(PDF))
    assert "skills/.curated/deploy, skills/pdf" in problem(hub, "o/r/nothing").reason
    assert "contains 2 skills" in problem(hub, "github:o/r").reason
    assert problem(hub, "o/missing/x").kind == "not_found"
    github.add("o/empty", {"README.md": "x"})
    assert "no SKILL.md" in problem(hub, "github:o/empty").reason


def test_a_token_uses_the_api_for_files_and_goes_to_no_other_server(
    make_hub: MakeHub, github: FakeGitHub, site: Site, other_site: Site
) -> None:
    github.add("o/r", dict(PDF))
    hub = make_hub(github_token="secret-token", own_servers=[other_site.url])
    assert contents(fetch(hub, "o/r/pdf"))["scripts/run.sh"] == b"echo hi\n"
    assert any("/git/blobs/" in path for path in site.paths())
    assert {headers["authorization"] for _, headers, _ in site.requests} == {"Bearer secret-token"}
    site.routes["GET /repos/o/moved/commits/HEAD"] = Answer(status=302, Location=f"{other_site.url}/elsewhere")
    other_site.routes["GET /elsewhere"] = Answer("{}")
    problem(hub, "o/moved/x")
    assert [headers.get("authorization") for _, headers, _ in other_site.requests] == [None]


def test_a_file_that_differs_from_its_hash_is_refused(hub: SkillHub, github: FakeGitHub, site: Site) -> None:
    commit = github.add("o/r", dict(PDF))
    site.routes[f"GET /o/r/{commit}/skills/pdf/scripts/run.sh"] = Answer(b"echo bad\n")
    assert "differs from its hash" in problem(hub, "o/r/pdf").reason


def test_links_and_submodules_are_refused(hub: SkillHub, github: FakeGitHub) -> None:
    github.add("o/r", dict(PDF), skills__pdf__scripts__run_sh="120000")
    assert "link or a submodule" in problem(hub, "o/r/pdf").reason


def test_a_large_repository_is_entered_by_directory(hub: SkillHub, github: FakeGitHub, site: Site) -> None:
    github.add("o/r", dict(PDF))
    (whole,) = [key for key in site.routes if "/git/trees/" in key]
    answer = site.routes[whole]
    assert isinstance(answer, Answer)
    tree = json.loads(answer.body)["tree"]
    by_path = {entry["path"]: entry for entry in tree}

    def top(_: bytes) -> Answer:
        asked = site.requests[-1][0]
        return Answer({"tree": tree[:1] if "recursive" in asked else tree, "truncated": "recursive" in asked})

    site.routes[whole] = top
    for folder in ("skills", "skills/pdf"):
        inside = [
            {**entry, "path": entry["path"][len(folder) + 1 :]}
            for entry in tree
            if entry["path"].startswith(f"{folder}/")
        ]
        site.routes[f"GET /repos/o/r/git/trees/{by_path[folder]['sha']}"] = Answer({"tree": inside})
    assert set(contents(fetch(hub, "o/r/skills/pdf"))) == {"SKILL.md", "scripts/run.sh"}
    assert "too large" in problem(hub, "github:o/r").reason


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (403, {"X_RateLimit_Remaining": "0"}),
        (429, {}),
        (403, {"Retry_After": "120"}),
        (429, {"RateLimit_Reset": "120"}),
    ],
)
def test_a_rate_limit_names_the_time_when_it_ends(
    hub: SkillHub, site: Site, status: int, headers: dict[str, str]
) -> None:
    reset = str(int(time.time()) + 120)
    if not any("Reset" in name or "Retry" in name for name in headers):
        headers = {**headers, "X_RateLimit_Reset": reset}
    site.routes["GET /repos/o/r/commits/HEAD"] = Answer({"message": "slow down"}, status, 0, **headers)
    error = problem(hub, "o/r/x")
    assert error.kind == "rate_limited"
    assert error.retry_at is not None
    assert 110 < error.retry_at - time.time() < 130
    assert time.strftime("%H:%M", time.localtime(error.retry_at)) in error.reason
    assert "GITHUB_TOKEN" in error.reason


@pytest.mark.parametrize("reset", ["", "soon", "-5", "9" * 40, "99999999999"])
def test_a_reset_time_that_makes_no_sense_is_left_out(hub: SkillHub, site: Site, reset: str) -> None:
    site.routes["GET /repos/o/r/commits/HEAD"] = Answer("{}", 429, X_RateLimit_Reset=reset, Retry_After=reset)
    error = problem(hub, "o/r/x")
    assert error.kind == "rate_limited"
    assert error.retry_at is None


def test_a_refusal_is_not_called_a_rate_limit(hub: SkillHub, site: Site) -> None:
    site.routes["GET /repos/o/r/commits/HEAD"] = Answer({"message": "Bad credentials"}, 401)
    assert problem(hub, "o/r/x").kind == "refused"


def test_a_server_error_is_tried_twice(hub: SkillHub, github: FakeGitHub, site: Site) -> None:
    github.add("o/r", dict(PDF))
    right = site.routes["GET /repos/o/r/commits/HEAD"]
    answers: list[Any] = [Answer("x", 502), right]
    site.routes["GET /repos/o/r/commits/HEAD"] = lambda _: answers.pop(0)
    assert fetch(hub, "o/r/pdf").entry.name == "pdf"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"x"', b'{"sha": 1}', b"\xff", b"[" * 100_000, b'{"sha": "../../x"}']
)
def test_malformed_json_is_an_error(hub: SkillHub, site: Site, body: bytes) -> None:
    site.routes["GET /repos/o/r/commits/HEAD"] = Answer(body)
    assert problem(hub, "o/r/x").kind == "invalid"


def test_a_truncated_download_is_an_error(hub: SkillHub, github: FakeGitHub, site: Site) -> None:
    commit = github.add("o/r", dict(PDF))
    site.routes[f"GET /o/r/{commit}/skills/pdf/SKILL.md"] = Answer(b"---", cut=100)
    assert problem(hub, "o/r/pdf").kind == "network"


def test_an_app_logs_in_with_a_signed_token(make_hub: MakeHub, github: FakeGitHub, site: Site, tmp_path: Path) -> None:
    key, public = tmp_path / "key.pem", tmp_path / "public.pem"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    subprocess.run(["openssl", "rsa", "-in", str(key), "-pubout", "-out", str(public)], check=True, capture_output=True)
    github.add("o/r", dict(PDF))
    site.routes["POST /app/installations/77/access_tokens"] = Answer(
        {"token": "installed", "expires_at": "2099-01-01T00:00:00Z"}, 201
    )
    hub = make_hub(github_app_id="42", github_app_installation="77", github_app_key_file=str(key))
    fetch(hub, "o/r/pdf")
    logins = [headers["authorization"] for line, headers, _ in site.requests if line.startswith("POST")]
    assert len(logins) == 1
    head, claims, signature = logins[0].removeprefix("Bearer ").split(".")
    facts = json.loads(base64.urlsafe_b64decode(claims + "=="))
    assert facts["iss"] == "42"
    assert facts["iat"] < time.time() < facts["exp"] <= time.time() + 600
    (tmp_path / "signature").write_bytes(base64.urlsafe_b64decode(signature + "=="))
    (tmp_path / "signed").write_text(f"{head}.{claims}")
    verify = ["openssl", "dgst", "-sha256", "-verify", str(public), "-signature", str(tmp_path / "signature")]
    subprocess.run([*verify, str(tmp_path / "signed")], check=True, capture_output=True)
    assert {headers["authorization"] for line, headers, _ in site.requests if "GET" in line} == {"Bearer installed"}
    missing = make_hub(github_app_id="42", github_app_installation="77", github_app_key_file=str(tmp_path / "none"))
    assert "cannot be used as the key" in problem(missing, "o/r/pdf").reason


@pytest.mark.parametrize(
    "identifier", ["github:x", "github:../..", "github:o/..", "o/r/x@../../y", "o/r/x@-x", "github:o/r@"]
)
def test_an_identifier_that_is_no_repository_is_refused_without_a_request(
    hub: SkillHub, site: Site, identifier: str
) -> None:
    with pytest.raises(SourceError):
        fetch(hub, identifier)
    assert site.requests == []


# -- search over taps ------------------------------------------------------------------------------------------------


def only_tap(hub: SkillHub, *taps: str) -> None:
    for source, names in list_taps(hub.state).items():
        for name in names:
            remove_tap(hub.state, f"{source}:{name}")
    for tap in taps:
        add_tap(hub.state, tap)


def test_taps_are_searched_by_name_and_description(hub: SkillHub, github: FakeGitHub) -> None:
    github.add("o/r", dict(PDF))
    only_tap(hub, "o/r")
    result = search_skills(hub, "pdf", source="github")
    assert [(entry.name, entry.identifier) for entry in result.entries] == [("pdf", "github:o/r/skills/pdf")]
    assert [entry.name for entry in search_skills(hub, "cluster", source="github").entries] == ["deploy"]
    assert {entry.name for entry in browse_skills(hub, source="github").entries} == {"pdf", "deploy"}


def test_the_cache_answers_without_the_network_and_says_when_it_is_old(
    make_hub: MakeHub, github: FakeGitHub, site: Site
) -> None:
    github.add("o/r", dict(PDF))
    hub = make_hub()
    only_tap(hub, "o/r")
    assert len(browse_skills(hub, source="github").entries) == 2
    site.requests.clear()
    assert len(browse_skills(make_hub(), source="github").entries) == 2
    assert len(browse_skills(make_hub(offline=True, cache_minutes=0), source="github").entries) == 2
    assert site.requests == []
    site.routes.clear()
    site.routes["GET /repos/o/r/commits/HEAD"] = Answer("{}", 503)
    stale = browse_skills(make_hub(cache_minutes=0), source="github")
    assert len(stale.entries) == 2
    assert "listed on" in stale.notes[0]
    assert "not in the cache" in browse_skills(make_hub(offline=True), source="lobehub").problems[0]


def test_a_source_that_fails_does_not_hide_the_others(hub: SkillHub, github: FakeGitHub, site: Site) -> None:
    github.add("o/r", dict(PDF))
    only_tap(hub, "o/r")
    site.routes["GET /api/v1/search"] = Answer("not json")
    result = search_skills(hub, "pdf")
    assert [entry.name for entry in result.entries] == ["pdf"]
    assert any(problem.startswith("clawhub: ") for problem in result.problems)


def test_a_name_that_several_sources_list_is_not_guessed(hub: SkillHub, github: FakeGitHub, site: Site) -> None:
    github.add("o/r", dict(PDF))
    only_tap(hub, "o/r")
    assert find_source(hub, "pdf")[2] == "o/r/skills/pdf"
    site.routes["GET /api/v1/search"] = Answer({"results": [{"slug": "pdf", "summary": "x"}]})
    hub.cache.clear()
    with pytest.raises(HubError, match="2 skills are named 'pdf'"):
        find_source(hub, "pdf")
    with pytest.raises(HubError, match="No source lists"):
        find_source(hub, "nothing-like-that")


@pytest.mark.parametrize(
    ("given", "source", "rest"),
    [
        ("o/r/skills/pdf@v1", "github", "o/r/skills/pdf@v1"),
        ("https://github.com/o/r/tree/main/skills/pdf", "github", "o/r/skills/pdf@main"),
        ("https://github.com/o/r", "github", "o/r"),
        ("https://example.org/x.git", "git", "https://example.org/x.git"),
        ("git@example.org:o/r.git", "git", "git@example.org:o/r.git"),
        ("https://example.org/SKILL.md", "url", "https://example.org/SKILL.md"),
        ("./pdf", "directory", "./pdf"),
        ("~/pdf", "directory", "~/pdf"),
        ("clawhub:pdf@1.0", "clawhub", "pdf@1.0"),
    ],
)
def test_the_form_of_an_identifier_names_its_source(hub: SkillHub, given: str, source: str, rest: str) -> None:
    assert find_source(hub, given)[::2] == (source, rest)


def test_taps_are_added_and_removed_and_defaults_stay_removed(hub: SkillHub) -> None:
    assert "anthropics/skills" in list_taps(hub.state)["github"]
    assert add_tap(hub.state, "https://github.com/o/r") == "github:o/r"
    with pytest.raises(HubError, match="a tap already"):
        add_tap(hub.state, "O/R")
    remove_tap(hub.state, "anthropics/skills")
    assert "anthropics/skills" not in list_taps(hub.state)["github"]
    add_tap(hub.state, "anthropics/skills")
    assert list_taps(hub.state)["github"].count("anthropics/skills") == 1
    for wrong in ("o/r/path", "x", "wellknown:https://a/b", "../.."):
        with pytest.raises((HubError, SourceError)):
            add_tap(hub.state, wrong)


# -- Claude Code marketplaces ----------------------------------------------------------------------------------------


def test_the_skills_of_a_marketplace_are_found_and_fetched(hub: SkillHub, github: FakeGitHub) -> None:
    plugins = [
        {"name": "documents", "source": "./", "skills": ["./skills/pdf"], "version": "2.0"},
        {"name": "elsewhere", "source": {"source": "github", "repo": "other/plugin"}},
        {"name": "unsupported", "source": {"source": "npm", "package": "x"}},
        {"name": "escape", "source": "../../x"},
        "nonsense",
    ]
    files = {**PDF, ".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": plugins})}
    github.add("o/market", files)
    github.add(
        "other/plugin", {"skills/lint/SKILL.md": skill_text("lint", "Lint."), "deep/x/y/SKILL.md": skill_text("y")}
    )
    only_tap(hub, "claude:o/market")
    found = {entry.identifier: entry for entry in browse_skills(hub, source="claude").entries}
    assert set(found) == {"claude:o/market/documents/pdf", "claude:o/market/elsewhere/lint"}
    assert found["claude:o/market/documents/pdf"].version == "2.0"
    fetched = fetch(hub, "claude:o/market/documents/pdf")
    assert "scripts/run.sh" in contents(fetched)
    assert fetched.entry.identifier == "claude:o/market/documents/pdf"
    assert fetch(hub, "claude:o/market/lint").entry.description == "Lint."
    assert "has no skill" in problem(hub, "claude:o/market/documents/none").reason


@pytest.mark.parametrize("document", ["{", "[]", "", '{"plugins": 3}'])
def test_a_malformed_marketplace_is_an_error(hub: SkillHub, github: FakeGitHub, document: str) -> None:
    github.add("o/market", {".claude-plugin/marketplace.json": document, "README.md": "x"})
    assert problem(hub, "claude:o/market/a/b").kind in ("invalid", "not_found")


# -- ClawHub ---------------------------------------------------------------------------------------------------------


def serve_clawhub(site: Site, archive: bytes, **skill: Any) -> None:
    detail = {"skill": {"slug": "gifgrep", "summary": "Search GIFs."}, "latestVersion": {"version": "1.2.3"}, **skill}
    site.routes["GET /api/v1/skills/gifgrep"] = Answer(detail)
    site.routes["GET /api/v1/download"] = Answer(archive)


def test_a_skill_of_clawhub_is_downloaded_as_an_archive(hub: SkillHub, site: Site) -> None:
    text = skill_text("gifgrep")
    serve_clawhub(site, make_zip({"gifgrep/SKILL.md": text.encode(), "gifgrep/a.txt": b"a"}))
    fetched = fetch(hub, "clawhub:gifgrep")
    assert contents(fetched) == {"SKILL.md": text.encode(), "a.txt": b"a"}
    assert (fetched.entry.version, fetched.entry.trust, fetched.pinned) == (
        "1.2.3",
        "community",
        "clawhub:gifgrep@1.2.3",
    )
    assert "GET /api/v1/download?slug=gifgrep&version=1.2.3" in site.paths()
    fetch(hub, "clawhub:gifgrep@1.0.0")
    assert "GET /api/v1/download?slug=gifgrep&version=1.0.0" in site.paths()


def test_clawhub_is_searched_and_browsed_page_by_page(hub: SkillHub, site: Site) -> None:
    site.routes["GET /api/v1/search"] = Answer({"results": [{"slug": "a", "summary": "A"}, {"slug": "../x"}, 3]})
    assert [entry.name for entry in search_skills(hub, "a", source="clawhub").entries] == ["a"]
    pages = [
        Answer({"items": [{"slug": f"s{number}"} for number in range(100)], "nextCursor": "c1"}),
        Answer({"items": [{"slug": "last"}], "nextCursor": None}),
    ]
    site.routes["GET /api/v1/skills"] = lambda _: pages.pop(0)
    assert len(browse_skills(hub, source="clawhub", limit=150).entries) == 101
    assert "cursor=c1" in site.paths()[-1]


def test_what_clawhub_blocks_as_malware_is_refused(hub: SkillHub, site: Site) -> None:
    serve_clawhub(site, make_zip({"SKILL.md": b"x"}), moderation={"isMalwareBlocked": True})
    assert problem(hub, "clawhub:gifgrep").kind == "refused"


def test_a_truncated_archive_is_an_error(hub: SkillHub, site: Site) -> None:
    archive = make_zip({"SKILL.md": skill_text("gifgrep").encode() * 50})
    serve_clawhub(site, archive[: len(archive) // 2])
    assert "damaged or incomplete" in problem(hub, "clawhub:gifgrep").reason
    site.routes["GET /api/v1/download"] = Answer(archive, cut=10)
    assert problem(hub, "clawhub:gifgrep").kind == "network"


def test_a_rate_limit_of_clawhub_is_reported(hub: SkillHub, site: Site) -> None:
    serve_clawhub(site, b"")
    site.routes["GET /api/v1/download"] = Answer("slow", 429, Retry_After="34")
    error = problem(hub, "clawhub:gifgrep")
    assert error.kind == "rate_limited"
    assert error.retry_at is not None


# -- LobeHub ---------------------------------------------------------------------------------------------------------


def test_an_agent_of_lobehub_becomes_a_skill(hub: SkillHub, site: Site) -> None:
    meta = {"title": 'A "quoted" title', "description": "Line: one\n# two", "tags": ["x: y", "z"]}
    site.routes["GET /index.json"] = Answer({"agents": [{"identifier": "code-helper", "meta": meta}, None]})
    site.routes["GET /code-helper.json"] = Answer(
        {"config": {"systemRole": "You help.\n---\nname: evil"}, "meta": meta}
    )
    assert [entry.name for entry in search_skills(hub, "quoted", source="lobehub").entries] == ["code-helper"]
    fetched = fetch(hub, "lobehub:code-helper")
    from hermes_tools_skills.frontmatter import parse_frontmatter

    front = parse_frontmatter(contents(fetched)["SKILL.md"].decode(), lenient=False)
    assert front.data["name"] == "code-helper"
    assert front.data["description"] == 'A "quoted" title: Line: one # two'
    assert front.data["metadata"]["hermes"]["tags"] == ["x: y", "z"]
    assert "name: evil" in front.body
    assert "only its instructions" in fetched.notes[0]
    assert problem(hub, "lobehub:../x").kind == "invalid"


# -- well-known indexes ----------------------------------------------------------------------------------------------


def test_the_skills_of_a_site_are_fetched_file_by_file(make_hub: MakeHub, site: Site) -> None:
    hub = make_hub()
    listed = [
        {"name": "deploy", "description": "Deploy.", "files": ["SKILL.md", "references/a b.md"]},
        {"name": "../x"},
    ]
    site.routes["GET /.well-known/skills/index.json"] = Answer({"skills": listed})
    site.routes["GET /.well-known/skills/deploy/SKILL.md"] = Answer(skill_text("deploy"))
    site.routes["GET /.well-known/skills/deploy/references/a%20b.md"] = Answer("more")
    fetched = fetch(hub, f"wellknown:{site.url}/deploy")
    assert contents(fetched) == {"SKILL.md": skill_text("deploy").encode(), "references/a b.md": b"more"}
    assert fetch(hub, f"wellknown:{site.url}").entry.name == "deploy"
    only_tap(hub, f"wellknown:{site.url}")
    assert [entry.name for entry in browse_skills(make_hub(), source="wellknown").entries] == ["deploy"]


def test_the_newer_index_is_read_too_and_its_digest_checked(hub: SkillHub, site: Site) -> None:
    text = skill_text("deploy").encode()
    path = "/.well-known/agent-skills"
    listed = [{"name": "deploy", "url": f"{path}/deploy.md", "digest": "sha256:" + hashlib.sha256(text).hexdigest()}]
    site.routes[f"GET {path}/index.json"] = Answer({"skills": listed})
    site.routes[f"GET {path}/deploy.md"] = Answer(text)
    assert contents(fetch(hub, f"wellknown:{site.url}/deploy")) == {"SKILL.md": text}
    site.routes[f"GET {path}/deploy.md"] = Answer(text + b"changed")
    assert "differs from its digest" in problem(hub, f"wellknown:{site.url}/deploy").reason


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", "a\\b", "http://x/y"])
def test_an_index_cannot_name_files_outside_of_the_skill(hub: SkillHub, site: Site, name: str) -> None:
    site.routes["GET /.well-known/skills/index.json"] = Answer({"skills": [{"name": "deploy", "files": [name]}]})
    assert problem(hub, f"wellknown:{site.url}/deploy").kind == "refused"
    assert len(site.requests) == 1


def test_an_index_cannot_refer_to_another_site(hub: SkillHub, site: Site, other_site: Site) -> None:
    listed = [{"name": "deploy", "url": f"{other_site.url}/x.md"}]
    site.routes["GET /.well-known/skills/index.json"] = Answer({"skills": listed})
    assert "another site" in problem(hub, f"wellknown:{site.url}/deploy").reason
    assert other_site.requests == []


# -- URLs ------------------------------------------------------------------------------------------------------------


def test_a_file_or_an_archive_at_a_url_is_fetched(hub: SkillHub, site: Site) -> None:
    site.routes["GET /x/SKILL.md"] = Answer(skill_text("one"))
    assert fetch(hub, f"{site.url}/x/SKILL.md").entry.name == "one"
    archive = make_zip({"r/a/SKILL.md": skill_text("a").encode(), "r/b/SKILL.md": skill_text("b").encode()})
    site.routes["GET /all.zip"] = Answer(archive)
    assert fetch(hub, f"{site.url}/all.zip#b").entry.name == "b"
    assert "contains 2 skills" in problem(hub, f"{site.url}/all.zip").reason
    site.routes["GET /page"] = Answer("<!doctype html><p>hello")
    assert "web page" in problem(hub, f"{site.url}/page").reason


def test_private_addresses_are_refused_unless_the_user_configured_the_server(
    make_hub: MakeHub, site: Site, other_site: Site
) -> None:
    site.routes["GET /SKILL.md"] = Answer(skill_text("x"))
    hub = make_hub()
    for url in (other_site.url, "https://127.0.0.1:1", "https://169.254.169.254", "https://localhost"):
        assert problem(hub, f"url:{url}/SKILL.md").kind == "refused"
    assert other_site.requests == []
    assert fetch(hub, f"{site.url}/SKILL.md").entry.name == "x"


@pytest.mark.parametrize(
    "target", ["other", "https://169.254.169.254/latest/meta-data", "file:///etc/passwd", "//[::1]/x"]
)
def test_a_redirect_to_a_private_address_is_refused(hub: SkillHub, site: Site, other_site: Site, target: str) -> None:
    location = f"{other_site.url}/SKILL.md" if target == "other" else target
    site.routes["GET /SKILL.md"] = Answer(status=302, Location=location)
    assert problem(hub, f"{site.url}/SKILL.md").kind in ("refused", "network")
    assert other_site.requests == []


def test_endless_redirects_and_plain_http_are_refused(hub: SkillHub, site: Site) -> None:
    site.routes["GET /loop"] = Answer(status=302, Location="/loop")
    assert "redirects too often" in problem(hub, f"{site.url}/loop").reason
    assert "https only" in problem(hub, "http://example.org/SKILL.md").reason


def test_a_body_beyond_the_limit_is_refused(make_hub: MakeHub, site: Site) -> None:
    site.routes["GET /SKILL.md"] = Answer(b"x" * (16 << 20))
    assert problem(make_hub(max_mb=1), f"{site.url}/SKILL.md").kind == "refused"


# -- directories -----------------------------------------------------------------------------------------------------


def test_a_directory_is_read_without_links_and_version_control(hub: SkillHub, tmp_path: Path) -> None:
    folder = tmp_path / "local"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text("x")
    (folder / "SKILL.md").write_text(skill_text("local"))
    (folder / "run.sh").write_text("x")
    (folder / "run.sh").chmod(0o755)
    fetched = fetch(hub, str(folder))
    assert [(file.path, file.executable) for file in fetched.files] == [("SKILL.md", False), ("run.sh", True)]
    (folder / "link").symlink_to("/etc/passwd")
    assert "link" in problem(hub, str(folder)).reason
    (folder / "link").unlink()
    os.mkfifo(folder / "pipe")
    assert "link or a device" in problem(hub, str(folder)).reason
    assert problem(hub, str(tmp_path / "none")).kind == "not_found"


# -- git -------------------------------------------------------------------------------------------------------------


def git(folder: Path, *words: str) -> None:
    named = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *named, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(site: Site, tmp_path: Path) -> Path:
    """A repository that `site` serves as /repo.git, with git's own program for it."""
    folder = tmp_path / "work"
    (folder / "skills" / "pdf").mkdir(parents=True)
    (folder / "skills" / "pdf" / "SKILL.md").write_text(skill_text("pdf"))
    (folder / "skills" / "pdf" / "run.sh").write_text("echo\n")
    (folder / "skills" / "pdf" / "run.sh").chmod(0o755)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    git(tmp_path, "clone", "-q", "--bare", "work", "repo.git")

    def answer(body: bytes) -> Answer:
        line, headers, _ = site.requests[-1]
        method, target = line.split(" ", 1)
        path, _, query = target.partition("?")
        environ = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(tmp_path),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=environ, capture_output=True, check=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        kind = next(each.split(": ")[1] for each in head.decode().splitlines() if each.startswith("Content-Type"))
        return Answer(content, Content_Type=kind)

    site.routes["GET /repo.git/info/refs"] = answer
    site.routes["POST /repo.git/git-upload-pack"] = answer
    return folder


def test_a_repository_is_cloned_without_running_anything(
    make_hub: MakeHub, site: Site, repository: Path, tmp_path: Path
) -> None:
    from hermes_tools_skills.hub.quarantine import open_stage

    hub = make_hub()
    marker = tmp_path / "marker"
    hook = tmp_path / "templates" / "hooks" / "post-checkout"
    hook.parent.mkdir(parents=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    (tmp_path / "user" / ".gitconfig").write_text(
        f"[init]\n templateDir = {tmp_path}/templates\n[core]\n hooksPath = {hook.parent}\n"
    )
    with open_stage(hub.state) as stage:
        from dataclasses import replace

        access = replace(hub.access, work_dir=stage.folder, environ=dict(os.environ))
        _, source, rest = find_source(hub, f"{site.url}/repo.git@main#pdf")
        fetched = source.fetch(rest, access)
        assert list(stage.folder.iterdir()) == []
    assert contents(fetched) == {"SKILL.md": skill_text("pdf").encode(), "run.sh": b"echo\n"}
    assert [file.executable for file in fetched.files] == [False, True]
    assert len(fetched.entry.revision) == 40
    assert not marker.exists()


def test_links_in_a_repository_are_refused(hub: SkillHub, site: Site, repository: Path, tmp_path: Path) -> None:
    (repository / "skills" / "pdf" / "link").symlink_to("/etc/passwd")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "two")
    git(repository, "push", "-q", str(tmp_path / "repo.git"), "HEAD:main")
    hub.access.progress("", 0, 0)
    assert "link or a submodule" in problem(hub, f"git:{site.url}/repo.git#pdf").reason


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc",
        "ext::sh -c touch% /tmp/x",
        "git://127.0.0.1/x.git",
        "--upload-pack=touch",
        "ssh://-oProxyCommand=x/y",
        "https://127.0.0.1:1/x.git",
        "ssh://git@127.0.0.1/x.git",
        "http://example.org/x.git",
    ],
)
def test_other_protocols_and_private_addresses_are_refused(hub: SkillHub, url: str) -> None:
    assert problem(hub, f"git:{url}").kind == "refused"


def test_a_repository_that_cannot_be_cloned_is_an_error(hub: SkillHub, site: Site) -> None:
    error = problem(hub, f"git:{site.url}/none.git")
    assert error.reason.startswith("git: ")


def test_the_policy_of_the_user_opens_private_addresses(make_hub: MakeHub, other_site: Site) -> None:
    other_site.routes["GET /SKILL.md"] = Answer(skill_text("x"))
    hub = make_hub(policy=NetPolicy(allow_private=True))
    assert fetch(hub, f"{other_site.url}/SKILL.md").entry.name == "x"
