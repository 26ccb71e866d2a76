//! Fuzz targets of C++ text: [`snippet()`] generates texts from the library of built-ins, and [`functions()`] takes the
//! bytes as a source file.
//!
//! Specification: if a generated text compiles, two evaluations of it give the same result. Errors of the compiler are
//! accepted, but many generated texts are well-typed.

use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use super::show;
use crate::frontend::cxx::{
    self, Expected, Functions, Helpers, NoResolver, Placeholder, Request, Resolver, Text,
};
use crate::host::{Bind, Entity, Ir, Natives};
use crate::ir::{self, Context, IrHost, OpId};
use crate::pdl::random::Tape;
use crate::snippet::{
    Arg, AttrClass, Form, IntTy, Item, Linked, ROWS, Receiver, Returns, Row, Snippets, Ty, TypeClass,
};
use crate::source::{SourceMap, Span};

/// Interprets bytes as decisions of a generator of C++ text, which is then compiled and evaluated.
pub fn snippet(bytes: &[u8]) {
    let mut writer = Writer { tape: Tape::new(bytes), text: String::new() };
    let expected = if writer.tape.chance(3) { Expected::Any } else { Expected::Predicate };
    let ty = if expected == Expected::Any { writer.any_ty() } else { Ty::BOOL };
    writer.expr(ty, 5);
    let Writer { mut tape, text } = writer;

    let mut snippets = Snippets::default();
    snippets.add_constant_op("arith.constant", "value");
    let request = Request { params: params(), expected, resolver: &NoResolver };
    let text = Text::new(&text, Span::NONE);
    let id = match cxx::compile(&mut snippets, &text, &request) {
        Ok(id) => id,
        Err(failure) => return show(&failure.into_diagnostic().into(), &SourceMap::default()),
    };
    let mut world = world().clone();
    let linked = Linked::link(&snippets, &mut world.host, &Natives::new());
    let host = &world.host;
    for _ in 0..4 {
        let op = world.ops[tape.draw(world.ops.len())];
        let args = [
            Entity::Type(world.types[tape.draw(world.types.len())]),
            Entity::Attr(Some(world.attrs[tape.draw(world.attrs.len())])),
            Entity::Value(Some(host.operand(op, 0))),
            Entity::Values((0..host.operand_count(op)).map(|i| host.operand(op, i)).collect()),
            Entity::Op(op),
        ];
        let ask = || match expected {
            Expected::Predicate => linked.holds(&snippets, id, host, &args).map(Option::unwrap_or_default),
            _ => linked.value(&snippets, id, host, &args),
        };
        let (first, second) = (ask(), ask());
        // After an evaluation with too many steps, later evaluations fail for another reason.
        if first.is_ok() || second.is_ok() {
            assert_eq!(first, second, "a second evaluation gives another result");
        }
    }
}

/// The functions of a source file, as a resolver.
struct Source(Helpers);

impl Resolver for Source {
    fn helpers(&self) -> Option<&Helpers> {
        Some(&self.0)
    }
}

/// The different names that precede an opening parenthesis, at most 24.
fn called_names(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices('(') {
        let before = text[..at].trim_end();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = &before[before.trim_end_matches(word).len()..];
        if !name.is_empty() && !names.contains(&name) && names.len() < 24 {
            names.push(name);
        }
    }
    names
}

