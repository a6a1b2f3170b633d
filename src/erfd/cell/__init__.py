"""What stands around the robot: objects of a cell file, and how near the robot comes to them."""

from ..ground.renamed import renamed as _renamed
from .clearance import Clearance, Contact, clearance
from .model import Cell, CellObject, Mesh
from .reader import load_cell

__all__ = ["Cell", "CellObject", "Clearance", "Contact", "Mesh", "clearance", "load_cell"]

__getattr__ = _renamed(__name__, {"Thing": "CellObject"})
