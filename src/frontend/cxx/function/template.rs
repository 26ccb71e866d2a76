//! The arguments of templates: those that a call states, and those that the types of its arguments determine.

use hashbrown::HashMap;

use super::parse::TemplateParameter;
use crate::frontend::cxx::ast::TypeName;
use crate::frontend::cxx::lower::Template;
use crate::snippet::{Form, IntTy, Item, Ty};
use crate::stack::with_room;

/// The template parameter that an argument of this type determines, and its meaning: `T` in `T x` and `ArrayRef<T> x`.
pub(super) fn deduced<'n>(
    params: &[TemplateParameter],
    declared: &'n TypeName,
    given: Ty,
) -> Option<(&'n str, Ty)> {
    let is_param = |name: &TypeName| params.iter().any(|param| param.is_type && param.name == name.path);
    if is_param(declared) {
        return Some((&declared.path, given));
    }
    let element = declared.args.first().filter(|element| element.args.is_empty() && is_param(element))?;
    let holds = match declared.path.as_str() {
        "ArrayRef" | "MutableArrayRef" | "SmallVector" | "SmallVectorImpl" | "vector" => Form::Range,
        "optional" | "FailureOr" => Form::Optional,
        _ => return None,
    };
    let is_known = given.form == holds && !matches!(given.item, Item::Unknown | Item::Null);
    is_known.then_some((&element.path, Ty::one(given.item)))
}

/// The meaning of a written template argument, where the parameters `outer` are in scope. `constant` returns the value
/// of a name that is no parameter.
pub(super) fn template_argument(
    param: &TemplateParameter,
    arg: &TypeName,
    outer: &HashMap<String, Template>,
    constant: &mut dyn FnMut(&TypeName) -> Option<Template>,
) -> Option<Template> {
    if let (Some(sign), [left, right]) = (arg.path.strip_prefix("operator"), &arg.args[..]) {
        let mut number = |arg| match with_room(|| template_argument(param, arg, outer, constant))? {
            Template::Number(number, _) => Some(number),
            Template::Bool(truth) => Some(i64::from(truth)),
            Template::Class(_) | Template::Ty(_) => None,
        };
        let value = computed(sign, number(left)?, number(right)?)?;
        // Such a number is the same in all types that the operands can have.
        let fits =
            !matches!(value, Template::Number(number, _) if !(0..=i64::from(i32::MAX)).contains(&number));
        return fits.then_some(value);
    }
    if let Some(given) = outer.get(&arg.path) {
        let is_type = matches!(given, Template::Class(_) | Template::Ty(_));
        return Some(given.clone()).filter(|_| is_type == param.is_type);
    }
    match (param.is_type, arg.path.as_str()) {
        (true, _) => Some(Template::Class(arg.clone())),
        (false, "true") => Some(Template::Bool(true)),
        (false, "false") => Some(Template::Bool(false)),
        (false, number) => match number.parse() {
            Ok(number) => Some(Template::Number(number, IntTy::I64)),
            Err(_) => constant(arg),
        },
    }
}

/// The value of a constant expression over two 64-bit numbers; `None` for an unknown operator, and if the value is
/// undefined or does not fit.
fn computed(sign: &str, a: i64, b: i64) -> Option<Template> {
    let number = match sign {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "<<" => u32::try_from(b).ok().and_then(|by| 1_i64.checked_shl(by)).and_then(|by| a.checked_mul(by)),
        "==" => return Some(Template::Bool(a == b)),
        "!=" => return Some(Template::Bool(a != b)),
        _ => None,
    };
    number.map(|number| Template::Number(number, IntTy::I64))
}
