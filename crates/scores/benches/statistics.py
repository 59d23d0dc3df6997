"""Times scipy's bootstrap and permutation test, one round a line of stdin.

In:  the column as one line of JSON; then a line "bootstrap" or "permutation" for each round
Out: for each round the seconds and two numbers of the result, as one line of JSON
"""
import json
import sys
import time

import numpy
from scipy.stats import bootstrap, permutation_test

column = numpy.array(json.loads(sys.stdin.readline()))
numpy.mean(column)
for line in sys.stdin:
    start = time.perf_counter()
    if line.strip() == "bootstrap":
        interval = bootstrap(
            (column,), numpy.mean, n_resamples=9999, method="BCa", vectorized=True, batch=1000
        ).confidence_interval
        result = [interval.low, interval.high]
    else:
        test = permutation_test(
            (column,),
            lambda x, axis: numpy.mean(x, axis=axis),
            permutation_type="samples",
            n_resamples=9999,
            vectorized=True,
            batch=1000,
        )
        result = [test.pvalue, test.statistic]
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, *map(float, result)]), flush=True)
