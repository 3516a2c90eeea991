"""A page with something of every field."""

from __future__ import annotations

PAGE = """<!doctype html><html><head><title> A  Page </title><meta name=Keywords
content="red, green"><meta name=description content="Says it.">
<meta name=description content="second"><base href="/d/"><link rel=canonical
href=/main></head><body>
<h1>Big <b>News</b></h1><p>First line of w<b>or</b>ds.<p>Second line.<h2></h2><h3>More</h3>
<a href="x">Own one</a> <a href="http://www.b.org/y">Other one</a> <a
href="http://A.com:80/z">Own two</a> <a href="mailto:me@a.com">Mail me</a>
<a name=n>none</a> <map><area href=m
alt="Map part"></map><script>var no = 1</script><style>p {no: 1}</style></body></html>"""
