//! Tests of Triton's dialects. In Triton itself, C++ code reads and prints their attributes and types. The package
//! `triton` 3.9.0 printed `triton.mlir` and `triton.generic.mlir` from the same module.

use crate::common::command;

const DIALECTS: &str = include_str!("triton.td");
const CUSTOM: &str = include_str!("triton.mlir");
const GENERIC: &str = include_str!("triton.generic.mlir");

/// Runs `drrvm opt` on a text with the dialects. Returns the printed module, or the errors.
fn opt(text: &str, options: &[&str]) -> Result<String, String> {
    command::opt(DIALECTS, text, options)
}

/// A text in which values are numbered in the order of their first occurrences. In generic form, Triton numbers values
/// in another order.
fn renamed(text: &str) -> String {
    let (mut out, mut names) = (String::new(), Vec::new());
    for (number, part) in text.split('%').enumerate() {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(if number == 0 { 0 } else { end });
        if number > 0 {
            let known = names.iter().position(|known| *known == name);
            let known = known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            out.push_str(&format!("%v{known}"));
        }
        out.push_str(rest);
    }
    out
}

#[test]
fn custom_text_is_read_as_the_generic_text() {
    let printed = opt(CUSTOM, &["--mlir-print-op-generic"]).unwrap();
    assert_eq!(renamed(printed.trim_end()), renamed(GENERIC.trim_end()));
}

#[test]
fn printed_text_is_that_of_triton() {
    for input in [CUSTOM, GENERIC] {
        assert_eq!(opt(input, &[]).unwrap().trim_end(), CUSTOM.trim_end());
    }
}

#[test]
fn locations_are_read_again() {
    let printed = opt(CUSTOM, &["--mlir-print-debuginfo"]).unwrap();
    assert_eq!(opt(&printed, &["--mlir-print-debuginfo"]).unwrap(), printed);
}

/// Triton's compiler stores the names of a kernel's variables as locations. With `--mlir-use-nameloc-as-prefix`, values
/// are printed with these names.
#[test]
fn names_come_from_locations() {
    let text = "tt.func @f(%arg0: i32 loc(\"x\"(\"k.py\":1:2)), %arg1: i32) {\n  \
        %0 = arith.addi %arg0, %arg1 : i32 loc(\"x\")\n  \
        %c1_i32 = arith.constant 1 : i32 loc(callsite(\"k.py\":3:4 at \"one 1\"))\n  \
        %c2_i32 = arith.constant 2 : i32 loc(\"\")\n  tt.return\n}\n";
    let expected = "tt.func @f(%x: i32, %arg1: i32) {\n    %x_0 = arith.addi %x, %arg1 : i32\n    \
        %one_1 = arith.constant 1 : i32\n    %0 = arith.constant 2 : i32\n    tt.return\n  }\n";
    let printed = opt(text, &["--mlir-use-nameloc-as-prefix"]).unwrap();
    assert!(printed.contains(expected), "{printed}");
    let generic = opt(text, &["--mlir-use-nameloc-as-prefix", "--mlir-print-op-generic"]).unwrap();
    assert!(generic.contains("%0 = \"arith.constant\"() <{value = 2 : i32}>"), "{generic}");
}

/// Prints an attribute or type without aliases.
fn without_aliases(text: &str) -> String {
    let module = format!("\"x.y\"() {{a = {text}}} : () -> ()\n");
    let printed = opt(&module, &["--mlir-print-local-scope"]).unwrap();
    let printed = printed.split_once("{a = ").unwrap().1;
    printed.rsplit_once("} : ()").unwrap().0.to_owned()
}

