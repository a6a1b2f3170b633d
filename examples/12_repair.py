"""A program that Lola 15 cannot do, and the smallest change with which it can."""

import erfd

TEXT = """program Unload;
const
  real: fast = 1800;      { mm/s }
endconst
var
  int: i;
endvar
seq
  move ptp robtarg(((900, -150, 500), (0, -60, -175)), 4) speed_ptp=0.5;
  payload 12 at (0, 0, 80);
  for i := 1 to 3
    move lin (900, 250, 500) speed=fast acc=9000 c_cp=40;   { over the belt }
    move_inc lin position(0, 0, 120) speed=i * 150 ref=base;
    move lin (900, -150, 500) speed=fast acc=4000;          { and back }
  endfor
endseq
endprogram
"""

robot = erfd.load("lola15")
made = erfd.repair(TEXT, robot, name="unload")
print(made.before.verdict)
print(made.sentence)
for change in made.changes:
    print(f"  {change}")
print(made.diff("unload.irl"))

# with a tenth of every torque in reserve, and with any payload up to 25 kg where none is named
spare = erfd.repair(TEXT, robot, name="unload", margin=0.1, payload_up_to=25.0)
print(spare.sentence)
print(f"repaired again: {len(erfd.repair(spare.text, robot).changes)} changes")
