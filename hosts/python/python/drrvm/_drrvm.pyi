"""The part of drrvm that is written in Rust; import `drrvm` instead."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, final

__all__ = [
    "APFloat",
    "APInt",
    "Attribute",
    "Attributes",
    "Comparison",
    "Diagnostic",
    "Difference",
    "Explanation",
    "Location",
    "Match",
    "Mirror",
    "Module",
    "NotConverged",
    "Operation",
    "Profile",
    "Result",
    "Rewriter",
    "Rules",
    "Type",
    "Value",
    "Walk",
    "compile",
    "equiv",
    "xdsl_module",
]

_Path = str | PathLike[str]
_Text = str | bytes | bytearray
_Native = Callable[..., Any]
_Order = Literal["pre", "post"]

@final
class Diagnostic:
    """One error, warning or note."""

    @property
    def severity(self) -> Literal["error", "warning", "note"]:
        """The severity: `"error"`, `"warning"` or `"note"`."""
    @property
    def message(self) -> str:
        """The message, without its place."""
    @property
    def file(self) -> str | None:
        """The name of the file; `None` if the place is unknown."""
    @property
    def line(self) -> int | None:
        """The line, from 1."""
    @property
    def column(self) -> int | None:
        """The column, from 1."""
    @property
    def notes(self) -> list[str]:
        """Notes, without their places."""
    @property
    def help(self) -> list[str]:
        """Advice."""
    @property
    def rendered(self) -> str:
        """The diagnostic with its source line and a caret."""

@final
class Type:
    """A type. Types are equal if their texts are equal."""

    def __new__(cls, text: str) -> Type: ...
    @property
    def kind(
        self,
    ) -> Literal[
        "integer",
        "index",
        "float",
        "none",
        "complex",
        "vector",
        "tensor",
        "memref",
        "function",
        "tuple",
        "dialect",
    ]:
        """The kind: `"integer"`, `"index"`, `"float"`, `"none"`, `"complex"`, `"vector"`, `"tensor"`, `"memref"`,
        `"function"`, `"tuple"` or `"dialect"`.
        """
    @property
    def width(self) -> int | None:
        """The number of bits of an integer or float; otherwise `None`."""
    @property
    def shape(self) -> list[int | None] | None:
        """The sizes of a vector, tensor or memref, with `None` for an unknown size; `None` for types without a rank."""
    @property
    def element_type(self) -> Type | None:
        """The element type of a vector, tensor, memref or complex type; otherwise `None`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Attribute:
    """An attribute. Attributes are equal if their texts are equal."""

    def __new__(cls, text: str) -> Attribute: ...
    @staticmethod
    def of(value: object, type: Type | str | None = None) -> Attribute:
        """The attribute of a Python value: a `bool`, an `int` or `float` of the given `type` (by default `i64` and `f64`),
        a `str`, a `Type`, an `Attribute`, `None` for `unit`, or a list, tuple or dictionary of these.
        """
    @property
    def value(self) -> Any:
        """The value in Python: a `bool` for an integer of one bit, an `int`, `float`, `str`, `Type`, list or dictionary,
        and `None` for `unit`. Dense elements are a list, or the one element if they are a splat. A dense array is
        always a list. A reference to a symbol is its text.

        Raises `TypeError` for an attribute without such a value.
        """
    @property
    def type(self) -> Type | None:
        """The type of the attribute, such as `i32` for `1 : i32`; `None` if the attribute has no type."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Location:
    """A location. Locations are equal if their texts are equal."""

    def __new__(cls, text: str) -> Location: ...
    @property
    def file(self) -> str | None:
        """The file; `None` if the location has none."""
    @property
    def line(self) -> int | None:
        """The line, from 1; `None` if the location has none."""
    @property
    def column(self) -> int | None:
        """The column, from 1; `None` if the location has none."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class APInt:
    """An integer of a fixed width."""

    def __new__(cls, value: int, width: int) -> APInt: ...
    @property
    def width(self) -> int:
        """The number of bits."""
    @property
    def signed(self) -> int:
        """The value as a signed number."""
    @property
    def unsigned(self) -> int:
        """The value as an unsigned number."""
    def __int__(self, /) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class APFloat:
    """A float of a named format."""

    def __new__(cls, value: float, format: str = "f64") -> APFloat: ...
    @property
    def format(self) -> str:
        """The name of the format: `"f32"`."""
    @property
    def bits(self) -> int:
        """The bits of the representation."""
    def __float__(self, /) -> float: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Attributes:
    """The attributes of an operation at the time when they were read: a read-only mapping from names to attributes."""

    def __len__(self, /) -> int: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __getitem__(self, name: str, /) -> Attribute: ...
    def __iter__(self, /) -> Iterator[str]: ...
    def get(self, name: str, default: Attribute | None = None) -> Attribute | None:
        """The attribute of this name, or `default`."""
    def keys(self) -> list[str]:
        """The names."""
    def values(self) -> list[Attribute]:
        """The attributes."""
    def items(self) -> list[tuple[str, Attribute]]:
        """The names and attributes."""

