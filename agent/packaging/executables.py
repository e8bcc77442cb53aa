"""What an executable file says about itself in its headers: for which system it was linked.

Pure: bytes in, facts out. Nothing is run, so the binaries of all platforms can be checked on one.
Sources: elf(5), Apple's <mach-o/loader.h>, Microsoft's "PE Format".
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

ELF_MACHINES = {62: "amd64", 183: "arm64"}
MACH_CPUS = {0x01000007: "amd64", 0x0100000C: "arm64"}
PE_MACHINES = {0x8664: "amd64", 0xAA64: "arm64"}

PT_DYNAMIC, PT_INTERP = 2, 3
LC_CODE_SIGNATURE, LC_BUILD_VERSION = 0x1D, 0x32


@dataclass(frozen=True)
class Executable:
    """The facts that decide whether a system can run a file."""

    goos: str
    goarch: str
    static: bool = True  # ELF: it asks for no loader and no library
    macos: tuple[int, int] | None = None  # Mach-O: the oldest macOS that it accepts
    signed: bool = True  # Mach-O: it has a signature; Go's linker signs for arm64, which insists


def read(data: bytes) -> Executable:
    """The facts about a 64-bit executable; ValueError for anything else."""
    try:
        if data[:5] == b"\x7fELF\x02":
            return _elf(data)
        if data[:4] == b"\xcf\xfa\xed\xfe":
            return _mach(data)
        if data[:2] == b"MZ":
            return _pe(data)
        raise ValueError(f"no 64-bit ELF, Mach-O or PE file: it begins with {data[:8]!r}")
    except (struct.error, KeyError) as err:
        raise ValueError(f"its headers cannot be read: {err!r}") from err


def _elf(data: bytes) -> Executable:
    (machine,) = struct.unpack_from("<H", data, 18)
    (first,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments = {struct.unpack_from("<I", data, first + i * size)[0] for i in range(count)}
    return Executable("linux", ELF_MACHINES[machine], static=not segments & {PT_DYNAMIC, PT_INTERP})


def _mach(data: bytes) -> Executable:
    (cpu,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<I", data, 16)
    macos, signed, at = None, False, 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command == LC_BUILD_VERSION:
            (oldest,) = struct.unpack_from("<I", data, at + 12)
            macos = (oldest >> 16, oldest >> 8 & 0xFF)
        signed = signed or command == LC_CODE_SIGNATURE
        at += size
    return Executable("darwin", MACH_CPUS[cpu], macos=macos, signed=signed)


def _pe(data: bytes) -> Executable:
    (header,) = struct.unpack_from("<I", data, 0x3C)
    if data[header : header + 4] != b"PE\0\0":
        raise ValueError("it begins like a PE file, but has no PE header")
    (machine,) = struct.unpack_from("<H", data, header + 4)
    return Executable("windows", PE_MACHINES[machine])
