"""The C self-test of the generated cycle: reference cycles, and that NaN is refused."""

from __future__ import annotations

from string import Template

from ... import __version__
from ..texts import SELF_TEST_HEAD, SELF_TEST_USE, table, wrapped
from .references import RESULTS, TOLERANCE, StepReferences
from .source import StepSource

SELF_TEST = Template(
    f"""\
/* Self-test of $name: $count reference cycles of erfd $version,
 * in $tight of which a motor is at its limit.{SELF_TEST_USE}\
 * if that is more than $tolerance, if another motor is at its limit, if another limit bends the
 * motion, or if what is not a number is not refused.
{SELF_TEST_HEAD}"""
    + """
/* Limits may be infinite: what is equal does not differ. */
static double difference(const double *found, const double *wanted, int count)
{
  double most = 0.0;
  int i;

  for (i = 0; i < count; i++)
    if (found[i] != wanted[i])
      most = larger(most, fabs(found[i] - wanted[i]));
  return most;
}

static int differ(const int *found, const int *wanted, int count)
{
  int i;

  for (i = 0; i < count; i++)
    if (found[i] != wanted[i])
      return 1;
  return 0;
}

int main(void)
{
  const double tolerance = $tolerance;
  double worst = 0.0, wrong[$n];
  int i, k, rounds, most = 0, failed = 0;
  ${prefix}_parameters parameters;
  ${prefix}_state state;
  ${prefix}_cycle cycle;

  ${prefix}_parameters_init(&parameters);
  for (k = 0; k < $count; k++) {
    for (i = 0; i < $n; i++) {
      state.q[i] = in_q[k][i];
      state.qd[i] = in_qd[k][i];
      state.qd_given[i] = in_qd_before[k][i];
    }
    rounds = $call;
    if (rounds < 0) {
      printf("$name: cycle %d returned %d\\n", k, rounds);
      return 1;
    }
    most = rounds > most ? rounds : most;
    $compare
    failed += differ(cycle.side, want_side[k], $n);
    failed += differ(cycle.clipped, want_clipped[k], $n);
    worst = larger(worst, difference(state.q, cycle.q, $n));
    worst = larger(worst, difference(state.qd, cycle.qd, $n));
  }
  for (i = 0; i < $n; i++)
    wrong[i] = in_q[0][i];
  wrong[$last] = sqrt(-1.0 - wrong[$last] * wrong[$last]); /* not a number */
  if ($refused != ${upper}_BAD_INPUT
      || differ(cycle.side, want_side[$count - 1], $n)
      || difference(state.q, cycle.q, $n) != 0.0) {
    printf("$name: failed, what is not a number was not refused\\n");
    return 1;
  }
  printf("$name: $count cycles, $tight with a motor at its limit, up to %d rounds, "
         "largest relative error %.1e\\n", most, worst);
  if (failed)
    printf("$name: failed, in %d cycles other limits are met\\n", failed);
  if (!(worst <= tolerance))
    printf("$name: failed, expected up to %.1e\\n", tolerance);
  return failed || !(worst <= tolerance);
}
"""
)


def step_test_text(source: StepSource, expected: StepReferences) -> str:
    """The text of NAME_test.c."""
    tables = [table(f"in_{name}", values) for name, values in expected.given.items()]
    tables += [table(f"want_{name}", expected.wanted[name]) for name in RESULTS]
    tables += [table(f"want_{k}", expected.wanted[k], whole=True) for k in ("side", "clipped")]
    compare = [
        wrapped(
            f"worst = larger(worst, difference(cycle.{name}, want_{name}[k], {source.n})"
            f" / {expected.scale(name)!r});",
            "        ",
        )
        for name in RESULTS
    ]
    return SELF_TEST.substitute(
        name=source.name,
        prefix=source.prefix,
        upper=source.prefix.upper(),
        version=__version__,
        count=len(expected),
        tight=expected.tight,
        n=source.n,
        last=source.n - 1,
        tolerance=f"{TOLERANCE:.1e}",
        tables="\n\n".join(tables),
        call=_call(source, expected, "in_q_given[k]", row="k", indent=8 * " "),
        compare="\n    ".join(compare),
        refused=_call(source, expected, "wrong", row="0", indent=10 * " "),
    )


def _call(
    source: StepSource, expected: StepReferences, q_given: str, *, row: str, indent: str
) -> str:
    """The call of the step in C."""
    loads = [f"in_{name}[{row}]" for name in ("wrench", "payload") if name in expected.given]
    inputs = ["&state", q_given, f"in_qd_given[{row}]", *loads, "&parameters", "&cycle"]
    return wrapped(f"{source.name}({', '.join(inputs)})", indent, 80)