/// Takes the bytes as a C++ source file, and compiles and evaluates calls of its functions. The file may contain
/// anything: a function is compiled, or it stays a native.
pub fn functions(bytes: &[u8]) {
    const CALLS: &[&str] =
        &["", "$type", "$attr", "$value", "$op", "3", "-7, 2", "$attr, $attr", "$_builder, $attr", "$values"];
    let text = String::from_utf8_lossy(bytes).into_owned();
    let names: Vec<String> = called_names(&text).into_iter().map(str::to_owned).collect();
    let mut sources = SourceMap::default();
    let Ok(file) = sources.add("helpers.cpp", text) else { return };
    let mut functions = Functions::of_library();
    functions.add(sources.file(file));
    let functions = Arc::new(functions);
    let mut world = world().clone();
    for (number, name) in names.iter().enumerate() {
        for (index, args) in CALLS.iter().enumerate() {
            // Each call gets a fresh table of helpers, as each rule set does.
            let source = Source(Helpers::new(&functions));
            let mut snippets = Snippets::default();
            snippets.add_constant_op("arith.constant", "value");
            let request = Request { params: params(), expected: Expected::Any, resolver: &source };
            let text = Text::new(&format!("{name}({args})"), Span::NONE);
            let compiled = cxx::compile(&mut snippets, &text, &request);
            assert!(!source.0.notes().has_errors(), "a helper that stays a native is not an error");
            let id = match compiled {
                Ok(id) => id,
                Err(failure) => {
                    show(&failure.into_diagnostic().into(), &sources);
                    continue;
                }
            };
            let linked = Linked::link(&snippets, &mut world.host, &Natives::new());
            if !linked.missing().is_empty() || snippets.get(id).rewrites {
                continue;
            }
            let host = &world.host;
            let op = world.ops[(number + index) % world.ops.len()];
            let args = [
                Entity::Type(world.types[(number + index) % world.types.len()]),
                Entity::Attr(Some(world.attrs[(3 * number + index) % world.attrs.len()])),
                Entity::Value(Some(host.operand(op, 0))),
                Entity::Values((0..host.operand_count(op)).map(|i| host.operand(op, i)).collect()),
                Entity::Op(op),
            ];
            // The budget of steps bounds the time.
            drop(linked.value(&snippets, id, host, &args));
        }
    }
}

fn params() -> &'static [Placeholder] {
    static PARAMS: OnceLock<[Placeholder; 5]> = OnceLock::new();
    PARAMS.get_or_init(|| {
        [
            Placeholder::new("$type", Ty::TYPE),
            Placeholder::new("$attr", Ty::ATTR),
            Placeholder::new("$value", Ty::VALUE),
            Placeholder::new("$values", Ty::range(Item::Value)),
            Placeholder::new("$op", Ty::OP),
        ]
    })
}

/// The entities that texts receive as arguments.
#[derive(Clone)]
struct World {
    host: IrHost,
    types: Vec<ir::TypeId>,
    attrs: Vec<ir::AttrId>,
    ops: Vec<OpId>,
}

const TYPES: &[&str] = &[
    "i32",
    "i1",
    "ui8",
    "si64",
    "i128",
    "i0",
    "index",
    "f32",
    "bf16",
    "f80",
    "f8E4M3FN",
    "none",
    "complex<f32>",
    "tensor<4x?x8xf32>",
    "tensor<*xi8>",
    "tensor<0x9223372036854775807xi1>",
    "tensor<3037000500x3037000500xi64>",
    "vector<4x[8]xi32>",
    "vector<i1>",
    "memref<2x?xf16, 3>",
    "tuple<i32, f32>",
    "(i32, i1) -> f64",
    "!quant.uniform<i8:f32, 2.0:10>",
    "!t.other<5>",
];

const ATTRS: &[&str] = &[
    "7 : i32",
    "-9223372036854775808 : i64",
    "18446744073709551615 : ui64",
    "true",
    "170141183460469231731687303715884105727 : i128",
    "0 : i0",
    "3 : index",
    "1.5 : f32",
    "0x7FC00000 : f32",
    "-0.0 : f64",
    "\"\"",
    "\"text\\00\\FF\"",
    "[1 : i32, \"a\", [], i32]",
    "{a = 1 : i8, b}",
    "i32",
    "@a::@b",
    "@a",
    "unit",
    "dense<5> : tensor<2x3xi32>",
    "dense<[1.0, 2.0]> : tensor<2xf32>",
    "dense<> : tensor<0xi64>",
    "dense<true> : vector<1048576x1048576xi1>",
    "dense<(1.0, 2.0)> : tensor<complex<f32>>",
    "array<i64: 1, -1, 9223372036854775807>",
    "array<i1: true, false>",
    "array<f32>",
    "affine_map<(d0) -> (d0)>",
    "#t.other<1>",
];

