"""Joins modules of JavaScript into one plain script, for pages without a server.

Browsers load no modules from ``file://``. Each module becomes a generator: its first step says
what it exports, its second runs it, so that functions are there before any module runs, as among
modules. What is read is what the page's modules use: ``import`` and ``export`` at the start of a
line, paths beginning with a dot, and ``import("./x.js")``.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

_FROM: Final = r'\s*from\s*"(?P<path>\.[^"\n]+)"'
_FORMS: Final = tuple(
    re.compile(form)
    for form in (
        rf"import\s*\{{(?P<names>[^}}]*)\}}{_FROM};",
        rf"import\s*\*\s*as\s+(?P<space>[\w$]+){_FROM};",
        rf"import\s+(?P<default>[\w$]+){_FROM};",
        r'import\s*"(?P<path>\.[^"\n]+)";',
        rf"export\s*\{{(?P<again>[^}}]*)\}}{_FROM};",
        rf"export\s*\*(?P<all>){_FROM};",
        r"export\s*\{(?P<own>[^}]*)\};",
        r"export\s+(?P<function>)(?=(?:async\s+)?function\b\s*\*?\s*(?P<name>[\w$]+))",
        r"export\s+(?=class\s+(?P<name>[\w$]+))",
        r"export\s+(?=const\s+(?P<name>[\w$]+)\s*=)",
        r"export\s+default\s+(?P<value>)(?!function\b|async\b|class\b)",
    )
)
_REMARK: Final = re.compile(r"^[ \t]*(?://.*|/\*(?:(?!\*/)[\s\S])*\*/[ \t]*)$", re.MULTILINE)
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)
_STATEMENT: Final = re.compile(r"^(?:import\b(?!\()|export\b)", re.MULTILINE)
_LATER: Final = re.compile(r'\bimport\("(\.[^"\n]+)"\)')
_LEFT: Final = 'import("./'
_UNKNOWN: Final = re.compile(
    r"\bimport\s*[.(]|^await\b|\$(?:modules|later|default)\b", re.MULTILINE
)

_RUNNING: Final = """\
  const $modules = {};
  // modules in the order in which they run
  function $run(order) {
    const fresh = order.filter((path) => !(path in $modules));
    const started = fresh.map((path) => [path, $code[path]()]);
    for (const [path, module] of started) $modules[path] = module.next().value;
    for (const [, module] of started) module.next();
  }
  async function $later(path) {
    // those that run now come first: it may need them
    await null;
    $run($orders[path]);
    return $modules[path];
  }
  // a script of one entry, and of what it needs
  function $apart(entry) {
    const orders = {};
    const waiting = [entry];
    for (const path of waiting) {
      if (path in orders) continue;
      orders[path] = $orders[path];
      for (const one of orders[path]) waiting.push(...$needed[one] ?? []);
    }
    const paths = [...new Set(Object.values(orders).flat())];
    const code = paths.map((path) => `"${path}": ${$code[path]}`);
    return [
      '"use strict";', `const $orders = ${JSON.stringify(orders)};`, `const $code = {${code}};`,
      "const $modules = {};", $run, $later, `$run($orders["${entry}"]);`, "",
    ].join("\\n");
  }
  return (path, isApart) => {
    if (isApart) return $apart(path);
    $run($orders[path] ?? []);
    return $modules[path];
  };
