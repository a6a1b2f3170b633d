"""A program with a payload and an output signal, for a controller to play."""

PROGRAM = """program outputs;
var
  signal out bool: grip;
  joint: a = joint(mainjoint(10, 20, -20, 0, -30, 0));
  joint: b = joint(mainjoint(20, 10, -10, 0, -40, 0));
endvar
seq
  move ptp a;
  grip = true;
  payload 2;
  move ptp b;
endseq
"""
