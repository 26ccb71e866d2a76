//! Chooses the function that a call refers to, and compiles it for the types of the arguments.

use hashbrown::HashMap;

use super::argument::{Arguments, Object, is_reference};
use super::body::{Body, changes, changes_parameter, parse_body};
use super::changes::forwarded;
use super::head::{Head, add_defaults, head, head_with, parameters};
use super::lvalue::{CHAR, Held};
use super::packs::Packs;
use super::parse::{Parameter, TemplateParameter};
use super::rank::Rank;
use super::source::{Applied, Functions, Helpers, Instance, Key, Problem, Site};
use super::template::{deduced, template_argument};
use super::view::{holds_view, names_type};
use crate::frontend::cxx::ast::{NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lex::tokens;
use crate::frontend::cxx::lower::{Bound, Container, Lower, Lowered, Template, is_number};
use crate::frontend::cxx::request::Request;
use crate::snippet::{AttrClass, Form, FunctionId, IntTy, Item, Ty, TypeClass, Typed};
use crate::source::Span;
use crate::stack::with_room;

/// The maximum nesting of compilations: compiling a function compiles the functions that it calls.
const NESTING_LIMIT: u32 = 32;

/// A definition that takes the arguments of a call.
pub(super) struct Candidate {
    function: usize,
    head: Head,
    /// The class of a member function.
    class: Option<String>,
    /// For a member function of an object, the type of the object, and true if the function may change it.
    object: Option<(Ty, bool)>,
    templates: HashMap<String, Template>,
    /// The type of each parameter.
    types: Vec<Ty>,
    /// For each parameter, true if the function can change a variable of the caller through it.
    references: Vec<bool>,
    /// For each parameter, the result type of the lambda that is its argument; `None` for another argument, for a
    /// lambda with no result or a result of unknown type, and for a parameter whose type is neither `auto` nor a
    /// template parameter.
    results: Vec<Option<Ty>>,
    /// The rank of the conversion of each argument.
    ranks: Vec<Rank>,
    /// Twice the sum of the least distances between arguments and parameters, plus one for a template.
    distance: u32,
    /// The fault of a parameter whose type is not known, so that the conversion of its argument is not known.
    unknown: Option<Fault>,
    /// For an operator, the index of the form of the call: `a.operator+(b)` or `operator+(a, b)`.
    call: usize,
}

/// The choice of a function for a call.
struct Choice {
    chosen: Option<Candidate>,
    /// One of the functions whose heads cannot be read.
    unreadable: Option<(usize, Fault)>,
}

/// A call of a function of the source files.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) node: NodeId,
    pub(super) name: &'c TypeName,
    /// The nodes of the arguments. If the list is empty, functions with reference parameters do not take the values.
    pub(super) args: &'c [NodeId],
    pub(super) values: &'c [Typed],
    /// The object of a member function.
    pub(super) object: Option<&'c Object>,
}

/// The parameters of a function that fit the arguments of a call.
struct FittingParameters {
    types: Vec<Ty>,
    /// For each parameter, true if it is a reference.
    references: Vec<bool>,
    /// The rank of the conversion of each argument.
    ranks: Vec<Rank>,
    /// The fault of a parameter of unknown type.
    unknown: Option<Fault>,
}

impl Candidate {
    /// True if overload resolution prefers the candidate to another one. This requires that no conversion is worse. It
    /// also requires that one conversion is better, that only the other candidate is a template, or that the candidate
    /// is a template with more special packs.
    fn is_better(&self, other: &Self) -> bool {
        // The ranks of different calls or of different numbers of arguments are not comparable, so the sums of the
        // distances decide.
        if self.call != other.call || self.ranks.len() != other.ranks.len() {
            return self.distance < other.distance;
        }
        let is_same = |index: usize| {
            self.declared(index) == other.declared(index) && self.types.get(index) == other.types.get(index)
        };
        let mut pairs = self.ranks.iter().zip(&other.ranks).enumerate();
        let is_once_better = pairs.any(|(index, (a, b))| !is_same(index) && a.is_less(*b));
        let only_other_is_template = self.head.template.is_empty() && !other.head.template.is_empty();
        let is_more_special =
            !self.head.template.is_empty() && self.head.packs.are_more_special(&other.head.packs);
        self.is_no_worse_except(other, is_same)
            && (is_once_better || only_other_is_template || is_more_special)
    }

    /// The index of the definition.
    pub(super) fn function(&self) -> usize {
        self.function
    }

    /// The rank of the conversion of each argument.
    pub(super) fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// The passing of a parameter.
    pub(super) fn passing(&self, index: usize) -> Option<Passing> {
        self.head.params.get(index).map(|(declared, ..)| declared.passing)
    }

    /// True if no conversion of an argument is worse than for another candidate.
    pub(super) fn is_no_worse(&self, other: &Self) -> bool {
        self.is_no_worse_except(other, |index| self.declared(index) == other.declared(index))
    }

    /// True if no conversion is worse than for another candidate, except of the arguments for which `is_same` is true.
    fn is_no_worse_except(&self, other: &Self, is_same: impl Fn(usize) -> bool) -> bool {
        let mut pairs = self.ranks.iter().zip(&other.ranks).enumerate();
        pairs.all(|(index, (a, b))| is_same(index) || a.is_at_most(*b))
    }

    /// The class of a parameter, as the definition writes it.
    fn declared(&self, index: usize) -> Option<&str> {
        self.head.params.get(index).map(|(declared, ..)| declared.path.as_str())
    }

    /// A member function of a class, called with arguments of these types.
    pub(super) fn of_class(class: Option<String>, function: usize, head: Head, types: Vec<Ty>) -> Self {
        let params = head.params.iter().zip(&types);
        let references = params.map(|((declared, ..), &ty)| is_reference(declared, ty, || false)).collect();
        let (templates, results) = (HashMap::new(), Vec::new());
        Self {
            function,
            head,
            class,
            object: None,
            templates,
            types,
            references,
            results,
            ranks: Vec::new(),
            distance: 0,
            unknown: None,
            call: 0,
        }
    }
}