@final
class Value:
    """A value: the result of an operation, or an argument of a block."""

    @property
    def type(self) -> Type:
        """The type."""
    @property
    def defining_op(self) -> Operation | None:
        """The operation that defines this value; `None` for an argument of a block."""
    @property
    def index(self) -> int:
        """The index among the results of the operation, or among the arguments of the block."""
    @property
    def uses(self) -> list[tuple[Operation, int]]:
        """The uses: each operation that uses the value, with the index of the operand."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Operation:
    """An operation of a module.

    Reading an operation that rules have erased raises `StaleError`.
    """

    @property
    def name(self) -> str:
        """The name: `"arith.addi"`."""
    @property
    def operands(self) -> list[Value]:
        """The operands."""
    @property
    def results(self) -> list[Value]:
        """The results."""
    @property
    def attributes(self) -> Attributes:
        """The inherent and discardable attributes by name: a read-only mapping."""
    @property
    def location(self) -> Location:
        """The location."""
    @property
    def parent(self) -> Operation | None:
        """The operation that contains this one; `None` for the top operation."""
    @property
    def regions(self) -> list[list[list[Operation]]]:
        """The blocks of each region, with the operations of each block."""
    def walk(self, order: _Order = "pre") -> Walk:
        """Iterates over this operation and the operations inside it."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Walk:
    """An iterator over operations."""

    def __iter__(self, /) -> Walk: ...
    def __next__(self, /) -> Operation: ...
    def __length_hint__(self) -> int: ...

@final
class Module:
    """A module of MLIR.

    `Module.parse(text)` reads a module, and `str(module)` prints it.
    """

    @staticmethod
    def parse(text: _Text, *, name: str = "<string>", verify: bool = True) -> Module:
        """Reads a module from text: the generic form of any operation, the custom forms of `builtin`, `func`, `arith` and
        `cf`, and the custom forms that drrvm implements in Rust, such as `scf.for`. `name` is the name of the file in
        messages. `verify=False` accepts invalid modules.
        """
    @staticmethod
    def load(path: _Path, *, verify: bool = True) -> Module:
        """Reads a module from a file."""
    def text(self, *, generic: bool = False, debug_info: bool = False, local_scope: bool = False) -> str:
        """The text. `generic`: every operation in generic form; `debug_info`: with locations; `local_scope`: without
        aliases.
        """
    @property
    def top(self) -> Operation:
        """The operation that contains all others."""
    def walk(self, order: _Order = "pre") -> Walk:
        """Iterates over all operations, including the top one. In the order `"pre"` an operation comes before the
        operations inside it, in the order `"post"` after them.
        """
    def verify(self) -> None:
        """Raises `VerifyError` if the module is invalid. Only operations of `builtin`, `func`, `arith` and `cf` are
        verified by their definition.
        """
    def copy(self) -> Module:
        """A copy. Later changes of this module do not change the copy."""
    def __copy__(self) -> Module: ...
    def __deepcopy__(self, _memo: Any) -> Module: ...
    def __len__(self, /) -> int: ...

