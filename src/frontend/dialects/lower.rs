//! Translates the definitions of a dialect for the IR's reader and printer.
//!
//! Specification: with the result, the reader and printer handle the same text as the code that `mlir-tblgen`
//! generates. Parts that only C++ code defines are marked, unless this file recognises the C++ code.

use std::sync::Arc;

use super::attributes::{Carrier, attr_syntax, class_text, property_encoding, property_syntax};
use crate::frontend::drr::{Expressions, fill};
use crate::frontend::ods::{
    self, AttrSpec, Definitions, Op, Sizes, TraitKind, TypeOrigin, TypePlace, ValueSpec, returned_expression,
    trait_kind,
};
use crate::frontend::tablegen::{Record, RecordId, Value};
use crate::ir::Evaluator;
use crate::ir::dialect::{
    AttributeDef, Dialect, DialectPart, GroupSizes, OpSyntax, PropertyDef, PropertyEncoding, PropertySyntax,
    RegionOrSuccessor, Syntax, Terminator, TypeFunction, TypeSource, TypeSyntax, ValueGroup,
};
use crate::ods_verify::{self, op_traits};
use crate::pdl::{Constant, RuleSet, Trait};
use crate::snippet::{BodyParam, ParamDefault, ParamKind, SnippetId};
use crate::source::{Diagnostic, Span};

/// An operation with its format and with the snippets of its types and defaults.
struct Compiled<'a> {
    op: &'a Op<'a>,
    format: Option<ods::OpFormat<'a>>,
    operands: Vec<Origin>,
    results: Vec<Origin>,
    defaults: Vec<Option<Constant>>,
    property_defaults: Vec<Option<Constant>>,
    /// The fixed type of each attribute.
    types: Vec<Option<SnippetId>>,
}

/// The origin of a type, with snippets in place of C++ texts.
enum Origin {
    /// The format contains the type.
    Written,
    /// A fixed type that a snippet computes.
    Fixed(SnippetId),
    /// A fixed type, as its text.
    Text(String),
    /// The type of another value or of an attribute. If a function is applied to this type, the second field has the
    /// snippet and the C++ text of the function.
    From(TypePlace, Option<(SnippetId, String)>),
    /// A list that repeats the element type of another type for each element of that type.
    Elements(TypePlace),
    /// The type with the shape of another type and the element type `i1`.
    Mask(TypePlace),
    /// The result of a function that takes another type. MLIR, torch-mlir or Triton defines the function in a C++ file.
    Upstream(TypePlace, TypeFunction),
    /// The result of a function that takes the types of all operands. MLIR defines the function in a C++ file.
    Operands(TypeFunction),
    /// C++ code that drrvm cannot evaluate, described for messages.
    Cxx(String),
}

/// Translates the definitions of a dialect; `None` if it has no operations, attributes or types. The constraints of
/// operations are included if `constraints` is true.
///
/// # Errors
/// An assembly format has an error.
pub(super) fn lower(
    defs: &Definitions<'_>,
    name: &str,
    constraints: bool,
) -> Result<Option<Dialect>, Diagnostic> {
    let mut rules = RuleSet::default();
    let mut expressions = Expressions::new(defs, &mut rules);
    set_defaults(defs, &mut expressions);
    let mut compiled = Vec::new();
    for op in defs.ops.iter().filter(|op| defs.dialects[op.dialect].name == name) {
        compiled.push(compile(defs, op, &mut expressions)?);
    }
    let classes = defs.types.iter().chain(defs.attributes.iter());
    let is_defined = !compiled.is_empty()
        || classes.into_iter().any(|definition| defs.dialects[definition.dialect].name == name);
    if !is_defined {
        return Ok(None);
    }
    let snippets = Arc::new(rules.snippets().clone());
    let evaluator = Evaluator::new(snippets.clone());
    let strings = rules.strings();
    let constant_text = |constant: &Constant| match constant {
        Constant::Text(text) => Some(strings[*text].to_owned()),
        Constant::Snippet(snippet) => evaluator.texts(*snippet, None).ok()?.into_iter().next(),
    };
    let ops = compiled.iter().map(|op| operation(defs, op, &evaluator, &constant_text)).collect();
    let has_class = |definition: &&ods::Definition<'_>| {
        defs.dialects[definition.dialect].name == name && !definition.mnemonic.is_empty()
    };
    let class_and_alias = |definition: &ods::Definition<'_>| {
        (format!("{name}.{}", definition.mnemonic), alias(defs.records.record(definition.record)))
    };
    let part = DialectPart {
        ops,
        snippets,
        attributes: defs.attributes.iter().filter(has_class).map(class_and_alias).collect(),
        types: defs.types.iter().filter(has_class).map(class_and_alias).collect(),
        constraints: if constraints && !compiled.is_empty() {
            encoded_constraints(defs, name)
        } else {
            Arc::default()
        },
    };
    Ok(Some(Dialect { parts: vec![part] }))
}

