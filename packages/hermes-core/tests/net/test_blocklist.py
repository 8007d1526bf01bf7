"""Websites that the user does not want are not fetched, whatever way they are written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from hermes_core.config.config import Config
from hermes_core.errors import ConfigError
from hermes_core.net import NetPolicy, WebsiteBlocklist, check_url
from hermes_core.net.section import SECURITY_SECTION


def is_blocked(url: str, blocklist: WebsiteBlocklist) -> bool:
    verdict = check_url(url, resolver=lambda _: ["93.184.216.34"], policy=NetPolicy(blocklist=blocklist))
    assert verdict.code in ("", "blocked_site")
    return not verdict.allowed


@pytest.mark.parametrize(
    ("rule", "blocked", "open"),
    [
        ("bad.test", "bad.test BAD.test. www.bad.test a.b.bad.test", "notbad.test bad.test.example test"),
        ("*.bad.test", "a.bad.test a.b.bad.test", "bad.test notbad.test"),
        ("https://www.bad.test/some/page?x", "bad.test www.bad.test", "good.test"),
        ("bad.test:8080", "bad.test", "good.test"),
        ("bücher.test", "bücher.test xn--bcher-kva.test BÜCHER.test", "bucher.test"),
        ("8.8.8.8", "8.8.8.8 134744072 0x08080808", "8.8.4.4"),
        ("[2606:4700::1]", "[2606:4700:0:0::1]", "[2606:4700::2]"),
        ("", "", "bad.test"),
        ("*", "", "bad.test"),
        ("not a host!", "", "bad.test"),
    ],
)
def test_a_rule_is_about_a_domain_and_all_below_it(rule: str, blocked: str, open: str) -> None:
    blocklist = WebsiteBlocklist([rule])
    assert [host for host in blocked.split() if not is_blocked(f"http://{host}/", blocklist)] == []
    assert [host for host in open.split() if is_blocked(f"http://{host}/", blocklist)] == []


def test_files_hold_rules_with_comments_and_as_hosts_files_do(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("\ufeff# a comment\nbad.test # why\n\n0.0.0.0 ads.test tracker.test\n::1 six.test\n", "utf-8")
    blocklist = WebsiteBlocklist(files=[file])
    assert all(is_blocked(f"http://{name}.test/", blocklist) for name in ("bad", "ads", "tracker", "six"))
    assert not is_blocked("http://why.test/", blocklist)


def test_the_reason_says_which_rule_of_which_file(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("*.bad.test\n")
    policy = NetPolicy(blocklist=WebsiteBlocklist(files=[file]))
    reason = check_url("http://a.bad.test/", resolver=lambda _: ["93.184.216.34"], policy=policy).reason
    assert "*.bad.test" in reason
    assert str(file) in reason


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("a.test\n")
    blocklist = WebsiteBlocklist(files=[file])
    assert not is_blocked("http://bbb.test/", blocklist)
    file.write_text("bbb.test\n")
    os.utime(file, ns=(1, 1))
    assert is_blocked("http://bbb.test/", blocklist)
    assert not is_blocked("http://a.test/", blocklist)


def test_nothing_is_fetched_while_a_file_is_missing(tmp_path: Path) -> None:
    policy = NetPolicy(blocklist=WebsiteBlocklist(files=[tmp_path / "gone.txt"]))
    verdict = check_url("http://a.test/", resolver=lambda _: ["93.184.216.34"], policy=policy)
    assert verdict.code == "blocklist"
    assert "gone.txt" in verdict.reason


def test_a_blocked_website_is_not_even_looked_up() -> None:
    asked: list[str] = []

    def resolver(host: str) -> list[str]:
        asked.append(host)
        return ["93.184.216.34"]

    policy = NetPolicy(blocklist=WebsiteBlocklist(["bad.test"]))
    assert not check_url("http://bad.test/", resolver=resolver, policy=policy)
    assert check_url("http://good.test/", resolver=resolver, policy=policy)
    assert asked == ["good.test"]


# -- from the settings ---------------------------------------------------------------------------------------------


def policy_of(home: Path, text: str, **environ: str) -> NetPolicy:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(text)
    config = Config(home=home, environ=environ, sections=[SECURITY_SECTION])
    assert config.problems() == []
    return NetPolicy.from_settings(config.section("security"), home=home)


def test_the_settings_say_nothing_by_default(home: Path) -> None:
    assert policy_of(home, "") == NetPolicy()


def test_the_settings_open_private_addresses(home: Path) -> None:
    assert policy_of(home, "security: {allow_private_urls: true}").allow_private
    assert policy_of(home, "", HERMES_ALLOW_PRIVATE_URLS="true").allow_private
    assert not policy_of(home, "security: {allow_private_urls: false}").allow_private


def test_the_settings_hold_a_block_list_with_files_of_the_home(home: Path) -> None:
    listed = "website_blocklist: {enabled: true, domains: [a.test], shared_files: [more.txt]}"
    policy = policy_of(home, f"security: {{{listed}, proxy_targets: name}}")
    (home / "more.txt").write_text("b.test\n")
    assert policy.proxy_targets == "name"
    assert policy.blocklist is not None
    assert [is_blocked(f"http://{name}.test/", policy.blocklist) for name in "abc"] == [True, True, False]


def test_a_block_list_that_is_not_enabled_blocks_nothing(home: Path) -> None:
    assert policy_of(home, "security: {website_blocklist: {domains: [a.test]}}").blocklist is None


@pytest.mark.parametrize("text", ["[a.test]", "{enabled: true, domains: a.test}", "{enabled: true, shared_files: [1]}"])
def test_a_block_list_that_is_none_is_told_to_the_user(text: str) -> None:
    with pytest.raises(ConfigError, match="website_blocklist"):
        NetPolicy.from_settings({"website_blocklist": yaml.safe_load(text)})
