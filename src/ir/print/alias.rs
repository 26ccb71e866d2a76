//! The choice of aliases for attributes, types and locations, and their names.
//!
//! The printed objects are visited in MLIR's order. Aliases are ordered by the depth of references between them, then
//! types before attributes, then by name, then by the order of visits. In custom form, the order of the first
//! occurrences in the text replaces the order of visits, unless locations get aliases. Aliases that only locations of
//! operations use come after the module.
//!
//! The text of an object can be exponentially long if the object is written without aliases. MLIR writes such a text
//! nevertheless. If the text of a module would become that long, every object that is not short gets an alias, so that
//! the text is linear in the size of the IR.

use std::borrow::Cow;

use rustc_hash::FxBuildHasher;

use super::options::PrintOptions;
use super::printer::{AliasNames, Printer};
use crate::host::AttrNameId;
use crate::id::Id;
use crate::ir::attributes::{AttrKind, LocKind};
use crate::ir::context::Context;
use crate::ir::forms::heir::aliases::computed_alias;
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::module::{BlockId, Module, OpId};
use crate::ir::types::TypeKind;
use crate::ir::verbatim::{AliasTarget, Verbatim};
use crate::stack::with_room;
use hashbrown::{HashMap, HashSet};

/// The number of parts up to which a module is written with MLIR's aliases alone. A part is one written type, attribute
/// or location, alone or inside another one.
const PARTS_LIMIT: u64 = 1 << 26;
/// A module with more than [`PARTS_LIMIT`] parts gets more aliases if the attributes, types and locations of its
/// operations have more than this number of parts on average.
const MEAN_LIMIT: u64 = 1 << 10;
/// An object with at most this number of parts gets an alias only if MLIR gives it an alias.
const SHORT: u64 = 16;

/// The objects that get an alias.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AliasPolicy {
    /// No object.
    Nothing,
    /// The objects to which MLIR gives an alias.
    Usual,
    /// The objects to which MLIR gives an alias, and all other objects that are not short.
    Long,
}

/// The result of visiting an object.
#[derive(Debug, Default)]
struct AliasInfo {
    name: Option<String>,
    depth: u32,
    /// True if the alias is defined after the module, because only locations of operations use it.
    deferrable: bool,
    /// The number of parts of the written text. An alias in this text counts as one part.
    parts: u64,
    children: Vec<u32>,
}

/// The aliases of a module, in the order in which they are defined.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    pub(super) names: AliasNames,
    /// The aliases that are defined before the module.
    pub(super) first: Vec<AliasTarget>,
    /// The aliases that are defined after the module.
    pub(super) last: Vec<AliasTarget>,
}

struct AliasVisitor<'a> {
    context: &'a Context,
    visits_locations: bool,
    /// The name `arg_attrs`, if custom forms are printed.
    argument_attributes: Option<AttrNameId>,
    /// Attributes that MLIR writes but does not visit.
    hidden: Vec<AttrId>,
    policy: AliasPolicy,
    /// The number of places where an object is written.
    places: u64,
    /// The number of parts written at all places together.
    parts: u64,
    infos: Vec<(AliasTarget, AliasInfo)>,
    types: Vec<Option<u32>>,
    attrs: Vec<Option<u32>>,
    locs: HashMap<LocId, u32, FxBuildHasher>,
    /// The alias names of the input text.
    kept: HashMap<AliasTarget, &'a str, FxBuildHasher>,
}

/// The aliases in the text of a module.
#[derive(Debug, Default)]
pub(super) struct AliasUses {
    /// The objects that get an alias.
    pub(super) all: HashSet<AliasTarget, FxBuildHasher>,
    /// The attributes and types, numbered by their first occurrence. An alias precedes the aliases in its definition.
    pub(super) order: HashMap<AliasTarget, usize, FxBuildHasher>,
}

impl AliasUses {
    /// Numbers the aliases in a text.
    pub(super) fn number(&mut self, context: &Context, aliases: &Aliases, text: &str) {
        let targets: HashMap<&str, AliasTarget, FxBuildHasher> =
            aliases.names.iter().map(|(&target, name)| (name.as_str(), target)).collect();
        self.number_text(context, &aliases.names, &targets, text);
    }