impl<'a, 'b> Lower<'a, 'b> {
    /// The functions of the source files.
    pub(in crate::frontend::cxx) fn functions(&self) -> Option<&'b Functions> {
        self.request.resolver.helpers()?.functions.as_deref()
    }

    /// A call of a function from the source files; `None` if the files have no function that takes the arguments, or if
    /// the function stays a native.
    pub(in crate::frontend::cxx) fn helper_call(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        if self.functions().is_none_or(|functions| functions.named(&name.path).is_empty()) {
            return Ok(None);
        }
        let values = self.arguments(name, args)?;
        self.helper_call_of(node, name, args, &values)
    }

    /// A call of a method that `library.h` defines for a built-in class; `None` for another method.
    pub(in crate::frontend::cxx) fn method_of_library(
        &mut self,
        node: NodeId,
        object: NodeId,
        on: Typed,
        method: &str,
        template: &[TypeName],
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let classes: &[&str] = match on.ty {
            Ty::STR => &["StringRef"],
            Ty::AP_INT => &["APInt"],
            Ty::AP_FLOAT => &["APFloat"],
            ty if self.b.is_signed_number(ty) => &["APSInt", "APInt"],
            Ty { item: Item::Type(class), form: Form::One } if class.is_a(TypeClass::Shaped) => {
                &["ShapedType"]
            }
            Ty { form: Form::One, item: Item::Op(_) } => &["Operation"],
            Ty { form: Form::One, item: Item::Attr(AttrClass::Dictionary) } => &["DictionaryAttr"],
            Ty { item: Item::Bool, form: Form::Range } => &["BitVector", "ArrayRef"],
            Ty { form: Form::Range, .. } => &["ArrayRef"],
            _ => return Ok(None),
        };
        let all: Vec<NodeId> = std::iter::once(object).chain(args.iter().copied()).collect();
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        for class in classes {
            let name = TypeName::plain(format!("{class}_{method}"), lo, hi);
            let name = TypeName { args: template.to_vec(), ..name };
            if let Some(e) = self.helper_call(node, &name, &all)? {
                return Ok(Some(e));
            }
        }
        Ok(None)
    }

    /// The values of the arguments of a call. The types of `auto` parameters of a lambda follow from the declaration of
    /// the called function or, if it does not state them, from the calls of the lambda in that function.
    fn arguments(&mut self, name: &TypeName, args: &[NodeId]) -> Result<Vec<Typed>, Fault> {
        let mut stated = Vec::with_capacity(args.len());
        for (index, &arg) in args.iter().enumerate() {
            let is_generic = self.in_function && self.is_generic_function(arg);
            stated.push(if is_generic { self.stated_parameters(name, index) } else { None });
        }
        let is_generic = |this: &mut Self, arg| this.in_function && this.is_generic_function(arg);
        if !args.iter().any(|&arg| is_generic(self, arg)) {
            let mut values = self.items(args, None)?;
            for (index, (value, &arg)) in values.iter_mut().zip(args).enumerate() {
                *value = self.function_of_signature(arg, *value, name, index)?;
            }
            return Ok(values);
        }
        let mut values = Vec::with_capacity(args.len());
        for (&arg, types) in args.iter().zip(&stated) {
            values.push(match types {
                Some(types) => self.function_argument(arg, types)?,
                // The calls of this argument are not known yet.
                None if is_generic(self, arg) => {
                    let unknown = self.build(arg, |b| b.fail("a function without types"))?;
                    Typed { ty: Ty::one(Item::Lambda), ..unknown }
                }
                None => self.expression(arg, None)?,
            });
        }
        if stated.iter().zip(args).any(|(types, &arg)| types.is_none() && is_generic(self, arg)) {
            let applied = self.applied_types(name, args, &values)?;
            for (index, &arg) in args.iter().enumerate() {
                if stated[index].is_none() && is_generic(self, arg) {
                    values[index] = match applied.get(&index) {
                        Some(types) => self.function_argument(arg, types)?,
                        None => self.expression(arg, None)?,
                    };
                }
            }
        }
        for (index, (value, &arg)) in values.iter_mut().zip(args).enumerate() {
            *value = self.function_of_signature(arg, *value, name, index)?;
        }
        Ok(values)
    }

    /// The types of the arguments with which the called function calls those of its parameters that are functions, by
    /// the number of the parameter. Parameters that are called with different types are left out.
    fn applied_types(
        &mut self,
        name: &TypeName,
        args: &[NodeId],
        values: &[Typed],
    ) -> Result<HashMap<usize, Vec<Ty>>, Fault> {
        let mut types: HashMap<usize, Vec<Ty>> = HashMap::new();
        let Some(helpers) = self.request.resolver.helpers() else { return Ok(types) };
        let Some(functions) = self.functions() else { return Ok(types) };
        let Some(&node) = args.first() else { return Ok(types) };
        let call = Call { node, name, args, values, object: None };
        let named = functions.free(name, &self.enclosing);
        let Some(chosen) = self.choose(functions, &[(&named, &call)])?.chosen else { return Ok(types) };
        // The call itself reports a function that does not compile.
        drop(self.instance(helpers, functions, &chosen));
        let applied = helpers.applied.borrow();
        let mut different = Vec::new();
        for Applied { number, types: given } in applied.get(&self.key(&chosen)).into_iter().flatten() {
            if types.entry(*number).or_insert_with(|| given.clone()) != given {
                different.push(*number);
            }
        }
        different.iter().for_each(|number| drop(types.remove(number)));
        Ok(types)
    }

    /// True for a lambda with a parameter `auto`, for the name of such a lambda, and for `std::plus<>()`.
    fn is_generic_function(&mut self, node: NodeId) -> bool {
        if self.is_operator_object(node) {
            return true;
        }
        let lambda = match &self.ast[node].kind {
            NodeKind::Name(name) => match self.scope.iter().rev().find(|(bound, _)| *bound == name.path) {
                Some((_, Bound::Lambda(lambda))) => self.named_lambdas[*lambda].node,
                _ => return false,
            },
            _ => node,
        };
        match &self.ast[lambda].kind {
            NodeKind::Lambda(params, ..) => params.iter().any(|(ty, _)| ty.path == "auto"),
            _ => false,
        }
    }

    /// The parameter types of a function that is passed as the argument with this number. `None` unless all functions
    /// with the name `name` declare the same types.
    pub(super) fn stated_parameters(&mut self, name: &TypeName, index: usize) -> Option<Vec<Ty>> {
        let functions = self.functions()?;
        let mut found: Option<Vec<Ty>> = None;
        for function in functions.named(&name.path) {
            let head = head(functions, function).ok()?;
            let (declared, ..) = head.params.get(index)?;
            let is_function = matches!(declared.path.as_str(), "function_ref" | "function");
            let params = declared.args.get(1..).filter(|_| is_function)?;
            let types: Option<Vec<Ty>> =
                params.iter().map(|param| self.static_type_in_function(param)).collect();
            let types = types?;
            if found.as_ref().is_some_and(|found| *found != types) {
                return None;
            }
            found = Some(types);
        }
        found
    }

    /// The result type of a function that is passed as the argument with this number. `None` unless all functions with
    /// the name `name` declare the same type.
    pub(super) fn stated_result(&mut self, name: &TypeName, index: usize) -> Option<Ty> {
        let functions = self.functions()?;
        let mut found = None;
        for function in functions.named(&name.path) {
            let head = head(functions, function).ok()?;
            let (declared, ..) = head.params.get(index)?;
            let is_function = matches!(declared.path.as_str(), "function_ref" | "function");
            let result = declared.args.first().filter(|_| is_function)?;
            let result = self.static_type_in_function(result)?;
            if found.is_some_and(|found| found != result) {
                return None;
            }
            found = Some(result);
        }
        found
    }

    /// A call of a function from the source files with these values. If `args` is empty, functions with reference
    /// parameters do not take the values.
    pub(super) fn helper_call_of(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
        values: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let Some(functions) = self.functions() else { return Ok(None) };
        let call = Call { node, name, args, values, object: None };
        if let Some((object, class)) = self.own_object().filter(|_| !name.is_qualified()) {
            let class = self.b.class_of(object.value.ty).unwrap_or(class);
            if !functions.methods(&class, &name.path).is_empty() {
                let own = functions.members(&class, &name.path);
                return self.overloaded(&own, &Call { object: Some(&object), ..call });
            }
        }
        let mut named = functions.free(name, &self.enclosing);
        if let Some(of_library) = self.library_instead(functions, &named, &call)? {
            return self.overloaded(&of_library, &call);
        }
        // Argument-dependent lookup finds the functions of the namespace `llvm`.
        let is_number = |value: &Typed| matches!(value.ty, Ty::AP_INT | Ty::AP_FLOAT);
        if named.is_empty() && !name.is_qualified() && values.iter().any(is_number) {
            named = functions.free(&TypeName { namespace: Some("llvm"), ..name.clone() }, &self.enclosing);
        }
        let is_in_std = || !name.is_qualified() && self.is_in_std(name);
        let is_in_llvm = || functions.uses_llvm(self.text, &self.enclosing, &self.usings, name);
        if named.is_empty() && self.in_function && is_in_std() {
            named = functions.free(&TypeName { namespace: Some("std"), ..name.clone() }, &self.enclosing);
        }
        if named.is_empty() && self.in_function && !name.is_qualified() && is_in_llvm() {
            named = functions.free(&TypeName { namespace: Some("llvm"), ..name.clone() }, &self.enclosing);
        }
        self.overloaded(&named, &call)
    }

    /// A call of one of several functions; an error if none takes the arguments or the chosen one stays a native.
    pub(super) fn required_call(&mut self, named: &[usize], call: &Call<'_>) -> Lowered {
        let made = self.overloaded(named, call)?;
        made.ok_or_else(|| error::unknown_function(&call.name.path, call.name.lo, call.name.hi))
    }

    /// A call of one of several functions, chosen by the types of the arguments; `None` if none takes the arguments or
    /// the chosen one stays a native.
    pub(super) fn overloaded(&mut self, named: &[usize], call: &Call<'_>) -> Result<Option<Typed>, Fault> {
        self.overloaded_among(&[(named, call)])
    }

    /// A call of an operator that the source files define for an enumeration. An operator applies only if an operand
    /// and its parameter have the same enumeration type. Returns `None` if no operator applies, because the operator is
    /// then built in.
    pub(super) fn overloaded_for_enumeration(
        &mut self,
        named: &[usize],
        call: &Call<'_>,
    ) -> Result<Option<Typed>, Fault> {
        let Some(functions) = self.functions() else { return Ok(None) };
        let Choice { chosen, unreadable } = self.choose(functions, &[(named, call)])?;
        let takes = |chosen: &Candidate| {
            let mut operands = chosen.types.iter().zip(call.values);
            operands.any(|(&ty, value)| ty == value.ty && ty.is_enumeration())
        };
        match chosen {
            Some(chosen) if takes(&chosen) => self.required_call(&[chosen.function], call).map(Some),
            _ if unreadable.is_some() => self.required_call(named, call).map(Some),
            _ => Ok(None),
        }
    }

    /// A call that can be written in several forms (`a.operator+(b)` and `operator+(a, b)`), each with its functions.
    /// The types of the arguments choose the form and the function.
    pub(super) fn overloaded_among(
        &mut self,
        calls: &[(&[usize], &Call<'_>)],
    ) -> Result<Option<Typed>, Fault> {
        let Some(helpers) = self.request.resolver.helpers() else { return Ok(None) };
        let Some(functions) = self.functions() else { return Ok(None) };
        let Choice { chosen, unreadable } = self.choose(functions, calls)?;
        let Some(chosen) = chosen else {
            let first = calls.iter().find_map(|(named, call)| Some((*named.first()?, *call)));
            let Some((first, call)) = first else { return Ok(None) };
            // If the functions are builders or belong to the library, the caller reports that none fits.
            if functions.is_of_library(first) || functions.is_builder(first) && unreadable.is_none() {
                return Ok(None);
            }
            let (function, problem) = match unreadable {
                Some((function, fault)) => (function, problem(functions, function, &fault)),
                None => {
                    let types: Vec<String> = call.values.iter().map(|value| self.b.show(value.ty)).collect();
                    let name = &functions.definition(first).name;
                    let reason = format!("it does not take the arguments ({})", types.join(", "));
                    (first, Problem { reason, span: functions.span(first, name.start, name.end) })
                }
            };
            helpers.report(function, problem);
            return Ok(None);
        };
        let Some((_, call)) = calls.get(chosen.call) else { return Ok(None) };
        match self.call_chosen(helpers, functions, &chosen, call) {
            Ok(e) => Ok(Some(e)),
            Err(Refused::Fault(fault)) => Err(fault),
            Err(Refused::Problem(function, problem)) if self.in_function => {
                Err(self.refused_call(functions, function, &problem.reason, call.node))
            }
            // A native replaces the function.
            Err(Refused::Problem(function, problem)) => {
                helpers.refuse();
                helpers.report(function, problem);
                Ok(None)
            }
        }
    }

    /// A call of a function whose parameters `head` states.
    pub(super) fn call_with_head(
        &mut self,
        functions: &'b Functions,
        function: usize,
        head: Head,
        call: &Call<'_>,
    ) -> Lowered {
        let (lo, hi) = (self.ast[call.node].lo, self.ast[call.node].hi);
        let unfit = || error::unknown_function(&call.name.path, lo, hi);
        let helpers = self.request.resolver.helpers().ok_or_else(unfit)?;
        let chosen = self.candidate(functions, function, head, call).ok_or_else(unfit)?;
        if let Some(fault) = &chosen.unknown {
            return Err(self.refused_call(functions, function, &fault.message, call.node));
        }
        self.call_chosen(helpers, functions, &chosen, call).map_err(|refused| match refused {
            Refused::Fault(fault) => fault,
            Refused::Problem(function, problem) => {
                self.refused_call(functions, function, &problem.reason, call.node)
            }
        })
    }

    /// The fault of a call of a function that stays a native for this reason.
    fn refused_call(&self, functions: &Functions, function: usize, reason: &str, node: NodeId) -> Fault {
        let name = functions.definition(function).path.last().map_or("", String::as_str);
        let reason = format!("it calls '{name}' ({}): {reason}", functions.place(function));
        error::outside(&reason, self.ast[node].lo, self.ast[node].hi)
    }

    /// The function that a call denotes.
    fn choose(&mut self, functions: &Functions, calls: &[(&[usize], &Call<'_>)]) -> Result<Choice, Fault> {
        let mut candidates = Vec::new();
        let mut unreadable = None;
        for (number, (named, call)) in calls.iter().enumerate() {
            for function in self.of_specialised_class(functions, named, call.node, call.name)? {
                let template_args = call.name.own_args().len();
                let packs = Packs::of_call(functions, function, template_args, call.values.len());
                let head = packs
                    .and_then(|packs| packs.map(|packs| head_with(functions, function, packs)).transpose());
                match head {
                    Ok(Some(head)) => {
                        let candidate = self.candidate(functions, function, head, call);
                        candidates.extend(candidate.map(|of| Candidate { call: number, ..of }));
                    }
                    // A variadic template does not take this number of arguments.
                    Ok(None) => {}
                    Err(fault) => unreadable = Some((function, fault)),
                }
            }
        }
        let unknown =
            candidates.iter().find_map(|candidate| Some((candidate.function, candidate.unknown.clone()?)));
        let mut chosen = self.best(functions, candidates, calls)?;
        // A function that takes the arguments without conversions is at least as good as any other function.
        let is_certain = |chosen: &Candidate| chosen.unknown.is_none() && chosen.distance <= 1;
        if let Some(found) = unknown
            && !chosen.as_ref().is_some_and(is_certain)
        {
            if self.in_function
                && let (function, fault) = &found
                && let Some((_, call)) = calls.first()
            {
                return Err(self.refused_call(functions, *function, &fault.message, call.node));
            }
            (chosen, unreadable) = (None, Some(found));
        }
        let chosen = chosen.map(|chosen| self.specialised(functions, chosen, calls)).transpose()?;
        Ok(Choice { chosen, unreadable })
    }

    /// The candidate for a definition; `None` if the definition cannot be read or does not take the arguments.
    pub(super) fn read_candidate(
        &mut self,
        functions: &Functions,
        function: usize,
        call: &Call<'_>,
    ) -> Option<Candidate> {
        let head = head(functions, function).ok()?;
        self.candidate(functions, function, head, call)
    }

    /// The function of a list that fits a call best.
    pub(super) fn chosen_candidate(
        &mut self,
        functions: &Functions,
        named: &[usize],
        call: &Call<'_>,
    ) -> Result<Option<Candidate>, Fault> {
        Ok(self.choose(functions, &[(named, call)])?.chosen)
    }

    /// The specialisation of a template for the arguments of a call, or the template itself if there is none.
    fn specialised(
        &mut self,
        functions: &Functions,
        chosen: Candidate,
        calls: &[(&[usize], &Call<'_>)],
    ) -> Result<Candidate, Fault> {
        let Some((_, call)) = calls.get(chosen.call) else { return Ok(chosen) };
        let bare = TypeName { args: Vec::new(), ..call.name.clone() };
        let plain = Call { name: &bare, ..**call };
        for function in functions.specialisations(chosen.function) {
            let Some(candidate) = head(functions, function)
                .ok()
                .and_then(|head| self.candidate(functions, function, head, &plain))
                .filter(|candidate| candidate.types == chosen.types)
            else {
                continue;
            };
            // If the specialisation states no template arguments, the types of the parameters determine them.
            let definition = functions.definition(function);
            let arguments = match &definition.arguments {
                Some(range) => {
                    let text = functions.text(function);
                    let tokens = tokens(text, range)?;
                    functions.parser(&tokens, text, &definition.path).template_args()?.unwrap_or_default()
                }
                None => Vec::new(),
            };
            let mut params = chosen.head.template.iter().zip(&arguments);
            let fits = params.all(|(param, stated)| {
                chosen.templates.get(&param.name).is_some_and(|given| self.is_argument(given, stated))
            });
            if fits && call.name.args.is_empty() {
                match self.has_classes_of(functions, &chosen, function, call) {
                    Some(true) => {}
                    Some(false) => continue,
                    None => {
                        let what = "a choice of a specialisation by a class that is not known";
                        let (lo, hi) = (self.ast[call.node].lo, self.ast[call.node].hi);
                        return Err(error::unsupported(what, lo, hi));
                    }
                }
            }
            let is_byte = |template: &Template| matches!(template, Template::Ty(ty) if *ty == CHAR);
            if fits && call.name.args.is_empty() && chosen.templates.values().any(is_byte) {
                return Err(error::choice_by_byte(self.ast[call.node].lo, self.ast[call.node].hi));
            }
            let site = functions.site(self.text, call.name.lo, &self.enclosing, &self.usings);
            if fits && functions.may_exist_without(chosen.function, function, &site) {
                let places = [functions.place(chosen.function), functions.place(function)];
                let (lo, hi) = (self.ast[call.node].lo, self.ast[call.node].hi);
                return Err(error::conditional(&call.name.path, &places, lo, hi));
            }
            if fits {
                return Ok(Candidate { call: chosen.call, ..candidate });
            }
        }
        Ok(chosen)
    }

    /// True if the classes in C++ of the arguments are those that a specialisation states for the template parameters.
    /// `None` if a class is unknown, because the static type of the argument represents several classes.
    fn has_classes_of(
        &self,
        functions: &Functions,
        template: &Candidate,
        specialisation: usize,
        call: &Call<'_>,
    ) -> Option<bool> {
        let (stated, _) = parameters(functions, specialisation, &Packs::default()).ok()?;
        let pairs = template.head.params.iter().zip(&stated).zip(call.args.iter().zip(&template.types));
        let mut all = Some(true);
        for (((declared, ..), (stated, ..)), (&arg, ty)) in pairs {
            if template.head.template.iter().all(|param| param.name != declared.path) {
                continue;
            }
            let has_long_long = |index: usize| functions.text(index).contains("long long");
            match (ty.form, ty.item) {
                (Form::One, Item::Str | Item::Value) | (Form::Range, _) => match self.class_in_cxx(arg) {
                    Some(class) if class == stated.path => {}
                    Some(_) => return Some(false),
                    None => all = None,
                },
                // `long` and `long long` are one type here.
                (Form::One, Item::Int(IntTy { bits: 64, .. }))
                    if has_long_long(specialisation) || self.text.contains("long long") =>
                {
                    all = None;
                }
                _ => {}
            }
        }
        all
    }

    /// The type that a name denotes in the functions of the source files.
    pub(super) fn static_type_in_function(&mut self, name: &TypeName) -> Option<Ty> {
        let outer = std::mem::replace(&mut self.in_function, true);
        let ty = self.static_type(name);
        self.in_function = outer;
        ty
    }

    /// The candidate that fits a call best; `None` without candidates.
    fn best(
        &self,
        functions: &Functions,
        mut candidates: Vec<Candidate>,
        calls: &[(&[usize], &Call<'_>)],
    ) -> Result<Option<Candidate>, Fault> {
        let Some((_, call)) = calls.first() else { return Ok(None) };
        let (lo, hi) = (self.ast[call.node].lo, self.ast[call.node].hi);
        let changes = |candidate: &Candidate| candidate.object.map(|(_, changes)| changes);
        let object = call.object.filter(|_| {
            let any = |wanted: bool| candidates.iter().any(|candidate| changes(candidate) == Some(wanted));
            any(true) && any(false)
        });
        match object.map(|object| object.is_const) {
            None => {}
            // Only `const` functions take a `const` object.
            Some(Some(true)) => candidates.retain(|candidate| changes(candidate) != Some(true)),
            Some(Some(false)) => {}
            Some(None) => {
                let what = "a choice between a 'const' and a non-'const' member function for this object";
                return Err(error::unsupported(what, lo, hi));
            }
        }
        let text_of = |function: usize| {
            let definition = functions.definition(function);
            &functions.text(function)[definition.params.start..definition.body.end]
        };
        let site = functions.site(self.text, call.name.lo, &self.enclosing, &self.usings);
        // If the preprocessor excludes a function, a call denotes another function that takes the arguments.
        let alternatives: Vec<(usize, usize)> = candidates
            .iter()
            .filter_map(|candidate| {
                let is_other = |other: &&Candidate| {
                    functions.may_exist_without(other.function, candidate.function, &site)
                        && text_of(other.function) != text_of(candidate.function)
                };
                Some((candidate.function, candidates.iter().find(is_other)?.function))
            })
            .collect();
        // A function that only another file sees is chosen only if there is no other function.
        let is_elsewhere = |candidate: &Candidate| functions.is_elsewhere(candidate.function, self.text);
        if !candidates.iter().all(is_elsewhere) {
            candidates.retain(|candidate| !is_elsewhere(candidate));
        }
        // Of the scopes around the call that have functions with this name, lookup searches only the innermost.
        // Argument-dependent lookup finds further functions. A member operator does not hide other operators.
        if calls.len() == 1 {
            self.remove_later(functions, &site, call, &mut candidates)?;
        }
        let depth = |candidate: &Candidate| functions.depth_in(candidate.function, &site);
        if calls.len() == 1
            && !call.name.is_qualified()
            && let Some(deepest) = candidates.iter().filter_map(depth).max()
        {
            let is_hidden = |candidate: &Candidate| depth(candidate) != Some(deepest);
            let finds =
                |candidate: &Candidate| self.is_found_by_argument(functions, candidate.function, call.values);
            let is_found = |candidate: &Candidate| !is_hidden(candidate) || finds(candidate) == Some(true);
            let found = candidates.iter().filter(|candidate| is_found(candidate));
            let least = found.map(|candidate| candidate.distance).min();
            // A function that fits worse is not chosen, whether or not it is found.
            let is_unclear = |candidate: &Candidate| {
                is_hidden(candidate)
                    && finds(candidate).is_none()
                    && least.is_none_or(|least| candidate.distance <= least)
            };
            if candidates.iter().any(is_unclear) {
                let what = "a choice between functions of several scopes for these arguments";
                return Err(error::unsupported(what, lo, hi));
            }
            candidates.retain(is_found);
        }
        // A string literal is a better argument for `bool` than for a class.
        let mut literals =
            (0..).zip(call.args).filter(|(_, arg)| matches!(self.ast[**arg].kind, NodeKind::Str(_)));
        let takes_bool =
            |index: usize| candidates.iter().any(|candidate| candidate.types.get(index) == Some(&Ty::BOOL));
        if candidates.len() > 1 && literals.any(|(index, _)| takes_bool(index)) {
            return Err(error::unsupported(
                "a choice between 'bool' and a class for a string literal",
                lo,
                hi,
            ));
        }
        let is_choice_by_byte = |(index, value): (usize, &Typed)| {
            let takes =
                |candidate: &Candidate| candidate.types.get(index).copied().filter(|&ty| is_number(ty));
            // A template takes both `char` and `int8_t` without a conversion.
            let functions = candidates.iter().filter(|candidate| candidate.head.template.is_empty());
            let mut numbers = functions.filter_map(takes);
            value.ty == CHAR && numbers.clone().any(|ty| ty == CHAR) && numbers.any(|ty| ty != CHAR)
        };
        if call.values.iter().enumerate().any(is_choice_by_byte) {
            return Err(error::choice_by_byte(lo, hi));
        }
        let is_worse = |of: &Candidate| candidates.iter().any(|other| other.is_better(of));
        let worse: Vec<bool> = candidates.iter().map(is_worse).collect();
        let mut worse = worse.into_iter();
        candidates.retain(|_| worse.next() == Some(false));
        // For an object that is not `const`, a function that may change it is better.
        if candidates.iter().any(|candidate| changes(candidate) == Some(true)) {
            candidates.retain(|candidate| changes(candidate) != Some(false));
        }
        // If several functions fit equally well, a call in correct C++ denotes the function of the innermost scope.
        let deepest = candidates.iter().map(|candidate| depth(candidate).unwrap_or(0)).max();
        candidates.retain(|candidate| Some(depth(candidate).unwrap_or(0)) == deepest);
        let mut candidates = candidates.into_iter();
        let Some(chosen) = candidates.next() else { return Ok(None) };
        // The same function may be defined in several files, so only definitions with different texts are ambiguous.
        match candidates.find(|other| text_of(other.function) != text_of(chosen.function)) {
            Some(other) => {
                let places = [functions.place(chosen.function), functions.place(other.function)];
                Err(error::ambiguous(&call.name.path, &places, lo, hi))
            }
            None => match alternatives.iter().find(|(function, _)| *function == chosen.function) {
                Some(&(function, other)) => {
                    let places = [functions.place(function), functions.place(other)];
                    Err(error::conditional(&call.name.path, &places, lo, hi))
                }
                None => Ok(Some(chosen)),
            },
        }
    }

    /// Removes the functions that are declared only after a call, unless there are no others.
    fn remove_later(
        &self,
        functions: &Functions,
        site: &Site<'_>,
        call: &Call<'_>,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), Fault> {
        // The only function is chosen in any case.
        if candidates.len() < 2 {
            return Ok(());
        }
        let in_scope = |candidate: &Candidate| {
            call.name.is_qualified() || functions.depth_in(candidate.function, site).is_some()
        };
        let by_argument = |candidate: &Candidate| {
            self.is_found_by_argument(functions, candidate.function, call.values) != Some(false)
        };
        // Argument-dependent lookup in a template also finds later functions.
        let is_later = |candidate: &Candidate| {
            functions.is_later(candidate.function, site)
                && (self.templates.is_empty() || !by_argument(candidate))
        };
        let (later, visible): (Vec<_>, Vec<_>) = candidates.drain(..).partition(is_later);
        // A function outside of the scopes around the call does not hide others.
        let is_around = |candidate: &&Candidate| {
            candidate.object.is_some() || in_scope(candidate) || by_argument(candidate)
        };
        let found = visible.iter().filter(is_around);
        let Some(least) = found.map(|candidate| candidate.distance).min() else {
            *candidates = visible;
            candidates.extend(later);
            return Ok(());
        };
        // A header that is not read can declare the function.
        let is_unclear = |other: &Candidate| {
            in_scope(other) && !functions.is_local(other.function) && other.distance <= least
        };
        if later.iter().any(is_unclear) {
            let what = "a choice of a function that is defined after the call";
            return Err(error::unsupported(what, self.ast[call.node].lo, self.ast[call.node].hi));
        }
        *candidates = visible;
        Ok(())
    }

    /// The candidate for a definition; `None` if the definition does not take the arguments.
    fn candidate(
        &mut self,
        functions: &Functions,
        function: usize,
        mut head: Head,
        call: &Call<'_>,
    ) -> Option<Candidate> {
        let (name, values) = (call.name, call.values);
        if values.len() < head.params.len() && head.params.iter().all(|(.., default)| default.is_none()) {
            add_defaults(functions, function, &mut head);
        }
        let required = head.params.iter().filter(|(.., default)| default.is_none()).count();
        let (definition, text) = (functions.definition(function), functions.text(function));
        let is_of_template = definition.class_template.params.is_some();
        let of_class = definition.class_params(text).map_or(&[][..], |_| &name.scope_args[..]);
        let own = if is_of_template { name.own_args() } else { &name.args[..] };
        if values.len() < required
            || values.len() > head.params.len()
            || of_class.len() > head.class_params
            || own.len() > head.template.len() - head.class_params
        {
            return None;
        }
        let mut templates = HashMap::new();
        let (class_params, own_params) = head.template.split_at(head.class_params);
        for (param, arg) in class_params.iter().zip(of_class).chain(own_params.iter().zip(own)) {
            // The functions of `library.h` convert values to their type arguments, so these types must be known.
            let is_known = !functions.is_of_library(function)
                || !param.is_type
                || self.static_type(arg).is_some_and(|ty| !ty.is_unknown());
            if !is_known {
                return None;
            }
            let outer = self.templates.clone();
            let constant = &mut |name: &TypeName| self.constant_argument(call.node, name);
            let given = template_argument(param, arg, &outer, constant)?;
            templates.insert(param.name.clone(), self.in_declared_type(param, given)?);
        }
        // A member of a class template sees the template arguments of its class.
        let is_sibling = definition.class_params(text).is_some()
            && definition.template.is_none()
            && self.class_scope == definition.class();
        for param in head.template.iter().filter(|_| is_sibling) {
            if let Some(given) = self.templates.get(&param.name) {
                templates.entry(param.name.clone()).or_insert_with(|| given.clone());
            }
        }
        let ast = self.ast;
        let is_list = |index: usize| {
            call.args.get(index).is_some_and(|&arg| matches!(ast[arg].kind, NodeKind::Braces(_)))
        };
        let stated: Vec<String> = templates.keys().cloned().collect();
        // A string literal or a number is no range, so it cannot determine the type of the elements of a range.
        let is_no_range = |index: usize, value: &Typed| {
            let is_literal =
                call.args.get(index).is_some_and(|&arg| matches!(ast[arg].kind, NodeKind::Str(_)));
            is_literal || is_number(value.ty)
        };
        for (index, ((ty, ..), value)) in head.params.iter().zip(values).enumerate() {
            let of_elements = deduced(&head.template, ty, Ty::range(Item::Bool));
            let is_undetermined = |(name, deduced): (&str, Ty)| {
                deduced == Ty::BOOL && !stated.iter().any(|stated| stated == name)
            };
            if !functions.is_of_library(function)
                && of_elements.is_some_and(is_undetermined)
                && is_no_range(index, value)
            {
                return None;
            }
        }
        for (index, ((ty, ..), value)) in head.params.iter().zip(values).enumerate() {
            let given = self.type_in_cxx(call.args.get(index).copied(), *value);
            // A list in braces determines no template parameter.
            let Some((name, deduced)) = deduced(&head.template, ty, given)
                .filter(|(name, _)| !is_list(index) && !stated.iter().any(|stated| stated == name))
            else {
                continue;
            };
            // Deduction converts no class to another one, except to a base class.
            let is_other = |class: String| {
                let bases = [("SmallVector", "SmallVectorImpl"), ("MutableArrayRef", "ArrayRef")];
                let is_list = |class: &str| {
                    matches!(class, "ArrayRef" | "vector")
                        || bases.iter().any(|(a, b)| [*a, *b].contains(&class))
                };
                let is_base = bases.contains(&(&class, &ty.path));
                ty.path != class && !is_base && is_list(&class) && is_list(&ty.path)
            };
            let given = call.args.get(index).and_then(|&arg| self.class_in_cxx(arg));
            if ty.path != name && !functions.is_of_library(function) && given.is_some_and(is_other) {
                return None;
            }
            match templates.get(name) {
                // Two numbers must determine the same type. The static types of other arguments may differ, because
                // they can be more precise than the types in C++.
                Some(Template::Ty(known)) if is_number(*known) && is_number(deduced) && *known != deduced => {
                    return None;
                }
                Some(_) => {}
                None => drop(templates.insert(name.to_owned(), Template::Ty(deduced))),
            }
        }
        for param in &head.template {
            if let Some(default) = &param.default
                && !templates.contains_key(&param.name)
            {
                // A default argument can name the parameters before it.
                let given = template_argument(param, default, &templates, &mut |_| None)?;
                templates.insert(param.name.clone(), self.in_declared_type(param, given)?);
            }
        }
        let is_undetermined = |param: &TemplateParameter| {
            let mut naming =
                (0..).zip(&head.params).filter(|(_, (ty, ..))| names_type(ty, &param.name)).peekable();
            !templates.contains_key(&param.name)
                && naming.peek().is_some()
                && naming.all(|(index, (ty, ..))| is_list(index) && ty.path != "initializer_list")
        };
        if head.template.iter().any(is_undetermined) {
            return None;
        }
        // Type names in the parameters are resolved in the scope of the function.
        let outer = (
            std::mem::replace(&mut self.templates, templates),
            std::mem::replace(&mut self.in_function, true),
        );
        let class = functions.definition(function).class();
        let path = functions.definition(function).path.clone();
        let scopes = (
            std::mem::replace(&mut self.class_scope, class.clone()),
            std::mem::replace(&mut self.enclosing, path),
        );
        let undetermined: Vec<&String> = head
            .template
            .iter()
            .map(|param| &param.name)
            .filter(|name| !self.templates.contains_key(*name))
            .collect();
        self.templates.extend(undetermined.iter().map(|&name| (name.clone(), Template::Ty(Ty::UNKNOWN))));
        let fitting = self.parameter_types(functions, function, &head, call);
        for name in undetermined {
            self.templates.remove(name);
        }
        (self.class_scope, self.enclosing) = scopes;
        let templates = std::mem::replace(&mut self.templates, outer.0);
        self.in_function = outer.1;
        let FittingParameters { types, references, ranks, unknown } = fitting?;
        let sum: u32 = ranks.iter().map(|rank| rank.least).sum();
        // Of a template and a function that fit equally well, C++ chooses the function.
        let distance = 2 * sum + u32::from(!head.template.is_empty());
        let is_data = |ty: Ty| matches!(ty.item, Item::Tuple(_));
        let object = call.object.map(|object| object.value.ty);
        // A static function has no object.
        let object = object.filter(|&ty| !is_data(ty) || functions.object_class(function).is_some());
        let object = object.map(|ty| (ty, is_data(ty) && !functions.is_const(function)));
        let result_of = |((declared, ..), &value): (&Parameter, &Typed)| {
            let is_template =
                declared.path == "auto" || head.template.iter().any(|param| param.name == declared.path);
            let result = self.b.lambda_result(value);
            let is_known = !result.is_unknown() && result != Ty::NULL;
            (is_template && value.ty.item == Item::Lambda && is_known).then_some(result)
        };
        let results = head.params.iter().zip(values).map(result_of).collect();
        Some(Candidate {
            function,
            head,
            class,
            object,
            templates,
            types,
            references,
            results,
            ranks,
            distance,
            unknown,
            call: 0,
        })
    }

    /// The parameters of a function; `None` if an argument of the call does not fit.
    fn parameter_types(
        &mut self,
        functions: &Functions,
        function: usize,
        head: &Head,
        call: &Call<'_>,
    ) -> Option<FittingParameters> {
        let (args, values) = (call.args, call.values);
        let constructs = functions.definition(function).is_constructor(functions.text(function));
        let (mut types, mut references) = (Vec::new(), Vec::new());
        let (mut ranks, mut unknown) = (Vec::new(), None);
        for (index, (ty, name, default)) in head.params.iter().enumerate() {
            // A default argument that is a null pointer, `nullopt` or an object is not converted.
            let is_object = default.is_some_and(|default| match &head.ast[default].kind {
                NodeKind::Name(name) => matches!(name.path.as_str(), "nullptr" | "nullopt"),
                NodeKind::Braces(items) => items.is_empty(),
                kind => matches!(kind, NodeKind::Construct(..)),
            });
            let given = match values.get(index) {
                Some(value) => value.ty,
                None if is_object => Ty::NULL,
                // A default argument of unknown type is probably a number.
                None if default.is_some() => Ty::one(Item::Int(IntTy::I64)),
                None => Ty::UNKNOWN,
            };
            let declared = match self.type_of_conversion(ty, given) {
                Ok(None) if ty.path == "auto" => {
                    let of_value = |value: &Typed| self.type_in_cxx(args.get(index).copied(), *value);
                    Some(values.get(index).map_or(given, of_value))
                }
                Ok(declared) => declared,
                Err(fault) => {
                    unknown = Some(fault);
                    None
                }
            };
            let want = declared.unwrap_or(Ty::UNKNOWN);
            types.push(want);
            let by_reference =
                is_reference(ty, want, || changes_parameter(functions, function, &head.packs, name));
            references.push(by_reference);
            let Some(&value) = values.get(index) else {
                if by_reference && ty.is_forwarding {
                    return None;
                }
                continue;
            };
            // The functions of `library.h` stand for functions with parameters of other classes.
            let names_class = ty.path != "auto"
                && !functions.is_of_library(function)
                && head.template.iter().all(|param| param.name != ty.path);
            let rank = if by_reference && ty.is_forwarding {
                // The changes of a constructor are not known to the caller.
                let &arg = args.get(index).filter(|_| !constructs)?;
                let of = forwarded(self.ast, arg);
                let is_variable = self.place(of, &mut Held::new()).is_ok_and(|place| place.is_some());
                let fits = value.ty == want || value.ty.is_unknown() || want.is_unknown();
                match fits || !is_variable {
                    true => Rank::exactly(0),
                    false => return None,
                }
            } else if by_reference {
                let &arg = args.get(index)?;
                // The argument is a variable of this type, or a symbol that the function does not change.
                let variable = self.b.as_output(value).is_some()
                    || self.is_symbol(arg) && !changes_parameter(functions, function, &head.packs, name)
                    || self.place(arg, &mut Held::new()).is_ok_and(|place| place.is_some());
                let same = value.ty == want
                    || value.ty.is_unknown()
                    || want.is_unknown()
                    || want.form == Form::Range && value.ty.form == Form::Range;
                let differs =
                    |(of, to): (Item, Item)| matches!((of, to), (Item::Int(of), Item::Int(to)) if of != to);
                if !variable || !same || differs((value.ty.item, want.item)) {
                    return None;
                }
                match value.ty == want {
                    true => self.rank(Some(arg), value, ty, want, names_class)?,
                    false => Rank::exactly(0),
                }
            } else if want == Ty::BUILDER && self.is_located_builder(value.ty) {
                Rank::exactly(1)
            } else {
                self.rank(args.get(index).copied(), value, ty, want, names_class)?
            };
            ranks.push(rank);
        }
        Some(FittingParameters { types, references, ranks, unknown })
    }

    fn call_chosen(
        &mut self,
        helpers: &'b Helpers,
        functions: &'b Functions,
        chosen: &Candidate,
        call: &Call<'_>,
    ) -> Result<Typed, Refused> {
        let node = call.node;
        let is_const_reference = |index: usize| {
            let declared = chosen.head.params.get(index).map(|(declared, ..)| declared);
            declared.is_some_and(|declared| declared.passing == Passing::ConstReference)
        };
        self.require_unchanged_arguments(node, call.args, is_const_reference)?;
        let stores_view = |index: usize| {
            let declared =
                chosen.head.params.get(index).filter(|_| chosen.references.get(index) == Some(&true));
            declared.is_some_and(|(declared, ..)| holds_view(declared))
        };
        if (0..call.args.len()).any(stores_view)
            || chosen.object.is_some_and(|(ty, changes)| changes && self.contains_views(ty))
        {
            self.require_fixed_stored(call.args, stores_view)?;
        }
        let (id, ty) = self.instance(helpers, functions, chosen)?;
        let params = || chosen.head.params.iter().zip(&chosen.types);
        let has_references =
            call.object.is_some_and(|object| object.place.is_some()) || chosen.references.contains(&true);
        let mut all = Arguments::new(has_references);
        if let (Some(object), Some((_, changes))) = (call.object, chosen.object) {
            self.pass_object(node, object, changes, &mut all)?;
        }
        for (index, ((declared, _, default), &want)) in params().enumerate() {
            let (given, arg) = (call.values.get(index).copied(), call.args.get(index).copied());
            if let Some(value) = given {
                let parameter = self.container_of_candidate(chosen, declared);
                let (lo, hi) = arg.map_or((self.ast[node].lo, self.ast[node].hi), |arg| {
                    (self.ast[arg].lo, self.ast[arg].hi)
                });
                let what = "a set or map as an argument of a parameter with another class";
                self.require_container((lo, hi), self.container_of(value), parameter, what)?;
            }
            match given {
                Some(value) if chosen.references.get(index) == Some(&true) => {
                    self.pass_reference(node, arg, (declared, want), value, &mut all)?;
                }
                _ => {
                    let value = match given {
                        Some(value) => value,
                        None => self.default_argument(functions, chosen, *default, want)?,
                    };
                    let converted = self.converted_argument(node, want, value)?;
                    let argument =
                        self.with_templates(chosen, |lower| lower.distinct(node, declared, converted))?;
                    self.pass_value(node, arg, (declared, want), argument, &mut all)?;
                }
            }
        }
        // In C++, the function would see a change of a variable through all references to it.
        if all.has_overlap() {
            return Err(Refused::Fault(error::shared_variable(self.ast[node].lo, self.ast[node].hi)));
        }
        let mut held = all.evaluated_first;
        held.append(&mut all.copies);
        let made = self.build(node, |b| b.call_function(id, &all.passed, &all.by_reference, ty))?;
        let made = self.store_back(node, all.stored_back, &mut held, made)?;
        let made = self.bind_held(node, held, made)?;
        if let Some(name) = &chosen.head.result {
            let container = self.container_of_candidate(chosen, name);
            self.set_container(made, container);
        }
        Ok(made)
    }

    /// The class of a range that the declaration of a function states for a parameter or the result.
    fn container_of_candidate(&mut self, chosen: &Candidate, name: &TypeName) -> Container {
        self.with_templates(chosen, |lower| lower.container_class(name))
    }

    /// Calls `make` with the template arguments of a candidate in scope.
    fn with_templates<T>(&mut self, chosen: &Candidate, make: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.templates, chosen.templates.clone());
        let made = make(self);
        self.templates = outer;
        made
    }

    fn default_argument(
        &mut self,
        functions: &'b Functions,
        chosen: &Candidate,
        default: Option<NodeId>,
        want: Ty,
    ) -> Result<Typed, Refused> {
        let Some(default) = default else {
            return Err(Refused::Fault(error::expected("an argument", 0, 0)));
        };
        let stated = chosen.head.defaults_of;
        let (text, name) = (functions.text(stated), &functions.definition(stated).name);
        if self.nesting >= NESTING_LIMIT {
            let fault = error::outside("it is reached through too many nested calls", name.start, name.end);
            return Err(Refused::Problem(chosen.function, problem(functions, stated, &fault)));
        }
        let mut inner = Lower {
            text,
            nesting: self.nesting + 1,
            templates: chosen.templates.clone(),
            in_function: true,
            class_scope: chosen.class.clone(),
            enclosing: functions.definition(stated).path.clone(),
            ..Lower::new(&chosen.head.ast, self.request, &mut *self.b)
        };
        let value =
            inner.expression(default, Some(want)).and_then(|e| inner.build(default, |b| b.returned(e, want)));
        value.map_err(|fault| Refused::Problem(chosen.function, problem(functions, stated, &fault)))
    }

    /// The function that is called, and the types for which it is compiled.
    fn key(&self, chosen: &Candidate) -> Key {
        let mut template: Vec<String> =
            chosen.templates.iter().map(|(name, to)| format!("{name}={}", to.text())).collect();
        template.sort_unstable();
        let results = chosen.results.iter().enumerate();
        template.extend(results.filter_map(|(index, result)| Some(format!("{index}()={:?}", (*result)?))));
        let object = chosen.object.iter().map(|&(ty, _)| ty);
        Key {
            function: chosen.function,
            params: object.chain(chosen.types.iter().copied()).collect(),
            template: template.join(","),
            matching: self.b.is_matching(),
        }
    }

    /// The compiled function for a call, with its result type.
    pub(super) fn instance(
        &mut self,
        helpers: &'b Helpers,
        functions: &'b Functions,
        chosen: &Candidate,
    ) -> Result<(FunctionId, Ty), Refused> {
        let function = chosen.function;
        let key = self.key(chosen);
        let known = helpers.instances.borrow().get(&key).cloned();
        match known {
            Some(Instance::Compiled(id, ty) | Instance::Started(id, Some(ty))) => return Ok((id, ty)),
            Some(Instance::Failed(problem)) => return Err(Refused::Problem(function, problem)),
            Some(Instance::Started(_, None)) => {
                let definition = functions.definition(function);
                let span = functions.span(function, definition.name.start, definition.name.end);
                let reason = "a recursive function must declare its result type".to_owned();
                return Err(Refused::Problem(function, Problem { reason, span }));
            }
            None => {}
        }
        let definition = functions.definition(function);
        let (name, span) = (
            definition.path.join("::"),
            functions.span(function, definition.name.start, definition.name.end),
        );
        let id =
            self.b.declare_function(&name, span).map_err(|e| Refused::Fault(error::ill_typed(&e, 0, 0)))?;
        let result = match self.compile_function(helpers, functions, chosen, id, &key) {
            Ok(ty) => Ok((id, ty)),
            Err(fault) => {
                let problem = problem(functions, function, &fault);
                // Functions that were compiled in the meantime may call this one, so they are removed.
                let mut instances = helpers.instances.borrow_mut();
                instances
                    .retain(|_, instance| !matches!(instance, Instance::Compiled(other, _) if *other > id));
                instances.insert(key, Instance::Failed(problem.clone()));
                return Err(Refused::Problem(function, problem));
            }
        };
        if let Ok((id, ty)) = result {
            helpers.instances.borrow_mut().insert(key, Instance::Compiled(id, ty));
        }
        result
    }

    fn compile_function(
        &mut self,
        helpers: &'b Helpers,
        functions: &'b Functions,
        chosen: &Candidate,
        id: FunctionId,
        key: &Key,
    ) -> Result<Ty, Fault> {
        let (definition, text) = (functions.definition(chosen.function), functions.text(chosen.function));
        let (lo, hi) = (definition.name.start, definition.name.end);
        if text[definition.body.clone()].starts_with(';') {
            return Err(error::outside("no specialisation of this template fits the call", lo, hi));
        }
        if !definition.closed {
            return Err(error::expected(
                "'}' at the end of the body",
                definition.body.start,
                definition.body.start + 1,
            ));
        }
        if self.nesting >= NESTING_LIMIT {
            return Err(error::outside("it is reached through too many nested calls", lo, hi));
        }
        if let Some((reason, at)) = functions.unread_macro_in(chosen.function, &definition.body) {
            return Err(error::outside(&reason, at, at + 1));
        }
        let Body { ast, body, initialisers, usings } =
            parse_body(functions, chosen.function, &chosen.head.packs)?;
        let mut references = Vec::new();
        let (request, nesting): (&'b Request<'b>, u32) = (self.request, self.nesting);
        self.b.with_function(|b| {
            let mut inner = Lower {
                text,
                templates: chosen.templates.clone(),
                in_function: true,
                class_scope: chosen.class.clone(),
                enclosing: definition.path.clone(),
                usings,
                nesting: nesting + 1,
                changed: changes(&ast, &initialisers, functions),
                ..Lower::new(&ast, request, b)
            };
            let result = match &chosen.head.result {
                None => None,
                Some(name) if name.path == "void" && name.passing == Passing::Value => Some(Ty::NULL),
                Some(name) => match inner.static_type(name) {
                    Some(ty) => Some(ty),
                    None => return Err(inner.unknown_type(name)),
                },
            };
            helpers.instances.borrow_mut().insert(key.clone(), Instance::Started(id, result));
            let names = inner.bind_parameters(functions, chosen, &mut references, (lo, hi))?;
            let value = match definition.is_constructor(text) {
                true => inner.constructor(body, &initialisers, result, names),
                false => with_room(|| inner.body(body, result)),
            };
            helpers.applied.borrow_mut().insert(key.clone(), std::mem::take(&mut inner.applied));
            let value = value?;
            let value = match &chosen.head.result {
                Some(name) => inner.distinct(body, name, value)?,
                None => value,
            };
            let declared = match &chosen.head.result {
                Some(name) => inner.container_class(name),
                None => Container::default(),
            };
            let what = "a set or map as a result of another type";
            inner.require_container((lo, hi), inner.returned_container, declared, what)?;
            let count = chosen.types.len() + usize::from(chosen.object.is_some());
            let count = u32::try_from(count).expect("a function has fewer than 2^32 parameters");
            let ty = result.unwrap_or(value.ty);
            // The lambda can use variables of the function, which end with the call.
            if ty.item == Item::Lambda {
                return Err(error::unsupported("a function that returns a function", lo, hi));
            }
            inner.b.define_function(id, count, references, value);
            Ok(ty)
        })
    }
}

impl Lower<'_, '_> {
    /// Binds the object and the parameters of a function. If the object or a parameter is passed by reference, adds its
    /// number to `references`. Returns the number of names in scope before the parameters.
    fn bind_parameters(
        &mut self,
        functions: &Functions,
        chosen: &Candidate,
        references: &mut Vec<u32>,
        (lo, hi): (usize, usize),
    ) -> Result<usize, Fault> {
        let mut first = 0;
        let mut object = None;
        if let Some((ty, changes)) = chosen.object {
            let local = self.b.new_local(ty).map_err(|e| error::ill_typed(&e, lo, hi))?;
            references.extend(changes.then_some(0));
            first = 1;
            object = Some(local);
            self.bind_object(local);
        }
        let params = chosen.head.params.iter();
        let names = params.clone().map(|(ty, name, _)| (ty, name.as_str()));
        self.find_constants(names, functions.is_const(chosen.function), object);
        let names = self.scope.len();
        let types = chosen.types.iter().zip(&chosen.references);
        let results = chosen.results.iter().copied().chain(std::iter::repeat(None));
        let params = params.zip(types).zip(results);
        let numbers = (0..).zip(first..);
        for ((index, number), (((declared, name, _), (&ty, &by_reference)), result)) in numbers.zip(params) {
            let local = self.b.new_local(ty);
            let local = local.map_err(|e| error::ill_typed(&e, declared.lo, declared.hi))?;
            if by_reference {
                references.push(number);
                if declared.passing == Passing::Pointer {
                    self.pointers.insert(local);
                }
            }
            self.declare_callable(local, declared, true)?;
            if let Some(result) = result {
                self.lambda_results.insert(local, result);
            }
            let is_template = chosen.head.template.iter().any(|param| param.name == declared.path);
            if ty.item == Item::Lambda && (is_template || declared.path == "auto") {
                self.function_params.insert(local, index);
            }
            self.declare_container(local, declared, Container::default());
            self.scope.push((name.clone(), Bound::Local(local)));
        }
        Ok(names)
    }
}

/// The reason why a call of a function does not compile.
pub(super) enum Refused {
    /// The call itself has a fault.
    Fault(Fault),
    /// The function is outside the language.
    Problem(usize, Problem),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Refused::Fault(fault)
    }
}

pub(super) fn problem(functions: &Functions, function: usize, fault: &Fault) -> Problem {
    let (lo, hi) = fault.range();
    let span: Span = functions.span(function, lo, hi);
    Problem { reason: fault.message.clone(), span }
}
