//! Calls the C++ functions that infer the result types of an operation.
//!
//! `inferReturnTypes` stores the types in its last parameter. `inferReturnTypeComponents` stores shapes, element types
//! and encodings, from which the traits of the operation build tensor types.

use super::call::{Candidate, Refused};
use super::source::{Functions, Helpers};
use crate::frontend::cxx::ast::{Ast, Node, NodeId, NodeKind};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Lower, Lowered};
use crate::frontend::cxx::request::{Expected, Request};
use crate::frontend::cxx::resolve::Resolver;
use crate::snippet::{AttrClass, Builder, Builtin, Item, Ty, TypeClass, Typed};

/// An operation whose C++ class infers its result types.
pub(crate) struct InferringOp<'a> {
    /// The class with its namespaces.
    pub(crate) class: &'a str,
    /// All operands.
    pub(crate) operands: Typed,
    /// The adaptor: a tuple with a field for each accessor ([`Resolver::adaptor`]).
    pub(crate) adaptor: Typed,
    /// True if the properties hold the attributes, so that the dictionary of attributes is empty.
    pub(crate) uses_properties: bool,
}

/// The result types that the functions of an operation's class infer; `None` if the source files have no such function,
/// or if the functions are outside the language.
pub(crate) fn infer_types(
    b: &mut Builder<'_>,
    resolver: &dyn Resolver,
    op: &InferringOp<'_>,
) -> Option<Typed> {
    let helpers = resolver.helpers()?;
    let functions = helpers.functions.as_deref()?;
    let request = Request { params: &[], expected: Expected::Any, resolver };
    let mut ast = Ast::default();
    let node = ast.push(Node { kind: NodeKind::Break, lo: 0, hi: 0 });
    let mut lower = Lower::new(&ast, &request, b);
    let mut is_defined = false;
    for (method, components) in [("inferReturnTypes", false), ("inferReturnTypeComponents", true)] {
        for function in functions.of_class(op.class, method) {
            is_defined = true;
            match lower.infer(node, helpers, functions, function, op, components) {
                Ok(types) => return Some(types),
                Err(Refused::Fault(fault)) => {
                    helpers.report(function, super::call::problem(functions, function, &fault));
                }
                Err(Refused::Problem(function, problem)) => helpers.report(function, problem),
            }
        }
    }
    if !is_defined {
        let class = op.class.strip_prefix("mlir::").unwrap_or(op.class);
        helpers.report_undefined(format!("{class}::inferReturnTypes"));
    }
    None
}

