"""The words by which pages name their boilerplate, in classes, ids, headings and buttons."""

from __future__ import annotations

import re

from hermes_tools_web.text import word_set

NOISE_ROLES = word_set(
    "navigation menu menubar banner contentinfo search dialog alertdialog tablist toolbar status progressbar "
    "tooltip doc-toc"
)
SURE = word_set(
    "similar breadcrumb breadcrumbs crumbs cookie cookies cookiebar consent gdpr ccpa onetrust cookiebot didomi "
    "usercentrics newsletter newsletters subscribe subscription signup optin sharing sharebar sharedaddy "
    "addtoany addthis socials navbar navbox topnav subnav sidenav sitenav megamenu advert advertisement "
    "adverts adsense adslot ads ad dfp sponsored taboola outbrain pagination paginator pager paginate "
    "skiplink skiplinks skipnav popup modal lightbox offcanvas hamburger toolbar paywall copyright colophon "
    "masthead toc tocify backtotop scrolltop related relatedposts recommended recommendations recirculation "
    "trending promo promos promotion upsell crosssell printfooter catlinks editsection metabox siteinfo "
    "jumplinks feedback helpful sidebar usermenu userbar quicklinks jumpbox noprint mailmunch sticky "
    "permalink headerlink anchorjs clipboard zeroclipboard ambox postprofile signature teaser teasers"
)
"""Elements with these names are boilerplate, unless they hold most of the page."""
LIKELY = word_set(
    "nav navigation menu menus footer foot header share social follow dropdown links linklist tags taglist "
    "tagcloud popular latest archives archive categories blogroll banner login signin account widget widgets "
    "actions buttons controls byline meta utility utilities topbar bottombar sitemap language languages "
    "locale prev next aside rail"
)
"""Elements with these names are boilerplate if they have mostly links or little text."""
_PAIRS = (
    "on this page; table of contents; back to top; more stories; read next; up next; most read; also like; edit "
    "this page; skip link; skip to content; author bio; recently viewed; customers also; similar products; site "
    "header; site footer; global header; page footer; mw editsection; share buttons; social links; left column; "
    "last updated; signed out; who online; online list; action bar; signup card; author bio; author card; posting rules"
)
PAIRS = tuple(map(word_set, _PAIRS.split(";")))
"""Elements whose name has all words of one of these are boilerplate."""
ASIDES = word_set(
    "note notes admonition callout warning tip info infobox alert caution important danger hint footnote "
    "footnotes example pullquote pull starlight sidenote marginnote quote fact factbox summary key definition"
)
MAIN_IDS = word_set(
    "content main main-content maincontent main_content primary page-content pagecontent bodycontent "
    "mw-content-text article article-content article-body articlebody post-content readme story story-body "
    "wiki-content content-main contentmain main-column"
)
MAIN_CLASSES = word_set(
    "markdown-body mw-parser-output post-content entry-content article-content article-body article__body "
    "story-body postcontent post-body theme-doc-markdown rst-content document documentwrapper page-content "
    "main-content blog-post post__content article-text wiki-content md-content content-body prose articlebody "
    "story-content"
)

