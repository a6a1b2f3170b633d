"""Three-vectors and 3x3 matrices over any scalar: float, NumPy batch, CasADi SX, SymPy.

A vector is a list of three scalars, a matrix a list of three rows. Products with the constants 0
and 1 are left out, so that a NumPy batch does not pay for what a robot's geometry makes vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Scalar = Any
Vector = Sequence[Scalar]
Matrix = Sequence[Sequence[Scalar]]

ZERO: Vector = (0.0, 0.0, 0.0)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def is_number(x: Scalar) -> bool:
    """Whether `x` is a plain Python number, so that its value can be looked at."""
    return x.__class__ is float or x.__class__ is int


def vanishes(x: Scalar) -> bool:
    """Whether `x` is known to be zero."""
    return is_number(x) and bool(x == 0)


def times(a: Scalar, b: Scalar) -> Scalar:
    """The product a b; no operation if one of them is the constant 0, 1 or -1."""
    if is_number(b):
        a, b = b, a
    if is_number(a):
        if a == 0:
            return 0.0
        if a == 1:
            return b
        if a < 0:
            return -times(-a, b)  # one product for +a and -a alike
    return a * b


def plus(a: Scalar, b: Scalar) -> Scalar:
    """The sum a + b; no operation if one of them is the constant 0."""
    if vanishes(a):
        return b
    if vanishes(b):
        return a
    return a + b


def minus(a: Scalar, b: Scalar) -> Scalar:
    """The difference a - b; no operation if one of them is the constant 0."""
    if vanishes(b):
        return a
    if vanishes(a):
        return -b
    return a - b


def total(terms: Sequence[Scalar]) -> Scalar:
    """The sum of the terms, from the left."""
    result: Scalar = 0.0
    for term in terms:
        result = plus(result, term)
    return result


def add(a: Vector, b: Vector) -> Vector:
    """The sum a + b of vectors."""
    return [plus(x, y) for x, y in zip(a, b, strict=True)]


def sub(a: Vector, b: Vector) -> Vector:
    """The difference a - b of vectors."""
    return [minus(x, y) for x, y in zip(a, b, strict=True)]


def neg(a: Vector) -> Vector:
    """The vector -a."""
    return [-x for x in a]


def scale(s: Scalar, a: Vector) -> Vector:
    """The vector s a."""
    return [times(s, x) for x in a]


def dot(a: Vector, b: Vector) -> Scalar:
    """The scalar product a . b, for vectors of any length."""
    return total([times(x, y) for x, y in zip(a, b, strict=True)])


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product a x b."""
    return [
        minus(times(a[1], b[2]), times(a[2], b[1])),
        minus(times(a[2], b[0]), times(a[0], b[2])),
        minus(times(a[0], b[1]), times(a[1], b[0])),
    ]


def mat_vec(m: Matrix, v: Vector) -> Vector:
    """The vector M v."""
    return [dot(row, v) for row in m]


def transpose(m: Matrix) -> Matrix:
    """The transposed matrix M^T."""
    return [list(column) for column in zip(*m, strict=True)]


def mat_mul(a: Matrix, b: Matrix) -> Matrix:
    """The matrix A B, for matrices of any fitting size."""
    columns = transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def mat_add(a: Matrix, b: Matrix) -> Matrix:
    """The sum A + B of matrices."""
    return [add(x, y) for x, y in zip(a, b, strict=True)]


def mat_sub(a: Matrix, b: Matrix) -> Matrix:
    """The difference A - B of matrices."""
    return [sub(x, y) for x, y in zip(a, b, strict=True)]


def mat_scale(s: Scalar, m: Matrix) -> Matrix:
    """The matrix s M."""
    return [scale(s, row) for row in m]


def skew(a: Vector) -> Matrix:
    """The matrix [a]x with [a]x b = a x b."""
    return [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]]


def outer(a: Vector, b: Vector) -> Matrix:
    """The matrix a b^T."""
    return [scale(x, b) for x in a]


def symmetric(m: Matrix) -> list[list[Scalar]]:
    """M with its lower half taken from the upper, so that a trace computes each entry once."""
    return [[m[min(i, j)][max(i, j)] for j in range(len(m))] for i in range(len(m))]


def rotate_tensor(r: Matrix, tensor: Matrix) -> Matrix:
    """The rotated tensor R T R^T of a symmetric T."""
    half = mat_mul(r, tensor)
    rows = [[dot(half[i], r[j]) if j >= i else 0.0 for j in range(len(r))] for i in range(len(r))]
    return symmetric(rows)


def turn(c: Scalar, s: Scalar, v: Vector) -> Vector:
    """The vector turned about z: Rot(z, q) v with c = cos q, s = sin q."""
    return [
        minus(times(c, v[0]), times(s, v[1])),
        plus(times(s, v[0]), times(c, v[1])),
        v[2],
    ]


def turn_back(c: Scalar, s: Scalar, v: Vector) -> Vector:
    """The vector turned back about z: Rot(z, -q) v with c = cos q, s = sin q."""
    return [
        plus(times(c, v[0]), times(s, v[1])),
        minus(times(c, v[1]), times(s, v[0])),
        v[2],
    ]
