"""The C code of the generated cycle: the traces as static functions, and the control flow."""

from __future__ import annotations

from string import Template

from ...achieve.parts import LOST
from ...achieve.symbols import (
    ALL_AT_ONCE,
    CYCLE_VECTORS,
    NOTE_VECTORS,
    PART_NUMBERS,
    ROUNDS,
    SATURATED_VECTORS,
)
from ...drives.parameters import PARAMETERS
from ...run.events import STOP
from ..texts import c_number, statements, wrapped
from .header import declared, initialiser_prototype, payload_prototype, step_prototype
from .source import ARGUMENTS, FIELDS, PIECES, StepSource, TraceCode

CHECKS = {
    "load_friction": "{0} >= 0.0 && {0} < 1.0",
    "coulomb": "{0} >= 0.0 && {0} < HUGE_VAL",
    "viscous": "{0} >= 0.0 && {0} < HUGE_VAL",
    "inertia": "{0} >= 0.0 && {0} < HUGE_VAL",
    "torque_max": "{0} > 0.0",
    "speed_max": "{0} > 0.0",
    "velocity_max": "{0} > 0.0",
    "position_min": "{0} < p->position_max[i]",
    "braking": "{0} > 0.0",
}
"""What the parameters must be, as in a robot file."""
WHOLE = {"q": "q", "qd": "qd", "qdd": "qdd", "qdd_wanted": "wanted", "torque": "torque",
         "torque_wanted": "needed", "stop": "stop"}  # fmt: skip
"""Where the results are in the row of a cycle."""

CODE = Template("""\
/* $title. */
#include "$name.h"

#include <math.h>

$pieces

static int ${prefix}_all_finite(const double *values, int count)
{
  int i;

  for (i = 0; i < count; i++)
    if (!isfinite(values[i]))
      return 0;
  return 1;
}

/* The parameters as one row; 0 if one of them cannot be. */
static int ${prefix}_pack(const ${prefix}_parameters *p,
    double fixed[$fixed])
{
  int i;

  for (i = 0; i < $n; i++) {
$checks
$packs
  }
  fixed[$at_dt] = p->dt;
  fixed[$at_rate] = 1.0 / p->dt;
  return p->dt > 0.0 && isfinite(fixed[$at_dt]) && isfinite(fixed[$at_rate]);
}

$initialiser
{
  parameters->dt = $dt;
$values
}
$payload
$prototype
{
  double now[$state], given[$given], fixed[$fixed], row[$whole], notes[$notes];
$locals  int i, rounds = 0;

  for (i = 0; i < $n; i++) {
    now[i] = state->q[i];
    now[$n + i] = state->qd[i];
    given[i] = q_given[i];
    given[$n + i] = qd_given[i];
    given[2 * $n + i] = state->qd_given[i];
  }
  if (!${prefix}_all_finite(now, $state) || !${prefix}_all_finite(given, $given))
    return ${upper}_BAD_INPUT;
$loads  if (!${prefix}_pack(parameters, fixed))
    return ${upper}_BAD_INPUT;
  ${prefix}_trace_cycle($cycle_arguments);
$saturation  ${prefix}_trace_note(now, given, fixed, notes);
  if (!${prefix}_all_finite(row, $essential))
    return ${upper}_BAD_RESULT;
  for (i = 0; i < $n; i++)
    if (fabs(row[i]) >= $lost)
      return ${upper}_RUN_AWAY;
  for (i = 0; i < $n; i++) {
    state->q[i] = row[i];
    state->qd[i] = row[$n + i];
    state->qd_given[i] = qd_given[i];
$results
  }
  return rounds;
}
""")
SATURATION_TEXT = Template("""\
  if (!(row[$need] <= 0.0)) { /* a motor has too little */
    ${prefix}_trace_open(now, fixed, row, part);
    for (i = 0; i < $calm; i++)
      source[i] = row[i];
    for (;;) {
      ${prefix}_trace_setup($setup_arguments);
      if (rounds == 0) /* later parts begin with the modes in which one ended */
        ${prefix}_trace_start(problem, fixed, row, turn);
      count = 0;
      do {
        if (count == $rounds)
          return ${upper}_NOT_SETTLED;
        single = count >= $together ? 1.0 : 0.0; /* then only the lowest index changes */
        ${prefix}_trace_round(problem, fixed, turn, &single, next);
        for (i = 0; i < $turn; i++)
          turn[i] = next[i];
        count++;
        rounds++;
      } while (turn[$changed] > 0.0);
      ${prefix}_trace_advance(now, given, fixed, part, problem, turn, later);
      if (later[$beyond] > 0.0) {
        ${prefix}_trace_stop(fixed, later, problem, ended);
        for (i = 0; i < $part; i++)
          later[i] = ended[i];
      }
      if (later[$doubt] > 0.0) {
        ${prefix}_trace_judge($judge_arguments);
        for (i = 0; i < $part; i++)
          later[i] = ended[i];
      }
      for (i = 0; i < $part; i++)
        part[i] = later[i];
      if (!(part[$left] > 0.0))
        break;
      ${prefix}_trace_cycle($part_arguments);
    }
    ${prefix}_trace_close(now, fixed, row, part, found);
    for (i = 0; i < $whole; i++)
      row[i] = found[i];
  } else {
    for (i = 0; i < $n; i++) {
      row[$wanted + i] = row[$qdd + i];
      row[$needed + i] = row[$torque + i];
      row[$side + i] = 0.0;
      row[$stop + i] = 0.0;
    }
  }
""")
PAYLOAD_TEXT = Template("""
$prototype
{
  const double half = (inertia[0] + inertia[3] + inertia[5]) / 2.0;
  const double *c = center;

  payload[0] = mass;
  payload[1] = mass * c[0];
  payload[2] = mass * c[1];
  payload[3] = mass * c[2];
  payload[4] = half - inertia[0] + mass * c[0] * c[0];
  payload[5] = -inertia[1] + mass * c[0] * c[1];
  payload[6] = -inertia[2] + mass * c[0] * c[2];
  payload[7] = half - inertia[3] + mass * c[1] * c[1];
  payload[8] = -inertia[4] + mass * c[1] * c[2];
  payload[9] = half - inertia[5] + mass * c[2] * c[2];
}
""")


