"""The equations of motion u = H q'' + C q' + g of a small arm in closed form, for teaching.

The Lagrange-Euler text of `dynamics.lagrange` runs over SymPy polynomials: in the cosine and sine
of every joint angle and in the robot's parameters. An entry then is a sum over masses and inertias,
and what multiplies one of them is a Fourier sum in the joint angles: written as it is or factored,
whichever is shorter. All numbers are rationals on the way, so what cancels vanishes.
"""

from ..ground.renamed import renamed as _renamed
from .closed_form import equations
from .display import Equations, SymbolMeaning

__all__ = ["Equations", "SymbolMeaning", "equations"]

__getattr__ = _renamed(__name__, {"Quantity": "SymbolMeaning"})
