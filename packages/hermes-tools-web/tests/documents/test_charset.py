"""Pages are read in the charset that they are written in, whatever they or their servers say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_web.documents.document import Document

Read = Callable[..., Document]
_JAPANESE = "今朝は五時に起きて、港まで歩いて行きました。霧が濃く、船の灯りだけが見えました。"
_CHINESE = "经过两年的修缮，市中心的旧图书馆于昨日重新向公众开放，首日接待了近三千名读者。"
_KOREAN = "지난주 전통 시장에는 만 명이 넘는 손님이 다녀갔습니다. 상인들은 웃음을 되찾았습니다."
_RUSSIAN = "Маяк на северном мысе не работал двадцать лет, но теперь его свет снова виден с моря."
_GREEK = "Το παλιό λιμάνι άνοιξε ξανά για τα σκάφη της γραμμής, ύστερα από έργα τριών ετών."
_POLISH = "Zażółć gęślą jaźń, powiedział stary rybak i odpłynął w stronę wyspy."
_HEBREW = "לפני ההתקנה יש לוודא שגרסת המערכת מעודכנת ושיש די מקום בדיסק."
_ARABIC = "افتتح رئيس البلدية صباح اليوم الجسر الجديد الذي يربط بين ضفتي النهر."
_FRENCH = "« L’été dernier », dit-elle, « la côte était déserte — même à Nîmes… »"


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        (_JAPANESE, "shift_jis"),
        (_JAPANESE, "euc_jp"),
        (_JAPANESE, "iso2022_jp"),
        (_CHINESE, "gbk"),
        (_CHINESE, "gb18030"),
        (_KOREAN, "euc_kr"),
        (_RUSSIAN, "windows-1251"),
        (_RUSSIAN, "koi8-r"),
        (_GREEK, "iso-8859-7"),
        (_POLISH, "iso-8859-2"),
        (_POLISH, "windows-1250"),
        (_HEBREW, "windows-1255"),
        (_ARABIC, "windows-1256"),
        (_FRENCH, "windows-1252"),
        (_FRENCH, "utf-8"),
        (_ARABIC, "utf-16"),
        (_FRENCH, "utf-16-le"),
        (_FRENCH, "utf-16-be"),
        (_JAPANESE, "utf-32"),
    ],
)
@pytest.mark.parametrize("told", ["by the server", "by the page", "wrongly by the server"])
def test_a_charset_is_found(read: Read, text: str, charset: str, told: str) -> None:
    label = charset.replace("_", "-").replace("iso2022", "iso-2022")
    meta = f'<meta charset="{label}">' if told != "by the server" else ""
    server = {
        "by the server": f"; charset={label}",
        "by the page": "",
        "wrongly by the server": "; charset=iso-8859-1",
    }[told]
    body = f"<html><head>{meta}<title>t</title></head><body><p>{text}</p></body></html>".encode(charset)
    assert read(body, f"text/html{server}").markdown == text


def test_a_byte_order_mark_is_believed_before_all_others(read: Read) -> None:
    body = b"\xef\xbb\xbf" + f"<meta charset=windows-1251><p>{_JAPANESE}</p>".encode()
    assert read(body, "text/html; charset=shift_jis").markdown == _JAPANESE


@pytest.mark.parametrize("text", [_RUSSIAN, _GREEK, _JAPANESE, _CHINESE])
def test_utf8_under_a_wrong_label_is_utf8(read: Read, text: str) -> None:
    assert read(f"<p>{text}</p>".encode(), "text/html; charset=windows-1252").markdown == text


def test_a_few_wrong_bytes_do_not_spoil_a_page(read: Read) -> None:
    written = read(f"<p>{_JAPANESE}</p>".encode() + b"<p>caf\xe9</p>").markdown
    assert _JAPANESE in written
    assert "café" in written


@pytest.mark.parametrize(
    "label", ["", "bogus", "utf-7", "\x00", "x" * 5000, "hex", "rot13", "base64", "idna", "unicode_escape"]
)
def test_a_label_that_is_none_does_no_harm(read: Read, label: str) -> None:
    body = f'<meta charset="{label}"><p>{_FRENCH}</p>'.encode()
    assert read(body, f"text/html; charset={label}").markdown == _FRENCH


def test_text_from_right_to_left_keeps_its_order(read: Read) -> None:
    assert (
        read(f'<html dir="rtl"><body><p>{_HEBREW}</p><p>{_ARABIC}</p></body></html>').markdown
        == f"{_HEBREW}\n\n{_ARABIC}"
    )


@pytest.mark.parametrize("label", ["", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize(
    "text",
    [
        "It’s “quoted” – and it costs 5 € at most.",
        "The café is closed; the naïve rôle of a résumé was discussed at length.",
        "Über die Straße fährt ein grüner Bus, öfter auch ein größerer.",
        "Copyright © 2024 Acme® — all the rest is © others, at 20 °C ± 2.",
        "Él llegó mañana a España con el niño. ¿Quién es?",
        "Não é possível amanhã à tarde, diz a mãe.",
        "Kesäyö järvellä, ja ääni kuuluu rannalle asti.",
        "Hôtel à Nîmes: l’été, du déjà vu, dit le garçon, à 12 m² près.",
        "Smörgåsbord på Åland är något att äta.",
        "Île flottante",
        "Blåbærgrød på en ø i juni",
    ],
)
def test_signs_and_accents_between_latin_words_are_no_other_script(read: Read, text: str, label: str) -> None:
    body = f"<html><body><p>{text}</p></body></html>".encode("cp1252")
    assert read(body, f"text/html; charset={label}" if label else "text/html").markdown == text


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        (_POLISH, "cp1250"),
        ("Starý převozník řekl, že řeka je dnes klidná a že se vrátí před večerem domů.", "cp1250"),
        ("Starý převozník řekl, že řeka je dnes klidná a že se vrátí před večerem domů.", "iso8859_2"),
        ("Az idő szép volt, a nő a tetőn ült, és a külső udvarból szűrődő zenét hallgatta.", "cp1250"),
        ("Güneşli bir gündü, çocuklar kıyıda şarkı söylüyordu.", "cp1254"),
        ("Žvejys išplaukė į jūrą, o švyturys žybčiojo visą naktį.", "cp1257"),
    ],
)
def test_latin_letters_without_a_label_are_told_by_their_language(read: Read, text: str, charset: str) -> None:
    assert read(f"<html><body><p>{text}</p></body></html>".encode(charset), "text/html").markdown == text
