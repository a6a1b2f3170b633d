"""`Writer`: LLVM assembly, line by line, for values of one type: doubles or vectors of them."""

from __future__ import annotations

import struct
from collections.abc import Sequence


class Writer:
    """Collects the lines of one function; values are names such as `%v7`, or constants."""

    def __init__(self, width: int, fused: bool):
        self.width, self.fused = width, fused
        self.type = "double" if width == 1 else f"<{width} x double>"
        self.bits = "i64" if width == 1 else f"<{width} x i64>"
        self.truth = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        self.lines: list[str] = []
        self.count = 0

    def name(self, prefix: str = "v") -> str:
        """A fresh name."""
        self.count += 1
        return f"%{prefix}{self.count}"

    def put(self, line: str) -> None:
        """One line as it is."""
        self.lines.append("  " + line)

    def value(self, text: str) -> str:
        """A fresh name for the result of an instruction."""
        name = self.name()
        self.put(f"{name} = {text}")
        return name

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")

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
