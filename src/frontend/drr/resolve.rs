//! What the names in C++ texts mean, by ODS: classes, enums, generated accessors.

use crate::frontend::cxx::{EnumFunction, InlineBody, Named, Resolver};
use crate::frontend::ods::{
    ArgKind, Definition, Definitions, Enum, Interface, InterfaceKind, Op, OpId, Recipe, Sizes, ValueSpec,
    accessor_name,
};
use crate::frontend::tablegen::RecordId;
use crate::pdl::{Arity, Trait};
use crate::snippet::{
    AttrClass, BUILTIN_INTERFACES, ClassId, ClassKind, EnumId, Form, GroupRef, Item, Member, Plan, PlanArg,
    PlanId, PlanResults, Snippets, Ty, TypeClass,
};

use super::body;
use super::builder::passed_on;
use super::rule::{small, text};
use crate::host::Kind;
use crate::intern::StrId;

/// Names by the definitions of a run.
pub(super) struct Classes<'d, 'a> {
    pub(super) defs: &'d Definitions<'a>,
}

impl Resolver for Classes<'_, '_> {
    fn name(&self, snippets: &mut Snippets, name: &str) -> Option<Named> {
        if let Some(op) = self.defs.op_class(name) {
            return Some(Named::Class(op_class(snippets, self.defs, op)));
        }
        if let Some(class) = class_of(snippets, self.defs, name) {
            return Some(Named::Class(class));
        }
        if let Some(item) = self.defs.enum_class(name) {
            return Some(Named::Enum(enum_id(snippets, item)));
        }
        Some(Named::Class(interface_class(snippets, self.defs, self.defs.interface(name)?)))
    }

