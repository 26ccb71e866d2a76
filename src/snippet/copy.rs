//! Copies a snippet to another table or to bytes.
//!
//! Specification: the copy evaluates like the original. The definitions that the snippet refers to are copied with it,
//! and so are the declarations of constant operations and built-in interfaces on which its result can depend. Equal
//! definitions in the target are reused, except functions. A snippet that is written to bytes, added to an empty table
//! and written again has the same bytes.

use hashbrown::HashMap;

use super::data::{
    AttrClass, BUILTIN_INTERFACES, Body, BodyParam, Builtin, Class, ClassId, ClassKind, Enum, EnumCase,
    EnumId, Expr, ExprId, ExprList, Function, FunctionId, Group, GroupRef, Item, Member, NativeId, NativeUse,
    ObjectClass, Param, ParamDefault, ParamKind, Plan, PlanArg, PlanId, PlanResults, Snippet, SnippetId,
    SnippetResult, Snippets, Ty, TypeClass,
};
use super::wire::Standalone;
use crate::id::{Id, IdVec};
use crate::intern::StrId;
use crate::source::Span;
use crate::wire;

impl Snippets {
    /// Copies a snippet from another table to the end of this one, with the given text and span. Returns `None` if this
    /// table is full or the snippet is malformed. Only forged files contain malformed snippets.
    pub(crate) fn copy_from(
        &mut self,
        from: &Snippets,
        id: SnippetId,
        text: &str,
        span: Span,
    ) -> Option<SnippetId> {
        let snippet = from.snippets.get(id)?;
        let mut copy = Copy {
            from,
            to: self,
            span,
            exprs: HashMap::new(),
            plans: HashMap::new(),
            functions: HashMap::new(),
            uncopied: Vec::new(),
        };
        if from.expressions_of(id).any(depends_on_interfaces) {
            copy.builtin_interfaces()?;
        }
        if from.expressions_of(id).any(depends_on_constants) {
            copy.constant_ops();
        }
        copy.tree(snippet.root)?;
        while let Some((function, to)) = copy.uncopied.pop() {
            let body = from.functions.get(function)?.body;
            copy.tree(body)?;
            copy.to.functions[to].body = copy.child(body)?;
        }
        let params = snippet.params.iter();
        let params = params
            .map(|&Param { name, ty, out }| Some(Param { name: copy.str(name), ty: copy.ty(ty)?, out }))
            .collect::<Option<_>>()?;
        let result = match snippet.result {
            SnippetResult::Value(ty) => SnippetResult::Value(copy.ty(ty)?),
            other => other,
        };
        let copied = Snippet {
            params,
            result,
            text: copy.to.strings.intern(text),
            span,
            pure: snippet.pure,
            rewrites: snippet.rewrites,
            constraint: snippet.constraint.map(|name| copy.str(name)),
            root: copy.child(snippet.root)?,
            locals: snippet.locals,
        };
        self.snippets.try_push(copied)
    }

    /// Encodes a snippet without its text and span.
    pub(crate) fn to_bytes(&self, id: SnippetId) -> Vec<u8> {
        let mut alone = Snippets::default();
        alone
            .copy_from(self, id, "", Span::NONE)
            .expect("a snippet from the builder is well-formed and fits a table");
        wire::encode(&Standalone(alone))
    }

    /// Adds a snippet that [`Self::to_bytes`] wrote, with the given text and span. Returns `None` if the bytes are
    /// malformed or this table is full.
    #[cfg(feature = "frontend")]
    pub(crate) fn add_bytes(&mut self, bytes: &[u8], text: &str, span: Span) -> Option<SnippetId> {
        let Standalone::<Self>(alone) = wire::decode(bytes).ok()?;
        let id = SnippetId::try_from_index(0)?;
        (alone.len() == 1).then(|| self.copy_from(&alone, id, text, span))?
    }
}

/// A root and the expressions below it, children first; `None` if an id is not in the table, or if a child does not
/// have a smaller id than its parent.
fn reachable(from: &Snippets, root: ExprId) -> Option<Vec<(ExprId, Expr)>> {
    let mut found = HashMap::new();
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        if found.contains_key(&id) {
            continue;
        }
        let expr = *from.exprs.get(id)?;
        let (own, tail) = expr.children(&from.lists);
        let children: Vec<ExprId> = own.chain(tail.into_iter().flatten()).collect();
        if children.iter().any(|&child| child >= id) {
            return None;
        }
        found.insert(id, expr);
        todo.extend(children);
    }
    let mut found: Vec<(ExprId, Expr)> = found.into_iter().collect();
    found.sort_unstable_by_key(|&(id, _)| id);
    Some(found)
}