@final
class Mirror:
    """A module that was read from xDSL, with the objects that it was read from."""

    def __new__(cls, top: Any, rules: Rules | None = None) -> Mirror: ...
    @property
    def module(self) -> Module:
        """The module, which rules can rewrite."""
    def write(self, maker: Any) -> None:
        """Changes the module of xDSL so that it equals `module`. `maker` creates the new types, attributes and locations."""

def xdsl_module(module: Module, maker: Any) -> Any:
    """Creates an operation `builtin.module` of xDSL that equals a module. `maker` creates the types, attributes and
    locations.
    """

@final
class Rewriter:
    """Creates, replaces and erases operations for a native. Replacements and erasures take effect when the rule that calls
    the native is applied. A native receives a rewriter if its first parameter has this type.
    """

    @property
    def root(self) -> Operation:
        """The operation at which the rule matched. New operations are inserted before it."""
    def create(
        self,
        name: str,
        operands: Sequence[Value] = ...,
        attributes: dict[str, Attribute] | None = None,
        types: Sequence[Type] = ...,
    ) -> Operation:
        """Creates an operation before the root, with the location of the root."""
    def replace(self, op: Operation, values: Sequence[Value]) -> None:
        """Replaces the results of an operation and erases it when the rule is applied."""
    def erase(self, op: Operation) -> None:
        """Erases an operation when the rule is applied."""

@final
class NotConverged:
    """The rules that still fired when a limit was reached."""

    @property
    def limit(self) -> Literal["max_iterations", "max_rewrites"]:
        """The limit that was reached: `"max_iterations"` or `"max_rewrites"`."""
    @property
    def value(self) -> int:
        """The value of the limit."""
    @property
    def rules(self) -> list[tuple[str, int]]:
        """The rules of the last rewrites, the most frequent first, with the number of their rewrites."""
    @property
    def cycle(self) -> list[str] | None:
        """The rules of the cycle that the last rewrites repeat, if there is one."""

@final
class Result:
    """The result of `Rules.apply`."""

    @property
    def module(self) -> Module:
        """The rewritten module."""
    @property
    def rewrites(self) -> dict[str, int]:
        """The number of rewrites by each rule, without the rules that were not applied."""
    @property
    def not_converged(self) -> NotConverged | None:
        """The reason why the driver stopped early; `None` if it finished."""
    @property
    def converged(self) -> bool:
        """True if the driver finished, and did not reach a limit."""
    @property
    def changed(self) -> bool:
        """True if anything changed."""
    @property
    def visited(self) -> int:
        """The number of times that rules were tried on an operation."""
    @property
    def refused(self) -> int:
        """The number of matches that were rolled back, for example because a native refused or no type could be inferred."""
    @property
    def removed(self) -> int:
        """The number of operations that were removed because they were dead or in an unreachable block."""
    @property
    def folded(self) -> int:
        """The number of times that an operation was folded."""
    @property
    def merged(self) -> int:
        """The number of constants that were merged into an equal constant."""
    @property
    def iterations(self) -> int:
        """The number of sweeps of the greedy driver; 1 for the driver `"walk"`."""

@final
class Match:
    """A match of a rule."""

    @property
    def rule(self) -> str:
        """The name of the rule."""
    @property
    def operation(self) -> Operation:
        """The operation at which the rule matches."""
    @property
    def bindings(self) -> dict[str, Any]:
        """The matched parts of the IR by the symbols of the rule, without the dollar sign: `"x"` for `$x`."""

@final
class Explanation:
    """The reasons why rules match or do not match. `str()` returns a text for people."""

    @property
    def data(self) -> dict[str, Any]:
        """The explanation as lists and dictionaries, as `drrvm explain --format json` prints it."""

@final
class Profile:
    """The cost and the effect of rules on modules. `str()` returns a table. A notebook displays an interactive page or,
    for rules from a compiled program, the table.
    """

    @property
    def data(self) -> dict[str, Any]:
        """The counts as lists and dictionaries, as `drrvm profile --format json` prints them."""
    def html(self) -> str:
        """A self-contained page with the decision tree, the rules, and the modules with the rules that fired.

        Raises `ValueError` for rules that were loaded from a compiled program, which has no tree.
        """
    def save(self, path: _Path) -> None:
        """Writes the page to a file."""
    def _repr_html_(self) -> str:
        """The page in a frame, so that its styles do not affect the notebook; without a page, the table."""

