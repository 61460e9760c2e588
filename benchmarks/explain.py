"""What explaining one request costs beside a process that only imports and reads: `python -m benchmarks.explain`."""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

ROOT = Path(__file__).parent.parent
REQUEST = "examples/requests/2p1d.yaml"
TARGET = 1.3


@dataclass(frozen=True)
class Times:
    """Seconds, one a round, of explain and of the process that only reads."""

    explain: Sequence[float]
    reading: Sequence[float]

    @property
    def least(self) -> float:
        """The ratio of the fastest runs, which what else the machine does touches least."""
        return min(self.explain) / min(self.reading)

    @property
    def usual(self) -> float:
        """The median of the ratios of each round."""
        return median(one / other for one, other in zip(self.explain, self.reading, strict=True))


def commands() -> tuple[list[str], list[str]]:
    """Explain, and the process that only imports and reads the same files."""
    tables = [ROOT / "runners.yaml", *sorted((ROOT / "lanes").glob("*.yaml")), ROOT / REQUEST]
    explain = [sys.executable, "-m", "infx_policy", "explain", REQUEST]
    return explain, [sys.executable, str(ROOT / "benchmarks" / "reading.py"), *map(str, tables)]


def seconds(command: Sequence[str], environ: Mapping[str, str]) -> float:
    """How long a process takes, from before it starts until it has ended."""
    start = perf_counter()
    subprocess.run(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - start


def measured(rounds: int) -> Times:
    """The times of both, in turn, after one run of each that is not counted and leaves bytecode behind."""
    left_out = ("PYTHONDONTWRITEBYTECODE", "INFX_POLICY_ROOT")
    environ = {name: value for name, value in os.environ.items() if name not in left_out}
    explain, reading = commands()
    found: tuple[list[float], list[float]] = ([], [])
    with TemporaryDirectory() as bytecode:
        environ["PYTHONPYCACHEPREFIX"] = bytecode
        for number in range(rounds + 1):
            pair = [(explain, found[0]), (reading, found[1])]
            for command, times in pair if number % 2 else reversed(pair):
                took = seconds(command, environ)
                if number:
                    times.append(took)
    return Times(*found)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explain", description=__doc__)
    parser.add_argument("--rounds", type=int, default=25, metavar="N")
    times = measured(parser.parse_args(argv).rounds)
    print(f"{len(times.explain)} rounds, Python {platform.python_version()} on {platform.machine()}\n")
    print("| process | median, ms | minimum, ms |\n|---|---:|---:|")
    for name, found in (("explain, one request", times.explain), ("imports and reads the same files", times.reading)):
        print(f"| {name} | {median(found) * 1e3:.1f} | {min(found) * 1e3:.1f} |")
    verdict = "met" if times.least <= TARGET else "missed"
    print(
        f"\n{verdict}: at most {TARGET} times: {times.least:.2f} of the minima, {times.usual:.2f} in the median round"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