    fn builder(&self, snippets: &mut Snippets, class: ClassId, args: usize) -> Option<InlineBody> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        let mut fitting = op.builders.iter().filter(|builder| {
            let required = builder.params.iter().filter(|param| param.default.is_empty()).count();
            (required..=builder.params.len()).contains(&args)
        });
        let (Some(builder), None) = (fitting.next(), fitting.next()) else { return None };
        let texts = passed_on(op, builder, args)?;
        let params = builder.params.iter().take(args).map(|param| param.name.to_owned());
        Some(InlineBody { params: params.collect(), texts })
    }

    fn method(
        &self,
        snippets: &mut Snippets,
        class: ClassId,
        method: &str,
        args: usize,
    ) -> Option<InlineBody> {
        let ClassKind::OneOf(kind, _) = snippets.class(class).kind else { return None };
        let interface = self.defs.interface(snippets.str(snippets.class(class).cxx_name))?;
        let method = interface.methods.iter().find(|known| known.name == method && !known.is_static)?;
        let body = self.defs.method_body(interface, method).filter(|_| method.params.len() == args)?;
        let text = body.trim().strip_prefix("return")?.trim().strip_suffix(';')?;
        let object = match kind {
            Kind::Op => "$_op",
            Kind::Attr => "$_attr",
            _ => "$_type",
        };
        let params = method.params.iter().map(|(name, _)| (*name).to_owned());
        let params = std::iter::once(object.to_owned()).chain(params).collect();
        Some(InlineBody { params, texts: vec![text.to_owned()] })
    }

    fn enum_function(&self, snippets: &mut Snippets, name: &str) -> Option<(EnumId, EnumFunction)> {
        let function = |item: &Enum<'_>| {
            let functions = [
                (item.symbolize, EnumFunction::Symbolize),
                (item.parse, EnumFunction::Symbolize),
                (item.stringify, EnumFunction::Stringify),
                (item.max, EnumFunction::Max),
            ];
            functions
                .into_iter()
                .find(|(function, _)| item.names_function(name, function))
                .map(|found| found.1)
        };
        let (item, function) = self.defs.enums.iter().find_map(|item| Some((item, function(item)?)))?;
        Some((enum_id(snippets, item), function))
    }

    fn member(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(Member, Ty)> {
        let name = match snippets.class(class).kind {
            ClassKind::Op(name) => snippets.str(name).to_owned(),
            ClassKind::Type(text) | ClassKind::Attr(text) | ClassKind::EnumAttr(text, _) => {
                return param(snippets, self.defs, class, text, method);
            }
            _ => return None,
        };
        let op = &self.defs.ops[self.defs.op_named(&name)?];
        let operand = numbered(method, "getODSOperands", op.operands.len());
        if let Some(index) = operand.or_else(|| op.operand_accessor(method)) {
            let group = group(snippets, &op.operands, op.operand_sizes, "operandSegmentSizes", index);
            let group = if operand.is_some() { as_range(group, op.operands.len()) } else { group };
            return Some((Member::Operands(group), group_ty(group, &op.operands[index])));
        }
        let result = numbered(method, "getODSResults", op.results.len());
        if let Some(index) = result.or_else(|| op.result_accessor(method)) {
            let group = group(snippets, &op.results, op.result_sizes, "resultSegmentSizes", index);
            let group = if result.is_some() { as_range(group, op.results.len()) } else { group };
            return Some((Member::Results(group), group_ty(group, &op.results[index])));
        }
        if let Some((index, whole)) = op.attribute_accessor(method) {
            let attribute = &op.attributes[index];
            let name = snippets.intern(attribute.name);
            if attribute.spec.is_unit() && !whole {
                return Some((Member::UnitAttr(name), Ty::BOOL));
            }
            let storage = attr_ty(snippets, self.defs, attribute.spec.storage);
            let ty = match whole {
                true => storage,
                false => cxx_ty(snippets, self.defs, attribute.spec.value_type).unwrap_or(storage),
            };
            return Some((Member::Attr(name), ty));
        }
        let property = &op.properties[op.property_accessor(method)?];
        let name = snippets.intern(property.name);
        let ty = cxx_ty(snippets, self.defs, property.interface)?;
        Some((Member::Attr(name), ty))
    }

    fn value_type(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<TypeClass> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        let result = || match (method, op.results.len()) {
            ("getResult", 1) => Some(0),
            _ => op.result_accessor(method),
        };
        let spec = match op.operand_accessor(method) {
            Some(index) => &op.operands[index],
            None => &op.results[result()?],
        };
        let constraint = self.defs.records.record(spec.constraint);
        match cxx_ty(snippets, self.defs, text(constraint, "cppType"))?.item {
            Item::Type(class) if spec.arity == Arity::One => Some(class),
            _ => None,
        }
    }

    fn create(&self, snippets: &mut Snippets, class: ClassId, args: &[Ty]) -> Option<PlanId> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        let types = args.len().checked_sub(op.args.len())?;
        let (leading, rest) = args.split_at(types);
        let is_type = |ty: &Ty| matches!(ty.item, Item::Type(_));
        let given = !leading.is_empty() && leading.iter().all(is_type);
        let ranged = matches!(leading, [ty] if ty.form == Form::Range);
        let results = match given {
            true if ranged || types == op.results.len() => PlanResults::Given,
            false if leading.is_empty() => inferred_results(snippets, op)?,
            _ => return None,
        };
        let mut plan: Vec<PlanArg> = leading.iter().map(|_| PlanArg::ResultTypes).collect();
        for (arg, ty) in op.args.iter().zip(rest) {
            plan.push(match (arg.kind, ty.item) {
                (ArgKind::Operand(_), Item::Value | Item::Op(_) | Item::Null) => PlanArg::Operand,
                (ArgKind::Attribute(_), Item::Attr(_) | Item::Null) => {
                    PlanArg::Attr(snippets.intern(arg.name))
                }
                _ => return None,
            });
        }
        let operand_segments =
            (op.operand_sizes == Sizes::Attribute).then(|| snippets.intern("operandSegmentSizes"));
        Some(snippets.add_plan(Plan { op: name, args: plan, results, operand_segments }))
    }
}

