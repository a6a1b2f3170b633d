"""The C header of the generated cycle, with its documentation."""

from __future__ import annotations

from string import Template

from ...achieve.symbols import ROUNDS
from ..source import ARGUMENTS as MEANINGS
from ..source import unit
from ..texts import wrapped
from .source import StepSource

PARAMETER_MEANINGS = {
    "load_friction": "gear friction, the part of the load on the rotor, 0 to below 1",
    "coulomb": "dry friction at the rotor, N m",
    "viscous": "viscous friction at the rotor, N m s/rad",
    "inertia": "of the rotor, kg m2",
    "torque_max": "motor torque limit, N m",
    "speed_max": "rotor speed limit, rad/s",
    "velocity_max": "joint velocity limit, {qd}",
    "position_min": "lower joint position limit, {q}",
    "position_max": "upper joint position limit, {q}",
    "braking": "joint acceleration kept for catching up, {qdd}",
}
RESULT_MEANINGS = {
    "q": "joint positions at the end of the cycle, {q}",
    "qd": "joint velocities at the end of the cycle, {qd}",
    "qdd": "achieved joint accelerations, {qdd}",
    "qdd_wanted": "joint accelerations asked for, within the limits of speed and position",
    "torque": "motor torques, N m",
    "torque_wanted": "motor torques that the programmed acceleration needs, N m",
    "torque_max": "motor torque limits at the speed at the start of the cycle, N m",
    "stop": "torques of the joints' stops, means of the cycle, {u}",
}
PAYLOAD = (
    "mass (kg), first moments m c (kg m) x, y, z, second moments (kg m2) xx, xy, xz, yy, yz, zz"
    " about the origin of the tool frame, in its axes: PREFIX_payload gives them"
)

HEADER = Template("""\
/* $title.
 *
 * $kind
 *
 * $cost.
 *
 * Each cycle the path planner asks for a position and a velocity at its end; what comes back is
 * the motion that the motors can do. SI units and radians$sliding.
 *
 * Arguments in this order:
 *   $arguments
 *   cycle: what became of it
 *
 * It returns how many rounds it took to find the motors that are at their limits: $rounds
 * If it returns a negative number, state and cycle are as they were:
 *   -1, ${upper}_BAD_INPUT: a state, a given number or a load is not finite,
 *       or a parameter cannot be: friction below 0, load_friction not below 1, dt or a limit not
 *       above 0, position_min not below position_max, not a number
 *   -2, ${upper}_BAD_RESULT: arguments so large that a result is not finite
 *   -3, ${upper}_NOT_SETTLED: the rounds did not end
 *   -4, ${upper}_RUN_AWAY: a joint turns faster than parts of a cycle can follow
 *
 * C99 that needs nothing but <math.h>: $functions. No memory is allocated and
 * nothing is kept but in *state: it may be interrupted and entered again. All arguments are read
 * before a result is written. Do not compile with -ffast-math: it cannot tell what is finite.
 */
#ifndef $guard
#define $guard

#define ${upper}_BAD_INPUT (-1)
#define ${upper}_BAD_RESULT (-2)
#define ${upper}_NOT_SETTLED (-3)
#define ${upper}_RUN_AWAY (-4)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double q[$n];  /* joint positions, $q */
  double qd[$n]; /* joint velocities, $qd */
  double qd_given[$n]; /* velocities asked for in the cycle before; begin with qd */
} ${prefix}_state;

typedef struct {
  double dt; /* cycle time, s */
$parameters
} ${prefix}_parameters;

typedef struct {
$results
  int side[$n]; /* the limit a motor is at: -1, 0 (none) or 1 */
  int clipped[$n]; /* what bent the wanted motion: 0 nothing, 1 joint speed, 2 motor speed,
      3 position limit, 4 the joint is at its stop */
} ${prefix}_cycle;

/* The robot's own parameters, and dt = $dt s. */
$initialiser;

$prototype;
$payload
#ifdef __cplusplus
}
#endif

#endif /* $guard */
""")
STATE = (
    "state: joint positions and velocities at the start of the cycle, then at its end, and what was"
    " asked for"
)
GIVEN = "q_given (N): joint positions asked for at the end of the cycle, Q"
RATES = (
    "qd_given (N): joint velocities asked for, held during the cycle, QD: (q_given - q_given of the"
    " cycle before) / dt"
)
FIXED = (
    "parameters: cycle time, friction and limits; PREFIX_parameters_init gives the robot's own, any"
    " may be changed between cycles. A limit may be HUGE_VAL, which is none. Geometry, link"
    " inertiaGEARS are part of the code"
)


