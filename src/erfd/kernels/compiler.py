"""Compile LLVM assembly to machine code for this host, through llvmlite."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import MissingDependencyError


@dataclass(frozen=True, slots=True)
class Host:
    """A machine: its name for LLVM, its features, lanes of doubles, fused multiply-add."""

    triple: str
    cpu: str
    features: str
    width: int
    fused: bool
    version: str


@lru_cache(maxsize=1)
def llvm() -> Any:
    """llvmlite's binding, initialised."""
    try:
        import llvmlite.binding as binding
    except ImportError:
        raise MissingDependencyError(
            "compiled kernels need the package llvmlite, which is not installed:"
            " pip install llvmlite, or set ERFD_BACKEND=numpy"
        ) from None
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


@lru_cache(maxsize=1)
def host() -> Host:
    """The description of this machine."""
    binding = llvm()
    features = binding.get_host_cpu_features()
    triple = binding.get_process_triple()
    if triple.startswith(("aarch64", "arm64")):
        width, fused = 2, True  # NEON, always with fused multiply-add
    else:
        width = 8 if features.get("avx512f") else 4 if features.get("avx2") else 2
        fused = bool(features.get("fma"))
    version = ".".join(str(k) for k in binding.llvm_version_info)
    return Host(triple, binding.get_host_cpu_name(), features.flatten(), width, fused, version)


def compile_object(text: str, effort: int = 2) -> bytes:
    """Compile to an object file for this host; `effort` 0 to 2 is LLVM's level."""
    binding = llvm()
    module = binding.parse_assembly(text)
    module.verify()
    return bytes(_machine(effort).emit_object(module))


_LOADED: list[Any] = []
"""Machine code stays for good: NumPy and others may hold its addresses longer than we know."""


def load_object(code: bytes) -> Any:
    """Load an object file into memory; returns an engine with `get_function_address`."""
    binding = llvm()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _LOADED.append(engine)
    return engine


def _machine(effort: int = 2) -> Any:
    target = llvm().Target.from_triple(host().triple)
    return target.create_target_machine(
        cpu=host().cpu, features=host().features, opt=effort, jit=True, codemodel="jitdefault"
    )