/// Evaluates the defaults of the parameters of attributes and types.
fn set_defaults(defs: &Definitions<'_>, expressions: &mut Expressions<'_, '_>) {
    let mut compiled = Vec::new();
    for (sigil, definitions) in [('#', &defs.attributes), ('!', &defs.types)] {
        for definition in definitions.iter() {
            let class = format!("{sigil}{}.{}", defs.dialects[definition.dialect].name, definition.mnemonic);
            let Some(class) = expressions.snippets().find_body(&class) else { continue };
            let span = defs.records.record(definition.record).span();
            for (index, declared) in definition.params.iter().enumerate() {
                let param =
                    expressions.snippets().body(class).and_then(|body| body.params.get(index)).copied();
                if let (Some(BodyParam { kind, default: Some(ParamDefault::Cxx), .. }), Some(text)) =
                    (param, declared.default)
                    && let Some(snippet) = expressions.param_default(text, kind, span)
                {
                    compiled.push((class, index, kind, snippet));
                }
            }
        }
    }
    if compiled.is_empty() {
        return;
    }
    let snippets = expressions.snippets();
    let evaluator = Evaluator::new(Arc::new(snippets.clone()));
    for (class, index, kind, snippet) in compiled {
        let texts = evaluator.texts(snippet, None);
        let Some(text) = texts.ok().and_then(|texts| texts.into_iter().next()) else { continue };
        let number = || text.split(' ').next()?.parse().ok();
        let default = match kind {
            ParamKind::Int(_) | ParamKind::Enum(_) => number().map(ParamDefault::Int),
            ParamKind::Bool => Some(ParamDefault::Int((text == "true").into())),
            _ => Some(ParamDefault::Str(snippets.intern(&text))),
        };
        if let Some(default) = default {
            snippets.set_default(class, index, default);
        }
    }
}

/// The constraints of a dialect's operations, for the verifier.
fn encoded_constraints(defs: &Definitions<'_>, dialect: &str) -> Arc<[u8]> {
    let mut rules = RuleSet::default();
    fill(defs, Some(dialect), &mut rules);
    ods_verify::encode(&rules).into()
}

fn compile<'a>(
    defs: &Definitions<'a>,
    op: &'a Op<'a>,
    expressions: &mut Expressions<'_, 'a>,
) -> Result<Compiled<'a>, Diagnostic> {
    let format = defs.format(op)?;
    let mut compile_all = |origins: &[TypeOrigin<'a>]| -> Vec<Origin> {
        origins.iter().map(|origin| compile_origin(defs, *origin, op.span, expressions)).collect()
    };
    let (operands, mut results) = match &format {
        Some(format) => (compile_all(&format.operand_types), compile_all(&format.result_types)),
        None => (Vec::new(), Vec::new()),
    };
    for (index, result) in results.iter_mut().enumerate() {
        if !matches!(result, Origin::Cxx(_)) {
            continue;
        }
        if op.first_attr_type && !op.attributes.is_empty() {
            *result = Origin::From(TypePlace::Attribute(0), None);
        } else if let Some(origin) = upstream_inferred(&op.name, index) {
            *result = origin;
        }
    }
    let defaults =
        op.attributes.iter().map(|attribute| expressions.default(&attribute.spec, op.span)).collect();
    let property_defaults =
        op.properties.iter().map(|property| expressions.property_default(property, op.span)).collect();
    let types = op
        .attributes
        .iter()
        .map(|attribute| attribute.type_builder.and_then(|builder| expressions.fixed_type(builder, op.span)));
    let types = types.collect();
    Ok(Compiled { op, format, operands, results, defaults, property_defaults, types })
}

