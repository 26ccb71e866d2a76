//! Random functions over attributes, types and values, compiled by this project and, with MLIR's headers, by a C++
//! compiler. After the same call, the returned attribute must have the same text here and in C++.
//!
//! A call whose behaviour is undefined in C++ must fail here. The C++ program contains only calls that do not fail
//! here.

use std::fmt::Write;

use super::oracle::{Dice, compiled_output};
use super::tests::source;
use crate::frontend::cxx::tests::host;
use crate::frontend::cxx::{Expected, Placeholder, Request, Text, compile};
use crate::host::{Bind, Entity, Facets, Ir, Kind, Natives};
use crate::snippet::{Linked, Snippets, Ty};
use crate::source::Span;

const FUNCTIONS: usize = 100;
const CALLS: usize = 25;

const HEADER: &str = "#include \"mlir/AsmParser/AsmParser.h\"
#include \"mlir/IR/Builders.h\"
#include \"mlir/IR/BuiltinAttributes.h\"
#include \"mlir/IR/BuiltinOps.h\"
#include \"mlir/IR/BuiltinTypes.h\"
#include \"mlir/IR/TypeUtilities.h\"
#include \"mlir/Interfaces/InferTypeOpInterface.h\"
#include \"mlir/Parser/Parser.h\"
#include \"llvm/Support/raw_ostream.h\"
using namespace mlir;
";

/// The operations whose first results are the values that functions take.
const MODULE: &str = "%0 = \"t.a\"() {k = 1 : i32} : () -> i32
%1 = \"t.b\"(%0, %0) : (i32, i32) -> tensor<2x?xf32>
%2 = \"t.c\"(%1) {k} : (tensor<2x?xf32>) -> vector<4xi8>
%3 = \"t.d\"(%2, %1) : (vector<4xi8>, tensor<2x?xf32>) -> memref<3xindex>
";

const ATTRIBUTES: [&str; 12] = [
    "1 : i32",
    "-7 : i64",
    "5 : index",
    "true",
    "2.5 : f32",
    "\"text\"",
    "unit",
    "[1 : i32, \"a\", f32]",
    "[]",
    "tensor<4xi8>",
    "array<i64: 1, 2, 3>",
    "dense<[1, 2]> : tensor<2xi16>",
];

const TYPES: [&str; 11] = [
    "i1",
    "i32",
    "index",
    "f32",
    "bf16",
    "tensor<2x3xi8>",
    "tensor<?xf64>",
    "tensor<*xi32>",
    "vector<4xf32>",
    "memref<2x2xi1>",
    "tuple<i8, f16>",
];

/// A writer of one function.
struct Author<'r> {
    random: &'r mut Dice,
    text: String,
    /// The variables in scope, with their types.
    scope: Vec<(String, &'static str)>,
    names: usize,
}

