"""The rules of docs/architecture.md as pure functions over (path, source).

Each takes a path relative to the repository, with forward slashes, and the Python source that stands there, and returns
what breaks the rule, one sentence a finding. Nothing here reads a file: tests/test_architecture.py does, and holds the
broken samples that each rule must flag.
"""

import ast
import re
from collections.abc import Callable, Iterator

Rule = Callable[[str, str], list[str]]

LAYERS = ("errors", "model", "store", "derived", "engine", "surfaces", "evals", "testing", "importers")
BELOW_SURFACES = frozenset({"errors", "model", "store", "derived", "engine", "testing", "public"})
COMMON = frozenset({"errors", "model"})

# Who may import whom inside the package. "public" is `wenlan_lab` itself: what its __init__.py exports.
MAY_IMPORT = {
    "errors": frozenset[str](),
    "model": COMMON,
    "store": COMMON | {"store"},
    "derived": COMMON | {"store", "derived"},
    "engine": COMMON | {"store", "derived", "engine"},
    "surfaces": COMMON | {"engine", "surfaces", "public", "evals"},
    "evals": frozenset({"public", "testing", "importers", "evals"}),
    "testing": COMMON | {"derived", "engine", "public"},
    "importers": COMMON | {"engine"},  # public names for the readers of files
    "public": COMMON | {"engine", "surfaces"},
}
# The truth has one door, and derived data never goes through it.
CLOSED_MODULES = {"derived": ("wenlan_lab.store.write", "wenlan_lab.store.migrate")}

NOTEBOOK_ONLY = ("IPython", "ipywidgets", "ipykernel", "anywidget")
COMMAND_LINE = ("typer", "click")
MODELS = ("torch", "sentence_transformers", "transformers", "onnxruntime")
OPENERS = (
    "sqlite3",
    "os",
    "io",
    "shutil",
    "tempfile",
    "subprocess",
    "socket",
    "urllib",
    "http",
    "httpx",
    "requests",
    "time",
)
FORBIDDEN_PACKAGES = {
    "errors": (*OPENERS, *NOTEBOOK_ONLY, *COMMAND_LINE, *MODELS, "numpy", "faiss", "networkx", "polars"),
    # polars is for `.to_polars()`, inside functions only: tests/test_lazy_imports.py sees to that.
    "model": (*OPENERS, *NOTEBOOK_ONLY, *COMMAND_LINE, *MODELS, "faiss", "networkx"),
    "store": (*NOTEBOOK_ONLY, *COMMAND_LINE, *MODELS, "numpy", "faiss", "networkx", "polars"),
    "derived": (*NOTEBOOK_ONLY, *COMMAND_LINE),
    "engine": (*NOTEBOOK_ONLY, *COMMAND_LINE),
    "surfaces": ("sqlite3", "faiss", *MODELS),
}

MOST_LINES = 400
SQL_LAYERS = ("store", "derived")
GUARD = "wenlan_lab/store/connection.py"
GUARD_LIFTERS = ("wenlan_lab/store/write.py", "wenlan_lab/store/migrate.py")
COMPOSITION_ROOT = "wenlan_lab/engine/workbench.py"
CLOCKS = frozenset(
    {f"datetime.datetime.{name}" for name in ("now", "utcnow", "today")}
    | {f"time.{name}" for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "strftime")}
    | {"datetime.date.today", "os.urandom"}
)  # time.perf_counter, monotonic and sleep measure or wait: they say nothing about when it is
CHANCE = ("uuid", "random", "secrets")
SETTINGS = "wenlan_lab/engine/settings.py"
# Model code reads HF_HUB_OFFLINE and the thread counts when it is imported: they must be set just before that.
SETS_ENVIRONMENT = ("wenlan_lab/derived/sentence_embedder.py",)
MATCH_BUILDER = "wenlan_lab/derived/lexical.py"
SENTENCES = "wenlan_lab/engine/sentences.py"


def layer_of(path: str) -> str | None:
    """The layer a file belongs to; None outside the package."""
    parts = path.removesuffix(".py").split("/")
    if parts[0] != "wenlan_lab":
        return None
    if parts[1] in ("__init__", "__main__"):
        return "public" if parts[1] == "__init__" else "surfaces"
    return parts[1]


def imported_modules(path: str, source: str) -> Iterator[tuple[int, str]]:
    """Every name that is imported, dotted and absolute: `from a import b` gives a.b, a module or a value."""
    package = path.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*start, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{stem}.{alias.name}") for alias in node.names)


