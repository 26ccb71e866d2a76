//! Resolves the names in C++ texts to ODS definitions and to the members that `mlir-tblgen` generates from them.

use super::adaptor::{adaptor_ty, properties_ty};
use super::builder_body::passed_arguments;
use super::classes::{
    attr_ty, class_of, cxx_ty, enum_id, interface_class, op_class, optional_range, param, qualified, short,
};
use super::generated::generated_builder;
use super::session::{small, text};
use crate::frontend::cxx::{
    AdaptorCheck, EnumFunction, Helpers, InlineBody, InlineResult, Named, Resolver, Setter,
};
use crate::frontend::ods::{
    ArgKind, Attribute, Builder, Definitions, Enum, Op, Recipe, SELF, Sizes, ValueSpec, accessor_name,
};
use crate::frontend::tablegen::Record;
use crate::host::Kind;
use crate::intern::StrId;
use crate::pdl::{Arity, Trait};
use crate::snippet::{
    self, AttrClass, ClassId, ClassKind, EnumId, Form, GroupRef, Item, Member, Plan, PlanArg, PlanId,
    PlanResults, Snippets, Ty, TypeClass, Typed,
};

/// True if the record of a trait has this C++ name.
fn is_trait(record: Record<'_>, name: &str) -> bool {
    short(&qualified(text(record, "cppNamespace"), text(record, "trait"))) == short(name)
}

