"""Compute the LALR(1) table of the grammar with Lark; it is kept beside it as `grammar.json`.

Lark takes a quarter of a second for it, which is long for a command that lasts less than one.

    python -m erfd.lirl.parser.table_maker      after a change of grammar.lark
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .tables import fingerprint, grammar_text


def compute_table(grammar: str) -> dict[str, Any]:
    """The parse table of a grammar: plain data, the same for the same grammar.

    `states[k]` has for every terminal and rule the next state, or -1 - r for a use of `rules[r]`.
    Of that: how many values it takes, the rule's name, the builder's method (null: they become a
    list), whether a single value stays as it is, and which values are lists to be taken in.
    """
    import lark
    from lark.parsers.lalr_analysis import Shift

    parser = lark.Lark(
        grammar, parser="lalr", lexer="basic", start="program", maybe_placeholders=False
    )
    automaton: Any = parser.parse_interactive("").parser_state.parse_conf
    # numbered as they are met: Lark's own order changes from process to process
    numbers = {automaton.start_state: 0}
    rules: dict[Any, int] = {}
    states = []
    for state in (queue := [automaton.start_state]):
        entries = {}
        for name, (kind, target) in sorted(automaton.states[state].items(), key=_name):
            if kind is not Shift:
                entries[str(name)] = -1 - rules.setdefault(target, len(rules))
                continue
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
            entries[str(name)] = numbers[target]
        states.append(entries)
    terminals = [t for t in parser.terminals if t.pattern.value]
    terminals.sort(key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name))
    return {
        "grammar": fingerprint(grammar),
        "pattern": "|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in terminals),
        "end": numbers[automaton.end_state],
        "rules": [_rule(rule) for rule in rules],
        "states": states,
    }


def _name(entry: tuple[Any, Any]) -> str:
    return str(entry[0])


def _rule(rule: Any) -> list[Any]:
    name, parts = str(rule.origin.name), rule.expansion
    assert not any(part.is_term and part.filter_out for part in parts), "a terminal has no name"
    method = None if name.startswith("_") else str(rule.alias or name)
    single = bool(rule.options.expand1 and not rule.alias)
    lists = [k for k, p in enumerate(parts) if not p.is_term and p.name.startswith("_")]
    assert not (single and lists), f"{name}: one value of a list cannot stay as it is"
    return [len(parts), name, method, single, lists]


def text_of(table: dict[str, Any]) -> str:
    """The table as JSON, a rule or a state a line."""
    parts = []
    for key, value in table.items():
        text = json.dumps(value)
        if isinstance(value, list):
            lines = (json.dumps(entry, separators=(",", ":")) for entry in value)
            text = "[\n" + ",\n".join(lines) + "\n]"
        parts.append(f'"{key}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    from ...ground.files import write_text

    write_text(Path(__file__).with_name("grammar.json"), text_of(compute_table(grammar_text())))
