"""The texts of the generated C and Python files."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterable
from string import Template

from .. import __version__
from ..ground.arrays import Array
from .references import STATES, References
from .source import CodeLine, Port, QuantitySource


def statements(
    lines: Iterable[CodeLine],
    read: Callable[[int, int], str],
    into: Callable[[int], str],
    form: str,
) -> str:
    """The lines as text: arguments by `read(which, element)`, results by `into(number)`."""
    rows = []
    for line in lines:
        value = line.value if isinstance(line.value, str) else read(*line.value)
        target = line.target if isinstance(line.target, str) else into(line.target)
        rows.append(form.format(target, value))
    return "\n".join(rows)


def wrapped(text: str, indent: str, width: int = 92) -> str:
    """Wrap a text into lines that begin with `indent` (but the first)."""
    return f"\n{indent}".join(
        textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)
    )


def documented(ports: Iterable[Port], indent: str) -> str:
    """A paragraph of documentation for each argument or result."""
    rows = []
    for port in ports:
        shape = " x ".join(map(str, port.shape)) or "one number"
        rows.append(wrapped(f"{port.name} ({shape}): {port.meaning}", f"{indent}    ", 84))
    return f"\n{indent}".join(rows)


def _prototype(source: QuantitySource) -> str:
    """The C function up to its body."""
    parameters = [f"const~double~{port.name}[{port.size}]" for port in source.arguments]
    parameters += [f"double~{port.name}[{port.size}]" for port in source.results]
    return wrapped(f"void~{source.name}({', '.join(parameters)})", "    ").replace("~", " ")


HEADER = Template("""\
/* $title.
 *
 * $cost; $locals local doubles.
 *
 * Arguments in this order, SI units and radians, matrices row by row. In:
 *   $arguments
 * Out:
 *   $results
 *
 * C99 that needs nothing but sin and cos of <math.h>. No memory is allocated and no state is
 * kept: it may be interrupted and entered again. All arguments are read before a result is
 * written: a result may take the place of an argument. Nothing is checked: from what is not
 * finite follows what is not finite. Friction is not part of it.
 */
#ifndef $guard
#define $guard

#ifdef __cplusplus
extern "C" {
#endif

$prototype;

#ifdef __cplusplus
}
#endif

#endif /* $guard */
""")


def header_text(source: QuantitySource) -> str:
    """The text of NAME.h."""
    return HEADER.substitute(
        title=wrapped(source.title, " * "),
        cost=source.cost,
        locals=len(source.reads()) + len(source.locals()),
        arguments=documented(source.arguments, " *   "),
        results=documented(source.results, " *   "),
        guard=f"{source.name.upper()}_H",
        prototype=_prototype(source),
    )


CODE = Template("""\
/* $title. */
#include "$name.h"

#include <math.h>

$prototype
{
  $head

$body
}
""")


def c_text(source: QuantitySource) -> str:
    """The text of NAME.c."""
    places, names = source.places(), [port.name for port in source.arguments]
    reads = source.reads()
    head = [f"const double {names[k]}_{i} = {names[k]}[{i}];" for k, i in reads]
    head.append(wrapped(f"double {', '.join(source.locals())};", "    "))
    idle = sorted(set(range(len(names))) - {k for k, _ in reads})
    head += [f"(void){names[k]};" for k in idle]  # or a compiler says that it is not used
    return CODE.substitute(
        name=source.name,
        title=wrapped(f"{source.title}: see {source.name}.h", " * "),
        prototype=_prototype(source),
        head="\n  ".join(head),
        body=statements(
            source.lines,
            lambda k, i: f"{names[k]}_{i}",
            lambda k: f"{places[k][0].name}[{places[k][1]}]",
            "  {} = {};",
        ),
    )


SELF_TEST_USE = """
 *
 *   cc -std=c99 -Wall -Werror -pedantic -O2 $name.c ${name}_test.c -lm -o ${name}_test
 *   ./${name}_test
 *
 * It prints the largest error, relative to the largest reference value of a result, and returns 1
"""
SELF_TEST_HEAD = """ */
#include <math.h>
#include <stdio.h>

#include "$name.h"

$tables

/* The larger one, or the one that is not a number. */
static double larger(double a, double b)
{
  return b > a || b != b ? b : a;
}
"""
"""What all self-tests have: how to run them, and what stands above their own functions."""
SELF_TEST = Template(
    f"""\
