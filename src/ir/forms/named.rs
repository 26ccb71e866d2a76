//! Linalg's named operations. The text of most of them omits the region, which the name, the types and the attributes
//! determine.
//!
//! A *program* describes the region in postfix notation: a digit is an argument of the block, `cast` and
//! `cast_unsigned` convert to the element type of the output, and any other word is a function.

use super::index_list::{i32_array, i64_array, i64_items};
use super::linalg::{print_operands, read_operands};
use super::lists::{enclosed, entry_arguments, optional_results, typed_arguments, types};
use crate::host::Signedness;
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms, PrintedOp};
use crate::ir::ids::{RegionId, TypeId, ValueId};
use crate::ir::types::TypeKind;

const MULTIPLY_ADD: &str = "2 0 cast 1 cast mul add";
const MULTIPLY_ADD_OFFSETS: &str = "4 0 cast 2 cast sub 1 cast 3 cast sub mul add";

/// The programs of the operations.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("0 cast", &["copy", "fill"]),
    (
        MULTIPLY_ADD,
        &[
            "matmul",
            "batch_matmul",
            "batch_reduce_matmul",
            "contract",
            "mmt4d",
            "batch_mmt4d",
            "matvec",
            "vecmat",
            "batch_matvec",
            "batch_vecmat",
            "dot",
            "conv_1d",
            "conv_2d",
            "conv_3d",
            "conv_1d_nwc_wcf",
            "conv_1d_ncw_fcw",
            "conv_2d_nhwc_hwcf",
            "conv_2d_nhwc_fhwc",
            "conv_2d_nchw_fchw",
            "conv_2d_ngchw_fgchw",
            "conv_2d_ngchw_gfchw",
            "conv_2d_nhwgc_gfhwc",
            "conv_3d_ndhwc_dhwcf",
            "conv_3d_ncdhw_fcdhw",
            "depthwise_conv_1d_nwc_wc",
            "depthwise_conv_1d_ncw_cw",
            "depthwise_conv_1d_nwc_wcm",
            "depthwise_conv_2d_nhwc_hwc",
            "depthwise_conv_2d_nchw_chw",
            "depthwise_conv_2d_nhwc_hwcm",
            "depthwise_conv_3d_ndhwc_dhwc",
            "depthwise_conv_3d_ncdhw_cdhw",
            "depthwise_conv_3d_ndhwc_dhwcm",
        ],
    ),
    (
        MULTIPLY_ADD_OFFSETS,
        &[
            "quantized_matmul",
            "quantized_batch_matmul",
            "conv_2d_nhwc_hwcf_q",
            "conv_2d_nhwc_fhwc_q",
            "conv_2d_nchw_fchw_q",
            "conv_2d_ngchw_gfchw_q",
            "conv_2d_nhwgc_gfhwc_q",
            "conv_3d_ndhwc_dhwcf_q",
            "depthwise_conv_2d_nhwc_hwc_q",
            "depthwise_conv_2d_nhwc_hwcm_q",
        ],
    ),
    (
        "2 0 cast add",
        &["pooling_nhwc_sum", "pooling_nchw_sum", "pooling_nwc_sum", "pooling_ncw_sum", "pooling_ndhwc_sum"],
    ),
    (
        "2 0 cast max_signed",
        &["pooling_nhwc_max", "pooling_nchw_max", "pooling_nwc_max", "pooling_ncw_max", "pooling_ndhwc_max"],
    ),
    ("2 0 cast_unsigned max_unsigned", &["pooling_nhwc_max_unsigned", "pooling_nwc_max_unsigned"]),
    ("2 0 cast min_signed", &["pooling_nhwc_min", "pooling_nwc_min", "pooling_ndhwc_min"]),
    ("2 0 cast_unsigned min_unsigned", &["pooling_nhwc_min_unsigned", "pooling_nwc_min_unsigned"]),
    ("0 1 max_signed", &["max"]),
    ("0 1 min_signed", &["min"]),
];