impl Author<'_> {
    fn pick<'p>(&mut self, of: &[&'p str]) -> &'p str {
        of[self.random.below(of.len())]
    }

    fn variable(&mut self, ty: &str) -> String {
        let of_type = self.scope.iter().filter(|(_, of)| *of == ty);
        let all: Vec<String> = of_type.map(|(name, _)| name.clone()).collect();
        all[self.random.below(all.len())].clone()
    }

    fn declare(&mut self, ty: &'static str, value: &str) {
        self.names += 1;
        let name = format!("v{}", self.names);
        self.line(&format!("{ty} {name} = {value};"));
        self.scope.push((name, ty));
    }

    fn line(&mut self, text: &str) {
        self.text.push_str("  ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A type that shaped types can contain.
    fn scalar(&mut self) -> String {
        match self.random.below(5) {
            0 => "Float32Type::get(c)".to_owned(),
            1 => "Float64Type::get(c)".to_owned(),
            2 => "IndexType::get(c)".to_owned(),
            3 => "BFloat16Type::get(c)".to_owned(),
            _ => format!("IntegerType::get(c, {})", [1, 4, 8, 16, 32, 64][self.random.below(6)]),
        }
    }

    fn ty(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => format!("Type({})", self.scalar()),
                1 => format!("{}.getType()", self.variable("Value")),
                _ => self.variable("Type"),
            };
        }
        let deeper = depth - 1;
        match self.random.below(12) {
            0 => {
                format!("Type(RankedTensorType::get({{2, {}}}, {}))", self.random.range(1..5), self.scalar())
            }
            1 => format!("Type(VectorType::get({{{}}}, {}))", self.random.range(1..5), self.scalar()),
            2 => format!("Type(UnrankedTensorType::get({}))", self.scalar()),
            3 => format!("Type(MemRefType::get({{ShapedType::kDynamic}}, {}))", self.scalar()),
            4 => format!("Type(TupleType::get(c, {{{}, {}}}))", self.ty(deeper), self.ty(deeper)),
            5 => format!("Type(FunctionType::get(c, {{{}}}, {{{}}}))", self.ty(deeper), self.ty(deeper)),
            6 => format!(
                "Type(ComplexType::get({}))",
                self.pick(&["Float32Type::get(c)", "IntegerType::get(c, 8)"])
            ),
            7 => format!("getElementTypeOrSelf({})", self.ty(deeper)),
            8 => format!("({} ? {} : {})", self.boolean(deeper), self.ty(deeper), self.ty(deeper)),
            9 => {
                let name = self.variable("Type");
                format!("(isa<ShapedType>({name}) ? cast<ShapedType>({name}).getElementType() : {name})")
            }
            10 => {
                let (name, scalar) = (self.variable("Type"), self.scalar());
                format!(
                    "(isa<RankedTensorType>({name}) ? Type(cast<RankedTensorType>({name}).clone({scalar})) : {name})"
                )
            }
            _ => {
                let name = self.variable("Attribute");
                let other = self.ty(deeper);
                format!("(isa<TypedAttr>({name}) ? cast<TypedAttr>({name}).getType() : {other})")
            }
        }
    }

    fn attr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.variable("Attribute");
        }
        let deeper = depth - 1;
        match self.random.below(15) {
            13 => self.bitcast(),
            0 => {
                let width = [8, 16, 32, 64][self.random.below(4)];
                format!("Attribute(IntegerAttr::get(IntegerType::get(c, {width}), {}))", self.int(deeper))
            }
            1 => format!("Attribute(IntegerAttr::get(IndexType::get(c), {}))", self.int(deeper)),
            2 => {
                let (ty, value) = (self.pick(&["Float32Type", "Float64Type"]), self.random.range(-9..20));
                format!("Attribute(FloatAttr::get({ty}::get(c), {value}.5))")
            }
            3 => format!("Attribute(StringAttr::get(c, \"{}\"))", self.pick(&["x", "", "two words"])),
            4 => format!("Attribute(TypeAttr::get({}))", self.ty(deeper)),
            5 => "Attribute(UnitAttr::get(c))".to_owned(),
            6 => format!("Attribute(BoolAttr::get(c, {}))", self.boolean(deeper)),
            7 => format!("Attribute(ArrayAttr::get(c, {{{}, {}}}))", self.attr(deeper), self.attr(deeper)),
            8 => format!(
                "Attribute(DenseI64ArrayAttr::get(c, {{{}, {}}}))",
                self.int(deeper),
                self.int(deeper)
            ),
            9 => format!("Attribute(FlatSymbolRefAttr::get(c, \"{}\"))", self.pick(&["f", "main"])),
            10 => format!("({} ? {} : {})", self.boolean(deeper), self.attr(deeper), self.attr(deeper)),
            11 => {
                let name = self.variable("Attribute");
                format!(
                    "(isa<ArrayAttr>({name}) && !cast<ArrayAttr>({name}).empty() ? cast<ArrayAttr>({name})[0] : {name})"
                )
            }
            12 => format!("b.getZeroAttr({})", self.scalar()),
            _ => self.variable("Attribute"),
        }
    }

    /// Elements that are read as elements of another type with the same width.
    fn bitcast(&mut self) -> String {
        let (element, to, cxx) = [
            ("Float32Type::get(c)", "IntegerType::get(c, 32)", "float"),
            ("IntegerType::get(c, 32)", "Float32Type::get(c)", "int32_t"),
            ("IntegerType::get(c, 16)", "BFloat16Type::get(c)", "int16_t"),
            ("IntegerType::get(c, 8)", "Float8E4M3FNType::get(c)", "int8_t"),
            ("Float64Type::get(c)", "IntegerType::get(c, 64)", "double"),
            ("IntegerType::get(c, 64)", "Float64Type::get(c)", "int64_t"),
        ][self.random.below(6)];
        let (first, second) = (self.random.range(-99..99), self.random.range(-99..99));
        let (shape, values) = match self.random.below(3) {
            0 => ("RankedTensorType::get({4}", format!("{first}")),
            1 => ("VectorType::get({1, 2}", format!("{first}, {second}")),
            _ => ("RankedTensorType::get({2}", format!("{first}, {second}")),
        };
        let class = match cxx {
            "float" | "double" => self.pick(&["DenseElementsAttr", "DenseFPElementsAttr"]),
            _ => self.pick(&["DenseElementsAttr", "DenseIntElementsAttr"]),
        };
        let made = format!("DenseElementsAttr::get({shape}, {element}), ArrayRef<{cxx}>{{{values}}})");
        format!("Attribute(cast<{class}>({made}).bitcast({to}))")
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(2) {
                0 => self.random.range(-9..40).to_string(),
                _ => self.variable("int64_t"),
            };
        }
        let deeper = depth - 1;
        let (a, t) = (self.variable("Attribute"), self.variable("Type"));
        match self.random.below(9) {
            7 => {
                let shape = format!("ShapeAdaptor({t})");
                let (test, value) = [
                    ("hasRank()", "getRank()"),
                    ("hasStaticShape()", "getNumElements()"),
                    ("hasRank()", "getElementType().isIntOrFloat()"),
                    ("hasStaticShape()", "getDimSize(0)"),
                ][self.random.below(4)];
                format!(
                    "(isa<ShapedType>({t}) && {shape}.{test} ? int64_t({shape}.{value}) : {})",
                    self.int(deeper)
                )
            }
            0 => format!("(isa<IntegerAttr>({a}) ? cast<IntegerAttr>({a}).getInt() : {})", self.int(deeper)),
            1 => {
                format!("(isa<ArrayAttr>({a}) ? int64_t(cast<ArrayAttr>({a}).size()) : {})", self.int(deeper))
            }
            2 => format!(
                "(isa<RankedTensorType>({t}) ? cast<RankedTensorType>({t}).getRank() : {})",
                self.int(deeper)
            ),
            3 => {
                format!("({t}.isIntOrFloat() ? int64_t({t}.getIntOrFloatBitWidth()) : {})", self.int(deeper))
            }
            4 => format!(
                "(isa<VectorType>({t}) ? cast<VectorType>({t}).getNumElements() : {})",
                self.int(deeper)
            ),
            5 => format!(
                "(isa<DenseI64ArrayAttr>({a}) ? int64_t(cast<DenseI64ArrayAttr>({a}).asArrayRef().back()) : {})",
                self.int(deeper)
            ),
            6 => format!("({} ? {} : {})", self.boolean(deeper), self.int(deeper), self.int(deeper)),
            _ => format!("(({} + {}) % 1000)", self.int(deeper), self.int(deeper)),
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        let (a, t, v) = (self.variable("Attribute"), self.variable("Type"), self.variable("Value"));
        match self.random.below(if depth == 0 { 11 } else { 14 }) {
            0 => {
                let class = self.pick(&[
                    "IntegerAttr",
                    "StringAttr",
                    "ArrayAttr",
                    "TypedAttr",
                    "TypeAttr",
                    "UnitAttr",
                    "ElementsAttr",
                    "DenseElementsAttr",
                ]);
                format!("isa<{class}>({a})")
            }
            1 => {
                let class = self.pick(&[
                    "IntegerType",
                    "FloatType",
                    "ShapedType",
                    "RankedTensorType",
                    "TensorType",
                    "VectorType",
                    "BaseMemRefType",
                    "TupleType",
                ]);
                format!("isa<{class}>({t})")
            }
            2 => format!("{a} == {}", self.variable("Attribute")),
            3 => format!("{t} != {}", self.variable("Type")),
            4 => {
                let test = self.pick(&[
                    "isInteger(32)",
                    "isIndex()",
                    "isF32()",
                    "isSignlessInteger()",
                    "isIntOrIndexOrFloat()",
                    "isIntOrIndex()",
                ]);
                format!("{t}.{test}")
            }
            5 => format!("{} < {}", self.int(0), self.int(0)),
            6 => format!("{v}.{}()", self.pick(&["use_empty", "hasOneUse"])),
            7 => format!("{v} == {}", self.variable("Value")),
            8 => format!("{v}.getDefiningOp()->hasAttr(\"k\")"),
            9 => format!("{v}.getDefiningOp()->getNumOperands() == {}", self.random.range(0..3)),
            10 => format!("isa<ShapedType>({t}) && cast<ShapedType>({t}).hasStaticShape()"),
            11 => format!("({} && {})", self.boolean(depth - 1), self.boolean(depth - 1)),
            12 => format!("({} || {})", self.boolean(depth - 1), self.boolean(depth - 1)),
            _ => format!("!({})", self.boolean(depth - 1)),
        }
    }

    fn statement(&mut self) {
        self.names += 1;
        let number = self.names;
        match self.random.below(13) {
            11 => {
                let (ty, attr) = (self.ty(1), self.attr(1));
                self.line(&format!(
                    "std::string s{number}; llvm::raw_string_ostream o{number}(s{number}); o{number} << {ty} << \"|\" << {attr}; Attribute v{number} = StringAttr::get(c, o{number}.str());"
                ));
                self.scope.push((format!("v{number}"), "Attribute"));
            }
            0 | 1 => {
                let value = self.ty(2);
                self.declare("Type", &value);
            }
            2 | 3 => {
                let value = self.attr(2);
                self.declare("Attribute", &value);
            }
            4 => {
                let value = self.int(2);
                self.declare("int64_t", &value);
            }
            5 => {
                let (condition, value) = (self.boolean(1), self.attr(2));
                let to = self.variable("Attribute");
                self.line(&format!("if ({condition}) {to} = {value};"));
            }
            6 => {
                let (to, value) = (self.variable("Type"), self.ty(2));
                self.line(&format!("{to} = {value};"));
            }
            7 => {
                let (of, to) = (self.variable("Attribute"), self.variable("int64_t"));
                self.line(&format!(
                    "if (auto i{number} = dyn_cast<IntegerAttr>({of})) {to} += i{number}.getInt() % 100;"
                ));
            }
            8 => {
                let (of, to) = (self.variable("Attribute"), self.variable("Attribute"));
                self.line(&format!(
                    "if (auto l{number} = dyn_cast<ArrayAttr>({of})) for (Attribute e{number} : l{number}) if (isa<StringAttr>(e{number})) {to} = e{number};"
                ));
            }
            9 => {
                let (one, other, count) = (self.attr(1), self.attr(1), self.random.range(0..3));
                self.line(&format!(
                    "SmallVector<Attribute> l{number}({count}, {one}); l{number}.push_back({other}); Attribute v{number} = ArrayAttr::get(c, l{number});"
                ));
                self.scope.push((format!("v{number}"), "Attribute"));
            }
            10 => {
                let (one, other) = (self.ty(1), self.ty(1));
                self.line(&format!(
                    "SmallVector<Type> l{number} = {{{one}, {other}}}; Type v{number} = llvm::all_of(l{number}, [](Type e) {{ return isa<ShapedType>(e); }}) ? l{number}.back() : l{number}.front();"
                ));
                self.scope.push((format!("v{number}"), "Type"));
            }
            _ => {
                let (condition, result) = (self.boolean(2), self.attr(1));
                self.line(&format!("if ({condition}) return {result};"));
            }
        }
    }
}

