"""Check expressions: their types, and what is wrong inside them."""

from __future__ import annotations

from .. import syntax as tree
from ..functions import FUNCTIONS, choose
from ..messages import did_you_mean
from ..operators import resolve
from ..types import UNKNOWN, Array, Type, fits, type_text
from ..words import MEMBERS
from .scope import Scopes, Signature


class Typer:
    """Determines the types of expressions; reports mistakes to the scopes."""

    def __init__(self, scopes: Scopes):
        self.scopes = scopes
        self._handlers = tree.handlers(self, tree.Expression)

    def type(self, node: tree.Expression) -> Type:
        """The type of an expression, `UNKNOWN` if that has been reported as wrong."""
        kind: Type = self._handlers[type(node)](node)
        return kind

    def expect(self, node: tree.Expression, want: Type, where: str = "") -> Type:
        """The type of an expression; reported unless it fits the wanted one."""
        have = self.type(node)
        if not fits(have, want):
            self.scopes.mismatch(node.at, want, have, where)
        return have

    def _number(self, node: tree.Number) -> Type:
        return "int" if type(node.value) is int else "real"

    def _text(self, node: tree.Text) -> Type:
        return "string"

    def _truth(self, node: tree.Truth) -> Type:
        return "bool"

    def _name(self, node: tree.Name) -> Type:
        symbol = self.scopes.find(node.name)
        if symbol is not None:
            return symbol.type
        if node.name in self.scopes.routines or node.name in FUNCTIONS:
            return self._call(tree.Call(node.name, (), text=node.text, at=node.at))
        self.scopes.undeclared(node, node.name)
        return UNKNOWN

    def _call(self, node: tree.Call) -> Type:
        scopes = self.scopes
        symbol = scopes.find(node.name)
        if symbol is not None:
            for argument in node.arguments:
                self.type(argument)
            what = "an array" if isinstance(symbol.type, Array) else f"a {symbol.kind}"
            hint = "elements are written with square brackets" if what == "an array" else ""
            scopes.error(node.at, f"`{node.text}` is {what}, no function", hint)
            return UNKNOWN
        if node.name in scopes.routines:
            signature = scopes.routines[node.name]
            self.arguments(node, signature)
            if signature.result is None:
                scopes.error(node.at, f"`{node.text}` is a procedure and has no value")
                return UNKNOWN
            return signature.result
        kinds = tuple(self.type(argument) for argument in node.arguments)
        if node.name not in FUNCTIONS:
            if node.name in ("int", "bool"):
                hint = "use `round(...)` or `trunc(...)`" if node.name == "int" else ""
                scopes.error(node.at, f"nothing can be made into {type_text(node.name)}", hint)
            else:
                scopes.undeclared(node, node.name)
            return UNKNOWN
        return self._built_in(node, kinds)

    def _built_in(self, node: tree.Call, kinds: tuple[Type, ...]) -> Type:
        overload = choose(node.name, kinds)
        if overload is None:
            function = FUNCTIONS[node.name]
            if UNKNOWN not in kinds:
                signatures = [s.rpartition(":")[0] for s in function.signatures]
                more = ", ..." if len(signatures) > 4 else ""
                expected = " or ".join(signatures[:4]) + more
                types = ", ".join(type_text(kind) for kind in kinds)
                sentence = f"`{node.text}` expects {expected}, found ({types})"
                self.scopes.error(node.at, sentence)
            return function.overloads[0].result
        if node.name == "robtarg" and len(kinds) == 2:
            config = self.scopes.constant(node.arguments[1])
            if type(config) is int and not 0 <= config <= 8:
                at = node.arguments[1].at
                self.scopes.error(at, f"CONFIG is a number from 0 to 8, found {config}")
        return overload.result

    def arguments(self, node: tree.Call, signature: Signature) -> None:
        """Check the arguments of a call of one of the program's routines."""
        scopes = self.scopes
        count, want = len(node.arguments), len(signature.parameters)
        if count != want:
            plural = "" if want == 1 else "s"
            scopes.error(node.at, f"`{node.text}` expects {want} argument{plural}, found {count}")
        pairs = zip(node.arguments, signature.parameters, signature.node.parameters, strict=False)
        for argument, (kind, by_reference), parameter in pairs:
            have = self.type(argument)
            if not by_reference:
                if not fits(have, kind):
                    scopes.mismatch(argument.at, kind, have, f"`{parameter.text}`: ")
            elif self.assignable(argument, f"`{parameter.text}` is a var parameter: ") and (
                have != kind and UNKNOWN not in (have, kind)
            ):
                scopes.mismatch(argument.at, kind, have, f"`{parameter.text}`: ")
        for argument in node.arguments[want:]:
            self.type(argument)

    def assignable(self, node: tree.Expression, where: str = "") -> bool:
        """Whether an expression is a variable or a part of one; reported if not."""
        base = node.base if isinstance(node, tree.Access) else node
        if not isinstance(base, tree.Name):
            self.scopes.error(node.at, f"{where}expected a variable")
            return False
        symbol = self.scopes.find(base.name)
        if symbol is None:
            if base.name in self.scopes.routines:
                self.scopes.error(node.at, f"{where}`{base.text}` is a routine, no variable")
            else:
                self.scopes.undeclared(base, base.name)
            return False
        if symbol.kind == "constant":
            self.scopes.error(node.at, f"{where}`{base.text}` is a constant and cannot change")
        elif symbol.kind == "input":
            sentence = f"{where}`{base.text}` is an input signal and cannot be set"
            self.scopes.error(node.at, sentence)
        elif symbol.kind == "output" and where:
            self.scopes.error(node.at, f"{where}`{base.text}` is an output signal, no variable")
        else:
            return True
        return False

    def _group(self, node: tree.Group) -> Type:
        kinds = [self.type(item) for item in node.items]
        if UNKNOWN in kinds:
            return UNKNOWN
        if len(kinds) == 3 and all(kind in ("int", "real") for kind in kinds):
            return "triple"
        if len(kinds) == 2 and fits(kinds[0], "position") and fits(kinds[1], "orientation"):
            return "pair"
        types = ", ".join(type_text(kind) for kind in kinds)
        sentence = f"expected (x, y, z) or (position, orientation), found ({types})"
        self.scopes.error(node.at, sentence)
        return UNKNOWN

    def _listing(self, node: tree.Listing) -> Type:
        kinds = [self.type(item) for item in node.items]
        common = kinds[0]
        for kind, item in zip(kinds, node.items, strict=True):
            if fits(common, kind):
                common = kind if common != UNKNOWN else common
            elif not fits(kind, common):
                self.scopes.mismatch(item.at, common, kind, "elements of one list: ")
                return UNKNOWN
        return UNKNOWN if common == UNKNOWN else Array(common, 1, len(kinds))

    def _unary(self, node: tree.Unary) -> Type:
        kind = self.type(node.operand)
        if kind == UNKNOWN:
            return UNKNOWN
        operation = resolve(node.operator, kind)
        if operation is None:
            hint = ""
            if node.operator == "not":
                hint = "comparisons behind `not` need parentheses: not (a < b)"
            self.scopes.error(
                node.at, f"`{node.operator}` cannot go before {type_text(kind)}", hint
            )
            return UNKNOWN
        return operation.result

    def _binary(self, node: tree.Binary) -> Type:
        first, chain = tree.spine(node)
        kind = self.type(first)
        for part in chain:
            kind = self._joined(part, kind, self.type(part.right))
        return kind

    def _joined(self, node: tree.Binary, left: Type, right: Type) -> Type:
        if UNKNOWN in (left, right):
            word = node.operator
            compares = word in ("and", "or", "xor", "=", "<>", "<", "<=", ">", ">=")
            return "bool" if compares else UNKNOWN
        operation = resolve(node.operator, left, right)
        if operation is not None:
            if node.operator in ("/", "div", "mod") and self.scopes.constant(node.right) == 0:
                self.scopes.error(node.at, "division by zero")
            return operation.result
        hint = ""
        if "string" in (left, right) and node.operator == "+":
            hint = "use `string(...)`"
        elif node.operator in ("div", "mod") and "real" in (left, right):
            hint = "only whole numbers have this; use `/`"
        elif "bool" in (left, right) and node.operator in ("<", "<=", ">", ">=", "=", "<>"):
            hint = "comparisons do not chain; use `and`"
        self.scopes.error(
            node.at, f"`{node.operator}` cannot join {type_text(left)} and {type_text(right)}", hint
        )
        return UNKNOWN

    def _access(self, node: tree.Access) -> Type:
        kind = self.type(node.base)
        for selector in node.selectors:
            if isinstance(selector, tree.Index):
                kind = self._element(selector, kind)
            else:
                kind = self._member(selector, kind)
        return kind

    def _element(self, selector: tree.Index, kind: Type) -> Type:
        self.expect(selector.index, "int", "index: ")
        if kind == UNKNOWN:
            return UNKNOWN
        if isinstance(kind, Array):
            index = self.scopes.constant(selector.index)
            if type(index) is int and not kind.low <= index <= kind.high:
                span = f"the elements have the numbers {kind.low} to {kind.high}"
                self.scopes.error(selector.index.at, f"there is no element {index}; {span}")
            return kind.element
        if kind in ("joint", "mainjoint"):
            return "real"
        self.scopes.error(selector.at, f"{type_text(kind)} has no elements")
        return UNKNOWN

    def _member(self, selector: tree.Member, kind: Type) -> Type:
        if kind == UNKNOWN or selector.name == "":
            return UNKNOWN
        members = MEMBERS.get(kind, {}) if isinstance(kind, str) else {}
        if kind == "triple":
            members = MEMBERS["position"]
        if selector.name in members:
            return members[selector.name]
        hint = did_you_mean(selector.name, members)
        if kind in ("pose", "robtarg"):
            for part in ("pos", "ori"):
                if selector.name in MEMBERS[members[part]]:
                    hint = f"did you mean `.{part}.{selector.name}`?"
        have = f"; it has {', '.join(f'`.{name}`' for name in members)}" if members else ""
        self.scopes.error(
            selector.at, f"{type_text(kind)} has no component `.{selector.name}`{have}", hint
        )
        return UNKNOWN
