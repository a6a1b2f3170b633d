"""`Writer`: LLVM assembly, line by line, for values of one type: doubles or vectors of them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import count

MEMCPY = "@llvm.memcpy.p0.p0.i64"
INTRINSICS = {"fma": 3, "fabs": 1, "sqrt": 1, "copysign": 2}
"""LLVM's functions of doubles that a writer calls: how many arguments they have."""


def module_text(functions: Sequence[str], *widths: int, declared: Sequence[str] = ()) -> str:
    """A whole module: functions for so many lanes, and what they call beside each other."""
    declarations = [*declared, f"declare void {MEMCPY}(ptr, ptr, i64, i1)"]
    for w in (Writer(width, True) for width in dict.fromkeys(widths)):
        declarations += [
            f"declare {w.type} @llvm.{name}.{w.suffix}({', '.join([w.type] * number)})"
            for name, number in INTRINSICS.items()
        ]
    bits = 64 * max(widths)  # vectors of this many lanes may be used whole
    attributes = (f'attributes #0 = {{ nounwind "min-legal-vector-width"="{bits}" '
                  f'"prefer-vector-width"="{bits}" }}')  # fmt: skip
    return "\n\n".join(["\n".join(declarations), *functions, attributes]) + "\n"


def _alignment(kind: str) -> int:
    return 4 if kind == "i32" else 8


