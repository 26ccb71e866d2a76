//! Converts the arguments of built-ins to strings, ranges, values and operations.

use std::sync::Arc;

use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{AttrRef, Evaluated, Val};
use crate::host::{AttrKind, AttrSpec, ElementValue, Facets, Refusal};
use crate::intern::StrId;
use crate::snippet::text::split_class;

/// The elements of a range.
pub(super) type Items<H> = Arc<Vec<Val<H>>>;

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn string(&mut self, value: &Val<H>) -> Result<Arc<str>, Refusal> {
        match value {
            Val::Str(text) => Ok(text.clone()),
            Val::Attr(a) => match self.attr_string(a) {
                Some(text) => Ok(Arc::from(text)),
                None => fail("an attribute that is not a string is used as one"),
            },
            Val::Op(op) => Ok(Arc::from(self.host().op_name_text(self.host().op_name(*op)))),
            other => fail(format!("{} is used as a string", other.variant_name())),
        }
    }

    /// The elements of a value that is used as a range.
    pub(super) fn items(&mut self, value: &Val<H>) -> Result<Items<H>, Refusal> {
        match value {
            Val::Range(items) => Ok(items.clone()),
            Val::Attr(a) => match self.list_class(a) {
                Some(class) => match self.body_param(value, class, 0)? {
                    Val::Range(items) => Ok(items),
                    _ => fail("the snippet is malformed"),
                },
                None => Ok(self.elements(a, false)?.into()),
            },
            Val::Op(op) => {
                let count = self.host().result_count(*op);
                self.step(u64::from(count))?;
                let results: Vec<_> = (0..count).map(|i| Val::Value(self.host().result(*op, i))).collect();
                Ok(results.into())
            }
            Val::Null => fail("null is used as a range"),
            single => Ok(vec![single.clone()].into()),
        }
    }

    /// The class of a dialect attribute whose only parameter is a list (`ArrayOfAttr`).
    fn list_class(&mut self, a: &AttrRef<H>) -> Option<StrId> {
        if self.attr_kind(a) != AttrKind::Other {
            return None;
        }
        let text = self.attr_text(a);
        let class = self.snippets.strings.find(&split_class(&text)?.0)?;
        let body = self.snippets.body(class)?;
        matches!(&body.params[..], [param] if param.range).then_some(class)
    }

    pub(super) fn ints(&mut self, value: &Val<H>) -> Result<Vec<i128>, Refusal> {
        let items = self.items(value)?;
        self.step(items.len() as u64)?;
        items
            .iter()
            .map(|item| match item {
                Val::ApInt(x) => match x.to_i64() {
                    Some(x) => Ok(i128::from(x)),
                    None => fail("an APInt does not fit in 64 bits"),
                },
                other => other.int(),
            })
            .collect()
    }

    pub(super) fn elements(&mut self, a: &AttrRef<H>, as_attr: bool) -> Result<Vec<Val<H>>, Refusal> {
        let (len, splat) = match self.attr_kind(a) {
            AttrKind::Array { len } | AttrKind::DenseArray { len } => (len, false),
            AttrKind::DenseElements { len, splat } => (len, splat),
            _ => return fail("an attribute without elements is used as a range"),
        };
        self.step(len)?;
        if splat && len > 0 {
            let one = self.element_at(a, 0, as_attr)?;
            return Ok((0..len).map(|_| one.clone()).collect());
        }
        (0..len).map(|i| self.element_at(a, i, as_attr)).collect()
    }

    /// An element of an attribute, as a Boolean, number, string or attribute.
    pub(super) fn element_at(&mut self, a: &AttrRef<H>, index: u64, as_attr: bool) -> Evaluated<H> {
        let array = matches!(self.attr_kind(a), AttrKind::DenseArray { .. });
        let Some(element) = self.attr_element(a, index) else {
            return fail("the host does not provide the value of an element");
        };
        let ty = |this: &Self| this.attr_type(a).and_then(|t| this.shaped(&t)).map(|(element, _)| element);
        Ok(match element {
            ElementValue::Attr(a) => Val::Attr(a),
            ElementValue::Str(text) if as_attr => return self.make_attr(AttrSpec::String(text)),
            ElementValue::Str(text) => Val::str(text),
            ElementValue::Int(x) if array && x.width() == 1 => Val::Bool(!x.is_zero()),
            ElementValue::Int(x) if array => match x.to_i64() {
                Some(x) => Val::Int(i128::from(x)),
                None => return fail("an element does not fit in 64 bits"),
            },
            ElementValue::Float(x) if array => Val::Double(x.to_f64()),
            ElementValue::Int(x) if as_attr => {
                let Some(t) = ty(self) else { return fail("elements have no type") };
                return self.make_attr(AttrSpec::Integer(x, t));
            }
            ElementValue::Float(x) if as_attr => {
                let Some(t) = ty(self) else { return fail("elements have no type") };
                return self.make_attr(AttrSpec::Float(x, t));
            }
            ElementValue::Int(x) => Val::ApInt(x),
            ElementValue::Float(x) => Val::ApFloat(x),
        })
    }

    pub(super) fn single_result(&self, op: H::Op) -> Evaluated<H> {
        match self.host().result_count(op) {
            1 => Ok(Val::Value(self.host().result(op, 0))),
            count => fail(format!("an operation with {count} results is used as a value")),
        }
    }

    pub(super) fn value(&self, on: &Val<H>) -> Result<H::Value, Refusal> {
        match on {
            Val::Value(v) => Ok(*v),
            Val::Op(op) => match self.single_result(*op)? {
                Val::Value(v) => Ok(v),
                _ => fail("an operation without a result is used as a value"),
            },
            other => fail(format!("{} is used as a value", other.variant_name())),
        }
    }

    pub(super) fn op(&self, on: &Val<H>) -> Result<H::Op, Refusal> {
        match on {
            Val::Op(op) if self.access.erases(*op) => fail("an operation is used after it was erased"),
            Val::Op(op) => Ok(*op),
            Val::Value(v) => match self.host().defining_op(*v) {
                Some(op) => Ok(op),
                None => fail("a block argument is used as an operation"),
            },
            other => fail(format!("{} is used as an operation", other.variant_name())),
        }
    }
}
