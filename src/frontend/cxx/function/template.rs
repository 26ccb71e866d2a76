//! The meanings of template arguments, and the specialisations of class templates that they choose.

use hashbrown::HashMap;

use super::head::is_same_type;
use super::parse::TemplateParameter;
use super::source::Functions;
use crate::frontend::cxx::ast::{NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lex::tokens;
use crate::frontend::cxx::lower::{Lower, Template};
use crate::snippet::{Form, IntTy, Item, Ty, Typed};
use crate::stack::with_room;

/// The template parameter that an argument of the type `given` determines, and the type that it determines for this
/// parameter. An argument determines `T` if the declaration is `T x` or `ArrayRef<T> x`.
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
        // A number from 0 to `i32::MAX` is the same in all types that the operands can have.
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

impl Lower<'_, '_> {
    /// Selects from `named`, the functions of a class template, those of the specialisation that a call denotes. If
    /// there is no such specialisation, selects those of the template itself.
    pub(super) fn of_specialised_class(
        &mut self,
        functions: &Functions,
        named: &[usize],
        node: NodeId,
        name: &TypeName,
    ) -> Result<Vec<usize>, Fault> {
        let class_of = |function: usize| &functions.definition(function).class_template;
        if named.iter().all(|&function| class_of(function).arguments.is_none()) {
            return Ok(named.to_vec());
        }
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        if name.scope_args.is_empty() {
            let what = "a call of a function of a class template that does not state the template arguments";
            return Err(error::unsupported(what, lo, hi));
        }
        let (mut general, mut special) = (Vec::new(), Vec::new());
        for &function in named {
            let Some(range) = &class_of(function).arguments else {
                general.push(function);
                continue;
            };
            let (definition, text) = (functions.definition(function), functions.text(function));
            if definition.class_params(text).is_some() {
                return Err(error::unsupported("a partial specialisation of a class template", lo, hi));
            }
            let tokens = tokens(text, range)?;
            let stated =
                functions.parser(&tokens, text, &definition.path).template_args()?.unwrap_or_default();
            let mut fits = stated.len() == name.scope_args.len();
            for (stated, arg) in stated.iter().zip(&name.scope_args) {
                let given = self.given_argument(node, stated, arg);
                fits &= given.is_some_and(|given| self.is_argument(&given, stated));
            }
            if fits {
                special.push(function);
            }
        }
        Ok(if special.is_empty() { general } else { special })
    }

    /// The meaning of a template argument that is compared with the argument `stated` of a specialisation.
    fn given_argument(&mut self, node: NodeId, stated: &TypeName, arg: &TypeName) -> Option<Template> {
        let is_number = stated.path.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let is_type = !is_number && !matches!(stated.path.as_str(), "true" | "false");
        let param = TemplateParameter { name: String::new(), is_type, ty: None, default: None };
        let outer = self.templates.clone();
        template_argument(&param, arg, &outer, &mut |name| self.constant_argument(node, name))
    }

    /// True if a template argument equals the argument that a specialisation states.
    pub(super) fn is_argument(&mut self, given: &Template, stated: &TypeName) -> bool {
        match given {
            Template::Number(number, _) => stated.path.parse() == Ok(*number),
            Template::Bool(value) => stated.path.parse() == Ok(*value),
            Template::Ty(ty) => self.static_type_in_function(stated) == Some(*ty),
            Template::Class(class) => {
                let types = [class, stated].map(|name| self.static_type_in_function(name));
                match types {
                    // Several classes of C++ have the static type of a string.
                    [Some(Ty::STR), Some(Ty::STR)] => is_same_type(class, stated),
                    [Some(given), Some(stated)] => given == stated && !given.is_unknown(),
                    _ => is_same_type(class, stated),
                }
            }
        }
    }

    /// A number in the declared type of its template parameter; `None` if the type does not have this number.
    pub(super) fn in_declared_type(
        &mut self,
        param: &TemplateParameter,
        given: Template,
    ) -> Option<Template> {
        let Template::Number(number, ty) = given else { return Some(given) };
        let declared = param.ty.as_ref().and_then(|declared| self.static_type(declared));
        match declared.map(|declared| declared.item) {
            Some(Item::Int(declared)) if ty.enumeration.is_none() && declared.enumeration.is_none() => {
                let wide = i128::from(number);
                (declared.wrap(wide) == wide).then_some(Template::Number(number, declared))
            }
            _ => Some(given),
        }
    }

    /// The template argument that the name of a constant denotes; `None` unless the value of the constant is a literal.
    pub(super) fn constant_argument(&mut self, node: NodeId, arg: &TypeName) -> Option<Template> {
        let is_bound = self.scope.iter().any(|(name, _)| *name == arg.path);
        let value = match is_bound {
            true => self.local_constant(&arg.path)?,
            false => match self.source_constant(node, arg).ok()? {
                Some(value) => value,
                None => self.source_enumerator(node, &arg.path).ok()??,
            },
        };
        match value.ty {
            Ty::BOOL => self.b.constant_truth(value).map(Template::Bool),
            Ty { item: Item::Int(_), form: Form::One } => {
                let number = self.b.literal(value).and_then(|value| i64::try_from(value).ok())?;
                let ty = match value.ty.item {
                    Item::Int(int) if int.enumeration.is_some() => int,
                    _ => IntTy::I64,
                };
                Some(Template::Number(number, ty))
            }
            _ => None,
        }
    }

    /// The value of a local constant; `None` if several declarations have this name.
    fn local_constant(&mut self, name: &str) -> Option<Typed> {
        let ast = self.ast;
        let mut declarations = ast.iter().filter_map(|node| match &node.kind {
            NodeKind::Declare { ty, name: declared, init } if declared == name => Some((ty, init)),
            _ => None,
        });
        let (ty, init) = declarations.next().filter(|(ty, _)| ty.is_const)?;
        if declarations.next().is_some() {
            return None;
        }
        self.initial(init.first()?, ty, init).ok()
    }
}