class Writer:
    """Collects the lines of one function; values are names such as `%v7`, or constants."""

    def __init__(self, width: int, fused: bool):
        self.width, self.fused = width, fused
        self.type = "double" if width == 1 else f"<{width} x double>"
        self.bits = "i64" if width == 1 else f"<{width} x i64>"
        self.truth = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        self.lines: list[str] = []
        self.names = (f"%v{k}" for k in count(1))

    def scalar(self) -> Writer:
        """A writer of single numbers into the same function."""
        one = Writer(1, self.fused)
        one.lines, one.names = self.lines, self.names
        return one

    def put(self, line: str) -> None:
        """One line as it is."""
        self.lines.append("  " + line)

    def value(self, text: str) -> str:
        """A fresh name for the result of an instruction."""
        name = next(self.names)
        self.put(f"{name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")

    def function(self, head: str) -> str:
        """The lines as the body of a function."""
        return "\n".join([f"{head} #0 {{", "entry:", *self.lines, "}"])

    def at(self, pointer: str, index: int | str, kind: str = "double") -> str:
        """The address of an element behind a pointer; of kind i8, so many bytes behind it."""
        return self.value(f"getelementptr {kind}, ptr {pointer}, i64 {index}")

    def load(self, pointer: str, kind: str = "") -> str:
        """What is at an address: a vector of all lanes, or a value of that kind."""
        return self.value(f"load {kind or self.type}, ptr {pointer}, align {_alignment(kind)}")

    def store(self, value: str, pointer: str, kind: str = "") -> None:
        """Put a vector of all lanes, or a value of that kind, to an address."""
        self.put(f"store {kind or self.type} {value}, ptr {pointer}, align {_alignment(kind)}")

    def load_lanes(self, array: str, element: int) -> str:
        """A vector from an array of lanes."""
        return self.load(self.at(array, element * self.width))

    def store_lanes(self, array: str, element: int, value: str) -> None:
        """Put a vector into an array of lanes."""
        self.store(value, self.at(array, element * self.width))

    def copy(self, into: str, out_of: str, count: int) -> None:
        """Copy so many doubles of every lane from an address to another."""
        size = 8 * count * self.width
        self.put(f"call void {MEMCPY}(ptr {into}, ptr {out_of}, i64 {size}, i1 false)")

    def rows(self, array: str, step: str, indices: Sequence[int | str]) -> list[str]:
        """The addresses of rows `step` bytes apart."""
        offsets = (self.value(f"mul i64 {step}, {k}") for k in indices)
        return [self.at(array, offset, "i8") for offset in offsets]

    def gather(self, rows: Sequence[str], count: int) -> list[str]:
        """Load element e of every row as a vector, for e = 0..count-1."""
        if count < self.width:
            return [self._column([self.load(self.at(r, e), "double") for r in rows])
                    for e in range(count)]  # fmt: skip
        result: list[str] = []
        for first in self._squares(count):
            loaded = [self.load(self.at(row, first)) for row in rows]
            result += self.transpose(loaded)[len(result) - first :]
        return result

    def scatter(self, rows: Sequence[str], place: int, vectors: Sequence[str]) -> None:
        """Store lane j of the vectors one behind the other, from `place` doubles after row j."""
        if len(vectors) < self.width:
            for e, vector in enumerate(vectors):
                for j, row in enumerate(rows):
                    self.store(self.extract(vector, j), self.at(row, place + e), "double")
            return
        for first in self._squares(len(vectors)):
            turned = self.transpose(vectors[first : first + self.width])
            for row, values in zip(rows, turned, strict=True):
                self.store(values, self.at(row, place + first))

    def _squares(self, count: int) -> list[int]:
        """The first columns of squares of lanes; the last one overlaps, if need be."""
        return sorted({*range(0, count - self.width + 1, self.width), count - self.width})

    def _column(self, numbers: Sequence[str]) -> str:
        """A vector of single numbers."""
        vector = "poison"
        for j, number in enumerate(numbers):
            vector = self.insert(vector, number, j)
        return vector

    def insert(self, vector: str, number: str, lane: int) -> str:
        """The vector with another number in a lane."""
        return self.value(f"insertelement {self.type} {vector}, double {number}, i32 {lane}")

    def extract(self, vector: str, lane: int) -> str:
        """The number in a lane."""
        return self.value(f"extractelement {self.type} {vector}, i32 {lane}")

    def spread(self, number: str) -> str:
        """One number in all lanes."""
        if self.width == 1:
            return number
        return self.shuffle(self.insert("poison", number, 0), "poison", [0] * self.width)

    def constant(self, x: float) -> str:
        """A number, the same in every lane."""
        literal = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        return literal if self.width == 1 else f"splat (double {literal})"

    def integer(self, k: int) -> str:
        """A 64-bit integer, the same in every lane."""
        return str(k) if self.width == 1 else f"splat (i64 {k})"

    def add(self, a: str, b: str) -> str:
        """a + b."""
        return self.value(f"fadd {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """a - b."""
        return self.value(f"fsub {self.type} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """a b."""
        return self.value(f"fmul {self.type} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """a / b."""
        return self.value(f"fdiv {self.type} {a}, {b}")

    def neg(self, a: str) -> str:
        """-a."""
        return self.value(f"fneg {self.type} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """a b + c, rounded once where the machine can, and the same in every lane and width."""
        arguments = f"{self.type} {a}, {self.type} {b}, {self.type} {c}"
        return self.value(f"call {self.type} @llvm.fma.{self.suffix}({arguments})")

    def polynomial(self, z: str, coefficients: Sequence[float]) -> str:
        """c_0 + c_1 z + ..., from the last coefficient on."""
        result = self.constant(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            result = self.fma(result, z, self.constant(coefficient))
        return result

    def size(self, a: str) -> str:
        """|a|."""
        return self.value(f"call {self.type} @llvm.fabs.{self.suffix}({self.type} {a})")

    def root(self, a: str) -> str:
        """The square root of a."""
        return self.value(f"call {self.type} @llvm.sqrt.{self.suffix}({self.type} {a})")

    def with_sign_of(self, a: str, b: str) -> str:
        """|a| with the sign of b."""
        name = f"@llvm.copysign.{self.suffix}"
        return self.value(f"call {self.type} {name}({self.type} {a}, {self.type} {b})")

    def compare(self, how: str, a: str, b: str) -> str:
        """A truth value per lane."""
        return self.value(f"fcmp {how} {self.type} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        """Truth values: a and b."""
        return self.value(f"and {self.truth} {a}, {b}")

    def one_of(self, a: str, b: str) -> str:
        """Truth values: a or b."""
        return self.value(f"or {self.truth} {a}, {b}")

    def opposite(self, a: str) -> str:
        """Truth values: not a."""
        always = "true" if self.width == 1 else "splat (i1 true)"
        return self.value(f"xor {self.truth} {a}, {always}")

    def every(self, a: str) -> str:
        """One truth value: all lanes are true."""
        if self.width == 1:
            return a
        packed = self.value(f"bitcast {self.truth} {a} to i{self.width}")
        return self.value(f"icmp eq i{self.width} {packed}, -1")

    def some(self, a: str) -> str:
        """One truth value: a lane is true."""
        if self.width == 1:
            return a
        packed = self.value(f"bitcast {self.truth} {a} to i{self.width}")
        return self.value(f"icmp ne i{self.width} {packed}, 0")

    def within(self, values: Sequence[str], most: float) -> str:
        """One truth value: in every lane no value is larger than `most`, or no number."""
        result = ""
        for value in values:
            good = self.compare("ole", self.size(value), self.constant(most))
            result = self.both(result, good) if result else good
        return self.every(result)

    def select(self, condition: str, a: str, b: str) -> str:
        """a where the condition holds, else b."""
        return self.value(f"select {self.truth} {condition}, {self.type} {a}, {self.type} {b}")

    def to_bits(self, a: str) -> str:
        """The bit pattern."""
        return self.value(f"bitcast {self.type} {a} to {self.bits}")

    def bit(self, bits: str, k: int) -> str:
        """Whether bit k is set."""
        masked = self.value(f"and {self.bits} {bits}, {self.integer(1 << k)}")
        return self.value(f"icmp ne {self.bits} {masked}, {self.integer(0)}")

    def integer_add(self, bits: str, k: int) -> str:
        """Integer sum."""
        return self.value(f"add {self.bits} {bits}, {self.integer(k)}")

    def sign_from(self, bits: str, k: int) -> str:
        """Bit k moved to where a double keeps its sign, all else zero."""
        moved = self.value(f"shl {self.bits} {bits}, {self.integer(63 - k)}")
        return self.value(f"and {self.bits} {moved}, {self.integer(-(1 << 63))}")

    def flip_sign(self, a: str, sign: str) -> str:
        """`a` with its sign changed where `sign` has the sign bit."""
        bits = self.value(f"xor {self.bits} {self.to_bits(a)}, {sign}")
        return self.value(f"bitcast {self.bits} {bits} to {self.type}")

    def shuffle(self, a: str, b: str, places: Sequence[int]) -> str:
        """Lanes of a and b (counted on) in a new order."""
        mask = ", ".join(f"i32 {k}" for k in places)
        vector = f"<{len(places)} x i32> <{mask}>"
        return self.value(f"shufflevector {self.type} {a}, {self.type} {b}, {vector}")

    def transpose(self, rows: Sequence[str]) -> list[str]:
        """The columns of a square of `width` vectors, swapping blocks of 1, 2, 4 lanes."""
        w, result = self.width, list(rows)
        block = 1
        while block < w:
            low = [p if not p & block else w + p - block for p in range(w)]
            high = [p + block if not p & block else w + p for p in range(w)]
            for i in range(w):
                if not i & block:
                    a, b = result[i], result[i + block]
                    result[i], result[i + block] = self.shuffle(a, b, low), self.shuffle(a, b, high)
            block *= 2
        return result
