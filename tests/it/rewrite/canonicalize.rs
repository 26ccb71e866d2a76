//! Compares the texts that `--canonicalize` and `mlir-opt -canonicalize` print for MLIR's tests and for random
//! functions.

use std::fmt::Write;

use drrvm::internal::equivalence::Random;

use crate::common::command::Folder;
use crate::common::seed::seed;
use crate::common::{llvm_sources, llvm_tool, pipe_text};

/// The definitions that drrvm reads, besides those of `arith`.
#[derive(Clone, Copy, PartialEq)]
enum Definitions {
    None,
    All,
}

/// The results of MLIR and of drrvm for each part of the input, both printed by `mlir-opt`. `None` if MLIR's sources or
/// `mlir-opt` are missing.
fn both(input: &str, options: &str, definitions: Definitions) -> Option<Vec<(String, String)>> {
    let (sources, opt) = (llvm_sources()?, llvm_tool("mlir-opt")?);
    let opt = |args: &[&str], input: &str| {
        let all = [&["--allow-unregistered-dialect", "--split-input-file"], args].concat();
        pipe_text(&opt, &all, input).unwrap_or_else(|error| panic!("{error}\n{input}"))
    };
    let generic = opt(&["--mlir-print-op-generic"], input);
    let theirs = opt(&[&format!("--canonicalize={options}")], input);
    let rules = sources.join("mlir/lib/Dialect/Arith/IR/ArithCanonicalization.td");
    let headers = sources.join("mlir/include");
    let [rules, headers] = [rules, headers].map(|path| path.to_str().expect("a path in UTF-8").to_owned());
    let option = format!("--canonicalize={options}");
    let mut args =
        vec!["opt", "-", "--split-input-file", "--generic", &option, "--rules", &rules, "-I", &headers];
    if definitions == Definitions::All {
        args.extend(["--dialects", &headers]);
    }
    let run = Folder::new(&[]).run_with_input(&args, &generic);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let ours = opt(&[], &run.stdout);
    let parts = |text: &str| text.split("// -----").map(|part| part.trim().to_owned()).collect::<Vec<_>>();
    let (theirs, ours) = (parts(&theirs), parts(&ours));
    assert_eq!(theirs.len(), ours.len());
    Some(theirs.into_iter().zip(ours).collect())
}

/// The dialects whose folds and rules are C++ code that drrvm does not replace. With [`Definitions::None`], the effects
/// of their operations are unknown as well.
const IN_CPP: [&str; 8] =
    ["affine.", "bufferization.", "math.", "memref.", "scf.", "tensor.", "test.", "vector."];

/// The table has the options of each file's test, the number of functions, and the minimum number of functions that
/// give the same text. A function that differs contains an operation of a dialect in [`IN_CPP`].
#[test]
fn tests_of_mlir_give_the_same_text() {
    let Some(sources) = llvm_sources() else { return };
    let functions = |text: &str| text.split("\n  func.func").map(str::to_owned).collect::<Vec<_>>();
    for (file, options, count, same) in [
        ("Dialect/Arith/canonicalize", "test-convergence", 307, 300),
        ("Dialect/ControlFlow/canonicalize", "test-convergence", 31, 31),
        ("Transforms/canonicalize", "test-convergence", 85, 63),
        ("Transforms/canonicalize-block-merge", "region-simplify=aggressive", 19, 16),
        ("Transforms/canonicalize-dce", "region-simplify=aggressive", 12, 5),
        ("Transforms/canonicalize-td", "top-down=true", 2, 1),
        ("Transforms/canonicalize-td", "", 2, 1),
        ("Transforms/constant-fold", "", 38, 34),
        ("Transforms/test-canonicalize", "", 8, 0),
        ("Transforms/test-canonicalize", "region-simplify=disabled", 8, 1),
    ] {
        let text = std::fs::read_to_string(sources.join("mlir/test").join(format!("{file}.mlir"))).unwrap();
        let Some(results) = both(&text, options, Definitions::None) else { return };
        let parts = results.iter().filter(|(theirs, ours)| theirs == ours).count();
        let (mut all, mut equal) = (0, 0);
        for (theirs, ours) in &results {
            let (theirs, ours) = (functions(theirs), functions(ours));
            assert_eq!(theirs.len(), ours.len(), "{file}");
            // The text before the first function defines aliases, which depend on the functions.
            for (theirs, ours) in theirs.iter().zip(&ours).skip(1) {
                (all, equal) = (all + 1, equal + usize::from(theirs == ours));
                let is_in_cpp = IN_CPP.iter().any(|dialect| ours.contains(dialect));
                assert!(theirs == ours || is_in_cpp, "{file}:\n{theirs}\nours:\n{ours}");
            }
        }
        println!("{file} {options}: {parts} of {} parts, {equal} of {all} functions", results.len());
        assert_eq!(all, count, "{file}");
        assert!(equal >= same, "{file}: {equal}");
    }
}

