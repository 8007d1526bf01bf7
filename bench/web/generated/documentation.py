"""Documentation: Sphinx, Docusaurus, an API reference, a README, a changelog."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web import checks
from bench.web.building import Builder, Page

_PYTHON = "def walk(root, depth=0):\n    for child in root:\n        yield depth, child\n        yield from walk(child, depth + 1)"
_JSX = "export default function App() {\n  return (\n    <Tree root={data} />\n  );\n}"
_CURL = 'curl -X POST https://api.rest.example/v2/orders \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -d \'{"sku": "A-1"}\''
_RUBY = "module Garden\n  class Plant\n    def water!(litres)\n      @moisture += litres\n    end\n  end\nend"


def sphinx() -> Page:
    """A page of Sphinx with a sidebar, highlighted code and definitions."""
    b = Builder("sphinx", "https://docs.sphinx.example/en/latest/api.html")
    coloured = (
        b.code(_PYTHON).replace("def", '<span class="k">def</span>').replace("yield", '<span class="k">yield</span>')
    )
    b.expect(checks.text("treelib.walk(root, depth=0)"))
    return b.done(f"""<!DOCTYPE html><html lang="en"><head><title>Walking trees &#8212; Treelib 3.1 documentation</title></head><body>
<div class="related" role="navigation"><h3>Navigation</h3><ul><li class="right"><a href="genindex.html">{b.noise("General Index of everything")}</a></li></ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main"><section id="walking"><h1>Walking trees<a class="headerlink" href="#walking" title="Link to this heading">¶</a></h1>
{b.paragraphs(2)}<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>{coloured}
</pre></div></div><dl class="py function"><dt class="sig sig-object py" id="treelib.walk"><span class="sig-prename descclassname"><span class="pre">treelib.</span></span><span class="sig-name descname"><span class="pre">walk</span></span><span class="sig-paren">(</span><em class="sig-param"><span class="n"><span class="pre">root</span></span></em>, <em class="sig-param"><span class="n"><span class="pre">depth</span></span><span class="o"><span class="pre">=</span></span><span class="default_value"><span class="pre">0</span></span></em><span class="sig-paren">)</span><a class="headerlink" href="#treelib.walk">¶</a></dt>
<dd><p>{b.keep("Yield every child with its depth, parents first.")}</p><dl class="field-list simple"><dt class="field-odd">Parameters<span class="colon">:</span></dt><dd class="field-odd"><ul class="simple"><li><p><strong>root</strong> – {b.keep("where to begin")}</p></li><li><p><strong>depth</strong> – {b.keep("what the first level is counted as")}</p></li></ul></dd></dl></dd></dl>
<div class="admonition warning"><p class="admonition-title">Warning</p><p>{b.keep("A tree with loops is walked for ever.")}</p></div>
<p>See {b.link("the glossary", "glossary.html#term-node", "https://docs.sphinx.example/en/latest/glossary.html#term-node")} for terms.</p></section></div></div></div>
<div class="sphinxsidebar" role="navigation"><div class="sphinxsidebarwrapper"><h3><a href="index.html">{b.noise("Table of Contents sidebar")}</a></h3><ul><li><a href="#">{b.noise("Installing the package")}</a></li></ul><div id="searchbox"><h3>{b.noise("Quick search")}</h3></div></div></div></div>
<div class="footer" role="contentinfo">{b.noise("Created using Sphinx 7.4.")}</div></body></html>""")


def docusaurus() -> Page:
    """A page of Docusaurus: tabs, token lines without line ends, a copy button, tables."""
    b = Builder("docusaurus", "https://site.docusaurus.example/docs/intro")
    lines = "".join(
        f'<span class="token-line" style="color:#393A34"><span class="token plain">{line}</span><br></span>'
        for line in b.code(_JSX).split("\n")
    )
    rows = b.row("root", "Node", "required") + b.row("depth", "number", "0")
    return b.done(f"""<!doctype html><html lang="en" dir="ltr" class="docs-wrapper"><head><title>Introduction | Treeview</title></head><body class="navigation-with-keyboard"><div id="__docusaurus">