/// The operations, and the kinds of `linalg.elementwise`, that apply one function to one input (`UNARY`) or to two
/// inputs (`BINARY`).
const UNARY: &[&str] = &[
    "exp",
    "log",
    "abs",
    "ceil",
    "floor",
    "negf",
    "reciprocal",
    "round",
    "sqrt",
    "rsqrt",
    "square",
    "tanh",
    "erf",
];
const BINARY: &[&str] = &[
    "add",
    "sub",
    "mul",
    "div",
    "div_unsigned",
    "max_signed",
    "min_signed",
    "max_unsigned",
    "min_unsigned",
    "powf",
];

/// The maps for [`MEMOIZED`]: the number of loops, the map of each operand, and the names of the operations. A letter
/// is a loop, and two letters are the loops of a window: `ab` is `d0 * stride + d1 * dilation`. The first window of a
/// map has the first stride and the first dilation of the operation, the second window has the second ones, and so on.
const WINDOWS: &[(usize, &str, &[&str])] = &[
    (3, "a c, c b, , , a b", &["quantized_matmul"]),
    (4, "a b d, a d c, , , a b c", &["quantized_batch_matmul"]),
    (6, "a c d f, b c e f, a b d e", &["mmt4d"]),
    (7, "a b d e g, a c d f g, a b c e f", &["batch_mmt4d"]),
    (2, "a b, b, a", &["matvec"]),
    (2, "b, b a, a", &["vecmat"]),
    (3, "a b c, a c, a b", &["batch_matvec"]),
    (3, "a c, a c b, a b", &["batch_vecmat"]),
    (1, "a, a, ", &["dot"]),
    (2, "ab, b, a", &["conv_1d"]),
    (4, "ac bd, c d, a b", &["conv_2d"]),
    (6, "ad be cf, d e f, a b c", &["conv_3d"]),
    (5, "a bd e, d e c, a b c", &["conv_1d_nwc_wcf"]),
    (5, "a d ce, b d e, a b c", &["conv_1d_ncw_fcw"]),
    (7, "a be cf g, e f g d, a b c d", &["conv_2d_nhwc_hwcf"]),
    (7, "a be cf g, d e f g, a b c d", &["conv_2d_nhwc_fhwc"]),
    (7, "a be cf g, e f g d, , , a b c d", &["conv_2d_nhwc_hwcf_q"]),
    (7, "a be cf g, d e f g, , , a b c d", &["conv_2d_nhwc_fhwc_q"]),
    (7, "a e cf dg, b e f g, , , a b c d", &["conv_2d_nchw_fchw_q"]),
    (7, "a e cf dg, b e f g, a b c d", &["conv_2d_nchw_fchw"]),
    (8, "a b f dg eh, c b f g h, a b c d e", &["conv_2d_ngchw_fgchw"]),
    (8, "a b f dg eh, b c f g h, a b c d e", &["conv_2d_ngchw_gfchw"]),
    (8, "a bf cg d h, d e f g h, a b c d e", &["conv_2d_nhwgc_gfhwc"]),
    (8, "a bf cg d h, d e f g h, , , a b c d e", &["conv_2d_nhwgc_gfhwc_q"]),
    (8, "a b f dg eh, b c f g h, , , a b c d e", &["conv_2d_ngchw_gfchw_q"]),
    (9, "a bf cg dh i, f g h i e, a b c d e", &["conv_3d_ndhwc_dhwcf"]),
    (9, "a bf cg dh i, f g h i e, , , a b c d e", &["conv_3d_ndhwc_dhwcf_q"]),
    (9, "a f cg dh ei, b f g h i, a b c d e", &["conv_3d_ncdhw_fcdhw"]),
    (4, "a bd c, d c, a b c", &["depthwise_conv_1d_nwc_wc"]),
    (4, "a c bd, c d, a c b", &["depthwise_conv_1d_ncw_cw"]),
    (5, "a be c, e c d, a b c d", &["depthwise_conv_1d_nwc_wcm"]),
    (6, "a be cf d, e f d, a b c d", &["depthwise_conv_2d_nhwc_hwc"]),
    (6, "a d be cf, d e f, a d b c", &["depthwise_conv_2d_nchw_chw"]),
    (6, "a be cf d, e f d, , , a b c d", &["depthwise_conv_2d_nhwc_hwc_q"]),
    (7, "a bf cg d, f g d e, a b c d e", &["depthwise_conv_2d_nhwc_hwcm"]),
    (7, "a bf cg d, f g d e, , , a b c d e", &["depthwise_conv_2d_nhwc_hwcm_q"]),
    (8, "a be cf dg h, e f g h, a b c d h", &["depthwise_conv_3d_ndhwc_dhwc"]),
    (8, "a h be cf dg, h e f g, a h b c d", &["depthwise_conv_3d_ncdhw_cdhw"]),
    (9, "a bf cg dh i, f g h i e, a b c d i e", &["depthwise_conv_3d_ndhwc_dhwcm"]),
    (
        6,
        "a be cf d, e f, a b c d",
        &[
            "pooling_nhwc_sum",
            "pooling_nhwc_max",
            "pooling_nhwc_max_unsigned",
            "pooling_nhwc_min",
            "pooling_nhwc_min_unsigned",
        ],
    ),
    (6, "a b ce df, e f, a b c d", &["pooling_nchw_sum", "pooling_nchw_max"]),
    (
        4,
        "a bd c, d, a b c",
        &[
            "pooling_nwc_sum",
            "pooling_nwc_max",
            "pooling_nwc_max_unsigned",
            "pooling_nwc_min",
            "pooling_nwc_min_unsigned",
        ],
    ),
    (4, "a b cd, d, a b c", &["pooling_ncw_sum", "pooling_ncw_max"]),
    (8, "a bf cg dh e, f g h, a b c d e", &["pooling_ndhwc_sum", "pooling_ndhwc_max", "pooling_ndhwc_min"]),
];

