"""Words, names of places, file types and domain endings that every web draws from.

Invariant: the order within a list is part of what a seed means; another order gives other
webs.
"""

from __future__ import annotations

SYLLABLES = """
    ba be bi bo bu ca ce co cu da de di do du fa fe fi fo ga go gu ha he hi ho ja jo ka ke ki ko la
    le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to
    tu va ve vi vo za zo an en in on ar er or al el il st tr br pr ch sh
""".split()
WORDS = """
    house water garden music book city school car health travel food photo art game news sport
    market energy design studio media group center club hotel beach mountain river forest bank
    credit law legal doctor dental clinic pet dog cat horse fashion shoes jewelry watch phone
    computer software cloud data web digital print paper wood steel glass stone paint roof floor
    kitchen bath window door light solar green blue red black white gold silver north south east
    west old new first best top pro smart easy quick free open world global local family baby kids
    wedding party event ticket tour flight train bike moto auto parts tools machine factory industry
    supply trade export import service support help guide review tips recipe cake bread wine beer
    coffee tea fish meat fruit farm seed plant flower tree history science math physics chemistry
    biology language english spanish french poetry novel film radio video church bible faith yoga
    fitness running golf tennis football fishing hunting camping
""".split()
GENERIC = """
    about contact services products news faq team links gallery privacy-policy terms sitemap history
    partners jobs press support search login events
""".split()
CITIES = """
    london paris berlin madrid rome lisbon porto recife manaus natal curitiba goiania santos austin
    dallas denver boston miami seattle chicago houston atlanta leeds york bristol munich hamburg
    lyon nice milan turin oslo bergen dublin cork sydney perth delhi mumbai lima quito bogota cali
    havana kyoto osaka seoul
""".split()
LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "ja", "zh", "sv", "cs", "tr"]
GENERIC_ENDINGS = ["com"] * 11 + ["org"] * 3 + ["net"] * 2 + ["info", "biz", "io", "co"]
COUNTRY_ENDINGS = """
    de co.uk fr it nl com.br com.br es pl ru ca com.au se ch at be jp co.jp in eu us pt com.mx
    com.ar
""".split()
ENDING_OF_LANGUAGE = {"en": "co.uk", "ja": "jp", "zh": "cn", "sv": "se", "cs": "cz"}
"""Of languages whose code is no country's."""
TWO_LABELS = {ending for ending in COUNTRY_ENDINGS if "." in ending} | {
    "gov.br",
    "gov.uk",
    "gob.mx",
    "gov.pl",
    "ac.uk",
    "ac.at",
    "ac.jp",
    "blogspot.com",
    "wordpress.com",
}
"""Endings of two labels."""
TYPES = {
    "js": "text/javascript",
    "css": "text/css",
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "svg": "image/svg+xml",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "ttf": "font/ttf",
    "pdf": "application/pdf",
    "txt": "text/plain",
    "ico": "image/x-icon",
}
"""MIME type by file ending."""
LIBRARIES = """
    js/jquery.min.js js/bootstrap.min.js css/bootstrap.min.css css/font-awesome.min.css
    fonts/fontawesome-webfont.woff fonts/fontawesome-webfont.woff2 fonts/fontawesome-webfont.ttf
    js/modernizr.js js/html5shiv.js js/lightbox.js fonts/glyphicons-halflings-regular.woff
    css/animate.css js/owl.carousel.min.js js/wow.min.js css/normalize.css js/prettify.js
    js/respond.min.js js/slick.min.js
""".split()
SERVICES = (
    "https://www.facebook.com/",
    "https://twitter.com/",
    "http://www.google.com/",
    "http://www.youtube.com/",
    "http://wordpress.org/",
    "http://www.w3.org/",
)
"""What sites link to that have nothing else in common."""


def titled(slug: str) -> str:
    """A slug as a title."""
    return slug.replace("-", " ").replace("_", " ").title()
