"""`schema`: a JSON Schema of what is read or printed."""

import argparse

from infx_policy import plugins, schemas
from infx_policy.cli.output import write_json
from infx_policy.driver import DRIVERS
from infx_policy.errors import Fault, FaultCode, InputError, fault
from infx_policy.source import Source
from infx_policy.spelling import nearest


def run(arguments: argparse.Namespace) -> int:
    """Prints the schema, that of lanes with the settings that drivers of plugins declare; exit 0."""
    name: str = arguments.name
    if name not in schemas.NAMES:
        expected = ", ".join(f"`{one}`" for one in schemas.NAMES)
        near = nearest(name, schemas.NAMES)
        source = Source("schema")
        raise InputError([fault(FaultCode.NOT_ONE_OF, source, literal=name, expected=expected, nearest=near)])
    faults: list[Fault] = []
    contributors = plugins.installed(faults) if name == "lanes" else ()
    if faults:
        raise InputError(faults)
    write_json(schemas.schema_of(name, [*DRIVERS, *(driver for one in contributors for driver in one.drivers)]))
    return 0
