//! The layouts of tensors and of memory.
//!
//! A layout of several blocks (CTAs) has the entry `CGALayout`, a list of basis vectors. A layout of one block is
//! written without this entry.

use super::super::class_lists::integer;
use super::fields::FieldKind::{
    Attribute, Bases, Flag, Integer, List, NamedBases, Ones, Rank, RequiredBases,
};
use super::fields::{Field, bases, bases_text, field, list, numbers, optional, read, transcribe, value};
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};
use crate::ir::ids::AttrId;

const CGA: Field = optional("CGALayout", Bases);

const BLOCKED: &[Field] = &[
    field("sizePerThread", List("[]")),
    field("threadsPerWarp", List("[]")),
    field("warpsPerCTA", List("[]")),
    field("order", List("[]")),
    CGA,
];
const SLICE: &[Field] = &[field("dim", Integer(0)), field("parent", Attribute)];
const LINEAR: &[Field] = &[
    field("register", RequiredBases),
    field("lane", RequiredBases),
    field("warp", RequiredBases),
    field("block", RequiredBases),
];
const NVIDIA_MMA: &[Field] = &[
    field("versionMajor", Integer(0)),
    field("versionMinor", Integer(0)),
    field("warpsPerCTA", List("[]")),
    CGA,
    field("instrShape", List("[]")),
];
const AMD_MFMA: &[Field] = &[
    field("version", Integer(0)),
    field("warpsPerCTA", List("[]")),
    field("instrShape", List("[]")),
    field("isTransposed", Flag),
    CGA,
    optional("tilesPerWarp", Ones),
    optional("elementBitWidth", Integer(32)),
];
const AMD_WMMA: &[Field] = &[
    field("version", Integer(0)),
    field("isTranspose", Flag),
    field("ctaLayout", NamedBases(&["register", "warp"])),
    CGA,
    optional("instrShape", List("[16, 16, 16]")),
];
const SWIZZLED: &[Field] = &[
    field("vec", Integer(0)),
    field("perPhase", Integer(0)),
    field("maxPhase", Integer(0)),
    field("order", List("[]")),
    CGA,
];
const NVMMA: &[Field] = &[
    field("swizzlingByteWidth", Integer(0)),
    field("transposed", Flag),
    field("elementBitWidth", Integer(0)),
    optional("fp4Padded", Flag),
    CGA,
    optional("rank", Rank),
];
const PARTITIONED: &[Field] = &[
    field("numPartitions", Integer(0)),
    field("numGroups", Integer(0)),
    field("partitionDim", Integer(0)),
    field("partitionLayout", Attribute),
];

pub(super) fn register(forms: &mut Forms) {
    for (name, alias, fields) in [
        ("blocked", Some("blocked"), BLOCKED),
        ("slice", None, SLICE),
        ("linear", Some("linear"), LINEAR),
        ("generic_linear", Some("generic_linear"), LINEAR),
        ("nvidia_mma", Some("mma"), NVIDIA_MMA),
        ("amd_mfma", Some("mma"), AMD_MFMA),
        ("amd_wmma", Some("mma"), AMD_WMMA),
        ("swizzled_shared", Some("shared"), SWIZZLED),
        ("nvmma_shared", Some("shared"), NVMMA),
        ("amd_rotating_shared", Some("shared"), SWIZZLED),
        ("partitioned_shared", Some("shared"), PARTITIONED),
    ] {
        forms.add_class(&format!("#ttg.{name}"), Fields { alias, fields });
    }
    forms.add_class("#ttg.padded_shared", PaddedShared);
    forms.add_class("#ttg.shared_linear", SharedLinear);
    forms.add_class("#ttg.shared_memory", SharedMemory);
    forms.add_class("#ttng.tensor_memory_encoding", TensorMemory { alias: "tmem", params: ENCODING });
    forms.add_class(
        "#ttng.tensor_memory_scales_encoding",
        TensorMemory { alias: "tmem_scales", params: SCALES },
    );
}