#[test]
fn texts_with_the_same_meaning_are_printed_alike() {
    let blocked = "#ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 2, 16], warpsPerCTA = [1, 8, 1], \
                   order = [2, 1, 0]}>";
    let shared = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
    let written = |text: &str| text.replace("#b", blocked).replace("#s", shared);
    for (text, expected) in [
        (
            "#ttg.blocked<{\"order\" = [0x2, 1, 0], CGALayout = [], warpsPerCTA = [1, 8 : i8, 1], \
             threadsPerWarp = [1, 2, 16], sizePerThread = [1, 1, 8]}>",
            "#b",
        ),
        (
            "#ttg.slice<{parent = #ttg.slice<{dim = 0, parent = #b}>, dim = 1 : i32}>",
            "#ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 0, parent = #b}>}>",
        ),
        (
            "#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 1], instrShape = [16, 64, 16], CGALayout = [[1, 0]]}>",
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], CGALayout = [[1, 0]], \
             instrShape = [16, 64, 16]}>",
        ),
        (
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], tilesPerWarp = [1, 1], \
             elementBitWidth = 32}>",
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = false}>",
        ),
        (
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true, \
             elementBitWidth = 64, tilesPerWarp = [2, 1]}>",
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true, \
             tilesPerWarp = [2, 1], elementBitWidth = 64}>",
        ),
        (
            "#ttg.amd_wmma<{ctaLayout = {warp = [[0, 1]], register = []}, version = 2, instrShape = [16, 16, 16]}>",
            "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = [[0, 1]]}}>",
        ),
        (
            "#ttg.swizzled_shared<{vec = 1, order = [0]}>",
            "#ttg.swizzled_shared<{vec = 1, perPhase = 0, maxPhase = 0, order = [0]}>",
        ),
        (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 32, elementBitWidth = 8, fp4Padded = false, rank = 2}>",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>",
        ),
        (
            "#ttg.nvmma_shared<{rank = 3, swizzlingByteWidth = 32, elementBitWidth = 8, fp4Padded = true}>",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8, fp4Padded = true, \
             rank = 3}>",
        ),
        (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 32, elementBitWidth = 8, CGALayout = [[1, 0, 0]], rank = 3}>",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8, \
             CGALayout = [[1, 0, 0]]}>",
        ),
        (
            "#ttg.padded_shared<[32 : +4 , 64:+8]{shape = [1, 16, 1], order = [2, 1, 0]}>",
            "#ttg.padded_shared<[32:+4, 64:+8] {order = [1, 2, 0], shape = [1, 16, 1]}>",
        ),
        (
            "#ttg.padded_shared<[2:+2] {offset = [[1, 0], [2, 0], [0, 1]], block = []}>",
            "#ttg.padded_shared<[2:+2] {order = [0, 1], shape = [4, 2]}>",
        ),
        (
            "#ttg.padded_shared<[2:+2] {block = [[0, 2]], offset = [[1, 0], [2, 0], [0, 1]]}>",
            "#ttg.padded_shared<[2:+2] {offset = [[1, 0], [2, 0], [0, 1]], block = [[0, 2]]}>",
        ),
        (
            "#ttg.padded_shared<[2:+2] {offset = [[2], [1]], block = []}>",
            "#ttg.padded_shared<[2:+2] {offset = [[2], [1]], block = []}>",
        ),
        (
            "#ttg.shared_linear<{block = [], offset = [[0, 1], [1, 0]]} , alignment=16>",
            "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>",
        ),
        (
            "#ttg.partitioned_shared<{numGroups = 1, numPartitions = 2, partitionDim = 0, partitionLayout = #s}>",
            "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, partitionDim = 0, partitionLayout = #s}>",
        ),
        (
            "#ttng.tensor_memory_encoding<blockN=64, blockM = 128, fp4Padded = false, CGALayout = [], colStride = 2>",
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2>",
        ),
        (
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2, twoCTAs = true, \
             CGALayout = [[1,0]]>",
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2, CGALayout = [[1, 0]], \
             twoCTAs = true>",
        ),
        (
            "#ttng.tensor_memory_scales_encoding<blockRepOrder = mnThenK>",
            "#ttng.tensor_memory_scales_encoding<>",
        ),
        (
            "#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn, CGALayout = [[1, 0]]>",
            "#ttng.tensor_memory_scales_encoding<CGALayout = [[1, 0]], blockRepOrder = kThenMn>",
        ),
        ("!tt.ptr< f32 , \"global\" >", "!tt.ptr<f32>"),
        ("!tt.ptr<f32,\"descriptor\">", "!tt.ptr<f32, \"descriptor\">"),
        (
            "!tt.tensordesc<8x!tt.ptr<i8> , #ttg.shared_memory>",
            "!tt.tensordesc<8x!tt.ptr<i8>, #ttg.shared_memory>",
        ),
        (
            "!ttg.memdesc<4x8xf16 , #s,#ttg.shared_memory, mutable, 4x8>",
            "!ttg.memdesc<4x8xf16, #s, #ttg.shared_memory, mutable>",
        ),
        (
            "!ttg.memdesc<8x8xf16, #s, #ttg.shared_memory, 4x8x8>",
            "!ttg.memdesc<8x8xf16, #s, #ttg.shared_memory, 4x8x8>",
        ),
    ] {
        assert_eq!(without_aliases(&written(text)), written(expected));
    }
}