    fn number_text(
        &mut self,
        context: &Context,
        names: &AliasNames,
        targets: &HashMap<&str, AliasTarget, FxBuildHasher>,
        text: &str,
    ) {
        let mut rest = text;
        while let Some(found) = memchr::memchr3(b'"', b'#', b'!', rest.as_bytes()) {
            let (token, after) = split_token(&rest[found..]);
            rest = after;
            let target = targets.get(token);
            let Some(&target) = target.filter(|target| !self.order.contains_key(*target)) else { continue };
            self.order.insert(target, self.order.len());
            let mut definition = Printer::new(context, names).without_limit();
            definition.definitions(&[target]);
            with_room(|| self.number_text(context, names, targets, &definition.out));
        }
    }
}

/// Splits a text after the string literal or the alias with which the text starts.
fn split_token(text: &str) -> (&str, &str) {
    let rest = text.as_bytes().iter().enumerate().skip(1);
    let end = if text.starts_with('"') {
        let mut escaped = false;
        let mut quotes = rest.filter(|&(_, &byte)| {
            let is_end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            is_end
        });
        quotes.next().map(|(at, _)| at + 1)
    } else {
        let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'-');
        let mut after = rest.filter(|&(_, &byte)| !is_in_name(byte));
        after.next().map(|(at, _)| at)
    };
    text.split_at(end.unwrap_or(text.len()))
}

/// Finds the aliases of a module. If `uses` is given, only the objects in `uses.all` get an alias, and their order in
/// the text takes the place of the order of visits.
pub(super) fn find(
    context: &Context,
    module: &Module,
    options: PrintOptions,
    uses: Option<&AliasUses>,
) -> Aliases {
    let policy = if options.local_scope { AliasPolicy::Nothing } else { AliasPolicy::Usual };
    let visitor = visit(context, module, options, policy);
    let is_long = visitor.parts > PARTS_LIMIT && visitor.parts / visitor.places.max(1) > MEAN_LIMIT;
    let visitor = if is_long { visit(context, module, options, AliasPolicy::Long) } else { visitor };
    let mut infos = visitor.infos;
    // The sort is stable, so the order of visits decides between equal keys.
    infos.sort_by(|(a, x), (b, y)| {
        let key =
            |target: &AliasTarget, info: &AliasInfo| (info.depth, !matches!(target, AliasTarget::Type(_)));
        let order = |target: &AliasTarget| {
            let order = uses.and_then(|uses| uses.order.get(target));
            (order.is_none(), order)
        };
        key(a, x).cmp(&key(b, y)).then_with(|| x.name.cmp(&y.name)).then_with(|| order(a).cmp(&order(b)))
    });
    let mut counts: HashMap<String, u32, FxBuildHasher> = HashMap::default();
    let mut taken: HashSet<String, FxBuildHasher> = HashSet::default();
    let mut aliases = Aliases::default();
    for (target, info) in infos {
        let Some(name) = info.name.filter(|_| uses.is_none_or(|uses| uses.all.contains(&target))) else {
            continue;
        };
        let sigil = if matches!(target, AliasTarget::Type(_)) { '!' } else { '#' };
        let count = counts.entry(name.clone()).or_insert(0);
        let separator = if name.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        let unique = loop {
            let number = if *count == 0 { String::new() } else { format!("{separator}{count}") };
            *count += 1;
            let unique = format!("{sigil}{name}{number}");
            if taken.insert(unique.clone()) {
                break unique;
            }
        };
        aliases.names.insert(target, unique);
        if info.deferrable { aliases.last.push(target) } else { aliases.first.push(target) }
    }
    aliases
}