/// True if the result of an expression can depend on the dialect types and attributes that declare a built-in interface
/// (`ShapedType` …).
fn depends_on_interfaces(expr: &Expr) -> bool {
    match expr {
        Expr::IsA(_, class) | Expr::Cast(_, class, _) => {
            matches!(class, ObjectClass::Type(_) | ObjectClass::Attr(_))
        }
        Expr::Builtin(builtin, _) => matches!(builtin.group(), Group::Types | Group::Attrs),
        Expr::Dynamic(..) => true,
        _ => false,
    }
}

/// True if the result of an expression can depend on the declarations of constant operations.
fn depends_on_constants(expr: &Expr) -> bool {
    let Expr::Builtin(builtin, _) = expr else { return false };
    matches!(
        builtin,
        Builtin::MatchPattern
            | Builtin::ConstantOf
            | Builtin::ConstantInt
            | Builtin::ConstantFloat
            | Builtin::CreateFolded
    )
}

struct Copy<'a> {
    from: &'a Snippets,
    to: &'a mut Snippets,
    span: Span,
    exprs: HashMap<ExprId, ExprId>,
    plans: HashMap<PlanId, PlanId>,
    functions: HashMap<FunctionId, FunctionId>,
    /// The functions whose bodies are not copied yet. Functions may call each other, and forged chains of calls may be
    /// long, so bodies are copied in a loop and not recursively.
    uncopied: Vec<(FunctionId, FunctionId)>,
}

