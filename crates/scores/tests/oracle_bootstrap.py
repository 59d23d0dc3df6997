"""The percentile bootstrap of scipy for the column on stdin, many times, as JSON on stdout.

In:  {"column": [...], "resamples": n, "confidence": c, "repeats": r}
Out: [[low, high] per repeat]
"""
import json
import sys

import numpy
from scipy.stats import bootstrap

given = json.load(sys.stdin)
column = numpy.array(given["column"])
out = []
for seed in range(given["repeats"]):
    result = bootstrap(
        (column,),
        numpy.mean,
        n_resamples=given["resamples"],
        confidence_level=given["confidence"],
        method="percentile",
        rng=numpy.random.default_rng(seed),
    )
    out.append([result.confidence_interval.low, result.confidence_interval.high])
json.dump(out, sys.stdout)
