"""What is inside a packed file, whichever kind of archive it is."""

from __future__ import annotations

import stat
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """One regular file of an archive."""

    mode: int  # permission bits
    data: bytes

    @property
    def text(self) -> str:
        """The content of a text file."""
        return self.data.decode()


def read(archive: Path) -> dict[str, Entry]:
    """The regular files of a .tgz, .tar.gz, .whl or .vsix, in the archive's order."""
    if archive.suffix in (".whl", ".vsix"):
        with zipfile.ZipFile(archive) as packed:
            infos = packed.infolist()
            return {i.filename: Entry(stat.S_IMODE(i.external_attr >> 16), packed.read(i)) for i in infos}
    with tarfile.open(archive) as tar:
        files = ((member, tar.extractfile(member)) for member in tar)
        return {member.name: Entry(member.mode, file.read()) for member, file in files if file}
