"""Code keeps its lines, its indentation and its language."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Write = Callable[[str], str]
_LINES = "def f():\n    return 1"


@pytest.mark.parametrize(
    "markup",
    [
        f'<pre><code class="language-python">{_LINES}</code></pre>',
        f'<div class="highlight-python notranslate"><div class="highlight"><pre>{_LINES}\n</pre></div></div>',
        f'<div class="highlight highlight-source-python"><pre>{_LINES}</pre></div>',
        f'<pre class="brush: python">{_LINES}</pre>',
        f'<pre data-lang="python">{_LINES}</pre>',
        f'<pre class="sourceCode python"><code>{_LINES}</code></pre>',
        f'<pre><code class="hljs python">{_LINES}</code></pre>',
        '<pre class="language-python"><span class="k">def</span> f():<br>    return 1</pre>',
        '<pre class="language-python"><code><span class="token-line">def f():</span>'
        '<span class="token-line">    return 1</span></code></pre>',
        '<pre class="language-python"><div>def f():</div><div>    return 1</div></pre>',
        '<pre class="language-python"><span class="lineno">1 </span>def f():\n'
        '<span class="lineno">2 </span>    return 1</pre>',
        f'<pre class="language-python"><button>Copy</button>{_LINES}</pre>',
        '<code class="language-python">def f():<br>&nbsp;&nbsp;&nbsp;&nbsp;return 1</code>',
    ],
)
def test_every_way_to_write_code_is_read(write: Write, markup: str) -> None:
    assert write(markup) == f"```python\n{_LINES}\n```"


def test_code_without_a_language_has_none(write: Write) -> None:
    assert write('<pre class="code-block wrapper">a\n\n  b</pre>') == "```\na\n\n  b\n```"


def test_tabs_stay(write: Write) -> None:
    assert "\n\tx\n\t\ty\n" in write("<pre>\n\tx\n\t\ty\n</pre>")


def test_lines_of_spans_with_breaks_between_them_are_not_doubled(write: Write) -> None:
    lines = '<span class="line">a = 1</span>\n<span class="line"></span>\n<span class="line">  b</span>'
    assert write(f'<pre class="shiki"><code>{lines}</code></pre>') == "```\na = 1\n\n  b\n```"