/// The types of IREE that only C++ code defines, by the name of their C++ class after `IREE::`.
const IREE_TYPES: [(&str, &str); 16] = [
    ("Flow::ChannelType", "flow.channel"),
    ("HAL::AllocatorType", "hal.allocator"),
    ("HAL::BufferType", "hal.buffer"),
    ("HAL::BufferViewType", "hal.buffer_view"),
    ("HAL::ChannelType", "hal.channel"),
    ("HAL::CommandBufferType", "hal.command_buffer"),
    ("HAL::DeviceType", "hal.device"),
    ("HAL::ExecutableType", "hal.executable"),
    ("HAL::FenceType", "hal.fence"),
    ("HAL::FileType", "hal.file"),
    ("Stream::BindingType", "stream.binding"),
    ("Stream::ChannelType", "stream.channel"),
    ("Stream::FileType", "stream.file"),
    ("Stream::TimepointType", "stream.timepoint"),
    ("Util::BufferType", "util.buffer"),
    ("VM::BufferType", "vm.buffer"),
];

/// The text of the type that `X::get($_builder.getContext())`, `X::get($_builder.getType<Y>())`,
/// `$_builder.getType<X>(1)` or `$_builder.getType<X>()` returns.
fn type_of_getter(defs: &Definitions<'_>, builder: &str) -> Option<String> {
    if let Some(rest) = builder.trim().strip_prefix("$_builder.getType<") {
        let (class, argument) = rest.strip_suffix(')')?.split_once(">(")?;
        if argument.is_empty() {
            if let Some(definition) = defs.type_class(class) {
                let dialect = defs.dialects[definition.dialect].name;
                return Some(format!("!{dialect}.{}", definition.mnemonic));
            }
            let path = class.rsplit_once("IREE::")?.1;
            let known = IREE_TYPES.iter().find(|known| known.0 == path)?;
            return Some(format!("!{}", known.1));
        }
        let number: u32 = argument.parse().ok()?;
        // Files that use this class do not always include its definition.
        if class.trim_start_matches("::") == "mlir::LLVM::LLVMPointerType" {
            return Some(if number == 0 { "!llvm.ptr".to_owned() } else { format!("!llvm.ptr<{number}>") });
        }
        let definition = defs.type_class(class)?;
        let dialect = defs.dialects[definition.dialect].name;
        return Some(format!("!{dialect}.{}<{number}>", definition.mnemonic));
    }
    let (class, argument) = builder.trim().strip_suffix(')')?.split_once("::get(")?;
    // These classes have no definition in TableGen.
    if argument == "$_builder.getContext()" {
        let ty = match class.trim_start_matches("::") {
            "mlir::gpu::AsyncTokenType" => Some("!gpu.async.token"),
            "mlir::gpu::SparseDnTensorHandleType" => Some("!gpu.sparse.dntensor_handle"),
            "mlir::gpu::SparseSpMatHandleType" => Some("!gpu.sparse.spmat_handle"),
            "mlir::gpu::SparseSpGEMMOpHandleType" => Some("!gpu.sparse.spgemmop_handle"),
            "mlir::LLVM::LLVMTokenType" => Some("!llvm.token"),
            _ => None,
        };
        if let Some(ty) = ty {
            return Some(ty.to_owned());
        }
    }
    let definition = defs.type_class(class)?;
    let dialect = defs.dialects[definition.dialect].name;
    if argument == "$_builder.getContext()" {
        return Some(format!("!{dialect}.{}", definition.mnemonic));
    }
    let inner = argument.strip_prefix("$_builder.getType<")?.strip_suffix(">()")?;
    Some(format!("!{dialect}.{}<{}>", definition.mnemonic, defs.type_class(inner)?.mnemonic))
}

