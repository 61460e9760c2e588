"""Where a thing was written: the ground that every fault and row stands on."""

from attrs import frozen


@frozen
class Source:
    """A place in an input.

    `file` is shown as it stands: a path relative to the policy's root, the name of an environment
    variable, or `argument 2`. `line` and `column` count from 1; None where the input has no lines.
    """

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        if self.line is None:
            return self.file
        if self.column is None:
            return f"{self.file}:{self.line}"
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def row(self) -> str:
        """`file:line`, the form in which rows are named."""
        return self.file if self.line is None else f"{self.file}:{self.line}"
