"""What stands around the robot: objects of a cell file, and how near the robot comes to them."""

from .clearance import Clearance, Contact, clearance
from .model import Cell, Mesh, Thing
from .reader import load_cell

__all__ = ["Cell", "Clearance", "Contact", "Mesh", "Thing", "clearance", "load_cell"]
