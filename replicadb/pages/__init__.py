"""Pages: what stands on a page, its signatures, and which pages are near duplicates of each other.

Three of the source papers live here (docs/method.md#pages): random projection and hyperlink map
(2003), multiple signals (2007) and minimum weight overlapping (2012), beside exact digests,
similarity hashes (Charikar 2002) and MinHash (Broder et al. 1997). Always true here: every method
writes its pairs as (a_id, b_id, score), a_id < b_id, score in 0 to 1, higher is more alike.
"""