/// An attribute or type is printed as written if its text does not have the form of its class: another release of
/// Triton can have other parameters.
#[test]
fn attributes_and_types_of_other_forms_are_kept() {
    for text in [
        "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CTAsPerCGA = [1]}>",
        "#ttg.blocked<{sizePerThread = [-1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
        "#ttg.linear<{register = [], lane = [], warp = []}>",
        "#ttg.slice<{dim = 1}>",
        "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {lane = []}}>",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = 1, elementBitWidth = 8}>",
        "#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 24]}>",
        "#ttg.padded_shared<[32:+4] {order = [1, 1], shape = [16, 16]}>",
        "#ttg.padded_shared<[32:+4] {order = [1, 0]}>",
        "#ttng.tensor_memory_encoding<blockM = 128>",
        "#ttng.tensor_memory_scales_encoding<blockRepOrder = other>",
        "!tt.ptr<f32, 1>",
        "!tt.tensordesc<tensor<4xf32>, 1, 2>",
        "!ttg.memdesc<4xf32, #ttg.shared_memory>",
    ] {
        assert_eq!(without_aliases(text), text);
    }
}

/// The custom form of these operations does not state all of their parts. If an operation has parts that the reader
/// would not infer, it is printed in generic form.
#[test]
fn operations_that_the_custom_form_cannot_express_are_printed_in_generic_form() {
    let partitions = |operands: &str, regions: &str, types: &str| {
        format!(
            "\"ttg.warp_specialize\"() <{{partitionNumWarps = array<i32: 4>}}> ({{\n  ttg.warp_yield\n}}, {{\n  \
             \"ttg.warp_specialize.partitions\"({operands}) ({regions}) : ({types}) -> ()\n}}) : () -> ()"
        )
    };
    let one = "{\n  ttg.warp_return\n}";
    for (op, is_custom) in [
        (partitions("", one, ""), true),
        (partitions("", &format!("{one}, {one}"), ""), false),
        (partitions("", one, "").replace("({", "({\n^bb0(%0: i32):"), false),
        ("\"ttg.barrier\"() <{addrSpace = 3 : i32}> : () -> ()".to_owned(), true),
        ("\"ttg.barrier\"() <{addrSpace = 32 : i32}> : () -> ()".to_owned(), false),
        ("\"ttg.barrier\"() <{addrSpace = 1 : i32}> {tt.a} : () -> ()".to_owned(), false),
    ] {
        let name = &op[1..op[1..].find('"').unwrap() + 1];
        let printed = opt(&format!("{op}\n"), &[]).unwrap();
        assert_eq!(printed.contains(&format!("\"{name}\"(")), !is_custom, "{op}\n{printed}");
        assert_eq!(opt(&printed, &[]).unwrap(), printed);
    }
}

#[test]
fn wrong_text_is_refused() {
    for (text, expected) in [
        ("ttg.barrier", "an address space"),
        ("ttg.barrier shared", "an address space: local, global_read"),
        ("ttg.barrier local|", "an address space"),
        ("ttg.warp_specialize(%i)", "'default'"),
        ("ttg.warp_specialize(%i) default { ttg.warp_yield }", "':'"),
        (
            "ttg.warp_specialize(%i) default { ttg.warp_yield } : () -> ()",
            "1 operand, but its type has 0 inputs",
        ),
        (
            "ttg.warp_specialize(%i) default { ttg.warp_yield } partition0(%a: i32) {} : (i32) -> ()",
            "'num_warps'",
        ),
        (
            "ttg.warp_specialize(%i) default { ttg.warp_yield } partition0(%a: i32) num_warps(x) {} : (i32) -> ()",
            "the number of warps",
        ),
        (
            "ttg.warp_specialize(%i) default { ttg.warp_yield } partition1() num_warps(1) {} : (i32) -> ()",
            "':'",
        ),
        ("ttg.warp_specialize(%i) default { ttg.warp_yield } : (i64) -> ()", "'i64' vs 'i32'"),
        ("%x = \"x.y\"() : () -> !ttg.memdesc<4xf32, #none, 2>", "#none"),
        ("%x = tt.load %i : i32", "'i32' is not a pointer, '!tt.ptr<…>'"),
        (
            "%x = ttg.memdesc_subslice %m[] : !ttg.memdesc<4xf32, 1, 2> -> !ttg.memdesc<4xf32, 1, 2>",
            "an integer",
        ),
        ("%x = ttng.tc_gen5_mma %m, %m, %m[%i, %i], %b, %b : i32, i32, i32", "']'"),
        ("ttng.tc_gen5_mma %m, %m, %m, %b, %b, %i : i32, i32, i32", "'['"),
    ] {
        let module = format!(
            "tt.func @f(%i: i32, %m: !ttg.memdesc<4xf32, 1, 2>, %b: i1) {{\n  {text}\n  tt.return\n}}\n"
        );
        let error = opt(&module, &[]).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}