fn visit<'a>(
    context: &'a Context,
    module: &'a Module,
    options: PrintOptions,
    policy: AliasPolicy,
) -> AliasVisitor<'a> {
    let mut visitor = AliasVisitor {
        context,
        visits_locations: options.debug_info && !options.local_locations,
        argument_attributes: context.find_attr_name("arg_attrs").filter(|_| !options.generic),
        hidden: Vec::new(),
        policy,
        places: 0,
        parts: 0,
        infos: Vec::new(),
        types: vec![None; context.type_count()],
        attrs: vec![None; context.attr_count()],
        locs: HashMap::default(),
        kept: module.aliases.iter().map(|&(target, name)| (target, context.str(name))).collect(),
    };
    visitor.module(module);
    // Hidden attributes get no alias unless MLIR also visits them elsewhere, but they count as written.
    if policy == AliasPolicy::Usual {
        visitor.policy = AliasPolicy::Nothing;
    }
    for attr in std::mem::take(&mut visitor.hidden) {
        visitor.op_attr(attr);
    }
    visitor
}

impl AliasVisitor<'_> {
    fn module(&mut self, module: &Module) {
        // The types and attributes of an operation are visited after its regions.
        let mut stack: Vec<(OpId, Vec<VisitStep>)> = Vec::new();
        self.enter(module, module.top(), &mut stack);
        while let Some((op, steps)) = stack.last_mut() {
            match steps.pop() {
                Some(VisitStep::Op(inner)) => {
                    if module.regions(inner).is_empty() {
                        if self.visits_locations {
                            self.op_loc(module.loc(inner), true);
                        }
                        self.op(module, inner);
                        // The next sibling takes the place of this operation, so that siblings share one stack entry.
                        if let Some(next) = module.next(inner) {
                            steps.push(VisitStep::Op(next));
                        }
                    } else {
                        if let Some(next) = module.next(inner) {
                            steps.push(VisitStep::Op(next));
                        }
                        self.enter(module, inner, &mut stack);
                    }
                }
                Some(VisitStep::Block(block)) => {
                    for (&arg, &loc) in module.args(block).iter().zip(module.arg_locs(block)) {
                        self.op_type(module.value_type(arg));
                        if self.visits_locations {
                            self.op_loc(loc, false);
                        }
                    }
                    steps.extend(module.first_op(block).map(VisitStep::Op));
                }
                None => {
                    let op = *op;
                    stack.pop();
                    self.op(module, op);
                }
            }
        }
    }

    fn enter(&mut self, module: &Module, op: OpId, stack: &mut Vec<(OpId, Vec<VisitStep>)>) {
        if self.visits_locations {
            self.op_loc(module.loc(op), true);
        }
        let blocks = module.regions(op).iter().flat_map(|&region| module.region_blocks(region));
        let mut steps: Vec<VisitStep> = blocks.map(VisitStep::Block).collect();
        steps.reverse();
        stack.push((op, steps));
    }

    fn op(&mut self, module: &Module, op: OpId) {
        for &operand in module.operands(op) {
            self.op_type(module.value_type(operand));
        }
        for result in module.results(op) {
            self.op_type(module.value_type(result));
        }
        let (properties, attrs) = (module.properties(op), module.attrs(op));
        let hidden = self.hidden_attribute(module, op);
        if attrs == Context::EMPTY_DICTIONARY {
            if properties != Context::EMPTY_DICTIONARY {
                self.entries(properties, hidden);
            }
        } else if properties == Context::EMPTY_DICTIONARY {
            self.entries(attrs, hidden);
        } else {
            let context = self.context;
            let both = context.entries(properties).iter().chain(context.entries(attrs));
            let mut both: Vec<&(AttrNameId, AttrId)> = both.collect();
            both.sort_by_key(|entry| context.attr_name_text(entry.0));
            for entry in both {
                self.entry(*entry, hidden);
            }
        }
    }

    /// The name `arg_attrs`, if a custom form prints the attributes of arguments with the entry block, and MLIR does
    /// not visit these attributes.
    fn hidden_attribute(&self, module: &Module, op: OpId) -> Option<AttrNameId> {
        let name = self.argument_attributes?;
        self.context.entry(module.properties(op), name)?;
        let has_body = module.regions(op).iter().any(|&region| module.region_blocks(region).next().is_some());
        let form = self.context.form_of(module.name(op))?;
        (has_body && !form.aliases_argument_attributes()).then_some(name)
    }

    fn entries(&mut self, dictionary: AttrId, hidden: Option<AttrNameId>) {
        let context = self.context;
        match context.attr_kind(dictionary) {
            AttrKind::Dictionary(entries) => entries.iter().for_each(|entry| self.entry(*entry, hidden)),
            _ => self.op_attr(dictionary),
        }
    }

    fn entry(&mut self, (name, attr): (AttrNameId, AttrId), hidden: Option<AttrNameId>) {
        if hidden == Some(name) { self.hidden.push(attr) } else { self.op_attr(attr) }
    }

    // The types, attributes and locations of operations.

    fn op_type(&mut self, ty: TypeId) {
        let (_, index) = self.ty(ty);
        self.place(index);
    }

    fn op_attr(&mut self, attr: AttrId) {
        let (_, index) = self.attr(attr, false);
        self.place(index);
    }

    fn op_loc(&mut self, loc: LocId, deferrable: bool) {
        let (_, index) = self.loc(loc, deferrable);
        self.place(index);
    }

    /// Counts an object that is written at one more place.
    fn place(&mut self, index: u32) {
        self.places += 1;
        self.parts = self.parts.saturating_add(self.written(index));
    }

    /// The number of parts that are written for an object.
    fn written(&self, index: u32) -> u64 {
        let info = &self.infos[index as usize].1;
        if info.name.is_some() { 1 } else { info.parts }
    }

    /// Adds a child to an object, and updates the parts and the depth of the object.
    fn child(&mut self, parent: u32, child: (u32, u32)) {
        let (depth, index) = child;
        let parts = self.written(index);
        let parent = &mut self.infos[parent as usize].1;
        parent.parts = parent.parts.saturating_add(parts);
        parent.children.push(index);
        if depth > 0 {
            parent.depth = parent.depth.max(depth + 1);
        }
    }

    fn start(&mut self, target: AliasTarget, name: Option<String>, deferrable: bool) -> u32 {
        let index = u32::try_from(self.infos.len()).expect("a context has fewer objects than ids");
        let name = name.filter(|_| self.policy != AliasPolicy::Nothing);
        let depth = u32::from(name.is_some());
        let deferrable = deferrable && name.is_some();
        self.infos.push((target, AliasInfo { name, depth, deferrable, parts: 1, children: Vec::new() }));
        index
    }

    /// Finishes an object after its children, and gives it an alias if the policy requires one. Returns its depth and
    /// index.
    fn finish(&mut self, index: u32, deferrable: bool, name: &str) -> (u32, u32) {
        let kept = self.kept.get(&self.infos[index as usize].0).copied();
        let info = &mut self.infos[index as usize].1;
        if self.policy == AliasPolicy::Long && info.name.is_none() && info.parts > SHORT {
            info.name = Some(kept.unwrap_or(name).to_owned());
            info.depth = info.depth.max(1);
            info.deferrable = deferrable;
        }
        (info.depth, index)
    }

    /// Visits an object that was visited before. Returns its depth and index.
    fn visit_again(&mut self, index: u32, deferrable: bool) -> (u32, u32) {
        if !deferrable {
            self.not_deferrable(index);
        }
        (self.infos[index as usize].1.depth, index)
    }

    fn not_deferrable(&mut self, index: u32) {
        if !self.infos[index as usize].1.deferrable {
            return;
        }
        let mut stack = vec![index];
        while let Some(index) = stack.pop() {
            let info = &mut self.infos[index as usize].1;
            if std::mem::replace(&mut info.deferrable, false) {
                stack.extend(&info.children);
            }
        }
    }

    /// The alias of a dialect's type or attribute. It comes from the definition of the class, or from the input text if
    /// the class has no definition.
    fn body_name(&self, target: AliasTarget, body: &Verbatim) -> Option<String> {
        let is_type = matches!(target, AliasTarget::Type(_));
        let text = self.context.str(body.text);
        match self.context.class_alias(is_type, &class_of(text)) {
            Some(alias) => {
                let computed = computed_alias(self.context, body);
                computed.as_deref().or(alias).map(identifier)
            }
            None => self.name(target, None),
        }
    }

    fn name(&self, target: AliasTarget, builtin: Option<&str>) -> Option<String> {
        let name = self.kept.get(&target).copied().or(builtin)?;
        Some(name.to_owned())
    }

    fn ty(&mut self, ty: TypeId) -> (u32, u32) {
        if let Some(index) = self.types[ty.index()] {
            return (self.infos[index as usize].1.depth, index);
        }
        let context = self.context;
        let kind = context.type_kind(ty);
        let target = AliasTarget::Type(ty);
        let name = match kind {
            TypeKind::Dialect(body) => self.body_name(target, body),
            TypeKind::Tuple(types) if types.len() > 16 => Some("tuple".to_owned()),
            _ => None,
        };
        let index = self.start(target, name, false);
        self.types[ty.index()] = Some(index);
        match kind {
            TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_) | TypeKind::None => {}
            TypeKind::Complex(element)
            | TypeKind::UnrankedTensor(element)
            | TypeKind::Vector { element, .. } => self.visit_types(index, &[*element]),
            TypeKind::RankedTensor { element, encoding, .. } => {
                self.visit_types(index, &[*element]);
                self.visit_attrs(index, encoding.as_slice(), false);
            }
            TypeKind::MemRef { element, layout, memory_space, .. } => {
                self.visit_types(index, &[*element]);
                self.visit_attrs(index, layout.as_slice(), false);
                self.visit_attrs(index, memory_space.as_slice(), false);
            }
            TypeKind::UnrankedMemRef { element, memory_space } => {
                self.visit_types(index, &[*element]);
                self.visit_attrs(index, memory_space.as_slice(), false);
            }
            TypeKind::Function { inputs, results } | TypeKind::Graph { inputs, results } => {
                self.visit_types(index, inputs);
                self.visit_types(index, results);
            }
            TypeKind::Tuple(types) => self.visit_types(index, types),
            TypeKind::Dialect(body) => {
                body.refs.iter().for_each(|alias| self.visit_target(index, alias.target, false));
            }
        }
        self.finish(index, false, "type")
    }

    fn visit_types(&mut self, parent: u32, types: &[TypeId]) {
        for &ty in types {
            let child = with_room(|| self.ty(ty));
            self.child(parent, child);
        }
    }

    fn visit_attrs(&mut self, parent: u32, attrs: &[AttrId], deferrable: bool) {
        for &attr in attrs {
            let child = with_room(|| self.attr(attr, deferrable));
            self.child(parent, child);
        }
    }

    fn visit_locs(&mut self, parent: u32, locs: &[LocId], deferrable: bool) {
        for &loc in locs {
            let child = with_room(|| self.loc(loc, deferrable));
            self.child(parent, child);
        }
    }

    fn visit_target(&mut self, parent: u32, target: AliasTarget, deferrable: bool) {
        let child = with_room(|| match target {
            AliasTarget::Attr(attr) => self.attr(attr, deferrable),
            AliasTarget::Type(ty) => self.ty(ty),
            AliasTarget::Loc(loc) => self.loc(loc, deferrable),
        });
        self.child(parent, child);
    }

    fn attr(&mut self, attr: AttrId, deferrable: bool) -> (u32, u32) {
        if let Some(index) = self.attrs[attr.index()] {
            return self.visit_again(index, deferrable);
        }
        let context = self.context;
        let kind = context.attr_kind(attr);
        if let AttrKind::Location(loc) = kind {
            return self.loc(*loc, deferrable);
        }
        let target = AliasTarget::Attr(attr);
        let name = match kind {
            AttrKind::AffineMap(_) => Some("map".to_owned()),
            AttrKind::IntegerSet(_) => Some("set".to_owned()),
            AttrKind::Distinct { referenced, .. } if *referenced != Context::UNIT => {
                self.name(target, Some("distinct"))
            }
            AttrKind::Dialect { body, .. } => self.body_name(target, body),
            _ => None,
        };
        let index = self.start(target, name, deferrable);
        self.attrs[attr.index()] = Some(index);
        match kind {
            AttrKind::Array(items) => self.visit_attrs(index, items, deferrable),
            AttrKind::Dictionary(entries) => {
                for entry in entries {
                    self.visit_attrs(index, &[entry.1], deferrable);
                }
            }
            AttrKind::Type(ty) => self.visit_types(index, &[*ty]),
            AttrKind::String { ty: Some(ty), .. }
            | AttrKind::DenseElements { ty, .. }
            | AttrKind::DenseStrings { ty, .. }
            | AttrKind::DialectElements { ty, .. }
            | AttrKind::DenseResource { ty, .. }
            | AttrKind::SparseElements { ty, .. } => self.visit_types(index, &[*ty]),
            AttrKind::Distinct { referenced, .. } => self.visit_attrs(index, &[*referenced], deferrable),
            AttrKind::Dialect { body, ty } => {
                body.refs.iter().for_each(|alias| self.visit_target(index, alias.target, deferrable));
                self.visit_types(index, ty.as_slice());
            }
            AttrKind::Unit
            | AttrKind::Integer { .. }
            | AttrKind::Float { .. }
            | AttrKind::String { ty: None, .. }
            | AttrKind::SymbolRef { .. }
            | AttrKind::DenseArray { .. }
            | AttrKind::AffineMap(_)
            | AttrKind::IntegerSet(_)
            | AttrKind::StridedLayout { .. }
            | AttrKind::Location(_) => {}
        }
        self.finish(index, deferrable, "attr")
    }

    fn loc(&mut self, loc: LocId, deferrable: bool) -> (u32, u32) {
        if let Some(&index) = self.locs.get(&loc) {
            return self.visit_again(index, deferrable);
        }
        let index = self.start(AliasTarget::Loc(loc), Some("loc".to_owned()), deferrable);
        self.locs.insert(loc, index);
        match self.context.loc_kind(loc) {
            LocKind::Unknown | LocKind::FileLineCol { .. } | LocKind::FileRange { .. } => {}
            LocKind::Name { child, .. } => {
                if child != Context::UNKNOWN {
                    self.visit_locs(index, &[child], deferrable);
                }
            }
            LocKind::CallSite { callee, caller } => {
                self.visit_locs(index, &[callee, caller], deferrable);
            }
            LocKind::Fused { locations, metadata } => {
                self.visit_attrs(index, metadata.as_slice(), deferrable);
                self.visit_locs(index, &locations, deferrable);
            }
            LocKind::Dialect(attr) => {
                if let AttrKind::Dialect { body, .. } = self.context.attr_kind(attr) {
                    body.refs.iter().for_each(|alias| self.visit_target(index, alias.target, deferrable));
                }
            }
        }
        self.finish(index, deferrable, "loc")
    }
}