const MODULE: &str = "
func.func @f(%x: i32, %y: i32, %t: tensor<4x?xf32>) {
  %c = arith.constant 3 : i32
  %s = arith.constant dense<0> : vector<2xi8>
  %a = arith.addi %c, %x : i32
  %b:2 = \"t.two\"(%a, %a, %s) {n = 1 : i64, m = \"x\"} : (i32, i32, vector<2xi8>) -> (i32, f32)
  \"t.none\"(%t) ({ \"t.inner\"(%b#1) : (f32) -> () }) : (tensor<4x?xf32>) -> ()
  return
}";

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let mut sources = SourceMap::default();
        let file = sources.add("world.mlir", MODULE).expect("the module is small");
        let mut context = Context::new();
        let module = ir::parse_module(&mut context, sources.file(file)).expect("the module is valid");
        let mut host = IrHost::new(context, module);
        let types = TYPES.iter().map(|text| host.bind_type(text).expect("a type")).collect();
        let attrs = ATTRS.iter().map(|text| host.bind_attr(text).expect("an attribute")).collect();
        let all = host.module.preorder(host.module.top());
        let ops = all.filter(|&op| host.operand_count(op) > 0).collect();
        World { host, types, attrs, ops }
    })
}

const INTS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "31",
    "32",
    "63",
    "64",
    "65",
    "255u",
    "2147483647",
    "4294967296",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
    "18446744073709551615u",
    "ShapedType::kDynamic",
];
const DOUBLES: &[&str] = &["0.0", "-0.0", "1.0", "1.5", "1e300", "1e-320", "(0.0 / 0.0)", "3.4e38f"];
const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];
const COMPARISONS: &[&str] = &["==", "!=", "<", "<=", ">", ">="];
const TEMPLATES: &[&str] = &[
    "int64_t",
    "int32_t",
    "uint8_t",
    "bool",
    "APInt",
    "APFloat",
    "float",
    "double",
    "IntegerAttr",
    "StringAttr",
    "FloatAttr",
    "Attribute",
    "Type",
];
const TYPE_CLASSES: &[TypeClass] = &[
    TypeClass::Any,
    TypeClass::Integer,
    TypeClass::Float,
    TypeClass::Shaped,
    TypeClass::Vector,
    TypeClass::RankedTensor,
    TypeClass::MemRef,
    TypeClass::Complex,
    TypeClass::Function,
    TypeClass::Tuple,
    TypeClass::Quantized,
];
const ATTR_CLASSES: &[AttrClass] = &[
    AttrClass::Any,
    AttrClass::Typed,
    AttrClass::Integer,
    AttrClass::Bool,
    AttrClass::Float,
    AttrClass::String,
    AttrClass::Array,
    AttrClass::Dictionary,
    AttrClass::Type,
    AttrClass::SymbolRef,
    AttrClass::Elements,
    AttrClass::DenseElements,
    AttrClass::DenseIntElements,
    AttrClass::DenseFloatElements,
    AttrClass::DenseArray,
    AttrClass::DenseIntArray(64),
];

