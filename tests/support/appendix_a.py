"""Names of 001, Appendix A: lengths of Lola 15 (m) and the abbreviations below (A.2)."""

from __future__ import annotations

import numpy as np

A1, A2, A3, D4 = 0.2, 0.6, 0.115, 0.825


class Names:
    """The abbreviations below (A.2) and the columns of T_3..T_6 made of them."""

    def __init__(self, q: np.ndarray) -> None:
        (c1, c2, _, c4, c5, c6), (s1, s2, _, s4, s5, s6) = np.cos(q), np.sin(q)
        c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
        self.c1, self.s1, self.s2, self.c4, self.c23, self.s23 = c1, s1, s2, c4, c23, s23
        v = self.v = dict.fromkeys(range(1, 32), 0.0)
        v[1], v[2], v[3], v[4] = c1 * s23, c1 * c23, s1 * s23, s1 * c23
        v[13], v[14], v[12], v[31] = s2 * A2, c2 * A2, c23 * A3 + s23 * D4, D4 * c23 - s23 * A3
        v[5] = A1 - v[13]
        v[15], v[16] = -v[1] * c4 - s1 * s4, s1 * c4 - v[1] * s4
        v[17], v[18] = c1 * s4 - v[3] * c4, -v[3] * s4 - c1 * c4
        v[19], v[20] = c23 * c4, c23 * s4
        v[21], v[23] = v[15] * c5 - v[2] * s5, v[17] * c5 - v[4] * s5
        v[25] = v[19] * c5 - s23 * s5
        self.x4 = np.array([v[15], v[17], v[19]])
        self.x5 = np.array([v[21], v[23], v[25]])
        self.y5 = np.array([v[16], v[18], v[20]])  # z_4, too
        self.n6, self.o6 = self.x5 * c6 + self.y5 * s6, self.y5 * c6 - self.x5 * s6
        self.z3 = np.array([v[2], v[4], s23])
        self.a6 = self.x4 * s5 + self.z3 * c5
        v0 = v[5] + v[31]
        self.wrist = np.array([c1 * v0, s1 * v0, v[12] + v[14]])  # X_6, Y_6, Z_6
