//! Translation of records to definitions.

use hashbrown::{HashMap, HashSet};

use super::default_form::default_form;
use super::effects::effects_trait;
use super::error;
use super::fields::{flag, namespace, text};
use super::format;
use super::infer::recipes;
use super::inline::returned_expression;
use super::interface::interfaces;
use super::model::{
    Arg, ArgKind, AttrSpec, Attribute, Builder, BuilderParam, ClassIndex, DefId, DefParam, Definition,
    Definitions, Dialect, DialectId, Enum, EnumCase, Op, Property, RegionOrSuccessor, Sizes, ValueSpec,
};
use super::names::accessor_name;
use super::predicate::constraint_of;
use super::traits::{TraitKind, trait_kind};
use crate::frontend::tablegen::{Dag, DagArg, Record, RecordId, Records, Value};
use crate::id::IdVec;
use crate::pdl::{Arity, Trait};
use crate::source::{Diagnostic, Diagnostics};

/// Reads all definitions. A definition with errors is left out, and its errors are kept: see [`Definitions::errors`]
/// and [`Definitions::broken`].
pub fn read(records: &Records) -> Definitions<'_> {
    let mut reader =
        Reader { records, dialects: IdVec::default(), dialect_of: HashMap::new(), broken: Vec::new() };
    for id in records.derived_definitions("Dialect") {
        reader.dialect(records.record(id));
    }
    let mut ops = IdVec::default();
    let mut op_of = HashMap::new();
    for id in records.derived_definitions("Op") {
        let mut errors = Diagnostics::default();
        if records.record(id).is_broken() {
            // The errors in the parts of a broken record have already been reported.
            reader.broken.push((id, errors));
            continue;
        }
        let op = reader.op(records.record(id), &mut errors);
        match op {
            Ok(op) if !errors.has_errors() => {
                op_of.insert(id, ops.push(op));
            }
            Ok(_) => reader.broken.push((id, errors)),
            Err(error) => {
                errors.push(error);
                reader.broken.push((id, errors));
            }
        }
    }
    let mut enums = IdVec::default();
    let mut enum_of = HashMap::new();
    for id in records.derived_definitions("EnumInfo") {
        match enumeration(records.record(id)) {
            Ok(item) => {
                enum_of.insert(id, enums.push(item));
            }
            Err(error) => reader.broken.push((id, error.into())),
        }
    }
    let attributes = reader.definitions("AttrDef");
    let types = reader.definitions("TypeDef");
    let Reader { dialects, broken, .. } = reader;
    let index = ClassIndex::default();
    let interfaces = interfaces(records);
    let mut all = Definitions {
        qualified: Vec::new(),
        records,
        dialects,
        ops,
        enums,
        attributes,
        types,
        interfaces,
        broken,
        op_of,
        enum_of,
        index,
    };
    all.index_classes();
    all
}

