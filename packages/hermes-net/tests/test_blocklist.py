"""Websites that the user does not want are not fetched, whatever way they are written."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from hermes_net import NetPolicy, NetSettingsError, WebsiteBlocklist, check_url


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
        (".bad.test", "bad.test a.bad.test", "notbad.test"),
        ("||bad.test^", "bad.test a.bad.test", "notbad.test"),
        ("BAD.test.", "bad.test", "good.test"),
        ("http://user:word@bad.test:80/#x", "bad.test", "good.test user word"),
        ("*.bücher.test", "a.bücher.test a.xn--bcher-kva.test", "bücher.test"),
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


def reason_against(file: Path) -> str:
    policy = NetPolicy(blocklist=WebsiteBlocklist(files=[file]))
    verdict = check_url("http://a.test/", resolver=lambda _: ["93.184.216.34"], policy=policy)
    return verdict.reason if verdict.code == "blocklist" else ""


def test_nothing_is_fetched_while_a_file_is_no_text_or_has_no_end(tmp_path: Path) -> None:
    binary, folder, pipe = tmp_path / "list.gz", tmp_path / "folder", tmp_path / "pipe"
    binary.write_bytes(gzip.compress(b"bad.test\n" * 1000) + b"\0")
    folder.mkdir()
    os.mkfifo(pipe)
    assert reason_against(binary).endswith("it is not a text.")
    assert [reason_against(file).endswith("it is not a file.") for file in (folder, pipe)] == [True, True]
    assert Path("/dev/zero").exists() == bool(reason_against(Path("/dev/zero")))


def test_nothing_is_fetched_while_a_file_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    with file.open("wb") as opened:
        opened.truncate(64 * 1024 * 1024 + 1)
    assert reason_against(file).endswith("it is too large.")


def test_a_long_list_is_read_quickly(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("".join(f"0.0.0.0 site{number}.test\n" for number in range(200_000)))
    blocklist = WebsiteBlocklist(files=[file])
    assert is_blocked("http://a.site199999.test/", blocklist)
    assert not is_blocked("http://site200000.test/", blocklist)


def test_a_file_of_another_alphabet_or_system_is_understood(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_bytes("bad.test\r\nbücher.test\r\n".encode("utf-16"))
    assert all(is_blocked(f"http://{name}.test/", WebsiteBlocklist(files=[file])) for name in ("bad", "bücher"))
    file.write_bytes(b"\xff\xfd\nbad.test\r\n\xe4\n")
    assert is_blocked("http://bad.test/", WebsiteBlocklist(files=[file]))


def test_comments_of_other_programs_and_names_of_this_machine_are_no_rules(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text(
        "! see home.test\n; see home.test\n// see home.test\n#see home.test\n"
        "127.0.0.1 localhost localhost.localdomain\n0.0.0.0 0.0.0.0\n0.0.0.0 bad.test#see home.test\n"
    )
    policy = NetPolicy(blocklist=WebsiteBlocklist(files=[file]), allow_private=True)
    hosts = ("home.test", "localhost", "localhost.localdomain", "0.0.0.0", "bad.test")
    verdicts = [check_url(f"http://{host}/", resolver=lambda _: ["93.184.216.34"], policy=policy) for host in hosts]
    assert [verdict.code for verdict in verdicts] == ["", "", "", "", "blocked_site"]


def test_a_file_that_was_put_in_the_place_of_another_is_read(tmp_path: Path) -> None:
    file, other = tmp_path / "list.txt", tmp_path / "other.txt"
    file.write_text("a.test\n")
    other.write_text("b.test\n")
    for each in (file, other):
        os.utime(each, ns=(1, 1))
    blocklist = WebsiteBlocklist(files=[file])
    assert is_blocked("http://a.test/", blocklist)
    other.replace(file)
    assert is_blocked("http://b.test/", blocklist)


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


def test_the_old_place_of_the_setting_opens_private_addresses_while_the_environment_is_silent() -> None:
    old = {"allow_private_urls": True}
    assert NetPolicy.from_settings({}, browser=old, environ={}).allow_private
    assert not NetPolicy.from_settings({}, browser=old, environ={"HERMES_ALLOW_PRIVATE_URLS": "false"}).allow_private
    assert not NetPolicy.from_settings({}, browser={"allow_private_urls": "true"}, environ={}).allow_private
    assert not NetPolicy.from_settings({}, browser={}, environ={}).allow_private


def test_empty_settings_are_the_default_policy() -> None:
    assert NetPolicy.from_settings({}, environ={}) == NetPolicy()
    assert NetPolicy.from_settings({"allow_private_urls": True}, environ={}).allow_private


def test_the_settings_hold_a_block_list_with_files_of_the_home(tmp_path: Path) -> None:
    listed = {"enabled": True, "domains": ["a.test"], "shared_files": ["more.txt"]}
    policy = NetPolicy.from_settings({"website_blocklist": listed, "proxy_targets": "name"}, home=tmp_path)
    (tmp_path / "more.txt").write_text("b.test\n")
    assert policy.proxy_targets == "name"
    assert policy.blocklist is not None
    assert [is_blocked(f"http://{name}.test/", policy.blocklist) for name in "abc"] == [True, True, False]


def test_a_block_list_that_is_not_enabled_blocks_nothing() -> None:
    assert NetPolicy.from_settings({"website_blocklist": {"domains": ["a.test"]}}).blocklist is None


@pytest.mark.parametrize(
    "listed", [["a.test"], {"enabled": True, "domains": "a.test"}, {"enabled": True, "shared_files": [1]}]
)
def test_an_invalid_block_list_is_an_error_that_names_the_setting(listed: object) -> None:
    with pytest.raises(NetSettingsError, match="website_blocklist"):
        NetPolicy.from_settings({"website_blocklist": listed})
