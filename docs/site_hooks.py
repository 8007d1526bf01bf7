"""What mkdocs does beyond Markdown: captions of code blocks, inline diagrams, and a check for remote files."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

_CAPTION = re.compile(r"^(?:`([^`\s]+)`|(Output)):\n\n```(\w+)$", re.MULTILINE)
_DIAGRAM = re.compile(r'<p><img alt="([^"]*)" src="(?:\.\./)*([\w-]+\.svg)" ?/?></p>')
_REMOTE = re.compile(
    r"""<(?:script|img|iframe|source|embed|object|audio|video)\b[^>]*\s(?:src|data)=["']?(?:https?:)?//[^>]*>"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\shref=["']?(?:https?:)?//[^>]*>"""
    r"""|url\(["']?(?:https?:)?//[^)]*\)|@import\s+["'](?:https?:)?//[^;]*""",
    re.IGNORECASE,
)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Turn the line above a code block that names its file, or says that it is output, into its title."""
    return _CAPTION.sub(lambda found: f'```{found[3]} title="{found[1] or found[2]}"', markdown)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Put diagrams into the page itself, where they follow its colors."""

    def inline(found: re.Match[str]) -> str:
        source = Path(str(page.file.abs_src_path)).parent / found[2]
        return f'<figure class="diagram">{source.read_text(encoding="utf-8")}</figure>'

    return _DIAGRAM.sub(inline, html)


def on_post_build(config: MkDocsConfig) -> None:
    """Fail when a page or stylesheet of the site loads something from another host."""
    files = [file for ending in ("html", "css") for file in sorted(Path(config.site_dir).rglob(f"*.{ending}"))]
    remote = {file: found for file in files if (found := find_remote(file.read_text(encoding="utf-8")))}
    if remote:
        raise PluginError("\n".join(f"{file} loads {found[0]}" for file, found in remote.items()))


def find_remote(text: str) -> list[str]:
    """Find what an HTML page or a stylesheet would load from another host."""
    return _REMOTE.findall(text)
