"""Where many people write: questions, threads in tables, threads in forms, an encyclopedia, an office."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web.building import Builder, Page


def question() -> Page:
    """A question whose title is a link, with answers and lists of others."""
    b = Builder("question with a linked title", "https://ask.example/q/1")
    vote = '<div class="js-voting-container"><button aria-label="Up vote">▲</button><div class="js-vote-count">12</div></div>'
    return b.done(f"""<html><head><title>python - How do I flatten a list of lists? - Ask</title></head><body><header class="s-topbar"><a href=/p>{b.noise("Products for teams")}</a></header><div id=left-sidebar><nav><a href=/q>{b.noise("Questions of all")}</a></nav></div><div id=content><div id=question-header class="d-flex"><h1><a href="/q/1" class=question-hyperlink>{b.keep("How do I flatten a list of lists?")}</a></h1><a href=/ask class="s-btn">{b.noise("Ask Question")}</a></div>
<div id=mainbar><div class=question>{vote}<div class="s-prose"><p>{b.keep("I have a list of lists, and want one of all.")}</p><pre class="lang-py"><code>{b.code("xss = [[1, 2], [3]]")}
</code></pre></div><div class="user-info">asked <a href=/users/1>{b.keep("Emma")}</a></div><ul class=comments-list><li class=comment><span class=comment-copy>{b.keep("Do you need to handle arbitrarily deep nesting?")}</span></li></ul><a class="js-add-link" href=#>{b.noise("Add a comment")}</a></div>
<div id=answers><h2>1 Answer</h2><div class=answer>{vote}<div class="s-prose"><p>{b.keep("A list comprehension does it.")}</p><pre><code>{b.code("flat = [x for xs in xss for x in xs]")}
</code></pre>{b.items("It is short.", "It is fast.")}</div></div></div></div><div id=sidebar><div class="module sidebar-related"><h4>Related</h4><a href=/r>{b.noise("Another question about lists")}</a></div></div></div><footer id=footer>{b.noise("Site design / logo")}</footer></body></html>""")


def news_table() -> Page:
    """Comments in tables within tables, below a link that is the title."""
    b = Builder("newstable", "https://news.example/item?id=1")
    comments = "".join(
        f"<tr class=comtr><td><table border=0><tr><td class=ind><img src=s.gif></td><td class=default><div><span class=comhead><a class=hnuser>{who}</a></span></div><div class=comment><div class=commtext>{b.keep(said)}</div></div></td></tr></table></td></tr>"
        for who, said in (
            ("anna", "I climbed it last year, and the view is worth every step."),
            ("bert", "Bring water, there is none at the top and the way is long."),
            ("dora", b.prose.paragraph()),
        )
    )
    return b.done(
        f"""<html><head><title>Show: A tower that anybody can climb | News</title></head><body><center><table id=hnmain border=0 width="85%"><tr><td><table border=0 width="100%"><tr><td><span class=pagetop><a href=newest>{b.noise("newest")}</a> | <a href=front>{b.noise("past")}</a></span></td></tr></table></td></tr><tr><td><table class=fatitem border=0><tr class=athing><td class=votelinks></td><td class=title><span class=titleline>{b.link("Show: A tower that anybody can climb", "https://tower.example/", "https://tower.example/")}</span></td></tr><tr><td></td><td class=subtext><span class=score>{b.keep("120 points")}</span> by <a href=u>carl</a></td></tr></table><table border=0 class=comment-tree>{comments}</table></td></tr><tr><td><center><a href=g>{b.noise("Guidelines")}</a></center></td></tr></table></center></body></html>"""
    )


def thread_in_forms() -> Page:
    """Comments each of which stands in a form of its own."""
    b = Builder("threadinforms", "https://board.example/r/ama/1")
    comments = "".join(
        f"<div class='thing comment'><div class=entry><p class=tagline><a class=author>{who}</a></p><form class=usertext><input type=hidden name=id><div class=md><p>{b.keep(said)}</p></div></form><ul class='flat-list buttons'><li><a>{b.noise(f'permalink to {who}')}</a></li></ul></div></div>"
        for who, said in (
            ("curious", "What do you do when the radio breaks in a storm?"),
            ("keeper", "I repair it. There is a soldering iron and plenty of time."),
        )
    )
    return b.done(
        f"""<html><head><title>I keep a lighthouse, ask me anything : ama</title></head><body><div id=header role=banner><ul class=sr-bar><li><a href=/r/pics>{b.noise("pictures")}</a></li></ul></div><div class=side><div class=md><p>{b.noise("The rules of this board are long.")}</p></div></div><div class=content role=main><div class="thing link"><p class=title><a class=title href=/r/x>{b.keep("I keep a lighthouse, ask me anything")}</a></p><div class=md><p>{b.keep("I have kept the light for twenty years, mostly alone with the gulls.")}</p></div></div><div class=commentarea>{comments}</div></div></body></html>"""
    )


def office() -> Page:
    """A page of an office: what can be done stands in a box that is named after advertisements."""
    b = Builder("office with a call", "https://www.office.example/licence")
    return b.done(
        f"""<html lang=en><head><title>Renew your licence - Office</title></head><body><div class=gem-c-cookie-banner role=region><p>{b.noise("We use some essential cookies.")}</p></div><main id=content>{b.title("Renew your licence", "h1")}<p>{b.keep("You must renew your licence every ten years.")}</p><div class="call-to-action"><p>{b.keep("You can renew online")} <a href=/login>here</a>{b.keep(" if you have an account. It costs 14 coins.")}</p></div><table><thead><tr><th>How</th><th>Cost</th></tr></thead><tbody>{b.row("Online", "14 coins")}{b.row("By post", "17 coins")}</tbody></table><p><a href="mailto:office@office.example">{b.keep("office@office.example")}</a></p>{b.paragraphs(1)}<nav class=gem-c-pagination><a href=/2>{b.noise("Next: How to apply")}</a></nav></main><div class=gem-c-related-navigation><h2>Related content</h2><ul><li><a href=/r>{b.noise("Lose your licence")}</a></li></ul></div></body></html>"""
    )


MAKERS = (question, news_table, thread_in_forms, office)