@final
class Difference:
    """A module on which two sides differ."""

    @property
    def case(self) -> int:
        """The number of the case."""
    @property
    def kind(self) -> Literal["modules", "matches", "meaning"]:
        """The kind of the difference: `"modules"`, `"matches"` or `"meaning"`."""
    @property
    def input(self) -> str:
        """The shrunk module, before rewriting."""
    @property
    def outputs(self) -> tuple[str, str]:
        """For each side, the rewritten module; if `mode` is `"match"`, the module after at most one rewrite."""
    @property
    def fired(self) -> tuple[dict[str, int], dict[str, int]]:
        """For each side, the number of times that each rule was applied, or matched if `mode` is `"match"`."""
    @property
    def detail(self) -> str:
        """The difference in words."""

@final
class Comparison:
    """The result of `equiv`. It is true if the verdict is `"same"`."""

    @property
    def verdict(self) -> Literal["same", "different", "undecided"]:
        """The verdict: `"same"`, `"different"`, or `"undecided"` if not everything could be compared."""
    @property
    def cases(self) -> int:
        """The number of modules that were compared."""
    @property
    def seed(self) -> int:
        """The seed of the modules."""
    @property
    def difference(self) -> Difference | None:
        """The first difference, on a module that is shrunk; `None` if there is none."""
    @property
    def unfired(self) -> tuple[dict[str, str], dict[str, str]]:
        """The rules of each side that never fired, or never matched if `mode` is `"match"`, with the reason."""
    @property
    def not_converged(self) -> tuple[int, int]:
        """For each side, the number of modules for which its rules did not converge."""
    @property
    def uninterpreted(self) -> int:
        """The number of modules that `mode="semantics"` could not interpret."""
    def __bool__(self, /) -> bool: ...

@final
class Rules:
    """Compiled rules. They are immutable, and threads can share them."""

    @staticmethod
    def load(
        program: _Path | bytes,
        *,
        natives: Mapping[str, _Native] | None = None,
        type_inference: Mapping[str, Callable[[list[Value], dict[str, Attribute]], Sequence[Type]]] | None = None,
        enable: Sequence[str] = ...,
        disable: Sequence[str] = ...,
        allow_missing_natives: bool = False,
    ) -> Rules:
        """Loads a compiled program from a path or from bytes."""
    def save(self, path: _Path) -> None:
        """Writes the compiled program to a file, without natives."""
    def to_bytes(self) -> bytes:
        """The compiled program, without natives, as `load` accepts it."""
    @property
    def names(self) -> list[str]:
        """The names of the rules."""
    @property
    def left_out(self) -> list[str]:
        """The rules that are left out, because they are deselected or call missing natives."""
    @property
    def warnings(self) -> list[Diagnostic]:
        """The warnings of compilation."""
    def apply(
        self,
        module: Module | _Text,
        *,
        driver: Literal["greedy", "walk"] | str = "greedy",
        max_iterations: int = 10,
        max_rewrites: int | None = None,
        traversal: Literal["bottom-up", "top-down"] | str = "bottom-up",
        fold: bool = True,
        merge_constants: bool = True,
        engine: Literal["auto", "tree", "automaton", "reference"] | str = "auto",
        verify: bool = True,
    ) -> Result:
        """Rewrites a module.

        `module` is a `Module`, which is rewritten in place, or a text. If anything raises an exception, a `Module` is
        unchanged.

        `driver`: `"greedy"` applies rules until nothing changes, `"walk"` visits each operation once. The next keywords
        are options of the greedy driver. `max_iterations` is the maximum number of sweeps. `max_rewrites` is the
        maximum number of rewrites and folds together, by default 10,000 plus 8 for each operation. `traversal`:
        `"bottom-up"` or `"top-down"`. `fold` and `merge_constants` can be turned off.

        `engine`: `"auto"`, `"tree"`, `"automaton"` or `"reference"`. All engines find the same matches. `verify`: if
        true, the module is verified before and after rewriting, and its operations are checked against their
        definitions in the rules.
        """
    def matches(self, module: Module | _Text, *, all: bool = False) -> list[Match]:
        """Finds the operations of a module at which a rule matches, without changing the module.

        Returns the first match at each operation, or all matches with `all=True`.
        """
    def explain(
        self,
        subject: Operation | Module | _Text,
        rule: str | Sequence[str] | None = None,
        *,
        count: int = 10,
    ) -> Explanation:
        """Explains why rules match or do not match.

        `subject` is an operation, a module, or the text of a module. For an operation, explains all rules whose root
        can match it. For a module, considers the rules that match no operation, and explains the `count` pairs of a
        rule and an operation that come closest to a match. `rule` selects the rules that are explained: a name or
        label, or a list of names and labels.
        """
    def check(self) -> list[Diagnostic]:
        """Returns warnings about rules that compile, but are probably wrong: rules that can never match, are never
        applied, may rewrite without end, bind symbols that they do not use, or may change types.
        """
    def profile(
        self,
        *modules: Module | _Text,
        driver: Literal["greedy", "walk"] | str = "greedy",
        max_iterations: int = 10,
        max_rewrites: int | None = None,
        traversal: Literal["bottom-up", "top-down"] | str = "bottom-up",
        fold: bool = True,
        merge_constants: bool = True,
    ) -> Profile:
        """Rewrites copies of modules or texts, and reports the cost and the effect of each rule. The keywords are those of
        `apply`.
        """
    def __len__(self, /) -> int: ...