/// `<{a = 1, b = [2, 3]}>`
#[derive(Debug)]
struct Fields {
    alias: Option<&'static str>,
    fields: &'static [Field],
}

impl ClassForm for Fields {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        transcribe(text, self.fields)?;
        text.literal(">")
    }

    fn alias(&self) -> Option<&str> {
        self.alias
    }
}

/// `<[32:+4, 64:+8] {order = [1, 0], shape = [16, 32]}>`; the part in braces can also be `{offset = [[0, 1], …], block =
/// […]}`
#[derive(Debug)]
struct PaddedShared;

impl ClassForm for PaddedShared {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        text.literal("[")?;
        loop {
            integer(text)?;
            text.literal(":")?;
            text.literal("+")?;
            integer(text)?;
            if !text.skip(",") {
                break;
            }
            text.write(", ");
        }
        text.literal("]")?;
        text.write(" ");
        let entries = read(text, &["order", "shape", "offset", "block"])?;
        let placed = placement(text, &entries).ok_or_else(|| {
            text.expected("'order' and 'shape', or 'offset' and 'block', with powers of two as sizes")
        })?;
        text.write(&placed);
        text.literal(">")
    }

    fn alias(&self) -> Option<&str> {
        Some("shared")
    }
}

/// The maximum number of dimensions of a layout.
const RANK_LIMIT: usize = 64;

/// The part in braces of a padded layout; `None` if the entries are invalid.
fn placement(text: &dyn ClassText, entries: &[(String, AttrId)]) -> Option<String> {
    let ordered = |mut order: Vec<usize>, shape: &[i64]| {
        // Dimensions with one element have no order, and are written last.
        order.retain(|&dim| shape[dim] > 1);
        order.extend((0..shape.len()).rev().filter(|&dim| shape[dim] == 1));
        format!("{{order = {}, shape = {}}}", list(&order), list(shape))
    };
    let of = |name| value(entries, name);
    if let (Some(order), Some(shape), 2) = (of("order"), of("shape"), entries.len()) {
        let order: Vec<usize> =
            numbers(text, order)?.into_iter().map(|dim| usize::try_from(dim).ok()).collect::<Option<_>>()?;
        let shape = numbers(text, shape)?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let is_permutation = shape.len() <= RANK_LIMIT && sorted.into_iter().eq(0..shape.len());
        let are_powers = shape.iter().all(|size| size.count_ones() == 1);
        return (is_permutation && are_powers).then(|| ordered(order, &shape));
    }
    let (Some(offset), Some(block), 2) = (of("offset"), of("block"), entries.len()) else { return None };
    let (offset, block) = (bases(text, offset)?, bases(text, block)?);
    Some(match identity(&offset).filter(|_| block.is_empty()) {
        Some((order, shape)) => ordered(order, &shape),
        None => format!("{{offset = {}, block = {}}}", bases_text(&offset), bases_text(&block)),
    })
}

/// The order and the shape if the basis vectors enumerate the elements of a tensor, one dimension after the other.
fn identity(offset: &[Vec<i64>]) -> Option<(Vec<usize>, Vec<i64>)> {
    let mut shape = vec![1_i64; offset.first()?.len()];
    let mut order: Vec<usize> = Vec::new();
    for basis in offset {
        let mut steps = basis.iter().enumerate().filter(|(_, step)| **step != 0);
        let (Some((dim, &step)), None) = (steps.next(), steps.next()) else { return None };
        if basis.len() != shape.len() || step != shape[dim] {
            return None;
        }
        match order.last() == Some(&dim) {
            false if shape[dim] > 1 => return None,
            false => order.push(dim),
            true => {}
        }
        shape[dim] = step.checked_mul(2)?;
    }
    (shape.len() <= RANK_LIMIT).then_some((order, shape))
}

/// `<{offset = [[0, 1], …], block = […]}, alignment = 16>`; `block` is omitted if it is empty
#[derive(Debug)]
struct SharedLinear;

