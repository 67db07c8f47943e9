"""What is read is plain, standard English: find phrases and verbs that were replaced."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path
from tokenize import COMMENT, generate_tokens
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ("scoring", "schemas", "service", "client")
PAGES: Final = (
    "*.md",
    "openapi-audit.yaml",
    "docs/**/*.md",
    "examples/*.md",
    "tests/**/*.md",
    "web/**/*.md",
    "web/**/*.mjs",
    "web/**/*.ts",
    "web/**/*.tsx",
    "service/**/*.html",
    "service/pages/static/*.js",
)
"""Files that are read as they are: pages of the docs, and those of browsers with their sources."""
REPLACED: Final = {
    r"\b(is|are) right\b": "expected X",
    r"\bis missing; it must be given\b": "is required",
    r"\bit must be (given|like|a whole number)\b": "expected X",
    r"\bleave it out\b": "omit it",
    r"\bhas not the shape\b": "validation failed",
    r"\bcannot be like this\b": "invalid round",
    r"\b[Nn]o such\b": "not found, does not exist",
    r"\b[Tt]he hand cannot be\b": "invalid hand",
    r"\b[Tt]hat cannot be done here\b": "method not allowed",
    r"\b[Tt]he key does not open this\b": "insufficient scope",
    r"\b[Tt]he body is of another kind\b": "unsupported media type",
    r"\bdid not come whole\b": "incomplete request",
    r"\btakes no such step\b": "invalid dispute transition",
    r"\b(came|comes) to\b": "result, score",
    r"\b[Nn]obody (pays|owes) any(body|thing)\b": "no payments",
    r"\bopens? nothing\b": "is revoked",
    r"\bin front( of (him|them|one|a player))?[,.;]": "stack",
    r"\b[Ff]irmness\b": "settlement state, finality",
    r"\b[Ss]et aside\b": "dead-lettered",
    r"\b[Uu]nforeseen\b": "unhandled exception",
    r"\b(there and back|to and fro)\b": "round trip",
    r"\b([Rr]e)?(told|tells)\b": "encode, decode, replay, distinguish",
    r"\b(vandal|thief|leash)\b": "a standard term",
    r"\b(hears?|heard)\b": "receive",
    r"\b(he|him|his|she|hers?)\b": "they, them, their",
    r"\bany more\b": "no longer",
    r"\bcould not have followed\b": "does not follow, no longer follows",
    r"\banew\b": "again",
    r"\bbut for\b": "except",
    r"\bstands? for\b": "covers, means",
    r"\bchunks? rests?\b": "waits",
    r"\b(answers? with|does not answer|do not answer)\b": "responds with, does not respond",
    r"\bbecame of\b": "result",
    r"\bwhat( [\w`']+){1,4} says\b": "the content of",
    r"\bhow far [\w' ]+ is\b": "state, progress",
    r"\b(must|should) be made whole\b|\bmade whole\b": "rounded, integer",
    r"\b(is|are) of no known\b": "is unknown",
}
"""The phrases that nothing has which is read, as regular expressions, and what to write instead."""


NOT_DOCSTRING_VERBS: Final = frozenset({"Say", "Give", "Let", "Keep", "Name", "Make", "Put", "Tell", "Hear"})
"""Verbs that do not say what a function does; write Return, Build, Insert, Lock, Validate, Store, Send …"""
NOT_VERBS: Final = frozenset(
    {"A", "An", "How", "Its", "No", "Nothing", "Of", "The", "What", "Where", "Whether", "Which", "Who", "Whoever"}
)
"""First words of docstrings without a verb; only properties have such docstrings."""
DOCUMENTED: Final = (*SOURCES, "evidence", "migrations")
NOT_IN_TEST_NAMES: Final = re.compile(
    "_(anew|answer|answered|answers|aside|asked|begun|forgets|gone|he|heard|hears|him|his|kept|lets?|said|say|saying"
    "|says|somebody|tells?|told|unsaid|whoever)(?=_|$)"
)
"""Words that the names of tests do not have; write stored, reported, shown, refused, left, busted, they …"""
NOT_NAMES_OF_VALUES: Final = frozenset({"found", "given", "made", "wanted"})
"""Participles, which say what was done and not what a value is. They can be fields of JSON documents."""
NOT_IN_CODES: Final = frozenset({"aside", "beyond", "gone", "kept", "said", "sayer", "stands", "told"})
"""Words that the codes of errors do not have."""


def read_messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the string literals of a module except docstrings, each with its line; values in f-strings are `{}`."""
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        # A string that is a statement is a docstring, of a function or of the name before it.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            skipped.update(part for part in node.values if isinstance(part, ast.Constant))
            yield node.lineno, "".join(map(str, parts))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node.lineno, node.value