"""


@dataclass(slots=True)
class _Module:
    text: str
    imports: list[tuple[str, str, str]] = field(default_factory=list)
    """Path, name there, name here; the name ``*`` is the whole module, none runs it only."""
    exports: dict[str, str] = field(default_factory=dict)
    """Expression by name."""
    functions: set[str] = field(default_factory=set)
    again: list[tuple[str, str, str]] = field(default_factory=list)
    """What it exports of others: path, name there, name here; ``*`` is all."""
    later: list[str] = field(default_factory=list)
    """Modules that it asks for while it runs."""

    @property
    def needed(self) -> list[str]:
        return list(dict.fromkeys(path for path, *_ in (*self.imports, *self.again)))


def bundle(
    sources: Mapping[str, str],
    entries: Iterable[str],
    name: str,
    *,
    left: Collection[str] = (),
) -> str:
    """Write a function that runs a module with all that it imports, once, and gives its exports.

    Parameters
    ----------
    sources
        Modules by path.
    entries
        Paths that the function can be called with.
    name
        Of the function.
    left
        Paths that are not joined: ``import("./x.js")`` asks for the file itself, which lies where
        its path says, seen from the script.

    Returns
    -------
    str
        A declaration of the function. Of a module that has run it gives the exports, whether it
        is an entry or not. With true behind the entry it runs nothing, but gives the text of a
        script that runs the entry elsewhere, as in a worker, without the other modules.

    Raises
    ------
    ValueError
        If a module is written in a way that is not read here, or asks for what is not there.

    Examples
    --------
    >>> print(bundle({"a.js": 'import { b } from "./b.js";', "b.js": "export const b = 1;"},
    ...              ["a.js"], "run"))  # doctest: +ELLIPSIS
    const run = (() => {
      "use strict";
    ...
    """
    modules: dict[str, _Module] = {}
    orders: dict[str, list[str]] = {}
    waiting = list(entries)
    while waiting:
        entry = waiting.pop(0)
        if entry not in orders:
            orders[entry] = _order(entry, sources, modules, left)
            waiting += (path for one in orders[entry] for path in modules[one].later)
    for path in modules:
        _follow_all(path, modules)
    for order in orders.values():
        _check(order, modules)
    later = {path: module.later for path, module in modules.items() if module.later}
    lines = [f"const {name} = (() => {{", '  "use strict";', "  const $orders = {"]
    lines += [f'    "{entry}": {_list(order)},' for entry, order in orders.items()]
    lines += ["  };", "  const $needed = {"]
    lines += [f'    "{path}": {_list(needed)},' for path, needed in later.items()]
    lines += ["  };", "  const $code = {"]
    lines += (_written(path, modules[path]) for path in modules)
    return "\n".join([*lines, "  };", f"{_RUNNING}}})();", ""])


def _order(
    entry: str, sources: Mapping[str, str], modules: dict[str, _Module], left: Collection[str]
) -> list[str]:
    """Paths of a module and all that it needs, those that are needed first."""
    order: list[str] = []
    seen: set[str] = set()

    def walk(path: str) -> None:
        if path in seen:
            return
        seen.add(path)
        if path not in modules:
            modules[path] = _read(path, sources, left)
        for needed in modules[path].needed:
            walk(needed)
        order.append(path)

    walk(entry)
    return order


def _read(path: str, sources: Mapping[str, str], left: Collection[str]) -> _Module:
    if path not in sources:
        raise ValueError(f"expected a module of the page, got {path!r}")
    source = _shortened(path, sources[path])
    module = _Module("")

    def absolute(named: str, position: int) -> str:
        found = posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
        if found not in sources:
            raise _error(path, source, position, f"there is no module {named!r}")
        return found

    def later(found: re.Match[str]) -> str:
        asked = absolute(found[1], found.start())
        if asked in left:
            return f'{_LEFT}{asked}")'
        module.later.append(asked)
        return f'$later("{asked}")'

    done = 0
    for start in _STATEMENT.finditer(source):
        if start.start() < done:
            continue
        found = next(filter(None, (form.match(source, start.start()) for form in _FORMS)), None)
        if found is None:
            raise _error(path, source, start.start(), "expected a known form of import or export")
        module.text += source[done : found.start()]
        # lines keep their numbers
        module.text += "\n" * found[0].count("\n")
        if found.groupdict().get("value") is not None:
            module.text += "const $default = "
        done = found.end()
        parts = found.groupdict()
        if "path" in parts:
            _imported(module, parts, absolute(parts["path"], found.start()))
        else:
            _exported(module, parts)
    module.text = _LATER.sub(later, module.text + source[done:])
    own = module.text.replace("const $default = ", "").replace("$later(", "").replace(_LEFT, "")
    unknown = _UNKNOWN.search(own)
    if unknown is not None:
        raise _error(path, own, unknown.start(), f"{unknown[0]!r} cannot be joined")
    module.text = _INDENT.sub("", module.text)
    return module


def _shortened(path: str, source: str) -> str:
    """Leave out comments on lines of their own, a tenth of what comes through the network."""
    # lines keep their numbers
    shorter = _REMARK.sub(lambda found: "\n" * found[0].count("\n"), source)
    for line in re.finditer(".+", shorter):
        if line[0].count("`") % 2:
            # what looks like a comment may be its text
            raise _error(path, shorter, line.start(), "expected a template on one line")
    return shorter


def _imported(module: _Module, parts: Mapping[str, str], path: str) -> None:
    if "names" in parts:
        # also of a list that is empty
        module.imports.append((path, "", ""))
        module.imports += ((path, there, here) for there, here in _pairs(parts["names"]))
    elif "again" in parts:
        module.again += ((path, there, here) for there, here in _pairs(parts["again"]))
    elif "all" in parts:
        module.again.append((path, "*", "*"))
    elif "space" in parts:
        module.imports.append((path, "*", parts["space"]))
    else:
        module.imports.append(
            (path, "default" if "default" in parts else "", parts.get("default", ""))
        )


def _exported(module: _Module, parts: Mapping[str, str]) -> None:
    if "own" in parts:
        module.exports |= {there: here for here, there in _pairs(parts["own"])}
    elif "value" in parts:
        module.exports["default"] = "$default"
    else:
        module.exports[parts["name"]] = parts["name"]
        if "function" in parts:
            module.functions.add(parts["name"])


def _pairs(names: str) -> list[tuple[str, str]]:
    """Names of a list, and what each becomes: ``a as b``."""
    words = (part.split() for part in names.split(",") if part.strip())
    return [(one[0], one[-1]) for one in words]


def _follow_all(path: str, modules: Mapping[str, _Module]) -> None:
    """Put what a module exports of others among its exports."""
    module = modules[path]
    again, module.again = module.again, []
    for other, there, here in again:
        _follow_all(other, modules)
        # keep the module among those that are needed
        module.imports.append((other, "", ""))
        names = (
            [(name, name) for name in modules[other].exports if name != "default"]
            if there == "*"
            else [(there, here)]
        )
        for name, own in names:
            module.exports[own] = f'$modules["{other}"].{name}'
            if name not in modules[other].exports:
                raise ValueError(f"module {path!r} exports {name!r}, which {other!r} does not have")
            if name in modules[other].functions:
                module.functions.add(own)


def _check(order: list[str], modules: Mapping[str, _Module]) -> None:
    """Check that all names are there that modules import, and are there in time."""
    place = {path: number for number, path in enumerate(order)}
    for path in order:
        for other, name, _ in modules[path].imports:
            if name in ("", "*"):
                continue
            if name not in modules[other].exports:
                raise ValueError(f"module {path!r} imports {name!r}, which {other!r} does not have")
            if place[other] >= place[path] and name not in modules[other].functions:
                raise ValueError(
                    f"module {path!r} imports {name!r} of {other!r}, which imports it in turn: "
                    "only functions may go round"
                )


def _written(path: str, module: _Module) -> str:
    exports = ", ".join(f"get {name}() {{ return {own}; }}" for name, own in module.exports.items())
    taken: dict[str, list[str]] = {}
    wholes = []
    for other, name, here in module.imports:
        if name == "*":
            wholes.append(f'const {here} = $modules["{other}"];')
        elif name:
            taken.setdefault(other, []).append(name if name == here else f"{name}: {here}")
    lists = [f'const {{ {", ".join(names)} }} = $modules["{one}"];' for one, names in taken.items()]
    head = " ".join([f"yield {{ {exports} }};", *wholes, *lists])
    return f'    "{path}": function* () {{ {head}\n{module.text}\n    }},'


def _list(paths: list[str]) -> str:
    return "[" + ", ".join(f'"{path}"' for path in paths) + "]"


def _error(path: str, source: str, position: int, message: str) -> ValueError:
    line = source.count("\n", 0, position) + 1
    text = source.splitlines()[line - 1].strip()
    return ValueError(f"{path}:{line}: {message}: {text[:80]!r}")