/// Where the result types of an operation come from when none are given.
fn inferred_results(snippets: &mut Snippets, op: &Op<'_>) -> Option<PlanResults> {
    let count = small(op.results.len());
    if op.results.is_empty() {
        return Some(PlanResults::Fixed(Vec::new()));
    }
    if op.has(Trait::SameOperandsAndResultType) && !op.operands.is_empty() {
        return Some(PlanResults::OfOperand(0, count));
    }
    let recipes = op.inferred.as_ref()?;
    let Recipe::Arg { arg, transform: "$_self" } = recipes[0] else { return None };
    if recipes.iter().any(|recipe| *recipe != recipes[0]) {
        return None;
    }
    match op.args[arg].kind {
        ArgKind::Operand(index) => Some(PlanResults::OfOperand(small(index), count)),
        ArgKind::Attribute(index) if count == 1 && !op.attributes[index].spec.is_type => {
            Some(PlanResults::OfAttr(snippets.intern(op.attributes[index].name)))
        }
        _ => None,
    }
}

/// The class of an operation.
pub(super) fn op_class(snippets: &mut Snippets, defs: &Definitions<'_>, op: OpId) -> ClassId {
    let op = &defs.ops[op];
    let name = snippets.intern(&op.name);
    snippets.add_class(&short(&op.qualified_class()), ClassKind::Op(name))
}

/// The class of what has an interface.
fn interface_class(snippets: &mut Snippets, defs: &Definitions<'_>, interface: &Interface<'_>) -> ClassId {
    let names = snippets.intern(&defs.implementers(interface).join(","));
    let class = short(&qualified(interface.namespace, interface.class));
    let kind = match interface.kind {
        InterfaceKind::Op => Kind::Op,
        InterfaceKind::Attr => Kind::Attr,
        InterfaceKind::Type => Kind::Type,
    };
    snippets.add_class(&class, ClassKind::OneOf(kind, names))
}

/// Tells snippets which of the dialects' own types and attributes have the interfaces that are built-in classes.
pub(super) fn builtin_interfaces(snippets: &mut Snippets, defs: &Definitions<'_>) {
    for name in BUILTIN_INTERFACES {
        let Some(interface) = defs.interface(name) else { continue };
        let names = defs.implementers(interface);
        if !names.iter().any(|name| !name.trim_start_matches(['-', '!', '#']).starts_with("builtin.")) {
            continue;
        }
        interface_class(snippets, defs, interface);
        if name == "ShapedType" {
            // Its element type is read from its text.
            for definition in defs.types.iter() {
                let text = format!("!{}.{}", defs.dialects[definition.dialect].name, definition.mnemonic);
                if names.contains(&text) {
                    type_class(snippets, defs, definition);
                }
            }
        }
    }
}

/// The class of a dialect's attribute or type of this C++ name.
fn class_of(snippets: &mut Snippets, defs: &Definitions<'_>, name: &str) -> Option<ClassId> {
    if let Some(definition) = defs.attribute_class(name) {
        return Some(attribute_class(snippets, defs, definition));
    }
    if let Some(definition) = defs.type_class(name) {
        return Some(type_class(snippets, defs, definition));
    }
    let item = defs.enum_of_attr_class(name)?;
    let id = enum_id(snippets, item);
    let class = item.attr_class.unwrap_or_default();
    let cxx_name = short(&qualified(item.namespace, class));
    Some(snippets.add_class(&cxx_name, ClassKind::IntEnumAttr(item.width, id)))
}

/// The class of a dialect's type.
pub(super) fn type_class(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
) -> ClassId {
    let text = body::add(snippets, defs, definition, '!');
    snippets.add_class(&class_name(definition), ClassKind::Type(text))
}

/// The class of a dialect's attribute.
pub(super) fn attribute_class(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
) -> ClassId {
    let text = body::add(snippets, defs, definition, '#');
    let wrapped = definition.enumeration.and_then(|record| defs.enum_of(record));
    let kind = match wrapped {
        Some(item) => ClassKind::EnumAttr(text, enum_id(snippets, item)),
        None => ClassKind::Attr(text),
    };
    snippets.add_class(&class_name(definition), kind)
}

