"""What a user's file imports: as in `python file.py`, the modules beside it come first, and another file has its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

OURS = Path(__file__).resolve().parent.parent


@contextmanager
def imports_of(file: Path) -> Iterator[None]:
    """Inside, modules in the folder of a file are found first, also where one of the name is loaded already. Afterwards all loaded
    modules are those from before: another file may have modules of the same names."""
    folder = file.resolve().parent
    before = dict(sys.modules)
    for name in [n for n, m in before.items() if n.partition(".")[0] != file.stem and is_hidden(n, m, folder)]:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in [n for n, m in sys.modules.items() if is_inside(m, folder)]:
            del sys.modules[name]
        for name, module in before.items():
            sys.modules.setdefault(name, module)


def is_hidden(name: str, module: ModuleType, folder: Path) -> bool:
    """Whether a file in the folder has the name of a loaded module, or of the package that it is in."""
    top = name.partition(".")[0]
    if top in ("__main__", OURS.name) or top in sys.builtin_module_names:
        return False
    beside = (folder / f"{top}.py").is_file() or (folder / top / "__init__.py").is_file()
    return beside and not is_inside(module, folder)


def is_inside(module: ModuleType, folder: Path) -> bool:
    """Whether a module was loaded from a folder; this package is none of its modules, wherever it lies."""
    origin = getattr(module, "__file__", None)
    if not isinstance(origin, str):
        return False
    path = Path(origin).resolve()
    return path.is_relative_to(folder) and not path.is_relative_to(OURS) and "site-packages" not in path.parts