def dotted_names(source: str) -> Iterator[tuple[int, str]]:
    """Every name and attribute chain in use, import aliases written out: `dt.now` gives datetime.datetime.now."""
    tree = ast.parse(source)
    real: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                real[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            real.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    for node in ast.walk(tree):
        chain: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            chain.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and isinstance(node, ast.Attribute | ast.Name):
            yield node.lineno, ".".join([real.get(inner.id, inner.id), *reversed(chain)])


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Every string that is no docstring; an f-string whole, with {} where it puts a value."""
    tree = ast.parse(source)
    seen = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):  # outer nodes come before the parts they hold
        if isinstance(node, ast.JoinedStr) and id(node) not in seen:
            seen |= {id(part) for part in node.values}
            yield node.lineno, "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in seen:
            yield node.lineno, node.value


def belongs_to(name: str, packages: tuple[str, ...]) -> bool:
    """Whether a dotted name is one of these modules or lies in one of them."""
    return any(name == package or name.startswith(package + ".") for package in packages)


def layer_of_import(name: str) -> str | None:
    """The layer that an imported name lies in; "public" for what `wenlan_lab` exports; None for other packages."""
    parts = name.split(".")
    if parts[0] != "wenlan_lab":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in LAYERS else "public"


def imports_follow_the_layers(path: str, source: str) -> list[str]:
    """errors, model ← store ← derived ← engine ← surfaces."""
    layer = layer_of(path)
    if layer is None:
        return []
    if layer not in MAY_IMPORT:
        return [f"{path} lies in no layer: give {layer} a row in MAY_IMPORT"]
    found = []
    for line, name in imported_modules(path, source):
        target = layer_of_import(name)
        if target is not None and target not in MAY_IMPORT[layer]:
            found.append(f"{path}:{line} {layer} imports {name}, which lies in {target}")
        elif belongs_to(name, CLOSED_MODULES.get(layer, ())):
            found.append(f"{path}:{line} {layer} imports {name}, which only the engine may use")
    return found


def packages_stay_in_their_layers(path: str, source: str) -> list[str]:
    """No numpy in store, no IPython in engine, and so on."""
    forbidden = FORBIDDEN_PACKAGES.get(layer_of(path) or "", ())
    return [
        f"{path}:{line} {layer_of(path)} imports {name}"
        for line, name in imported_modules(path, source)
        if belongs_to(name, forbidden)
    ]


def model_opens_nothing(path: str, source: str) -> list[str]:
    """Values and ports only: no file is read or written."""
    if layer_of(path) != "model":
        return []
    openers = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "connect"}
    return [
        f"{path}:{node.lineno} model calls {ast.unparse(node.func)}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in openers
    ]


def files_are_short(path: str, source: str) -> list[str]:
    """A file that grows past this holds a second idea."""
    lines = len(source.splitlines())
    return [f"{path} has {lines} lines, {MOST_LINES} is the most"] if lines > MOST_LINES else []


def sql_stays_in_store_and_derived(path: str, source: str) -> list[str]:
    """Neither a call that executes SQL nor a string that holds some."""
    if layer_of(path) in (None, *SQL_LAYERS):
        return []
    calls = [
        f"{path}:{node.lineno} calls .{node.func.attr}("
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("execute", "executemany", "executescript")
    ]
    statement = re.compile(
        r"\s*(select\s.+\sfrom|insert\s+(or\s+\w+\s+)?into|update\s+\w+\s+set|delete\s+from|create\s+(\w+\s+)?table|"
        r"pragma\s+\w+|begin\s+immediate)\s",
        re.IGNORECASE | re.DOTALL,
    )
    texts = [  # a message to a person begins with a capital: "Select a page from the list"
        f"{path}:{line} holds SQL: {text[:40]!r}"
        for line, text in strings(source)
        if statement.match(text + " ") and not text.split()[0].istitle()
    ]
    return calls + texts


def the_guard_has_one_home(path: str, source: str) -> list[str]:
    """`writing` in store/connection.py sets and lifts the guard; only the write path and the migrations use it."""
    if layer_of(path) is None or path == GUARD:
        return []
    found = [f"{path}:{n} names query_only" for n, text in enumerate(source.splitlines(), 1) if "query_only" in text]
    if path in GUARD_LIFTERS:
        return found
    used = {(line, name) for line, name in imported_modules(path, source) if name.endswith("store.connection.writing")}
    used |= {(line, name) for line, name in dotted_names(source) if name.endswith("connection.writing")}
    return found + [f"{path}:{line} lifts the write guard: {name}" for line, name in sorted(used)]


def time_and_chance_are_injected(path: str, source: str) -> list[str]:
    """What time it is and what the next id is are arguments; their defaults stand in the composition root."""
    if layer_of(path) is None or path == COMPOSITION_ROOT:
        return []
    clocks = [
        f"{path}:{line} reads the clock: {name}" for line, name in sorted(set(dotted_names(source))) if name in CLOCKS
    ]
    chance = [
        f"{path}:{line} imports {name}" for line, name in imported_modules(path, source) if belongs_to(name, CHANCE)
    ]
    return clocks + chance


def settings_have_one_reader(path: str, source: str) -> list[str]:
    """The environment is read in engine/settings.py; every other place receives values."""
    if layer_of(path) is None or path == SETTINGS:
        return []
    environment = {"os.environ", "os.environb", "os.getenv", "os.putenv"}
    found = [f"{path}:{line} reads settings: {name}" for line, name in set(dotted_names(source)) if name in environment]
    found += [
        f"{path}:{line} reads settings: {name}"
        for line, name in imported_modules(path, source)
        if belongs_to(name, ("pydantic_settings", "dotenv"))
    ]
    return [] if path in SETS_ENVIRONMENT else sorted(found)


def match_strings_have_one_builder(path: str, source: str) -> list[str]:
    """Only derived/lexical.py writes SQL with MATCH in it, so only there can a query's operators do harm."""
    if layer_of(path) is None or path == MATCH_BUILDER:
        return []
    looks_like_sql = re.compile(r"\bmatch\s+(\?|:\w)|\bselect\b.*\bwhere\b.*\bmatch\b", re.IGNORECASE | re.DOTALL)
    return [
        f"{path}:{line} builds a MATCH: {text[:40]!r}" for line, text in strings(source) if looks_like_sql.search(text)
    ]


def sentences_end_in_one_place(path: str, source: str) -> list[str]:
    """engine/sentences.py says where a sentence ends: no second pattern, no second function of that name."""
    if layer_of(path) is None or path == SENTENCES:
        return []
    # A class that holds a full stop beside ! or ? and then blank space, or a look-behind: the next sentence begins.
    # One that ends the whole text (`[.!?]+\s*$`) only trims.
    stop, call = "[.。]", "[!?！？]"
    boundary = re.compile(
        rf"\(\?<=[^)]*({stop}|{call})[^)]*\)\\s"
        rf"|\[[^\]]*({stop}[^\]]*{call}|{call}[^\]]*{stop})[^\]]*\][^\s\w]*\\s(?![+*]*(\$|\\Z))"
    )
    found = [
        f"{path}:{line} splits sentences: {text[:40]!r}" for line, text in strings(source) if boundary.search(text)
    ]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and re.fullmatch(r"_?(split_)?(into_)?sentences", node.name):
            found.append(f"{path}:{node.lineno} defines {node.name}")
        elif isinstance(node, ast.Call) and re.search(r"\.split\(['\"]\.[ \\]", ast.unparse(node)):
            found.append(f"{path}:{node.lineno} splits at a full stop")
    return found


def nothing_is_caught_blindly(path: str, source: str) -> list[str]:
    """Below surfaces, only what is named is caught. A handler that ends in a bare `raise` swallows nothing."""
    if layer_of(path) not in BELOW_SURFACES:
        return []
    broad = {"Exception", "BaseException"}
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler):
            caught = {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)} if node.type else broad
            last = node.body[-1]
            if caught & broad and not (isinstance(last, ast.Raise) and last.exc is None):
                found.append(f"{path}:{node.lineno} catches everything")
        elif isinstance(node, ast.Call) and re.search(r"\bsuppress\(.*\b(Base)?Exception\b", ast.unparse(node)):
            found.append(f"{path}:{node.lineno} suppresses everything")
    return found