def read_comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a module and the strings that are statements, as docstrings are, each with its line."""
    for token in generate_tokens(StringIO(source).readline):
        if token.type == COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


@cache
def texts() -> list[tuple[Path, int, str]]:
    """Return everything that is read: messages, docstrings and comments of modules, and pages, each with its line."""
    modules = [
        (path, *passage)
        for path in sources(DOCUMENTED)
        for read in (read_messages, read_comments)
        for passage in read(path.read_text(encoding="utf-8"))
    ]
    pages = {path for pattern in PAGES for path in ROOT.glob(pattern) if "node_modules" not in path.parts}
    return [*modules, *((path, 1, path.read_text(encoding="utf-8")) for path in sorted(pages))]


@cache
def messages() -> list[tuple[Path, int, str]]:
    return [
        (path, *message) for path in sources(SOURCES) for message in read_messages(path.read_text(encoding="utf-8"))
    ]


@cache
def docstrings() -> list[tuple[Path, int, str]]:
    return [
        (path, *docstring)
        for path in sources(DOCUMENTED)
        for docstring in read_docstrings(path.read_text(encoding="utf-8"))
    ]


def sources(folders: tuple[str, ...]) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def read_docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstring of each function of a module except properties, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_property = any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
            docstring = ast.get_docstring(node)
            if docstring and not is_property:
                yield node.lineno, docstring


def find_phrases() -> Iterator[str]:
    """Yield every replaced phrase, with its place and what to write instead."""
    for phrase, instead in REPLACED.items():
        pattern = re.compile(phrase.replace(" ", r"\s+"))
        for path, line, text in texts():
            for match in pattern.finditer(text):
                place = f"{path.relative_to(ROOT)}:{line + text.count(chr(10), 0, match.start())}"
                yield f"{place}: {match[0]!r}; write {instead!r}"


def find_docstrings() -> Iterator[str]:
    """Yield every docstring of a function that does not begin with a verb that says what it does."""
    for path, line, docstring in docstrings():
        if docstring.split(maxsplit=1)[0].strip(".,:;`") in NOT_DOCSTRING_VERBS | NOT_VERBS:
            yield f"{path.relative_to(ROOT)}:{line}: {docstring.splitlines()[0]!r} does not begin with a verb"


def find_names_of_tests() -> Iterator[str]:
    """Yield every name of a test with a replaced word."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            if NOT_IN_TEST_NAMES.search(name):
                yield f"{path.relative_to(ROOT)}: {name}"


def read_names_of_values(source: str) -> Iterator[tuple[int, str]]:
    """Yield the name of each parameter and of each variable of a module, with its line; not those of fields."""
    module = ast.parse(source)
    fields = {
        id(target)
        for class_ in ast.walk(module)
        if isinstance(class_, ast.ClassDef)
        for statement in class_.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in ast.walk(statement)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.lineno, node.id


def find_names_of_values() -> Iterator[str]:
    """Yield every parameter and variable that is named with a participle."""
    for path in sources((*DOCUMENTED, "benchmarks", "tests")):
        for line, name in read_names_of_values(path.read_text(encoding="utf-8")):
            if name in NOT_NAMES_OF_VALUES:
                yield f"{path.relative_to(ROOT)}:{line}: {name}"


def find_codes() -> Iterator[str]:
    """Yield every code of an error with a replaced word."""
    for path, line, message in messages():
        if re.fullmatch(r"[a-z]+(-[a-z]+)+", message) and NOT_IN_CODES & set(message.split("-")):
            yield f"{path.relative_to(ROOT)}:{line}: {message!r}"