fn compile_origin(
    defs: &Definitions<'_>,
    origin: TypeOrigin<'_>,
    span: Span,
    expressions: &mut Expressions<'_, '_>,
) -> Origin {
    match origin {
        TypeOrigin::Written => Origin::Written,
        TypeOrigin::Inferred => Origin::Cxx("C++ code infers it".to_owned()),
        TypeOrigin::Fixed(builder) => match expressions.fixed_type(builder, span) {
            Some(snippet) => Origin::Fixed(snippet),
            None => match type_of_getter(defs, builder) {
                Some(text) => Origin::Text(text),
                None => Origin::Cxx(format!("only C++ code evaluates `{builder}`")),
            },
        },
        TypeOrigin::From(place, None) => Origin::From(place, None),
        TypeOrigin::From(place, Some(text)) if is_unchanged(text) => Origin::From(place, None),
        TypeOrigin::From(place, Some(text)) if is_element_list(text) => Origin::Elements(place),
        TypeOrigin::From(place, Some(text)) if is_mask(text) => Origin::Mask(place),
        TypeOrigin::From(place, Some(text)) => match expressions.type_function(text, span) {
            Some(snippet) => Origin::From(place, Some((snippet, text.trim().to_owned()))),
            None => match upstream_function(text) {
                Some(function) => Origin::Upstream(place, function),
                None => Origin::Cxx(format!("only C++ code evaluates `{}`", text.trim())),
            },
        },
    }
}

/// Recognises expressions that use C++ functions of MLIR, torch-mlir or Triton, by their text.
fn upstream_function(text: &str) -> Option<TypeFunction> {
    let text: String = text.split_whitespace().collect();
    let text =
        text.replace("::llvm::", "").replace("llvm::", "").replace("::mlir::", "").replace("mlir::", "");
    let with_class =
        |from: &str, to: &str| TypeFunction::WithClass(format!("!torch.{from}"), format!("!torch.{to}"));
    let wrapped = |before: &str, after: &str| TypeFunction::Wrapped(before.to_owned(), after.to_owned());
    Some(match text.as_str() {
        "cast<ValueType>($_self).getValueType()"
        | "cast<PointerType>($_self).getPointeeType()"
        | "cast<spirv::SampledImageType>($_self).getImageType()"
        | "cast<gpu::MMAMatrixType>($_self).getElementType()" => TypeFunction::FirstParameter,
        "getValAndBoolStructType($_self)" => wrapped("!llvm.struct<(", ", i1)>"),
        "PtrMetadataType::get(cast<PtrLikeTypeInterface>($_self))" => wrapped("!ptr.ptr_metadata<", ">"),
        "getPointeeType($_self)" => TypeFunction::TritonPointee,
        "getPointerTypeSameShape($_self)" => TypeFunction::TritonPointer,
        "pdl::RangeType::get($_self)" => TypeFunction::PdlRange,
        "getGetValueTypeOpValueType($_self)" => TypeFunction::PdlValue,
        "VectorType(VectorType::Builder(cast<VectorType>($_self)).setDim(cast<VectorType>($_self).getRank()-1,16))" => {
            TypeFunction::ArmPredicate
        }
        text if text.ends_with("($_self).getWithValueSemantics()") => with_class("tensor", "vtensor"),
        text if text.ends_with("($_self).getWithoutValueSemantics()") => with_class("vtensor", "tensor"),
        _ => return None,
    })
}

/// Returns the origin from which C++ code of MLIR or Triton takes the type of a result.
fn upstream_inferred(op: &str, result: usize) -> Option<Origin> {
    let wasm_local =
        |of: fn(String, String) -> TypeFunction| of("!wasmssa<local ref to ".to_owned(), ">".to_owned());
    Some(match (op, result) {
        ("wasmssa.local", 0) => Origin::Upstream(TypePlace::Attribute(0), wasm_local(TypeFunction::Wrapped)),
        ("wasmssa.local_get" | "wasmssa.local_tee", 0) => {
            Origin::Upstream(TypePlace::Operand(0), wasm_local(TypeFunction::Unwrapped))
        }
        ("memref.distinct_objects", 0) => Origin::From(TypePlace::Operand(0), None),
        ("ptr.ptr_add", 0) => Origin::Operands(TypeFunction::PtrSum),
        ("smt.bv.concat", 0) => Origin::Operands(TypeFunction::BitVectorConcat),
        // The operation has a result of type `i1` for each retained value.
        ("bufferization.dealloc", 0) => Origin::Upstream(TypePlace::Operand(2), TypeFunction::I1),
        // The operand is a tensor with one element, so its list of element types has one type.
        ("tt.unsplat", 0) => Origin::Elements(TypePlace::Operand(0)),
        _ => return None,
    })
}

