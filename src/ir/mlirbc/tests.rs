//! Tests that written files are read back, and that damaged files are refused.

use super::{VERSION, read, write};
use crate::equivalence::Random;
use crate::ir::{Context, Module, PrintOptions, parse_module};
use crate::source::{Color, SourceMap, render_all};

/// Modules with most kinds of attributes, types, operations and resources.
const TEXTS: &[&str] = &[
    include_str!("../../../tests/data/mlir/custom.mlir"),
    include_str!("../../../tests/data/mlir/generic.mlir"),
    r#"
    #loc = loc(fused<"meta">["a":1:2, callsite("f" at "b":3:4), "c":1:2 to 5:6, "d":1:2 to :9, unknown])
    "t.attrs"() {
      a = [unit, true, -1 : i8, 255 : ui8, -129 : i16, 1 : i129, -1 : i200, 3 : index, i32, "s" : i8, "\FF\00"],
      b = [1.5 : f16, 1.5 : bf16, -0.0 : f32, 0x7FF0000000000001 : f64, 1.5 : f80, 1.5 : f128, 1.0 : f8E5M2, 1.0 : tf32],
      c = [@a, @a::@b::@c, distinct[0]<unit>, distinct[1]<unit>, affine_map<(d0)[s0] -> (d0 + s0)>, #t.own<1> : i8],
      d = [dense<true> : tensor<9xi1>, dense<[true, false, true]> : tensor<3xi1>, dense<> : tensor<0xf32>],
      e = [dense<[[1, -2], [3, 4]]> : vector<2x2xi24>, dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>, array<i1: true>],
      f = [dense<["a", "b"]> : tensor<2x!t.s>, sparse<[[0, 1]], [1.0]> : tensor<2x2xf32>, array<i40: 1, -1>, array<f32>],
      g = [dense_resource<key> : tensor<1xi8>, dense_resource<absent> : tensor<1xi8>, loc("x":1:1), loc(unknown)]
    } : () -> () loc(#loc)
    "t.types"() : () -> (si7, none, tuple<>, tuple<i1, tuple<f32>>, (i1) -> (), complex<i8>, vector<f32>, vector<2x[4]xi8>,
      tensor<?x4xf32, #t.e>, tensor<*xi8>, memref<2x?xf32, strided<[?, 1], offset: 3>, "space">, memref<*xf32, 7>,
      memref<4xf32, affine_map<(d0) -> (d0 + 1)>>, !t.own<"x">, f4E2M1FN)
    "t.graph"() ({
      %0:2 = "t.user"(%1, %0#1, %1, %1) : (i8, i8, i8, i8) -> (i32, i8)
      "t.loop"(%1)[^bb2] ({
      ^bb0(%a: i8 loc("arg":1:1), %b: i8):
        "t.inner"(%1, %a, %0#0) ({}, {
          "t.end"() : () -> ()
        }) : (i8, i8, i32) -> ()
      }) : (i8) -> ()
    ^bb2:
      %1 = "t.late"() : () -> i8
      "t.loop"(%0#1, %1) : (i8, i8) -> ()
    }) : () -> ()
    "no_dialect"() <{"p" = 1 : i8}> : () -> ()
    {-#
      dialect_resources: { builtin: { key: "0x1000000005", other: "0x0100000001020304" } },
      external_resources: { tool: { text: "a\0Ab", flag: true, no: false } }
    #-}
    "#,
    "",
    "module @outer { module @inner { func.func private @f(i32) -> i32 } }",
    "func.func @f(%a: i1) { cf.cond_br %a, ^bb1, ^bb1 ^bb1: return }",
];

fn parse(context: &mut Context, text: &str) -> Module {
    let mut sources = SourceMap::default();
    let file = sources.add("in.mlir", text).expect("the text is short");
    parse_module(context, sources.file(file)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn print(context: &Context, module: &Module) -> String {
    module.print(context, PrintOptions::new().generic(true).debug_info(true).local_scope(true))
}

/// Turns the properties of operations without a definition into attributes, as the writer does.
fn without_unknown_properties(context: &mut Context, module: &mut Module) {
    let ops: Vec<_> = module.preorder(module.top()).collect();
    for op in ops {
        let name = context.op_name_text(module.name(op));
        if ["builtin.", "func.", "arith.", "cf."].iter().any(|dialect| name.starts_with(dialect)) {
            continue;
        }
        let mut all = context.entries(module.attrs(op)).to_vec();
        all.extend_from_slice(context.entries(module.properties(op)));
        let all = context.dictionary(&mut all);
        module.set_attrs(op, all);
        module.set_properties(op, Context::EMPTY_DICTIONARY);
    }
}

#[test]
fn a_written_module_reads_back_in_every_version() {
    for text in TEXTS {
        let mut context = Context::new();
        let mut module = parse(&mut context, text);
        let files: Vec<_> = (0..=VERSION).map(|version| write(&mut context, &module, version)).collect();
        without_unknown_properties(&mut context, &mut module);
        let expected = print(&context, &module);
        for (version, bytes) in (0..).zip(files) {
            let bytes = bytes.expect("the module is valid");
            let mut other = Context::new();
            let back = read(&mut other, "in.mlirbc", &bytes).unwrap_or_else(|errors| {
                panic!("{}", render_all(&errors, &SourceMap::default(), Color::Never))
            });
            assert_eq!(print(&other, &back), expected, "version {version}");
            assert_eq!(back.resources, module.resources);
            // The same module has the same bytes.
            assert_eq!(write(&mut other, &back, version).expect("valid"), bytes, "version {version}");
        }
    }
}

/// The dictionary of attributes would lose a part of these properties.
#[test]
fn unknown_properties_are_kept_apart_if_attributes_would_lose_them() {
    for text in ["\"t.a\"() <5 : i32> : () -> ()", "\"t.b\"() <{a = 1 : i32}> {a = 2 : i32} : () -> ()"] {
        let mut context = Context::new();
        let module = parse(&mut context, text);
        for version in [super::version::PROPERTIES, VERSION] {
            let bytes = write(&mut context, &module, version).expect("properties can be written");
            let mut other = Context::new();
            let back = read(&mut other, "in.mlirbc", &bytes).expect("valid");
            assert_eq!(print(&other, &back), print(&context, &module));
        }
        let errors = write(&mut context, &module, super::version::PROPERTIES - 1)
            .expect_err("properties would be lost");
        assert!(errors.has_errors());
    }
    // Equal values in both dictionaries are stored once.
    let mut context = Context::new();
    let module = parse(&mut context, "\"t.b\"() <{a = 1 : i32}> {a = 1 : i32} : () -> ()");
    for version in [super::version::PROPERTIES - 1, VERSION] {
        let bytes = write(&mut context, &module, version).expect("nothing is lost");
        let mut other = Context::new();
        let back = read(&mut other, "in.mlirbc", &bytes).expect("valid");
        assert!(print(&other, &back).contains("\"t.b\"() {a = 1 : i32} : () -> ()"));
    }
}

#[test]
fn properties_of_a_known_operation_must_be_a_dictionary() {
    let mut context = Context::new();
    let mut module = parse(&mut context, "%0 = arith.constant 1 : i32");
    let op = module.first_op(module.body()).expect("the module has an operation");
    let properties = context.parse_attr("5 : i8").expect("an attribute");
    module.set_properties(op, properties);
    for version in 0..=VERSION {
        let errors = write(&mut context, &module, version).expect_err("properties would be lost");
        let message = &errors.iter().next().expect("an error").message;
        assert!(message.starts_with("cannot write the properties of 'arith.constant'"), "{message}");
    }
}

#[test]
fn the_order_of_uses_is_kept() {
    let text = "%0 = \"t.a\"() : () -> i8\n\"t.b\"(%0, %0) : (i8, i8) -> ()\n\"t.c\"(%0, %0, %0) : (i8, i8, i8) -> ()";
    let mut context = Context::new();
    let mut module = parse(&mut context, text);
    let value = module.result(module.first_op(module.body()).expect("an operation"), 0);
    let place = |module: &Module, used| {
        let owner = module.use_owner(used);
        (context.op_name_text(module.name(owner)).to_owned(), module.use_index(used))
    };
    let uses: Vec<_> = module.uses(value).collect();
    let mut random = Random::new(crate::test_seed::seed());
    for _ in 0..50 {
        let mut order = uses.clone();
        for index in 1..order.len() {
            order.swap(index, random.below(index + 1));
        }
        module.order_uses(value, &order);
        let expected: Vec<_> = module.uses(value).map(|used| place(&module, used)).collect();
        assert_eq!(expected.len(), 5);
        for version in [super::version::USE_ORDERS, VERSION] {
            let mut context = context.clone();
            let bytes = write(&mut context, &module, version).expect("valid");
            let back = read(&mut context, "in.mlirbc", &bytes).expect("valid");
            let value = back.result(back.first_op(back.body()).expect("an operation"), 0);
            assert_eq!(back.uses(value).map(|used| place(&back, used)).collect::<Vec<_>>(), expected);
        }
    }
}

/// Reads arbitrary bytes. Returns true if they are a module.
fn is_read(bytes: &[u8]) -> bool {
    let mut context = Context::new();
    match read(&mut context, "in.mlirbc", bytes) {
        Ok(module) => {
            print(&context, &module);
            let written =
                write(&mut context, &module, VERSION).expect("a module that was read can be written");
            read(&mut Context::new(), "in.mlirbc", &written).expect("a written module is read");
            true
        }
        Err(errors) => {
            assert!(errors.has_errors());
            let text = render_all(&errors, &SourceMap::default(), Color::Never);
            assert!(text.contains("cannot read the byte code in 'in.mlirbc': "), "{text}");
            assert!(text.contains("at byte "), "{text}");
            false
        }
    }
}

fn files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for text in TEXTS {
        let mut context = Context::new();
        let module = parse(&mut context, text);
        files.extend([0, 4, VERSION].map(|version| write(&mut context, &module, version).expect("valid")));
    }
    files
}

#[test]
fn truncated_files_are_refused() {
    for file in files() {
        assert!(is_read(&file));
        let step = file.len().div_ceil(200);
        for end in (0..file.len()).step_by(step) {
            assert!(!is_read(&file[..end]), "{end} of {} bytes", file.len());
        }
    }
}

#[test]
fn damaged_files_are_refused_or_read() {
    let mut random = Random::new(crate::test_seed::seed());
    let files = files();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = files[random.below(files.len())].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = [0, 1, 2, 3, 0x7F, 0x80, 0xFE, 0xFF][random.below(8)],
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[random.below(bytes.len())]),
            }
        }
        match is_read(&bytes) {
            true => read += 1,
            false => refused += 1,
        }
    }
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}

/// Attributes that are nested nearly as deeply as the parser of text allows are read back. Attributes with 10,000
/// levels are refused, and the stack does not overflow.
#[test]
fn nesting_is_bounded() {
    for (start, open, inner, close, end) in
        [("", "[", "", "]", ""), ("", "tuple<", "", ">", ""), ("loc(", "\"a\"(", "unknown", ")", ")")]
    {
        let levels = if open == "tuple<" { 350 } else { 380 };
        let (opened, closed) = (open.repeat(levels), close.repeat(levels));
        let text = format!("\"t.a\"() {{a = {start}{opened}{inner}{closed}{end}}} : () -> ()");
        let mut context = Context::new();
        let mut sources = SourceMap::default();
        let file = sources.add("in.mlir", text).expect("short");
        let module = parse_module(&mut context, sources.file(file)).expect("the nesting is allowed");
        let bytes = write(&mut context, &module, VERSION).expect("valid");
        assert!(is_read(&bytes), "{open}");
    }
    // The attributes 0 to 9,999 are arrays: each contains the next one.
    let deep = nested_arrays(10_000);
    assert!(!is_read(&deep));
    assert!(is_read(&nested_arrays(100)));
}

/// A file with an operation whose attribute consists of this many nested arrays.
fn nested_arrays(levels: u64) -> Vec<u8> {
    use super::bytes::Writer;
    use super::version::SectionKind;
    let mut out = Writer::default();
    out.raw(super::version::MAGIC);
    out.number(VERSION);
    out.zero_terminated(b"test");
    let section = |fill: &dyn Fn(&mut Writer)| {
        let mut data = Writer::default();
        fill(&mut data);
        data.bytes
    };
    let strings = section(&|out| {
        [3, 2, 3, 8].into_iter().for_each(|number| out.number(number));
        [&b"builtin"[..], b"op", b"a"].into_iter().for_each(|text| out.zero_terminated(text));
    });
    out.section(SectionKind::Strings, &strings, 1);
    let dialects = section(&|out| [1, 0, 1, 0, 1, 2].into_iter().for_each(|number| out.number(number)));
    out.section(SectionKind::Dialects, &dialects, 1);
    // The entries are the arrays (the innermost has no elements), a dictionary, a name and a location.
    let mut sizes = Writer::default();
    [levels + 3, 0, 0, levels + 3].into_iter().for_each(|number| sizes.number(number));
    let mut data = Writer::default();
    let mut entry = |numbers: &[u64]| {
        let before = data.bytes.len();
        numbers.iter().for_each(|&number| data.number(number));
        sizes.flagged((data.bytes.len() - before) as u64, true);
    };
    (1..levels).for_each(|next| entry(&[0, 1, next]));
    entry(&[0, 0]);
    entry(&[1, 1, levels + 1, 0]);
    entry(&[2, 2]);
    entry(&[15]);
    out.section(SectionKind::AttrsAndTypes, &data.bytes, 1);
    out.section(SectionKind::AttrAndTypeSizes, &sizes.bytes, 1);
    let operations = section(&|out| {
        out.flagged(1, false);
        out.number(0);
        out.byte(1);
        out.number(levels + 2);
        out.number(levels);
    });
    out.section(SectionKind::Operations, &operations, 1);
    out.section(SectionKind::Properties, &section(&|out| out.number(0)), 1);
    out.bytes
}

#[test]
fn an_attribute_that_contains_itself_is_refused() {
    let mut bytes = nested_arrays(3);
    // Array 1 contains itself in place of the innermost array.
    let at = bytes.windows(6).position(|part| part == [1, 3, 5, 1, 1, 3]).expect("the arrays");
    bytes[at + 2] = 3;
    let mut context = Context::new();
    let errors = read(&mut context, "in.mlirbc", &bytes).expect_err("the attribute is infinite");
    assert!(errors.iter().any(|error| error.message.ends_with("attribute 1 contains itself")), "{errors:?}");
}

#[test]
fn errors_have_reasons_and_remedies() {
    let message = |bytes: &[u8]| {
        let errors = read(&mut Context::new(), "in.mlirbc", bytes).expect_err("damaged");
        render_all(&errors, &SourceMap::default(), Color::Never)
    };
    insta::assert_snapshot!(message(b"module {}"), @r"
    error: cannot read the byte code in 'in.mlirbc': the file does not begin with the bytes 4D 4C EF 52
     |
     = note: at byte 0 of 9
    ");
    insta::assert_snapshot!(message(b"ML\xefR\x0f"), @r"
    error: cannot read the byte code in 'in.mlirbc': version 7 of the format is newer than 6, the newest known one
     |
     = note: at byte 4 of 5
     = help: `mlir-opt --emit-bytecode --emit-bytecode-version=6` writes that version
    ");
    insta::assert_snapshot!(message(b"ML\xefR\x0dtool\0\x01\x03"), @r"
    error: cannot read the byte code in 'in.mlirbc': the section 'dialects' has a length of 1, but only 0 bytes are left
     |
     = note: at byte 10 of 12
     = note: the file has version 6, and 'tool' wrote it
    ");
    let mut context = Context::new();
    let module = parse(&mut context, "\"t.a\"() : () -> ()");
    let error = write(&mut context, &module, VERSION + 1).expect_err("the version is unknown");
    insta::assert_snapshot!(render_all(&error, &SourceMap::default(), Color::Never), @r"
    error: version 7 of the byte code is unknown
     |
     = help: the versions are 0 to 6
    ");
    let text = "{-# dialect_resources: { builtin: { key: \"0x0000008000\" } } #-}";
    let module = parse(&mut context, text);
    let error = write(&mut context, &module, VERSION).expect_err("the alignment is 2 GiB");
    insta::assert_snapshot!(render_all(&error, &SourceMap::default(), Color::Never), @"error: resource 'key' has an alignment of 2147483648 bytes, which is more than the limit of 1048576");
}