/* Self-test of $name: $states reference states of erfd $version.{SELF_TEST_USE}\
 * if that is more than some thousand roundings, 1e-12; for forward dynamics this is multiplied by
 * the condition number of the mass matrix (its diagonal scaled to ones).
{SELF_TEST_HEAD}"""
    + """
static double difference(const double *found, const double *wanted, int count)
{
  double most = 0.0;
  int i;

  for (i = 0; i < count; i++)
    most = larger(most, fabs(found[i] - wanted[i]));
  return most;
}

int main(void)
{
  const double tolerance = $tolerance;
  double worst = 0.0;
  double $results;
  int k;

  for (k = 0; k < $states; k++) {
    $call;
    $compare
  }
  printf("$name: $states states, largest relative error %.1e\\n", worst);
  if (worst <= tolerance)
    return 0;
  printf("$name: failed, expected up to %.1e\\n", tolerance);
  return 1;
}
"""
)


def table(name: str, values: Array, *, whole: bool = False) -> str:
    """Reference values as a C array."""
    kind, text = ("int", lambda x: str(int(x))) if whole else ("double", c_number)
    rows = (wrapped(", ".join(map(text, row)), "   ") for row in values.tolist())
    shape = f"[{values.shape[0]}][{values.shape[1]}]"
    return f"static const {kind} {name}{shape} = {{\n  {{" + "},\n  {".join(rows) + "}\n};"


def c_number(value: float) -> str:
    """A number in C with all its digits; HUGE_VAL is infinity."""
    if math.isinf(value):
        return "HUGE_VAL" if value > 0 else "-HUGE_VAL"
    return repr(float(value))


def self_test_text(source: QuantitySource, expected: References) -> str:
    """The text of NAME_test.c."""
    inputs = dict(zip((f"in_{p.name}" for p in source.arguments), expected.arguments, strict=True))
    results = dict(zip((f"want_{p.name}" for p in source.results), expected.results, strict=True))
    call = [*(f"{name}[k]" for name in inputs), *(p.name for p in source.results)]
    compare = [
        f"worst = larger(worst, difference({p.name}, want_{p.name}[k], {p.size}) / {scale!r});"
        for p, scale in zip(source.results, expected.scales(), strict=True)
    ]
    return SELF_TEST.substitute(
        name=source.name,
        version=__version__,
        states=STATES,
        tables="\n\n".join(table(name, a) for name, a in [*inputs.items(), *results.items()]),
        tolerance=f"{expected.tolerance:.1e}",
        results=", ".join(f"{p.name}[{p.size}]" for p in source.results),
        call=wrapped(f"{source.name}({', '.join(call)})", "        "),
        compare="\n    ".join(compare),
    )


PYTHON = Template('''\
"""$title."""

import numpy as np


def $name($names):
    """$outcome of one state, or of a batch along leading axes, which broadcast.

    SI units and radians; friction is not part of it.
    $cost.

    Arguments, by their last axis:
        $arguments
    Results, by their last axes:
        $results
    """
    $checks
    batch = np.broadcast_shapes($shapes)
    out = np.empty((*batch, $count))
$body
    return $parts
''')
CHECK = Template("""\
$name = np.asarray($name, dtype=np.float64)
    if $name.ndim == 0 or $name.shape[-1] != $size:
        raise ValueError(f"$name: expected shape (..., $size), found {$name.shape}")""")


def python_text(source: QuantitySource) -> str:
    """The text of NAME.py."""
    names = [port.name for port in source.arguments]
    body = statements(
        source.lines,
        lambda k, i: f"{names[k]}[..., {i}]",
        lambda k: f"out[..., {k}]",
        "    {} = {}",
    )
    parts, start = [], 0
    for port in source.results:
        piece = f"out[..., {start}:{start + port.size}]" if port.shape else f"out[..., {start}]"
        if len(source.results) == 1:
            piece = "out"
        if len(port.shape) > 1:
            piece += f".reshape((*batch, {', '.join(map(str, port.shape))}))"
        parts.append(piece)
        start += port.size
    return PYTHON.substitute(
        title=wrapped(source.title, ""),
        name=source.name,
        names=", ".join(names),
        outcome=" and ".join(port.name for port in source.results),
        cost=source.cost,
        arguments=documented(source.arguments, "        "),
        results=documented(source.results, "        "),
        checks="\n    ".join(CHECK.substitute(name=p.name, size=p.size) for p in source.arguments),
        shapes=", ".join(f"{name}.shape[:-1]" for name in names),
        count=start,
        body=re.sub(r"\b(sin|cos)\(", r"np.\1(", body),
        parts=", ".join(parts),
    )
