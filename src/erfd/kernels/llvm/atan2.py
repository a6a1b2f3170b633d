"""The angle of a plane vector as LLVM instructions, for one pair of numbers or vectors of them.

The vector is mirrored into the first octant and turned by pi/4 if it is above pi/8, so that the
tangent t is within +-tan(pi/8); then a minimax polynomial, found by Remez' algorithm with 60 digits
(relative error 3e-18). The multiple of pi/4 that was taken off comes back in one fused sum with
pi/4 in two parts: below 2.5 ulp in all, half of it from the one division (next to pi/8). No
branches; infinities are not handled.
"""

from __future__ import annotations

from .writer import Writer

TAN_PI_8 = 0.41421356237309503
PI_4 = (0.7853981633974483, 3.061616997868383e-17)
TANGENT = (
    -0.3333333333333333,
    0.19999999999999885,
    -0.1428571428569544,
    0.11111111109566917,
    -0.0909090901614913,
    0.07692305360952716,
    -0.06666617392346492,
    0.0588162588007881,
    -0.05255559352132267,
    0.04705571831721359,
    -0.04054980455013367,
    0.02960873698522315,
    -0.012977448845512713,
)
"""atan t = t + t^3 (c_0 + c_1 t^2 + ...)."""


def emit(w: Writer, y: str, x: str) -> str:
    """atan2(y, x) in [-pi, pi] with the sign of y; 0 (or pi) at the origin, as C has it."""
    number = w.constant
    wide, high = w.size(x), w.size(y)
    steep = w.compare("ogt", high, wide)
    small, large = w.select(steep, wide, high), w.select(steep, high, wide)
    turned = w.compare("ogt", small, w.mul(number(TAN_PI_8), large))
    top = w.select(turned, w.sub(small, large), small)
    bottom = w.select(turned, w.add(small, large), large)
    # a sum, not a choice: LLVM would divide first and choose then, and 0 / 0 raises a flag
    bottom = w.add(
        bottom, w.select(w.compare("oeq", bottom, number(0.0)), number(1.0), number(0.0))
    )
    t = w.div(top, bottom)
    z = w.mul(t, t)
    angle = w.fma(w.mul(t, z), w.polynomial(z, TANGENT), t)

    eighths = w.select(turned, number(1.0), number(0.0))
    angle = w.select(steep, w.neg(angle), angle)
    eighths = w.select(steep, w.sub(number(2.0), eighths), eighths)
    behind = w.bit(w.to_bits(x), 63)
    angle = w.select(behind, w.neg(angle), angle)
    eighths = w.select(behind, w.sub(number(4.0), eighths), eighths)
    rest = w.fma(eighths, number(PI_4[1]), angle)
    whole = w.size(w.fma(eighths, number(PI_4[0]), rest))
    return w.flip_sign(whole, w.sign_from(w.to_bits(y), 63))
