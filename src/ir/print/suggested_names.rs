//! The names that operations and locations suggest for values.

use std::cell::RefCell;
use std::fmt::Write;

use hashbrown::HashMap;

use super::groups::result_groups;
use super::options::PrintOptions;
use crate::host::{AttrNameId, Signedness};
use crate::id::Id;
use crate::identifier::value_name;
use crate::intern::StrId;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::forms::circt::types as hw_types;
use crate::ir::ids::{AttrId, LocId, ValueId};
use crate::ir::module::{Module, OpId, ValueDef};
use crate::ir::types::TypeKind;
use crate::stack::with_room;

/// The source of the names that operations suggest.
#[derive(Clone, Copy)]
enum Source {
    Nothing,
    /// The value of a constant, as a dialect writes it: `%c0_i32`, `%true`, `%cst`.
    Constant(Constant),
    /// The kind of the elements of a constant: `%c` for integers, otherwise `%cst`.
    Elements,
    /// The name of the operation and its dimension: `%thread_id_x`.
    Dimension,
    /// The name of a variable: `%x_addr`.
    Address,
    /// A multiple of `vector.vscale`: `%c4_vscale`.
    Multiple,
    /// A fixed name.
    Fixed(&'static str),
    /// The names of the results in the definition.
    Definition,
    /// A fixed name for each result. If there are more results than names, the other results have the last name too.
    Each(&'static [&'static str]),
    /// The value of a string attribute.
    Attribute(&'static str),
    /// The names of an instance and of its results: `%instance.result`.
    Instance,
    /// The name of the field that an operation reads, or of all fields: `%a, %b`.
    Field,
    /// The enum case that an attribute states.
    Case,
    /// The names of ports, for the arguments of a region.
    Ports,
    /// `%input0`, `%input1` for the arguments of a region, and `^body` for its entry block.
    Inputs,
}

/// The notation of the name that the value of a constant suggests.
#[derive(Clone, Copy)]
enum Constant {
    /// `%c0_i32`, `%c0` for an index, `%cst`
    Arith,
    /// `%cst0_i32`, `%cst_f32`, `%cst_vec_4xf32`
    Spirv,
    /// `%idx0`
    Index,
    /// `%c0`
    Plain,
    /// `%c0_bv8`
    BitVector,
    /// `%int0`, `%float1.000000e00`
    Torch,
}

/// The operations whose C++ code suggests a fixed name for their results.
const FIXED: &[(&str, &str)] = &[
    ("complex.constant", "cst"),
    ("func.constant", "f"),
    ("linalg.broadcast", "broadcasted"),
    ("linalg.map", "mapped"),
    ("linalg.pack", "pack"),
    ("linalg.reduce", "reduced"),
    ("linalg.transpose", "transposed"),
    ("linalg.unpack", "unpack"),
    ("memref.alloc", "alloc"),
    ("memref.alloca", "alloca"),
    ("memref.assume_alignment", "assume_align"),
    ("memref.cast", "cast"),
    ("memref.collapse_shape", "collapse_shape"),
    ("memref.dim", "dim"),
    ("memref.expand_shape", "expand_shape"),
    ("memref.extract_aligned_pointer_as_index", "intptr"),
    ("memref.memory_space_cast", "memspacecast"),
    ("memref.reinterpret_cast", "reinterpret_cast"),
    ("memref.reshape", "reshape"),
    ("memref.subview", "subview"),
    ("memref.transpose", "transpose"),
    ("memref.view", "view"),
    ("shard.all_gather", "all_gather"),
    ("shard.all_reduce", "all_reduce"),
    ("shard.all_slice", "all_slice"),
    ("shard.all_to_all", "all_to_all"),
    ("shard.broadcast", "broadcast"),
    ("shard.gather", "gather"),
    ("shard.grid_shape", "grid_shape"),
    ("shard.process_linear_index", "proc_linear_idx"),
    ("shard.process_multi_index", "proc_linear_idx"),
    ("shard.recv", "recv"),
    ("shard.reduce", "reduce"),
    ("shard.reduce_scatter", "reduce_scatter"),
    ("shard.scatter", "scatter"),
    ("shard.send", "send"),
    ("shard.shard", "sharding_annotated"),
    ("shard.shard_shape", "shard_shape"),
    ("shard.sharding", "sharding"),
    ("shard.shift", "shift"),
    ("tensor.cast", "cast"),
    ("tensor.collapse_shape", "collapsed"),
    ("tensor.concat", "concat"),
    ("tensor.dim", "dim"),
    ("tensor.expand_shape", "expanded"),
    ("tensor.extract", "extracted"),
    ("tensor.extract_slice", "extracted_slice"),
    ("tensor.from_elements", "from_elements"),
    ("tensor.gather", "gather"),
    ("tensor.generate", "generated"),
    ("tensor.insert", "inserted"),
    ("tensor.insert_slice", "inserted_slice"),
    ("tensor.pad", "padded"),
    ("tensor.rank", "rank"),
    ("tensor.reshape", "reshape"),
    ("tensor.scatter", "scatter"),
    ("tensor.splat", "splat"),
    ("torch.constant.none", "none"),
    ("torch.constant.str", "str"),
    ("vector.vscale", "vscale"),
];

/// The operations whose C++ code computes a name.
const COMPUTED: &[(&str, Source)] = &[
    ("arith.constant", Source::Constant(Constant::Arith)),
    ("arith.muli", Source::Multiple),
    ("gpu.block_dim", Source::Dimension),
    ("gpu.block_id", Source::Dimension),
    ("gpu.cluster_block_id", Source::Dimension),
    ("gpu.cluster_dim", Source::Dimension),
    ("gpu.cluster_dim_blocks", Source::Dimension),
    ("gpu.cluster_id", Source::Dimension),
    ("gpu.global_id", Source::Dimension),
    ("gpu.grid_dim", Source::Dimension),
    ("gpu.thread_id", Source::Dimension),
    ("hw.constant", Source::Constant(Constant::Arith)),
    ("hw.enum.constant", Source::Case),
    ("hw.instance", Source::Instance),
    ("hw.module", Source::Ports),
    ("hw.struct_explode", Source::Field),
    ("hw.struct_extract", Source::Field),
    ("hw.wire", Source::Attribute("name")),
    ("index.bool.constant", Source::Constant(Constant::Arith)),
    ("index.constant", Source::Constant(Constant::Index)),
    ("memref.extract_strided_metadata", Source::Definition),
    ("secret.generic", Source::Inputs),
    ("seq.compreg", Source::Attribute("name")),
    ("seq.compreg.ce", Source::Attribute("name")),
    ("seq.firmem", Source::Attribute("name")),
    ("seq.firreg", Source::Attribute("name")),
    ("seq.hlmem", Source::Attribute("sym_name")),
    ("seq.shiftreg", Source::Attribute("name")),
    ("shape.const_size", Source::Constant(Constant::Plain)),
    ("shard.neighbors_linear_indices", Source::Each(&["down_linear_idx", "up_linear_idx"])),
    ("smt.bv.constant", Source::Constant(Constant::BitVector)),
    ("smt.constant", Source::Constant(Constant::Arith)),
    ("smt.int.constant", Source::Constant(Constant::Plain)),
    ("spirv.Constant", Source::Constant(Constant::Spirv)),
    ("spirv.mlir.addressof", Source::Address),
    ("stablehlo.constant", Source::Elements),
    ("sv.logic", Source::Attribute("name")),
    ("sv.reg", Source::Attribute("name")),
    ("sv.wire", Source::Attribute("name")),
    ("torch.constant.bool", Source::Constant(Constant::Torch)),
    ("torch.constant.device", Source::Attribute("value")),
    ("torch.constant.float", Source::Constant(Constant::Torch)),
    ("torch.constant.int", Source::Constant(Constant::Torch)),
    ("transform.foreach_match", Source::Each(&["updated_root", "yielded"])),
];

/// The names that the operations of a module suggest.
pub(super) struct Suggestions<'a> {
    context: &'a Context,
    module: &'a Module,
    /// The source of the names, by operation name.
    sources: Vec<Source>,
    value: Option<AttrNameId>,
    /// The first name in each location; absent if locations suggest no names.
    located: Option<RefCell<HashMap<LocId, Option<StrId>>>>,
}