/// The parameter of a dialect's attribute or type that a generated accessor gives.
fn param(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    class: ClassId,
    text: StrId,
    method: &str,
) -> Option<(Member, Ty)> {
    let name = snippets.str(snippets.class(class).cxx_name).to_owned();
    let definition = defs.attribute_class(&name).or_else(|| defs.type_class(&name))?;
    let index = definition.params.iter().position(|param| accessor_name("get", param.name) == method)?;
    let number = u32::try_from(index).ok().filter(|&number| snippets.can_read(text, number))?;
    let param = snippets.body(text)?.params.get(index)?;
    let mut ty = param.ty();
    // The body knows no classes: the definition does.
    if let (Item::Type(_) | Item::Attr(_), Some(known)) =
        (ty.item, cxx_ty(snippets, defs, definition.params[index].ty))
    {
        ty = Ty { item: known.item, form: ty.form };
    }
    Some((Member::Param(text, number), ty))
}

fn class_name(definition: &Definition<'_>) -> String {
    short(&qualified(definition.namespace, definition.class))
}

fn qualified(namespace: &str, class: &str) -> String {
    if namespace.is_empty() { class.to_owned() } else { format!("{namespace}::{class}") }
}

/// A C++ name without the namespaces that rules may leave out.
fn short(name: &str) -> String {
    let name = name.trim_start_matches("::");
    let name = name.strip_prefix("mlir::").or_else(|| name.strip_prefix("llvm::")).unwrap_or(name);
    name.to_owned()
}

/// An enum as snippets know it.
pub(super) fn enum_id(snippets: &mut Snippets, item: &Enum<'_>) -> EnumId {
    let cases: Vec<(&str, &str, u64)> =
        item.cases.iter().map(|case| (case.symbol, case.text, case.value.cast_unsigned())).collect();
    let separator = item.bits.then_some(item.separator);
    snippets.add_enum(&short(&qualified(item.namespace, item.class)), separator, &cases)
}

/// The enum of a record as a static type.
pub(super) fn enum_ty(snippets: &mut Snippets, defs: &Definitions<'_>, record: RecordId) -> Option<Ty> {
    let item = defs.enum_of(record)?;
    Some(Ty::one(Item::Enum(enum_id(snippets, item))))
}

/// The static type of an attribute of this storage class.
pub(super) fn attr_ty(snippets: &mut Snippets, defs: &Definitions<'_>, storage: &str) -> Ty {
    attr_class(snippets, defs, storage).map_or(Ty::ATTR, Ty::attr)
}

fn attr_class(snippets: &mut Snippets, defs: &Definitions<'_>, storage: &str) -> Option<AttrClass> {
    let name = short(storage.trim());
    if let Some(class) = AttrClass::from_cxx(&name) {
        return Some(class);
    }
    if let Some(definition) = defs.attribute_class(&name) {
        return Some(AttrClass::Named(attribute_class(snippets, defs, definition)));
    }
    defs.enum_of_attr_class(&name)?;
    class_of(snippets, defs, &name).map(AttrClass::Named)
}

/// The static type of a group of operands or results.
fn group_ty(group: GroupRef, spec: &ValueSpec<'_>) -> Ty {
    let range = match group {
        GroupRef::One(_) | GroupRef::FromEnd(_) => false,
        GroupRef::Rest { .. } => true,
        GroupRef::Equal { .. } | GroupRef::Segment { .. } => spec.arity == Arity::Variadic,
    };
    if range && spec.arity != Arity::Optional { Ty::range(Item::Value) } else { Ty::VALUE }
}

/// The number in `getODSResults(1)`.
fn numbered(method: &str, name: &str, count: usize) -> Option<usize> {
    let index = method.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?.parse().ok()?;
    (index < count).then_some(index)
}

/// A group as the range that `getODSResults` gives, where its place allows.
fn as_range(group: GroupRef, count: usize) -> GroupRef {
    match group {
        GroupRef::One(index) => GroupRef::Rest { before: index, after: small(count) - index - 1 },
        _ => group,
    }
}