impl Copy<'_> {
    fn str(&mut self, id: StrId) -> StrId {
        self.to.strings.intern(&self.from.strings[id])
    }

    fn child(&self, id: ExprId) -> Option<ExprId> {
        self.exprs.get(&id).copied()
    }

    fn list(&mut self, list: ExprList) -> Option<ExprList> {
        let items = self.from.list(list);
        if items.len() != list.len as usize {
            return None;
        }
        let items: Vec<ExprId> = items.iter().map(|&id| self.child(id)).collect::<Option<_>>()?;
        if items.is_empty() {
            return Some(ExprList::EMPTY);
        }
        let start = u32::try_from(self.to.lists.len()).ok()?;
        self.to.lists.extend(items);
        Some(ExprList { start, len: list.len })
    }

    /// Copies an expression and all expressions below it.
    fn tree(&mut self, root: ExprId) -> Option<()> {
        for (id, expr) in reachable(self.from, root)? {
            self.expr(id, expr)?;
        }
        Some(())
    }

    /// Copies a function, except for its body, and returns the id of the copy.
    fn function(&mut self, id: FunctionId) -> Option<FunctionId> {
        if let Some(&function) = self.functions.get(&id) {
            return Some(function);
        }
        let function = self.from.functions.get(id)?.clone();
        let copied = Function { name: self.str(function.name), body: ExprId::from_raw(0), ..function };
        let to = self.to.functions.try_push(copied)?;
        self.functions.insert(id, to);
        self.uncopied.push((id, to));
        Some(to)
    }

    fn expr(&mut self, id: ExprId, expr: Expr) -> Option<()> {
        let copied = match expr {
            Expr::Param(_) | Expr::Local(_) | Expr::Null | Expr::Bool(_) | Expr::Int(_) | Expr::Double(_) => {
                expr
            }
            Expr::Str(text) => Expr::Str(self.str(text)),
            Expr::Enum(id) => Expr::Enum(self.enumeration(id)?),
            Expr::Truth(a, by) => Expr::Truth(self.child(a)?, by),
            Expr::Not(a) => Expr::Not(self.child(a)?),
            Expr::And(a, b) => Expr::And(self.child(a)?, self.child(b)?),
            Expr::Or(a, b) => Expr::Or(self.child(a)?, self.child(b)?),
            Expr::Select(a, b, c) => Expr::Select(self.child(a)?, self.child(b)?, self.child(c)?),
            Expr::Then(a, b) => Expr::Then(self.child(a)?, self.child(b)?),
            Expr::Neg(a, item) => Expr::Neg(self.child(a)?, self.item(item)?),
            Expr::BitNot(a, item) => Expr::BitNot(self.child(a)?, self.item(item)?),
            Expr::Binary(op, item, a, b) => {
                Expr::Binary(op, self.item(item)?, self.child(a)?, self.child(b)?)
            }
            Expr::Convert(a, item) => Expr::Convert(self.child(a)?, self.item(item)?),
            Expr::Deref(a) => Expr::Deref(self.child(a)?),
            Expr::Builtin(builtin, args) => Expr::Builtin(builtin, self.list(args)?),
            Expr::Function(name, a) => Expr::Function(self.str(name), self.child(a)?),
            Expr::Dynamic(name, args) => Expr::Dynamic(self.str(name), self.list(args)?),
            Expr::Native(native, args, outs) => {
                Expr::Native(self.native(native)?, self.list(args)?, self.list(outs)?)
            }
            Expr::IsA(a, class) => Expr::IsA(self.child(a)?, self.object(class)?),
            Expr::Cast(a, class, mode) => Expr::Cast(self.child(a)?, self.object(class)?, mode),
            Expr::List(items) => Expr::List(self.list(items)?),
            Expr::Lambda { first, params, body } => Expr::Lambda { first, params, body: self.child(body)? },
            Expr::Let(local, a, b) => Expr::Let(local, self.child(a)?, self.child(b)?),
            Expr::Assign(param, a) => Expr::Assign(param, self.child(a)?),
            Expr::Member(a, member) => Expr::Member(self.child(a)?, self.member(member)?),
            Expr::ToAttr(a, item) => Expr::ToAttr(self.child(a)?, self.item(item)?),
            Expr::Create(plan, args) => Expr::Create(self.plan(plan)?, self.list(args)?),
            Expr::Make(class, args) => {
                self.body(class)?;
                Expr::Make(self.str(class), self.list(args)?)
            }
            Expr::Call(function, args, outs) => {
                Expr::Call(self.function(function)?, self.list(args)?, self.list(outs)?)
            }
            Expr::Apply(lambda, args) => Expr::Apply(self.child(lambda)?, self.list(args)?),
            Expr::Body(body) => Expr::Body(self.child(body)?),
            Expr::Block(statements) => Expr::Block(self.list(statements)?),
            Expr::Return(value) => Expr::Return(self.child(value)?),
            Expr::Break | Expr::Continue => expr,
            Expr::Loop { condition, step, body } => Expr::Loop {
                condition: self.child(condition)?,
                step: self.child(step)?,
                body: self.child(body)?,
            },
            Expr::ForEach(local, range, body) => Expr::ForEach(local, self.child(range)?, self.child(body)?),
            Expr::Switch(subject, cases) => Expr::Switch(self.child(subject)?, self.list(cases)?),
            Expr::Update(update, local, args) => Expr::Update(update, local, self.list(args)?),
            Expr::Fail(reason) => Expr::Fail(self.str(reason)),
            Expr::Tuple(fields) => Expr::Tuple(self.list(fields)?),
            Expr::Field(of, index) => Expr::Field(self.child(of)?, index),
        };
        let copied = self.to.exprs.try_push(copied)?;
        self.exprs.insert(id, copied);
        Some(())
    }

    /// Copies the declarations of all constant operations, because a match with a constant depends on all of them.
    fn constant_ops(&mut self) {
        let mut ops: Vec<(&str, &str)> = self
            .from
            .constant_ops
            .iter()
            .map(|(&op, &value)| (self.from.str(op), self.from.str(value)))
            .collect();
        ops.sort_unstable();
        for (op, value) in ops {
            self.to.add_constant_op(op, value);
        }
    }

    fn ty(&mut self, ty: Ty) -> Option<Ty> {
        Some(Ty { item: self.item(ty.item)?, form: ty.form })
    }

    fn item(&mut self, item: Item) -> Option<Item> {
        Some(match item {
            Item::Type(class) => Item::Type(self.type_class(class)?),
            Item::Attr(class) => Item::Attr(self.attr_class(class)?),
            Item::Op(Some(class)) => Item::Op(Some(self.class(class)?)),
            Item::Enum(id) => Item::Enum(self.enumeration(id)?),
            other => other,
        })
    }

    fn type_class(&mut self, class: TypeClass) -> Option<TypeClass> {
        Some(if let TypeClass::Named(id) = class { TypeClass::Named(self.class(id)?) } else { class })
    }

    fn attr_class(&mut self, class: AttrClass) -> Option<AttrClass> {
        Some(if let AttrClass::Named(id) = class { AttrClass::Named(self.class(id)?) } else { class })
    }

    fn object(&mut self, class: ObjectClass) -> Option<ObjectClass> {
        Some(match class {
            ObjectClass::Type(class) => ObjectClass::Type(self.type_class(class)?),
            ObjectClass::Attr(class) => ObjectClass::Attr(self.attr_class(class)?),
            ObjectClass::Op(class) => ObjectClass::Op(self.class(class)?),
            other => other,
        })
    }

    fn member(&mut self, member: Member) -> Option<Member> {
        let mut group = |group| match group {
            GroupRef::Segment { sizes, index } => GroupRef::Segment { sizes: self.str(sizes), index },
            other => other,
        };
        Some(match member {
            Member::Operands(of) => Member::Operands(group(of)),
            Member::Results(of) => Member::Results(group(of)),
            Member::Attr(name) => Member::Attr(self.str(name)),
            Member::UnitAttr(name) => Member::UnitAttr(self.str(name)),
            Member::Param(class, index) => {
                self.body(class)?;
                Member::Param(self.str(class), index)
            }
        })
    }

    /// Copies the parameters and format of a class, and those of the classes of its parameters.
    fn body(&mut self, class: StrId) -> Option<()> {
        let mut todo = vec![class];
        while let Some(class) = todo.pop() {
            let Some(body) = self.from.bodies.get(&class) else { continue };
            let to = self.str(class);
            if self.to.bodies.contains_key(&to) {
                continue;
            }
            let mut copied = Body { params: Vec::new(), format: Vec::new() };
            for param in &body.params {
                let kind = match param.kind {
                    ParamKind::Type(Some(class)) => {
                        todo.push(class);
                        ParamKind::Type(Some(self.str(class)))
                    }
                    ParamKind::Attr(Some(class)) => {
                        todo.push(class);
                        ParamKind::Attr(Some(self.str(class)))
                    }
                    ParamKind::TypeOf(class) => ParamKind::TypeOf(self.str(class)),
                    ParamKind::AttrOf(class) => ParamKind::AttrOf(self.str(class)),
                    ParamKind::Enum(id) => ParamKind::Enum(self.enumeration(id)?),
                    other => other,
                };
                let default = param.default.map(|default| match default {
                    ParamDefault::Str(text) => ParamDefault::Str(self.str(text)),
                    other => other,
                });
                copied.params.push(BodyParam { name: self.str(param.name), kind, default, ..*param });
            }
            copied.format = body.format.iter().map(|part| part.map(|&text| self.str(text))).collect();
            self.to.bodies.insert(to, copied);
        }
        Some(())
    }

    fn class(&mut self, id: ClassId) -> Option<ClassId> {
        let Class { cxx_name, kind } = self.from.classes.get(id)?.clone();
        let kind = match kind {
            ClassKind::Op(name) => ClassKind::Op(self.str(name)),
            ClassKind::Type(text) => ClassKind::Type(self.str(text)),
            ClassKind::Attr(text) => ClassKind::Attr(self.str(text)),
            ClassKind::EnumAttr(text, values) => {
                self.body(text)?;
                ClassKind::EnumAttr(self.str(text), self.enumeration(values)?)
            }
            ClassKind::IntEnumAttr(width, values) => ClassKind::IntEnumAttr(width, self.enumeration(values)?),
            ClassKind::Native(native) => ClassKind::Native(self.native(native)?),
            ClassKind::OneOf(kind, names) => ClassKind::OneOf(kind, self.str(names)),
            ClassKind::Foreign(kind, namespace) => {
                let name = self.from.isa_name(self.from.classes.get(id)?);
                self.to.strings.intern(&name);
                ClassKind::Foreign(kind, self.str(namespace))
            }
        };
        let class = Class { cxx_name: self.str(cxx_name), kind };
        let found = self.to.class_ids.get(&class.cxx_name).copied();
        if let Some(found) = found.filter(|&found| self.to.classes[found] == class) {
            return Some(found);
        }
        find_or_push(&mut self.to.classes, class)
    }

    /// Adds to the target, for each built-in interface that a dialect's type or attribute declares, the list of
    /// definitions with and without the interface. Also copies the parameters and formats of the definitions that
    /// declare the interface.
    fn builtin_interfaces(&mut self) -> Option<()> {
        for interface in BUILTIN_INTERFACES {
            let Some(found) = self.from.find_class(interface) else { continue };
            let ClassKind::OneOf(kind, names) = self.from.classes.get(found)?.kind else { continue };
            let mut names: Vec<&str> = self.from.str(names).split(',').collect();
            let undeclared = |name: &&str| {
                name.is_empty()
                    || name.starts_with('-')
                    || name.trim_start_matches(['!', '#']).starts_with("builtin.")
            };
            if names.iter().all(undeclared) {
                continue;
            }
            for name in names.iter().filter(|name| !name.starts_with('-')) {
                if let Some(class) = self.from.strings.find(name) {
                    self.body(class)?;
                }
            }
            let existing = self.to.find_class(interface);
            let before = match existing.map(|id| self.to.classes[id].kind) {
                Some(ClassKind::OneOf(_, before)) => self.to.str(before).to_owned(),
                _ => String::new(),
            };
            let others = before.split(',').filter(|name| !name.is_empty() && !names.contains(name));
            names.extend(others.collect::<Vec<_>>());
            let names = self.to.strings.intern(&names.join(","));
            let kind = ClassKind::OneOf(kind, names);
            match existing {
                Some(id) => self.to.classes[id].kind = kind,
                None => drop(self.to.add_class(interface, kind)),
            }
        }
        Some(())
    }

    fn enumeration(&mut self, id: EnumId) -> Option<EnumId> {
        let Enum { cxx_name, bit_separator, groups, quoted, cases } = self.from.enums.get(id)?.clone();
        let cxx_name = self.str(cxx_name);
        let bit_separator = bit_separator.map(|text| self.str(text));
        let case = |EnumCase { symbol, text, value }: EnumCase, copy: &mut Self| EnumCase {
            symbol: copy.str(symbol),
            text: copy.str(text),
            value,
        };
        let cases = cases.into_iter().map(|one| case(one, self)).collect();
        find_or_push(&mut self.to.enums, Enum { cxx_name, bit_separator, groups, quoted, cases })
    }

    fn native(&mut self, id: NativeId) -> Option<NativeId> {
        let native = self.from.natives.get(id)?.clone();
        let native = NativeUse { name: self.str(native.name), span: self.span, ..native };
        let same = |(_, other): &(NativeId, &NativeUse)| {
            let NativeUse { name, params, results, matching, span: _ } = other;
            (*name, params, results, *matching)
                == (native.name, &native.params, &native.results, native.matching)
        };
        if let Some((found, _)) = self.to.natives.iter_enumerated().find(same) {
            return Some(found);
        }
        self.to.natives.try_push(native)
    }

    fn plan(&mut self, id: PlanId) -> Option<PlanId> {
        if let Some(&plan) = self.plans.get(&id) {
            return Some(plan);
        }
        let Plan { op, args, results, operand_segments, regions } = self.from.plans.get(id)?.clone();
        let arg = |arg: PlanArg, copy: &mut Self| match arg {
            PlanArg::Attr(name) => PlanArg::Attr(copy.str(name)),
            other => other,
        };
        let plan = Plan {
            op: self.str(op),
            args: args.into_iter().map(|one| arg(one, self)).collect(),
            results: match results {
                PlanResults::OfAttr(name) => PlanResults::OfAttr(self.str(name)),
                PlanResults::Fixed(types) => {
                    PlanResults::Fixed(types.into_iter().map(|text| self.str(text)).collect())
                }
                other => other,
            },
            operand_segments: operand_segments.map(|name| self.str(name)),
            regions,
        };
        let copied = find_or_push(&mut self.to.plans, plan)?;
        self.plans.insert(id, copied);
        Some(copied)
    }
}

fn find_or_push<I: Id, T: PartialEq>(table: &mut IdVec<I, T>, item: T) -> Option<I> {
    let found = table.iter_enumerated().find(|(_, other)| **other == item).map(|(id, _)| id);
    found.or_else(|| table.try_push(item))
}
