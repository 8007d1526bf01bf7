"""Parse an HTML page: metadata, main content as Markdown, and links."""

from __future__ import annotations

from hermes_tools_web.documents.aria import convert_aria_tables, label_icons
from hermes_tools_web.documents.content.boilerplate import drop_controls
from hermes_tools_web.documents.content.empty_pages import (
    FRAMES,
    NEEDS_SCRIPT,
    is_short,
    list_frames,
    needs_script,
)
from hermes_tools_web.documents.content.main_content import keep_main_content
from hermes_tools_web.documents.content.page_data import FROM_DATA, read_page_data
from hermes_tools_web.documents.content.selection import select
from hermes_tools_web.documents.content.text_runs import PageText
from hermes_tools_web.documents.document import Document
from hermes_tools_web.documents.hidden_elements import drop_hidden
from hermes_tools_web.documents.html_tree import Node, limit_markup, parse_html
from hermes_tools_web.documents.links import LinkResolver, collect_links, make_link_resolver
from hermes_tools_web.documents.markdown.blocks import write_markdown
from hermes_tools_web.documents.metadata import read_metadata

_EMPTY = "The page is empty."
_UNGUIDED = "trafilatura could not be imported ({problem}), so the text may include boilerplate."


def read_html(text: str, url: str, *, links: bool = False) -> Document:
    """Parse a page without its boilerplate."""
    text, note = limit_markup(text)
    root = parse_html(text)
    if root is None:
        return Document(kind="html", notes=(_EMPTY,))
    elements = list(root.iter())  # lxml creates the objects of elements again and again unless something holds them
    addresses = make_link_resolver(root, url)
    metadata = read_metadata(root, addresses)
    found = collect_links(root, addresses) if links else ()
    frames = list_frames(root, addresses)
    scripted = needs_script(root)
    markdown, notes = _contents(root, text, addresses, metadata.title)
    elements.clear()
    if note:
        notes.insert(0, note)
    if frames:
        markdown = f"{markdown}\n\n{frames}".strip()
        notes.append(FRAMES)
    elif scripted and is_short(markdown):
        data = _read_data(text)
        if data:
            markdown = f"{markdown}\n\n{data}".strip()
        notes.append(FROM_DATA if data else NEEDS_SCRIPT)
    elif not markdown:
        notes.append(_EMPTY)
    return Document(
        kind="html",
        title=metadata.title,
        markdown=markdown,
        facts=metadata.facts,
        links=found,
        notes=tuple(notes),
        canonical=metadata.canonical,
        robots=metadata.robots,
    )


def _contents(root: Node, text: str, addresses: LinkResolver, title: str) -> tuple[str, list[str]]:
    """Return the main content as Markdown, and notes."""
    convert_aria_tables(root)
    label_icons(root)
    hidden = drop_hidden(root)
    drop_controls(root)
    page = PageText(root)
    problem = select(root, page)
    notes = [hidden] if hidden else []
    if problem:
        notes.append(_UNGUIDED.format(problem=problem))
    keep_main_content(root, page, title)
    markdown = write_markdown(root, addresses)
    if not markdown:  # everything was taken for boilerplate: then it is the content
        visible = _parse_visible(text)
        markdown = "" if visible is None else write_markdown(visible, addresses)
    return markdown, notes


def _read_data(text: str) -> str:
    root = parse_html(text)
    return "" if root is None else read_page_data(root)


def _parse_visible(text: str) -> Node | None:
    """Parse a page and keep everything that is visible."""
    root = parse_html(text)
    if root is not None:
        convert_aria_tables(root)
        label_icons(root)
        drop_hidden(root)
    return root


def markdown_of_fragment(text: str, url: str) -> str:
    """Convert a whole fragment of markup to Markdown."""
    root = _parse_visible(text)
    return "" if root is None else write_markdown(root, LinkResolver(url))