impl<'a> Suggestions<'a> {
    /// The suggestions for a module. In generic form, operations suggest no names.
    pub(super) fn new(context: &'a Context, module: &'a Module, options: PrintOptions) -> Self {
        let source = |index: usize, name: &str| {
            if options.generic {
                return Source::Nothing;
            }
            if let Some(&(_, computed)) = COMPUTED.iter().find(|(op, _)| *op == name) {
                return computed;
            }
            if let Some(&(_, fixed)) = FIXED.iter().find(|(op, _)| *op == name) {
                return Source::Fixed(fixed);
            }
            let bound = Id::try_from_index(index).and_then(|id| context.syntax(id));
            match bound.is_some_and(|bound| bound.syntax.names_results) {
                true => Source::Definition,
                false => Source::Nothing,
            }
        };
        let sources = context.op_names().enumerate().map(|(index, name)| source(index, name)).collect();
        let located = options.location_names.then(RefCell::default);
        Self { context, module, sources, value: context.find_attr_name("value"), located }
    }

    /// The name that a location suggests. An empty name means that the value gets a number.
    pub(super) fn of_location(&self, loc: LocId) -> Option<String> {
        let name = self.context.str(self.name_in(loc, self.located.as_ref()?)?);
        Some(if name.is_empty() { String::new() } else { value_name(name) })
    }

