"""Other scripts and charsets: Arabic and Hebrew from right to left, Japanese, Chinese, Korean, Cyrillic."""

# Markup stands on long lines, as sites write it.
# ruff: noqa: E501

from __future__ import annotations

from bench.web.building import Builder, Page


def arabic() -> Page:
    """A news article in Arabic, right to left."""
    b = Builder("arabic")
    return b.done(f"""<!doctype html><html lang="ar" dir="rtl"><head><meta charset="utf-8"><title>افتتاح الجسر الجديد</title></head><body><header><nav><ul><li><a href="/s">{b.noise("قسم الرياضة المحلية")}</a></li></ul></nav></header><article><h1>افتتاح الجسر الجديد</h1>
<p>{b.keep("افتتح رئيس البلدية صباح اليوم الجسر الجديد الذي يربط بين ضفتي النهر، بعد أعمال استمرت ثلاث سنوات.")}</p><p>{b.keep("وقال المهندسون إن الجسر يتحمل مرور أربعين ألف سيارة كل يوم، وإن الإنارة تعمل بالطاقة الشمسية.")}</p>
<ul><li>{b.item("الطول: 412 متراً")}</li><li>{b.item("العرض: 24 متراً")}</li></ul><p>{b.keep("ويتوقع السكان أن تنخفض مدة التنقل إلى النصف تقريباً خلال ساعات الذروة.")}</p></article>
<aside class="related"><h3>{b.noise("مقالات ذات صلة")}</h3><a href="/2">{b.noise("أسعار الخضار ترتفع من جديد")}</a></aside><footer>{b.noise("جميع الحقوق محفوظة للصحيفة")}</footer></body></html>""")


def japanese() -> Page:
    """A Japanese blog in Shift-JIS whose server says nothing about it."""
    b = Builder("japanese")
    page = f"""<html><head><meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><title>港の朝</title></head><body><div id="header"><div class="menu"><a href="/">ホーム</a><a href="/p">{b.noise("管理人のプロフィール")}</a></div></div><div id="main"><h2>港の朝</h2><p>{b.keep("今朝は五時に起きて、港まで歩いて行きました。霧が濃く、船の灯りだけが見えました。")}</p><p>{b.keep("市場では、漁師たちが昨夜の魚を並べていました。値段は去年より少し高いそうです。")}</p><table border="1"><tr><th>魚</th><th>値段</th></tr>{b.row("さば", "八百円")}{b.row("いわし", "三百円")}</table><p>{b.keep("帰り道に小さな喫茶店を見つけました。来週もまた行くつもりです。")}</p></div><div id="side" class="sidebar"><h3>{b.noise("最近のコメント一覧")}</h3><ul><li><a href="/c">{b.noise("雨の日の写真について")}</a></li></ul></div><div id="footer">{b.noise("無断転載を禁じます")}</div></body></html>"""
    return b.done(page, "text/html", "shift_jis")


def chinese() -> Page:
    """A Chinese article in GBK under the label of the server's default."""
    b = Builder("chinese")
    page = f"""<html><head><meta charset="gbk"><title>旧图书馆重新开放</title></head><body><div class="nav"><a href="/1">{b.noise("首页导航栏目")}</a><a href="/2">{b.noise("体育新闻频道")}</a></div><div class="article"><h1>旧图书馆重新开放</h1><div class="info">{b.keep("发布时间：2025-03-02")}</div><div class="content"><p>{b.keep("经过两年的修缮，市中心的旧图书馆于昨日重新向公众开放，首日接待了近三千名读者。")}</p><p>{b.keep("馆长介绍说，新馆保留了原来的木质楼梯，并增加了儿童阅览区和自助借还设备。")}</p><p>{b.keep("开放时间为每天上午九点至晚上八点，周一闭馆。")}</p></div></div><div class="recommend related"><h3>{b.noise("相关阅读")}</h3><ul><li><a href="/3">{b.noise("地铁四号线延长段开工")}</a></li></ul></div><div class="footer">{b.noise("版权所有 不得转载")}</div></body></html>"""
    return b.done(page, "text/html; charset=iso-8859-1", "gbk")


def korean() -> Page:
    """A Korean page in EUC-KR."""
    b = Builder("korean")
    page = f"""<html><head><title>시장 소식</title></head><body><div id="gnb"><ul><li><a href="/a">{b.noise("회사 소개 메뉴")}</a></li></ul></div><div id="content"><h2>시장 소식</h2><p>{b.keep("지난주 전통 시장에는 만 명이 넘는 손님이 다녀갔습니다. 상인들은 오랜만에 웃음을 되찾았습니다.")}</p><p>{b.keep("시청은 다음 달부터 주차장을 두 배로 넓히기로 했습니다. 공사는 석 달 동안 진행됩니다.")}</p><ol><li>{b.item("주차장 확장")}</li><li>{b.item("지붕 보수")}</li></ol></div><div id="footer">{b.noise("무단 전재 및 재배포 금지")}</div></body></html>"""
    return b.done(page, "text/html; charset=euc-kr", "euc-kr")


def hebrew() -> Page:
    """A Hebrew page of documentation with code from left to right."""
    b = Builder("hebrew")
    return b.done(
        f"""<!doctype html><html lang="he" dir="rtl"><head><meta charset="utf-8"><title>התקנה</title></head><body><div class="sidebar"><ul><li><a href="/x">{b.noise("פרק ראשון בתפריט")}</a></li></ul></div><main><h1>התקנה</h1><p>{b.keep("לפני ההתקנה יש לוודא שגרסת המערכת מעודכנת ושיש די מקום בדיסק.")}</p><pre dir="ltr"><code class="language-bash">{b.code("cd /opt" + chr(10) + "  ./install --lang he")}</code></pre><p>{b.keep("לאחר ההתקנה מפעילים מחדש את השירות ובודקים את היומן.")}</p></main><footer>{b.noise("כל הזכויות שמורות לחברה")}</footer></body></html>"""
    )


MAKERS = (arabic, japanese, chinese, korean, hebrew)
