"""Can this robot do this program? A program in, a verdict with its reasons out."""

from .verify import MoveReport, Verification, verify

__all__ = ["MoveReport", "Verification", "verify"]