/// True if an expression is a type with the shape of `$_self` and the element type `i1`. C++ files of MLIR and Triton
/// define the functions that these expressions call.
fn is_mask(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    let text = text.replace("::llvm::", "").replace("mlir::", "");
    matches!(
        text.trim_start_matches("::"),
        "getUnaryOpResultType($_self)"
            | "getI1SameShape($_self)"
            // A tensor of pointers and the tensor of their pointees have the same shape, so they have the same mask.
            | "getI1SameShape(getPointeeType($_self))"
            | "cast<VectorType>($_self).cloneWith({},IntegerType::get($_ctxt,1))"
    )
}

/// True if an expression has the value of `$_self`.
fn is_unchanged(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    matches!(
        text.trim_start_matches("::").trim_start_matches("llvm::"),
        "$_self" | "make_range($_self.begin(),$_self.end())"
    )
}

/// True if an expression is a list that repeats the element type of `$_self` for each element.
fn is_element_list(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    let text = text.replace("::llvm::", "").replace("::mlir::", "");
    text.starts_with("SmallVector<Type")
        && text.contains("($_self).getNumElements(),")
        && text.ends_with("($_self).getElementType())")
}

fn operation(
    defs: &Definitions<'_>,
    compiled: &Compiled<'_>,
    evaluator: &Evaluator,
    constant_text: &dyn Fn(&Constant) -> Option<String>,
) -> OpSyntax {
    let op = compiled.op;
    let group_sizes = |sizes: Sizes| match sizes {
        Sizes::OneVariable => GroupSizes::OneVariable,
        Sizes::Equal => GroupSizes::Equal,
        Sizes::Attribute => GroupSizes::Attribute,
    };
    let groups = |specs: &[ValueSpec<'_>], origins: &[Origin]| -> Vec<ValueGroup> {
        let type_source =
            |index: usize| origins.get(index).map_or(TypeSource::Written, |origin| source(origin, evaluator));
        let group = |(index, spec): (usize, &ValueSpec<'_>)| ValueGroup {
            name: spec.name.to_owned(),
            arity: spec.arity,
            segments: spec.segments.map(str::to_owned),
            ty: type_syntax(defs, spec.constraint),
            source: type_source(index),
        };
        specs.iter().enumerate().map(group).collect()
    };
    let traits = op.trait_records.iter().map(|&record| defs.records.record(record));
    let terminator = traits.clone().find_map(|record| match trait_kind(record) {
        TraitKind::RegionTerminator(class) => {
            let class = class.split(',').next().unwrap_or("").trim();
            Some(match defs.op_class_beside(op, class) {
                Some(id) => Terminator::Op(defs.ops[id].name.clone()),
                None => Terminator::Class(class.trim_start_matches("::").to_owned()),
            })
        }
        _ => None,
    });
    let is_asm_interface = |record: Record<'_>| {
        record.string_field("cppInterfaceName").is_ok_and(|name| name == "OpAsmOpInterface")
    };
    let names_in_cxx = traits.clone().any(is_asm_interface);
    let dialect = defs.dialects[op.dialect].name;
    let attributes = op.attributes.iter().enumerate().map(|(index, attribute)| AttributeDef {
        name: attribute.name.to_owned(),
        optional: attribute.spec.optional,
        default: compiled.defaults[index]
            .as_ref()
            .and_then(constant_text)
            .or_else(|| text_default(defs, &attribute.spec)),
        has_default: !attribute.spec.default.is_empty(),
        syntax: attr_syntax(defs, &attribute.spec, compiled.types[index], attribute.type_builder, evaluator),
    });
    let properties = op.properties.iter().enumerate().map(|(index, property)| {
        let record = defs.records.record(property.record);
        let syntax = property_syntax(defs, record);
        let bytecode_encoding = property_encoding(defs, record, Carrier::Bytecode);
        let attribute_encoding = property_encoding(defs, record, Carrier::Attribute);
        let is_empty = property.default.trim().ends_with("{}");
        let default = match (&syntax, &attribute_encoding) {
            (PropertySyntax::Unit, _) if matches!(property.default.trim(), "" | "false") => {
                Some("false".to_owned())
            }
            _ if property.default == "std::nullopt" && record.is_subclass_of("OptionalProp") => {
                Some("[]".to_owned())
            }
            (_, PropertyEncoding::List(_)) if is_empty => Some("[]".to_owned()),
            (_, PropertyEncoding::IntegerList(width)) if is_empty => Some(format!("array<i{width}>")),
            (_, PropertyEncoding::Cxx) => None,
            _ => compiled.property_defaults[index].as_ref().and_then(constant_text),
        };
        let name = property.name.to_owned();
        let has_default = !property.default.is_empty();
        PropertyDef { name, default, has_default, syntax, bytecode_encoding, attribute_encoding }
    });
    let region_or_successor =
        |item: &ods::RegionOrSuccessor<'_>| RegionOrSuccessor { variadic: item.variadic };
    let syntax = match &compiled.format {
        Some(format) => Syntax::Declared {
            elements: format.elements.clone(),
            text: format.text.to_owned(),
            inferred: format.inferred.iter().map(|&name| name.to_owned()).collect(),
            prop_dict: format.prop_dict,
        },
        None if op.custom_format => Syntax::Cxx,
        None => Syntax::Generic,
    };
    let record = defs.records.record(op.record);
    OpSyntax {
        name: op.name.clone(),
        class: op.qualified_class(),
        traits: op_traits(&op.traits),
        operands: groups(&op.operands, &compiled.operands),
        operand_sizes: group_sizes(op.operand_sizes),
        results: groups(&op.results, &compiled.results),
        result_sizes: group_sizes(op.result_sizes),
        attributes: attributes.collect(),
        properties: properties.collect(),
        regions: op.regions.iter().map(region_or_successor).collect(),
        successors: op.successors.iter().map(region_or_successor).collect(),
        terminator,
        single_block: op.has(Trait::SingleBlock),
        uses_properties: defs.dialects[op.dialect].uses_properties,
        cxx_bytecode: record.bit_field("useCustomPropertiesEncoding").unwrap_or(false),
        names_results: op.results.len() > 1
            && op.results.iter().any(|result| !result.name.is_empty())
            && !names_in_cxx,
        // MLIR calls `getDefaultDialect` only on operations with the interface.
        default_dialect: default_dialect(defs, record).filter(|_| names_in_cxx).or_else(|| {
            // If `getDefaultDialect` is only in a C++ file, it is assumed to return the operation's dialect.
            traits
                .clone()
                .filter(|record| is_asm_interface(*record))
                .any(overrides_default_dialect)
                .then(|| dialect.to_owned())
        }),
        syntax,
    }
}