/// A generator of text that is often well-typed.
struct Writer<'a> {
    tape: Tape<'a>,
    text: String,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.tape.draw(from.len())]
    }

    fn any_ty(&mut self) -> Ty {
        let item = match self.tape.draw(10) {
            0 => Item::Bool,
            1 | 2 => Item::Int(IntTy::I64),
            3 => Item::Double,
            4 => Item::Str,
            5 => Item::ApInt,
            6 => Item::ApFloat,
            7 => Item::Type(self.pick(TYPE_CLASSES)),
            8 => Item::Attr(self.pick(ATTR_CLASSES)),
            _ => Item::Value,
        };
        if self.tape.chance(5) { Ty::range(item) } else { Ty::one(item) }
    }

    /// Generates an expression of a type.
    fn expr(&mut self, ty: Ty, depth: usize) {
        if depth == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.tape.draw(12) {
            0 => self.leaf(ty),
            1 => {
                self.push("(");
                self.expr(Ty::BOOL, depth);
                self.push(" ? ");
                self.expr(ty, depth);
                self.push(" : ");
                self.expr(ty, depth);
                self.push(")");
            }
            2 if ty.form == Form::One => {
                self.expr(Ty::range(ty.item), depth);
                self.push("[");
                self.expr(Ty::I64, depth);
                self.push("]");
            }
            2 => {
                self.push("llvm::map_range(");
                let from = self.any_ty();
                self.expr(Ty::range(from.item), depth);
                self.push(", ");
                self.lambda(ty.item, depth);
                self.push(")");
            }
            3 | 4 => self.operator(ty, depth),
            5 if self.tape.chance(4) => {
                let other = self.any_ty();
                self.expr(other, depth);
            }
            _ => self.call(ty, depth),
        }
    }

    fn operator(&mut self, ty: Ty, depth: usize) {
        match (ty.form, ty.item) {
            (Form::One, Item::Bool) => {
                let operands = self.any_ty();
                let operator = self.pick(COMPARISONS);
                self.binary(operands, operator, depth);
            }
            (Form::One, Item::Int(_) | Item::Double | Item::ApInt | Item::ApFloat) if self.tape.chance(5) => {
                let operator = self.pick(&["-", "~", "!", "+"]);
                let _ = write!(self.text, "({operator}");
                self.expr(ty, depth);
                self.push(")");
            }
            (Form::One, Item::Int(_) | Item::Double | Item::ApInt | Item::ApFloat) => {
                let operator = self.pick(OPERATORS);
                self.binary(ty, operator, depth);
            }
            (Form::One, Item::Type(_) | Item::Attr(_)) => self.cast(ty, depth),
            (Form::Range, _) => {
                self.push("{");
                for i in 0..self.tape.draw(4) {
                    if i > 0 {
                        self.push(", ");
                    }
                    self.expr(Ty::one(ty.item), depth);
                }
                self.push("}");
            }
            _ => self.call(ty, depth),
        }
    }

    fn binary(&mut self, ty: Ty, operator: &str, depth: usize) {
        self.push("(");
        self.expr(ty, depth);
        let _ = write!(self.text, " {operator} ");
        self.expr(ty, depth);
        self.push(")");
    }

    /// Generates a cast such as `cast<IntegerType>(x)`.
    fn cast(&mut self, ty: Ty, depth: usize) {
        let (name, any) = match ty.item {
            Item::Type(class) => (class.cxx_name(), Ty::TYPE),
            Item::Attr(class) => (class.cxx_name(), Ty::ATTR),
            _ => return self.leaf(ty),
        };
        let how = self.pick(&["cast", "cast", "dyn_cast", "dyn_cast_or_null", "isa"]);
        let _ = write!(self.text, "::llvm::{how}<::mlir::{name}>(");
        if any == ty {
            self.leaf(any)
        } else {
            self.expr(any, depth)
        }
        self.push(")");
    }

    /// Generates a call of a built-in that returns a value of the type.
    fn call(&mut self, ty: Ty, depth: usize) {
        let rows: Vec<&Row> = ROWS.iter().filter(|row| can_return(row, ty)).collect();
        if rows.is_empty() {
            return self.leaf(ty);
        }
        // A single byte cannot select among all rows.
        let at = self.tape.draw(256) + 256 * self.tape.draw(2);
        let row = rows[at % rows.len()];
        match row.receiver {
            Receiver::Free => self.push("::llvm::"),
            Receiver::One(Item::Builder) => self.push("$_builder."),
            Receiver::One(item) => {
                let receiver = Ty::one(item);
                match item {
                    Item::Type(TypeClass::Any) | Item::Attr(AttrClass::Any) => self.expr(receiver, depth),
                    Item::Type(_) | Item::Attr(_) => self.cast(receiver, depth),
                    _ => self.expr(receiver, depth),
                }
                self.push(if matches!(item, Item::Op(_)) { "->" } else { "." });
            }
            Receiver::RangeOf(item) => {
                self.expr(Ty::range(item), depth);
                self.push(".");
            }
            Receiver::Range => {
                let item = if row.returns == Returns::Ty(Ty::BOOL) { self.any_ty().item } else { ty.item };
                self.expr(Ty::range(item), depth);
                self.push(".");
            }
            Receiver::Optional | Receiver::Enum => return self.leaf(ty),
        }
        self.push(row.name);
        if matches!(row.returns, Returns::Template | Returns::TemplateRange) {
            let argument = self.pick(TEMPLATES);
            let _ = write!(self.text, "<{argument}>");
        }
        self.push("(");
        let fewer = if row.optional > 0 { self.tape.draw(row.optional + 1) } else { 0 };
        for (i, &arg) in row.args[..row.args.len() - fewer].iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.arg(arg, depth);
        }
        self.push(")");
    }

    fn arg(&mut self, arg: Arg, depth: usize) {
        match arg {
            Arg::Of(ty) => self.expr(ty, depth),
            Arg::ExactFloat => self.expr(Ty::FLOAT, depth),
            Arg::UpTo(_) => self.expr(Ty::I32, depth),
            Arg::Any => {
                let ty = self.any_ty();
                self.expr(ty, depth);
            }
            Arg::Range => {
                let item = self.any_ty().item;
                self.expr(Ty::range(item), depth);
            }
            Arg::Lambda => self.lambda(Item::Bool, depth),
            Arg::AnyInt | Arg::Number => {
                let ty = self.pick(&[Ty::I64, Ty::AP_INT]);
                self.expr(ty, depth);
            }
            Arg::AnyFloat => {
                let ty = self.pick(&[Ty::DOUBLE, Ty::AP_FLOAT]);
                self.expr(ty, depth);
            }
            Arg::Context => self.push("$_builder.getContext()"),
        }
    }

    fn lambda(&mut self, result: Item, depth: usize) {
        self.push("[&](auto x) { return ");
        match self.tape.draw(3) {
            0 => self.push("x"),
            1 => {
                self.push("x == ");
                let ty = self.any_ty();
                self.expr(ty, depth.min(1));
            }
            _ => self.expr(Ty::one(result), depth.min(2)),
        }
        self.push("; }");
    }

    fn leaf(&mut self, ty: Ty) {
        if ty.form == Form::Range {
            let text = match ty.item {
                Item::Value => self.pick(&["$values", "$op->getOperands()", "$op->getResults()"]),
                Item::Type(_) => self.pick(&["$op->getOperandTypes()", "$values.getTypes()"]),
                Item::Attr(_) => "::llvm::cast<::mlir::ArrayAttr>($attr).getValue()",
                Item::Int(_) => self.pick(&[
                    "{1, 2, 3}",
                    "{}",
                    "::llvm::cast<::mlir::ShapedType>($type).getShape()",
                    "::llvm::cast<::mlir::DenseI64ArrayAttr>($attr).asArrayRef()",
                    "::llvm::cast<::mlir::DenseElementsAttr>($attr).getValues<int64_t>()",
                ]),
                _ => "{}",
            };
            return self.push(text);
        }
        let text = match ty.item {
            Item::Bool => self.pick(&["true", "false"]),
            Item::Int(_) => self.pick(INTS),
            Item::Double | Item::Float => self.pick(DOUBLES),
            Item::Str => {
                self.pick(&["\"\"", "\"abc\"", "\"value\"", "\"\\xff\"", "$op->getName().getStringRef()"])
            }
            Item::ApInt => self.pick(&[
                "::llvm::cast<::mlir::IntegerAttr>($attr).getValue()",
                "::llvm::APInt(8, 200)",
                "::llvm::APInt(1, 1)",
                "::llvm::APInt(128, -1, true)",
                "::llvm::APInt(0, 0)",
            ]),
            Item::ApFloat => self.pick(&[
                "::llvm::cast<::mlir::FloatAttr>($attr).getValue()",
                "::llvm::APFloat(1.5)",
                "::llvm::APFloat(0.0)",
            ]),
            Item::Type(_) => self.pick(&["$type", "$value.getType()", "$_builder.getI32Type()"]),
            Item::Attr(_) => {
                self.pick(&["$attr", "$_builder.getUnitAttr()", "$_builder.getI64IntegerAttr(1)"])
            }
            Item::Value => self.pick(&["$value", "$values[0]", "$op->getResult(0)"]),
            Item::FoldResult => self.pick(&["$attr", "$value"]),
            Item::Op(_) => self.pick(&["$op", "$value.getDefiningOp()"]),
            Item::Use => "*$value.use_begin()",
            Item::Location => self.pick(&["$op->getLoc()", "$_builder.getUnknownLoc()"]),
            Item::Logical => self.pick(&["::mlir::success()", "::mlir::failure()"]),
            Item::Name => "$op->getName()",
            Item::AffineMap => self.pick(&[
                "$_builder.getMultiDimIdentityMap(2)",
                "::mlir::AffineMap::getConstantMap(3, $_builder.getContext())",
                "::llvm::cast<::mlir::AffineMapAttr>($attr).getValue()",
            ]),
            Item::Builder => "$_builder",
            Item::Context => "$_builder.getContext()",
            Item::Matcher => self.pick(&["::mlir::m_Constant()", "::mlir::m_Zero()", "::mlir::m_One()"]),
            Item::Region => "$op->getRegion(0)",
            Item::Unknown | Item::Null | Item::Block | Item::Enum(_) | Item::Lambda | Item::Tuple(_) => {
                "nullptr"
            }
        };
        self.push(text);
    }
}

