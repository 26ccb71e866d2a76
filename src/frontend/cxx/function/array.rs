//! Lowers arrays of a fixed size: `std::array<T, N>` and `T name[N]` for a constant `N`.

use super::parse::TemplateParameter;
use super::template::template_argument;
use crate::frontend::cxx::ast::{Initialiser, NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Lower, Lowered, Template};
use crate::snippet::{Form, IntTy, Item, Ty};

/// The maximum number of elements of an array.
const SIZE_LIMIT: i64 = 4_096;

/// True for `std::array<T, N>`.
pub(in crate::frontend::cxx) fn is_array(ty: &TypeName) -> bool {
    ty.path == "array" && ty.args.len() == 2
}

impl Lower<'_, '_> {
    /// The number of elements of a type that is an array.
    fn array_size(&mut self, node: NodeId, ty: &TypeName) -> Result<i64, Fault> {
        let unknown = || error::unsupported("an array whose size is not a known constant", ty.lo, ty.hi);
        let [_, size] = &ty.args[..] else { return Err(unknown()) };
        let param = TemplateParameter { name: String::new(), is_type: false, ty: None, default: None };
        let outer = self.templates.clone();
        let constant = &mut |name: &TypeName| self.constant_argument(node, name);
        match template_argument(&param, size, &outer, constant) {
            Some(Template::Number(size, _)) if (0..=SIZE_LIMIT).contains(&size) => Ok(size),
            Some(Template::Number(size, _)) if size > SIZE_LIMIT => {
                let what = format!("an array of more than {SIZE_LIMIT} elements");
                Err(error::unsupported(&what, ty.lo, ty.hi))
            }
            _ => Err(unknown()),
        }
    }

    /// An array whose elements have their default values.
    pub(super) fn default_array(&mut self, node: NodeId, ty: &TypeName, to: Ty) -> Lowered {
        let size = self.array_size(node, ty)?;
        let filler = self.default_element(node, ty)?;
        let count = self.build(node, |b| b.int(i128::from(size), IntTy::I64))?;
        self.repeated(node, to, count, filler)
    }

    /// `T x`, `T()` and `T{}` for a template parameter `T` that is an array; `None` for another type. The class of a
    /// deduced parameter is unknown, so it may be an array.
    pub(in crate::frontend::cxx) fn array_of_parameter(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        to: Ty,
        listed: &[NodeId],
    ) -> Option<Lowered> {
        let class = match self.templates.get(&ty.path)? {
            Template::Class(class) if is_array(class) => class.clone(),
            Template::Ty(Ty { form: Form::Range, .. }) if listed.len() != 1 => {
                let what = "a new range of a deduced class, which may be an array,";
                return Some(Err(error::unsupported(what, self.ast[node].lo, self.ast[node].hi)));
            }
            _ => return None,
        };
        if !listed.is_empty() {
            let what = "an array that lists elements and whose type is a template parameter";
            return Some(Err(error::unsupported(what, self.ast[node].lo, self.ast[node].hi)));
        }
        // The class was written at the call, where the template parameters are not in scope.
        let outer = std::mem::take(&mut self.templates);
        let array = self.default_array(node, &class, to);
        self.templates = outer;
        Some(array)
    }

    /// The default value of an element of an array.
    fn default_element(&mut self, node: NodeId, ty: &TypeName) -> Lowered {
        self.initial(node, &ty.args[0], &Initialiser::Default)
    }

    /// An array with these first elements. The other elements have their default values.
    pub(in crate::frontend::cxx) fn listed_array(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        to: Ty,
        listed: &[NodeId],
    ) -> Lowered {
        let ast = self.ast;
        let element = Ty::one(to.item);
        let is_plain = self.inner_range(ty).is_none() && !matches!(element.item, Item::Tuple(_));
        // The outer braces belong to the class, and the inner braces to its only member.
        let listed = match listed {
            [one] if is_plain => match &ast[*one].kind {
                NodeKind::Braces(inner) => inner,
                _ => listed,
            },
            _ => listed,
        };
        // The braces of an element and those of the only member look alike.
        let is_nested = listed.iter().any(|&item| matches!(ast[item].kind, NodeKind::Braces(_)));
        let size = usize::try_from(self.array_size(node, ty)?).unwrap_or_default();
        let (lo, hi) = (ast[node].lo, ast[node].hi);
        if listed.is_empty() {
            return self.default_array(node, ty, to);
        }
        if is_nested && listed.len() < size {
            return Err(error::unsupported("an array with fewer values than elements", lo, hi));
        }
        let mut values = self.elements(listed, Some(element))?;
        // One argument can be an array, which is copied.
        if let [one] = &values[..]
            && one.ty.form == Form::Range
            && !is_nested
        {
            return self.build(node, |b| b.convert(*one, to));
        }
        if values.len() < size {
            let filler = self.default_element(node, ty)?;
            values.resize(size, filler);
        }
        self.build(node, |b| b.braced_list(&values).and_then(|list| b.convert(list, to)))
    }
}
