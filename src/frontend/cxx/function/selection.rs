//! Lowers `StringSwitch` and `TypeSwitch`, whose cases are calls of methods.
//!
//! The arguments of these calls are evaluated in order, even those of cases that are not chosen.

use super::lvalue::Held;
use crate::frontend::cxx::ast::{NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Lower, Lowered};
use crate::snippet::{BinaryOp, Ty, Typed};

/// The reason of the failure if no case is chosen.
const NO_CASE: &str = "no case of a StringSwitch or TypeSwitch fits";

/// A call of a method in a chain, such as `.Case("x", 1)`.
struct Link<'t> {
    node: NodeId,
    method: &'t str,
    template: &'t [TypeName],
    args: &'t [NodeId],
}

impl<'b> Lower<'_, 'b> {
    /// `StringSwitch<T>(s).Case(…).Default(…)` and `TypeSwitch<T, R>(x).Case<A>(…).Default(…)`; `None` for another
    /// call.
    pub(in crate::frontend::cxx) fn selection(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &'b str,
        template: &'b [TypeName],
        args: &'b [NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let is_case = matches!(
            method,
            "Case" | "Cases" | "CaseLower" | "StartsWith" | "EndsWith" | "Default" | "DefaultUnreachable"
        );
        if !is_case {
            return Ok(None);
        }
        let ast = self.ast;
        // The last call of the chain comes first.
        let mut links = vec![Link { node, method, template, args }];
        let mut at = object;
        loop {
            let NodeKind::Call(callee, args) = &ast[at].kind else { return Ok(None) };
            match (&ast[*callee].kind, &args[..]) {
                (NodeKind::Member { object, name, template }, args) => {
                    links.push(Link { node: at, method: name, template, args });
                    at = *object;
                }
                (NodeKind::Name(class), &[subject]) if class.path == "StringSwitch" => {
                    return self.string_switch(node, class, subject, &links).map(Some);
                }
                (NodeKind::Name(class), &[subject]) if class.path == "TypeSwitch" => {
                    return self.type_switch(node, class, subject, &links).map(Some);
                }
                _ => return Ok(None),
            }
        }
    }

    fn result_class(&mut self, class: &TypeName, number: usize) -> Result<Option<Ty>, Fault> {
        match class.args.get(number) {
            None => Ok(None),
            Some(name) if name.path == "void" => Ok(None),
            Some(name) => match self.static_type(name) {
                Some(ty) => Ok(Some(ty)),
                None => Err(self.unknown_type(name)),
            },
        }
    }

    fn unknown_case(&self, link: &Link<'_>) -> Fault {
        error::unsupported(
            &format!("'{}' with these arguments", link.method),
            self.ast[link.node].lo,
            self.ast[link.node].hi,
        )
    }

    fn string_switch(
        &mut self,
        node: NodeId,
        class: &TypeName,
        subject: NodeId,
        links: &[Link<'b>],
    ) -> Lowered {
        let Some(ty) = self.result_class(class, 0)? else {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            return Err(error::template_args(&class.path, "a type", lo, hi));
        };
        let mut held = Held::new();
        let subject = self.expression(subject, Some(Ty::STR))?;
        let subject = self.build(node, |b| b.convert(subject, Ty::STR))?;
        let subject = self.hold(node, subject, &mut held)?;
        let mut cases = Vec::new();
        for link in links.iter().rev() {
            let (value, nodes) = match (link.method, link.args) {
                ("DefaultUnreachable", _) => continue,
                (_, [texts @ .., value]) => (*value, texts),
                _ => return Err(self.unknown_case(link)),
            };
            let mut texts = Vec::new();
            for text in self.texts(nodes) {
                let text = self.expression(text, Some(Ty::STR))?;
                texts.push(self.hold(node, text, &mut held)?);
            }
            let value = self.expression(value, Some(ty))?;
            let value = self.build(node, |b| b.returned(value, ty))?;
            cases.push((link, texts, self.hold(node, value, &mut held)?));
        }
        let mut result = None;
        for (link, texts, value) in cases.into_iter().rev() {
            if link.method == "Default" {
                result = Some(value);
                continue;
            }
            let mut fits = None;
            for text in texts {
                let one = match link.method {
                    "Case" | "Cases" => self.build(node, |b| b.binary(BinaryOp::Eq, subject, text))?,
                    "CaseLower" => self.equals_insensitive(node, subject, text)?,
                    "StartsWith" => self.library_method(node, subject, "starts_with", &[text])?,
                    "EndsWith" => self.library_method(node, subject, "ends_with", &[text])?,
                    _ => return Err(self.unknown_case(link)),
                };
                fits = Some(match fits {
                    None => one,
                    Some(other) => self.build(node, |b| b.or(other, one))?,
                });
            }
            let Some(fits) = fits else { return Err(self.unknown_case(link)) };
            let otherwise = self.otherwise(node, result, ty)?;
            result = Some(self.build(node, |b| b.select(fits, value, otherwise))?);
        }
        let result = self.otherwise(node, result, ty)?;
        self.bind_held(node, held, result)
    }

    /// The texts of a case. A list in braces contains several texts.
    fn texts(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let list = |&node: &NodeId| match &self.ast[node].kind {
            NodeKind::Braces(items) => items.clone(),
            _ => vec![node],
        };
        nodes.iter().flat_map(list).collect()
    }

    /// The value of the later cases. If there are no later cases, evaluation fails, because the behaviour of the C++
    /// code is undefined.
    fn otherwise(&mut self, node: NodeId, result: Option<Typed>, ty: Ty) -> Lowered {
        match result {
            Some(result) => Ok(result),
            None => {
                let wrong = self.build(node, |b| b.fail(NO_CASE))?;
                Ok(Typed { ty, ..wrong })
            }
        }
    }

    fn type_switch(
        &mut self,
        node: NodeId,
        class: &TypeName,
        subject: NodeId,
        links: &[Link<'b>],
    ) -> Lowered {
        let ast = self.ast;
        let ty = self.result_class(class, 1)?;
        let mut held = Held::new();
        let subject = self.expression(subject, None)?;
        let subject = self.hold(node, subject, &mut held)?;
        let nothing = self.build(node, |b| b.null(Ty::NULL))?;
        let mut result = ty.is_none().then_some(nothing);
        for link in links {
            let &[action] = link.args else {
                match link.method {
                    "DefaultUnreachable" => {
                        let wrong = self.build(node, |b| b.fail(NO_CASE))?;
                        result = Some(Typed { ty: ty.unwrap_or(Ty::NULL), ..wrong });
                        continue;
                    }
                    _ => return Err(self.unknown_case(link)),
                }
            };
            if link.method == "Default" {
                let value = self.action(node, action, subject, ty)?;
                let is_lazy = ty.is_none() || self.is_function(action);
                result = Some(if is_lazy { value } else { self.hold(node, value, &mut held)? });
                continue;
            }
            let declared = match &ast[action].kind {
                NodeKind::Lambda(params, ..) => params.first().map(|(ty, _)| ty),
                _ => None,
            };
            let classes: Vec<TypeName> = match (link.method, link.template, declared) {
                ("Case", [], Some(class)) if class.path != "auto" => vec![class.clone()],
                ("Case", [_, ..], _) => link.template.to_vec(),
                _ => return Err(self.unknown_case(link)),
            };
            for class in classes.iter().rev() {
                let only = std::slice::from_ref(class);
                let fits = self.isa_of(node, only, subject)?;
                let object = self.cast_of(node, only, subject)?;
                let value = self.action(node, action, object, ty)?;
                let otherwise = self.otherwise(node, result, ty.unwrap_or(Ty::NULL))?;
                result = Some(match ty {
                    Some(_) => self.build(node, |b| b.select(fits, value, otherwise))?,
                    None => self.build(node, |b| b.branch(fits, value, otherwise))?,
                });
            }
        }
        let result = self.otherwise(node, result, ty.unwrap_or(Ty::NULL))?;
        self.bind_held(node, held, result)
    }

    /// True for a lambda and the name of a lambda.
    fn is_function(&self, action: NodeId) -> bool {
        match &self.ast[action].kind {
            NodeKind::Lambda(..) => true,
            NodeKind::Name(name) => {
                let bound = self.scope.iter().rev().find(|(bound, _)| *bound == name.path);
                matches!(bound, Some((_, Bound::Lambda(_))))
            }
            _ => false,
        }
    }

    /// The result of the function `action` for an object. If `action` is not a function, its value, which does not
    /// depend on the object.
    fn action(&mut self, node: NodeId, action: NodeId, object: Typed, ty: Option<Ty>) -> Lowered {
        let value = if self.is_function(action) {
            let function = self.function_argument(action, &[object.ty])?;
            self.build(node, |b| b.call_lambda(function, &[object]))?
        } else {
            self.expression(action, ty)?
        };
        match ty {
            Some(ty) => self.build(node, |b| b.returned(value, ty)),
            None => Ok(value),
        }
    }
}
