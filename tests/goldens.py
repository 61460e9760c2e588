"""Golden files: what was reviewed once and must not change unseen."""

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def check(name: str, text: str) -> None:
    """The golden file of this name holds `text`; INFX_UPDATE_GOLDEN=1 writes it instead."""
    path = GOLDEN / name
    if os.environ.get("INFX_UPDATE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.is_file(), f"{path} is missing; INFX_UPDATE_GOLDEN=1 writes it, to be reviewed by hand"
    expected = path.read_text()
    assert text == expected, f"{path.name} differs; INFX_UPDATE_GOLDEN=1 rewrites it, to be reviewed by hand"