/// The alias that an attribute or type suggests: its mnemonic, or the text that `getAlias` writes.
fn alias(record: Record<'_>) -> Option<String> {
    if record.bit_field("genMnemonicAlias").unwrap_or(false) {
        return record.string_field("mnemonic").ok().map(str::to_owned);
    }
    let fields = ["extraClassDeclaration", "extraClassDefinition"];
    fields.iter().filter_map(|field| record.string_field(field).ok()).find_map(written_alias)
}

/// The text that the C++ method `getAlias` writes, if it always writes the same text.
fn written_alias(code: &str) -> Option<String> {
    let body = code.split_once("getAlias(")?.1.split_once('{')?.1.split_once('}')?.0;
    let (before, rest) = body.split_once("<<")?;
    let (text, after) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    let always = before.trim() == "os" && after.trim_start().starts_with(';') && !after.contains("<<");
    (always && !after.contains("NoAlias")).then(|| text.to_owned())
}

/// The text of a default value that is an empty dictionary or the name of an operation.
fn text_default(defs: &Definitions<'_>, spec: &AttrSpec<'_>) -> Option<String> {
    let is_dictionary = spec.storage.trim().ends_with("DictionaryAttr");
    if is_dictionary && spec.default.trim() == "{}" {
        return Some("{}".to_owned());
    }
    let class = spec.default.trim().strip_suffix("::getOperationName()")?.trim_start_matches("::");
    // The file that refers to this operation does not include its definition.
    if class == "mlir::bufferization::MaterializeInDestinationOp" {
        return Some("\"bufferization.materialize_in_destination\"".to_owned());
    }
    defs.op_class(class).map(|id| format!("\"{}\"", defs.ops[id].name))
}

