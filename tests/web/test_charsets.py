"""Claims on bytes into text: every label of the WHATWG list, and what pages say wrongly."""

from __future__ import annotations

import pytest
import webencodings

from replicadb.web.charsets import codec_of, decoded

WESTERN = "Grüße, déjà vu"
CENTRAL = "Příliš žluťoučký kůň"
BALTIC = "Ąžuolo šešėlis"
CYRILLIC = "Это русский текст"
CHINESE = "这是中文网页"
SAMPLES = {  # encoding of the standard: a codec of Python, and a text in its script
    "big5": ("big5hkscs", "這是中文網頁"),
    "euc-jp": ("euc_jp", "これは日本語の文章"),
    "euc-kr": ("cp949", "한국어 문장입니다 똠"),
    "gb18030": ("gb18030", CHINESE + "镕"),
    "gbk": ("gbk", CHINESE + "镕"),
    "ibm866": ("cp866", CYRILLIC),
    "iso-2022-jp": ("iso2022_jp", "これは日本語の文章"),
    "iso-8859-2": ("iso8859_2", CENTRAL),
    "iso-8859-3": ("iso8859_3", "Ĉiuj ĵurnaloj ŝatas"),
    "iso-8859-4": ("iso8859_4", "Āboļi šķiras"),
    "iso-8859-5": ("iso8859_5", CYRILLIC),
    "iso-8859-6": ("iso8859_6", "هذا نص عربي"),
    "iso-8859-7": ("iso8859_7", "Αυτό είναι ελληνικό"),
    "iso-8859-8": ("iso8859_8", "זה טקסט בעברית"),
    "iso-8859-8-i": ("iso8859_8", "זה טקסט בעברית"),
    "iso-8859-10": ("iso8859_10", "Þetta eđa ŋ"),
    "iso-8859-13": ("iso8859_13", BALTIC),
    "iso-8859-14": ("iso8859_14", "Ŵyn ŷd ẁ"),
    "iso-8859-15": ("iso8859_15", "Œuvre à 5 €"),
    "iso-8859-16": ("iso8859_16", "Știință și țară"),
    "koi8-r": ("koi8_r", CYRILLIC),
    "koi8-u": ("koi8_u", "Це український текст ґ"),
    "macintosh": ("mac_roman", WESTERN),
    "shift_jis": ("cp932", "これは日本語の文章①"),
    "utf-16be": ("utf-16-be", "<p>" + CYRILLIC),
    "utf-16le": ("utf-16-le", "<p>" + CYRILLIC),
    "utf-8": ("utf-8", CYRILLIC + CHINESE),
    "windows-874": ("cp874", "นี่คือข้อความภาษาไทย"),
    "windows-1250": ("cp1250", CENTRAL),
    "windows-1251": ("cp1251", CYRILLIC),
    "windows-1252": ("cp1252", WESTERN + " – “fin”"),
    "windows-1253": ("cp1253", "Αυτό είναι ελληνικό"),
    "windows-1254": ("cp1254", "Bu Türkçe bir metin: ışığı"),
    "windows-1255": ("cp1255", "זה טקסט בעברית"),
    "windows-1256": ("cp1256", "هذا نص عربي"),
    "windows-1257": ("cp1257", BALTIC),
    "windows-1258": ("cp1258", "Đây là ăn ơ ư"),
    "x-mac-cyrillic": ("mac_cyrillic", CYRILLIC),
    "x-user-defined": ("cp1252", WESTERN),
}


@pytest.mark.parametrize("encoding", sorted(set(webencodings.LABELS.values()) - {"replacement"}))
def test_every_label_of_the_standard_is_read_as_browsers_read_it(encoding):
    codec, text = SAMPLES[encoding]
    labels = [label for label, name in webencodings.LABELS.items() if name == encoding]
    assert labels and all(
        decoded(text.encode(codec), f"text/html; charset={label.upper()}") == text
        for label in labels
    )


def test_the_list_is_that_of_the_standard():
    assert len(webencodings.LABELS) == 228


@pytest.mark.parametrize("label", ["iso-2022-cn", "replacement", "punycode", "idna", "undefined"])
def test_a_label_that_browsers_refuse_or_do_not_know_means_none(label):
    assert codec_of(label) is None
    assert decoded(CYRILLIC.encode(), f"text/html; charset={label}") == CYRILLIC


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [("hz-gb-2312", "hz", "这是中文网页"), ("iso-2022-kr", "iso2022_kr", "한국어")],
)
def test_old_pages_are_read_in_encodings_that_browsers_have_given_up(label, codec, text):
    assert decoded(text.encode(codec), f"text/html; charset={label}") == text


@pytest.mark.parametrize("label", ["utf-16", "utf-16le", "unicode", "unicodefffe"])
def test_what_says_utf_16_in_bytes_like_ascii_is_utf_8(label):
    page = f'<meta charset="{label}"><p>{CYRILLIC}!'
    page += " " * (len(page.encode()) % 2)
    assert decoded(page.encode(), "text/html") == page
    assert decoded(page.encode(), f"text/html; charset={label}") == page


def test_what_an_xml_declaration_says_counts_where_no_meta_says_it():
    page = '<?xml version="1.0" encoding="EUC-JP"?>\n<html xmlns="http://www.w3.org/1999/xhtml">{}'
    japanese = page.format("日本語").encode("euc_jp")
    assert decoded(japanese, "text/html", lambda _: "cp1252").endswith("日本語")
    said = page.format("<meta charset=windows-1251>") + CYRILLIC
    assert decoded(said.encode("cp1251"), "text/html").endswith(CYRILLIC)
    quoted = f"<p>{page}</p>".replace("EUC-JP", "koi8-r") + WESTERN
    assert decoded(quoted.encode("cp1252"), "text/html").endswith(WESTERN)


@pytest.mark.parametrize("encoding", ["euc-kr", "shift_jis", "big5", "euc-jp", "gb18030", "utf-8"])
def test_a_page_that_was_cut_off_is_read_by_its_charset(encoding):
    codec, text = SAMPLES[encoding]
    cut = (text + text[0]).encode(codec)[:-1]
    assert decoded(cut, f"text/html; charset={encoding}", lambda _: "koi8-r").startswith(text)
    page = f"<meta charset={encoding}>".encode() + cut
    assert text in decoded(page, "text/html", lambda _: "koi8-r")


def test_a_letter_that_a_charset_lacks_leaves_the_others():
    numbered = "これは日本語".encode("euc_jp") + b"\xad\xa1" + "の文章".encode("euc_jp")
    text = decoded(numbered, "text/html; charset=euc-jp", lambda _: "utf-8")
    assert text.startswith("これは日本語") and text.endswith("の文章")
    undefined = CYRILLIC.encode("cp1251") + b"\x98"
    assert decoded(undefined, "text/html; charset=windows-1251", lambda _: "utf-8") == (
        CYRILLIC + "\ufffd"
    )


def test_a_charset_that_reads_little_of_a_page_is_not_its_own():
    page = CYRILLIC.encode("koi8_r")
    assert decoded(page, "text/html; charset=utf-8", lambda _: "koi8-r") == CYRILLIC
    broken = (CYRILLIC * 5).encode() + b"\xff"
    assert decoded(broken, "text/html; charset=euc-jp").startswith(CYRILLIC)