def equiv(
    a: Rules,
    b: Rules | None = None,
    *,
    mode: Literal["rewrite", "match", "semantics"] | str = "rewrite",
    cases: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    max_rewrites: int = 1000,
    jobs: int | None = None,
) -> Comparison:
    """Searches for a module on which two rule sets give different results.

    Compares `a` and `b` on random modules, which contain instances of their rules. `mode`: `"rewrite"` compares the
    rewritten modules, `"match"` the matches at each operation, and `"semantics"` the results of functions with `arith`
    operations. In the mode `"semantics"`, `b` can be missing; then the modules are compared before and after rewriting
    with `a`.

    Stops after `cases` modules, or after `seconds`. `jobs` is the number of threads, by default the number of
    processors. If a rule set has Python functions, `jobs` is ignored, and there is one thread.
    """
def compile(
    files: _Path | Iterable[_Path] | None = None,
    *,
    td: str | None = None,
    pdl: str | None = None,
    include: _Path | Iterable[_Path] | None = None,
    define: Sequence[str] = ...,
    natives: Mapping[str, _Native] | None = None,
    type_inference: Mapping[str, Callable[[list[Value], dict[str, Attribute]], Sequence[Type]]] | None = None,
    enable: Sequence[str] = ...,
    disable: Sequence[str] = ...,
    skip_rejected: bool = False,
    allow_missing_natives: bool = False,
) -> Rules:
    """Compiles rules.

    `files`: a path or a list of paths. The files are TableGen files (`.td`) and `pdl` files (`.mlir`), or a single
    compiled program (`.drrbc`). `td` and `pdl` are texts in these languages. All rules together are one rule set; the
    order of the files breaks ties between rules of equal benefit.

    `include`: folders that are searched for included files before the embedded headers of MLIR. `define`: macros of
    TableGen's preprocessor. `natives`: functions by the name that the rules call. `type_inference`: functions by the
    name of an operation; they get the operands and the attributes of a new operation, and return its result types.
    `enable` and `disable` select rules by name or label. `skip_rejected` skips rules that have errors, with a warning
    for each. `allow_missing_natives` leaves out rules that call missing natives.

    Raises `RuleError` with all errors of the rules, or `MissingNativeError` for missing natives. Warnings have the
    category `RuleWarning`.
    """