fn enumeration(record: Record<'_>) -> Result<Enum<'_>, Diagnostic> {
    let records = record.records();
    let class = record.string_field("className")?;
    let is_bit_set = record.is_subclass_of("BitEnumBase");
    let width = record.int_field("bitwidth")?;
    let width = u32::try_from(width)
        .ok()
        .filter(|width| (1..=64).contains(width))
        .ok_or_else(|| error::enum_width(class, width, record.span()))?;
    let mut cases = Vec::new();
    for case in record.list_field("enumerants")? {
        if let Value::Def(case) = case {
            let case = records.record(case);
            let symbol = case.string_field("symbol")?;
            let value = case.int_field("value")?;
            cases.push(EnumCase { symbol, value, text: text(case, "str") });
        }
    }
    let attr_class = record.is_subclass_of("EnumAttrInfo") && flag(record, "genSpecializedAttr");
    Ok(Enum {
        record: record.id(),
        class,
        namespace: namespace(record, "cppNamespace"),
        width,
        is_bit_set,
        quoted: flag(record, "printBitEnumQuoted"),
        groups: flag(record, "printBitEnumPrimaryGroups"),
        separator: if is_bit_set { record.string_field("separator").unwrap_or("|") } else { "" },
        cases,
        attr_class: attr_class.then(|| text(record, "specializedAttrClassName")),
        symbolize: text(record, "underlyingToSymbolFnName"),
        parse: text(record, "stringToSymbolFnName"),
        stringify: text(record, "symbolToStringFnName"),
        max: text(record, "maxEnumValFnName"),
    })
}

/// Reads an `Attr` record.
pub(crate) fn attr_spec(record: Record<'_>) -> AttrSpec<'_> {
    let storage = text(record, "storageType");
    AttrSpec {
        record: record.id(),
        storage: if storage.is_empty() { "::mlir::Attribute" } else { storage },
        value_type: text(record, "returnType"),
        from_storage: text(record, "convertFromStorage"),
        builder: text(record, "constBuilderCall"),
        default: text(record, "defaultValue"),
        optional: flag(record, "isOptional"),
        is_type: is_type_attr(record),
    }
}

fn is_type_attr(record: Record<'_>) -> bool {
    record.is_subclass_of("TypeAttrBase")
        || record.def_field("baseAttr").is_ok_and(|base| base.is_subclass_of("TypeAttrBase"))
}

struct Reader<'a> {
    records: &'a Records,
    dialects: IdVec<DialectId, Dialect<'a>>,
    dialect_of: HashMap<RecordId, DialectId>,
    broken: Vec<(RecordId, Diagnostics)>,
}

impl<'a> Reader<'a> {
    fn dialect(&mut self, record: Record<'a>) -> DialectId {
        if let Some(&id) = self.dialect_of.get(&record.id()) {
            return id;
        }
        let id = self.dialects.push(Dialect {
            record: record.id(),
            name: text(record, "name"),
            namespace: namespace(record, "cppNamespace"),
            uses_properties: record.bit_field("usePropertiesForAttributes").unwrap_or(true),
        });
        self.dialect_of.insert(record.id(), id);
        id
    }

    fn definitions(&mut self, class: &str) -> IdVec<DefId, Definition<'a>> {
        let mut all = IdVec::default();
        for id in self.records.derived_definitions(class) {
            match self.definition(self.records.record(id)) {
                Ok(definition) => {
                    all.push(definition);
                }
                Err(error) => self.broken.push((id, error.into())),
            }
        }
        all
    }

    fn definition(&mut self, record: Record<'a>) -> Result<Definition<'a>, Diagnostic> {
        let dialect = self.dialect(record.def_field("dialect")?);
        let params = record.dag_field("parameters")?.args().map(|arg| self.param(arg));
        let mut definition = Definition {
            record: record.id(),
            dialect,
            class: record.string_field("cppClassName")?,
            namespace: match record.find_field("cppNamespace") {
                Some(_) => namespace(record, "cppNamespace"),
                None => self.dialects[dialect].namespace,
            },
            mnemonic: text(record, "mnemonic"),
            params: params.collect(),
            trait_records: trait_records(self.records, record),
            enumeration: record.def_field("enum").ok().map(|e| e.id()),
            format: None,
            custom_format: flag(record, "hasCustomAssemblyFormat"),
        };
        if let Some(field) = record.find_field("assemblyFormat")
            && let Value::String(format) = field.value
        {
            let (parts, qualified) = format::parse(&definition, self.records.str(format), field.value_span)?;
            qualified.into_iter().for_each(|param| definition.params[param as usize].qualified = true);
            definition.format = Some(parts);
        }
        Ok(definition)
    }

    fn param(&self, arg: DagArg<'a>) -> DefParam<'a> {
        let plain = |ty| DefParam {
            name: arg.name.unwrap_or(""),
            ty,
            default: None,
            custom_parser: false,
            self_type: false,
            qualified: false,
        };
        let Value::Def(id) = arg.value else {
            return plain(if let Value::String(ty) = arg.value { self.records.str(ty) } else { "" });
        };
        let record = self.records.record(id);
        let default = Some(text(record, "defaultValue")).filter(|text| !text.is_empty());
        DefParam {
            default,
            custom_parser: !text(record, "parser").is_empty(),
            self_type: record.is_subclass_of("AttributeSelfTypeParameter"),
            qualified: false,
            ..plain(text(record, "cppType"))
        }
    }

    fn op(&mut self, record: Record<'a>, errors: &mut Diagnostics) -> Result<Op<'a>, Diagnostic> {
        let dialect_record = record.def_field("opDialect")?;
        let dialect = self.dialect(dialect_record);
        let prefix = self.dialects[dialect].name;
        let mnemonic = record.string_field("opName")?;
        let name = if prefix.is_empty() { mnemonic.to_owned() } else { format!("{prefix}.{mnemonic}") };
        let mut op = Op {
            record: record.id(),
            span: record.span(),
            dialect,
            class: class_name(record.name()),
            namespace: namespace(record, "cppNamespace"),
            name,
            args: Vec::new(),
            operands: Vec::new(),
            operand_sizes: Sizes::OneVariable,
            attributes: Vec::new(),
            derived: Vec::new(),
            properties: Vec::new(),
            results: Vec::new(),
            result_sizes: Sizes::OneVariable,
            regions: Vec::new(),
            successors: Vec::new(),
            traits: Vec::new(),
            trait_records: Vec::new(),
            first_attr_type: false,
            inferred: None,
            infers_in_cpp: false,
            builders: Vec::new(),
            assembly_format: None,
            custom_format: flag(record, "hasCustomAssemblyFormat"),
        };
        if let Some(field) = record.find_field("assemblyFormat")
            && let Value::String(format) = field.value
        {
            op.assembly_format = Some((self.records.str(format), field.value_span));
        }
        self.arguments(record, &mut op, errors)?;
        self.results(record, &mut op, errors)?;
        op.regions = self.parts(record, &op.name, "regions", "region", "VariadicRegion", errors)?;
        op.successors =
            self.parts(record, &op.name, "successors", "successor", "VariadicSuccessor", errors)?;
        if op.custom_format && op.regions.is_empty() && op.successors.is_empty() {
            let code = text(record, "extraClassDefinition");
            let format = default_form(code, op.operands.len(), op.results.len());
            op.assembly_format = op.assembly_format.or(format.map(|format| (format, op.span)));
        }
        let traits = self.traits(record, &mut op, errors)?;
        op.inferred = recipes(&op, &traits);
        op.infers_in_cpp &= op.inferred.is_none();
        check_sizes(&op, errors);
        check_names(&op, errors);
        self.builders(record, &mut op, errors)?;
        Ok(op)
    }

    fn dag(&self, record: Record<'a>, op: &str, field: &str, operator: &str) -> Result<Dag<'a>, Diagnostic> {
        let dag = record.dag_field(field)?;
        match dag.operator() {
            Value::Def(id) if self.records.record(id).name() == operator => Ok(dag),
            _ => {
                let span = record.find_field(field).map_or(record.span(), |field| field.span);
                Err(error::missing_operator(op, field, operator, span))
            }
        }
    }

    fn arguments(
        &self,
        record: Record<'a>,
        op: &mut Op<'a>,
        errors: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let dag = record.dag_field("arguments")?;
        for (i, arg) in dag.args().enumerate() {
            let span = if arg.span.is_none() { record.span() } else { arg.span };
            let name = arg.name.unwrap_or("");
            let Value::Def(id) = arg.value else {
                errors.push(error::undefined_argument(&op.name, "argument", i, span));
                continue;
            };
            let spec = constraint_of(self.records, id);
            let kind = if spec.is_subclass_of("TypeConstraint") {
                op.operands.push(value_spec(name, spec));
                ArgKind::Operand(op.operands.len() - 1)
            } else if spec.is_subclass_of("Attr") {
                if name.is_empty() {
                    errors.push(error::unnamed_argument(&op.name, "an attribute", span));
                }
                if spec.is_subclass_of("DerivedAttr") {
                    errors.push(error::derived_argument(&op.name, span));
                }
                let type_builder = spec.def_field("valueType").ok().map(|ty| text(ty, "builderCall"));
                let type_builder = type_builder.filter(|builder| !builder.is_empty());
                op.attributes.push(Attribute { name, spec: attr_spec(spec), type_builder });
                ArgKind::Attribute(op.attributes.len() - 1)
            } else if spec.is_subclass_of("Property") {
                if name.is_empty() {
                    errors.push(error::unnamed_argument(&op.name, "a property", span));
                }
                op.properties.push(property_spec(name, spec));
                ArgKind::Property(op.properties.len() - 1)
            } else {
                errors.push(error::unexpected_argument(&op.name, spec.name(), span));
                continue;
            };
            op.args.push(Arg { name, kind });
        }
        for field in record.fields() {
            if let Value::Def(id) = field.value
                && self.records.is_subclass_of(id, "DerivedAttr")
            {
                op.derived.push(field.name);
            }
        }
        Ok(())
    }

    fn results(
        &self,
        record: Record<'a>,
        op: &mut Op<'a>,
        errors: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let dag = self.dag(record, &op.name, "results", "outs")?;
        for (i, arg) in dag.args().enumerate() {
            let span = if arg.span.is_none() { record.span() } else { arg.span };
            let Value::Def(id) = arg.value else {
                errors.push(error::undefined_argument(&op.name, "result", i, span));
                continue;
            };
            let spec = value_spec(arg.name.unwrap_or(""), constraint_of(self.records, id));
            if spec.segments.is_some() {
                errors.push(error::variadic_result_of_variadic(&op.name, span));
            }
            op.results.push(spec);
        }
        Ok(())
    }

    /// Reads regions or successors.
    fn parts(
        &self,
        record: Record<'a>,
        op: &str,
        field: &str,
        operator: &str,
        variadic: &str,
        errors: &mut Diagnostics,
    ) -> Result<Vec<RegionOrSuccessor<'a>>, Diagnostic> {
        let dag = self.dag(record, op, field, operator)?;
        let mut parts = Vec::new();
        for (i, arg) in dag.args().enumerate() {
            let Value::Def(constraint) = arg.value else {
                errors.push(error::undefined_argument(op, operator, i, record.span()));
                continue;
            };
            let variadic = self.records.is_subclass_of(constraint, variadic);
            if variadic && i + 1 != dag.len() {
                errors.push(error::not_last_variadic(op, operator, record.span()));
            }
            parts.push(RegionOrSuccessor { name: arg.name.unwrap_or(""), constraint, variadic });
        }
        Ok(parts)
    }

    /// Reads the traits, and returns their records in order, without duplicates.
    fn traits(
        &self,
        record: Record<'a>,
        op: &mut Op<'a>,
        errors: &mut Diagnostics,
    ) -> Result<Vec<Record<'a>>, Diagnostic> {
        let mut seen = HashSet::new();
        let mut all: Vec<Record<'a>> = Vec::new();
        // An explicit stack keeps the order of nested trait lists without recursion.
        let mut pending: Vec<Value> = record.list_field("traits")?.rev().collect();
        while let Some(value) = pending.pop() {
            let Value::Def(id) = value else { continue };
            let item = self.records.record(id);
            if item.is_subclass_of("TraitList") {
                pending.extend(item.list_field("traits")?.rev());
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            if item.is_subclass_of("Interface") {
                pending.extend(item.list_field("baseInterfaces")?.rev());
            }
            for needed in item.list_field("dependentTraits").into_iter().flatten() {
                if let Value::Def(needed) = needed
                    && !seen.contains(&needed)
                {
                    let needs = text(self.records.record(needed), "trait");
                    errors.push(error::trait_order(&op.name, text(item, "trait"), needs, record.span()));
                }
            }
            all.push(item);
        }
        for &item in &all {
            match trait_kind(item) {
                TraitKind::Known(known) => op.traits.push(known),
                TraitKind::FirstAttrDerivedResultType => op.first_attr_type = true,
                TraitKind::InferTypeOpInterface => op.infers_in_cpp = true,
                TraitKind::SameVariadicOperandSize => op.operand_sizes = Sizes::Equal,
                TraitKind::SameVariadicResultSize => op.result_sizes = Sizes::Equal,
                TraitKind::Predicate
                | TraitKind::Parent(_)
                | TraitKind::RegionTerminator(_)
                | TraitKind::Harmless
                | TraitKind::Cxx => {}
            }
        }
        if op.has(Trait::AttrSizedOperandSegments) {
            op.operand_sizes = Sizes::Attribute;
        }
        if op.has(Trait::AttrSizedResultSegments) {
            op.result_sizes = Sizes::Attribute;
        }
        if op.has(Trait::Symbol)
            && returned_expression(text(record, "extraClassDeclaration"), "isOptionalSymbol").as_deref()
                == Some("true")
        {
            op.traits.push(Trait::OptionalSymbol);
        }
        let (arguments, results) = (record.dag_field("arguments")?, record.dag_field("results")?);
        op.traits.extend(effects_trait(self.records, &all, arguments, results));
        op.trait_records = all.iter().map(|item| item.id()).collect();
        op.traits.sort_unstable();
        op.traits.dedup();
        Ok(all)
    }

    fn builders(
        &self,
        record: Record<'a>,
        op: &mut Op<'a>,
        errors: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        for builder in record.list_field("builders").into_iter().flatten() {
            if let Value::Def(id) = builder {
                let builder = self.records.record(id);
                match self.builder(builder) {
                    Ok(builder) => op.builders.push(builder),
                    Err(error) => errors.push(error),
                }
            }
        }
        if op.builders.is_empty() && flag(record, "skipDefaultBuilders") {
            errors.push(error::no_builders(&op.name, record.span()));
        }
        Ok(())
    }

    fn builder(&self, record: Record<'a>) -> Result<Builder<'a>, Diagnostic> {
        let dag = record.dag_field("dagParams")?;
        match dag.operator() {
            Value::Def(id) if self.records.record(id).name() == "ins" => {}
            _ => return Err(error::builder_dag(record.span())),
        }
        let mut params: Vec<BuilderParam<'a>> = Vec::new();
        for arg in dag.args() {
            let name = arg.name.unwrap_or("");
            let (ty, default) = match arg.value {
                Value::String(ty) => (self.records.str(ty), ""),
                Value::Def(id) if self.records.is_subclass_of(id, "CArg") => {
                    let arg = self.records.record(id);
                    (text(arg, "type"), text(arg, "defaultValue"))
                }
                _ => return Err(error::builder_param(record.span())),
            };
            if default.is_empty() && params.last().is_some_and(|last| !last.default.is_empty()) {
                return Err(error::builder_default(record.span()));
            }
            params.push(BuilderParam { name, ty, default });
        }
        let body = text(record, "body");
        Ok(Builder { params, body: (!body.is_empty()).then_some(body), span: record.span() })
    }
}

/// Returns the traits and interfaces of an attribute or type, and the base interfaces.
fn trait_records(records: &Records, record: Record<'_>) -> Vec<RecordId> {
    let mut all = Vec::new();
    let mut pending: Vec<Value> = record.list_field("traits").into_iter().flatten().collect();
    while let Some(value) = pending.pop() {
        let Value::Def(id) = value else { continue };
        if all.contains(&id) {
            continue;
        }
        all.push(id);
        let item = records.record(id);
        for list in ["traits", "baseInterfaces"] {
            pending.extend(item.list_field(list).into_iter().flatten());
        }
    }
    all.sort_unstable();
    all
}

fn class_name(record: &str) -> &str {
    match record.split_once('_') {
        Some((prefix, class)) if !prefix.is_empty() && !class.is_empty() => class,
        Some((prefix, "")) => prefix,
        _ => record,
    }
}

fn value_spec<'a>(name: &'a str, constraint: Record<'a>) -> ValueSpec<'a> {
    let arity = if constraint.is_subclass_of("Variadic") {
        Arity::Variadic
    } else if constraint.is_subclass_of("Optional") {
        Arity::Optional
    } else {
        Arity::One
    };
    let segments =
        constraint.is_subclass_of("VariadicOfVariadic").then(|| text(constraint, "segmentAttrName"));
    let base = constraint.def_field("baseType").ok().filter(|_| arity != Arity::One);
    let builder = text(base.unwrap_or(constraint), "builderCall");
    let builder = (!builder.is_empty()).then_some(builder);
    ValueSpec { name, arity, constraint: constraint.id(), builder, segments }
}

/// Reads a `Property` record for the argument `name`.
pub(crate) fn property_spec<'a>(name: &'a str, record: Record<'a>) -> Property<'a> {
    let mut base = record;
    // Records are acyclic, so a chain of wrappers ends. The bound is a safeguard.
    for _ in 0..64 {
        match base.def_field("baseProperty") {
            Ok(inner) => base = inner,
            Err(_) => break,
        }
    }
    let attr_form = base.def_field("attrForm").ok();
    Property {
        name,
        record: record.id(),
        accessor_type: text(record, "interfaceType"),
        default: text(record, "defaultValue"),
        enumeration: base.def_field("enum").ok().map(|e| e.id()),
        reads_attr_form: attr_form.is_some(),
        attr_form: attr_form
            .filter(|_| flag(base, "storeInCustomAttribute"))
            .map(|attr| text(attr, "storageType")),
        has_optional_parser: !text(record, "optionalParser").is_empty(),
    }
}

fn check_sizes(op: &Op<'_>, errors: &mut Diagnostics) {
    for (what, specs, sizes) in
        [("operand", &op.operands, op.operand_sizes), ("result", &op.results, op.result_sizes)]
    {
        let open = specs.iter().filter(|spec| spec.arity != Arity::One).count();
        if open > 1 && sizes == Sizes::OneVariable {
            errors.push(error::ambiguous_sizes(&op.name, what, op.span));
        }
        if open < 2 && sizes == Sizes::Attribute {
            errors.push(error::needless_segments(&op.name, what, op.span));
        }
    }
}

/// Checks that the names of operands and results are distinct, and that none of their accessors hides a method that
/// every operation has.
fn check_names(op: &Op<'_>, errors: &mut Diagnostics) {
    let mut seen = HashSet::new();
    let operands = op.operands.iter().map(|operand| operand.name);
    for name in operands.chain(op.results.iter().map(|result| result.name)).filter(|name| !name.is_empty()) {
        if !seen.insert(name) {
            errors.push(error::duplicate_name(&op.name, name, op.span));
        }
        let accessor = accessor_name("get", name);
        let clash = match accessor.as_str() {
            "getAttributeNames" | "getAttributes" | "getOperation" => true,
            "getOperands" => op.operands.len() != 1 || op.operands[0].arity == Arity::One,
            "getRegions" => !op.regions.last().is_some_and(|region| region.variadic),
            "getType" => op.results.len() != 1,
            _ => false,
        };
        if clash {
            errors.push(error::accessor_clash(&op.name, name, &accessor, op.span));
        }
    }
}