    /// The first name in a location.
    fn name_in(&self, loc: LocId, known: &RefCell<HashMap<LocId, Option<StrId>>>) -> Option<StrId> {
        if let Some(&name) = known.borrow().get(&loc) {
            return name;
        }
        let first = |locations: &[LocId]| {
            locations.iter().find_map(|&inner| with_room(|| self.name_in(inner, known)))
        };
        let name = match self.context.loc_kind(loc) {
            LocKind::Name { name, .. } => Some(name),
            LocKind::CallSite { callee, caller } => first(&[callee, caller]),
            LocKind::Fused { locations, .. } => first(&locations),
            _ => None,
        };
        known.borrow_mut().insert(loc, name);
        name
    }

    /// The names that an operation suggests, each with the index of the first result that it stands for. A name also
    /// stands for the following results, up to the next name. The name in the location of the operation takes the place
    /// of other names.
    pub(super) fn of(&self, op: OpId) -> Vec<(u32, String)> {
        let mut names = self.of_operation(op);
        if let Some(located) = self.of_location(self.module.loc(op)) {
            match names.is_empty() {
                true => names.push((0, located)),
                false => names.iter_mut().for_each(|(_, name)| name.clone_from(&located)),
            }
        }
        names
    }

    /// The names that come from the operation itself.
    fn of_operation(&self, op: OpId) -> Vec<(u32, String)> {
        let one = match self.sources[self.module.name(op).index()] {
            Source::Nothing | Source::Ports | Source::Inputs => None,
            Source::Constant(constant) => self.constant(op, constant),
            Source::Elements => self.elements(op),
            Source::Dimension => self.dimension(op),
            Source::Address => self.address(op),
            Source::Multiple => self.multiple(op),
            Source::Fixed(name) => Some(name.to_owned()),
            Source::Definition => return self.defined(op).unwrap_or_default(),
            Source::Each(names) => {
                let names = names.iter().chain(names.last().into_iter().cycle());
                let named = (0..).zip(self.module.results(op)).zip(names);
                return named.map(|((index, _), name)| (index, (*name).to_owned())).collect();
            }
            Source::Attribute(name) => self.string(op, name).map(|name| value_name(&name)),
            Source::Instance => return self.instance(op).unwrap_or_default(),
            Source::Field => return self.fields(op).unwrap_or_default(),
            Source::Case => self.case(op),
        };
        one.map(|name| (0, name)).into_iter().collect()
    }

