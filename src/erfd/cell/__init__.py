"""What stands around the robot: objects of a cell file, and how near the robot comes to them."""

from ..ground.renamed import renamed as _renamed
from .clearance import Clearance, clearance
from .contact import Contact
from .model import Cell, CellObject, Mesh
from .motion_clearance import Approach, MotionClearance, motion_clearance
from .reader import load_cell
from .self_clearance import self_clearance

__all__ = [
    "Approach",
    "Cell",
    "CellObject",
    "Clearance",
    "Contact",
    "Mesh",
    "MotionClearance",
    "clearance",
    "load_cell",
    "motion_clearance",
    "self_clearance",
]

__getattr__ = _renamed(__name__, {"Thing": "CellObject"})
