//! Argument-dependent lookup: a call also finds the functions in the namespaces of the classes of its arguments.

use super::call::{Call, Candidate};
use super::rank::Rank;
use super::source::Functions;
use crate::frontend::cxx::ast::Passing;
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::Lower;
use crate::snippet::{AttrClass, Form, IntTy, Item, Ty, TypeClass, Typed};

/// The algorithms of LLVM that take any range as the first argument, each with the number of arguments.
const ALGORITHMS: &[(&str, usize)] = &[
    ("accumulate", 2),
    ("adjacent_find", 1),
    ("all_equal", 1),
    ("all_of", 2),
    ("any_of", 2),
    ("append_range", 2),
    ("binary_search", 2),
    ("concat", 2),
    ("count", 2),
    ("count_if", 2),
    ("drop_begin", 1),
    ("drop_begin", 2),
    ("drop_end", 1),
    ("drop_end", 2),
    ("enumerate", 1),
    ("equal", 2),
    ("erase", 2),
    ("erase_if", 2),
    ("fill", 2),
    ("find", 2),
    ("find_if", 2),
    ("find_if_not", 2),
    ("for_each", 2),
    ("is_contained", 2),
    ("is_sorted", 1),
    ("is_sorted", 2),
    ("lower_bound", 2),
    ("make_filter_range", 2),
    ("map_range", 2),
    ("max_element", 1),
    ("min_element", 1),
    ("none_of", 2),
    ("partition_point", 2),
    ("product_of", 1),
    ("replace", 3),
    ("reverse", 1),
    ("sort", 1),
    ("sort", 2),
    ("stable_sort", 1),
    ("stable_sort", 2),
    ("sum_of", 1),
    ("to_vector", 1),
    ("unique", 1),
    ("upper_bound", 2),
    ("zip", 2),
];

impl Lower<'_, '_> {
    /// The functions of the library that a call may denote although the files define functions of the same name,
    /// `named`. A call denotes a function of the library if argument-dependent lookup finds that function, and no
    /// function in `named` takes the arguments. `None` for other calls.
    ///
    /// # Errors
    /// A function of the files takes the arguments, but overload resolution may prefer a function of the library.
    pub(super) fn library_instead(
        &mut self,
        functions: &Functions,
        named: &[usize],
        call: &Call<'_>,
    ) -> Result<Option<Vec<usize>>, Fault> {
        let is_of_files = named.first().is_some_and(|&index| !functions.is_of_library(index));
        if !is_of_files || call.name.is_qualified() || !call.name.args.is_empty() {
            return Ok(None);
        }
        let finds = |of: &Self, namespace: &str| {
            let types = call.values.iter().map(|value| value.ty);
            of.any_finds(functions, types, &[namespace.to_owned()])
        };
        let mut of_library = Vec::new();
        for index in functions.library_functions(&call.name.path) {
            let namespace = functions.definition(index).path.first();
            if namespace.is_some_and(|namespace| finds(self, namespace) != Some(false)) {
                of_library.extend(self.read_candidate(functions, index, call));
            }
        }
        let is_algorithm = ALGORITHMS.contains(&(&call.name.path, call.values.len()))
            && call.values.first().is_some_and(|range| range.ty.form == Form::Range)
            && finds(self, "llvm") != Some(false);
        if of_library.is_empty() && !is_algorithm {
            return Ok(None);
        }
        let (lo, hi) = (self.ast[call.node].lo, self.ast[call.node].hi);
        let what =
            "a choice between a function of the files and a function of the library for these arguments";
        let unclear = || error::unsupported(what, lo, hi);
        let Some(chosen) = self.chosen_candidate(functions, named, call)? else {
            // A function that takes the arguments may be among those that cannot be read.
            let all_read = named.iter().all(|&index| functions.has_readable_head(index));
            return match all_read && !is_algorithm {
                true => Ok(Some(of_library.iter().map(Candidate::function).collect())),
                false => Ok(None),
            };
        };
        if of_library.iter().any(|other| !chosen.is_no_worse(other)) {
            return Err(unclear());
        }
        // The algorithm is a template that takes the range by a forwarding reference.
        let exact = |rank: &Rank| rank.is_at_most(Rank::exactly(0));
        let is_const_reference = chosen.passing(0) == Some(Passing::ConstReference);
        if is_algorithm && (is_const_reference || !chosen.ranks().iter().all(exact)) {
            return Err(unclear());
        }
        Ok(None)
    }