#[test]
fn unused_operations_are_removed_if_their_definitions_state_that_they_do_not_write() {
    let input =
        "func.func @f(%x: f32, %i: index, %b: i1, %t: tensor<?xf32>, %m: memref<?xf32>, %c: complex<f32>) -> index {
  %unused = math.sqrt %x : f32
  %user = math.exp %unused : f32
  %element = tensor.extract %t[%i] : tensor<?xf32>
  %vector = vector.broadcast %x : f32 to vector<4xf32>
  %sum = complex.add %c, %c : complex<f32>
  %size = memref.dim %m, %i : memref<?xf32>
  memref.store %x, %m[%i] : memref<?xf32>
  %alloc = memref.alloc(%i) : memref<?xf32>
  %loaded = memref.load %m[%i] : memref<?xf32>
  %picked = scf.if %b -> f32 {
    %half = math.exp %x : f32
    scf.yield %half : f32
  } else {
    scf.yield %x : f32
  }
  scf.for %j = %i to %i step %i {
    scf.if %b {
      %again = memref.load %m[%j] : memref<?xf32>
    }
  }
  scf.if %b {
    memref.store %x, %m[%i] : memref<?xf32>
  }
  %used = index.add %i, %i
  return %used : index
}";
    for options in ["", "top-down=true", "region-simplify=disabled"] {
        let Some(results) = both(input, options, Definitions::All) else { return };
        let [(theirs, ours)] = &results[..] else { panic!("{results:?}") };
        assert_eq!(theirs, ours);
        assert_eq!(ours.matches(" = ").count(), 1, "{ours}");
        let Some(results) = both(input, options, Definitions::None) else { return };
        assert_eq!(results[0].1.matches(" = ").count(), 13, "{}", results[0].1);
    }
}

/// The result of canonicalising this function depends on the order in which operations are visited.
#[test]
fn operations_are_visited_in_the_order_of_mlir() {
    let input = "func.func @f(%c: i1, %a: i8) -> i8 {
  cf.cond_br %c, ^b2, ^b4
^b1:
  cf.cond_br %c, ^b1, ^b1
^b2:
  return %a : i8
^b4:
  cf.br ^b1
}";
    for options in ["", "top-down=true", "top-down=false"] {
        let Some(results) = both(input, options, Definitions::None) else { return };
        assert_eq!(results[0].0, results[0].1, "{options}");
    }
}

/// A switch with more segment sizes than destinations can be written only in generic form.
#[test]
fn a_switch_with_more_segment_sizes_than_destinations_is_simplified() {
    let input = "func.func @f(%a: i32, %b: i64) {
  \"cf.switch\"(%a, %b)[^end] <{case_operand_segments = array<i32: 0, 0>, operandSegmentSizes = array<i32: 1, 1, 0>}> \
      : (i32, i64) -> ()
^end(%c: i64):
  \"t.use\"(%c) : (i64) -> ()
  return
}";
    for options in ["", "region-simplify=disabled"] {
        let Some(results) = both(input, options, Definitions::None) else { return };
        assert_eq!(results[0].0, results[0].1, "{options}");
    }
}

