//! Translates the definitions of a dialect for the IR's reader and printer.

use std::sync::Arc;

use crate::frontend::drr::{Expressions, fill};
use crate::frontend::ods::{
    self, AttrSpec, Definitions, Enum, Op, Property, Sizes, TraitKind, TypeOrigin, TypePlace, ValueSpec,
    returned, trait_kind,
};
use crate::frontend::tablegen::{Record, RecordId, Value};
use crate::ir::Evaluator;
use crate::ir::dialect::{
    AttrSyntax, AttributeDef, Dialect, DialectPart, EnumSyntax, GroupSizes, OpSyntax, PartDef, PropertyDef,
    PropertyEncoding, PropertySyntax, Syntax, TypeFunction, TypeSource, TypeSyntax, ValueGroup,
};
use crate::ods_verify::{self, op_traits};
use crate::pdl::{Constant, RuleSet, Trait};
use crate::snippet::{BodyParam, IntTy, ParamDefault, ParamKind, SnippetId};
use crate::source::{Diagnostic, Span};

/// The snippets of one operation.
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
    Written,
    Fixed(SnippetId),
    Text(String),
    From(TypePlace, Option<(SnippetId, String)>),
    Elements(TypePlace),
    Mask(TypePlace),
    Upstream(TypePlace, TypeFunction),
    Cxx(String),
}