/// The identifier that MLIR's printer makes from an alias that a dialect suggests.
fn identifier(alias: &str) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '$' | '_' | '-');
    let mut name = String::new();
    if alias.starts_with(|c: char| c.is_ascii_digit() || c != ' ' && !is_valid(c)) {
        name.push('_');
    }
    for c in alias.chars() {
        match c {
            ' ' => name.push('_'),
            c if is_valid(c) => name.push(c),
            c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| name.push_str(&format!("{byte:X}"))),
        }
    }
    name
}

/// The class of the dialect's type or attribute that has this text. The text and the class have no sigil.
fn class_of(text: &str) -> Cow<'_, str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let name = |text: &str| text.find(|c| !is_name(c)).unwrap_or(text.len());
    let end = name(text);
    if text[..end].contains('.') || !text[end..].starts_with('<') {
        return text[..end].into();
    }
    let inside = &text[end + 1..];
    format!("{}.{}", &text[..end], &inside[..name(inside)]).into()
}

/// A pending visit in the regions of an operation.
#[derive(Clone, Copy)]
enum VisitStep {
    Op(OpId),
    Block(BlockId),
}

impl Printer<'_> {
    /// Writes the lines that define aliases.
    pub(super) fn definitions(&mut self, targets: &[AliasTarget]) {
        for &target in targets {
            self.alias(target);
            self.out.push_str(" = ");
            match target {
                AliasTarget::Attr(attr) => self.attr_without_alias(attr, false),
                AliasTarget::Type(ty) => self.type_without_alias(ty),
                AliasTarget::Loc(loc) => match self.context.loc_kind(loc) {
                    LocKind::Dialect(attr) => self.attr_without_alias(attr, false),
                    _ => self.loc(loc, true),
                },
            }
            self.out.push('\n');
        }
    }
}