/// True if a C++ file defines `getDefaultDialect`, because the operation declares that it overrides this method of the
/// interface.
fn overrides_default_dialect(record: Record<'_>) -> bool {
    let mut names = record.list_field("alwaysOverriddenMethods").into_iter().flatten();
    names.any(|name| matches!(name, Value::String(name) if record.records().str(name) == "getDefaultDialect"))
}

/// The dialect that `getDefaultDialect` returns. Its C++ code states the dialect as a string or as the class of the
/// dialect.
fn default_dialect(defs: &Definitions<'_>, record: Record<'_>) -> Option<String> {
    let fields = ["extraClassDeclaration", "extraClassDefinition"];
    let texts = fields.iter().filter_map(|field| record.string_field(field).ok());
    let found = texts.filter_map(|text| returned_expression(text, "getDefaultDialect")).next()?;
    let Some(class) = found.strip_suffix("::getDialectNamespace()") else {
        return Some(found.trim_matches('"').to_owned());
    };
    // For the record `My_Dialect`, `mlir-tblgen` generates the class `MyDialect`.
    let class = class.rsplit("::").next().unwrap_or(class);
    let mut dialects = defs.dialects.iter();
    let found = dialects.find(|dialect| defs.records.record(dialect.record).name().replace('_', "") == class);
    found.map(|dialect| dialect.name.to_owned())
}

fn source(origin: &Origin, evaluator: &Evaluator) -> TypeSource {
    let at = |place: TypePlace, function: Option<TypeFunction>| match place {
        TypePlace::Operand(index) => TypeSource::Operand(index, function),
        TypePlace::Result(index) => TypeSource::Result(index, function),
        TypePlace::Attribute(index) => TypeSource::Attribute(index, function),
    };
    match origin {
        Origin::Written => TypeSource::Written,
        Origin::Cxx(what) => TypeSource::Cxx(what.clone()),
        Origin::Text(text) => TypeSource::Fixed(text.clone()),
        Origin::Fixed(snippet) => match evaluator.texts(*snippet, None) {
            Ok(texts) if texts.len() == 1 => TypeSource::Fixed(texts[0].clone()),
            Ok(_) => TypeSource::Cxx("its expression does not return one type".to_owned()),
            Err(reason) => TypeSource::Cxx(reason),
        },
        Origin::From(place, None) => at(*place, None),
        Origin::From(place, Some((snippet, text))) => {
            at(*place, Some(TypeFunction::Snippet(*snippet, text.clone())))
        }
        Origin::Elements(place) => at(*place, Some(TypeFunction::ElementTypes)),
        Origin::Mask(place) => at(*place, Some(TypeFunction::MaskType)),
        Origin::Upstream(place, function) => at(*place, Some(function.clone())),
        Origin::Operands(function) => TypeSource::Operands(function.clone()),
    }
}

fn type_syntax(defs: &Definitions<'_>, constraint: RecordId) -> TypeSyntax {
    let record = defs.records.record(defs.constraint_of(constraint));
    let class = record.string_field("cppType").unwrap_or("").trim();
    match defs.type_class(class) {
        Some(found) if found.format.is_some() || found.custom_format => {
            TypeSyntax::Stripped(class_text(defs, found, '!'))
        }
        _ => TypeSyntax::Full,
    }
}
