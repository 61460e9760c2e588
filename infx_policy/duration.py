"""A length of time as Slurm writes it.

Slurm's own forms for `--time` are `M`, `M:SS`, `H:MM:SS`, `D-H`, `D-H:MM` and `D-H:MM:SS`
(sbatch(1), `--time`). A bare number is refused here: its unit is what people get wrong.
"""

import re

from attrs import frozen

_FORMS = (
    re.compile(r"(?P<m>\d{1,6}):(?P<s>\d{2})", re.ASCII),
    re.compile(r"(?P<h>\d{1,5}):(?P<m>\d{2}):(?P<s>\d{2})", re.ASCII),
    re.compile(r"(?P<d>\d{1,4})-(?P<h>\d{1,2})(?::(?P<m>\d{2})(?::(?P<s>\d{2}))?)?", re.ASCII),
)


@frozen
class Duration:
    """A duration in whole seconds, more than zero."""

    seconds: int

    @classmethod
    def of(cls, text: str) -> "Duration | None":
        """The duration that `text` writes, or None where it writes none.

        Minutes beside hours and seconds beside minutes are at most 59, hours beside days at most 23;
        the largest part is free (`"240:00"` is four hours).
        """
        for form in _FORMS:
            found = form.fullmatch(text)
            if found:
                return cls._counted({name: int(part) for name, part in found.groupdict().items() if part})
        return None

    @classmethod
    def _counted(cls, parts: dict[str, int]) -> "Duration | None":
        limits = {"s": 59, "m": 59 if "h" in parts else None, "h": 23 if "d" in parts else None}
        if any(limit is not None and parts.get(name, 0) > limit for name, limit in limits.items()):
            return None
        total = parts.get("d", 0) * 86400 + parts.get("h", 0) * 3600 + parts.get("m", 0) * 60 + parts.get("s", 0)
        return cls(total) if total > 0 else None

    @classmethod
    def minutes(cls, count: int) -> "Duration":
        """The duration of `count` minutes."""
        return cls(count * 60)

    def __str__(self) -> str:
        """`[D-]H:MM:SS`, the one form in which durations are shown."""
        days, rest = divmod(self.seconds, 86400)
        hours, rest = divmod(rest, 3600)
        clock = f"{hours}:{rest // 60:02}:{rest % 60:02}"
        return f"{days}-{clock}" if days else clock