/// Translates the definitions of a dialect; `None` if there are none. The constraints of operations are included if
/// `constraints` is true.
///
/// # Errors
/// A format is wrong.
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
    let text = |constant: &Constant| match constant {
        Constant::Text(text) => Some(strings[*text].to_owned()),
        Constant::Snippet(snippet) => evaluator.texts(*snippet, None).ok()?.into_iter().next(),
    };
    let ops = compiled.iter().map(|compiled| operation(defs, compiled, &evaluator, &text)).collect();
    let own = |definition: &&ods::Definition<'_>| {
        defs.dialects[definition.dialect].name == name && !definition.mnemonic.is_empty()
    };
    let class = |definition: &ods::Definition<'_>| {
        (format!("{name}.{}", definition.mnemonic), alias(defs.records.record(definition.record)))
    };
    let part = DialectPart {
        ops,
        snippets,
        attributes: defs.attributes.iter().filter(own).map(class).collect(),
        types: defs.types.iter().filter(own).map(class).collect(),
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
    let mut origins = |origins: &[TypeOrigin<'a>]| -> Vec<Origin> {
        origins.iter().map(|origin| compile_origin(defs, *origin, op.span, expressions)).collect()
    };
    let (operands, mut results) = match &format {
        Some(format) => (origins(&format.operand_types), origins(&format.result_types)),
        None => (Vec::new(), Vec::new()),
    };
    for (index, result) in results.iter_mut().enumerate() {
        if matches!(result, Origin::Cxx(_))
            && let Some(place) = upstream_inferred(&op.name, index)
        {
            *result = Origin::From(place, None);
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

/// The text of the type that `X::get($_builder.getContext())`, `X::get($_builder.getType<Y>())` or
/// `$_builder.getType<X>(1)` returns.
fn type_of_getter(defs: &Definitions<'_>, builder: &str) -> Option<String> {
    if let Some(rest) = builder.trim().strip_prefix("$_builder.getType<") {
        let (class, argument) = rest.strip_suffix(')')?.split_once(">(")?;
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
        let gpu = class.trim_start_matches("::").strip_prefix("mlir::gpu::");
        let name = gpu.and_then(|class| match class {
            "AsyncTokenType" => Some("async.token"),
            "SparseDnTensorHandleType" => Some("sparse.dntensor_handle"),
            "SparseSpMatHandleType" => Some("sparse.spmat_handle"),
            "SparseSpGEMMOpHandleType" => Some("sparse.spgemmop_handle"),
            _ => None,
        });
        if let Some(name) = name {
            return Some(format!("!gpu.{name}"));
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
        TypeOrigin::From(place, Some(text)) if text.trim() == "$_self" => Origin::From(place, None),
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

/// The function that an expression computes with classes and functions that only C++ files of MLIR define.
fn upstream_function(text: &str) -> Option<TypeFunction> {
    let text: String = text.split_whitespace().collect();
    let text =
        text.replace("::llvm::", "").replace("llvm::", "").replace("::mlir::", "").replace("mlir::", "");
    Some(match text.as_str() {
        "cast<ValueType>($_self).getValueType()"
        | "cast<PointerType>($_self).getPointeeType()"
        | "cast<spirv::SampledImageType>($_self).getImageType()"
        | "cast<gpu::MMAMatrixType>($_self).getElementType()" => TypeFunction::Inner,
        "getValAndBoolStructType($_self)" => TypeFunction::WithFlag,
        "pdl::RangeType::get($_self)" => TypeFunction::PdlRange,
        "getGetValueTypeOpValueType($_self)" => TypeFunction::PdlValue,
        "VectorType(VectorType::Builder(cast<VectorType>($_self)).setDim(cast<VectorType>($_self).getRank()-1,16))" => {
            TypeFunction::ArmPredicate
        }
        _ => return None,
    })
}

/// The operand whose types the results of an operation of MLIR have, if a C++ function in MLIR infers them.
fn upstream_inferred(op: &str, result: usize) -> Option<TypePlace> {
    Some(match (op, result) {
        ("memref.distinct_objects" | "ptr.ptr_add", 0) => TypePlace::Operand(0),
        ("bufferization.dealloc", 0) => TypePlace::Operand(1),
        _ => return None,
    })
}

/// True if an expression is a type with the shape of `$_self` and the element type `i1`. The names are those of
/// functions in MLIR's C++ files.
fn is_mask(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    let text = text.replace("::llvm::", "").replace("mlir::", "");
    matches!(
        text.trim_start_matches("::"),
        "getUnaryOpResultType($_self)"
            | "getI1SameShape($_self)"
            | "cast<VectorType>($_self).cloneWith({},IntegerType::get($_ctxt,1))"
    )
}

/// True if an expression is a list of types that has the element type of `$_self` once for each element.
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
    text: &dyn Fn(&Constant) -> Option<String>,
) -> OpSyntax {
    let op = compiled.op;
    let sizes = |sizes: Sizes| match sizes {
        Sizes::Rest => GroupSizes::Rest,
        Sizes::Equal => GroupSizes::Equal,
        Sizes::Attribute => GroupSizes::Attribute,
    };
    let groups = |specs: &[ValueSpec<'_>], origins: &[Origin]| -> Vec<ValueGroup> {
        let origin = |index: usize| origins.get(index).map_or(TypeSource::Written, |o| source(o, evaluator));
        let group = |(index, spec): (usize, &ValueSpec<'_>)| ValueGroup {
            name: spec.name.to_owned(),
            arity: spec.arity,
            segments: spec.segments.map(str::to_owned),
            ty: type_syntax(defs, spec.constraint),
            source: origin(index),
        };
        specs.iter().enumerate().map(group).collect()
    };
    let traits = op.trait_records.iter().map(|&record| defs.records.record(record));
    let terminator = traits.clone().find_map(|record| match trait_kind(record) {
        TraitKind::RegionTerminator(class) => {
            let class = class.split(',').next().unwrap_or("").trim();
            defs.op_class_beside(op, class).map(|id| defs.ops[id].name.clone())
        }
        _ => None,
    });
    let interface =
        |record: Record<'_>| record.string_field("cppInterfaceName").unwrap_or("") == "OpAsmOpInterface";
    let names_in_cxx = traits.clone().any(interface);
    let dialect = defs.dialects[op.dialect].name;
    let attributes = op.attributes.iter().enumerate().map(|(index, attribute)| AttributeDef {
        name: attribute.name.to_owned(),
        optional: attribute.spec.optional,
        default: compiled.defaults[index]
            .as_ref()
            .and_then(text)
            .or_else(|| text_default(defs, &attribute.spec)),
        has_default: !attribute.spec.default.is_empty(),
        syntax: attr_syntax(defs, &attribute.spec, compiled.types[index], attribute.type_builder, evaluator),
    });
    let properties = op.properties.iter().enumerate().map(|(index, property)| {
        let syntax = property_syntax(defs, property);
        let form = |carrier| property_form(defs, defs.records.record(property.record), carrier, LEVELS);
        let (encoding, attribute) = (form(Carrier::Bytecode), form(Carrier::Attribute));
        let default = match (&syntax, &attribute) {
            (PropertySyntax::Unit, _) => Some("false".to_owned()),
            (_, PropertyEncoding::Optional(_)) if property.default == "std::nullopt" => Some("[]".to_owned()),
            _ => compiled.property_defaults[index].as_ref().and_then(text),
        };
        PropertyDef { name: property.name.to_owned(), default, syntax, encoding, attribute }
    });
    let part = |part: &ods::RegionOrSuccessor<'_>| PartDef { variadic: part.variadic };
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
        traits: op_traits(&op.traits),
        operands: groups(&op.operands, &compiled.operands),
        operand_sizes: sizes(op.operand_sizes),
        results: groups(&op.results, &compiled.results),
        result_sizes: sizes(op.result_sizes),
        attributes: attributes.collect(),
        properties: properties.collect(),
        regions: op.regions.iter().map(part).collect(),
        successors: op.successors.iter().map(part).collect(),
        terminator,
        single_block: op.has(Trait::SingleBlock),
        uses_properties: defs.dialects[op.dialect].uses_properties,
        cxx_bytecode: record.bit_field("useCustomPropertiesEncoding").unwrap_or(false),
        names_results: op.results.len() > 1
            && op.results.iter().any(|result| !result.name.is_empty())
            && !names_in_cxx,
        default_dialect: default_dialect(defs, record).or_else(|| {
            // In C++ code, operations return their own dialect.
            traits
                .clone()
                .filter(|record| interface(*record))
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

/// The text that the C++ method `getAlias` writes, if it always writes the same one.
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

/// True if an interface is declared with a method `getDefaultDialect` in C++ code.
fn overrides_default_dialect(record: Record<'_>) -> bool {
    let mut names = record.list_field("alwaysOverriddenMethods").into_iter().flatten();
    names.any(|name| matches!(name, Value::String(name) if record.records().str(name) == "getDefaultDialect"))
}

/// The dialect that `getDefaultDialect` returns, as a text or through the C++ class of the dialect.
fn default_dialect(defs: &Definitions<'_>, record: Record<'_>) -> Option<String> {
    let fields = ["extraClassDeclaration", "extraClassDefinition"];
    let texts = fields.iter().filter_map(|field| record.string_field(field).ok());
    let found = texts.filter_map(|text| returned(text, "getDefaultDialect")).next()?;
    let Some(class) = found.strip_suffix("::getDialectNamespace()") else {
        return Some(found.trim_matches('"').to_owned());
    };
    // `mlir-tblgen` names the class of `My_Dialect` `MyDialect`.
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
    }
}

fn type_syntax(defs: &Definitions<'_>, constraint: RecordId) -> TypeSyntax {
    let record = defs.records.record(defs.constraint_of(constraint));
    let class = record.string_field("cppType").unwrap_or("").trim();
    match defs.type_class(class) {
        Some(found) if found.format.is_some() || found.custom_format => {
            TypeSyntax::Stripped(format!("!{}.{}", defs.dialects[found.dialect].name, found.mnemonic))
        }
        _ => TypeSyntax::Full,
    }
}

fn enum_syntax(item: &Enum<'_>) -> EnumSyntax {
    EnumSyntax {
        width: item.width,
        bits: item.bits,
        separator: item.separator.to_owned(),
        quoted: item.quoted,
        groups: item.groups,
        cases: item.cases.iter().map(|case| (case.value, case.text.to_owned())).collect(),
    }
}

/// The attribute inside wrappers such as `OptionalAttr`.
fn base_attr(record: Record<'_>) -> Record<'_> {
    const LIMIT: usize = 64;
    let mut base = record;
    for _ in 0..LIMIT {
        match base.def_field("baseAttr") {
            Ok(inner) => base = inner,
            Err(_) => break,
        }
    }
    base
}

fn attr_syntax(
    defs: &Definitions<'_>,
    spec: &AttrSpec<'_>,
    ty: Option<SnippetId>,
    builder: Option<&str>,
    evaluator: &Evaluator,
) -> AttrSyntax {
    let base = base_attr(defs.records.record(defs.constraint_of(spec.record)));
    // A wrapper such as `OptionalAttr` has no builder.
    if base.is_subclass_of("EnumAttrInfo")
        && let Some(item) = defs.enum_of(base.id())
        && base.string_field("constBuilderCall").is_ok_and(|builder| !builder.is_empty())
    {
        return AttrSyntax::Enum(enum_syntax(item));
    }
    match base.name() {
        "SymbolNameAttr" => return AttrSyntax::SymbolName,
        "UnitAttr" => return AttrSyntax::Unit,
        _ => {}
    }
    let storage = spec.storage.trim().trim_start_matches("::");
    let class = storage.trim_start_matches("mlir::");
    // The reader recognises these attributes by their first token, although the definition gives them the type `none`.
    if matches!(class, "ArrayAttr" | "SymbolRefAttr" | "FlatSymbolRefAttr") {
        return AttrSyntax::Builtin(class.to_owned());
    }
    if builder.is_some() {
        let text =
            ty.and_then(|ty| evaluator.texts(ty, None).ok()).and_then(|texts| texts.into_iter().next());
        return text.map_or(AttrSyntax::Any, |ty| AttrSyntax::Typed { ty, class: class.to_owned() });
    }
    let element = match class {
        "Attribute" => return AttrSyntax::Any,
        "DenseBoolArrayAttr" => "i1",
        "DenseI8ArrayAttr" => "i8",
        "DenseI16ArrayAttr" => "i16",
        "DenseI32ArrayAttr" => "i32",
        "DenseI64ArrayAttr" => "i64",
        "DenseF32ArrayAttr" => "f32",
        "DenseF64ArrayAttr" => "f64",
        class => {
            return match defs.attribute_class(spec.storage.trim()) {
                Some(found) if found.format.is_some() || found.custom_format => {
                    AttrSyntax::Stripped(format!("#{}.{}", defs.dialects[found.dialect].name, found.mnemonic))
                }
                _ => AttrSyntax::Builtin(class.to_owned()),
            };
        }
    };
    AttrSyntax::Array(element.to_owned())
}

fn property_syntax(defs: &Definitions<'_>, property: &Property<'_>) -> PropertySyntax {
    const LIMIT: usize = 64;
    let mut base = defs.records.record(property.record);
    for _ in 0..LIMIT {
        match base.def_field("baseProperty") {
            Ok(inner) => base = inner,
            Err(_) => break,
        }
    }
    if base.name() == "UnitProp" {
        return PropertySyntax::Unit;
    }
    if let Some(item) = property.enumeration.and_then(|record| defs.enum_of(record)) {
        // The attribute of such a property belongs to a class that only C++ code knows.
        if base.bit_field("storeInCustomAttribute").unwrap_or(false) {
            return PropertySyntax::Cxx;
        }
        let cases = enum_syntax(item);
        let is_named =
            ["NamedEnumProp", "NamedEnumPropWithAttrForm"].iter().any(|class| base.is_subclass_of(class));
        return match base.string_field("mnemonic") {
            Ok(word) if is_named => PropertySyntax::NamedEnum(word.to_owned(), cases),
            _ => PropertySyntax::Enum(cases),
        };
    }
    // A wrapper such as `OptionalProp` stores another C++ type.
    let storage = defs.records.record(property.record).string_field("storageType").unwrap_or("").trim();
    let elements = storage.trim_start_matches("::").strip_prefix("llvm::SmallVector<");
    match elements.and_then(|rest| rest.strip_suffix('>')).filter(|_| base.is_subclass_of("ArrayProp")) {
        None => storage_syntax(storage),
        Some(element) => match storage_syntax(element) {
            PropertySyntax::Cxx => PropertySyntax::Cxx,
            element => PropertySyntax::List(Box::new(element)),
        },
    }
}

/// The syntax of a value of a C++ type.
fn storage_syntax(storage: &str) -> PropertySyntax {
    match storage.trim().trim_start_matches("::") {
        "bool" => PropertySyntax::Bool,
        "std::string" => PropertySyntax::Str,
        storage => integer_storage(storage).map_or(PropertySyntax::Cxx, PropertySyntax::Integer),
    }
}

/// The integer type with the values of a C++ type.
fn integer_storage(storage: &str) -> Option<IntTy> {
    let (bits, signed) = match storage.trim().trim_start_matches("::") {
        "int64_t" => (64, true),
        "uint64_t" => (64, false),
        "int32_t" => (32, true),
        "uint32_t" => (32, false),
        "int16_t" => (16, true),
        "uint16_t" => (16, false),
        "int8_t" => (8, true),
        "uint8_t" => (8, false),
        _ => return None,
    };
    Some(IntTy { bits, signed })
}

/// The form of a value of a C++ type.
fn value_form(storage: &str) -> PropertyEncoding {
    match storage.trim().trim_start_matches("::") {
        "bool" => PropertyEncoding::Bool,
        "std::string" => PropertyEncoding::Str,
        storage => match integer_storage(storage) {
            Some(IntTy { bits, signed }) => PropertyEncoding::Integer { width: bits.into(), signed },
            None => PropertyEncoding::Cxx,
        },
    }
}

/// The two representations of a property outside its operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carrier {
    /// MLIR's byte code.
    Bytecode,
    /// An attribute.
    Attribute,
}

/// The maximum number of properties inside each other.
const LEVELS: u32 = 16;

/// The form of a property. A wrapper such as `DefaultValuedProp` keeps the form of its base.
fn property_form(
    defs: &Definitions<'_>,
    property: Record<'_>,
    carrier: Carrier,
    levels: u32,
) -> PropertyEncoding {
    let Some(levels) = levels.checked_sub(1) else { return PropertyEncoding::Cxx };
    let storage = property.string_field("storageType").unwrap_or("").trim();
    let conversion = |property: Record<'_>| property.string_field("convertFromAttribute").map(str::to_owned);
    let for_attributes = carrier == Carrier::Attribute;
    if storage.starts_with("std::optional<") && property.is_subclass_of("OptionalProp") {
        let inner = storage["std::optional<".len()..].strip_suffix('>');
        return match inner.map_or(PropertyEncoding::Cxx, value_form) {
            PropertyEncoding::Cxx => PropertyEncoding::Cxx,
            inner => PropertyEncoding::Optional(Box::new(inner)),
        };
    }
    if let Ok(base) = property.def_field("baseProperty") {
        let converts = for_attributes && conversion(property).ok() != conversion(base).ok();
        return if converts { PropertyEncoding::Cxx } else { property_form(defs, base, carrier, levels) };
    }
    if property.name() == "UnitProp" {
        return PropertyEncoding::Unit;
    }
    if property.is_subclass_of("EnumProp") {
        let item = property.def_field("enum").ok().and_then(|record| defs.enum_of(record.id()));
        // The attribute of such a property belongs to a class that only C++ code knows.
        let custom = match carrier {
            Carrier::Bytecode => property.bit_field("storeInCustomAttribute").unwrap_or(false),
            Carrier::Attribute => property.is_subclass_of("EnumPropWithAttrForm"),
        };
        return match item.filter(|_| !custom) {
            Some(item) => PropertyEncoding::Integer { width: item.width, signed: false },
            None => PropertyEncoding::Cxx,
        };
    }
    let is_default = || {
        let conversion = conversion(property).unwrap_or_default();
        conversion.trim() == "return convertFromAttribute($_storage, $_attr, $_diag);"
    };
    if property.is_subclass_of("ArrayProp") {
        let element = storage.trim_start_matches("::").strip_prefix("llvm::SmallVector<");
        return match element.and_then(|rest| rest.strip_suffix('>')).map(value_form) {
            None => PropertyEncoding::Cxx,
            Some(PropertyEncoding::Cxx) if !for_attributes => PropertyEncoding::Cxx,
            Some(PropertyEncoding::Integer { width, .. }) if property.is_subclass_of("IntArrayProp") => {
                match !for_attributes || is_default() {
                    true => PropertyEncoding::IntegerList(width),
                    false => PropertyEncoding::Cxx,
                }
            }
            Some(element) => PropertyEncoding::List(Box::new(element)),
        };
    }
    match value_form(storage) {
        _ if for_attributes && !is_default() => PropertyEncoding::Cxx,
        // Any C++ code can define the byte code of a property class that is not an `IntProp`.
        PropertyEncoding::Integer { .. } if !for_attributes && !property.is_subclass_of("IntProp") => {
            PropertyEncoding::Cxx
        }
        form => form,
    }
}