def step_c_text(source: StepSource) -> str:
    """The text of NAME.c."""
    n, prefix, options, sizes = source.n, source.prefix, source.options, source.sizes
    at = {name: k * n for k, name in enumerate(CYCLE_VECTORS)}
    at |= {name: len(CYCLE_VECTORS) * n + 1 + k * n for k, name in enumerate(SATURATED_VECTORS)}
    consistent = options.policy == "consistent"
    common = {"prefix": prefix, "upper": prefix.upper(), "n": n, "whole": sizes["whole"]}
    locals_ = ["double body[{body}];"] if options.payload else []
    saturation = ""
    if consistent:
        locals_ += [
            "double part[{part}], later[{part}], ended[{part}];",
            "double problem[{problem}], turn[{turn}], next[{turn}];",
            "double source[{source}], found[{whole}], single;",
            "int count;",
        ]
        saturation = SATURATION_TEXT.substitute(
            common, **{k: at[k] for k in ("wanted", "needed", "side", "stop", "qdd", "torque")},
            need=len(CYCLE_VECTORS) * n, rounds=ROUNDS, together=ALL_AT_ONCE, turn=sizes["turn"],
            changed=sizes["turn"] - 1, part=sizes["part"],
            **{k: sizes["part"] - len(PART_NUMBERS) + PART_NUMBERS.index(k)
               for k in ("left", "beyond", "doubt")},
            calm=sizes["source"],
            setup_arguments=_call(source, "setup", "row, source, part, problem", "part"),
            judge_arguments=_call(source, "judge", "part, later, problem, turn, ended", "part"),
            part_arguments=_call(source, "cycle", "source", "part"),
        )  # fmt: skip
    return CODE.substitute(
        common,
        title=wrapped(f"{source.title}: see {source.name}.h", " * "),
        name=source.name,
        pieces="\n\n".join(_piece(source, piece) for piece in source.pieces),
        **{k: sizes[k] for k in ("state", "given", "fixed", "notes")},
        lost=f"{LOST / 2:.1e}",
        at_dt=sizes["fixed"] - 2,
        at_rate=sizes["fixed"] - 1,
        checks="\n".join(
            f"    if (!({CHECKS[k].format(f'p->{k}[i]')}))\n      return 0;"
            for k in source.values
            if k in CHECKS
        ),
        packs="\n".join(
            f"    fixed[{PARAMETERS.index(FIELDS[k]) * n} + i] = "
            + (f"p->{k}[i];" if k in source.values else "0.0; /* not read */")
            for k in FIELDS
        ),
        dt=repr(source.dt),
        values="\n".join(
            f"  parameters->{name}[{i}] = {c_number(value)};"
            for name, values in source.values.items()
            for i, value in enumerate(values.tolist())
        ),
        payload=_payload_text(source),
        initialiser=initialiser_prototype(source),
        prototype=step_prototype(source),
        locals="".join(f"  {text.format(**sizes)}\n" for text in locals_),
        loads=_load_checks(source),
        cycle_arguments=_call(source, "cycle", "row"),
        saturation=saturation,
        essential=(CYCLE_VECTORS.index("torque") + 1) * n,
        results=_results(n, at),
    )


