"""The report of a verification as one HTML page: program, tables, figures, the 3D arm."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping

from ..cell.contact import TOUCH
from ..errors import InputError
from ..ground.arguments import instance_of
from ..planning.motion_files.reading import MotionReading
from ..report.notebook import head, sentence, view
from ..run.events import OVER, worst_event
from .advice import Advice
from .charts import charts
from .load_tables import continuous_table
from .reactions import COLUMNS, joint_reactions_of, reaction_cells, reactions_by_move
from .result import Verification, hardest
from .tables import (
    advice_lines,
    contact_lines,
    hundredths,
    peak_text,
    percent,
    warned_events,
    warning_text,
)

STYLE = """
:root { color-scheme: light dark; --line: #8884; --bad: #c22; --warn: #b80; --good: #2a7a2a; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1240px; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1c2733, #dde4ea); background: light-dark(#fff, #14191f); }
h1 { font-size: 1.4rem; margin: 0 0 .3rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
.verdict { padding: .7rem 1rem; border-radius: 6px; font-weight: 600; color: #fff }
.unchecked { color: var(--warn) }
.verdict.good { background: var(--good) } .verdict.bad { background: var(--bad) }
table { border-collapse: collapse; width: 100%; font-size: 14px;
  font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--line) }
th { font-weight: 600 } td.text, th.text { text-align: left }
td.bad { color: var(--bad); font-weight: 600 }
pre { border: 1px solid var(--line); border-radius: 6px; padding: .5rem 0; overflow-x: auto;
  font: 13px/1.5 ui-monospace, monospace; counter-reset: line }
pre span { display: block; padding: 0 .8rem } pre b { color: #8899; font-weight: 400 }
pre .bad { background: #d334; } pre .warn { background: #fb02; }
pre i { display: block; color: var(--bad); font-style: normal; padding-left: 3.2em }
.wide { overflow-x: auto }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(480px, 1fr)); gap: 1rem }
svg { width: 100%; height: auto }
iframe { width: 100%; height: 480px; border: 1px solid var(--line); border-radius: 6px }
 ul { padding-left: 1.2rem }
"""

NEAREST = 12
"""Pairs of a link and a thing in the table of clearances; a cell may have thousands."""
_LEGEND = (
    "<p>M1 to Mn: peak torque of each motor, n1 to nn: its peak speed, in percent of its limits."
    " Acceleration: the largest programmed joint acceleration in percent of its limit (joint)."
    " Off: the tool's distance and angle from the programmed one.</p>"
)


def report_page(
    verification: Verification,
    advice: Advice | None = None,
    figures: Mapping[str, str] | None = None,
) -> str:
    """Write the report of a verification as one self-contained HTML page.

    Args:
        verification: The verification.
        advice: Its advice, if it is to be in the report.
        figures: SVG texts by name, if they are drawn already; else the charts are drawn here.

    Returns:
        The text of the page.
    """
    instance_of("verification", verification, Verification)
    if advice is not None:
        instance_of("advice", advice, Advice)
    drawn = isinstance(figures, Mapping) and all(isinstance(x, str) for x in figures.values())
    if not (figures is None or drawn):
        raise InputError(f"figures: expected SVG texts by name, found {figures!r:.60}")
    robot = verification.robot
    title = f"{verification.name} on {robot.title or robot.name}"
    style = "good" if verification.feasible else "bad"
    body = [
        f"<h1>{_text(title)}</h1>",
        f"<p class='verdict {style}'>{_text(verification.verdict)}</p>",
    ]
    if verification.reading_line:
        body.append(f"<p class='unchecked'>{_text(verification.reading_line)}.</p>")
    if verification.not_checked:
        body.append(f"<p class='unchecked'>{_text(verification.not_checked_line)}.</p>")
    if advice is not None:
        body.append(_list(advice_lines(verification, advice)))
    body += ["<h2>Moves</h2>", _moves(verification, advice), _LEGEND]
    failing = _failing(verification)
    if failing:
        body += ["<h2>What fails</h2>", _list(failing)]
    knowing = warned_events(verification)
    knowing += [warning_text(*warning) for warning in verification.warnings]
    if knowing:
        body += ["<h2>Worth knowing</h2>", _list(knowing)]
    if verification.smallest_clearance:
        body.append(f"<p>Smallest clearance: {_text(verification.smallest_clearance)}.</p>")
        body += ["<h2>Clearances</h2>", _clearances(verification)]
    if verification.motion is None:
        body += ["<h2>Program</h2>", _program(verification)]
    else:
        body += ["<h2>What was read</h2>", _list(reading_lines(verification.motion))]
    body += ["<h2>The arm</h2>", _arm(verification)]
    body += ["<h2>Motors</h2>", _motors(verification)]
    if verification.continuous is not None:
        load = verification.continuous
        columns, rows = continuous_table(load, "!")
        title = f"<h2>Continuous load, a round every {load.period:.2f} s</h2>"
        body += [title, _table(columns, rows, ()), _list(load.notes)]
    body += ["<h2>Joint forces and moments</h2>", _reactions(verification)]
    if not figures:
        figures = {name: chart.svg() for name, chart in charts(verification).items()}
    joints = {name: svg for name, svg in figures.items() if name.startswith("joint-")}
    joints.pop("joint-torques", None)
    others = [svg for name, svg in figures.items() if name not in joints]
    body += ["<h2>Figures</h2>", "<div class='charts'>", *others, "</div>"]
    body += ["<details><summary>Forces and moments in the joints</summary><div class='charts'>"]
    body += [*joints.values(), "</div></details>"]
    head = f"<meta charset='utf-8'><title>{_text(title)}</title><style>{STYLE}</style>"
    return (
        f"<!doctype html><html lang='en'><head>{head}</head><body>"
        + "\n".join(body)
        + ("</body></html>\n")
    )


def in_notebook(verification: Verification) -> str:
    """The short form that a notebook shows: verdict, moves, motor torques, the arm in motion."""
    found = verification
    body = [head(f"{found.name} on {found.robot.title or found.robot.name}")]
    body.append(sentence(found.verdict, good=found.feasible))
    if found.not_checked:
        body.append(f"<p>{_text(found.not_checked_line)}.</p>")
    body += [_moves(found, None), charts(found)["motor-torques"].svg()]
    return "".join(body) + view(found.run, "The arm in motion")


def _failing(verification: Verification) -> list[str]:
    """What makes the program infeasible, in sentences; what was not checked stands apart."""
    lines = [f"line {f.line}: {f.sentence}" for f in verification.plan.failures]
    events = [event for event in verification.run.events if event.fails]
    lines += [warning_text(event.line, str(event)) for event in events]
    lines += contact_lines(verification)
    if verification.continuous is not None:
        lines += map(str, verification.continuous.failures)
    return lines


def _text(value: str) -> str:
    """A text with HTML's characters escaped."""
    return html.escape(value)


def _list(lines: Iterable[str]) -> str:
    """An HTML list."""
    return "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in lines) + "</ul>"


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]], text: tuple[int, ...]) -> str:
    """An HTML table; the columns in `text` hold words, a `!` at the end marks a bad value."""

    def cell(k: int, value: str, kind: str) -> str:
        bad = value.endswith("!")
        words = [*(["text"] if k in text else []), *(["bad"] if bad else [])]
        mark = f" class='{' '.join(words)}'" if words else ""
        return f"<{kind}{mark}>{_text(value.removesuffix('!'))}</{kind}>"

    head = "".join(cell(k, name, "th") for k, name in enumerate(columns))
    body = "".join(
        "<tr>" + "".join(cell(k, value, "td") for k, value in enumerate(row)) + "</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='wide'>{table}</div>"


def _moves(verification: Verification, advice: Advice | None) -> str:
    """The table of the moves."""
    n = verification.robot.n
    columns = ["line", "move", "to", "s", *(f"M{i + 1} %" for i in range(n)),
               *(f"n{i + 1} %" for i in range(n)),
               "acceleration %", "off mm", "off deg"]  # fmt: skip
    if advice is not None:
        columns.append("speed up to")
    rows = []
    for k, report in enumerate(verification.moves):
        move = report.move
        marks = [_percent(x) for x in (*report.torque.tolist(), *report.speed.tolist())]
        row = [f"{move.line or ''}", move.kind, move.name, f"{move.end - move.start:.2f}", *marks]
        asked = hardest(report.acceleration)
        beyond = asked is not None and asked[1] > 1 + OVER
        row.append(peak_text(report.acceleration, "j") + ("!" if beyond else ""))
        row += [hundredths(1e3 * report.distance), hundredths(math.degrees(report.angle))]
        if advice is not None:
            part = advice.per_move[k]
            row.append(percent(part) + ("!" if part is None or part < 1 else ""))
        rows.append(row)
    return _table(columns, rows, (1, 2))


def reading_lines(motion: MotionReading) -> list[str]:
    """What was read of a motion file, and what was done to it, in sentences."""
    given = motion.trajectory
    size = f"{len(given)} points of {given.n} joints, every {given.dt:.6g} s"
    used = [f"joints from the columns {', '.join(motion.columns)}"] if motion.columns else []
    return [f"{motion.name}: {motion.format}, {size}", *used, *motion.notes]


def _percent(part: float) -> str:
    """A part of a limit in percent, marked from its limit on; "-" if there is no limit."""
    return "-" if math.isnan(part) else f"{100 * part:.0f}{'!' if part > 0.999 else ''}"


def _limit(value: float, form: str) -> str:
    """A limit in a form such as `.3g`; "-" if there is none."""
    return "-" if math.isinf(value) else format(value, form)


def _motors(verification: Verification) -> str:
    """The table of the motors."""
    rpm = 30 / math.pi
    rows = [
        (
            f"{row['motor']}", f"{row['torque_peak']:.3g}", _limit(row["torque_max"], ".3g"),
            f"{row['torque_rms']:.3g}", f"{row['speed_peak'] * rpm:.0f}",
            _limit(row["speed_max"] * rpm, ".0f"), f"{row['energy']:.4g}",
            f"{100 * row['saturated']:.1f}",
        )
        for row in verification.run.summary()
    ]  # fmt: skip
    columns = ("motor", "peak N m", "max N m", "RMS N m", "peak 1/min", "max 1/min", "energy J",
               "saturated %")  # fmt: skip
    return _table(columns, rows, ())


def _reactions(verification: Verification) -> str:
    """What bearings and guides carry: in the program, and move by move."""
    rows = [reaction_cells(row) for row in joint_reactions_of(verification.run)]
    moves = [
        (f"{report.move.line or ''}", report.move.name, *reaction_cells(row))
        for report, joints in zip(verification.moves, reactions_by_move(verification), strict=True)
        for row in joints
    ]
    return (
        "<p>What bearings and guides carry: the force and the moment on link i by link i-1, about "
        "the origin of frame i-1, without what the drive gives; peak, and mean over time.</p>"
        + _table(COLUMNS, rows, ())
        + f"<details><summary>By moves</summary>{_table(('line', 'to', *COLUMNS), moves, (1,))}"
        "</details>"
    )


def _clearances(verification: Verification) -> str:
    """The table of the links and things that come nearest to each other."""
    near = verification.approaches
    rows = []
    for a in near[:NEAREST]:
        gap = f"{1e3 * a['distance']:.1f}{'!' if a['distance'] <= TOUCH else ''}"
        line = f"{verification.line_at(a['time']) or ''}"
        rows.append((a["link"], a["thing"], gap, f"{a['time']:.2f}", line))
    table = _table(("link", "object", "smallest mm", "at s", "line"), rows, (0, 1))
    left = len(near) - len(rows)
    return table + (f"<p>{left} more pairs are further away.</p>" if left else "")


def _program(verification: Verification) -> str:
    """The program with its bad lines marked, and why."""
    bad = set(verification.bad_lines)
    warned = {line for line, _ in verification.warnings}
    warned |= {report.move.line for report in verification.moves if report.events}
    reasons: dict[int, str] = {f.line: f.sentence for f in verification.plan.failures}
    for number in bad - reasons.keys():
        worst = worst_event(event for event in verification.run.events if event.line == number)
        if worst is not None and worst.fails:
            reasons[number] = str(worst)
    for contact in verification.contacts:
        reasons.setdefault(verification.line_at(contact.start), str(contact))
    lines = []
    for k, line in enumerate(verification.text.splitlines(), 1):
        kind = "bad" if k in bad else "warn" if k in warned else ""
        why = f"<i>{_text(reasons[k])}</i>" if k in reasons else ""
        lines.append(f"<span class='{kind}'><b>{k:4d}  </b>{_text(line) or ' '}{why}</span>")
    return "<pre>" + "".join(lines) + "</pre>"


def _arm(verification: Verification) -> str:
    """The 3D arm in motion, as a page within the page."""
    from ..report.play.graphic_file import graphic_of
    from ..report.play.page import page

    inside = html.escape(page(graphic_of(verification.run)), quote=True)
    return f"<iframe title='The arm in motion' srcdoc='{inside}'></iframe>"
