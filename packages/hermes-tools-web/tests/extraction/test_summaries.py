"""Long pages are shortened in time, or shown without."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_auxiliary import AuxiliaryModel
from hermes_net import NetPolicy
from hermes_tools_web.cache.web_cache import WebCache
from hermes_tools_web.extraction.job import ExtractionJob, Outcome
from hermes_tools_web.extraction.summarizer import Summarizer, add_summary, needs_summary
from hermes_tools_web.providers.direct import DirectProvider
from hermes_tools_web.providers.protocol import EXTRACT, Access, Page
from hermes_tools_web.providers.selection import Candidate, Choice
from hermes_tools_web.settings import CacheSettings, WebSettings

URL = "https://example.org/"


def work_of(folder: Path, **fields: Any) -> ExtractionJob:
    access = Access(settings=WebSettings(), policy=NetPolicy(), home=folder, section=lambda name: {})
    choice = Choice(point=EXTRACT, candidates=(Candidate(name="direct", provider=DirectProvider()),))
    given = {"access": access, "choice": choice, "folder": folder, "max_chars": 100_000, "summarizer": None, **fields}
    return ExtractionJob(cache=WebCache(folder, CacheSettings(enabled=False)), latest=time.monotonic() + 60, **given)


def nobody() -> Summarizer:
    return Summarizer(AuxiliaryModel(task="web_extract", model="m", base_url="http://127.0.0.1:1/v1"))


@pytest.mark.parametrize(
    ("chars", "error", "somebody", "needed"),
    [(4_999, "", True, False), (5_000, "", True, True), (5_000, "", False, False), (0, "it failed", True, False)],
)
def test_only_long_pages_are_shortened_and_only_by_somebody(
    tmp_path: Path, chars: int, error: str, somebody: bool, needed: bool
) -> None:
    job = work_of(tmp_path, summarizer=nobody() if somebody else None)
    assert needs_summary(job, Outcome(page=Page(url=URL, content="a" * chars, error=error))) is needed


def test_when_there_is_no_time_left_the_beginning_is_shown(tmp_path: Path) -> None:
    late = replace(work_of(tmp_path, summarizer=nobody()), latest=time.monotonic() - 1)
    found = anyio.run(add_summary, late, Outcome(page=Page(url=URL, content="a" * 6_000)))
    assert found.shortened
    assert found.summary is None
    assert "no time left" in found.notes[0]