/// The attribute in which C++ code stores the maps of an operation.
const MEMOIZED: &str = "linalg.memoized_indexing_maps";

/// The default `indexing_maps` of operations: the dimensions, and the results of each map.
const MAPS: &[(&str, &str, [&str; 3])] = &[
    ("matmul", "d0, d1, d2", ["d0, d2", "d2, d1", "d0, d1"]),
    ("batch_matmul", "d0, d1, d2, d3", ["d0, d1, d3", "d0, d3, d2", "d0, d1, d2"]),
    ("batch_reduce_matmul", "d0, d1, d2, d3", ["d0, d1, d3", "d0, d3, d2", "d1, d2"]),
];

pub(super) fn register(forms: &mut Forms) {
    let mut add = |name: &'static str, program: String| {
        forms.add_form(&format!("linalg.{name}"), Named { name, program });
    };
    for (program, names) in PROGRAMS {
        for name in *names {
            add(name, (*program).to_owned());
        }
    }
    for name in UNARY {
        add(name, format!("0 {name}"));
    }
    for name in BINARY {
        add(name, format!("0 1 {name}"));
    }
    add("select", "0 1 2 select".to_owned());
    add("elementwise", String::new());
    forms.add_form("linalg.yield", Yield);
    forms.add_form("linalg.transpose", Rearrange { list: "permutation" });
    forms.add_form("linalg.broadcast", Rearrange { list: "dimensions" });
    forms.add_form("linalg.map", Combine { list: None });
    forms.add_form("linalg.reduce", Combine { list: Some("dimensions") });
}

/// The class of a scalar type, which determines the operation that computes a function such as `add`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Float,
    Integer(u32),
    Complex,
    Index,
    Other,
}

/// The region of a named operation while it is built.
struct Body<'r> {
    reader: &'r mut dyn FormReader,
    region: RegionId,
    stack: Vec<ValueId>,
}

