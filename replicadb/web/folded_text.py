"""Text without what changes while a page stays the same: digits, dates and white space folded.

Invariant: equal texts have equal normal forms, whatever the numbers, dates and blanks in
them; a text without a letter has none. A date is a run of numbers and names of months or weekdays
with at least one number in it, so that the name May or a heading "Monday" alone stays. Names: the
Unicode CLDR's wide and abbreviated ones of the languages most used on the web.
"""

from __future__ import annotations

import hashlib
import re

_NUMBER = re.compile(r"\d\d*+(?>[.,:/'’+-]+\d++)*+(?:(?:st|nd|rd|th)(?![^\W_]))?")
_EAST_ASIAN = re.compile(r"0[年년]\s*0[月월]\s*(?:0[日日號号일])?|0[月월]\s*0[日號号일]")
_EAST_WEEKDAY = re.compile(
    r"(?<=0)\s*(?:[(（]\s*)?"
    r"(?:(?:星期|礼拜|禮拜|周|週)[一二三四五六日天]|[月火水木金土日]曜日?|[월화수목금토일]요일|"
    r"(?<=[(（])[月火水木金土日월화수목금토일](?=[)）]))(?:\s*[)）])?"
)
_STRIP = ".,;:()[]'\"«»-–—"
_NAMES = """
january february march april may june july august september october november december jan feb mar
apr jun jul aug sep sept oct nov dec
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat
sun
januar februar märz maerz april mai juni juli august september oktober november dezember jän
jänner mär okt dez
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
janvier février fevrier mars avril mai juin juillet août aout septembre octobre novembre décembre
decembre janv févr fevr avr juil déc
lundi mardi mercredi jeudi vendredi samedi dimanche lun mer jeu ven sam dim
enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
ene abr ago dic
lunes martes miércoles miercoles jueves viernes sábado sabado domingo mié mie jue vie sáb sab dom
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen mag giu lug ott
lunedì lunedi martedì martedi mercoledì mercoledi giovedì giovedi venerdì venerdi gio
janeiro fevereiro março marco maio junho julho setembro outubro novembro dezembro fev abr mai set
out
segunda segunda-feira terça terça-feira quarta quarta-feira quinta quinta-feira sexta sexta-feira
seg ter qua qui sex
januari februari maart mei augustus mrt maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
poniedziałek wtorek środa czwartek piątek sobota niedziela
января февраля марта апреля мая июня июля августа сентября октября ноября декабря янв фев мар апр
июн июл авг сен сент окт ноя дек
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
понедельник вторник среда четверг пятница суббота воскресенье пн вт ср чт пт сб вс
ledna února března dubna května června července srpna září října listopadu prosince pondělí úterý
středa čtvrtek pátek sobota neděle
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık pazartesi salı çarşamba
perşembe cuma cumartesi pazar
januari februari mars maj juni juli augusti måndag tisdag onsdag torsdag fredag lördag söndag
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου
νοεμβρίου δεκεμβρίου
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر السبت الأحد الاثنين
الثلاثاء الأربعاء الخميس الجمعة
ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
जनवरी फ़रवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर अक्तूबर नवंबर दिसंबर सोमवार
मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार
มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
januari februari maret mei agustus desember senin selasa rabu kamis jumat sabtu minggu
am pm a.m p.m gmt utc uhr
"""
NAMES = frozenset(name.casefold() for name in _NAMES.split())
_JOINING = frozenset("de del di do da of den le el the v г г. года".split())  # within a date only


def normal_text(text: str) -> str | None:
    """A text in its normal form: every number and date is ``0``, every run of white space one
    blank.

    Args:
        text: any text.

    Returns:
        The normal form; None where no letter is left. Linear in the text.
    """
    text = _NUMBER.sub("0", text)
    if "0月" in text or "0월" in text:
        text = _EAST_WEEKDAY.sub("", _EAST_ASIAN.sub("0", text))
    tokens = text.split()
    numbers = [i for i, token in enumerate(tokens) if "0" in token and token.strip(_STRIP) == "0"]
    if numbers:
        folded = set(numbers)
        for i in numbers:
            _spread(tokens, folded, i, 1)
            _spread(tokens, folded, i, -1)
        for i in folded:
            tokens[i] = "" if i - 1 in folded else "0"
    normal = " ".join(filter(None, tokens))
    return normal if any(map(str.isalpha, normal)) else None


def _spread(tokens: list[str], folded: set[int], start: int, step: int) -> None:
    """Fold the names of months and weekdays on one side of a number, and what joins them to it."""
    at = start + step
    while 0 <= at < len(tokens) and at not in folded:
        word = tokens[at].strip(_STRIP).casefold()
        if word in NAMES:
            folded.add(at)
        elif (
            word in _JOINING
            and 0 <= at + step < len(tokens)
            and tokens[at + step].strip(_STRIP).casefold() in NAMES
        ):
            folded |= {at, at + step}
            at += step
        else:
            return
        at += step


def digest(text: str | None) -> str | None:
    """SHA-1 of a text in UTF-8, as lower-case hex; None for none."""
    return (
        hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        if text
        else None
    )