/// The definitions state that `index.add` is commutative, so its constant becomes the last operand. They do not state
/// that `scf.for` is isolated from above, so constants are moved out of it.
#[test]
fn the_traits_in_definitions_determine_folds() {
    let input = "func.func @f(%a: index, %b: index, %m: memref<?xindex>) {
  scf.for %i = %a to %b step %b {
    %c = index.constant 3
    %sum = index.add %c, %i
    memref.store %sum, %m[%i] : memref<?xindex>
  }
  return
}";
    let Some(results) = both(input, "", Definitions::All) else { return };
    assert_eq!(results[0].0, results[0].1);
}

/// The value of `shape.const_shape` is the attribute `shape`, and that of `tosa.const` is `values`.
#[test]
fn constants_are_merged_if_their_attribute_is_not_named_value() {
    let input =
        "func.func @f() -> (!shape.shape, !shape.shape, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %a = shape.const_shape [1, 2] : !shape.shape
  %b = shape.const_shape [1, 2] : !shape.shape
  %c = \"tosa.const\"() <{values = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>
  %d = \"tosa.const\"() <{values = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>
  %e = \"tosa.const\"() <{values = dense<2> : tensor<2xi32>}> : () -> tensor<2xi32>
  return %a, %b, %c, %d, %e : !shape.shape, !shape.shape, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}";
    let Some(results) = both(input, "", Definitions::All) else { return };
    assert_eq!(results[0].0, results[0].1);
}

