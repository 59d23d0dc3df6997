#!/usr/bin/env python3
"""Compresses a wheel again with zopfli, whose deflate every installer reads: usage: smaller.py WHEEL

The same wheel gives the same bytes.
"""

import os
import sys
import zipfile

from zopfli.zlib import compress

ITERATIONS = 3


class Deflate:
    """A compressor of an entry for `zipfile`."""

    def __init__(self):
        self.parts = []

    def compress(self, data):
        self.parts.append(bytes(data))
        return b""

    def flush(self):
        # Without the head and the sum of zlib's format.
        return compress(b"".join(self.parts), numiterations=ITERATIONS)[2:-4]


def main():
    (path,) = sys.argv[1:]
    # `zipfile` has no public way to bring a compressor.
    assert callable(zipfile._get_compressor)
    zipfile._get_compressor = lambda *_: Deflate()
    smaller = path + ".smaller"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(smaller, "w") as new:
        for entry in old.infolist():
            again = zipfile.ZipInfo(entry.filename, entry.date_time)
            again.external_attr, again.create_system = entry.external_attr, entry.create_system
            again.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(again, old.read(entry))
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(smaller) as new:
        assert new.testzip() is None
        assert all(new.read(entry) == old.read(entry) for entry in old.namelist())
    os.replace(smaller, path)


main()
