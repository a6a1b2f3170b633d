"""Signatures with their types as the source writes them: `ArrayLike`, not its expansion."""

import inspect
from typing import Any


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-process-signature", process)
    return {"parallel_read_safe": True}


def process(
    app: Any,
    kind: str,
    name: str,
    thing: Any,
    options: Any,
    signature: str | None,
    returns: str | None,
) -> tuple[str, str | None] | None:
    """The signature of a function, method or class."""
    if kind not in ("function", "method", "class") or signature is None:
        return None
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return None
    parameters = [p for p in found.parameters.values() if p.name not in ("self", "cls")]
    quiet = [
        p.replace(
            default=p.empty if p.default is p.empty else Shown(default(p.default)),
            annotation=p.empty if p.annotation is p.empty else Shown(written(p.annotation)),
        )
        for p in parameters
    ]
    text = str(found.replace(parameters=quiet, return_annotation=inspect.Signature.empty))
    return text, written(found.return_annotation)


def default(value: Any) -> str:
    """A default value as a reader wants to see it: a function is not an address."""
    return "..." if callable(value) or repr(value).startswith("<") else repr(value)


def written(annotation: Any) -> str | None:
    """A type as the source writes it; None if it says none."""
    if annotation is inspect.Signature.empty:
        return None
    return (
        annotation
        if isinstance(annotation, str)
        else getattr(annotation, "__name__", str(annotation))
    )


class Shown:
    """Something that prints as a text without quotes."""

    def __init__(self, text: str | None):
        self.text = text or ""

    def __repr__(self) -> str:
        return self.text
