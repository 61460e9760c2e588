"""A lane file into lanes and rows."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from infx_policy import documents, match
from infx_policy.condition import Reader, Vocabulary, plainly
from infx_policy.documents import At
from infx_policy.driver import Setting, SettingKind
from infx_policy.duration import Duration
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.lane import ADMITS, MOUNTS, REFUSES, STAGES, TAKES, Lane, Mount, Row
from infx_policy.match import Match
from infx_policy.source import Source
from infx_policy.spelling import nearest
from infx_policy.structuring import keys, not_a_mapping, structured

_TYPES: dict[SettingKind, Any] = {
    SettingKind.TEXT: str,
    SettingKind.TEXTS: tuple[str, ...],
    SettingKind.FLAG: bool,
    SettingKind.DURATION: Duration,
}
_MOUNT = ("volume", "target", "world-writable", "read-only")


@frozen(eq=False, repr=False)
class LaneReader:
    """Reads the lanes of one file; faults are added to `faults`."""

    cluster: str
    contributor: str
    vocabulary: Vocabulary
    settings: Mapping[str, Setting]
    faults: list[Fault]

    def lanes(self, at: At) -> tuple[Lane, ...]:
        """Every lane of the file."""
        found = keys(at, ("cluster", "lanes"), "a lane file", self.faults).get("lanes")
        if found is None:
            self.faults.append(fault(FaultCode.MISSING_KEY, at.source, "lanes", literal="lanes"))
            return ()
        if not found.is_mapping:
            self.faults.append(not_a_mapping(found, "lanes, as `{srt-multi: {...}}`"))
            return ()
        named = sorted(documents.entries(found, self.faults).items())  # order means nothing, so there is one
        lanes = [self._lane(child) for _, (_, child) in named]
        return tuple(lane for lane in lanes if lane is not None)

    def _lane(self, at: At) -> Lane | None:
        sections = (TAKES, "driver", "instead-of", ADMITS, REFUSES, STAGES, MOUNTS, *sorted(self.settings))
        found = keys(at, sections, f"lane `{at.key}`", self.faults)
        takes = self._takes(at, found.get(TAKES))
        rows = {name: self._rows(at.key, name, found.get(name)) for name in sections if name in found and name not in
                (TAKES, "driver", "instead-of")}  # fmt: skip
        if takes is None:
            return None
        return Lane(
            cluster=self.cluster,
            name=at.key,
            source=at.named,
            contributor=self.contributor,
            driver=self._text(found.get("driver")),
            takes=takes,
            instead_of=self._text(found.get("instead-of")),
            admits=rows.get(ADMITS, ()),
            refuses=rows.get(REFUSES, ()),
            stages=rows.get(STAGES, ()),
            mounts=rows.get(MOUNTS, ()),
            settings=tuple((name, rows[name]) for name in sorted(self.settings) if rows.get(name)),
        )

    def _text(self, at: At | None) -> str | None:
        if at is None:
            return None
        return self._typed(at, str)  # type: ignore[no-any-return]

    def _typed(self, at: At, kind: Any) -> Any:
        try:
            return structured(at, kind)
        except InputError as error:
            self.faults.extend(error.faults)
            return None

    def _takes(self, lane: At, at: At | None) -> Row | None:
        if at is None:
            if lane.is_mapping:
                self.faults.append(fault(FaultCode.MISSING_WHEN, lane.named, lane.path, literal=lane.key, key=TAKES))
            return None
        read = self._when(at)
        if read is None:
            return None
        because = "The lane takes these requests."
        return Row(self.cluster, lane.key, TAKES, "", read[0], because, at.named, self.contributor, read[1])

    def _rows(self, lane: str, section: str, at: At | None) -> tuple[Row, ...]:
        if at is None:
            return ()
        if not at.is_mapping:
            self.faults.append(not_a_mapping(at, "rows, as `{name: {when: ..., because: ...}}`"))
            return ()
        named = sorted(documents.entries(at, self.faults).items())
        found = [self._row(lane, section, child) for _, (_, child) in named]
        return tuple(row for row in found if row is not None)

    def _row(self, lane: str, section: str, at: At) -> Row | None:
        own = _MOUNT if section == MOUNTS else ("value",) if section in self.settings else ()
        found = keys(at, ("when", *own, "because", "waive"), f"row `{at.key}`", self.faults)
        if not at.is_mapping:
            return None
        because = self._because(at, found.get("because"))
        value = self._value(section, at, found)
        read = None
        if "when" not in found:
            self.faults.append(fault(FaultCode.MISSING_WHEN, at.named, at.path, literal=at.key, key="when"))
        else:
            read = self._when(found["when"])
        if read is None or because is None:
            return None
        waive = self._typed(found["waive"], Mapping[str, str]) if "waive" in found else {}
        return Row(
            self.cluster,
            lane,
            section,
            at.key,
            read[0],
            because,
            at.named,
            self.contributor,
            read[1],
            value,
            waive or {},
        )

    def _because(self, at: At, found: At | None) -> str | None:
        because = None if found is None else self._typed(found, str)
        if found is None or because == "":
            self.faults.append(fault(FaultCode.MISSING_BECAUSE, at.named, at.path, literal=at.key))
        return because or None

    def _value(self, section: str, at: At, found: Mapping[str, At]) -> Any:
        if section in self.settings:
            if "value" not in found:
                path = f"{at.path}.value"
                self.faults.append(fault(FaultCode.MISSING_KEY, at.named, path, literal="value"))
                return None
            return self._typed(found["value"], _TYPES[self.settings[section].kind])
        return self._mount(at, found) if section == MOUNTS else None

    def _mount(self, at: At, found: Mapping[str, At]) -> Mount | None:
        for name in ("volume", "target"):
            if name not in found:
                self.faults.append(fault(FaultCode.MISSING_KEY, at.named, f"{at.path}.{name}", literal=name))
        texts = [self._text(found.get(name)) for name in ("volume", "target")]
        flags = [name in found and self._typed(found[name], bool) for name in ("world-writable", "read-only")]
        return Mount(texts[0], texts[1], *flags) if texts[0] and texts[1] else None

    def _when(self, at: At) -> tuple[Match, Any] | None:
        sources: dict[str, Source] = {}
        before = len(self.faults)
        data = documents.plain(at, self.faults, sources)
        if len(self.faults) > before:
            return None
        reader = Reader(self.faults, lambda path: sources.get(path, at.source), self.vocabulary)
        read = match.read(data, at.path, reader)
        return None if read is None else (read, plainly(data))


def check_instead_of(lanes: tuple[Lane, ...], faults: list[Fault]) -> None:
    """Adds a fault for each `instead-of` that names no lane of the file, and for each circle."""
    by_name = {lane.name: lane for lane in lanes}
    for lane in lanes:
        if lane.instead_of is None:
            continue
        if lane.instead_of not in by_name:
            near = nearest(lane.instead_of, by_name)
            path = f"lanes.{lane.name}.instead-of"
            faults.append(fault(FaultCode.INSTEAD_OF_UNKNOWN, lane.source, path, literal=lane.instead_of, nearest=near))
            continue
        way = [lane.name]
        at: Lane | None = by_name[lane.instead_of]
        while at is not None and at.name not in way:
            way.append(at.name)
            at = by_name.get(at.instead_of) if at.instead_of else None
        if at is not None and at.name == lane.name:
            path = f"lanes.{lane.name}.instead-of"
            faults.append(fault(FaultCode.INSTEAD_OF_CYCLE, lane.source, path, literal=" -> ".join([*way, at.name])))