/// The name of the only dialect whose C++ name ends with `suffix`, which may omit namespaces.
fn only_dialect(
    defs: &Definitions<'_>,
    suffix: &str,
    cxx_name: impl Fn(Record<'_>) -> String,
) -> Option<String> {
    let dialects = defs.records.derived_definitions("Dialect");
    let mut names = dialects.iter().filter_map(|&id| {
        let record = defs.records.record(id);
        let name = cxx_name(record);
        let rest = name.strip_suffix(suffix)?;
        (rest.is_empty() || rest.ends_with("::")).then(|| text(record, "name"))
    });
    let name = names.next()?;
    names.next().is_none().then(|| name.to_owned())
}

/// True if a builder takes this number of arguments.
pub(super) fn takes(builder: &Builder<'_>, args: usize) -> bool {
    let required = builder.params.iter().filter(|param| param.default.is_empty()).count();
    (required..=builder.params.len()).contains(&args)
}

/// The resolver for the definitions of a run.
pub(super) struct Classes<'d, 'a> {
    pub(super) defs: &'d Definitions<'a>,
    pub(super) helpers: &'d Helpers,
}

impl<'d, 'a> Classes<'d, 'a> {
    /// The attribute of an operation's class that a getter reads. The flag is true for `get…Attr`, which returns the
    /// attribute itself.
    fn accessed_attribute(
        &self,
        snippets: &Snippets,
        class: ClassId,
        getter: &str,
    ) -> Option<(&'d Attribute<'a>, bool)> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        let (index, whole) = op.attribute_accessor(getter)?;
        Some((&op.attributes[index], whole))
    }
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
        if name == "ModuleOp" {
            let op = snippets.intern("builtin.module");
            return Some(Named::Class(snippets.add_class(name, ClassKind::Op(op))));
        }
        Some(Named::Class(interface_class(snippets, self.defs, self.defs.interface(name)?)))
    }

    fn dialect_in(&self, namespace: &str) -> Option<String> {
        only_dialect(self.defs, namespace, |record| text(record, "cppNamespace").to_owned())
    }

    fn dialect_of_class(&self, class: &str) -> Option<String> {
        let class = class.strip_prefix("mlir::").unwrap_or(class);
        // The name of the class is that of the record, without underscores.
        only_dialect(self.defs, class, |record| {
            qualified(text(record, "cppNamespace"), &record.name().replace('_', ""))
        })
    }

    fn trait_class(&self, snippets: &mut Snippets, name: &str) -> Option<ClassId> {
        let records = self.defs.records;
        let is_named = |record: Record<'_>| is_trait(record, name);
        let has = |op: &Op<'_>| op.trait_records.iter().any(|&record| is_named(records.record(record)));
        // Traits that C++ derives from the definition, such as `OneRegion`, have no record.
        if !records.derived_definitions("Trait").iter().any(|&id| is_named(records.record(id)))
            && !self.defs.ops.iter().any(has)
        {
            return None;
        }
        let sign = |op: &Op<'_>| format!("{}{}", if has(op) { "" } else { "-" }, op.name);
        let names: Vec<String> = self.defs.ops.iter().map(sign).collect();
        let names = snippets.intern(&names.join(","));
        Some(snippets.add_class(name, ClassKind::OneOf(Kind::Op, names)))
    }

    fn has_trait(&self, snippets: &Snippets, class: ClassId, name: &str) -> bool {
        let ClassKind::Op(op) = snippets.class(class).kind else { return false };
        let Some(op) = self.defs.op_named(snippets.str(op)) else { return false };
        let records = self.defs.ops[op].trait_records.iter().map(|&record| self.defs.records.record(record));
        records.into_iter().any(|record| is_trait(record, name))
    }

    fn helpers(&self) -> Option<&Helpers> {
        Some(self.helpers)
    }

    fn builders(&self, snippets: &mut Snippets, class: ClassId, args: &[Ty]) -> Vec<InlineBody> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return Vec::new() };
        let Some(op) = self.defs.op_named(snippets.str(name)) else { return Vec::new() };
        let op = &self.defs.ops[op];
        let mut fitting = op.builders.iter().filter(|builder| {
            let is_block = |ty: &str| short(ty).trim_end_matches([' ', '*']) == "Block";
            let mut given = builder.params.iter().zip(args);
            takes(builder, args.len())
                && given.all(|(param, arg)| {
                    arg.item == Item::Null || is_block(param.ty) == (*arg == Ty::one(Item::Block))
                })
        });
        let defined = match (fitting.next(), fitting.next()) {
            (Some(builder), None) => passed_arguments(op, builder, args.len()).map(|(variables, results)| {
                let params = builder.params.iter().take(args.len()).map(|param| param.name.to_owned());
                InlineBody { params: params.collect(), variables, results }
            }),
            _ => None,
        };
        // An absent attribute has its default value, so a default value that is outside the language can be omitted.
        let generated =
            [true, false].into_iter().filter_map(|defaults| generated_builder(op, args, defaults));
        defined.into_iter().chain(generated).collect()
    }

    fn source_builders(&self, snippets: &mut Snippets, class: ClassId, args: usize) -> usize {
        let ClassKind::Op(name) = snippets.class(class).kind else { return 0 };
        let Some(op) = self.defs.op_named(snippets.str(name)) else { return 0 };
        let op = &self.defs.ops[op];
        let fitting: Vec<&Builder<'_>> = op.builders.iter().filter(|builder| takes(builder, args)).collect();
        match fitting[..] {
            [builder] if passed_arguments(op, builder, args).is_some() => 0,
            _ => fitting.len(),
        }
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
        let method = interface.methods.iter().find(|other| other.name == method && !other.is_static)?;
        let body = self.defs.method_body(interface, method).filter(|_| method.params.len() == args)?;
        let text = body.trim().strip_prefix("return")?.trim().strip_suffix(';')?;
        let object = match kind {
            Kind::Op => "$_op",
            Kind::Attr => "$_attr",
            _ => "$_type",
        };
        let params = method.params.iter().map(|(name, _)| (*name).to_owned());
        let params = std::iter::once(object.to_owned()).chain(params).collect();
        let results = vec![InlineResult::One(text.to_owned())];
        Some(InlineBody { params, variables: Vec::new(), results })
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
            return Some(operands_member(snippets, op, index, operand.is_some()));
        }
        let result = numbered(method, "getODSResults", op.results.len());
        if let Some(index) = result.or_else(|| op.result_accessor(method)) {
            return Some(results_member(snippets, op, index, result.is_some()));
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
                false => self.accessor_ty(snippets, attribute.spec.value_type).unwrap_or(storage),
            };
            return Some((Member::Attr(name), ty));
        }
        let property = &op.properties[op.property_accessor(method)?];
        let name = snippets.intern(property.name);
        let ty = cxx_ty(snippets, self.defs, property.accessor_type)?;
        Some((Member::Attr(name), ty))
    }

    fn computed(
        &self,
        snippets: &mut Snippets,
        class: ClassId,
        method: &str,
    ) -> Option<(Member, Ty, InlineBody)> {
        let (attribute, whole) = self.accessed_attribute(snippets, class, method)?;
        let is_optional_unit = attribute.spec.is_unit() && attribute.spec.value_type.contains("optional<");
        if whole || attribute.spec.reads_held_value() && !is_optional_unit {
            return None;
        }
        let storage = attr_ty(snippets, self.defs, attribute.spec.storage);
        let body = InlineBody {
            params: vec![SELF.to_owned()],
            variables: Vec::new(),
            results: vec![InlineResult::One(attribute.spec.from_storage.to_owned())],
        };
        Some((Member::Attr(snippets.intern(attribute.name)), storage, body))
    }

    fn optional_range(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(Member, Ty)> {
        let (attribute, whole) = self.accessed_attribute(snippets, class, method)?;
        if whole || !attribute.spec.reads_held_value() {
            return None;
        }
        let range = optional_range(snippets, self.defs, attribute.spec.value_type)?;
        Some((Member::Attr(snippets.intern(attribute.name)), range))
    }

    fn value_if_absent(
        &self,
        snippets: &mut Snippets,
        class: ClassId,
        method: &str,
    ) -> Option<(Member, InlineBody)> {
        let (attribute, whole) = self.accessed_attribute(snippets, class, method)?;
        let default = attribute.spec.default.trim();
        if whole || default.is_empty() || attribute.spec.is_unit() {
            return None;
        }
        // A list in braces gets its type from the accessor.
        let ty = if default.starts_with('{') { attribute.spec.value_type } else { "" };
        let results = vec![InlineResult::One(format!("{ty}{default}"))];
        let member = Member::Attr(snippets.intern(attribute.name));
        Some((member, InlineBody { results, ..InlineBody::default() }))
    }

    fn setter(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<Setter> {
        let getter = format!("get{}", method.strip_prefix("set")?);
        let (attribute, whole) = self.accessed_attribute(snippets, class, &getter)?;
        let name = attribute.name.to_owned();
        if whole {
            return Some(Setter { attribute: name, is_optional: false, body: None });
        }
        // An optional attribute is built like its base.
        let record = self.defs.records.record(attribute.spec.record);
        let base = record.def_field("baseAttr").map_or("", |base| text(base, "constBuilderCall"));
        // The setter of a unit attribute takes a `bool`.
        let body = match (attribute.spec.is_unit(), attribute.spec.builder) {
            (true, _) => "$0 ? $_builder.getUnitAttr() : nullptr",
            (false, "") if base.is_empty() => return None,
            (false, "") => base,
            (false, builder) => builder,
        };
        let results = vec![InlineResult::One(body.to_owned())];
        Some(Setter {
            attribute: name,
            is_optional: attribute.spec.optional && !attribute.spec.is_unit(),
            body: Some(InlineBody { params: vec!["$0".to_owned()], variables: Vec::new(), results }),
        })
    }

    fn named(&self, snippets: &mut Snippets, class: ClassId, name: &str) -> Option<(Member, Ty)> {
        let ClassKind::Op(op) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(op))?];
        match op.args.iter().find(|arg| arg.name == name).map(|arg| arg.kind) {
            // As in the generated C++, the name of a variadic operand refers to a range, and the name of any other
            // operand refers to one value.
            Some(ArgKind::Operand(index)) => Some(operands_member(snippets, op, index, false)),
            Some(_) => self.member(snippets, class, &accessor_name("get", name)),
            None => {
                let index = op.results.iter().position(|result| result.name == name)?;
                Some(results_member(snippets, op, index, false))
            }
        }
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

    fn region(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<u32> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        op.region_accessor(method).map(small)
    }

    fn successor(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(u32, bool)> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        let index = op.successor_accessor(method)?;
        Some((small(index), op.successors[index].variadic))
    }

    fn adaptor(&self, snippets: &mut Snippets, class: &str) -> Option<Ty> {
        let op = &self.defs.ops[self.defs.op_class(class)?];
        Some(adaptor_ty(snippets, self.defs, op))
    }

    fn properties(&self, snippets: &mut Snippets, class: &str) -> Option<Ty> {
        let op = &self.defs.ops[self.defs.op_class(class)?];
        properties_ty(snippets, self.defs, op)
    }

    fn adaptor_checks(&self, class: &str) -> Option<Vec<AdaptorCheck>> {
        let op = &self.defs.ops[self.defs.op_class(class)?];
        let has_properties = op.args.iter().any(|arg| matches!(arg.kind, ArgKind::Property(_)));
        if has_properties {
            return None;
        }
        let mut checks = Vec::new();
        for attribute in &op.attributes {
            let pieces = self.defs.condition_pieces(attribute.spec.record).ok()?;
            checks.push(AdaptorCheck {
                accessor: format!("{}Attr", accessor_name("get", attribute.name)),
                required: !attribute.spec.optional && attribute.spec.default.is_empty(),
                condition: pieces.into_iter().map(|(text, _)| text).collect(),
            });
        }
        Some(checks)
    }

    fn create(&self, snippets: &mut Snippets, class: ClassId, args: &[Ty]) -> Option<PlanId> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        if let Some(plan) = generic_plan(op, name, args) {
            return Some(snippets.add_plan(plan));
        }
        // The generated builder states the sizes of result groups after the other arguments.
        let is_grouped = op.result_sizes == Sizes::Attribute;
        let (args, sizes) = match args {
            [args @ .., sizes]
                if is_grouped && args.len() == op.results.len() + op.args.len() + op.successors.len() =>
            {
                (args, Some(sizes))
            }
            _ => (args, None),
        };
        if sizes.is_some_and(|ty| *ty != Ty::attr(AttrClass::DenseIntArray(32))) {
            return None;
        }
        let types = args.len().checked_sub(op.args.len() + op.successors.len())?;
        let (leading, rest) = args.split_at(types);
        let is_separate = types == op.results.len();
        let may_be_null =
            |(spec, ty): (&ValueSpec<'_>, &Ty)| spec.arity == Arity::Optional && ty.form == Form::One;
        if is_separate && (is_grouped && sizes.is_none() || op.results.iter().zip(leading).any(may_be_null)) {
            return None;
        }
        let is_type = |ty: &Ty| matches!(ty.item, Item::Type(_));
        let given = !leading.is_empty() && leading.iter().all(is_type);
        let ranged = matches!(leading, [ty] if ty.form == Form::Range);
        let results = match given {
            true if ranged || is_separate => PlanResults::Given,
            false if leading.is_empty() => inferred_results(snippets, op)?,
            _ => return None,
        };
        let mut plan: Vec<PlanArg> = leading.iter().map(|_| PlanArg::ResultTypes).collect();
        for (arg, ty) in op.args.iter().zip(rest) {
            plan.push(match (arg.kind, ty.item) {
                (ArgKind::Operand(_), Item::Value | Item::Op(_) | Item::Null) => PlanArg::Operand,
                (ArgKind::Attribute(_), Item::Attr(_) | Item::Null) | (ArgKind::Property(_), Item::Null) => {
                    PlanArg::Attr(snippets.intern(arg.name))
                }
                _ => return None,
            });
        }
        for (successor, ty) in op.successors.iter().zip(&rest[op.args.len()..]) {
            let fits = ty.item == Item::Block && (successor.variadic || ty.form == Form::One);
            plan.push(fits.then_some(PlanArg::Successors)?);
        }
        plan.extend(sizes.map(|_| PlanArg::Attr(snippets.intern("resultSegmentSizes"))));
        let operand_segments =
            (op.operand_sizes == Sizes::Attribute).then(|| snippets.intern("operandSegmentSizes"));
        let regions = small(op.fixed_regions());
        Some(snippets.add_plan(Plan { op: name, args: plan, results, operand_segments, regions }))
    }

    fn create_from_parts(&self, snippets: &mut Snippets, class: ClassId) -> Option<PlanId> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        op.successors.is_empty().then(|| snippets.add_plan(plan_of_parts(op, name)))
    }

    fn create_from_stored_sizes(&self, snippets: &mut Snippets, class: ClassId) -> Option<PlanId> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let op = &self.defs.ops[self.defs.op_named(snippets.str(name))?];
        let has_sizes = [op.operand_sizes, op.result_sizes].contains(&Sizes::Attribute);
        (has_sizes && op.successors.is_empty()).then(|| snippets.add_plan(plan_of_parts(op, name)))
    }

    fn inferred(&self, b: &mut snippet::Builder<'_>, class: ClassId, args: &[Typed]) -> Option<Typed> {
        let ClassKind::Op(name) = b.snippets().class(class).kind else { return None };
        let op = self.defs.op_named(b.snippets().str(name))?;
        self.infer(b, &self.defs.ops[op], args)
    }
}