impl<'b> Lower<'_, 'b> {
    fn infer(
        &mut self,
        node: NodeId,
        helpers: &'b Helpers,
        functions: &'b Functions,
        function: usize,
        op: &InferringOp<'_>,
        components: bool,
    ) -> Result<Typed, Refused> {
        let head = super::head::head(functions, function)?;
        let (lo, hi) = (functions.definition(function).name.start, functions.definition(function).name.end);
        let scope = self.class_scope.replace(op.class.to_owned());
        let in_function = std::mem::replace(&mut self.in_function, true);
        let types: Vec<Ty> =
            head.params.iter().map(|(ty, ..)| self.static_type(ty).unwrap_or(Ty::UNKNOWN)).collect();
        self.class_scope = scope;
        self.in_function = in_function;
        let Some((&out, before)) = types.split_last() else {
            return Err(error::expected("a parameter for the result types", lo, hi).into());
        };
        let opaque = self.opaque_properties(op.adaptor.ty);
        let mut passed = Vec::new();
        for (&ty, (_, name, _)) in before.iter().zip(&head.params) {
            let reads_attributes = ty == opaque || ty == Ty::attr(AttrClass::Dictionary);
            if reads_attributes && !name.is_empty() && !op.uses_properties {
                let what =
                    "type inference from the attributes of a dialect that does not use properties for them";
                return Err(error::unsupported(what, lo, hi).into());
            }
            let value = match ty {
                Ty { item: Item::Context, .. } => self.build(node, |b| b.opaque(Item::Context))?,
                _ if ty == op.adaptor.ty => op.adaptor,
                _ if ty == opaque => self.opaque_properties_of(node, op.adaptor)?,
                _ if ty == Ty::attr(AttrClass::Dictionary) && !name.is_empty() => {
                    self.empty_dictionary(node)?
                }
                _ if ty == Ty::range(Item::Value) => op.operands,
                _ => self.build(node, |b| b.null(ty))?,
            };
            passed.push(Typed { ty, ..value });
        }
        let list = self.build(node, |b| b.list(&[]))?;
        let local = self.build(node, |b| b.new_local(out))?;
        let stored = self.build(node, |b| b.local(local))?;
        passed.push(stored);
        let class = Some(op.class.to_owned());
        let chosen = Candidate::of_class(class, function, head, types);
        let (id, ty) = self.instance(helpers, functions, &chosen)?;
        let done = self.build(node, |b| b.call_function(id, &passed, &[stored], ty))?;
        let done = self.library_function(node, "succeeded", &[done])?;
        let types = self.build(node, |b| b.local(local))?;
        let types = if components { self.tensors(node, types)? } else { types };
        let types = Typed { ty: Ty::range(Item::Type(TypeClass::Any)), ..types };
        let inferred = self.build(node, |b| {
            let failure = b.fail("the C++ function that infers the result types fails")?;
            let either = b.select(done, types, Typed { ty: types.ty, ..failure })?;
            b.bind(local, Typed { ty: out, ..list }, either)
        })?;
        Ok(inferred)
    }

    fn empty_dictionary(&mut self, node: NodeId) -> Lowered {
        let entry = self.b.snippets().named_attribute();
        self.build(node, |b| {
            let none = b.list(&[])?;
            let none = b.convert(none, Ty::range(entry.item))?;
            b.algorithm(Builtin::DictionaryAttr, &[none], Ty::attr(AttrClass::Dictionary))
        })
    }

    /// The tensor types of a range of components.
    fn tensors(&mut self, node: NodeId, components: Typed) -> Lowered {
        let local = self.build(node, |b| b.new_local(Ty::one(components.ty.item)))?;
        let field = |this: &mut Self, index: u32| {
            this.build(node, |b| {
                let of = b.local(local)?;
                b.field_at(of, index)
            })
        };
        let has_rank = field(self, HAS_RANK)?;
        let (dims, element) = (field(self, DIMS)?, field(self, ELEMENT_TYPE)?);
        let encoding = field(self, ATTRIBUTE)?;
        let ranked = self.library_function(node, "RankedTensorType::get", &[dims, element, encoding])?;
        let unranked = self.library_function(node, "UnrankedTensorType::get", &[element])?;
        self.build(node, |b| {
            let (ranked, unranked) = (Typed { ty: Ty::TYPE, ..ranked }, Typed { ty: Ty::TYPE, ..unranked });
            let ty = b.select(has_rank, ranked, unranked)?;
            let make = b.lambda(&[local], ty)?;
            b.algorithm(Builtin::MapRange, &[components, make], Ty::range(ty.ty.item))
        })
    }

    /// The type of `ShapedTypeComponents`.
    pub(in crate::frontend::cxx) fn shaped_components(&mut self) -> Ty {
        let fields = [
            ("hasRank", Ty::BOOL),
            ("getDims", Ty::range(Ty::I64.item)),
            ("getElementType", Ty::TYPE),
            ("getAttribute", Ty::ATTR),
        ];
        Ty::one(Item::Tuple(self.b.snippets().tuple(Some(COMPONENTS), &fields)))
    }

    /// Lowers `ShapedTypeComponents(args)`. Returns `None` if `to` is another type.
    pub(in crate::frontend::cxx) fn construct_components(
        &mut self,
        node: NodeId,
        to: Ty,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let Item::Tuple(id) = to.item else { return Ok(None) };
        if self.b.tuple_name(id).as_deref() != Some(COMPONENTS) || args.first().is_some_and(|e| e.ty == to) {
            return Ok(None);
        }
        let is_shaped = |ty: Ty| matches!(ty.item, Item::Type(class) if class != TypeClass::Any);
        let no_dims = self.build(node, |b| b.list(&[]))?;
        let no_encoding = self.build(node, |b| b.null(Ty::ATTR))?;
        let fields = match *args {
            [] => {
                let (no_rank, no_type) =
                    (self.build(node, |b| b.bool(false))?, self.build(node, |b| b.null(Ty::TYPE))?);
                [no_rank, no_dims, no_type, no_encoding]
            }
            [ty] if is_shaped(ty.ty) => {
                let has_rank = self.library_method(node, ty, "hasRank", &[])?;
                let dims = self.library_method(node, ty, "getShape", &[])?;
                let element = self.library_method(node, ty, "getElementType", &[])?;
                let dims =
                    self.build(node, |b| b.select(has_rank, dims, Typed { ty: dims.ty, ..no_dims }))?;
                [has_rank, dims, element, no_encoding]
            }
            [element @ Typed { ty: Ty { item: Item::Type(_), .. }, .. }] => {
                [self.build(node, |b| b.bool(false))?, no_dims, element, no_encoding]
            }
            [dims, ref rest @ ..] => {
                let ranked = self.build(node, |b| b.bool(true))?;
                let none = self.build(node, |b| b.null(Ty::TYPE))?;
                let element = rest.first().copied().unwrap_or(none);
                [ranked, dims, element, rest.get(1).copied().unwrap_or(no_encoding)]
            }
        };
        self.build(node, |b| b.tuple(id, &fields)).map(Some)
    }
}

const COMPONENTS: &str = "ShapedTypeComponents";
/// The indices of the fields of `ShapedTypeComponents`.
const HAS_RANK: u32 = 0;
const DIMS: u32 = 1;
const ELEMENT_TYPE: u32 = 2;
const ATTRIBUTE: u32 = 3;