<div role="region" aria-label="Skip to main content"><a class="skipToContent_fXgn" href="#main">{b.noise("Skip to main content")}</a></div>
<nav aria-label="Main" class="navbar navbar--fixed-top"><div class="navbar__items"><a class="navbar__brand" href="/">Treeview</a><a class="navbar__item" href="/blog">{b.noise("Engineering blog")}</a></div></nav>
<div class="docsWrapper_x"><aside class="theme-doc-sidebar-container"><nav class="menu"><ul class="menu__list"><li><a class="menu__link" href="/docs/a">{b.noise("Getting around")}</a></li><li><a class="menu__link" href="/docs/b">{b.noise("Theming guide chapter")}</a></li></ul></nav></aside>
<main class="docMainContainer_x"><div class="container"><div class="row"><div class="col docItemCol_x"><div class="docItemContainer_x"><article><nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs"><li>{b.noise("Docs home crumb")}</li></ul></nav>
<div class="theme-doc-markdown markdown"><header><h1>Introduction</h1></header>{b.paragraphs(1)}<h2 class="anchor" id="use">Use<a href="#use" class="hash-link" aria-label="Direct link to Use">&#8203;</a></h2>
<div class="language-jsx codeBlockContainer_x theme-code-block"><div class="codeBlockContent_x"><pre tabindex="0" class="prism-code language-jsx codeBlock_x thin-scrollbar"><code class="codeBlockLines_x">{lines}</code></pre><div class="buttonGroup_x"><button type="button" aria-label="Copy code to clipboard" class="clean-btn"><span>{b.noise("Copy to board")}</span></button></div></div></div>
<div class="theme-admonition theme-admonition-tip alert alert--success"><div class="admonitionHeading_x">tip</div><div class="admonitionContent_x"><p>{b.keep("Pass a stable root, or the whole tree is drawn again.")}</p></div></div>
<table><thead><tr><th>Prop</th><th>Type</th><th>Default</th></tr></thead><tbody>{rows}</tbody></table>
<div class="tabs-container"><ul role="tablist" class="tabs"><li role="tab" aria-selected="true">npm</li><li role="tab">Yarn</li></ul><div class="margin-top--md"><div role="tabpanel"><pre><code class="language-bash">{b.code("npm install treeview")}</code></pre></div><div role="tabpanel" hidden><pre><code class="language-bash">yarn add treeview</code></pre></div></div></div></div>
<footer class="theme-doc-footer"><a href="https://github.example/edit" class="theme-edit-this-page">{b.noise("Edit this page")}</a></footer></article><nav class="pagination-nav" aria-label="Docs pages"><a class="pagination-nav__link" href="/docs/next"><div class="pagination-nav__sublabel">Next</div><div>{b.noise("Installation for servers")}</div></a></nav></div></div>
<div class="col col--3"><div class="tableOfContents_x thin-scrollbar theme-doc-toc-desktop"><ul class="table-of-contents"><li><a href="#use" class="table-of-contents__link">{b.noise("Use of tree in toc")}</a></li></ul></div></div></div></div></main></div>
<footer class="footer footer--dark"><div>{b.noise("Built with Docusaurus.")}</div></footer></div></body></html>""")


def api_reference() -> Page:
    """A reference of a web service: methods, parameters, a response, two columns."""
    b = Builder("rest api", "https://developer.rest.example/reference/orders")
    rows = b.row("sku", "string", "The article that is ordered.") + b.row("count", "integer", "How many; 1 to 99.")
    return b.done(f"""<!doctype html><html><head><title>Orders</title></head><body><div class="app"><div class="left-nav sidebar"><ul><li><a href="/reference/users">{b.noise("Users endpoint group")}</a></li><li><a href="/reference/hooks">{b.noise("Webhooks endpoint group")}</a></li></ul></div>
