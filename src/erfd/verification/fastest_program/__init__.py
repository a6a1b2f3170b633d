"""The fastest motion along the path of a program or a motion; the program rewritten for it."""

from .program import FastestProgram, fastest_motion, fastest_program

__all__ = ["FastestProgram", "fastest_motion", "fastest_program"]