impl Classes<'_, '_> {
    /// The static type of the value that an accessor returns. `None` if the type is unknown, or if the value is an
    /// optional range, which no [`Ty`] represents.
    fn accessor_ty(&self, snippets: &mut Snippets, text: &str) -> Option<Ty> {
        if optional_range(snippets, self.defs, text).is_some() {
            return None;
        }
        cxx_ty(snippets, self.defs, text)
    }
}

/// The plan for the builder `create(types, operands)`, which MLIR generates for every operation. Returns `None` for
/// other arguments, or if another builder may take these arguments. Also returns `None` if the operation has successors
/// or stores the sizes of its groups, because the plan sets neither.
fn generic_plan(op: &Op<'_>, name: StrId, args: &[Ty]) -> Option<Plan> {
    let &[types, operands] = args else { return None };
    let is_generic = matches!(types.item, Item::Type(_))
        && operands == Ty::range(Item::Value)
        && op.args.len() != 1
        && op.builders.iter().all(|builder| builder.params.len() != 2)
        && !op.attributes.iter().any(|attribute| attribute.spec.is_type)
        && op.operand_sizes != Sizes::Attribute
        && op.result_sizes != Sizes::Attribute
        && op.successors.is_empty();
    is_generic.then(|| plan_of_parts(op, name))
}