<div class="content"><h1>Create an order</h1><p class="endpoint"><span class="method">POST</span> <code>/v2/orders</code></p><p>{b.keep("Creates an order and reserves its articles for fifteen minutes.")}</p>
{b.title("Body parameters", "h3")}<table class="params"><tbody><tr><th>Name</th><th>Type</th><th>Meaning</th></tr>{rows}</tbody></table>{b.title("Example request", "h3")}
<div class="code-samples"><pre class="highlight shell"><code>{b.code(_CURL)}</code></pre></div>{b.title("Response", "h3")}<pre class="language-json">{b.code(chr(123) + chr(10) + '  "id": 4217,' + chr(10) + '  "state": "reserved"' + chr(10) + chr(125))}</pre>
<h3>Errors</h3><dl><dt><code>409</code></dt><dd>{b.keep("The article is sold out.")}</dd><dt><code>422</code></dt><dd>{b.keep("A parameter does not fit.")}</dd></dl></div></div>
<div class="feedback-widget">{b.noise("Was this page helpful to you?")}</div></body></html>""")


def readme() -> Page:
    """A repository with its files and its README."""
    b = Builder("repository", "https://git.repository.example/ana/garden")
    files = "".join(
        f'<tr class="react-directory-row"><td><a href="/ana/garden/blob/main/{name}">{name}</a></td><td><a href="/c/1">{b.noise("Bump version of " + name)}</a></td></tr>'
        for name in ("setup.rb", "Rakefile")
    )
    return b.done(f"""<!DOCTYPE html><html lang="en" data-color-mode="auto"><head><title>GitPlace - ana/garden: Water plants</title></head><body class="logged-out env-production page-responsive">
<div class="position-relative js-header-wrapper"><a href="#start-of-content" class="show-on-focus">{b.noise("Skip to content now")}</a><header class="HeaderMktg" role="banner"><nav><ul><li><a href="/features">{b.noise("Product features tour")}</a></li></ul></nav></header></div>
<div class="application-main"><main><div id="repository-container-header"><nav class="UnderlineNav"><ul><li><a href="/ana/garden/issues">{b.noise("Issues 14")}</a></li></ul></nav></div>
<div class="Layout"><div class="Layout-main"><table aria-labelledby="folders-and-files"><tbody>{files}</tbody></table>
<div id="readme" class="Box"><article class="markdown-body entry-content container-lg" itemprop="text"><div class="markdown-heading"><h1 class="heading-element">garden</h1><a id="user-content-garden" class="anchor" aria-label="Permalink: garden" href="#garden"></a></div>
<p><a href="/ci"><img src="/badge.svg" alt="build status"></a></p>{b.paragraphs(2)}<div class="highlight highlight-source-ruby notranslate position-relative overflow-auto"><pre>{b.code(_RUBY)}</pre><div class="zeroclipboard-container"><clipboard-copy aria-label="Copy">{b.noise("Copied to your clipboard")}</clipboard-copy></div></div>
<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" disabled checked> {b.keep("Outdoor beds")}</li><li class="task-list-item"><input type="checkbox" disabled> {b.keep("Greenhouse sensors")}</li></ul>
<p>Licensed under {b.link("MIT", "LICENSE.md", "https://git.repository.example/ana/LICENSE.md")}.</p></article></div></div>
<div class="Layout-sidebar"><h2>About</h2><p>{b.noise("37 stars and 4 watching")}</p><div class="footer-links">{b.noise("Report this repository")}</div></div></div></main></div>
<footer class="footer" role="contentinfo"><p>{b.noise("© 2025 GitPlace, Inc.")}</p></footer></body></html>""")


def changelog() -> Page:
    """A changelog: many short lists under many headings."""
    b = Builder("changelog")
    entries = "".join(
        f'<section class="release">{b.title(f"Version 2.{n}.0")}<p class="date"><time>2024-0{9 - n}-11</time></p>{b.items(f"Added option --tide-{n} for coastal runs", f"Fixed a crash when file {n} was empty", f"Removed support for format {n}")}</section>'
        for n in range(1, 6)
    )
    return b.done(f"""<html><head><title>Changelog</title></head><body><div class="wrapper"><div class="menu"><a href="/">Home</a> <a href="/dl">{b.noise("Downloads area")}</a></div><div class="page"><h1>Changelog</h1>{entries}</div>
<div class="bottom-links"><a href="/rss">{b.noise("Subscribe by RSS")}</a> <a href="/i">{b.noise("Imprint page")}</a></div></div></body></html>""")


MAKERS = (sphinx, docusaurus, api_reference, readme, changelog)
