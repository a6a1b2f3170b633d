"""Intervals of a probability from counts, replicates, or while counting goes on."""

from __future__ import annotations

import math

import numpy as np

from ..ground.arrays import Array

Interval = tuple[float, float]


def clopper_pearson(count: int, of: int, confidence: float = 0.95) -> Interval:
    """The exact interval of a probability from `count` successes `of` independent draws.

    It covers the true probability in at least `confidence` of all studies, whatever that is.
    """
    from scipy.special import betaincinv

    alpha = 1 - confidence
    low = 0.0 if count == 0 else float(betaincinv(count, of - count + 1, alpha / 2))
    high = 1.0 if count == of else float(betaincinv(count + 1, of - count, 1 - alpha / 2))
    return low, high


def of_replicates(shares: Array, of: int, confidence: float = 0.95) -> Interval:
    """The interval of a probability from its shares in independent replicates, (R,).

    Student's t over the replicates; where all of them agree, as if the `of` draws were independent,
    which is the wider of the two.
    """
    from scipy.stats import t

    mean, count = float(np.mean(shares)), len(shares)
    deviation = float(np.std(shares, ddof=1))
    if deviation == 0.0:
        return clopper_pearson(round(mean * of), of, confidence)
    half = float(t.ppf((1 + confidence) / 2, count - 1)) * deviation / math.sqrt(count)
    return max(mean - half, 0.0), min(mean + half, 1.0)


def sequential(count: int, of: int, confidence: float = 0.95) -> Interval:
    """An interval that holds at all times while one goes on counting, whenever one stops.

    The probabilities p against which a mixture of all others (Beta(1, 1)) has not gained a factor
    of 1 / (1 - confidence): by Ville's inequality the true one is ever left out in at most
    1 - confidence of all studies.
    """
    from scipy.optimize import brentq
    from scipy.special import betaln, xlog1py, xlogy

    bound = float(betaln(1 + count, 1 + of - count)) + math.log(1 - confidence)

    def gain(p: float) -> float:
        return float(bound - xlogy(count, p) - xlog1py(of - count, -p))

    share, tiny = count / of if of else 0.5, 1e-15
    if not of:
        return 0.0, 1.0
    low = 0.0 if count == 0 else _root(brentq, gain, tiny, max(share, tiny))
    high = 1.0 if count == of else _root(brentq, gain, min(share, 1 - tiny), 1 - tiny)
    return low, high


def _root(brentq, gain, low: float, high: float) -> float:  # type: ignore[no-untyped-def]
    """Where the gain is zero between two probabilities; the outer one if it is nowhere."""
    if gain(low) * gain(high) >= 0:
        return low if gain(low) <= 0 else high
    return float(brentq(gain, low, high, xtol=1e-12))


def quantile_bound(values: Array, part: float, confidence: float = 0.95) -> float:
    """What the `part` quantile of independent draws (N,) is above with this confidence.

    An order statistic; -inf if there are too few draws to say anything.
    """
    from scipy.stats import binom

    count = len(values)
    # P(X_(r) <= quantile) = P(Bin(N, part) >= r)
    ranks = np.arange(1, count + 1)
    sure = binom.sf(ranks - 1, count, part) >= confidence
    if not sure.any():
        return -math.inf
    return float(np.sort(values)[int(np.flatnonzero(sure)[-1])])
