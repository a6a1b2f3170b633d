"""The fastest motion along the path of a program, and the program rewritten to come near it."""

from .program import FastestProgram, fastest_program

__all__ = ["FastestProgram", "fastest_program"]
