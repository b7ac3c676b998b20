"""SQLite in a WebAssembly sandbox: limited memory and work, no files, no clock.

SQLite cannot reach beyond its own memory, and each of its WebAssembly instructions takes a unit of fuel. So a query
stops at the same instruction on every machine, whether it works on a join, on one call of ``instr`` or in the parser.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from wasmtime import (
    Config,
    Engine,
    Func,
    FuncType,
    Limits,
    Linker,
    Memory,
    MemoryType,
    Module,
    Store,
    Trap,
    TrapCode,
    ValType,
    WasmtimeError,
)

from ....assets import ROOT
from ...core.tools import ToolError

TOO_MUCH_WORK = (
    "SQL error: the query needs too much work. Ask for less: join tables on their keys, filter with WHERE, and count "
    "or sort fewer rows."
)
TOO_DEEP = "SQL error: the query is too deeply nested. Split it into several queries."
NOT_CARRIED_OUT = "SQL error: the query cannot be carried out. Write it in another way."
_TRAPS: dict[TrapCode | None, str] = {TrapCode.OUT_OF_FUEL: TOO_MUCH_WORK, TrapCode.STACK_OVERFLOW: TOO_DEEP}
NO_CLOCK = (
    "SQL error: the current date and time are not available, so that a query always gives the same answer. Write a "
    "date as text, such as '2020-12-31'."
)
NO_TIME_ZONE = "SQL error: there is no local time zone. Leave out 'localtime' and 'utc'."
_PAGE = 65_536
_MAX_PAGES = 32_768
_NO_SUCH_FILE = -44


class Sandbox:
    """A fresh SQLite library; a ``with`` statement frees its memory.

    Args:
        memory: the bytes for SQLite and its data.
    """

    def __init__(self, memory: int) -> None:
        engine, module = _module()
        self._store = Store(engine)
        self._clock = _Clock()
        shared = Memory(self._store, MemoryType(Limits(-(-memory // _PAGE), _MAX_PAGES)))
        # The memory never grows, and so keeps its address.
        self._memory = memoryview(shared.get_buffer_ptr(self._store)).cast("B")
        self.set_work(10**12)
        linker = Linker(engine)
        linker.define(self._store, "env", "memory", shared)
        for item in module.imports:
            host = self._clock.imports().get(str(item.name))
            if host and isinstance(item.type, FuncType):
                linker.define(self._store, item.module, str(item.name), Func(self._store, item.type, host))
        # All other imports return zero: no more memory, no environment, no directory.
        linker.define_unknown_imports_as_default_values(self._store, module)
        self._exports = linker.instantiate(self._store, module).exports(self._store)
        self.call("__wasm_call_ctors")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._memory.release()
        self._store.close()

    def set_work(self, units: int) -> None:
        """Limit the total work of the following calls to a number of units."""
        self._store.set_fuel(units)

    def stop_clock(self) -> None:
        """Make it an error to read the clock from now on."""
        self._clock.stopped = True

    def call(self, name: str, *arguments: int) -> Any:
        """Call a function of SQLite's C API.

        Raises:
            ToolError: if it takes more work than there is, nests too deeply, reads the clock, or fails otherwise.
        """
        try:
            return self._exports[name](self._store, *arguments)  # type: ignore[operator]
        except Trap as trap:
            raise ToolError(_TRAPS.get(trap.trap_code, NOT_CARRIED_OUT)) from None

    def put(self, data: bytes) -> int:
        """Copy bytes and a zero byte into the memory; return their address.

        Raises:
            MemoryError: if there is no room for them.
        """
        address = int(self.call("malloc", len(data) + 1))
        if not address:
            raise MemoryError(f"{len(data):,} bytes do not fit into the sandbox")
        self._memory[address : address + len(data) + 1] = data + b"\0"
        return address

    def get(self, address: int, size: int) -> bytes:
        """A copy of bytes of the memory."""
        return bytes(self._memory[address : address + size])

    def pointer(self, address: int) -> int:
        """The pointer at an address."""
        return int.from_bytes(self.get(address, 4), "little")

    def text(self, address: int) -> str:
        """The text from an address to the next zero byte, at most 1,000 bytes."""
        return self.get(address, 1_000).partition(b"\0")[0].decode(errors="replace")

    def callback(self, function: Callable[..., int], arity: int) -> int:
        """A pointer to a Python function of some 32-bit integers."""
        kind = FuncType([ValType.i32()] * arity, [ValType.i32()])
        table: Any = self._exports["__indirect_function_table"]
        return int(table.grow(self._store, 1, Func(self._store, kind, function)))


class _Clock:
    """SQLite's system calls; the clock is at 1970, or gives an error once stopped."""

    def __init__(self) -> None:
        self.stopped = False

    def imports(self) -> dict[str, Callable[..., Any]]:
        return {
            "emscripten_date_now": self.now,
            "_localtime_js": self.local_time,
            "__syscall_openat": lambda *_: _NO_SUCH_FILE,
        }

    def now(self) -> float:
        if self.stopped:
            raise ToolError(NO_CLOCK)
        return 0.0

    def local_time(self, *_: int) -> None:
        raise ToolError(NO_TIME_ZONE)


@lru_cache(maxsize=1)
def _module() -> tuple[Engine, Module]:
    """SQLite as machine code, from wasmtime's cache after the first compilation."""
    config = Config()
    config.consume_fuel = True
    config.cranelift_nan_canonicalization = True
    with suppress(WasmtimeError):
        # The cache needs a home folder; without one, each process compiles the module.
        config.cache = True
    engine = Engine(config)
    return engine, Module.from_file(engine, str(ROOT / "sqlite" / "sqlite3.wasm"))