def nothing_is_printed(path: str, source: str) -> list[str]:
    """Surfaces return or echo; what lies below them returns."""
    if layer_of(path) is None:
        return []
    return [f"{path}:{line} prints" for line, name in dotted_names(source) if name in ("print", "builtins.print")]


def outsiders_use_the_public_api(path: str, source: str) -> list[str]:
    """evals/ and every notebook import `wenlan_lab`, `wenlan_lab.testing`, `wenlan_lab.evals`, and nothing inside."""
    # The bench measures recall beside the bare searches that it is built on, so it has to reach them.
    if not path.startswith(("evals/", "notebooks/")) or path == "evals/bench.py":
        return []
    names = set(imported_modules(path, source)) | set(dotted_names(source))
    inside = tuple(f"wenlan_lab.{layer}" for layer in LAYERS if layer not in ("testing", "evals", "importers"))
    found = {(line, name) for line, name in names if belongs_to(name, inside)}
    for node in ast.walk(
        ast.parse(source)
    ):  # `from wenlan_lab.evals import metrics` is public, `.evals.metrics` is not
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            ("wenlan_lab.evals.", "wenlan_lab.testing.")
        ):
            found.add((node.lineno, str(node.module)))
        elif isinstance(node, ast.Import):
            found |= {
                (node.lineno, a.name) for a in node.names if a.name.startswith("wenlan_lab.") and a.name.count(".") > 1
            }
    return [f"{path}:{line} reaches inside: {name}" for line, name in sorted(found)]


RULES: tuple[Rule, ...] = (
    imports_follow_the_layers,
    packages_stay_in_their_layers,
    model_opens_nothing,
    files_are_short,
    sql_stays_in_store_and_derived,
    the_guard_has_one_home,
    time_and_chance_are_injected,
    settings_have_one_reader,
    match_strings_have_one_builder,
    sentences_end_in_one_place,
    nothing_is_caught_blindly,
    nothing_is_printed,
    outsiders_use_the_public_api,
)