/// True if a row of the library can return a value of the type.
fn can_return(row: &Row, ty: Ty) -> bool {
    match row.returns {
        Returns::Ty(given) => {
            given.form == ty.form
                && match (given.item, ty.item) {
                    (Item::Type(_), Item::Type(_))
                    | (Item::Attr(_), Item::Attr(_))
                    | (Item::Int(_), Item::Int(_))
                    | (Item::Op(_), Item::Op(_)) => true,
                    (given, wanted) => given == wanted,
                }
        }
        Returns::Element | Returns::Template => ty.form == Form::One,
        Returns::Same => match row.receiver {
            Receiver::Range => ty.form == Form::Range,
            Receiver::One(item) => ty == Ty::one(item),
            _ => false,
        },
        Returns::TemplateRange | Returns::LambdaRange => ty.form == Form::Range,
        Returns::Common | Returns::Promoted => matches!(ty.item, Item::Int(_) | Item::Double),
        Returns::Iterator | Returns::Item => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equivalence::Random;

    /// More than 40% of the texts must compile.
    #[test]
    fn many_texts_are_well_typed() {
        let random = Random::new(1);
        let mut compiled = 0;
        let texts = 1_000;
        for case in 0..texts {
            let mut random = random.fork(case);
            let bytes: Vec<u8> = (0..60).map(|_| random.number().to_le_bytes()[0]).collect();
            snippet(&bytes);
            let mut writer = Writer { tape: Tape::new(&bytes), text: String::new() };
            writer.expr(Ty::BOOL, 3);
            let mut snippets = Snippets::default();
            let request = Request { params: params(), expected: Expected::Predicate, resolver: &NoResolver };
            let text = Text::new(&writer.text, Span::NONE);
            compiled += u64::from(cxx::compile(&mut snippets, &text, &request).is_ok());
        }
        assert!(compiled * 10 > texts * 4, "{compiled} of {texts}");
    }
}