_PHRASES = (
    r"skip to (?:main )?(?:content|navigation|search)|jump to (?:content|navigation|search)|back to top|to top|top"
    r"|edit this page|edit (?:this page )?on git(?:hub|lab)|view (?:page )?source|suggest edits?"
    r"|report (?:a |an )?(?:bug|issue|problem|ad)|share(?: this)?(?: (?:article|post|page|story))?"
    r"|share (?:on|via|with) \w+|tweet(?: this)?|pin it|copy(?: link| code| to clipboard)?|copied!?"
    r"|print(?: this)?(?: page)?|email(?: this)?|save(?: for later)?|bookmark|like|follow(?: us)?"
    r"|subscribe(?: now)?|sign (?:in|up)|log ?in|register|create account|advertisement|ad|sponsored(?: content)?"
    r"|continue reading below|read more|learn more|show more|load more|see all|view all|see more|next(?: page)?"
    r"|prev(?:ious)?(?: page)?|older posts?|newer posts?|menu|search|close|cancel|submit"
    r"|accept(?: all)?(?: cookies)?|reject all|(?:cookie|privacy) settings|manage (?:cookies|preferences)"
    r"|add to (?:cart|basket|bag|wishlist|list)|buy now|checkout|was this (?:page |article |answer )?helpful\??"
    r"|yes|no|thanks for your feedback!?|leave a (?:comment|reply)|reply|quote|report|upvote|downvote|vote"
    r"|improve this (?:page|answer|question|doc)|loading(?:\.\.\.|…)?|please wait(?:\.\.\.|…)?"
    r"|toggle (?:navigation|menu|table of contents|dark mode)|all rights reserved\.?|teilen|drucken|nach oben"
    r"|mehr lesen|anmelden|partager|imprimer|en savoir plus|se connecter|compartir|imprimir|leer más"
    r"|iniciar sesión|(?:add|post) (?:a )?(?:comment|reply)|ask (?:a )?question"
    r"|return to .{1,40}(?:board|forum|index|list|top)|more information about the .{1,40} mailing list"
    r"|(?:jump to|print|pin|rate) (?:this )?recipe|image|photo|video|gallery|reblog|boost"
)
NOISE_TEXT = re.compile(rf"[\W_]*(?:{_PHRASES})[\W_]*", re.IGNORECASE)
"""Texts of links and labels without meaning of their own."""
_OTHERS = (
    r"related (?:articles?|posts?|stories|news|content|videos?|products?|topics?|coverage)"
    r"|(?:you (?:may|might) )?also (?:like|enjoy|be interested in)|recommended (?:for you|reading|articles|stories)"
    r"|(?:\w+ ){0,3}you (?:may|might) (?:also )?(?:like|enjoy|be interested in)"
    r"|more (?:from|stories|articles|posts|news)\b.{0,40}|read (?:next|more|also)|up next|what to read next"
    r"|(?:most|editors?'?s?) (?:read|popular|viewed|picks?|choice)|popular (?:posts?|articles?|stories|tags)"
    r"|trending(?: now| \w+)?|latest (?:news|posts?|articles?|stories)|recent (?:posts?|comments?|articles?)"
    r"|stay (?:connected|in touch|up to date)|about the author|(?:customers|people|readers) (?:who"
    r"|also) (?:viewed|bought|searched|read|liked?|ask).{0,40}"
    r"|similar (?:articles?|posts?|stories|products?|items?)|recently viewed.{0,20}|hot network questions"
    r"|weitere artikel|das könnte sie auch interessieren|mehr zum thema|meist ?gelesen|auch interessant"
    r"|lesen sie (?:auch|mehr)|top-?themen|à lire aussi|lire aussi|articles? (?:liés|connexes|similaires)"
    r"|dans la même rubrique|les plus lus|sur le même (?:sujet|thème)|artículos? relacionados?|te puede interesar"
    r"|noticias relacionadas|lo más (?:leído|visto)|leia também|mais lidas|veja (?:também|mais)|leggi anche.{0,20}"
    r"|(?:ti |le |vi )?potrebbe(?:ro)? interessar\w+.{0,20}|articoli correlati|i più letti|podobne (?:artykuły"
    r"|produkty|wpisy|posty|oferty)"
    r"|zobacz (?:też|także|również)|czytaj (?:też|także|również)|polecamy|lees ook|meer nieuws.{0,20}"
    r"|читайте также|похожие (?:статьи|товары|новости|материалы)|самое читаемое|популярное|по теме|関連(?:記事|ニュース"
    r"|リンク|商品|動画|ページ)|人気(?:記事|ランキング|商品)|おすすめ(?:記事|商品|の記事)?"
    r"|相关(?:文章|阅读|新闻|推荐)|相關文章|推荐阅读|往期推荐|猜你喜欢|热门(?:文章|新闻|推荐|评论)"
    r"|관련 ?기사|مقالات ذات صلة|اقرأ أيضا"
)
OTHERS_HEADING = re.compile(rf"[\W_]*(?:{_OTHERS})[\W_]*", re.IGNORECASE)
"""Headings of teasers of other pages, linked or not."""
_HEADINGS = (
    r"related(?: \w+){0,2}|recommended(?: \w+)?|more (?:in|on)\b.{0,40}|popular|similar(?: \w+){1,3}"
    r"|share(?: this)?(?: \w+)?|follow us|(?:our |sign up for (?:our )?(?:the )?)?newsletter.{0,20}"
    r"|subscribe.{0,40}|sponsored.{0,20}|\d+ (?:responses?|replies|thoughts)\b.*|linked questions?|archives?"
    r"|categories|tags|tag cloud|blogroll"
    r"|navigation(?: menu)?|search|contents|on this page|table of contents|in this (?:article|section|guide)"
)
NOISE_HEADING = re.compile(rf"[\W_]*(?:{_OTHERS}|{_HEADINGS})[\W_]*", re.IGNORECASE)
"""Headings of links to other pages."""

