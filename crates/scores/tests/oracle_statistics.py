"""The statistics of scipy and krippendorff for the cases on stdin, as JSON on stdout.

In:  {"kind": [case, ...], ...}
Out: {"kind": [answer, ...], ...}, with null for what is not a number
"""
import json
import math
import sys
import warnings

import krippendorff
import numpy
from scipy import stats

warnings.simplefilter("ignore")


def paired(case):
    first, second = numpy.array(case["first"]), numpy.array(case["second"])
    t = stats.ttest_rel(first, second)
    differences = first - second
    signed = differences[differences != 0]
    untied = len(set(abs(signed))) == len(signed)
    exact, asymptotic = None, None
    if len(signed) > 0:
        if untied and len(signed) <= 50:
            exact = stats.wilcoxon(signed, method="exact")
        elif len(signed) <= 13:
            exact = stats.wilcoxon(signed, method=stats.PermutationMethod(n_resamples=numpy.inf))
        elif len(signed) > 50:
            asymptotic = stats.wilcoxon(differences, method="asymptotic", zero_method="wilcox")
    wilcoxon = exact or asymptotic
    permutation = None
    if len(differences) <= 9:
        permutation = stats.permutation_test(
            (differences,),
            lambda x, axis: numpy.mean(x, axis=axis),
            permutation_type="samples",
            n_resamples=numpy.inf,
            vectorized=True,
        ).pvalue
    return [
        t.statistic,
        t.pvalue,
        None if wilcoxon is None else wilcoxon.statistic,
        None if wilcoxon is None else wilcoxon.pvalue,
        permutation,
    ]


def correlation(case):
    x, y = case["x"], case["y"]
    pearson = stats.pearsonr(x, y)
    low, high = pearson.confidence_interval(0.9)
    spearman = stats.spearmanr(x, y)
    return [
        pearson.statistic,
        pearson.pvalue,
        low,
        high,
        spearman.statistic,
        spearman.pvalue,
    ]


def tukey(case):
    groups = case["groups"]
    test = stats.tukey_hsd(*groups)
    interval = test.confidence_interval(0.95)
    out = []
    for i in range(len(groups)):
        for j in range(i + 1, len(groups)):
            out.append([test.pvalue[i, j], interval.low[i, j], interval.high[i, j]])
    return out


def blocked(case):
    table = numpy.array(case["systems"])
    k, n = table.shape
    residual = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    df = (k - 1) * (n - 1)
    deviation = math.sqrt((residual**2).sum() / df / n)
    means = table.mean(axis=1)
    return [
        stats.studentized_range.sf(abs(means[i] - means[j]) / deviation, k, df)
        for i in range(k)
        for j in range(i + 1, k)
    ]


def alpha(case):
    ratings = numpy.array(
        [[numpy.nan if r is None else r for r in unit] for unit in case["units"]], dtype=float
    ).T
    try:
        return krippendorff.alpha(reliability_data=ratings, level_of_measurement=case["level"])
    except ValueError:
        return None


def bca(case):
    column = numpy.array(case["column"])
    result = stats.bootstrap(
        (column,),
        numpy.mean,
        n_resamples=case["resamples"],
        confidence_level=case["confidence"],
        method="BCa",
        rng=numpy.random.default_rng(case["seed"]),
    )
    interval = result.confidence_interval
    return [interval.low, interval.high, result.bootstrap_distribution.tolist()]


def non_inferiority(case):
    above = numpy.array(case["first"]) - numpy.array(case["second"]) + case["margin"]
    test = stats.ttest_1samp(above, 0, alternative="greater")
    low = test.confidence_interval(1 - case["level"]).low - case["margin"]
    n = len(above)
    deviation = above.std(ddof=1)
    critical = stats.t.isf(case["level"], n - 1)
    power = None
    if deviation > 0:
        power = stats.nct.sf(critical, n - 1, case["margin"] / deviation * math.sqrt(n))
    return [test.statistic, test.pvalue, low, power]


def large_permutation(case):
    return stats.permutation_test(
        (numpy.array(case["differences"]),),
        lambda x, axis: numpy.mean(x, axis=axis),
        permutation_type="samples",
        n_resamples=case["permutations"],
        vectorized=True,
        batch=1000,
        rng=numpy.random.default_rng(3),
    ).pvalue


def clusters(case):
    groups = [numpy.array(group) for group in case["groups"]]
    sums = numpy.array([group.sum() for group in groups])
    sizes = numpy.array([len(group) for group in groups])
    rng = numpy.random.default_rng(4)
    drawn = rng.integers(0, len(groups), (case["resamples"], len(groups)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return numpy.percentile(means, [2.5, 97.5]).tolist()


def randomized_tukey(case):
    table = numpy.array(case["systems"])
    rng = numpy.random.default_rng(6)
    means = [rng.permuted(table, axis=0).mean(axis=1) for _ in range(case["permutations"])]
    ranges = numpy.array([m.max() - m.min() for m in means])
    k = len(table)
    own = table.mean(axis=1)
    return [
        float((ranges >= abs(own[i] - own[j]) - 1e-12).mean())
        for i in range(k)
        for j in range(i + 1, k)
    ]


def numbers(value):
    if isinstance(value, (list, tuple)):
        return [numbers(each) for each in value]
    if value is None or not math.isfinite(value):
        return None
    return float(value)


given = json.load(sys.stdin)
kinds = [
    paired, correlation, tukey, blocked, alpha, bca, non_inferiority,
    large_permutation, clusters, randomized_tukey,
]
answers = {
    kind.__name__: [numbers(kind(case)) for case in given[kind.__name__]]
    for kind in kinds
    if kind.__name__ in given
}
json.dump(answers, sys.stdout)