    /// The names of the groups of results in the definition.
    fn defined(&self, op: OpId) -> Option<Vec<(u32, String)>> {
        let bound = self.context.syntax(self.module.name(op))?;
        let groups = result_groups(self.context, self.module, op, bound)?;
        let groups = groups.iter().zip(&bound.syntax.results).filter(|((start, end), _)| start < end);
        Some(groups.map(|((start, _), group)| (*start, group.name.clone())).collect())
    }

    fn constant(&self, op: OpId, constant: Constant) -> Option<String> {
        let context = self.context;
        let value = self.module.attr(context, op, self.value?)?;
        if let Constant::BitVector = constant {
            let text = context.attr_text(value);
            let (number, width) = text.strip_prefix("#smt.bv<")?.split_once("> : !smt.bv<")?;
            return Some(format!("c{number}_bv{}", width.strip_suffix('>')?));
        }
        if let (Constant::Torch, AttrKind::Float { value, .. }) = (constant, context.attr_kind(value)) {
            return Some(format!("float{}", value.to_six_decimals().replace('+', "")));
        }
        let AttrKind::Integer { value, ty } = context.attr_kind(value) else {
            let ty = self.module.value_type(self.module.result(op, 0));
            return match (constant, context.type_kind(ty)) {
                (Constant::Spirv, TypeKind::Float(_)) => Some(format!("cst_{}", context.type_text(ty))),
                (Constant::Spirv, TypeKind::Vector { shape, element, .. }) => {
                    Some(format!("cst_vec_{}x{}", shape.first()?, context.type_text(*element)))
                }
                (Constant::Spirv | Constant::Arith, _) => Some("cst".to_owned()),
                _ => None,
            };
        };
        if *ty == Context::I1 {
            return Some(if value.is_zero() { "false" } else { "true" }.to_owned());
        }
        let unsigned =
            matches!(context.type_kind(*ty), TypeKind::Integer { signedness: Signedness::Unsigned, .. });
        let number = match constant {
            Constant::Spirv if unsigned => value.to_unsigned_string(),
            _ => value.to_signed_string(),
        };
        let mut name = match constant {
            Constant::Spirv => format!("cst{number}"),
            Constant::Index => return Some(format!("idx{number}")),
            Constant::Plain => return Some(format!("c{number}")),
            Constant::Torch => return Some(format!("int{number}")),
            Constant::Arith | Constant::BitVector => format!("c{number}"),
        };
        if *ty != Context::INDEX {
            let _ = write!(name, "_{}", context.type_text(*ty));
        }
        Some(name)
    }

    fn elements(&self, op: OpId) -> Option<String> {
        let value = self.context.entry(self.module.properties(op), self.value?)?;
        let element = self.context.type_kind(self.context.attr_type(value)?).element()?;
        let is_integer = matches!(self.context.type_kind(element), TypeKind::Integer { .. });
        Some(if is_integer { "c" } else { "cst" }.to_owned())
    }

    /// The text of an attribute of an operation.
    fn text(&self, op: OpId, name: &str) -> Option<String> {
        let name = self.context.find_attr_name(name)?;
        Some(self.context.attr_text(self.module.attr(self.context, op, name)?))
    }

    /// The text of a string attribute of an operation.
    fn string(&self, op: OpId, name: &str) -> Option<String> {
        let value = self.module.attr(self.context, op, self.context.find_attr_name(name)?)?;
        self.string_of(value)
    }

    fn string_of(&self, attr: AttrId) -> Option<String> {
        match self.context.attr_kind(attr) {
            AttrKind::String { text, .. } => Some(self.context.str(*text).to_owned()),
            _ => None,
        }
    }