REFERENCES = re.compile(
    r"[\W_\d]*(?:see also|external links?|further (?:reading|information|resources)|references|sources|bibliography"
    r"|notes|footnotes|literature|works cited|resources|downloads?|links|siehe auch|weblinks|einzelnachweise|literatur"
    r"|voir aussi|liens externes|références|véase también|enlaces externos|referencias"
    r"|関連項目|外部リンク|参见|外部链接)[\W_]*",
    re.IGNORECASE,
)
"""Headings of links that belong to an article."""
NEIGHBOUR = re.compile(
    r"\W*(?:(?:previous|next|newer|older) (?:message|post|article|entry|thread|topic|story|chapter|lesson)s?"
    r"|(?:messages|thread) (?:sorted|prev|next)\b.{0,20})\s*[:»→←].*",
    re.IGNORECASE | re.DOTALL,
)
"""The start of lines that link to the previous or next page."""

_CALLED = (
    r"follow (?:us|me|him|her|them|@?\w+) on|(?:like|find) us on|subscribe (?:now|here)"
    r"|(?:subscribe|sign ?up) (?:to|for) (?:our|the|my)\b.{0,60}(?:newsletter|channel|podcast|alerts?|email)"
    r"|sign up for (?:more (?:like this|stories|updates|news)"
    r"|(?:our|the) .{0,60}(?:newsletter|list|digest|briefing|alerts))"
    r"|click here to (?:subscribe|sign|read|follow|join|download)|download (?:our|the) (?:free )?app\b"
    r"|get (?:the latest|our|free|more) .{0,60}(?:inbox|newsletter|email)|(?:copyright |©|\(c\)) ?(?:\d{4}|by\b)"
    r"|all rights reserved|(?:read (?:more|next|also)|also read|related(?: \w+)?|more on this"
    r"|baca juga|lire aussi|lee también|lea también|leggi anche|leia também|czytaj (?:też|także)|читайте также|lees ook"
    r"|lesen sie auch|mehr dazu|延伸閱讀|延伸阅读|相关阅读)\s?[:：]|please (?:turn on|enable) javascript"
    r"|filed under\b|tagged (?:with|as|in)?\b:?|posted in\b|tags?:|categor(?:y|ies):|topics?:"
    r"|share (?:this (?:article|post|page|story|on|via)|on|via)\b|(?:story|article) continues (?:below|after)"
    r"|advertise(?:ment)? with|we use cookies"
    r"|this entry was posted\b|(?:责任编辑|编辑|关键字|关键词|标签|来源)\s?[:：]"
    r"|this (?:story|article|post) (?:was|has been) (?:originally )?(?:published|updated|posted)\b"
    r"|by (?:using|continuing)\b.{0,60}\bcookies|log in to (?:comment|reply|vote|post)|you must be logged in"
    r"|leave a (?:comment|reply)|\d+ (?:comments?|shares?|views?|likes?|min(?:ute)?s? read)\W*\Z|skip (?:past"
    r"|to) (?:main |the )?(?:content|navigation|newsletter|search|footer)"
    r"|.*\b(?:enter your e-?mail|(?:to|in) your inbox|no spam|unsubscribe any ?time|appears? in print"
    r"|order reprints|become a (?:supporter|subscriber|member)|join \w+ for free)\b"
)
CALLS = re.compile(rf"[\W_]*(?:{_CALLED})", re.IGNORECASE)
"""Short texts that invite, file or share a page rather than say something."""
_DATED = (
    r"(?:written |posted |published |reported |story |words |text |photos? )?by\b|von\b|par\b|por\b|di\b|автор|作者|文/"
    r"|(?:first |last )?(?:published|updated|posted|modified|changed|created|edited|reviewed|asked|viewed|answered)\b"
    r"|(?:date|author)\s?:|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? "
    r"|\d{1,2}[./ ]\w{2,9}[./ ]\d{2,4}\b|\d{4}[-./年]\d"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}, \d{4}"
    r"|\d+ (?:min|hours?|days?|weeks?|months?|years?)\b"
)
BYLINE = re.compile(rf"\W*(?:{_DATED})|.{{0,30}}(?<!\d)(?:19|20)\d\d(?!\d).{{0,18}}\Z", re.IGNORECASE)
"""The start of short texts above an article that name its author or date."""
SOCIAL = re.compile(
    r"\W*(?:share|facebook|twitter|x|whats ?app|linkedin|pinterest|reddit|telegram|e?-?mail|instagram|youtube|tiktok"
    r"|print|flipboard|pocket|xing|vk|line|threads|bluesky|mastodon|tumblr|messenger|copy(?: link)?|link|more)\W*",
    re.IGNORECASE,
)
"""The labels of buttons that share a page; several follow each other."""
MEMBER = re.compile(
    r"\W*(?:(?:senior |junior |new |active )?member|(?:join(?:ed)?(?: date)?|registered|posts|messages|location|from"
    r"|reputation|likes|beiträge|registriert(?: seit)?|wohnort|ort|inscription|сообщени[яй]|зарегистрирован|откуда"
    r"|registrado|mensajes)\s?:.{0,30})",
    re.IGNORECASE,
)
"""Lines about the author of a post; several follow each other."""
