"""What a body in the tool feels, in g."""

from ..api.felt import felt_load

__all__ = ["felt_load"]