impl Body<'_> {
    fn scalar(&self, ty: TypeId) -> Scalar {
        match self.reader.type_kind(ty) {
            TypeKind::Float(_) => Scalar::Float,
            TypeKind::Integer { width, signedness: Signedness::Signless } => Scalar::Integer(*width),
            TypeKind::Index => Scalar::Index,
            TypeKind::Complex(_) => Scalar::Complex,
            _ => Scalar::Other,
        }
    }

    fn pop(&mut self) -> FormResult<ValueId> {
        self.stack.pop().ok_or_else(|| self.reader.fail("the operation has too few operands"))
    }

    fn push(&mut self, op: &str, operands: &[ValueId], result: TypeId) {
        let results = self.reader.append(self.region, op, operands, &[], &[result], &[]);
        self.stack.extend(results);
    }

    fn width(&self, ty: TypeId) -> u32 {
        match self.reader.type_kind(ty) {
            TypeKind::Float(format) => format.width(),
            TypeKind::Integer { width, .. } => *width,
            _ => 0,
        }
    }

    fn cast(&mut self, to: TypeId, unsigned: bool) -> FormResult<()> {
        let value = self.pop()?;
        let from = self.reader.value_type(value);
        if from == to {
            self.stack.push(value);
            return Ok(());
        }
        let widens = self.width(to) > self.width(from);
        let op = match (self.scalar(from), self.scalar(to)) {
            (Scalar::Float, Scalar::Float) => ["arith.truncf", "arith.extf"][usize::from(widens)],
            (Scalar::Integer(1), Scalar::Float) => "arith.uitofp",
            (Scalar::Integer(_), Scalar::Float) => ["arith.sitofp", "arith.uitofp"][usize::from(unsigned)],
            (Scalar::Float, Scalar::Integer(_)) => ["arith.fptosi", "arith.fptoui"][usize::from(unsigned)],
            (Scalar::Integer(_), Scalar::Integer(_)) if !widens => "arith.trunci",
            (Scalar::Integer(_), Scalar::Integer(_)) => ["arith.extsi", "arith.extui"][usize::from(unsigned)],
            (Scalar::Index, Scalar::Integer(_)) | (Scalar::Integer(_), Scalar::Index) => "arith.index_cast",
            _ => return Err(self.reader.fail("an element type cannot be converted to that of the output")),
        };
        self.push(op, &[value], to);
        Ok(())
    }

    fn unary(&mut self, word: &str) -> FormResult<()> {
        let value = self.pop()?;
        let ty = self.reader.value_type(value);
        match word {
            "square" => self.push("arith.mulf", &[value, value], ty),
            "reciprocal" => {
                let text = self.reader.type_text(ty);
                let one = self.reader.attr_of_text(&format!("1.0 : {text}"))?;
                let one =
                    self.reader.append(self.region, "arith.constant", &[], &[("value", one)], &[ty], &[]);
                self.push("arith.divf", &[one[0], value], ty);
            }
            "negf" => self.push("arith.negf", &[value], ty),
            "abs" => self.push("math.absf", &[value], ty),
            word => self.push(&format!("math.{word}"), &[value], ty),
        }
        Ok(())
    }

    fn binary(&mut self, word: &str) -> FormResult<()> {
        let right = self.pop()?;
        let left = self.pop()?;
        let ty = self.reader.value_type(left);
        let op = match (self.scalar(ty), word) {
            (Scalar::Complex, "add" | "sub" | "mul" | "div") => format!("complex.{word}"),
            (Scalar::Float, "add" | "sub" | "mul" | "div") => format!("arith.{word}f"),
            (Scalar::Float, "div_unsigned") => "arith.divf".to_owned(),
            (Scalar::Float, "max_signed" | "max_unsigned") => "arith.maximumf".to_owned(),
            (Scalar::Float, "min_signed" | "min_unsigned") => "arith.minimumf".to_owned(),
            (Scalar::Float, "powf") => "math.powf".to_owned(),
            (Scalar::Integer(1), "add") => "arith.ori".to_owned(),
            (Scalar::Integer(1), "mul") => "arith.andi".to_owned(),
            (Scalar::Integer(_) | Scalar::Index, "add" | "sub" | "mul") => format!("arith.{word}i"),
            (Scalar::Integer(_) | Scalar::Index, "div") => "arith.divsi".to_owned(),
            (Scalar::Integer(_) | Scalar::Index, "div_unsigned") => "arith.divui".to_owned(),
            (Scalar::Integer(_) | Scalar::Index, "max_signed") => "arith.maxsi".to_owned(),
            (Scalar::Integer(_) | Scalar::Index, "min_signed") => "arith.minsi".to_owned(),
            (Scalar::Integer(_) | Scalar::Index, "max_unsigned") => "arith.maxui".to_owned(),
            (Scalar::Integer(_) | Scalar::Index, "min_unsigned") => "arith.minui".to_owned(),
            _ => return Err(self.reader.fail("the operation is not defined for this element type")),
        };
        self.push(&op, &[left, right], ty);
        Ok(())
    }
}