    /// The names of the arguments in the first region of an operation.
    pub(super) fn of_arguments(&self, op: OpId) -> Vec<String> {
        match self.sources[self.module.name(op).index()] {
            Source::Ports => {}
            Source::Inputs => {
                return (0..self.module.operands(op).len()).map(|n| format!("input{n}")).collect();
            }
            _ => return Vec::new(),
        }
        let text = self.text(op, "module_type");
        let ports = text.as_deref().and_then(hw_types::ports).unwrap_or_default();
        let inputs = ports.iter().filter(|port| port.direction != "output");
        inputs.map(|port| value_name(&hw_types::unquoted(port.name))).collect()
    }

    /// The name of the entry block in the first region of an operation.
    pub(super) fn of_entry_block(&self, op: OpId) -> Option<&'static str> {
        matches!(self.sources[self.module.name(op).index()], Source::Inputs).then_some("body")
    }

    fn instance(&self, op: OpId) -> Option<Vec<(u32, String)>> {
        let instance = self.string(op, "instanceName")?;
        let names = self.module.attr(self.context, op, self.context.find_attr_name("resultNames")?)?;
        let AttrKind::Array(names) = self.context.attr_kind(names) else { return None };
        if names.len() != self.module.results(op).count() {
            return None;
        }
        let name =
            |(index, &name)| Some((index, value_name(&format!("{instance}.{}", self.string_of(name)?))));
        (0..).zip(names).map(name).collect()
    }

    fn fields(&self, op: OpId) -> Option<Vec<(u32, String)>> {
        let ty = self.module.value_type(*self.module.operands(op).first()?);
        let ty = self.context.type_text(ty);
        let names = hw_types::fields(&ty)?.into_iter().map(|(name, _)| value_name(&hw_types::unquoted(name)));
        let names: Vec<String> = match self.text(op, "fieldIndex") {
            Some(index) => {
                let index: usize = index.strip_suffix(" : i32")?.parse().ok()?;
                names.skip(index).take(1).collect()
            }
            None => names.collect(),
        };
        (names.len() == self.module.results(op).count()).then(|| (0..).zip(names).collect())
    }

    fn case(&self, op: OpId) -> Option<String> {
        let text = self.text(op, "field")?;
        let (case, _) = text.strip_prefix("#hw.enum.field<")?.split_once(',')?;
        Some(value_name(case))
    }

    fn dimension(&self, op: OpId) -> Option<String> {
        let text = self.text(op, "dimension")?;
        let dimension = text.strip_prefix("#gpu<dim ")?.strip_suffix('>')?;
        let name = self.context.op_name_text(self.module.name(op)).strip_prefix("gpu.")?;
        Some(format!("{name}_{dimension}"))
    }

    fn address(&self, op: OpId) -> Option<String> {
        let text = self.text(op, "variable")?;
        Some(format!("{}_addr", text.strip_prefix('@')?.trim_matches('"')))
    }

    fn multiple(&self, op: OpId) -> Option<String> {
        let name = |value: ValueId| match self.module.value_def(value) {
            ValueDef::Result { op, .. } => Some((op, self.context.op_name_text(self.module.name(op)))),
            ValueDef::Argument { .. } | ValueDef::Forward => None,
        };
        let &[lhs, rhs] = self.module.operands(op) else { return None };
        let constant = match (name(lhs), name(rhs)) {
            (Some((_, "vector.vscale")), Some((constant, "arith.constant")))
            | (Some((constant, "arith.constant")), Some((_, "vector.vscale"))) => constant,
            _ => return None,
        };
        let value = self.context.entry(self.module.properties(constant), self.value?)?;
        match self.context.attr_kind(value) {
            AttrKind::Integer { value, ty } if *ty == Context::INDEX => {
                Some(format!("c{}_vscale", value.to_signed_string()))
            }
            _ => None,
        }
    }
}