def _piece(source: StepSource, piece: TraceCode) -> str:
    """One trace as a static function."""
    reads = {line.value[0] for line in piece.lines if isinstance(line.value, tuple)}
    names = [name for name, _ in piece.arguments]
    present = [(k, *argument) for k, argument in enumerate(piece.arguments)
            if argument[0] in _present(source, piece.key)]  # fmt: skip
    parameters = [f"const double {name}[{size}]" for _, name, size in present]
    name = f"{source.prefix}_trace_{piece.key}"
    head = declared("static void", name, [*parameters, f"double out[{piece.size}]"])
    used = dict.fromkeys(line.target for line in piece.lines if isinstance(line.target, str))
    body = [wrapped(f"double {', '.join(used)};", "      ")]
    body += [f"(void){name};" for k, name, _ in present if k not in reads]
    lines = statements(
        piece.lines, lambda k, i: f"{names[k]}[{i}]", lambda k: f"out[{k}]", "  {} = {};"
    )
    start = "\n  ".join(body)
    return f"/* {PIECES[piece.key]}. */\n{head}\n{{\n  {start}\n\n{lines}\n}}"


def _present(source: StepSource, key: str) -> list[str]:
    """The arguments of a trace that these options have."""
    present = {"wrench": source.options.wrench, "body": source.options.payload}
    return [name for name in ARGUMENTS[key] if present.get(name, True)]


def _call(source: StepSource, key: str, last: str, state: str = "now") -> str:
    """The arguments for a trace: its state and loads as far as there are any, then `last`."""
    inputs = [x for x in _present(source, key) if x not in last.split(", ")]
    return ", ".join([state if x == "state" else x for x in inputs] + [last])


def _load_checks(source: StepSource) -> str:
    """The C text that checks wrench and payload."""
    text = ""
    for name, size in (("wrench", 6), ("payload", 10)):
        if getattr(source.options, name):
            text += f"  if (!{source.prefix}_all_finite({name}, {size}))\n"
            text += f"    return {source.prefix.upper()}_BAD_INPUT;\n"
    if source.options.payload:
        text += f"  {source.prefix}_trace_body(payload, body);\n"
    return text


def _payload_text(source: StepSource) -> str:
    """The C function that gives a payload's ten numbers, if there are payloads."""
    if not source.options.payload:
        return ""
    return PAYLOAD_TEXT.substitute(prototype=payload_prototype(source))


def _results(n: int, at: dict[str, int]) -> str:
    """The C text that copies the row of a cycle into its struct."""
    rows = [f"cycle->{name}[i] = row[{at[place]} + i];" for name, place in WHOLE.items()]
    rows.append(f"cycle->side[i] = (int)row[{at['side']} + i];")
    for name, place in (("torque_max", "limit"), ("clipped", "clipped")):
        value = f"notes[{NOTE_VECTORS.index(place) * n} + i]"
        if name == "clipped":
            value = f"row[{at['stop']} + i] != 0.0 ? {STOP} : (int){value}"
        rows.append(f"cycle->{name}[i] = {value};")
    return "\n".join(f"    {row}" for row in rows)