/// The only attribute in the definition of a constant is its value.
#[test]
fn definitions_state_the_values_of_constants() {
    let rules = "include \"mlir/IR/PatternBase.td\"
include \"mlir/IR/CommonAttrConstraints.td\"
include \"mlir/Interfaces/SideEffectInterfaces.td\"
def T : Dialect { let name = \"t\"; }
def Const : Op<T, \"const\", [ConstantLike, Pure]> {
  let arguments = (ins ElementsAttr:$values);
  let results = (outs AnyType:$r);
}
def Id : Op<T, \"id\"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def : Pat<(Id $x), (replaceWithValue $x)>;
";
    let input = "%a = \"t.const\"() {values = dense<1> : tensor<2xi32>} : () -> tensor<2xi32>
%b = \"t.const\"() {values = dense<1> : tensor<2xi32>} : () -> tensor<2xi32>
%c = \"t.const\"() {values = dense<2> : tensor<2xi32>} : () -> tensor<2xi32>
\"t.use\"(%a, %b, %c) : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> ()
";
    let files = Folder::new(&[("rules.td", rules), ("in.mlir", input)]);
    let run = files.run(&["opt", "in.mlir", "--rules", "rules.td"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("\"t.use\"(%0, %0, %1)"), "{}", run.stdout);
    assert!(run.stderr.contains("; 1 constant merged;"), "{}", run.stderr);
}

/// The locations are those of `mlir-opt -canonicalize --mlir-print-debuginfo`.
#[test]
fn a_constant_that_moves_to_another_block_loses_its_location() {
    let input = "func.func @f() -> (i32, i32) {
  %a = \"t.a\"() : () -> i32 loc(\"a\")
  %b = arith.constant 4 : i32 loc(\"b\")
  \"t.use\"(%a, %b)[^bb1] : (i32, i32) -> () loc(\"d\")
^bb1:
  %c = arith.constant 5 : i32 loc(\"c\")
  return %b, %c : i32, i32 loc(\"r\")
}
";
    let files = Folder::new(&[("in.mlir", input)]);
    let locations = ["--mlir-print-debuginfo", "--mlir-print-local-scope"];
    let run = files.run(&[&["opt", "in.mlir", "--canonicalize"], &locations[..]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let expected = "    %c5_i32 = arith.constant 5 : i32 loc(unknown)
    %c4_i32 = arith.constant 4 : i32 loc(\"b\")
    %0 = \"t.a\"() : () -> i32 loc(\"a\")
";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
}

/// With these rules, MLIR's pass would never stop.
#[test]
fn rules_that_never_stop_are_an_error() {
    let rules = "include \"mlir/IR/PatternBase.td\"
include \"mlir/IR/OpBase.td\"
def T : Dialect { let name = \"t\"; }
def A : Op<T, \"a\"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def B : Op<T, \"b\"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def : Pat<(A $x), (B $x)>;
def : Pat<(B $x), (A $x)>;
";
    let input = "func.func @f(%x: i32) -> i32 {\n  %a = \"t.a\"(%x) : (i32) -> i32\n  return %a : i32\n}\n";
    let files = Folder::new(&[("rules.td", rules), ("in.mlir", input)]);
    let run = files.run(&["opt", "in.mlir", "--rules", "rules.td", "--canonicalize", "--max-rewrites", "50"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stderr.contains("`--max-rewrites N` allows more rewrites"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

/// A random function of `arith` and `cf`.
struct Generator {
    random: Random,
    /// The number of values so far.
    count: usize,
    /// The values that can be used, with their types.
    values: Vec<(String, &'static str)>,
    text: String,
}

const TYPES: [&str; 10] =
    ["i1", "i8", "i32", "i64", "index", "f32", "f64", "vector<4xi32>", "vector<4xi1>", "tensor<2xi8>"];

const INTEGERS: [&str; 20] = [
    "addi",
    "subi",
    "muli",
    "divsi",
    "divui",
    "ceildivsi",
    "ceildivui",
    "floordivsi",
    "remsi",
    "remui",
    "andi",
    "ori",
    "xori",
    "maxsi",
    "maxui",
    "minsi",
    "minui",
    "shli",
    "shrsi",
    "shrui",
];

const FLOATS: [&str; 8] = ["addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf"];

const PREDICATES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

impl Generator {
    fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.below(of.len())]
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    fn define(&mut self, ty: &'static str, operation: &str) {
        let name = self.name();
        let _ = writeln!(self.text, "  {name} = {operation}");
        self.values.push((name, ty));
    }

    fn literal(&mut self, element: &str) -> String {
        match element {
            "i1" => self.choose(&["true", "false"]).to_owned(),
            "f32" | "f64" => self.choose(&["0.0", "1.0", "-0.0", "2.5", "-1.0", "1.0e10"]).to_owned(),
            _ => self.choose(&[0, 1, -1, 2, 3, 7, -5, 100, -128, 127]).to_string(),
        }
    }

    fn constant(&mut self, ty: &'static str) -> String {
        let value = match ty.split_once('<') {
            None => self.literal(ty),
            Some((_, shape)) => {
                let (count, element) = shape.trim_end_matches('>').split_once('x').expect("a dimension");
                let numbers = if self.random.percent(60) { 1 } else { count.parse().expect("a number") };
                let all: Vec<String> = (0..numbers).map(|_| self.literal(element)).collect();
                let all = all.join(", ");
                if numbers == 1 { format!("dense<{all}>") } else { format!("dense<[{all}]>") }
            }
        };
        let ty_text = if ty == "i1" { String::new() } else { format!(" : {ty}") };
        self.define(ty, &format!("arith.constant {value}{ty_text}"));
        self.values.last().expect("the constant").0.clone()
    }

    /// A value of a type, which may be a new constant.
    fn value(&mut self, ty: &'static str) -> String {
        let known: Vec<String> = self
            .values
            .iter()
            .rev()
            .filter(|value| value.1 == ty)
            .take(6)
            .map(|value| value.0.clone())
            .collect();
        if known.is_empty() || self.random.percent(25) {
            return self.constant(ty);
        }
        known[self.random.below(known.len())].clone()
    }

    fn operation(&mut self) {
        let ty = if self.values.is_empty() || self.random.percent(30) {
            self.choose(&TYPES)
        } else {
            self.values[self.random.below(self.values.len())].1
        };
        let kind = self.random.below(100);
        if let "f32" | "f64" = ty {
            match kind {
                0..60 => {
                    let (op, a, b) = (self.choose(&FLOATS), self.value(ty), self.value(ty));
                    self.define(ty, &format!("arith.{op} {a}, {b} : {ty}"));
                }
                60..70 => {
                    let a = self.value(ty);
                    self.define(ty, &format!("arith.negf {a} : {ty}"));
                }
                70..80 => {
                    let predicate = self.choose(&["oeq", "ogt", "olt", "une", "uno", "ord", "ult"]);
                    let (a, b) = (self.value(ty), self.value(ty));
                    self.define("i1", &format!("arith.cmpf {predicate}, {a}, {b} : {ty}"));
                }
                80..90 if ty == "f32" => {
                    let a = self.value("f64");
                    self.define(ty, &format!("arith.truncf {a} : f64 to f32"));
                }
                80..90 => {
                    let a = self.value("f32");
                    self.define(ty, &format!("arith.extf {a} : f32 to f64"));
                }
                _ => {
                    let (from, op) = (self.choose(&["i8", "i32"]), self.choose(&["sitofp", "uitofp"]));
                    let a = self.value(from);
                    self.define(ty, &format!("arith.{op} {a} : {from} to {ty}"));
                }
            }
            return;
        }
        match kind {
            0..55 => {
                let (op, a, b) = (self.choose(&INTEGERS), self.value(ty), self.value(ty));
                let flags = match op {
                    "addi" | "subi" | "muli" | "shli" => {
                        self.choose(&["", " overflow<nsw>", " overflow<nuw>"])
                    }
                    _ => "",
                };
                self.define(ty, &format!("arith.{op} {a}, {b}{flags} : {ty}"));
            }
            55..70 if ty != "tensor<2xi8>" => {
                let (predicate, a, b) = (self.choose(&PREDICATES), self.value(ty), self.value(ty));
                let result = if ty.starts_with("vector") { "vector<4xi1>" } else { "i1" };
                self.define(result, &format!("arith.cmpi {predicate}, {a}, {b} : {ty}"));
            }
            70..80 => {
                let (condition, a, b) = (self.value("i1"), self.value(ty), self.value(ty));
                self.define(ty, &format!("arith.select {condition}, {a}, {b} : {ty}"));
            }
            80..90 if ty == "index" => {
                let (op, a) = (self.choose(&["index_cast", "index_castui"]), self.value("i32"));
                self.define(ty, &format!("arith.{op} {a} : i32 to index"));
            }
            80..95 if matches!(ty, "i1" | "i8" | "i32" | "i64") => {
                let width = |ty: &str| ty[1..].parse::<u32>().expect("a width");
                let others: Vec<_> =
                    ["i1", "i8", "i32", "i64"].into_iter().filter(|other| *other != ty).collect();
                let from = self.choose(&others);
                let extension = self.choose(&["extsi", "extui"]);
                let op = if width(from) < width(ty) { extension } else { "trunci" };
                let a = self.value(from);
                self.define(ty, &format!("arith.{op} {a} : {from} to {ty}"));
            }
            _ => {
                let a = self.value(ty);
                let _ = writeln!(self.text, "  \"t.use\"({a}) : ({ty}) -> ()");
            }
        }
    }

    /// A successor with values for its arguments.
    fn target(&mut self, block: usize, args: &[Vec<(String, &'static str)>]) -> String {
        let types: Vec<&'static str> = args[block].iter().map(|arg| arg.1).collect();
        let values: Vec<String> = types.iter().map(|ty| self.value(ty)).collect();
        if types.is_empty() {
            return format!("^bb{block}");
        }
        format!("^bb{block}({} : {})", values.join(", "), types.join(", "))
    }

    fn function(&mut self, name: &str) {
        let list = |args: &[(String, &str)]| {
            args.iter().map(|(name, ty)| format!("{name}: {ty}")).collect::<Vec<_>>().join(", ")
        };
        let blocks = self.choose(&[1, 1, 2, 3, 4, 5]);
        let count = 1 + self.random.below(5);
        let params: Vec<_> = (0..count).map(|i| (format!("%a{i}"), self.choose(&TYPES))).collect();
        let mut args = vec![Vec::new()];
        for block in 1..blocks {
            let count = self.random.below(3);
            args.push((0..count).map(|i| (format!("%b{block}_{i}"), self.choose(&TYPES))).collect());
        }
        let results: Vec<_> = (0..self.random.below(3)).map(|_| self.choose(&TYPES)).collect();
        let _ = writeln!(self.text, "func.func @{name}({}) -> ({}) {{", list(&params), results.join(", "));
        let mut dominating = params;
        for block in 0..blocks {
            if block > 0 {
                let _ = writeln!(self.text, "^bb{block}({}):", list(&args[block]));
            }
            self.values = dominating.clone();
            self.values.extend(args[block].iter().cloned());
            for _ in 0..self.random.below(9) {
                self.operation();
            }
            let kind = self.random.below(100);
            let is_last = block + 1 == blocks;
            let next = |generator: &mut Self| 1 + generator.random.below(blocks - 1);
            if blocks == 1 || kind < 10 || is_last && kind < 80 {
                let values: Vec<String> = results.iter().map(|ty| self.value(ty)).collect();
                let types =
                    if results.is_empty() { String::new() } else { format!(" : {}", results.join(", ")) };
                let _ = writeln!(self.text, "  return {}{types}", values.join(", "));
            } else if kind < 40 {
                let to = if is_last || self.random.percent(30) { next(self) } else { block + 1 };
                let target = self.target(to, &args);
                let _ = writeln!(self.text, "  cf.br {target}");
            } else if kind < 85 {
                let condition = self.value("i1");
                let (yes, no) = (next(self), next(self));
                let targets = [self.target(yes, &args), self.target(no, &args)];
                let _ = writeln!(self.text, "  cf.cond_br {condition}, {}", targets.join(", "));
            } else {
                let flag = self.value("i32");
                let to = next(self);
                let mut cases = vec![format!("default: {}", self.target(to, &args))];
                for case in 0..self.random.below(4) {
                    let to = next(self);
                    cases.push(format!("{}: {}", 2 * case, self.target(to, &args)));
                }
                let _ = writeln!(self.text, "  cf.switch {flag} : i32, [{}]", cases.join(", "));
            }
            if block == 0 {
                dominating = std::mem::take(&mut self.values);
            }
        }
        let _ = writeln!(self.text, "}}");
    }
}

/// At most 2% of the functions, and one function more, may differ: in the order of constants, or because several
/// results are possible.
#[test]
fn random_functions_give_the_same_text() {
    let random = Random::new(seed());
    let count = if std::env::var_os("DRRVM_FULL").is_some() { 5000 } else { 60 };
    for options in ["", "region-simplify=aggressive", "top-down=true", "region-simplify=disabled"] {
        let functions = (0..count).map(|index| {
            let random = random.fork(index);
            let mut generator = Generator { random, count: 0, values: Vec::new(), text: String::new() };
            generator.function(&format!("f{index}"));
            generator.text
        });
        let functions: Vec<String> = functions.collect();
        let Some(results) = both(&functions.join("// -----\n"), options, Definitions::None) else { return };
        let different: Vec<_> = results.iter().filter(|(theirs, ours)| theirs != ours).collect();
        println!("'{options}': {} of {count} functions differ", different.len());
        assert!(different.len() as u64 <= 1 + count / 50, "{} differ: {:#?}", different.len(), different[0]);
    }
}