/// The element type of an operand.
fn element(reader: &dyn FormReader, ty: TypeId) -> TypeId {
    let kind = reader.type_kind(ty);
    if kind.is_shaped() { kind.element().unwrap_or(ty) } else { ty }
}

/// A region with a block that has one argument for each operand, and the arguments.
fn region_for(reader: &mut dyn FormReader, operands: &[TypeId]) -> (RegionId, Vec<ValueId>) {
    let elements: Vec<TypeId> = operands.iter().map(|&ty| element(reader, ty)).collect();
    let region = reader.empty_region();
    let arguments = reader.add_block(region, &elements);
    (region, arguments)
}

/// Builds the region that a program describes.
fn build(
    reader: &mut dyn FormReader,
    operands: &[TypeId],
    inputs: usize,
    program: &str,
    unsigned: bool,
) -> FormResult<RegionId> {
    let Some(&output) = operands.get(inputs) else {
        return Err(reader.fail("the operation has no output"));
    };
    let output = element(reader, output);
    let (region, arguments) = region_for(reader, operands);
    let mut body = Body { reader, region, stack: Vec::new() };
    for word in program.split(' ') {
        if let Ok(index) = word.parse::<usize>() {
            let Some(&argument) = arguments.get(index) else {
                return Err(body.reader.fail("the operation has too few operands"));
            };
            body.stack.push(argument);
        } else if word == "cast" || word == "cast_unsigned" {
            body.cast(output, unsigned || word == "cast_unsigned")?;
        } else if UNARY.contains(&word) {
            body.unary(word)?;
        } else if word == "select" {
            let (other, value, condition) = (body.pop()?, body.pop()?, body.pop()?);
            body.push("arith.select", &[condition, value, other], output);
        } else {
            body.binary(word)?;
        }
    }
    let stack = body.stack;
    reader.append(region, "linalg.yield", &stack, &[], &[], &[]);
    Ok(region)
}

/// `linalg.matmul indexing_maps = […] {…} ins(%a, %b : t, u) outs(%c : v) -> v`
#[derive(Debug)]
struct Named {
    name: &'static str,
    program: String,
}

impl Named {
    /// The maps of the operation if the text has none.
    fn default_maps(&self, operands: usize, rank: usize) -> Option<String> {
        if self.name == "elementwise" {
            let dims: Vec<String> = (0..rank).map(|dim| format!("d{dim}")).collect();
            let dims = dims.join(", ");
            return Some(format!(
                "[{}]",
                vec![format!("affine_map<({dims}) -> ({dims})>"); operands].join(", ")
            ));
        }
        let (_, dims, maps) = MAPS.iter().find(|(name, ..)| *name == self.name)?;
        let maps: Vec<String> =
            maps.iter().map(|results| format!("affine_map<({dims}) -> ({results})>")).collect();
        Some(format!("[{}]", maps.join(", ")))
    }
}