/// The static type that a C++ type in ODS names.
pub(super) fn cxx_ty(snippets: &mut Snippets, defs: &Definitions<'_>, text: &str) -> Option<Ty> {
    let text = text.trim().trim_start_matches("const ").trim_end_matches(['&', ' ', '*']);
    let name = short(text.trim_start_matches("::std::").trim_start_matches("std::"));
    for (template, form) in TEMPLATES {
        let inner = name.strip_prefix(template).and_then(|rest| rest.strip_prefix('<')?.strip_suffix('>'));
        if let Some(inner) = inner {
            return cxx_ty(snippets, defs, inner).map(|ty| Ty { form: *form, ..ty });
        }
    }
    let ty = match name.as_str() {
        "bool" => Ty::BOOL,
        "int64_t" | "int" => Ty::I64,
        "int32_t" => Ty::I32,
        "uint32_t" | "unsigned" => Ty::U32,
        "uint64_t" | "size_t" => Ty::U64,
        "int8_t" => int(8, true),
        "uint8_t" => int(8, false),
        "int16_t" => int(16, true),
        "uint16_t" => int(16, false),
        "float" | "double" => Ty::DOUBLE,
        "APInt" => Ty::AP_INT,
        "APFloat" => Ty::AP_FLOAT,
        "StringRef" | "string" => Ty::STR,
        "Value" => Ty::VALUE,
        "ValueRange" => Ty::range(Item::Value),
        "TypeRange" => Ty::range(Item::Type(TypeClass::Any)),
        "Attribute" => Ty::ATTR,
        "AffineMap" => Ty::one(Item::AffineMap),
        "Operation" => Ty::OP,
        _ => {
            if let Some(class) = TypeClass::from_cxx(&name) {
                Ty::ty(class)
            } else if let Some(class) = attr_class(snippets, defs, &name) {
                Ty::attr(class)
            } else if let Some(item) = defs.enum_class(&name) {
                Ty::one(Item::Enum(enum_id(snippets, item)))
            } else if defs.type_class(&name).is_some() {
                Ty::ty(TypeClass::Named(class_of(snippets, defs, &name)?))
            } else {
                return None;
            }
        }
    };
    Some(ty)
}

/// C++ templates of one type, and what they make of it.
const TEMPLATES: &[(&str, Form)] = &[
    ("optional", Form::Optional),
    ("ArrayRef", Form::Range),
    ("SmallVector", Form::Range),
    ("vector", Form::Range),
];

fn int(bits: u8, signed: bool) -> Ty {
    Ty::one(Item::Int(crate::snippet::IntTy { bits, signed }))
}

/// Where a group of operands or results is.
fn group(
    snippets: &mut Snippets,
    specs: &[ValueSpec<'_>],
    sizes: Sizes,
    attribute: &str,
    index: usize,
) -> GroupRef {
    let open = |specs: &[ValueSpec<'_>]| specs.iter().filter(|spec| spec.arity != Arity::One).count();
    let before = open(&specs[..index]);
    match sizes {
        Sizes::Attribute => GroupRef::Segment { sizes: snippets.intern(attribute), index: small(index) },
        Sizes::Equal if open(specs) > 1 => GroupRef::Equal {
            fixed_before: small(index - before),
            open_before: small(before),
            fixed: small(specs.len() - open(specs)),
            open: small(open(specs)),
        },
        _ if specs[index].arity != Arity::One => {
            GroupRef::Rest { before: small(index), after: small(specs.len() - index - 1) }
        }
        _ if before == 0 => GroupRef::One(small(index)),
        _ => GroupRef::FromEnd(small(specs.len() - index - 1)),
    }
}

/// The attribute whose value a constant-like operation stands for.
pub(super) fn constant_value<'a>(op: &Op<'a>) -> Option<&'a str> {
    let value = op.attributes.iter().find(|attribute| attribute.name == "value");
    value.or(op.attributes.first()).map(|attribute| attribute.name)
}
