//! Parses statements, parameters and template headers.

use crate::frontend::cxx::ast::{Group, Initialiser, Node, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::int_type;
use crate::frontend::cxx::lex::{Token, TokenKind};
use crate::frontend::cxx::parse::{LocalUsing, NAMESPACES, Parsed, Parser};
use crate::snippet::{BinaryOp, IntTy};
use crate::stack::with_room;

/// A parameter: its type, its name, which may be empty, and its default value.
pub(in crate::frontend::cxx) type Parameter = (TypeName, String, Option<NodeId>);

/// A template parameter.
#[derive(Clone, Debug)]
pub(super) struct TemplateParameter {
    pub(super) name: String,
    /// True for `typename T`, false for a constant.
    pub(super) is_type: bool,
    /// The declared type of a constant.
    pub(super) ty: Option<TypeName>,
    pub(super) default: Option<TypeName>,
}

/// A declaration of an enumeration.
pub(super) struct Enumeration {
    pub(super) underlying: Option<TypeName>,
    pub(super) cases: Vec<(String, i128)>,
}

/// The value of a constant expression, and its type.
type Number = (i128, IntTy);

/// The kind of a member of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    Data,
    /// A constructor. The flag is true if it is declared `= default`.
    Constructor {
        defaulted: bool,
    },
    Other,
}

/// The members that a constructor initialises, each with the arguments and a flag that is true for braces.
pub(super) type Initialisers = Vec<(String, Vec<NodeId>, bool)>;

/// The members of a class.
pub(super) struct ClassBody {
    /// The declarations of the data members.
    pub(super) members: Vec<NodeId>,
    /// True if a constructor is declared without `= default`. Only constructors create objects of such a class.
    pub(super) has_constructors: bool,
    /// True if a constructor without parameters is declared `= default`.
    pub(super) has_default: bool,
}

/// The maximum size of an array whose elements are not all listed.
const ARRAY_LIMIT: u64 = 4_096;

/// True for the name of a type of numbers, except `char`.
fn is_number(ty: &TypeName) -> bool {
    let is_arithmetic =
        matches!(ty.path.as_str(), "bool" | "float" | "double") || int_type(&ty.path).is_some();
    is_arithmetic && ty.path != "char" && ty.passing == Passing::Value
}

/// The size of `std::array<T, N>` if it is a literal and the elements are numbers.
fn size_of_array(ty: &TypeName) -> Option<u64> {
    match (ty.path.as_str(), &ty.args[..]) {
        ("array", [element, size]) if is_number(element) => {
            size.path.parse().ok().filter(|&size| size <= ARRAY_LIMIT)
        }
        _ => None,
    }
}