def step_header_text(source: StepSource) -> str:
    """The text of NAME.h."""
    units = {key: unit(source.robot, key) for key in ("q", "qd", "qdd", "u")}
    n, prefix, options = source.n, source.prefix, source.options
    kind = f"Policy {options.policy}, follow {options.follow}, torque path {options.path}"
    consistent = options.policy == "consistent"
    functions = ["sin", "cos", "fabs", *(["sqrt"] if options.follow == "position" else [])]
    slides = any(not joint.revolute for joint in source.robot.joints)
    return HEADER.substitute(
        title=wrapped(source.title, " * "),
        kind=wrapped(f"{kind}: see docs/codegen.md and docs/achievable.md of erfd.", " * "),
        cost=wrapped(source.cost, " * "),
        sliding="; rotors of\n * sliding joints in what their gears make of m" if slides else "",
        n=n,
        **{key: units[key] for key in ("q", "qd")},
        arguments="\n *   ".join(wrapped(x, " *       ", 86) for x in _arguments(source)),
        prefix=prefix,
        upper=prefix.upper(),
        rounds=(
            f"0 if\n * every motor has enough, at most {ROUNDS} for each part of a divided cycle."
            if consistent
            else "always\n * 0, as this policy has no rounds."
        ),
        functions=", ".join([*functions, "copysign"]),
        guard=f"{source.name.upper()}_H",
        parameters=_fields(n, {k: PARAMETER_MEANINGS[k] for k in source.values}, units),
        results=_fields(n, RESULT_MEANINGS, units),
        dt=repr(source.dt),
        initialiser=initialiser_prototype(source),
        prototype=step_prototype(source),
        payload=_payload_declaration(source),
    )


def _arguments(source: StepSource) -> list[str]:
    """The documentation of the arguments but the last, in their order."""
    texts = [STATE, GIVEN, RATES]
    texts += [f"wrench (6): {MEANINGS['wrench']}"] if source.options.wrench else []
    texts += [f"payload (10): {PAYLOAD}"] if source.options.payload else []
    curved = any(drive.curve for drive in source.robot.drives)
    gears = ", gears and torque-speed curves" if curved else " and gears"
    words = {"PREFIX": source.prefix, "GEARS": gears, "(N)": f"({source.n})"}
    words |= {"QD": unit(source.robot, "qd"), "Q": unit(source.robot, "q")}
    texts.append(FIXED)
    for word, value in words.items():
        texts = [text.replace(word, value) for text in texts]
    return texts


def _fields(n: int, meanings: dict[str, str], units: dict[str, str]) -> str:
    """The members of a struct, a vector of n each, with what they mean."""
    rows = [f"  double {k}[{n}]; /* {text.format(**units)} */" for k, text in meanings.items()]
    return "\n".join(rows)


def step_prototype(source: StepSource) -> str:
    """The function of a cycle up to its body."""
    n, prefix = source.n, source.prefix
    parameters = [
        f"{prefix}_state *state",
        f"const double q_given[{n}]",
        f"const double qd_given[{n}]",
    ]
    parameters += ["const double wrench[6]"] if source.options.wrench else []
    parameters += ["const double payload[10]"] if source.options.payload else []
    parameters += [f"const {prefix}_parameters *parameters", f"{prefix}_cycle *cycle"]
    return declared("int", source.name, parameters)


def initialiser_prototype(source: StepSource) -> str:
    """The function that gives the robot's parameters, up to its body."""
    prefix = source.prefix
    return declared("void", f"{prefix}_parameters_init", [f"{prefix}_parameters *parameters"])


def payload_prototype(source: StepSource) -> str:
    """The function that gives a payload's ten numbers, up to its body."""
    parameters = ["double mass", "const double center[3]", "const double inertia[6]"]
    return declared("void", f"{source.prefix}_payload", [*parameters, "double payload[10]"])


def declared(kind: str, name: str, arguments: list[str]) -> str:
    """A C function up to its body, in lines that end between arguments."""
    text = f"{kind} {name}({', '.join(arguments)})".replace(" ", "~").replace(",~", ", ")
    return wrapped(text, "    ").replace("~", " ")


def _payload_declaration(source: StepSource) -> str:
    """The declaration of the payload's function, if there are payloads."""
    if not source.options.payload:
        return ""
    text = payload_prototype(source)
    return f"""
/* A payload's ten numbers: mass in kg, mass centre in m in the tool frame, inertia in kg m2 about
 * the mass centre: the elements xx, xy, xz, yy, yz, zz of the tensor, in the axes of the tool. */
{text};
"""
