//! The aliases of HEIR's attributes and types. An alias states the main parameters.

use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;
use crate::ir::verbatim::{AliasTarget, Verbatim};

/// The alias that HEIR's C++ code computes for an attribute or type with this text; `None` if it computes no alias.
pub(in crate::ir) fn computed_alias(context: &Context, body: &Verbatim) -> Option<String> {
    let text = context.str(body.text);
    let class = text.split('<').next().unwrap_or(text);
    Some(match class {
        "lattigo.rlwe.encryptor" => {
            let is_public = text.contains("publicKey = true");
            format!("encryptor_{}", if is_public { "pk" } else { "sk" })
        }
        "lattigo.rlwe.galois_key" => format!("gk_g{}", integer(context, body, "galoisElement = ")?.0),
        "lwe.ciphertext_space" => format!("ciphertext_space{}", space(context, body)?),
        "lwe.lwe_ciphertext" => {
            let mut attributes = attributes(context, body);
            let space_body = attributes.find(|body| class_is(context, body, "lwe.ciphertext_space"))?;
            format!("ct{}", space(context, space_body)?)
        }
        "lwe.lwe_public_key" => format!("pkey{}", level(context, ring(context, body)?)),
        "lwe.lwe_secret_key" => format!("skey{}", level(context, ring(context, body)?)),
        "lwe.modulus_chain" => {
            let (elements, current) = text.split_once("<elements = <")?.1.split_once(">, current = ")?;
            let last = body.refs.len().max(elements.matches(',').count() + 1) - 1;
            format!("modulus_chain_L{last}_C{}", current.strip_suffix('>')?)
        }
        "mod_arith.int" => {
            let (modulus, ty) = integer(context, body, "mod_arith.int<")?;
            format!("Z{modulus}_{ty}")
        }
        "polynomial.ring" => {
            let coefficient = types(body).next()?;
            let coefficient = match context.type_kind(coefficient) {
                TypeKind::Dialect(body) if class_is(context, body, "polynomial.polynomial") => {
                    "poly".to_owned()
                }
                // The aliases of these types do not depend on rings, so the recursion ends here.
                TypeKind::Dialect(body)
                    if ["mod_arith.int", "rns.rns"].iter().any(|class| class_is(context, body, class)) =>
                {
                    computed_alias(context, body)?
                }
                TypeKind::Integer { .. } | TypeKind::Float(_) | TypeKind::Index => {
                    context.type_text(coefficient)
                }
                _ => return None,
            };
            match text.split_once("polynomialModulus = ") {
                None => format!("ring_{coefficient}"),
                Some((_, inside)) => {
                    // If the class of the polynomial has a form, the text refers to the polynomial, and does not
                    // contain it.
                    let polynomial = attributes(context, body).next().map(|body| context.str(body.text));
                    let (_, polynomial) = polynomial.unwrap_or(inside).split_once('<')?;
                    let polynomial = polynomial.split('>').next()?.replace(" + ", "_").replace("**", "");
                    format!("ring_{coefficient}_{polynomial}")
                }
            }
        }
        "rns.rns" => format!("rns_L{}", types(body).count().checked_sub(1)?),
        _ => return None,
    })
}

fn class_is(context: &Context, body: &Verbatim, class: &str) -> bool {
    context.str(body.text).strip_prefix(class).is_some_and(|rest| rest.starts_with('<'))
}

/// The types in a text.
fn types(body: &Verbatim) -> impl Iterator<Item = TypeId> {
    body.refs.iter().filter_map(|item| match item.target {
        AliasTarget::Type(ty) => Some(ty),
        AliasTarget::Attr(_) | AliasTarget::Loc(_) => None,
    })
}

/// The bodies of the dialect attributes to which a text refers.
fn attributes<'c>(context: &'c Context, body: &Verbatim) -> impl Iterator<Item = &'c Verbatim> {
    let ids = body.refs.iter().filter_map(|item| match item.target {
        AliasTarget::Attr(attr) => Some(attr),
        AliasTarget::Type(_) | AliasTarget::Loc(_) => None,
    });
    ids.filter_map(|attr: AttrId| match context.attr_kind(attr) {
        AttrKind::Dialect { body, .. } => Some(body),
        _ => None,
    })
}

/// The ring among the attributes in a text.
fn ring<'c>(context: &'c Context, body: &Verbatim) -> Option<&'c Verbatim> {
    attributes(context, body).find(|body| class_is(context, body, "polynomial.ring"))
}

/// `_L1` for a ring whose coefficients have two residues, or `_` for coefficients without residues.
fn level(context: &Context, ring: &Verbatim) -> String {
    let level = types(ring).next().and_then(|ty| match context.type_kind(ty) {
        TypeKind::Dialect(body) if class_is(context, body, "rns.rns") => types(body).count().checked_sub(1),
        _ => None,
    });
    level.map_or_else(|| "_".to_owned(), |level| format!("_L{level}"))
}

/// The level of a ciphertext space, followed by its size (such as `_D3`) if the size is not two.
fn space(context: &Context, body: &Verbatim) -> Option<String> {
    let level = level(context, ring(context, body)?);
    let (_, size) = context.str(body.text).split_once(", size = ").unwrap_or(("", "2>"));
    let size = size.strip_suffix('>')?;
    Some(if size == "2" { level } else { format!("{level}_D{size}") })
}

/// The value and the type of the integer that is the only attribute in a text. The text refers to the integer, or
/// contains it after `prefix`.
fn integer(context: &Context, body: &Verbatim, prefix: &str) -> Option<(String, String)> {
    if let [item] = *body.refs {
        let AliasTarget::Attr(attr) = item.target else { return None };
        let AttrKind::Integer { value, ty } = context.attr_kind(attr) else { return None };
        return Some((value.to_signed_string(), context.type_text(*ty)));
    }
    let (_, text) = context.str(body.text).split_once(prefix)?;
    let (number, ty) = text.strip_suffix('>')?.split_once(" : ")?;
    Some((number.to_owned(), ty.to_owned()))
}