impl Parser<'_> {
    /// Parses an enumeration whose enumerators have constant values. Returns `None` if the text is anything else.
    pub(super) fn enumeration(&mut self) -> Option<Enumeration> {
        if !self.eat_name("enum") {
            return None;
        }
        let _scoped = self.eat_name("class") || self.eat_name("struct");
        if matches!(self.token().kind, TokenKind::Name(_)) {
            self.bump();
        }
        let underlying = if self.eat(":") { Some(self.type_name().ok()?) } else { None };
        self.expect("{").ok()?;
        let mut cases: Vec<(String, Number)> = Vec::new();
        while !self.eat("}") {
            let name = self.variable_name().ok()?;
            let value = if self.eat("=") {
                let value = self.assignment().ok()?;
                self.constant(value, &cases)?
            } else {
                cases.last().map_or((0, IntTy::I32), |&(_, (last, ty))| (last + 1, ty))
            };
            cases.push((name, value));
            if !self.eat(",") {
                self.expect("}").ok()?;
                break;
            }
        }
        let cases = cases.into_iter().map(|(name, (value, _))| (name, value)).collect();
        Some(Enumeration { underlying, cases })
    }

    /// The value of an expression over numbers and earlier enumerators.
    fn constant(&self, node: NodeId, cases: &[(String, Number)]) -> Option<Number> {
        let promoted = |ty: IntTy| ty.common(IntTy::I32);
        with_room(|| {
            let (value, ty) = match &self.ast[node].kind {
                NodeKind::Int { value, ty } => (i128::from(*value), *ty),
                NodeKind::Char(value) => (i128::from(*value), IntTy::I8),
                NodeKind::Name(name) => {
                    let case = name.path.rsplit("::").next()?;
                    cases.iter().find(|(other, _)| other == case)?.1
                }
                NodeKind::Unary('-', of) => {
                    let (value, ty) = self.constant(*of, cases)?;
                    (-value, promoted(ty))
                }
                NodeKind::Cast(ty, of) => (self.constant(*of, cases)?.0, int_type(&ty.path)?),
                NodeKind::Binary(BinaryOp::Shl, a, b) => {
                    let ((value, ty), (by, _)) = (self.constant(*a, cases)?, self.constant(*b, cases)?);
                    let ty = promoted(ty);
                    (value << u32::try_from(by).ok().filter(|&by| by < u32::from(ty.bits))?, ty)
                }
                NodeKind::Binary(op, a, b) => {
                    let ((a, a_ty), (b, b_ty)) = (self.constant(*a, cases)?, self.constant(*b, cases)?);
                    let value = match op {
                        BinaryOp::Add => a + b,
                        BinaryOp::Sub => a - b,
                        BinaryOp::Or => a | b,
                        BinaryOp::And => a & b,
                        _ => return None,
                    };
                    (value, a_ty.common(b_ty))
                }
                _ => return None,
            };
            let value = i64::try_from(ty.wrap(value)).ok()?;
            Some((i128::from(value), ty))
        })
    }

    /// Parses the head of a class without base classes, and the opening brace. Returns `None` if the text is anything
    /// else.
    fn class_head(&mut self) -> Option<()> {
        if !self.eat_name("struct") && !self.eat_name("class") {
            return None;
        }
        self.variable_name().ok()?;
        self.eat_name("final");
        self.expect("{").ok()
    }

    /// Parses the class `class`. Returns `None` if it has base classes or members outside the language.
    pub(super) fn class_body(&mut self, class: &str) -> Option<ClassBody> {
        self.class_head()?;
        let mut body = ClassBody { members: Vec::new(), has_constructors: false, has_default: false };
        while !self.eat("}") {
            match self.skip_other_member(class)? {
                Member::Other => {}
                Member::Constructor { defaulted } => {
                    body.has_constructors |= !defaulted;
                    body.has_default |= defaulted;
                }
                Member::Data => {
                    self.declarations(&mut body.members).ok()?;
                    self.expect(";").ok()?;
                }
            }
        }
        Some(body)
    }

    /// Returns the kind of a member of the class `class`, and skips the member unless it is a data member. `None` if
    /// the member has no end, or if its body determines how objects are copied or destroyed.
    fn skip_other_member(&mut self, class: &str) -> Option<Member> {
        let first = match self.token().kind.clone() {
            TokenKind::Name(first) => first,
            TokenKind::Sign("~") => String::new(),
            _ => return Some(Member::Data),
        };
        if matches!(first.as_str(), "public" | "private" | "protected") {
            self.bump();
            self.expect(":").ok()?;
            return Some(Member::Other);
        }
        let mut is_other = matches!(
            first.as_str(),
            "static" | "using" | "typedef" | "friend" | "template" | "enum" | "struct" | "class"
        );
        // A parenthesis outside of template arguments belongs to a function.
        let (mut angles, mut is_constructor, mut copies, mut ahead) = (0, false, false, 0);
        loop {
            match self.ahead(ahead) {
                TokenKind::End => return None,
                TokenKind::Name(name) if name == "operator" => {
                    is_other = true;
                    copies |= *self.ahead(ahead + 1) == TokenKind::Sign("=");
                }
                TokenKind::Sign("~") => copies = true,
                TokenKind::Name(name)
                    if name == class && *self.ahead(ahead + 1) == TokenKind::Sign("(") && angles == 0 =>
                {
                    is_constructor = true;
                    let of = |by: usize| matches!(self.ahead(ahead + by), TokenKind::Name(of) if of == class);
                    let is_const = matches!(self.ahead(ahead + 2), TokenKind::Name(of) if of == "const");
                    copies |= of(2 + usize::from(is_const));
                }
                TokenKind::Sign("<") => angles += 1,
                TokenKind::Sign(">") => angles -= 1,
                TokenKind::Sign("(") if angles == 0 => {
                    is_other = true;
                    break;
                }
                TokenKind::Sign(";" | "{" | "=") if !copies => break,
                _ => {}
            }
            ahead += 1;
        }
        if !is_other {
            return Some(Member::Data);
        }
        let (mut defaulted, mut deleted) = (false, false);
        let mut open = 0_usize;
        loop {
            match self.bump().kind {
                TokenKind::End => return None,
                TokenKind::Sign("=") if open == 0 && self.is_name("default") => defaulted = true,
                TokenKind::Sign("=") if open == 0 && self.is_name("delete") => deleted = true,
                TokenKind::Sign("{" | "(" | "[") => open += 1,
                TokenKind::Sign(")" | "]") => open = open.checked_sub(1)?,
                TokenKind::Sign("}") => {
                    open = open.checked_sub(1)?;
                    // After the closing brace of an initialiser, another initialiser or the body follows.
                    if open == 0 && !self.is(",") && !self.is("{") {
                        self.eat(";");
                        break;
                    }
                }
                TokenKind::Sign(";") if open == 0 => break,
                _ => {}
            }
        }
        if copies && !defaulted && !deleted {
            return None;
        }
        let makes = is_constructor && !copies && !deleted;
        Some(if makes { Member::Constructor { defaulted } } else { Member::Other })
    }

    /// Parses `: a(x), b{y}` before the body of a constructor. Returns the names, each with the arguments and a flag
    /// that is true for braces.
    pub(super) fn initialisers(&mut self) -> Result<Initialisers, Fault> {
        let mut all = Vec::new();
        self.eat_name("noexcept");
        if !self.eat(":") {
            return Ok(all);
        }
        loop {
            let name = self.variable_name()?;
            let braces = self.eat("{");
            if !braces {
                self.expect("(")?;
            }
            let args = self.list(if braces { "}" } else { ")" })?;
            all.push((name, args, braces));
            if !self.eat(",") {
                return Ok(all);
            }
        }
    }

    /// Parses the statements after the opening brace of a body, and the closing brace. `lo` is the place of the opening
    /// brace.
    pub(in crate::frontend::cxx) fn rest_of_block(&mut self, lo: usize) -> Parsed {
        let mut statements = Vec::new();
        let (before, lambdas) = (self.usings.len(), self.lambda_defaults.len());
        let variables = self.variables.len();
        while !self.eat("}") {
            if self.token().kind == TokenKind::End {
                return Err(self.unexpected("'}'"));
            }
            self.statement(&mut statements)?;
        }
        let hi = self.before();
        for used in self.usings.iter_mut().skip(before) {
            used.hi.get_or_insert(hi);
        }
        self.lambda_defaults.truncate(lambdas);
        self.leave_scope(variables);
        Ok(self.node(NodeKind::Block(statements), lo))
    }

    /// Parses a statement as one node.
    fn one_statement(&mut self) -> Parsed {
        let lo = self.here();
        let mut statements = Vec::new();
        self.statement(&mut statements)?;
        Ok(match statements[..] {
            [one] if !matches!(self.ast[one].kind, NodeKind::Declare { .. } | NodeKind::Unpack { .. }) => one,
            _ => self.node(NodeKind::Block(statements), lo),
        })
    }

    /// Parses a statement. A declaration of several variables adds several nodes.
    pub(in crate::frontend::cxx) fn statement(&mut self, into: &mut Vec<NodeId>) -> Result<(), Fault> {
        let variables = self.variables.len();
        self.deeper(|p| p.statement_inside(into))?;
        let declares = |&node: &NodeId| {
            matches!(self.ast[node].kind, NodeKind::Declare { .. } | NodeKind::Unpack { .. })
        };
        if !into.last().is_some_and(declares) {
            self.leave_scope(variables);
        }
        Ok(())
    }

    fn statement_inside(&mut self, into: &mut Vec<NodeId>) -> Result<(), Fault> {
        let lo = self.here();
        self.attributes()?;
        if self.eat(";") {
            return Ok(());
        }
        if self.eat("{") {
            into.push(self.rest_of_block(lo)?);
            return Ok(());
        }
        let TokenKind::Name(word) = self.token().kind.clone() else {
            // `::llvm::StringRef name;`
            if self.is("::") && self.declares_variable(false) {
                self.declarations(into)?;
                return self.expect(";");
            }
            return self.expression_statement(into);
        };
        let node = match word.as_str() {
            "return" => {
                self.bump();
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                value.map(|value| self.builds(value));
                self.node(NodeKind::Return(value), lo)
            }
            "break" | "continue" => {
                self.bump();
                self.expect(";")?;
                self.node(if word == "break" { NodeKind::Break } else { NodeKind::Continue }, lo)
            }
            "if" => {
                self.bump();
                self.eat_name("constexpr");
                let (declarations, condition) = self.condition()?;
                let then = self.one_statement()?;
                let otherwise = if self.eat_name("else") { Some(self.one_statement()?) } else { None };
                self.node(NodeKind::If { declarations, condition, then, otherwise }, lo)
            }
            "while" => {
                self.bump();
                let (declarations, condition) = self.condition()?;
                let body = self.one_statement()?;
                let condition = Some(condition);
                self.node(NodeKind::Loop { init: Vec::new(), declarations, condition, step: None, body }, lo)
            }
            "do" => {
                self.bump();
                let body = self.one_statement()?;
                if !self.eat_name("while") {
                    return Err(self.unexpected("'while'"));
                }
                self.expect("(")?;
                let condition = self.expression()?;
                self.expect(")")?;
                self.expect(";")?;
                self.node(NodeKind::DoWhile(body, condition), lo)
            }
            "for" => self.for_statement(lo)?,
            "switch" => self.switch_statement(lo)?,
            "using" if *self.ahead(2) != TokenKind::Sign("=") => {
                self.bump();
                let is_namespace = self.eat_name("namespace");
                if self.is_name("enum") {
                    return Err(error::statement("using enum …", lo, self.token().hi));
                }
                let mut name = Vec::new();
                while !self.eat(";") {
                    match self.bump().kind {
                        TokenKind::Name(part) => name.push(part),
                        TokenKind::Sign("::") => {}
                        _ => return Err(self.unexpected("';'")),
                    }
                }
                let is_class = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
                if let [outer @ .., last] = &name[..]
                    && !is_namespace
                    && is_class(last)
                    && outer.iter().any(|part| !NAMESPACES.contains(&part.as_str()))
                {
                    let known = usize::from(NAMESPACES.contains(&name[0].as_str()));
                    let ty = TypeName::plain(name[known..].join("::"), lo, self.before());
                    self.local_aliases.push((last.clone(), ty));
                }
                self.usings.push(LocalUsing { name, is_namespace, lo, hi: None });
                return Ok(());
            }
            "using" => {
                self.bump();
                let name = self.variable_name()?;
                self.expect("=")?;
                let ty = self.type_name()?;
                return self.local_alias(name, ty, lo);
            }
            "static" if matches!(self.ahead(1), TokenKind::Name(next) if next == "const" || next == "constexpr") =>
            {
                self.bump();
                self.declarations(into)?;
                return self.expect(";");
            }
            "const" | "constexpr" if matches!(self.ahead(1), TokenKind::Name(next) if next == "static") => {
                self.bump();
                self.bump();
                self.declarations_of(true, into)?;
                return self.expect(";");
            }
            // The scanner finds the classes of a body.
            "struct" | "class" if matches!(self.ahead(2), TokenKind::Sign("{")) => {
                self.bump();
                self.bump();
                self.skip_group("{", "}")?;
                return self.expect(";");
            }
            "typedef" => {
                self.bump();
                let ty = self.type_name()?;
                let name = self.variable_name()?;
                return self.local_alias(name, ty, lo);
            }
            "static" | "goto" | "try" | "throw" | "asm" | "struct" | "class" => {
                return Err(error::statement(&format!("{word} …"), lo, self.token().hi));
            }
            // These macros have no effect in a release build.
            "LLVM_DEBUG" | "DEBUG_WITH_TYPE" | "LDBG" if *self.ahead(1) == TokenKind::Sign("(") => {
                while !self.eat(";") {
                    match self.token().kind {
                        TokenKind::Sign("(") => self.skip_group("(", ")")?,
                        TokenKind::Sign("{") => self.skip_group("{", "}")?,
                        TokenKind::End => return Err(self.unexpected("';'")),
                        _ => drop(self.bump()),
                    }
                }
                return Ok(());
            }
            "static_assert" => {
                while !self.eat(";") {
                    if self.bump().kind == TokenKind::End {
                        return Err(self.unexpected("';'"));
                    }
                }
                return Ok(());
            }
            _ if self.declares_variable(false) => {
                self.declarations(into)?;
                return self.expect(";");
            }
            _ => return self.expression_statement(into),
        };
        into.push(node);
        Ok(())
    }

    /// Declares an alias. `lo` is the start of the declaration.
    fn local_alias(&mut self, name: String, ty: TypeName, lo: usize) -> Result<(), Fault> {
        if ty.is_too_large() {
            return Err(error::too_deep(lo));
        }
        self.local_aliases.push((name, ty));
        self.expect(";")
    }

    fn expression_statement(&mut self, into: &mut Vec<NodeId>) -> Result<(), Fault> {
        let lo = self.here();
        let expression = self.expression()?;
        let expression = self.loop_of_for_each(expression);
        self.expect(";")?;
        into.push(match self.builds(expression) {
            true => self.node(NodeKind::Return(Some(expression)), lo),
            false => expression,
        });
        Ok(())
    }

    /// Skips `[[attributes]]`.
    fn attributes(&mut self) -> Result<(), Fault> {
        while self.is("[") && *self.ahead(1) == TokenKind::Sign("[") {
            self.skip_group("[", "]")?;
        }
        Ok(())
    }

    /// True if a declaration of variables starts at the current token.
    fn declares_variable(&self, in_condition: bool) -> bool {
        let mut probe = self.probe();
        probe.eat_name("constexpr");
        let Ok(ty) = probe.type_name() else { return false };
        match &probe.token().kind {
            // A condition has no declaration with parentheses: `a && b(c)` is an expression.
            TokenKind::Name(_) if in_condition => {
                matches!(probe.ahead(1), TokenKind::Sign("=" | "{" | ":" | ";"))
            }
            TokenKind::Name(_) => {
                matches!(probe.ahead(1), TokenKind::Sign("=" | ";" | "(" | "{" | "," | ":" | "["))
            }
            TokenKind::Sign("[") => ty.path == "auto",
            _ => false,
        }
    }

    /// `T a = e, b(c)` without the semicolon.
    pub(super) fn declarations(&mut self, into: &mut Vec<NodeId>) -> Result<(), Fault> {
        let constant = self.eat_name("constexpr");
        self.declarations_of(constant, into)
    }

    /// [`Self::declarations`] after the specifiers. `constant` is true if the specifiers make the variables constant.
    fn declarations_of(&mut self, constant: bool, into: &mut Vec<NodeId>) -> Result<(), Fault> {
        let lo = self.here();
        let mut ty = self.type_name()?;
        ty.is_const |= constant;
        if self.is("[") {
            let names = self.unpacked_names()?;
            self.expect("=")?;
            let value = self.assignment()?;
            names.iter().for_each(|name| self.add_variable(name));
            into.push(self.node(NodeKind::Unpack { ty, names, value }, lo));
            return Ok(());
        }
        loop {
            let name = self.variable_name()?;
            let (declared, size) =
                if self.is("[") { self.array_of(&ty)? } else { (ty.clone(), size_of_array(&ty)) };
            self.add_variable(&name);
            let init = if self.eat("=") {
                Initialiser::Value(self.assignment()?)
            } else if self.eat("(") {
                Initialiser::Arguments(self.list(")")?)
            } else if self.eat("{") {
                Initialiser::Braces(self.list("}")?)
            } else if let (Some(value), "SmallVector") = (size, declared.path.as_str()) {
                Initialiser::Arguments(vec![self.node(NodeKind::Int { value, ty: IntTy::I32 }, lo)])
            } else {
                Initialiser::Default
            };
            let init = self.with_zeros(init, size, lo);
            self.declared(&name, init.first());
            into.push(self.node(NodeKind::Declare { ty: declared, name, init }, lo));
            if !self.eat(",") {
                return Ok(());
            }
            // A `*` or `&` belongs to one declarator only.
            ty.is_forwarding = self.eat("&&");
            ty.passing = match (self.eat("*"), self.eat("&"), ty.passing) {
                (true, false, _) => Passing::Pointer,
                (false, true, Passing::ConstReference) => Passing::ConstReference,
                (false, true, _) => Passing::Reference,
                _ => Passing::Value,
            };
        }
    }

    /// The list of the values of an array, with zeros for the elements that it does not list.
    fn with_zeros(&mut self, init: Initialiser, size: Option<u64>, lo: usize) -> Initialiser {
        let items = match &init {
            Initialiser::Value(list) => match &self.ast[*list].kind {
                NodeKind::Braces(items) => items,
                _ => return init,
            },
            Initialiser::Braces(items) => items,
            _ => return init,
        };
        let is_nested = |&item: &NodeId| matches!(self.ast[item].kind, NodeKind::Braces(_));
        let missing = size.map_or(0, |size| size.saturating_sub(items.len() as u64));
        if missing == 0 || items.iter().any(is_nested) {
            return init;
        }
        let mut all = items.clone();
        for _ in 0..missing {
            all.push(self.node(NodeKind::Int { value: 0, ty: IntTy::I32 }, lo));
        }
        match init {
            Initialiser::Value(_) => Initialiser::Value(self.node(NodeKind::Braces(all), lo)),
            _ => Initialiser::Braces(all),
        }
    }

    /// The type of the array `T name[…]`, and its size if the size is a literal and the elements are numbers. The array
    /// becomes a vector, or a string if `T` is `char`.
    fn array_of(&mut self, element: &TypeName) -> Result<(TypeName, Option<u64>), Fault> {
        self.expect("[")?;
        let size = if self.is("]") { None } else { Some(self.assignment()?) };
        self.expect("]")?;
        let stated = match size.map(|size| &self.ast[size].kind) {
            Some(&NodeKind::Int { value, .. }) => Some(value),
            _ => None,
        };
        if let Some(size) = size
            && let Some(size) = self.size_argument(element, size)
        {
            let args = vec![element.clone(), size];
            return Ok((TypeName { path: "array".to_owned(), args, ..element.clone() }, None));
        }
        let stated = stated.filter(|_| is_number(element)).filter(|&size| size <= ARRAY_LIMIT);
        if !self.is("=") && !self.is("{") && stated.is_none() {
            return Err(error::unsupported("an array without a value", element.lo, element.hi));
        }
        let mut probe = self.probe();
        probe.eat("=");
        let listed = if probe.eat("{") { probe.list("}").ok().map(|list| list.len() as u64) } else { None };
        let is_whole = match (size.map(|size| &self.ast[size].kind), listed) {
            (None, _) | (_, None) => true,
            (Some(NodeKind::Int { value, .. }), Some(listed)) => *value == listed || stated.is_some(),
            // If the size is not a literal, a list of one element is usually `{0}`, which sets all elements.
            (Some(_), Some(listed)) => listed > 1,
        };
        if !is_whole {
            return Err(error::unsupported(
                "an array with fewer values than elements",
                element.lo,
                element.hi,
            ));
        }
        if element.path == "char" && element.passing != Passing::Pointer {
            let text = TypeName { path: "StringRef".to_owned(), passing: Passing::Value, ..element.clone() };
            return Ok((text, None));
        }
        let args = vec![element.clone()];
        Ok((TypeName { path: "SmallVector".to_owned(), args, ..element.clone() }, stated))
    }

    /// The size `N` of `T name[N]` as a template argument, unless the elements are numbers and `N` is a literal.
    fn size_argument(&self, element: &TypeName, size: NodeId) -> Option<TypeName> {
        let Node { kind, lo, hi } = &self.ast[size];
        match kind {
            _ if element.path == "char" => None,
            NodeKind::Name(name) if name.args.is_empty() => Some(name.clone()),
            NodeKind::Int { value, .. } if !is_number(element) => {
                Some(TypeName::plain(value.to_string(), *lo, *hi))
            }
            _ => None,
        }
    }

    fn variable_name(&mut self) -> Result<String, Fault> {
        match self.bump() {
            Token { kind: TokenKind::Name(name), .. } => Ok(name),
            token => Err(error::expected("a name", token.lo, token.hi)),
        }
    }

    /// Parses `[a, b]`.
    fn unpacked_names(&mut self) -> Result<Vec<String>, Fault> {
        self.expect("[")?;
        let mut names = vec![self.variable_name()?];
        while self.eat(",") {
            names.push(self.variable_name()?);
        }
        self.expect("]")?;
        Ok(names)
    }

    /// Parses `(declarations; condition)`.
    fn condition(&mut self) -> Result<(Vec<NodeId>, NodeId), Fault> {
        self.expect("(")?;
        let lo = self.here();
        let mut declarations = Vec::new();
        let mut condition = None;
        loop {
            if self.declares_variable(true) {
                self.declarations(&mut declarations)?;
            } else {
                condition = Some(self.expression()?);
            }
            if self.eat(")") {
                break;
            }
            self.expect(";")?;
            declarations.extend(condition.take());
        }
        // Without an expression, the last declaration is the condition.
        let condition = match (condition, declarations.last().map(|&last| &self.ast[last].kind)) {
            (Some(condition), _) => condition,
            (None, Some(NodeKind::Declare { name, .. })) => {
                let hi = self.before();
                let name = TypeName::plain(name.clone(), lo, hi);
                self.node(NodeKind::Name(name), lo)
            }
            _ => return Err(self.unexpected("a condition")),
        };
        Ok((declarations, condition))
    }

    /// Replaces a call `llvm::for_each(range, [&](T &x) { … })` by a loop, because only a loop can change the elements.
    /// Returns any other expression unchanged.
    fn loop_of_for_each(&mut self, expression: NodeId) -> NodeId {
        let ast = &self.ast;
        let NodeKind::Call(callee, args) = &ast[expression].kind else { return expression };
        let (NodeKind::Name(name), &[range, lambda]) = (&ast[*callee].kind, &args[..]) else {
            return expression;
        };
        let NodeKind::Lambda(params, _, body, copies) = &ast[lambda].kind else { return expression };
        let ([(ty, param)], NodeKind::Name(of)) = (&params[..], &ast[range].kind) else { return expression };
        let (lo, hi) = (ast[lambda].lo, ast[lambda].hi);
        let inside = || ast.iter().filter(|node| lo <= node.lo && node.hi <= hi);
        let returns = inside().any(|node| matches!(node.kind, NodeKind::Return(_)));
        // If the lambda captures the range by copy, the name denotes the copy, whose elements the loop does not change.
        let names_range =
            inside().any(|node| matches!(&node.kind, NodeKind::Name(name) if name.path == of.path));
        let is_block = matches!(ast[*body].kind, NodeKind::Block(_));
        if name.path != "for_each"
            || name.namespace.is_none()
            || ty.passing != Passing::Reference
            || returns
            || names_range && !copies.is_empty()
            || !is_block
        {
            return expression;
        }
        let (ty, names, body, lo) = (ty.clone(), vec![param.clone()], *body, ast[expression].lo);
        self.node(NodeKind::ForEach { ty, names, range, body }, lo)
    }

    fn for_statement(&mut self, lo: usize) -> Parsed {
        self.bump();
        self.expect("(")?;
        if let Some((ty, names)) = self.range_declaration() {
            let range = self.expression()?;
            self.expect(")")?;
            names.iter().for_each(|name| self.add_variable(name));
            let body = self.one_statement()?;
            return Ok(self.node(NodeKind::ForEach { ty, names, range, body }, lo));
        }
        let mut init = Vec::new();
        if !self.eat(";") {
            if self.declares_variable(false) {
                self.declarations(&mut init)?;
            } else {
                init.push(self.expression()?);
            }
            self.expect(";")?;
        }
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        let body = self.one_statement()?;
        Ok(self.node(NodeKind::Loop { init, declarations: Vec::new(), condition, step, body }, lo))
    }

    /// `T name :` or `auto [a, b] :`.
    fn range_declaration(&mut self) -> Option<(TypeName, Vec<String>)> {
        let mut probe = self.probe();
        let ty = probe.type_name().ok()?;
        let names = match probe.is("[") {
            true => probe.unpacked_names().ok()?,
            false => vec![probe.variable_name().ok()?],
        };
        if !probe.eat(":") {
            return None;
        }
        self.at = probe.at;
        Some((ty, names))
    }

    fn switch_statement(&mut self, lo: usize) -> Parsed {
        self.bump();
        self.expect("(")?;
        let subject = self.expression()?;
        self.expect(")")?;
        self.expect("{")?;
        let mut groups: Vec<Group> = Vec::new();
        while !self.eat("}") {
            let label = if self.eat_name("case") {
                let label = self.label()?;
                Some(Some(label))
            } else if self.is_name("default") && *self.ahead(1) == TokenKind::Sign(":") {
                self.bump();
                Some(None)
            } else {
                None
            };
            match (label, groups.last_mut()) {
                (Some(label), last) => {
                    self.expect(":")?;
                    match last {
                        Some(group) if group.statements.is_empty() => group.labels.push(label),
                        _ => groups.push(Group { labels: vec![label], statements: Vec::new() }),
                    }
                }
                (None, Some(_)) => {
                    if self.token().kind == TokenKind::End {
                        return Err(self.unexpected("'}'"));
                    }
                    let mut statements = Vec::new();
                    self.statement(&mut statements)?;
                    if let Some(group) = groups.last_mut() {
                        group.statements.extend(statements);
                    }
                }
                (None, None) => return Err(self.unexpected("'case'")),
            }
        }
        Ok(self.node(NodeKind::Switch(subject, groups), lo))
    }

    /// A label of a `switch`: an expression without the conditional operator.
    fn label(&mut self) -> Parsed {
        self.operand()
    }

    /// Parses the parameters of a function or lambda, and the closing parenthesis.
    pub(in crate::frontend::cxx) fn parameters(&mut self) -> Result<Vec<Parameter>, Fault> {
        let mut params = Vec::new();
        while !self.eat(")") {
            self.attributes()?;
            let ty = self.type_name()?;
            let name = match &self.token().kind {
                TokenKind::Name(name) => name.clone(),
                _ => String::new(),
            };
            if !name.is_empty() {
                self.bump();
            }
            let default = if self.eat("=") { Some(self.assignment()?) } else { None };
            params.push((ty, name, default));
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(params)
    }

    /// `<typename T, int N>` after `template`.
    pub(super) fn template_parameters(&mut self) -> Result<Vec<TemplateParameter>, Fault> {
        self.expect("<")?;
        let mut params = Vec::new();
        while !self.eat(">") {
            let is_type = self.eat_name("typename") || self.eat_name("class");
            let ty = if is_type { None } else { Some(self.type_name()?) };
            if self.is("...") {
                let token = self.token();
                return Err(error::unsupported("a variadic template", token.lo, token.hi));
            }
            let name = match &self.token().kind {
                TokenKind::Name(name) => name.clone(),
                _ => String::new(),
            };
            if !name.is_empty() {
                self.bump();
            }
            let default = match self.eat("=") {
                true if is_type => Some(self.template_arg()?),
                true => Some(self.constant_or_type(0)?),
                false => None,
            };
            params.push(TemplateParameter { name, is_type, ty, default });
            if !self.eat(",") {
                self.expect(">")?;
                break;
            }
        }
        Ok(params)
    }
}