impl Named {
    /// The maps of an operation that [`WINDOWS`] lists.
    fn window_maps(&self, reader: &dyn FormReader) -> Option<String> {
        let (loops, maps, _) = WINDOWS.iter().find(|(.., names)| names.contains(&self.name))?;
        let [strides, dilations] = ["strides", "dilations"].map(|name| numbers(reader, name));
        let dims: Vec<String> = (0..*loops).map(|dim| format!("d{dim}")).collect();
        let dims = dims.join(", ");
        let scaled = |letter: char, factors: &[i64], window: usize| {
            let dim = u32::from(letter) - u32::from('a');
            match factors.get(window).copied().unwrap_or(1) {
                1 => format!("d{dim}"),
                factor => format!("d{dim} * {factor}"),
            }
        };
        let texts = maps.split(", ").map(|map| {
            let mut window = 0;
            let results = map.split_whitespace().map(|term| {
                let mut letters = term.chars();
                let (first, second) = (letters.next().unwrap_or('a'), letters.next());
                let Some(second) = second else { return scaled(first, &[], 0) };
                window += 1;
                let outer = scaled(first, &strides, window - 1);
                format!("{outer} + {}", scaled(second, &dilations, window - 1))
            });
            let results: Vec<String> = results.collect();
            format!("affine_map<({dims}) -> ({})>", results.join(", "))
        });
        let texts: Vec<String> = texts.collect();
        Some(format!("[{}]", texts.join(", ")))
    }
}

/// The elements of an attribute with 64-bit integers; a single integer is repeated for all windows.
fn numbers(reader: &dyn FormReader, name: &str) -> Vec<i64> {
    const WINDOWS: usize = 3;
    let Some(attr) = reader.get(name) else { return Vec::new() };
    let AttrKind::DenseElements { data, splat, .. } = reader.attr_kind(attr) else { return Vec::new() };
    let words = data.chunks_exact(8).filter_map(|bytes| Some(i64::from_le_bytes(bytes.try_into().ok()?)));
    let words: Vec<i64> = words.collect();
    match (*splat, words.as_slice()) {
        (true, [one, ..]) => vec![*one; WINDOWS],
        _ => words,
    }
}

impl CustomForm for Named {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut program = self.program.clone();
        if self.name == "elementwise" {
            reader.literal("kind")?;
            reader.literal("=")?;
            let kind = reader.attribute(None)?;
            reader.set("kind", kind);
            let text = reader.attr_text(kind);
            let word = text.split(['<', '>']).nth(1).unwrap_or("");
            program = match word {
                "select" => "0 1 2 select".to_owned(),
                word if UNARY.contains(&word) => format!("0 {word}"),
                word => format!("0 1 {word}"),
            };
        }
        if reader.optional_literal("indexing_maps") {
            reader.literal("=")?;
            let maps = reader.attribute(None)?;
            reader.set("indexing_maps", maps);
        }
        reader.attr_dict(false)?;
        let (types, inputs) = read_operands(reader)?;
        let sizes = i32_array(reader, &[inputs, types.len() - inputs]);
        reader.set("operandSegmentSizes", sizes);
        let results = optional_results(reader)?;
        reader.add_results(&results);
        let rank = types.last().and_then(|&ty| reader.type_kind(ty).shape()).map_or(0, <[i64]>::len);
        if reader.get("indexing_maps").is_none()
            && let Some(maps) = self.default_maps(types.len(), rank)
        {
            let maps = reader.attr_of_text(&maps)?;
            reader.set("indexing_maps", maps);
        }
        if reader.get(MEMOIZED).is_none()
            && let Some(maps) = self.window_maps(reader)
        {
            let maps = reader.attr_of_text(&maps)?;
            reader.set_discardable(MEMOIZED, maps);
        }
        let cast = reader.get("cast").map(|cast| reader.attr_text(cast));
        let unsigned = cast.is_some_and(|cast| cast.contains("cast_unsigned"));
        let region = build(reader, &types, inputs, &program, unsigned)?;
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let sizes = printer.sizes("operandSegmentSizes")?;
        let operands = printer.operands();
        let [inputs, _] = *sizes.as_slice() else { return None };
        let mut elided = vec!["operandSegmentSizes", MEMOIZED];
        if self.name == "elementwise" {
            printer.text(" kind=");
            printer.attribute(printer.get("kind")?);
            elided.push("kind");
        }
        if self.name == "contract" || self.default_maps(0, 0).is_some() {
            let maps = printer.get("indexing_maps")?;
            let rank =
                printer.type_kind(printer.value_type(*operands.last()?)).shape().map_or(0, <[i64]>::len);
            if Some(printer.attr_text(maps)) != self.default_maps(operands.len(), rank) {
                printer.text(" indexing_maps = ");
                printer.attribute(maps);
            }
            elided.push("indexing_maps");
        }
        printer.attr_dict(false, &elided);
        print_operands(printer, &operands, inputs)?;
        let results = types(printer, &printer.results());
        printer.arrow_types(&results);
        Some(())
    }
}

