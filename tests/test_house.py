"""The house: layers, light imports, packaging, shipped files."""

import ast
import configparser
import json
import subprocess
import sys
from pathlib import Path

import formgym
from formgym.assets import broken_files
from formgym.envs.registration import ids, index

ROOT = Path(formgym.__file__).resolve().parent
SKIPPED = {".venv", ".git", "build", "examples", "tests", "benchmarks"}
HEAVY = ("torch", "transformers", "playwright", "wandb", "stable_baselines3", "rapidocr", "onnxruntime", "cv2")

# What each room may import of the others, itself apart. A suite may use the core, and no other suite.
ALLOWED = {
    "assets": set(),
    "conf": set(),
    "envs.core": {"assets"},
    "envs.documents": {"assets", "envs.core"},
    "envs.paper_forms": {"assets", "envs.core"},
    "envs.web_forms": {"assets", "envs.core"},
    "envs": {"assets"},
    "fieldfinder_model": {"assets", "envs.core", "envs.paper_forms"},
    "wrappers": {"envs.core", "envs.documents", "fieldfinder_model"},
    "agents": {"envs.core", "envs.documents"},
    "agents.models": {"agents", "assets", "envs.core"},
    # The one door to an environment, and what leads from it to other frameworks.
    "agents.session": {"agents", "envs.core"},
    "agents.bridges": {
        "agents",
        "agents.models",
        "agents.session",
        "envs",
        "envs.core",
        "wrappers",
        "fieldfinder_model",
    },
    "experiments": {
        "assets",
        "envs",
        "envs.core",
        "envs.documents",
        "envs.paper_forms",
        "envs.web_forms",
        "fieldfinder_model",
        "wrappers",
        "agents",
        "agents.models",
        "agents.session",
        "agents.bridges",
    },
    "": {"envs"},
}


def _modules():
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).parts
        if parts[0] not in SKIPPED:
            yield path, parts


def _room(parts):
    """The room of a module given by the parts of its dotted path."""
    dotted = ".".join(parts)
    return max((room for room in ALLOWED if not room or dotted == room or dotted.startswith(room + ".")), key=len)


def _imports(path, parts):
    """The modules of the house that a file imports, as tuples of parts."""
    package = parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            names = tuple((node.module or "").split(".")) if node.module else ()
            yield (*base, *names) if names else (*base, node.names[0].name)


def test_imports_run_one_way():
    checked = 0
    for path, parts in _modules():
        room = _room((*parts[:-1], parts[-1].removesuffix(".py")))
        for imported in _imports(path, parts):
            target = _room(imported)
            assert target == room or target in ALLOWED[room] or not target, f"{path} imports {'.'.join(imported)}"
            if room == "agents" and target == "envs.core":
                seen = ("tools", "spaces", "texts", "coordinates", "grounding_rewards", "locators")
                assert imported[-1] in seen, f"{path}: agents see {', '.join(seen)}, never {imported[-1]}"
            if room == "agents" and target == "envs.documents":
                rooms = ("scene", "grounding", "programs", "operations")
                about = ".".join(imported[2:])
                assert about.startswith(rooms), f"{path}: agents see documents and programs, never {about}"
            checked += 1
    assert checked > 50


def test_the_house_imports_itself_relatively():
    for path, _ in _modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.split(".")[0] == "formgym" for name in names), path


def test_there_are_no_import_cycles():
    graph = {}
    for path, parts in _modules():
        name = ".".join((*parts[:-1], parts[-1].removesuffix(".py"))).removesuffix(".__init__")
        graph[name] = {".".join(imported) for imported in _imports(path, parts)}
    done = set()

    def visit(name, trail):
        assert name not in trail, f"import cycle: {' -> '.join([*trail, name])}"
        if name in done or name not in graph:
            return
        for other in graph[name]:
            visit(other, [*trail, name])
        done.add(name)

    for name in graph:
        visit(name, [])


# Docstrings of tools are what agents read: one paragraph of any length.
_READ_BY_AGENTS = (
    *("tools.py", "paper_tools.py", "web_tools.py", "named_tools.py"),
    *("photo_editor.py", "functions.py", "grounding.py", "grounding_env.py", "field_queue.py"),
)


def test_docstrings_begin_with_one_short_line():
    long = []
    for path, parts in _modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            if len(first) > 80 and path.name not in _READ_BY_AGENTS:
                long.append(f"{'.'.join(parts)}: {first}")
    assert long == []


def test_importing_is_light():
    code = f"import formgym, sys; print([m for m in sys.modules if m.split('.')[0] in {HEAVY!r}])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_wrapper_loads_few_modules_of_the_house():
    code = (
        "import sys, formgym; before = set(sys.modules); from formgym.wrappers import Ruler;"
        "print(sum(m.startswith('formgym') for m in set(sys.modules) - before))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(result.stdout) < 15


def test_making_an_environment_is_light():
    code = (
        "import sys, gymnasium as gym, formgym; gym.make('FormGym/AutoLoans-Text-v0').reset(seed=0);"
        f"print([m for m in sys.modules if m.split('.')[0] in {HEAVY!r}])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_environments_are_registered_by_the_import():
    import gymnasium as gym

    assert ids()
    assert all(env_id in gym.registry for env_id in ids())


def test_setup_lists_every_package():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    listed = set(setup["options"]["packages"].split())
    found = {
        ".".join(("formgym", *path.parent.relative_to(ROOT).parts))
        for path, parts in _modules()
        if parts[-1] == "__init__.py"
    }
    assert listed == found


def test_no_loose_modules_at_the_root_and_none_hidden_in_tests():
    assert [path.name for path in ROOT.glob("*.py")] == ["__init__.py"]
    assert not (ROOT / "tests" / "__init__.py").exists()


def test_shipped_files_are_what_the_index_says():
    assert index()["files"]
    assert broken_files() == []


def test_assets_are_light():
    assert sum(path.stat().st_size for path in (ROOT / "assets").rglob("*") if path.is_file()) < 80e6


def test_json_has_no_key_twice():
    def unique(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"{file}: {[k for k in keys if keys.count(k) > 1]}"
        return dict(pairs)

    files = sorted((ROOT / "assets").rglob("*.json"))
    assert len(files) > 400
    for file in files:
        json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=unique)
