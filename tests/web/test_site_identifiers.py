"""What a page says of who runs it; lookalikes are none, and hostile pages cost what others do."""

from __future__ import annotations

import time

import pytest

from replicadb.web import site_identifiers as module
from replicadb.web.site_identifiers import MOST_OF_A_KIND, page_language, site_identifiers

PAGE = b"""<!doctype html><HTML class=x lang="de-AT"><script>
gtag('config', 'UA-12345678-3'); gtag('config','G-AB12CD34EF'); fbq('init', '123456789012345');
</script><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-ABC123"></iframe>
<script src="//pagead2/adsbygoogle.js?client=ca-pub-1234567890123456"></script>
<a href="mailto:Sales@Shop.example.co.uk?subject=x">mail</a> info@shop.de, logo@2x.png
<a href="https://amazon.com/dp/B0?x=1&amp;tag=myshop-21">buy</a>
our bitcoin wallet: 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4
0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe
"""


def test_what_a_page_says():
    found = site_identifiers(PAGE, {b"server": b"nginx/1.25", b"x-powered-by": b"PHP/8"})
    assert found == [
        ("analytics", "UA-12345678"),
        ("analytics", "G-AB12CD34EF"),
        ("analytics", "GTM-ABC123"),
        ("ads", "pub-1234567890123456"),
        ("analytics", "facebook:123456789012345"),
        ("ads", "amazon:myshop-21"),
        ("mail", "sales@shop.example.co.uk"),
        ("mail", "info@shop.de"),
        ("wallet", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
        ("wallet", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
        ("wallet", "0xde0b295669a9fd93d5f28d9ec85e40f4cb697bae"),
        ("server", "server: nginx/1.25"),
        ("server", "x-powered-by: PHP/8"),
        ("language", "de"),
    ]
    assert site_identifiers(PAGE.decode().encode("utf-16")) == found[:-3] + found[-1:]


@pytest.mark.parametrize(
    "page",
    [
        b"google UA-XXXXX-Y 'G-XXXXXXXXXX' G-AB12CD34EF GTM-",  # placeholders, and no quote before
        b"you@example.com someone@mail.example.org @media a@b x@y.png",
        b"btc 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",  # one letter wrong
        b"btc bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
        b"btc 0x" + b"0" * 40,
        b"pub-12345 <html data-lang=de>",
    ],
)
def test_what_only_looks_like_it_is_none(page):
    assert site_identifiers(page) == []


@pytest.mark.parametrize(
    "text, wallet",
    [
        (b"Send ETH to 0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe.", "0xde0b295669a9fd93"),
        (b"pay bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bc1qw508d6qejxtdg4y"),
        (b"Donate: 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1A1zP1eP5QGefi2DMPTfTL"),
        (b"USDT 0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe", "0xde0b295669a9fd93"),
        (b"Monero 4" + b"A" + b"B" * 93, "4ABBB"),
        (b"a10xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe", None),
        (b"id 0xde0b295669a9fd93d5f28d9ec85e40f4cb697bae", None),  # a number
        (b"wallet 0xde0b295669a9fd93d5f28d9ec85e40f4cb697bae", "0xde0b295669a9fd93"),
        (b"a=0x1F;" * 600 + b"0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe", "0xde0b295669a9fd93"),
    ],
)
def test_a_wallet_is_found_whatever_the_page_says_beside_it(text, wallet):
    found = dict(site_identifiers(b"<p>" + text + b"</p>"))
    assert (found.get("wallet") or "-").startswith(wallet or "-")


@pytest.mark.slow
def test_a_hostile_page_is_bounded_in_number_length_and_time():
    many = b" ".join(b"a%d@x%d.de" % (i, i) for i in range(5000))
    assert len(site_identifiers(many)) == MOST_OF_A_KIND
    assert site_identifiers(b"a" * 60 + b"@" + b"b" * 60 + b"." + b"c" * 60 + b".de") == []
    assert site_identifiers(b"", {b"server": b"\x1b[31m"}) == []
    assert site_identifiers(b"", {b"server": b"x" * 200}) == []

    def seconds(page):
        started = time.process_time()
        site_identifiers(page)
        return time.process_time() - started

    pieces = (b"@", b"a.a@", b"1" * 30 + b" ", b"0x" + b"a" * 40 + b" ", b"<html ", b"?tag=a-")
    for piece in (*pieces, b"UA-", b"fbq(", b"4" * 94):
        page = b"google btc " + piece * ((1 << 20) // len(piece))
        assert seconds(page) < 0.375, piece


def test_a_language_is_the_page_s_own_before_the_header_s():
    assert page_language(b"<html lang=fr>", b"en") == "fr"
    assert page_language(b"<html xml:lang='pt_BR'>") == "pt"
    assert page_language(b"<html>", b"en-GB, fr") == "en"
    assert page_language(b"<html lang=''>") is None
    assert page_language(b"<html lang=german>") is None
    assert page_language(b" " * module.HEAD + b"<html lang=de>") is None