    /// True if argument-dependent lookup finds a function: it is in the namespace of the class of an argument. `None`
    /// if the namespace of a class is unknown.
    pub(super) fn is_found_by_argument(
        &self,
        functions: &Functions,
        function: usize,
        args: &[Typed],
    ) -> Option<bool> {
        let (_, namespace) = functions.definition(function).path.split_last()?;
        self.any_finds(functions, args.iter().map(|arg| arg.ty), namespace)
    }

    fn any_finds(
        &self,
        functions: &Functions,
        types: impl IntoIterator<Item = Ty>,
        namespace: &[String],
    ) -> Option<bool> {
        let mut found = Some(false);
        for ty in types {
            match self.finds(functions, ty, namespace) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => found = None,
            }
        }
        found
    }

    /// True if argument-dependent lookup for an argument of this type searches a namespace. `None` if the namespace of
    /// the class is unknown.
    fn finds(&self, functions: &Functions, ty: Ty, namespace: &[String]) -> Option<bool> {
        let is_one_of = |names: &[&str]| matches!(namespace, [name] if names.contains(&name.as_str()));
        let of_library = || is_one_of(&["llvm", "mlir", "std"]);
        // One static type can represent classes of several namespaces, such as `std::vector` and `llvm::SmallVector`.
        let unless_of_library = |found: Option<bool>| found.filter(|&found| found || !of_library());
        if ty.form != Form::One {
            return unless_of_library(self.finds(functions, Ty::one(ty.item), namespace));
        }
        if let Some(class) = self.b.class_of(ty) {
            let class: Vec<&str> = class.split("::").collect();
            // A friend that is defined in the class has the class in its path.
            let is_outer = class.split_last().is_some_and(|(_, outer)| namespace == outer);
            return Some(is_outer || namespace == class);
        }
        match ty.item {
            Item::Int(IntTy { enumeration: Some(of), .. }) => {
                Some(functions.is_enumeration_in(of, namespace))
            }
            Item::Bool | Item::Int(_) | Item::Double | Item::Float => Some(false),
            Item::Null | Item::Str => unless_of_library(Some(false)),
            Item::ApInt | Item::ApFloat | Item::Logical => Some(is_one_of(&["llvm"])),
            Item::Tuple(_) => {
                let fields = self.b.field_types(ty)?;
                unless_of_library(self.any_finds(functions, fields, namespace))
            }
            // A lambda belongs to the scopes in which it is written, and `Item::Enum` does not state the namespace of
            // the enumeration.
            Item::Lambda | Item::Enum(_) | Item::Unknown | Item::Matcher => None,
            _ if is_one_of(&["mlir"]) => Some(true),
            _ if namespace.is_empty() => Some(false),
            // Base classes of these classes can be in the namespace `llvm`.
            Item::Op(_) | Item::Block | Item::Use | Item::FoldResult if is_one_of(&["llvm"]) => None,
            // The classes of dialects are in the namespaces of their dialects.
            Item::Type(TypeClass::Named(_)) | Item::Attr(AttrClass::Named(_)) | Item::Op(Some(_)) => None,
            Item::Type(_)
            | Item::Attr(_)
            | Item::Value
            | Item::Op(None)
            | Item::Use
            | Item::Location
            | Item::Name
            | Item::Builder
            | Item::Context
            | Item::AffineMap
            | Item::Block
            | Item::Region
            | Item::FoldResult => Some(false),
        }
    }
}