fn function(random: &mut Dice, number: usize) -> String {
    let params = "Builder &b, Attribute a0, Attribute a1, Type t0, Type t1, Value x0, Value x1, int64_t n";
    let text = format!("static Attribute f{number}({params}) {{\n  MLIRContext *c = b.getContext();\n");
    let scope = [
        ("a0", "Attribute"),
        ("a1", "Attribute"),
        ("t0", "Type"),
        ("t1", "Type"),
        ("x0", "Value"),
        ("x1", "Value"),
        ("n", "int64_t"),
    ];
    let scope = scope.map(|(name, ty)| (name.to_owned(), ty)).to_vec();
    let mut author = Author { random, text, scope, names: 0 };
    for _ in 0..7 {
        author.statement();
    }
    let (attr, ty, int) = (author.attr(2), author.ty(2), author.int(2));
    author.line(&format!(
        "return ArrayAttr::get(c, {{{attr}, Attribute(TypeAttr::get({ty})), Attribute(IntegerAttr::get(IntegerType::get(c, 64), {int}))}});"
    ));
    author.text + "}\n"
}

#[test]
fn random_functions_over_the_ir_have_the_results_of_mlir() {
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: DRRVM_FULL is not set");
        return;
    }
    let random = &mut Dice(crate::test_seed::seed());
    let (mut text, mut main) = (HEADER.to_owned(), String::new());
    let (mut wanted, mut undefined, mut outside) = (Vec::new(), 0, Vec::new());
    for number in 0..FUNCTIONS {
        let code = function(random, number);
        text.push_str(&code);
        let (resolver, _sources) = source(&code);
        let mut host = host(MODULE);
        let values: Vec<_> =
            host.module.preorder(host.module.top()).skip(1).map(|op| host.result(op, 0)).collect();
        let mut snippets = Snippets::default();
        let tys = [Ty::ATTR, Ty::ATTR, Ty::TYPE, Ty::TYPE, Ty::VALUE, Ty::VALUE, Ty::I64];
        let params: Vec<_> =
            (0..).zip(tys).map(|(at, ty): (u32, _)| Placeholder::new(format!("${at}"), ty)).collect();
        let request = Request { params: &params, expected: Expected::Kind(Kind::Attr), resolver: &resolver };
        let call = format!("f{number}($_builder, $0, $1, $2, $3, $4, $5, $6)");
        let call = Text::new(&call, Span::NONE);
        let id = match compile(&mut snippets, &call, &request) {
            Ok(id) => id,
            Err(failure) => {
                outside.push(format!("{}\n{code}", failure.into_diagnostic().message));
                continue;
            }
        };
        let linked = Linked::link(&snippets, &mut host, &Natives::new());
        if !linked.missing().is_empty() {
            let helpers = crate::frontend::cxx::Resolver::helpers(&resolver);
            let notes: Vec<_> = helpers
                .iter()
                .flat_map(|h| h.notes().iter().map(|n| n.message.clone()).collect::<Vec<_>>())
                .collect();
            outside.push(format!("{}\n{code}", notes.join("; ")));
            continue;
        }
        for _ in 0..CALLS {
            let mut below = |len: usize| random.below(len);
            let (a0, a1) = (below(ATTRIBUTES.len()), below(ATTRIBUTES.len()));
            let (t0, t1) = (below(TYPES.len()), below(TYPES.len()));
            let (x0, x1) = (below(values.len()), below(values.len()));
            let n = random.range(-20..20);
            let attr = |host: &mut crate::ir::IrHost, at: usize| Entity::Attr(host.bind_attr(ATTRIBUTES[at]));
            let ty = |host: &mut crate::ir::IrHost, at: usize| {
                Entity::Type(host.bind_type(TYPES[at]).expect("the type is valid"))
            };
            let args = [
                attr(&mut host, a0),
                attr(&mut host, a1),
                ty(&mut host, t0),
                ty(&mut host, t1),
                Entity::Value(Some(values[x0])),
                Entity::Value(Some(values[x1])),
                Entity::Int(n),
            ];
            match linked.make_from(&snippets, id, &mut host, &args).as_deref() {
                Ok([Entity::Attr(Some(got))]) => {
                    writeln!(
                        main,
                        "  show(f{number}(b, a[{a0}], a[{a1}], t[{t0}], t[{t1}], x[{x0}], x[{x1}], {n}));"
                    )
                    .expect("writing to a string succeeds");
                    wanted.push((
                        code.clone(),
                        format!("{a0} {a1} {t0} {t1} {x0} {x1} {n}"),
                        host.attr_text(*got),
                    ));
                }
                Ok(other) => panic!("{} results", other.len()),
                Err(refusal) => {
                    undefined += 1;
                    println!("undefined: {refusal}");
                }
            }
        }
    }
    assert!(outside.is_empty(), "{} functions are outside the language: {}", outside.len(), outside[0]);
    let list = |texts: &[&str], parse: &str| {
        texts.iter().map(|text| format!("    {parse}({text:?}, &context),\n")).collect::<String>()
    };
    write!(
        text,
        "static void show(Attribute a) {{ a.print(llvm::outs()); llvm::outs() << \"\\n\"; }}
int main() {{
  MLIRContext context;
  context.allowUnregisteredDialects();
  Builder b(&context);
  Attribute a[] = {{\n{}  }};
  Type t[] = {{\n{}  }};
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>({MODULE:?}, &context);
  SmallVector<Value> x;
  for (Operation &op : module->getBody()->getOperations()) x.push_back(op.getResult(0));
{main}}}
",
        list(&ATTRIBUTES, "parseAttribute"),
        list(&TYPES, "parseType"),
    )
    .expect("writing to a string succeeds");
    let Some(lines) = compiled_output(&text, &["-lMLIR", "-lLLVM-22"]) else { return };
    assert_eq!(lines.len(), wanted.len());
    let differing: Vec<String> = wanted
        .iter()
        .zip(&lines)
        .filter(|((.., got), line)| got != *line)
        .map(|((code, args, got), line)| format!("({args}): {got} here, {line} in C++\n{code}"))
        .collect();
    println!("{} calls compared, {undefined} calls undefined", wanted.len());
    assert!(differing.is_empty(), "{} differ, for example {}", differing.len(), differing[0]);
    assert!(wanted.len() >= 2_000, "only {} calls are defined", wanted.len());
}
