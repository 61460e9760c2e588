"""What can be imported: a few names, lazily, and no module in the way of one."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import infx_policy

ROOT = Path(__file__).parent.parent
NAMES = {
    "Decision",
    "InputError",
    "Match",
    "Policy",
    "Reason",
    "ReasonCode",
    "Request",
    "Verdict",
    "decide",
    "diff",
    "explain",
    "load_policy",
    "verify",
}
"""The documented names."""
MODULES = sorted(
    one.name for one in pkgutil.walk_packages(infx_policy.__path__, "infx_policy.") if not one.name.endswith("__main__")
)


@pytest.fixture(autouse=True)
def _every_module_is_imported() -> None:
    for name in MODULES:
        importlib.import_module(name)


def _isolated(code: str) -> str:
    """What a fresh interpreter prints that imports from this one's path."""
    program = f"import sys; sys.path[:] = {sys.path!r}\n{code}"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_the_documented_names_are_exported() -> None:
    assert set(infx_policy.__all__) == NAMES
    assert list(infx_policy.__all__) == sorted(infx_policy.__all__)
    assert dir(infx_policy) == sorted(infx_policy.__all__)


def test_what_the_pages_import_is_exported() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.py")]
    used = {
        name.strip()
        for page in pages
        for names in re.findall(r"^from infx_policy import (.+)$", page.read_text(), re.MULTILINE)
        for name in names.split(",")
    }
    assert {"Request", "decide", "load_policy"} <= used <= set(infx_policy.__all__)


@pytest.mark.parametrize("name", sorted(infx_policy.__all__))
def test_a_name_is_what_it_says_after_every_module(name: str) -> None:
    found = getattr(infx_policy, name)
    assert not isinstance(found, ModuleType)
    assert found.__name__ == name
    assert found.__module__.startswith("infx_policy.")
    assert found is getattr(importlib.import_module(found.__module__), name)
    assert inspect.getdoc(found)
    assert inspect.isclass(found) == name[0].isupper()


@pytest.mark.parametrize("name", sorted(infx_policy.__all__))
def test_a_name_is_imported_alone_in_a_fresh_interpreter(name: str) -> None:
    home = getattr(infx_policy, name).__module__
    assert _isolated(f"from infx_policy import {name}\nprint({name}.__module__)") == f"{home}\n"


def test_importing_the_package_imports_no_module_of_it() -> None:
    code = "import infx_policy\nprint([name for name in sys.modules if name.startswith('infx_policy.')])"
    assert _isolated(code) == "[]\n"


def test_all_can_be_imported_with_a_star() -> None:
    code = "from infx_policy import *\nimport infx_policy\nprint(set(infx_policy.__all__) - set(globals()))"
    assert _isolated(code) == "set()\n"


def test_another_name_is_an_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match=r"module 'infx_policy' has no attribute 'decode'"):
        infx_policy.decode  # noqa: B018
    with pytest.raises(ImportError, match="decode"):
        exec("from infx_policy import decode", {})


def test_what_type_checkers_see_is_what_is_exported() -> None:
    tree = ast.parse(Path(str(infx_policy.__file__)).read_text())
    branch = next(one for one in tree.body if isinstance(one, ast.If))
    seen = {
        (alias.name, node.module) for node in branch.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == {(name, getattr(infx_policy, name).__module__) for name in infx_policy.__all__}


@pytest.mark.parametrize("name", MODULES)
def test_no_module_bears_the_name_of_a_function(name: str) -> None:
    parent, _, own = name.rpartition(".")
    assert getattr(importlib.import_module(parent), own) is sys.modules[name]
    assert parent != "infx_policy" or own not in infx_policy.__all__


@pytest.mark.parametrize("name", MODULES)
def test_no_module_binds_a_name_that_it_has_imported(name: str) -> None:
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    bound = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert not imported & set(bound)
    assert len(bound) == len(set(bound))


def test_the_package_is_marked_as_typed() -> None:
    assert (Path(str(infx_policy.__file__)).parent / "py.typed").is_file()
