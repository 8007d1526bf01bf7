"""What a tool does, and what a question wants done, by their verbs."""

from __future__ import annotations

import pytest

from hermes_search.ranking.operation_verbs import CHANGE, LOOK, REMOVE, opening, operation, requested_operation
from hermes_search.ranking.words import split


def _does(name: str) -> str:
    return operation(split(name))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which secrets do we have?", "secretsmanager_ListSecrets"),
        ("how many replicas are there", "get_scale"),
        ("please rename my calendar", "calendar.calendars.patch"),
        ("wipe this thread", "gmail.users.threads.delete"),
        ("I want to cancel it", "orders.remove"),
        ("How do I cancel it?", "orders.remove"),
        ("I was wondering if you could cancel it", "orders.remove"),
        ("Would it be possible to cancel the order?", "orders.remove"),
        ("Is there a way to cancel the order?", "orders.remove"),
        ("Which tool should I use to cancel it?", "orders.remove"),
        ("I'm looking for a tool that can send letters", "letters.create"),
        ("tool to list letters", "letters.get"),
        ("How would I get rid of a note?", "notes.delete"),
    ],
)
def test_a_question_and_the_tool_that_does_what_it_wants_agree(question: str, name: str) -> None:
    assert requested_operation(opening(question)) == _does(name) != ""


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("calendar.calendarList.list", LOOK),
        ("calendar.calendarList.delete", REMOVE),
        ("az_dns_record_set_show", LOOK),
        ("az_dns_record_set_list", LOOK),
        ("waf_list_ip_sets", LOOK),
        ("linkedin_get_post_comments", LOOK),
        ("play_publisher_edits_listings_delete", REMOVE),
        ("find_and_replace", CHANGE),
        ("set_alarm", CHANGE),
        ("BatchUpdateOrDelete", REMOVE),
        ("create_or_delete", ""),
        ("list_import_jobs", ""),
    ],
)
def test_a_clear_verb_counts_before_one_that_may_be_a_thing(name: str, does: str) -> None:
    assert _does(name) == does


@pytest.mark.parametrize(
    ("question", "does"),
    [
        ("tell me the time", LOOK),
        ("tell Ana the time", ""),
        ("On which days is it open?", LOOK),
        ("github list issues", LOOK),
        ("mailing list add contact", CHANGE),
        ("street view publish photo", CHANGE),
        ("set the alarm", CHANGE),
        ("the set of records", ""),
        ("Deletes a group", REMOVE),
        ("I saved a file", ""),
        ("set of my orders", ""),
        ("show me how to make a playlist", ""),
        ("tell me how to get rid of a playlist", REMOVE),
        ("get the playlist wiped, or erased", ""),
        ("get this song off my playlist", ""),
        ("move the file to the trash", REMOVE),
        ("put it into the bin", REMOVE),
        ("show me what is in the trash", LOOK),
        ("which files are in the bin", LOOK),
        ("do save Bob as contact", CHANGE),
        ("do we have contacts", LOOK),
        ("do away with that file", REMOVE),
        ("remind me to delete the old files", CHANGE),
        ("email Ana to cancel the order", ""),
        ("list files to delete", LOOK),
        ("add Rid Smith as contact", CHANGE),
        ("don't delete the message", ""),
        ("what playlists can I delete", LOOK),
        ("what about deleting it", ""),
        ("What's involved in adding a user?", ""),
        ('send "get rid of the car" to Bob', CHANGE),
        ("I’d like to find stale branches", LOOK),
    ],
)
def test_a_thing_is_no_verb_of_a_question(question: str, does: str) -> None:
    assert requested_operation(opening(question)) == does


@pytest.mark.parametrize(
    "question", ["What do I have to do to cancel it?", "The task is to delete it", "what happens if I remove it"]
)
def test_a_question_that_may_want_either_wants_nothing_in_particular(question: str) -> None:
    assert requested_operation(opening(question)) == ""


@pytest.mark.parametrize("text", ["", "mortgage", "an umbrella for the weekend, and then delete it", "open the file"])
def test_what_has_no_verb_at_its_beginning_wants_nothing_in_particular(text: str) -> None:
    assert requested_operation(opening(text)) == ""


def test_a_name_without_a_verb_does_nothing_in_particular() -> None:
    assert _does("haversine_distance") == ""