/// `linalg.yield %a : t`
#[derive(Debug)]
struct Yield;

impl CustomForm for Yield {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut operands = Vec::new();
        while reader.is_operand() {
            operands.push(reader.operand()?);
            if !reader.optional_literal(",") {
                break;
            }
        }
        reader.attr_dict(false)?;
        if operands.is_empty() {
            return Ok(());
        }
        reader.literal(":")?;
        let types = super::lists::comma_separated(reader, |r| r.ty())?;
        reader.add_operands(&operands, &types)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        if !operands.is_empty() {
            printer.text(" ");
            printer.values(&operands);
        }
        printer.attr_dict(false, &[]);
        if !operands.is_empty() {
            printer.text(" : ");
            let types = types(printer, &operands);
            printer.types(&types);
        }
        Some(())
    }
}

/// Adds a result for each output that is a tensor.
fn tensor_results(reader: &mut dyn FormReader, outputs: &[TypeId]) {
    let is_tensor = |&ty: &TypeId| matches!(reader.type_kind(ty), TypeKind::RankedTensor { .. });
    let results: Vec<TypeId> = outputs.iter().copied().filter(is_tensor).collect();
    reader.add_results(&results);
}

fn read_integers(reader: &mut dyn FormReader, name: &str) -> FormResult<()> {
    reader.literal(name)?;
    reader.literal("=")?;
    let numbers =
        enclosed(reader, ("[", "]"), |r| r.optional_integer()?.ok_or_else(|| r.expected("an integer")))?;
    let numbers = i64_array(reader, &numbers);
    reader.set(name, numbers);
    Ok(())
}

fn print_integers(printer: &mut dyn FormPrinter, name: &str) -> Option<()> {
    let numbers = i64_items(printer, printer.get(name)?)?;
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    printer.text(&format!(" {name} = [{}] ", texts.join(", ")));
    Some(())
}

/// `linalg.transpose ins(%a : t) outs(%b : u) permutation = [1, 0]`
#[derive(Debug)]
struct Rearrange {
    list: &'static str,
}

impl CustomForm for Rearrange {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let (types, inputs) = read_operands(reader)?;
        read_integers(reader, self.list)?;
        reader.attr_dict(false)?;
        tensor_results(reader, &types[inputs..]);
        let (region, arguments) = region_for(reader, &types);
        reader.append(region, "linalg.yield", arguments.get(..1).unwrap_or(&[]), &[], &[], &[]);
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        print_operands(printer, &operands, 1)?;
        print_integers(printer, self.list)?;
        printer.attr_dict(false, &[self.list]);
        Some(())
    }
}

/// `linalg.reduce { arith.addf } ins(%a : t) outs(%b : u) dimensions = [1]`. This is the short form; the long form has
/// arguments and a region at the end instead of `{ arith.addf }`.
#[derive(Debug)]
struct Combine {
    list: Option<&'static str>,
}