/// The plan that creates an operation from its result types and all its operands.
fn plan_of_parts(op: &Op<'_>, name: StrId) -> Plan {
    Plan {
        op: name,
        args: vec![PlanArg::ResultTypes, PlanArg::Operand],
        results: PlanResults::Given,
        operand_segments: None,
        regions: small(op.fixed_regions()),
    }
}

/// The source of an operation's result types if a call of `create` passes no types.
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

/// The member that reads an operand group, and its type. If `range` is true, the member is the range that
/// `getODSOperands` returns.
fn operands_member(snippets: &mut Snippets, op: &Op<'_>, index: usize, range: bool) -> (Member, Ty) {
    let group = group(snippets, &op.operands, op.operand_sizes, "operandSegmentSizes", index);
    let group = if range { as_range(group, op.operands.len()) } else { group };
    (Member::Operands(group), group_ty(group, &op.operands[index]))
}

/// The member that reads a result group, and its type. If `range` is true, the member is the range that `getODSResults`
/// returns.
pub(super) fn results_member(
    snippets: &mut Snippets,
    op: &Op<'_>,
    index: usize,
    range: bool,
) -> (Member, Ty) {
    let group = group(snippets, &op.results, op.result_sizes, "resultSegmentSizes", index);
    let group = if range { as_range(group, op.results.len()) } else { group };
    (Member::Results(group), group_ty(group, &op.results[index]))
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

/// Converts a single operand or result at a fixed index to a range, as `getODSResults` returns it.
fn as_range(group: GroupRef, count: usize) -> GroupRef {
    match group {
        GroupRef::One(index) => GroupRef::Rest { before: index, after: small(count) - index - 1 },
        _ => group,
    }
}

/// The position of a group of operands or results.
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
        // If all groups before a single value are single values, its index from the start is fixed. If all groups after
        // it are single values, its index from the end is fixed.
        Sizes::Attribute if specs[index].arity == Arity::One && before == 0 => GroupRef::One(small(index)),
        Sizes::Attribute if specs[index].arity == Arity::One && open(&specs[index..]) == 0 => {
            GroupRef::FromEnd(small(specs.len() - index - 1))
        }
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
