"""Equations in closed form as matrices, as text and as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..ground.arrays import Array, shaped_array
from ..ground.optional import import_optional

DIGITS = 6  # significant digits of a number in print
LINE = 70  # visible characters after which a display goes on in the next line

Expression = Any


def sympy_module() -> Any:
    """SymPy, imported when equations are asked for."""
    return import_optional("sympy", "the closed form of equations", "equations")


@dataclass(frozen=True, slots=True)
class SymbolMeaning:
    """A symbol with its meaning, its value in SI units (None if it is a variable), its unit."""

    symbol: Expression
    latex: str
    meaning: str
    value: float | None
    unit: str

    @property
    def value_text(self) -> str:
        """Value and unit in words."""
        return self.unit if self.value is None else f"{self.value:.{DIGITS}g} {self.unit}"


@dataclass(frozen=True, slots=True)
class Equations:
    """The equations u = H q'' + C q' + g: H, C (n x n) and g (n x 1) as SymPy matrices, SI units.

    C is the matrix of Christoffel symbols, so dH/dt - 2C is skew. `symbols` are those that occur.

    >>> import erfd
    >>> from erfd.equations import equations
    >>> equations(erfd.load("two_link")).H[1, 1]
    I_zz2 + m2*(a2 + c_x2)**2
    """

    robot: str
    symbols: tuple[SymbolMeaning, ...]
    q: tuple[Expression, ...]
    qd: tuple[Expression, ...]
    H: Expression
    C: Expression
    g: Expression

    def __repr__(self) -> str:
        return f"Equations({self.robot!r}, {len(self.q)} joints, {len(self.symbols)} symbols)"

    def evaluate(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array, Array]:
        """Evaluate the equations at one state, with the robot's values of all parameters.

        Args:
            q: Joint positions, (n,), rad (m).
            qd: Joint velocities, (n,), rad/s (m/s).

        Returns:
            H (n, n), C (n, n) and g (n,), SI units.
        """
        shape = (len(self.q),)
        state = shaped_array("q", q, shape), shaped_array("qd", qd, shape)
        h, c, g = _compiled(self)(*np.concatenate(state).tolist())
        return np.array(h, float), np.array(c, float), np.array(g, float)[:, 0]

    def as_text(self) -> str:
        """The equations as text: one entry a line (of H the upper half), then the symbols."""
        lines = [f"{self.robot}: u = H q'' + C q' + g", ""]
        for letter in "HCg":
            lines += [f"{name} = {_plain(value)}" for name, value in self._entries(letter)] + [""]
        rows = [(str(s.symbol), s.value_text, s.meaning) for s in self.symbols]
        wide = [max(len(row[k]) for row in rows) for k in (0, 1)]
        lines += [f"{a:<{wide[0]}}  {b:<{wide[1]}}  {c}" for a, b, c in rows]
        return "\n".join(lines) + "\n"

    def as_latex(self) -> str:
        """The equations and a table of the symbols as LaTeX, for a document with amsmath."""
        names = {s.symbol: s.latex for s in self.symbols}
        parts = [f"% {self.robot}", r"\[ u = H(q)\,\ddot q + C(q, \dot q)\,\dot q + g(q) \]"]
        for letter, head in (("H", "H(q)"), ("C", r"C(q, \dot q)"), ("g", "g(q)")):
            rows = r" \\ ".join(" & ".join(map(_indexed, row)) for row in self._names(letter))
            parts.append(rf"\[ {head} = \begin{{pmatrix}} {rows} \end{{pmatrix}} \]")
            entries = [
                f"{_indexed(name)} &= " + " \\\\\n  &\\quad ".join(_latex_lines(value, names))
                for name, value in self._entries(letter)
            ]
            body = " \\\\\n".join(entries)
            parts.append(f"{{\\allowdisplaybreaks\n\\begin{{align*}}\n{body}\n\\end{{align*}}}}")
        values = [
            re.sub(r"(?<=[ms])2", "$^2$", s.value_text.replace("-", "$-$")) for s in self.symbols
        ]
        pairs = zip(self.symbols, values, strict=True)
        rows = " \\\\\n".join(f"${s.latex}$ & {value} & {s.meaning}" for s, value in pairs)
        parts.append(f"\\begin{{tabular}}{{lll}}\n{rows}\n\\end{{tabular}}")
        return "\n".join(parts) + "\n"

    def _names(self, letter: str) -> list[list[str]]:
        """The names of the entries of a matrix; those of H are symmetric."""
        n = range(1, len(self.q) + 1)
        if letter == "g":
            return [[f"g{i}"] for i in n]
        upper = letter == "H"
        return [[f"H{min(i, j)}{max(i, j)}" if upper else f"C{i}{j}" for j in n] for i in n]

    def _entries(self, letter: str) -> list[tuple[str, Expression]]:
        """Every name of a matrix once, with its expression."""
        rows = zip(self._names(letter), getattr(self, letter).tolist(), strict=True)
        return list(dict(pair for row in rows for pair in zip(*row, strict=True)).items())


@lru_cache(maxsize=32)
def _compiled(equations: Equations) -> Callable[..., Any]:
    """A Python function of q and qd that evaluates the entries."""
    parameters = [s for s in equations.symbols if s.value is not None]
    arguments = [*equations.q, *equations.qd, *(s.symbol for s in parameters)]
    entries = [matrix.tolist() for matrix in (equations.H, equations.C, equations.g)]
    function = sympy_module().lambdify(arguments, entries, "math", cse=True)
    return lambda *state: function(*state, *(s.value for s in parameters))


def _rounded(value: Expression) -> Expression:
    """An expression with its numbers rounded for print."""
    sympy = sympy_module()
    near = {x: sympy.Float(x, DIGITS) for x in value.atoms(sympy.Float)}
    whole = {x: sympy.Integer(y) if float(y).is_integer() else y for x, y in near.items()}
    return value.xreplace(whole)


def _plain(value: Expression) -> str:
    """An expression as text."""
    text: str = sympy_module().sstr(_rounded(value), full_prec=False)
    return text.replace("**", "^").replace("*", " ")


def _indexed(name: str) -> str:
    """The name of an entry as LaTeX: H_{12}."""
    return f"{name[0]}_{{{name[1:]}}}"


def _width(latex: str) -> int:
    """About how many characters of a LaTeX text are seen."""
    return len(re.sub(r"\\(left|right|bigl|bigr|quad|dot|frac)|[\\{}^_ ]", "", latex))


def _latex_lines(value: Expression, names: dict[Expression, str]) -> Iterator[str]:
    """The terms of a sum, as many in a line as fit."""
    line = ""
    for piece in _pieces(_rounded(value), names):
        if line and _width(line + piece) > LINE:
            yield line
            line = "{}"
        line += piece
    yield line


def _pieces(value: Expression, names: dict[Expression, str]) -> Iterator[str]:
    """The terms of a sum with their signs; a long one is broken within its longest bracket."""

    def latex(x: Expression) -> str:
        return str(sympy_module().latex(x, symbol_names=names))

    for k, term in enumerate(value.as_ordered_terms()):
        text, end = latex(term), []
        brackets = [x for x in term.args if x.is_Add and len(x.args) > 2] if term.is_Mul else []
        if _width(text) > LINE // 2 and brackets:
            bracket = max(brackets, key=lambda x: len(x.args))
            first, *end = _pieces(bracket, names)
            text = rf"{latex(term / bracket)} \bigl({first}"
            end[-1] += r"\bigr)"
        yield text if k == 0 else f" {text}" if text.startswith("-") else f" + {text}"
        yield from end
