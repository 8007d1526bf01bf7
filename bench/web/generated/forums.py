"""Where people talk: phpBB, Discourse, questions with answers, a mailing list, an issue."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web.building import Builder, Page


def phpbb() -> Page:
    """A topic of phpBB with profiles and signatures."""
    b = Builder("phpbb", "https://forum.phpbb.example/viewtopic.php?t=9")
    posts = "".join(
        f"""<div id="p{n}" class="post has-profile bg{n % 2 + 1}"><div class="inner"><dl class="postprofile"><dt><a href="./memberlist.php?u={n}" class="username">{b.keep(who)}</a></dt><dd class="profile-posts"><strong>Posts:</strong> {n * 31}</dd></dl>
<div class="postbody"><div><h3><a href="#p{n}">Re: Pump does not start</a></h3><ul class="post-buttons"><li><a href="./posting.php?mode=quote&p={n}" class="button" title="Reply with quote"><span>Quote</span></a></li></ul><p class="author">» {b.keep(f"Mon Mar 0{n}, 2025 7:1{n} pm")}</p><div class="content">{said}</div></div></div></div></div><hr class="divider">"""
        for n, (who, said) in enumerate(
            (
                ("diesel_dan", b.paragraphs(1)),
                (
                    "marina",
                    f"<blockquote><div><cite>diesel_dan wrote:</cite>{b.keep('it only clicks when warm')}</div></blockquote>{b.keep('Check the relay first, then the ground strap.')}<br><br>{b.keep('Mine had a loose terminal.')}",
                ),
                (
                    "diesel_dan",
                    f"{b.keep('It was the ground strap, thanks!')}<div class='codebox'><p>Code: <a href='#'>Select all</a></p><pre><code>{b.code('relay 12V ok' + chr(10) + '  strap 4 ohm')}</code></pre></div>",
                ),
            ),
            1,
        )
    )
    return b.done(f"""<!DOCTYPE html><html dir="ltr" lang="en-gb"><head><title>Pump does not start - Boat forum</title></head><body id="phpbb" class="nojs notouch section-viewtopic ltr"><div id="wrap" class="wrap"><div id="page-header"><div class="headerbar" role="banner"><p class="skiplink"><a href="#start_here">{b.noise("Skip to the content")}</a></p></div><div class="navbar" role="navigation"><ul id="nav-main" class="nav-main linklist"><li><a href="./faq.php">{b.noise("Frequently asked stuff")}</a></li></ul><ul id="nav-breadcrumbs"><li class="breadcrumbs"><a href="./index.php">{b.noise("Board index crumb")}</a></li></ul></div></div>
<div id="page-body" class="page-body" role="main"><h2 class="topic-title"><a href="./viewtopic.php?t=9">{b.keep("Pump does not start")}</a></h2><div class="action-bar bar-top"><a href="./posting.php" class="button">{b.noise("Post a reply button")}</a><div class="pagination">{b.noise("3 posts • Page 1 of 1")}</div></div>{posts}
<form class="jumpbox-return"><p>{b.noise("Return to Engines board")}</p></form></div><div id="page-footer" class="page-footer" role="contentinfo">{b.noise("Powered by phpBB software")}</div></div></body></html>""")


def discourse() -> Page:
    """A topic of Discourse as crawlers get it."""
    b = Builder("discourse", "https://talk.discourse.example/t/sourdough/77")
    posts = "".join(
        f"""<div id='post_{n}' itemprop='comment' itemscope itemtype='http://schema.org/Comment' class='topic-body crawler-post'><div class='crawler-post-meta'><span class="creator" itemprop="author"><a href='/u/{who}'><span itemprop='name'>{b.keep(who)}</span></a></span><span class="crawler-post-infos"><time datetime='2025-02-0{n}T10:00:00Z' class='post-time'>{b.keep(f"February {n}, 2025, 10:00am")}</time><span itemprop='position'>{n}</span></span></div><div class='post' itemprop='text'>{b.paragraphs(1, 3)}</div><div itemprop="interactionStatistic"><span class='post-likes'>{n} Likes</span></div></div>"""
        for n, who in enumerate(("crumb", "levain", "hydration80", "miller"), 1)
    )
    return b.done(f"""<!DOCTYPE html><html lang="en"><head><title>Sourdough too flat - Baking</title></head><body class="crawler"><header><a href="/">Bakers talk</a></header><div id="main-outlet" class="wrap" role="main"><div id="topic-title"><h1><a href="/t/sourdough/77">Sourdough too flat</a></h1><div class="topic-category"><a class="badge-wrapper" href="/c/help">Help</a></div></div><div itemscope itemtype='http://schema.org/DiscussionForumPosting'>{posts}</div>