impl Combine {
    /// The operands of the only operation in a short form. The last block argument comes first in `linalg.reduce`, and
    /// is omitted in `linalg.map`.
    fn short_operands(&self, arguments: &[ValueId]) -> Vec<ValueId> {
        let Some((&last, inputs)) = arguments.split_last() else { return Vec::new() };
        if self.list.is_some() { [&[last], inputs].concat() } else { inputs.to_vec() }
    }

    /// The only operation besides the terminator, if the short form can express it.
    fn short(&self, printer: &dyn FormPrinter, region: RegionId) -> Option<PrintedOp> {
        let [block] = *printer.blocks(region).as_slice() else { return None };
        let op = printer.op_at(block, 0)?;
        let fits = printer.op_names(block).len() == 2
            && op.regions.is_empty()
            && op.results.len() == 1
            && printer.last_operands(block) == op.results
            && op.operands == self.short_operands(&printer.arguments(block));
        fits.then_some(op)
    }
}

impl CustomForm for Combine {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut short = None;
        if reader.optional_literal("{") {
            let Some(name) = reader.optional_keyword() else {
                return Err(reader.expected("the name of an operation"));
            };
            let attrs = reader.optional_dictionary()?;
            reader.literal("}")?;
            short = Some((name, attrs));
        }
        let (types, mut inputs) = read_operands(reader)?;
        match self.list {
            Some(list) => {
                read_integers(reader, list)?;
                inputs = types.len() / 2;
            }
            None => inputs = inputs.min(types.len()),
        }
        reader.attr_dict(false)?;
        tensor_results(reader, &types[inputs..]);
        let region = match short {
            Some((name, attrs)) => {
                let (region, arguments) = region_for(reader, &types);
                let operands = self.short_operands(&arguments);
                let Some(&last) = arguments.last() else {
                    return Err(reader.fail("the operation has no output"));
                };
                let ty = reader.value_type(last);
                let entries = attrs.map_or_else(Vec::new, |attrs| reader.entries(attrs));
                let entries: Vec<_> = entries.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                let results = reader.append(region, &name, &operands, &entries, &[ty], &[]);
                reader.append(region, "linalg.yield", &results, &[], &[], &[]);
                region
            }
            None => {
                let arguments = typed_arguments(reader)?;
                reader.region(&arguments)?
            }
        };
        reader.add_region(region);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let region = *printer.regions().first()?;
        let operands = printer.operands();
        let inputs = if self.list.is_some() { operands.len() / 2 } else { operands.len().checked_sub(1)? };
        let short = self.short(printer, region);
        if let Some(op) = &short {
            printer.text(" { ");
            printer.text(&op.name);
            let mut entries = printer.entries(op.properties);
            entries.extend(printer.entries(op.attrs));
            entries.retain(|(_, value)| {
                let text = printer.attr_text(*value);
                text != "#arith.fastmath<none>" && text != "#arith.overflow<none>"
            });
            for (i, (name, value)) in entries.iter().enumerate() {
                printer.text(if i == 0 { " {" } else { ", " });
                printer.text(name);
                printer.text(" = ");
                printer.attribute(*value);
            }
            printer.text(if entries.is_empty() { " }" } else { "} }" });
        }
        print_operands(printer, &operands, inputs)?;
        if let Some(list) = self.list {
            print_integers(printer, list)?;
        }
        printer.attr_dict(false, self.list.as_slice());
        if short.is_none() {
            printer.newline(1);
            printer.text("(");
            for (i, argument) in entry_arguments(printer, region)?.into_iter().enumerate() {
                if i > 0 {
                    printer.text(", ");
                }
                printer.value(argument);
                printer.text(": ");
                printer.ty(printer.value_type(argument));
            }
            printer.text(") ");
            printer.nested_region(region, 1);
        }
        Some(())
    }
}
