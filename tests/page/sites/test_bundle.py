"""Modules joined into one script: what is read, and what is refused; test_page_offline runs it."""

import pytest

from bidcascade.page.bundle import bundle


def joined(text: str, **others: str) -> str:
    sources = {f"{name}.js": other for name, other in others.items()}
    return bundle({"a.js": text, **sources}, ["a.js"], "run")


def test_modules_that_are_needed_stand_first_and_others_are_left_out():
    text = joined(
        'import "./b.js";\nimport { c } from "./c.js";\n',
        b='import { c } from "./c.js";\n',
        c="export const c = 1;\n",
        d="export const d = 1;\n",
    )
    assert '"a.js": ["c.js", "b.js", "a.js"],' in text
    assert "d.js" not in text


def test_lines_keep_their_numbers_within_a_module():
    text = joined('// one\nimport {\n  c,\n} from "./c.js";\nthrow c;\n', c="export const c = 1;\n")
    module = text[text.index('"a.js": function') :]
    assert module.splitlines().index("throw c;") == 5


@pytest.mark.parametrize(
    "form",
    [
        "export let a = 1;", "export var a = 1;", "export const { a } = {};",
        "export default function () {}", "export default class {}", 'export * as a from "./b.js";',
        'import b, { c } from "./b.js";', 'import b from "./b.js" with { type: "json" };',
        'import b from "package";', "import b from './b.js';", 'import { b } from "./b.js"',
    ],
)  # fmt: skip
def test_forms_that_are_not_read(form):
    with pytest.raises(ValueError, match=r"a\.js:2: expected a known form of import or export"):
        joined(f"const x = 1;\n{form}\n", b="export const b = 1;\nexport const c = 1;")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("const here = import.meta.url;", "import."), ("later = import(name);", "import("),
        ("await now();", "await"), ("const $modules = 1;", r"\$modules"),
    ],
)  # fmt: skip
def test_what_a_plain_script_cannot_do(text, what):
    with pytest.raises(
        ValueError, match=rf"a\.js:1: '{what.replace('(', '[(]')}' cannot be joined"
    ):
        joined(f"{text}\n")


def test_what_is_not_there():
    with pytest.raises(ValueError, match=r"a\.js:1: there is no module '\./c\.js'"):
        joined('import { c } from "./c.js";')
    with pytest.raises(ValueError, match=r"a\.js:1: there is no module '\./c\.js'"):
        joined('const c = await import("./c.js");')
    with pytest.raises(ValueError, match=r"'a\.js' imports 'd', which 'c\.js' does not have"):
        joined('import { d } from "./c.js";', c="export const c = 1;")
    with pytest.raises(ValueError, match=r"'a\.js' exports 'd', which 'c\.js' does not have"):
        joined('export { d } from "./c.js";', c="export const c = 1;")
    with pytest.raises(ValueError, match=r"expected a module of the page, got 'b\.js'"):
        bundle({}, ["b.js"], "run")


def test_only_functions_go_round():
    ring = 'import {{ {} }} from "./a.js";\nexport const b = 1;\n'
    text = 'import { b } from "./b.js";\nexport const c = 1;\nexport function f() { return b; }\n'
    assert "const run" in joined(text, b=ring.format("f"))
    with pytest.raises(ValueError, match=r"'b\.js' imports 'c' of 'a\.js', which imports it in tu"):
        joined(text, b=ring.format("c"))


def test_a_module_that_is_left_is_asked_for_where_it_lies():
    sources = {"a.js": 'const b = () => import("./deep/b.js");\n', "deep/b.js": "throw 1;\n"}
    text = bundle(sources, ["a.js"], "run", left=["deep/b.js"])
    assert 'import("./deep/b.js")' in text
    assert "throw" not in text
    assert "throw" in bundle(sources, ["a.js"], "run")


def test_comments_on_lines_of_their_own_are_left_out():
    text = joined(
        "// one\n/** two\n * of it */\n  const a = 1; // three\n/* four */ const b = 2;\n"
        '  const c = "// five";\n/* six */\nconst d = [\n  `/* ${a} */`,\n];\n'
    )
    module = text[text.index("yield") :]
    assert module.splitlines()[1:11] == [
        "", "", "", "const a = 1; // three", "/* four */ const b = 2;", 'const c = "// five";', "",
        "const d = [", "`/* ${a} */`,", "];",
    ]  # fmt: skip


def test_a_template_over_lines_is_not_read():
    with pytest.raises(
        ValueError, match=r"a\.js:2: expected a template on one line: 'const b = `'"
    ):
        joined("const a = 1;\nconst b = `\n  // c\n`;\n")