impl ClassForm for SharedLinear {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        transcribe(text, &[field("offset", RequiredBases), optional("block", Bases)])?;
        text.consume(",")?;
        text.consume("alignment")?;
        text.consume("=")?;
        text.write(", alignment = ");
        integer(text)?;
        text.literal(">")
    }

    fn alias(&self) -> Option<&str> {
        Some("shared")
    }
}

/// An attribute without parameters for the memory that the threads of a block share
#[derive(Debug)]
struct SharedMemory;

impl ClassForm for SharedMemory {
    fn transcribe(&self, _: &mut dyn ClassText) -> FormResult<()> {
        Ok(())
    }

    fn alias(&self) -> Option<&str> {
        Some("smem")
    }
}

/// A parameter of a layout of tensor memory.
#[derive(Debug)]
struct Param {
    name: &'static str,
    kind: ParamKind,
}

/// The values that a parameter can have.
#[derive(Debug)]
enum ParamKind {
    /// An integer.
    Integer,
    /// One of these words. The first one is the default.
    Word(&'static [&'static str]),
    /// A list of basis vectors, empty by default.
    Bases,
}

const ENCODING: &[Param] = &[
    Param { name: "blockM", kind: ParamKind::Integer },
    Param { name: "blockN", kind: ParamKind::Integer },
    Param { name: "colStride", kind: ParamKind::Integer },
    Param { name: "CGALayout", kind: ParamKind::Bases },
    Param { name: "twoCTAs", kind: ParamKind::Word(&["false", "true"]) },
    Param { name: "fp4Padded", kind: ParamKind::Word(&["false", "true"]) },
];
const SCALES: &[Param] = &[
    Param { name: "CGALayout", kind: ParamKind::Bases },
    Param { name: "blockRepOrder", kind: ParamKind::Word(&["mnThenK", "kThenMn"]) },
];

/// `<blockM = 128, blockN = 64, colStride = 1>`, with the parameters in any order
#[derive(Debug)]
struct TensorMemory {
    alias: &'static str,
    params: &'static [Param],
}

impl ClassForm for TensorMemory {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        let mut values: Vec<Option<String>> = vec![None; self.params.len()];
        while !text.is_literal(">") {
            let found = self.params.iter().position(|param| text.is_literal(param.name));
            let Some(found) = found.filter(|&found| values[found].is_none()) else {
                let names: Vec<&str> = self.params.iter().map(|param| param.name).collect();
                return Err(text.expected(&format!("one of {}, each once", names.join(", "))));
            };
            text.consume(self.params[found].name)?;
            text.consume("=")?;
            values[found] = Some(self.params[found].read(text)?);
            if !text.skip(",") {
                break;
            }
        }
        let mut parts = Vec::new();
        for (param, value) in self.params.iter().zip(values) {
            let value = match (value, &param.kind) {
                (None, ParamKind::Integer) => {
                    return Err(text.expected(&format!("a value for '{}'", param.name)));
                }
                (None, _) => continue,
                (Some(value), ParamKind::Word([default, ..])) if value == *default => continue,
                (Some(value), ParamKind::Bases) if value == "[]" => continue,
                (Some(value), _) => value,
            };
            parts.push(format!("{} = {value}", param.name));
        }
        text.write(&parts.join(", "));
        text.literal(">")
    }

    fn alias(&self) -> Option<&str> {
        Some(self.alias)
    }
}

impl Param {
    /// Reads a value, and returns its text.
    fn read(&self, text: &mut dyn ClassText) -> FormResult<String> {
        match self.kind {
            ParamKind::Integer => {
                let value = text.optional_integer().filter(|&value| value >= 0);
                value.map(|value| value.to_string()).ok_or_else(|| text.expected("an integer"))
            }
            ParamKind::Word(words) => {
                let word = words.iter().find(|word| text.skip(word));
                word.map(|word| (*word).to_owned())
                    .ok_or_else(|| text.expected(&format!("one of {}", words.join(", "))))
            }
            ParamKind::Bases => {
                let value = text.read_attribute()?;
                let bases = bases(text, value).map(|bases| bases_text(&bases));
                bases.ok_or_else(|| text.expected("a list of lists of integers"))
            }
        }
    }
}
