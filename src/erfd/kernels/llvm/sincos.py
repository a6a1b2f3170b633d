"""Sine and cosine as LLVM instructions, for one number or a vector of them.

For |x| <= LARGEST: k = round(2 x / pi), then r = x - k pi/2 with pi/2 in three parts. x - k P1 is
exact (a multiple of 2^-53 below 1), and the rest is subtracted with its rounding error kept
(TwoSum), so r keeps all its digits next to a multiple of pi/2, too. Then minimax polynomials on
[-pi/4, pi/4], found by Remez' algorithm with 60 digits (relative error 4e-18 of the sine, 5e-20 of
the cosine): below 1 ulp in all. No fast-math flag may touch this: reassociation would break the
reduction.
"""

from __future__ import annotations

from .writer import Writer

LARGEST = 1e5
"""Beyond this many rad the C library computes: still right, slower."""

TWO_OVER_PI = 0.6366197723675814
PI_2 = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
ROUNDER = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the integer in the low bits
SINE = (
    -0.16666666666666632,
    0.008333333333322413,
    -0.00019841269829807802,
    2.7557313691916652e-06,
    -2.5050758115069392e-08,
    1.5896795642606854e-10,
)
"""sin r = r + r^3 (c_0 + c_1 r^2 + ...)."""
COSINE = (
    0.0416666666666666,
    -0.0013888888888874125,
    2.4801587289482178e-05,
    -2.755731435232987e-07,
    2.0875723272762356e-09,
    -1.1359647776640381e-11,
)
"""cos r = 1 - r^2/2 + r^4 (c_0 + c_1 r^2 + ...)."""


def emit(w: Writer, x: str) -> tuple[str, str]:
    """(sine, cosine) of the value `x`, which must be finite and at most LARGEST in size."""
    number = w.constant
    shifted = w.fma(x, number(TWO_OVER_PI), number(ROUNDER))
    k = w.sub(shifted, number(ROUNDER))
    bits = w.to_bits(shifted)

    minus_k = w.neg(k)
    t = w.fma(minus_k, number(PI_2[0]), x)  # exact
    p = w.mul(k, number(PI_2[1]))
    p_low = w.fma(k, number(PI_2[1]), w.neg(p))
    r = w.sub(t, p)  # TwoSum(t, -p)
    back = w.sub(r, t)
    error = w.add(w.sub(t, w.sub(r, back)), w.sub(w.neg(p), back))
    low = w.fma(minus_k, number(PI_2[2]), w.sub(error, p_low))
    whole = w.add(r, low)  # r and low once more as head and tail
    low = w.add(w.sub(r, whole), low)
    r = whole

    z = w.mul(r, r)
    sine = w.polynomial(z, SINE)
    # sin(r + low) = r + (r^3 p(z) + low (1 - z/2))
    half = w.mul(number(0.5), z)
    bend = w.sub(low, w.mul(low, half))
    sine = w.fma(w.mul(z, r), sine, bend)
    sine = w.add(r, sine)
    sine = w.select(w.compare("oeq", x, number(0.0)), x, sine)  # keeps -0

    cosine = w.polynomial(z, COSINE)
    # cos(r + low) = (1 - z/2) + ((error of that) + (z^2 p(z) - r low))
    head = w.sub(number(1.0), half)
    lost = w.sub(w.sub(number(1.0), head), half)
    tail = w.fma(w.mul(z, z), cosine, w.neg(w.mul(r, low)))
    cosine = w.add(head, w.add(lost, tail))

    odd = w.bit(bits, 0)
    sin_x, cos_x = w.select(odd, cosine, sine), w.select(odd, sine, cosine)
    sin_x = w.flip_sign(sin_x, w.sign_from(bits, 1))
    cos_x = w.flip_sign(cos_x, w.sign_from(w.integer_add(bits, 1), 1))
    return sin_x, cos_x
