"""Finding tools by questions: what comes first, why, and what no question can do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_search import Hit, ToolIndex


def _tool(name: str, description: str = "", **parameters: str) -> dict[str, Any]:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties},
        },
    }


TOOLS = [
    _tool("mcp_github_create_issue", "Create a new issue in a repository.", repo="The repository", title="Its title"),
    _tool("mcp_github_list_issues", "List the issues of a repository.", repo="The repository", state="Which of them"),
    _tool("mcp_github_delete_comment", "Delete a comment.", comment_id="Which one"),
    _tool("mcp_github_create_comment", "Add a comment to an issue.", body="The text"),
    _tool("getWeather", "Current conditions and the forecast for a place.", city="Name of the city"),
    _tool("sendEmail", "Send a message to an address.", to="Who gets it", subject="First line"),
    _tool("stock_quote", "Price of a share.", ticker="Symbol such as ACME"),
    _tool("who_am_i", "Tells which account is used."),
    _tool("pg_query", "Run SQL against the database.", sql="The statement"),
]
INDEX = ToolIndex(TOOLS, embeddings=False)
NAMES = [it["function"]["name"] for it in TOOLS]


def _first(query: str, index: ToolIndex = INDEX) -> str:
    return index.search(query)[0].name


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("create issue", "mcp_github_create_issue"),
        ("open a ticket in the repo", "mcp_github_create_issue"),
        ("please show me which issues there are", "mcp_github_list_issues"),
        ("removing comments", "mcp_github_delete_comment"),
        ("Will I need an umbrella tomorrow?", "getWeather"),
        ("weahter", "getWeather"),
        ("emial somebody", "sendEmail"),
        ("ticker symbol", "stock_quote"),
        ("data base statement", "pg_query"),
        ("who am i", "who_am_i"),
        ("isue craete", "mcp_github_create_issue"),
    ],
)
def test_a_question_finds_the_tool_it_is_about(query: str, name: str) -> None:
    assert _first(query) == name


WORLD = [
    _tool("kube_list_pods", "List the pods of a cluster."),
    _tool("post_message", "Post a message into a channel."),
    _tool("draw", "Draw an image from a prompt."),
    _tool("check_in_guest", "Welcome somebody."),
    _tool("pull_request_review", "Look at what was changed."),
    _tool("suche", "Durchsucht die Straße nach Dateien."),
    _tool("factura", "Crea una factura y la envía por correo electrónico."),
    _tool("tianqi", "查询任意城市的天气预报"),
    _tool("matam", "البحث عن المطاعم القريبة"),
    _tool("ahan", "ค้นหาร้านอาหารใกล้เคียง"),
    _tool("bilety", "Поиск авиабилетов по дешёвой цене"),
    _tool("rain", "☔ Tells when you get wet."),
    _tool("dinner", "Finds restaurants."),
]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("k8s", "kube_list_pods"),
        ("send msg", "post_message"),
        ("img", "draw"),
        ("checkin", "check_in_guest"),
        ("PullRequest", "pull_request_review"),
        ("pullrequest", "pull_request_review"),
        ("STRASSE", "suche"),
        ("correo electronico", "factura"),
        ("天气", "tianqi"),
        ("城", "tianqi"),
        ("مطاعم", "matam"),
        ("ร้านอาหาร", "ahan"),
        ("АВИАБИЛЕТЫ", "bilety"),
        ("☔️", "rain"),
        ("restuarants", "dinner"),
    ],
)
def test_short_forms_other_scripts_and_mistakes_find_what_is_obvious(query: str, name: str) -> None:
    assert _first(query, ToolIndex(WORLD, embeddings=False)) == name


def test_a_tool_that_has_every_word_of_a_short_question_comes_before_those_that_only_mean_the_like() -> None:
    tools = [
        _tool("run_report", "Runs a report", fiscal_quarter="", cost_center=""),
        _tool("us_tax", "Tax years and what is due"),
        _tool("budget_plan", "Plans spending for a year"),
        _tool("company_results", "What companies have earned in three months"),
    ]
    hit = ToolIndex(tools, embeddings=False).search("fiscal quarter")[0]
    assert (hit.name, hit.why) == ("run_report", ("parameters: fiscal, quarter",))


def test_words_that_are_in_many_tools_each_still_find_the_one_that_has_all() -> None:
    tools = [
        _tool("zeta_summary", "Invoice statement."),
        *(_tool(f"svc{number}_op", "Handles invoice entries.") for number in range(450)),
        *(_tool(f"rpt{number}_op", "Statement of some kind.") for number in range(450)),
        *(_tool(f"pk{number}_op", "For Berlin offices.") for number in range(250)),
    ]
    assert _first("invoice statement Berlin", ToolIndex(tools, embeddings=False)) == "zeta_summary"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("turn it off", "on_off"),
        ("Tick something off", "todo_done"),
        ("moths", "moth_catalog"),
        ("what does the WHO say about this", "who_guidelines"),
        ("ask IT for it", "it_ticket"),
    ],
)
def test_little_words_and_look_alikes_are_told_apart(query: str, name: str) -> None:
    tools = [
        _tool("on_off", "Switches it."),
        _tool("stock_quote", "Quote for a ticker."),
        _tool("todo_done", "Tick something off."),
        _tool("mothers_day", "Gift ideas for mothers."),
        _tool("moth_catalog", "Species of moths."),
        _tool("who_guidelines", "Guidance."),
        _tool("it_ticket", "Opens a request."),
    ]
    assert _first(query, ToolIndex(tools, embeddings=False)) == name


def test_a_smile_is_no_part_of_a_question() -> None:
    assert INDEX.search("create issue 😀") == INDEX.search("create issue")


def test_a_product_that_is_asked_for_by_name_comes_before_one_that_has_the_parts_of_the_name() -> None:
    tools = [_tool("datadog_list_git_hub_accounts", "List git hub accounts."), _tool("github_issues_lock", "Lock it.")]
    assert _first("GitHub", ToolIndex(tools, embeddings=False)) == "github_issues_lock"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("show me unread mail", "workmail_list_mail"),
        ("which mail is there", "workmail_list_mail"),
        ("wipe unread mail", "workmail_deregister_mail"),
        ("put a label on mail", "workmail_register_mail"),
    ],
)
def test_a_tool_that_does_something_else_than_is_wanted_comes_later(query: str, name: str) -> None:
    tools = [_tool(f"workmail_{verb}_mail", "About mail.") for verb in ("deregister", "register", "list")]
    assert _first(query, ToolIndex(tools, embeddings=False)) == name


def test_who_finds_only_what_does_something_else_finds_it_still() -> None:
    (hit,) = ToolIndex([_tool("delete_mail"), _tool("who_am_i")], embeddings=False).search("show mail")
    assert (hit.name, hit.score > 0) == ("delete_mail", True)


def test_the_answers_are_hits() -> None:
    assert all(isinstance(hit, Hit) for hit in INDEX.search("issue"))


def test_hits_come_best_first_and_no_more_than_asked_for() -> None:
    hits = INDEX.search("create an issue in a repository", limit=3)
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.score > 0 for hit in hits)


def test_hits_say_where_they_matched() -> None:
    hit = INDEX.search("create issue for a repository")[0]
    assert "name: create, issue" in hit.why
    assert any(line.startswith("summary: ") and "repository" in line for line in hit.why)


def test_parts_of_a_name_are_told_only_where_nothing_else_matched() -> None:
    index = ToolIndex([_tool("s3_put", "Store."), _tool("mp3_play", "Play."), _tool("tea")], embeddings=False)
    assert [hit.why for hit in index.search("s3")][:1] == [("name: s3",)]
    assert index.search("part 3")[0].why == ("name: 3",)


@pytest.mark.parametrize(
    ("query", "name"), [("C++", "cpp_run"), ("c#", "run_c#"), ("csharp", "run_c#"), ("C", "c_run")]
)
def test_languages_whose_names_differ_in_signs_are_told_apart(query: str, name: str) -> None:
    tools = [_tool("c_run", "Run C."), _tool("cpp_run", "Run it."), _tool("run_c#", "Run it."), _tool("x_run", "Run.")]
    assert _first(query, ToolIndex(tools, embeddings=False)) == name


def test_a_hit_by_synonym_or_topic_says_so() -> None:
    assert INDEX.search("umbrella")[0].why == ("related: umbrella",)


def test_a_declared_keyword_finds_what_nothing_else_would() -> None:
    tools = [*TOOLS, {"name": "x1", "keywords": ["frobnicate"]}, {"name": "x2"}]
    index = ToolIndex(tools, embeddings=False, keywords={"x2": ["defenestrate"]})
    assert _first("frobnicate it", index) == "x1"
    assert _first("defenestrating", index) == "x2"


def test_usage_decides_between_tools_that_fit_alike() -> None:
    tools = [_tool("qux_tea", "Brews tea."), _tool("zyx_tea", "Brews tea.")]
    assert _first("brew tea", ToolIndex(tools, embeddings=False)) == "qux_tea"
    assert _first("brew tea", ToolIndex(tools, embeddings=False, usage={"zyx_tea": 9})) == "zyx_tea"


def test_usage_cannot_lift_a_tool_that_does_not_fit() -> None:
    index = ToolIndex(TOOLS, embeddings=False, usage={"getWeather": 10**9, "who_am_i": -5})
    assert _first("create issue", index) == "mcp_github_create_issue"


def test_a_word_that_every_tool_has_hides_none_of_the_others() -> None:
    tools = [_tool(f"acme_{word}", "An Acme tool.") for word in ("tea", "cake", "jam")]
    assert _first("acme jam", ToolIndex(tools, embeddings=False)) == "acme_jam"
    assert len(ToolIndex(tools, embeddings=False).search("acme")) == 3


def test_a_part_of_a_name_is_found_when_no_word_is() -> None:
    assert _first("hubcr", ToolIndex([_tool("githubcreate"), _tool("other")], embeddings=False)) == "githubcreate"


def test_of_two_definitions_with_one_name_the_first_counts() -> None:
    index = ToolIndex([_tool("tea", "Brews."), _tool("tea", "Vexillology.")], embeddings=False)
    assert len(index) == 1
    assert index.search("vexillology") == []


def test_definitions_that_are_junk_are_left_out() -> None:
    junk: list[Any] = [None, 7, "x", {}, {"function": None}, {"name": ["x"]}, _tool("tea")]
    assert len(ToolIndex(junk, embeddings=False)) == 1


def test_an_empty_catalogue_finds_nothing() -> None:
    assert ToolIndex([], embeddings=False).search("anything") == []


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_finds_nothing(limit: int) -> None:
    assert INDEX.search("issue", limit) == []


@pytest.mark.parametrize(
    ("limit", "found"), [(2.9, 2), (None, 5), ("3", 3), ("many", 5), (float("nan"), 5), (float("inf"), 9), (10**30, 9)]
)
def test_a_limit_that_is_no_whole_number_is_read_as_one(limit: Any, found: int) -> None:
    tools = [_tool(f"tea_{letter}", "Brews tea.") for letter in "abcdefghi"]
    assert len(ToolIndex(tools, embeddings=False).search("brew tea", limit)) == found


@pytest.mark.parametrize("query", [None, 5, b"issue", ["issue"]])
def test_what_is_no_text_finds_nothing(query: Any) -> None:
    assert INDEX.search(query) == []


@pytest.mark.parametrize("count", [float("inf"), 10**400, float("nan"), None, "often", -1])
def test_a_count_that_is_none_spoils_no_score(count: Any) -> None:
    tools = [_tool("qux_tea", "Brews tea."), _tool("zyx_tea", "Brews tea.")]
    hits = ToolIndex(tools, embeddings=False, usage={"qux_tea": count, "zyx_tea": 1}).search("brew tea")
    assert all(0 < hit.score < 100 for hit in hits)
    assert len(hits) == 2


@pytest.mark.parametrize("query", ["brew", "tea", "e", "Tea 7", "nothing of the kind", "leaves"])
def test_the_order_of_definitions_changes_no_answer(query: str) -> None:
    tools = [_tool(f"tea{number}_{number % 7}", f"Brews leaves number {number % 5}.") for number in range(3000)]
    backwards = ToolIndex(reversed(tools), embeddings=False)
    assert ToolIndex(tools, embeddings=False).search(query, 20) == backwards.search(query, 20)


def test_of_names_that_contain_what_was_asked_the_shortest_comes_first() -> None:
    tools = [_tool(f"zz{letter}{other}qqxqqlonger") for letter in "abcdefghij" for other in "abcdefghij"]
    assert _first("qxq", ToolIndex([*tools, _tool("zzzqqxqq")], embeddings=False)) == "zzzqqxqq"


def test_a_name_of_signs_is_found_by_the_same_signs_alone() -> None:
    index = ToolIndex([_tool("\U0001f680"), _tool("???"), _tool("tea")], embeddings=False)
    assert [hit.name for hit in index.search("\U0001f680")] == ["\U0001f680"]
    assert [hit.name for hit in index.search("???")] == ["???"]
    assert index.search("!") == []


@pytest.mark.parametrize("name", NAMES)
def test_a_name_finds_its_tool_first_however_it_is_written(name: str) -> None:
    for said in (name, name.upper(), name.replace("_", "-"), name.replace("_", " "), f"  {name}  "):
        assert _first(said) == name


@pytest.mark.parametrize("name", [" E", "E", "e", "x_" * 200, "x_" * 200 + "y", "a" * 300, "mcp__a.b/c:d"])
def test_an_odd_name_finds_its_tool_first(name: str) -> None:
    names = [" E", "E", "e", "x_" * 200, "x_" * 200 + "y", "a" * 299, "a" * 300, "mcp__a.b/c:d", "mcp__a_b_c_d"]
    assert _first(name, ToolIndex(map(_tool, names), embeddings=False)) == name


def test_a_name_within_a_sentence_comes_first() -> None:
    assert _first("comment on the weather with mcp_github_list_issues please") == "mcp_github_list_issues"


_NAME = st.text("abcdefgh_XYZ019-", min_size=1, max_size=14).filter(lambda it: any(map(str.isalnum, it)))


@given(st.lists(_NAME, min_size=1, max_size=20, unique=True), st.data())
def test_an_exact_name_always_comes_first(names: list[str], data: st.DataObject) -> None:
    index = ToolIndex([_tool(name, " ".join(names)) for name in names], embeddings=False)
    name = data.draw(st.sampled_from(names))
    assert _first(name, index) == name


@given(st.text())
@settings(max_examples=200)
def test_any_question_is_answered_with_known_tools_the_same_each_time(query: str) -> None:
    hits = INDEX.search(query)
    assert hits == ToolIndex(TOOLS, embeddings=False).search(query)
    assert {hit.name for hit in hits} <= set(NAMES)
    assert len({hit.name for hit in hits}) == len(hits) <= 5


@given(st.lists(st.sampled_from(TOOLS), max_size=6), st.text("abcdefghij wxyz", max_size=30))
def test_nothing_is_found_outside_of_the_catalogue(tools: list[dict[str, Any]], query: str) -> None:
    names = {it["function"]["name"] for it in tools}
    assert {hit.name for hit in ToolIndex(tools, embeddings=False).search(query, limit=50)} <= names


@given(st.sampled_from(["create issue", "weather in Paris", "delete comment", "run sql", "email"]))
def test_a_tool_about_something_else_does_not_push_the_best_one_away(query: str) -> None:
    wider = ToolIndex([*TOOLS, _tool("zygote_qux", "Vexillology of quokkas.")], embeddings=False)
    assert _first(query, wider) == _first(query)
    assert "zygote_qux" not in [hit.name for hit in wider.search(query)]


@pytest.mark.parametrize(
    "query",
    ["", " \n\t", "\x00", "\ud800", "😀" * 1000, "the of and to", "(((.*)+)+$", "[a-z]{1,99999}", "'; DROP TABLE --"],
)
def test_odd_questions_are_harmless(query: str) -> None:
    assert {hit.name for hit in INDEX.search(query)} <= set(NAMES)


@pytest.mark.parametrize("piece", ["a", "issue ", "zq", "\U0001f600", "x_", "aB"])
def test_a_megabyte_is_read_no_further_than_a_question_is_long(piece: str) -> None:
    longest = piece * 4000
    assert INDEX.search(piece * (2**20 // len(piece))) == INDEX.search(longest)


def test_ten_thousand_tools_are_searched_as_well_as_ten() -> None:
    verbs, nouns = ("create", "delete", "list", "archive"), [f"thing{chr(97 + n % 26)}{n}" for n in range(2500)]
    index = ToolIndex(
        [_tool(f"{verb}_{noun}", f"{verb} one {noun}") for noun in nouns for verb in verbs], embeddings=False
    )
    assert len(index) == 10_000
    for verb in verbs:
        assert _first(f"{verb} {nouns[1234]}", index) == f"{verb}_{nouns[1234]}"
