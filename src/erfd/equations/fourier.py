"""Write an entry of a matrix for people: a Fourier sum in the joint angles, factored or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import combinations, product
from typing import Any

from .arm import Arm

HUGE = 3000  # terms of a matrix beyond which nothing is factored: nobody reads that
LONG = 12  # terms beyond which factoring takes longer than it is worth

Expression = Any
Polynomial = Any
Wave = tuple[int, tuple[int, ...]]
"""(0, k) is cos(k . angles), (1, k) is sin(k . angles); the first k other than 0 is positive."""
Fourier = dict[Wave, Polynomial]
"""A sum of waves, each times a polynomial in the parameters."""


@lru_cache(maxsize=4096)
def _harmonics(powers: tuple[int, ...]) -> tuple[tuple[Wave, int], ...]:
    """A product of powers of cos 1, sin 1, cos 2, .., times 2^(their sum), as a sum of waves."""
    sums: dict[tuple[int, ...], int] = {(0,) * (len(powers) // 2): 1}
    for place, power in enumerate(powers):
        i, sign = place // 2, -1 if place % 2 else 1  # 2 cos = z + 1/z, 2i sin = z - 1/z
        for _ in range(power):
            moved: dict[tuple[int, ...], int] = defaultdict(int)
            for k, weight in sums.items():
                moved[(*k[:i], k[i] + 1, *k[i + 1 :])] += weight
                moved[(*k[:i], k[i] - 1, *k[i + 1 :])] += sign * weight
            sums = moved
    sines = sum(powers[1::2])
    result: dict[Wave, int] = defaultdict(int)
    for k, weight in sums.items():  # the real part of z^k / i^sines
        flip = next((x < 0 for x in k if x), False)
        sign = (-1 if sines % 4 > 1 else 1) * (-1 if flip and sines % 2 else 1)
        if any(k) or sines % 2 == 0:
            result[sines % 2, tuple(-x for x in k) if flip else k] += sign * weight
    return tuple((wave, weight) for wave, weight in result.items() if weight)


class EntryWriter:
    """Writes polynomials of an arm as short expressions."""

    def __init__(self, arm: Arm):
        self.sympy, self.ring, self.exact, self.short = arm.sympy, arm.ring, arm.exact, arm.short
        self.angles = arm.angles
        self.simple = 1 if arm.numeric else 64  # denominators up to here are not written decimal
        self.size = len(arm.waves)  # cosines and sines lead the generators
        self.circles = [self.ring.from_expr(s**2 + c**2 - 1) for s, c in arm.pairs]
        self.factored: dict[Polynomial, Any] = {}  # factors
        inertial = {s.symbol for s in arm.quantities if s.unit.startswith("kg")}
        self.inertial = [j for j, x in enumerate(self.ring.symbols) if x in inertial]

    def matrix(self, rows: Sequence[Sequence[Any]]) -> list[list[Expression]]:
        """Write every entry of a matrix as an expression."""
        entries = [[self.ring(x) for x in row] for row in rows]
        self.factoring = self.exact and sum(len(x) for row in entries for x in row) <= HUGE
        once = dict.fromkeys(x for row in entries for x in row)  # H is symmetric
        done = {x: self._entry(self._fourier(x)) for x in once}
        return [[done[x] for x in row] for row in entries]

    def _fourier(self, entry: Polynomial) -> Fourier:
        """A polynomial in cosines and sines as a sum of waves."""
        for circle in self.circles:
            entry = entry.rem([circle])
        sums: dict[Wave, dict[Any, Any]] = defaultdict(lambda: defaultdict(int))
        for powers, value in entry.terms():
            turning, rest = powers[: self.size], (0,) * self.size + powers[self.size :]
            for wave, weight in _harmonics(turning):
                sums[wave][rest] += value * weight / 2 ** sum(turning)
        return {wave: self.ring.from_dict(dict(terms)) for wave, terms in sums.items()}

    def _entry(self, total: Fourier) -> Expression:
        """Write a sum over masses and inertias; those with the same factor share it."""
        monomials = [(w, *term) for w, p in sorted(total.items()) for term in p.terms()]
        common = [
            min(column) for column in zip(*(powers for _, powers, _ in monomials), strict=True)
        ]
        parts: dict[int, dict[Wave, dict[Any, Any]]] = defaultdict(lambda: defaultdict(dict))
        for wave, powers, value in monomials:
            rest = [x - y for x, y in zip(powers, common, strict=True)]
            j = next((j for j in self.inertial if rest[j]), -1)
            rest[j] -= j >= 0
            parts[j][wave][tuple(rest)] = value
        shared: dict[Any, Expression] = defaultdict(int)
        for j, waves in parts.items():
            part = {wave: self.ring.from_dict(p) for wave, p in waves.items()}
            lead = next(iter(part.values())).LC if self.exact else 1
            key = tuple((wave, p.quo_ground(lead)) for wave, p in part.items())
            shared[key] += self.sympy.sympify(lead) * (self.ring.symbols[j] if j >= 0 else 1)
        terms = [self._times(self._shortest(dict(key)), x) for key, x in shared.items()]
        outside = [x**power for x, power in zip(self.ring.symbols, common, strict=False)]
        value = self._times(self.sympy.Add(*terms), *outside).xreplace(self.short)
        numbers = [x for x in value.atoms(self.sympy.Rational) if x.q > self.simple]
        return value.xreplace({x: self.sympy.Float(x) for x in numbers})

    def _times(self, *factors: Expression) -> Expression:
        """The product, with numbers and the sign of sums that are mostly negative in front."""
        result = []
        for factor in factors:
            content, rest = factor.as_content_primitive() if self.exact else (1, factor)
            result.append(content)
            for x in self.sympy.Mul.make_args(rest):
                signs = [y.could_extract_minus_sign() for y in x.as_ordered_terms()]
                negative = 2 * sum(signs) + signs[0] > len(signs) if x.is_Add else False
                result += [-1, -x] if negative else [x]
        return self.sympy.Mul(*result)

    def _cost(self, x: Expression) -> int:
        """The nodes of an expression, numbers threefold: sin(q) cos(q) is shorter than sin(2 q)."""
        whole = x.as_content_primitive()[1].xreplace(self.short)
        return sum(3 if y.is_Rational else 1 for y in self.sympy.preorder_traversal(whole))

    def _shortest(self, total: Fourier) -> Expression:
        """Write a sum of waves in the shortest of all ways."""
        if not self.factoring:
            return self._by_wave(total)
        common = reduce(lambda x, y: x.gcd(y), total.values())
        total = {wave: p.exquo(common) for wave, p in total.items()}
        candidates = [self._grouped(total)]
        if sum(map(len, total.values())) <= LONG:
            candidates.insert(0, self._product(total, self._grouped))
        return self._times(min(candidates, key=self._cost), self._written(common))

    def _grouped(self, total: Fourier) -> Expression:
        """Write a sum of waves by wave or by parameter, whichever is shorter."""
        return min(self._by_parameter(total), self._by_wave(total), key=self._cost)

    def _by_wave(self, total: Fourier) -> Expression:
        """Write a sum wave by wave."""
        kinds, terms = (self.sympy.cos, self.sympy.sin), []
        for (kind, k), polynomial in total.items():
            angle = sum(x * angle for x, angle in zip(k, self.angles, strict=True))
            terms.append(self._times(kinds[kind](angle), self._written(polynomial)))
        return self.sympy.Add(*terms)

    def _by_parameter(self, total: Fourier) -> Expression:
        """Write a sum by product of parameters, the waves of each taken together and factored."""
        sums: dict[Any, Fourier] = defaultdict(dict)
        for wave, polynomial in total.items():
            for powers, value in polynomial.terms():
                sums[powers][wave] = self.ring.ground_new(value)
        shared: dict[Expression, Polynomial] = defaultdict(lambda: self.ring.zero)
        for powers, waves in sums.items():
            for wave in self._split(waves):
                content, rest = wave.as_coeff_Mul()
                shared[rest] += self.ring.from_dict({powers: self.ring.domain.from_sympy(content)})
        return self.sympy.Add(*(self._times(x, self._written(p)) for x, p in shared.items()))

    def _split(self, waves: Fourier) -> tuple[Expression, Expression]:
        """A number and a product that make up the sum: 1 - cos^2 cos^2 has no product alone."""
        still = (0, (0,) * len(self.angles))
        numbers = [self.ring.zero]
        if len(waves) > 3 and still in waves and not any(kind for kind, _ in waves):
            for corner in product(range(4), repeat=len(self.angles)):  # its values at right angles
                turns = [sum(x * y for x, y in zip(k, corner, strict=True)) for _, k in waves]
                signs = [(1, 0, -1, 0)[turn % 4] for turn in turns]
                numbers.append(sum(s * p for s, p in zip(signs, waves.values(), strict=True)))
        candidates = []
        for number in dict.fromkeys(numbers):
            rest = {**waves, still: waves[still] - number} if number else waves
            rest = {wave: p for wave, p in rest.items() if p}
            candidates.append((self._product(rest, self._by_wave), number.as_expr()))
        return min(candidates, key=lambda pair: self._cost(pair[0]))

    def _written(self, polynomial: Polynomial) -> Expression:
        """A polynomial in the parameters, factored if that is shorter."""
        candidates = [polynomial.as_expr()]
        if self.factoring and 1 < len(polynomial) <= LONG:
            content, factors = self._factors(polynomial)
            for (f, e), (g, other) in combinations(factors, 2):
                if e == other and len(f) == len(g) == len(f * g) == 2:  # x^2 - y^2 stays
                    factors = [x for x in factors if x[0] not in (f, g)] + [(f * g, e)]
                    break
            candidates.append(self.sympy.Mul(content, *(f.as_expr() ** e for f, e in factors)))
        return min(candidates, key=self._cost)

    def _factors(self, polynomial: Polynomial) -> tuple[Expression, list[tuple[Polynomial, int]]]:
        """The content and the factors of a polynomial, each with its power."""
        monic = polynomial.monic()
        if monic not in self.factored:
            used = [x for x, d in zip(self.ring.symbols, monic.degrees(), strict=True) if d > 0]
            small = self.ring.clone(symbols=used or self.ring.symbols[:1])
            content, factors = monic.set_ring(small).factor_list()
            self.factored[monic] = content, [(f.set_ring(self.ring), e) for f, e in factors]
        content, factors = self.factored[monic]
        return self.sympy.sympify(content * polynomial.LC), factors

    def _product(self, total: Fourier, write: Callable[[Fourier], Expression]) -> Expression:
        """A sum of cosines only, or of sines only, factored as a polynomial in z = e^(i angle)."""
        odd = max(kind for kind, _ in total)
        if min(kind for kind, _ in total) != odd:
            return write(total)
        top = [max(column) for column in zip(*(map(abs, k) for _, k in total), strict=True)]
        lifted = self.ring.zero  # z^top times the sum, as z^k + z^-k is 2 cos, z^k - z^-k is 2i sin
        for (_, k), polynomial in total.items():
            for sign in (1, -1):
                place = [0] * len(self.ring.symbols)
                place[: self.size : 2] = [t + sign * x for t, x in zip(top, k, strict=True)]
                weight = self.ring.domain(sign if odd else 1) / 2
                lifted += polynomial.mul_monom(tuple(place)).mul_ground(weight)
        content, factors = self._factors(lifted)
        turns, result = -odd, [content]
        for waves, power in self._real(factors):
            turns += power * next(iter(waves))[0]  # every sine brings an i
            result.append(write(waves) ** power)
        return self.sympy.Mul((-1) ** (turns // 2), *result)

    def _real(self, factors: list[tuple[Polynomial, int]]) -> Iterator[tuple[Fourier, int]]:
        """The factors as sums of waves; those that are none are so in pairs, or all together."""
        rest, left = self.ring.one, list(factors)
        while left:
            f, power = left.pop(0)
            partners = [g for g, other in left if other == power]
            for g in [self.ring.one, *partners]:
                waves = self._waves(f * g)
                if waves:
                    yield waves, power
                    left = [pair for pair in left if pair[0] != g]
                    break
            else:
                rest *= f**power
        if rest != 1:
            yield self._waves(rest), 1

    def _waves(self, f: Polynomial) -> Fourier:
        """The cosines that f is but for a power of z, or the sines over i; {} if it is neither."""
        halves = [max(d, 0) / 2 for d in f.degrees()[: self.size : 2]]
        terms = {}
        for powers, value in f.terms():
            k = tuple(x - half for x, half in zip(powers[: self.size : 2], halves, strict=True))
            terms[k, (0,) * self.size + powers[self.size :]] = value
        back = {(k, rest): terms.get((tuple(-x for x in k), rest), 0) for k, rest in terms}
        odd = any(back[key] != value for key, value in terms.items())
        if any(half % 1 for half in halves) or any(back[x] != -v for x, v in terms.items() if odd):
            return {}
        sums: Fourier = defaultdict(lambda: self.ring.zero)
        for (k, rest), value in terms.items():
            lead = next((x for x in k if x), 0)
            if lead >= 0:
                sums[int(odd), tuple(map(int, k))][rest] = value * 2 if lead else value
        return dict(sums)
