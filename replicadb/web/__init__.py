"""What the web's standards say of URLs, markup, character sets and text: pure functions."""