<div id="related-topics" class="more-topics__list" role="complementary"><h3 class="more-topics__list-title">{b.noise("Related topics")}</h3><table class="topic-list"><tbody><tr><td><a href="/t/1">{b.noise("Crust too hard in steam oven")}</a></td><td>12</td></tr></tbody></table></div></div>
<footer class="container wrap"><nav class="crawler-nav"><ul><li><a href="/categories">{b.noise("Categories overview")}</a></li></ul></nav><p>{b.noise("Powered by Discourse, best viewed with JavaScript enabled")}</p></footer></body></html>""")


def questions() -> Page:
    """A question with answers, votes, comments and a crowded sidebar."""
    b = Builder("questions", "https://qa.questions.example/questions/1/x")
    sql = "SELECT name,\n       COUNT(*) AS total\n  FROM plants\n GROUP BY name"
    return b.done(f"""<!DOCTYPE html><html><head><title>sql - Count rows by name - QA</title></head><body class="question-page unified-theme"><header class="s-topbar"><a href="/">QA</a><ol class="s-navigation"><li><a href="/products">{b.noise("Products of the company")}</a></li></ol></header>
<div class="container"><div id="left-sidebar" class="left-sidebar"><nav><ol><li><a href="/tags">{b.noise("Tags overview entry")}</a></li></ol></nav></div><div id="content"><div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question"><div class="inner-content"><div id="question-header"><h1><a href="/questions/1/x" class="question-hyperlink">Count rows by name</a></h1><div class="aside-cta"><a href="/ask" class="ws-nowrap s-btn">{b.noise("Ask Question now")}</a></div></div>
<div id="mainbar"><div class="question"><div class="post-layout"><div class="votecell"><div class="js-vote-count">17</div></div><div class="postcell"><div class="s-prose js-post-body" itemprop="text"><p>{b.keep("How do I count rows that share a name?")}</p>{b.paragraphs(1)}</div><div class="post-taglist"><ul><li><a href="/t/sql" class="post-tag" rel="tag">sql</a></li></ul></div><div class="post-menu"><a href="/q/1">Share</a><a href="/edit">{b.noise("Improve this question")}</a></div></div></div></div>
<div id="answers"><div class="answer accepted-answer"><div class="answercell"><div class="s-prose js-post-body"><p>{b.keep("Group them and count each group:")}</p><pre class="lang-sql s-code-block"><code class="hljs language-sql">{b.code(sql)}</code></pre><p>{b.keep("Names that are NULL make a group of their own.")}</p></div><div class="user-info"><div class="user-details">answered by {b.keep("Petra K")}</div></div></div></div>
<div class="comments"><ul class="comments-list"><li class="comment"><span class="comment-copy">{b.keep("HAVING COUNT(*) > 1 shows only duplicates.")}</span> – <a href="/u/9" class="comment-user">lurker</a></li></ul></div></div></div>
<div id="sidebar" class="show-votes"><div class="s-sidebarwidget"><h4>{b.noise("Hot Network Questions")}</h4><ul><li><a href="/h1">{b.noise("Why do dwarves hate elevators?")}</a></li></ul></div><div class="module sidebar-linked"><h4>Linked</h4><a href="/l1">{b.noise("Count rows in two tables at once")}</a></div></div></div></div></div></div><footer id="footer" class="site-footer">{b.noise("Site design and logo © QA")}</footer></body></html>""")


def mailing_list() -> Page:
    """A message of a mailing list in one `pre`, with a patch."""
    b = Builder("mailinglist")
    patch = "--- a/pump.c\n+++ b/pump.c\n@@ -10,3 +10,3 @@\n int start(void) {\n-\treturn 0;\n+\treturn prime();\n }"
    return b.done(f"""<html><head><title>[PATCH] pump: prime before start</title></head><body><h1>[PATCH] pump: prime before start</h1><b>{b.keep("Oskar Lind")}</b> <a href="mailto:x">oskar at lists.example</a><br><i>{b.keep("Tue Apr 1 09:12:44 CEST 2025")}</i><p><ul><li>Previous message: <a href="1.html">{b.noise("[PATCH 0/3] valves")}</a></li><li><b>Messages sorted by:</b> <a href="date.html">{b.noise("[ date ]")}</a></li></ul><hr>
<pre>{b.keep("The pump must be primed, or it runs dry.")}

{b.code(patch)}
</pre><hr><a href="info">{b.noise("More information about the pump-devel mailing list")}</a></body></html>""")


MAKERS = (phpbb, discourse, questions, mailing_list)
