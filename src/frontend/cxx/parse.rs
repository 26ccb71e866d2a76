//! Parses tokens into a syntax tree by recursive descent over C++ expressions.
//!
//! A body of the statements `auto x = e;`, `if (c) return e;` and `return e;` becomes an expression.
//! `function/parse.rs` parses bodies with other statements.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::ast::{Ast, Node, NodeId, NodeKind, Passing, TypeName};
use super::error::{self, Fault};
use super::lex::{Token, TokenKind};
use crate::snippet::BinaryOp;
use crate::stack::with_room;

/// The maximum depth of the recursion. A pair of parentheses takes about three levels.
const DEPTH_LIMIT: u32 = 240;

/// The maximum length of a chain of aliases.
const ALIAS_LIMIT: usize = 16;

/// An operator that the lexer splits into two tokens.
const SHIFT_RIGHT: &str = ">>";

/// The well-known namespaces. A name has its namespace in [`TypeName::namespace`], and not in its path.
pub(super) const NAMESPACES: &[&str] = &["mlir", "llvm", "std"];

/// The binary operators that are words.
const BINARY_OPERATOR_NAMES: &[&str] =
    &["and", "or", "xor", "bitand", "bitor", "not_eq", "and_eq", "or_eq", "xor_eq"];

/// Names of arithmetic types in C-style and functional casts.
pub(super) const ARITHMETIC: &[&str] = &[
    "bool",
    "char",
    "short",
    "int",
    "long",
    "unsigned",
    "signed",
    "float",
    "double",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
];

/// The compound assignments.
const COMPOUND: &[(&str, BinaryOp)] = &[
    ("+=", BinaryOp::Add),
    ("-=", BinaryOp::Sub),
    ("*=", BinaryOp::Mul),
    ("/=", BinaryOp::Div),
    ("%=", BinaryOp::Rem),
    ("&=", BinaryOp::And),
    ("|=", BinaryOp::Or),
    ("^=", BinaryOp::Xor),
    ("<<=", BinaryOp::Shl),
    (">>=", BinaryOp::Shr),
];

/// A parser over tokens. The last token is [`TokenKind::End`].
pub(super) struct Parser<'a> {
    tokens: &'a [Token],
    pub(super) at: usize,
    depth: u32,
    /// True if every body is parsed as statements. Otherwise, a body is parsed as one expression if it has that form.
    pub(super) in_statements: bool,
    /// The aliases that the files declare outside of functions.
    pub(super) aliases: Arc<Aliases>,
    /// The number of the file that contains the text; `None` for generated code.
    pub(super) file: Option<usize>,
    /// The scopes around the text.
    pub(super) scopes: Arc<[String]>,
    /// The aliases that the text declares, each with its type.
    pub(super) local_aliases: Vec<(String, TypeName)>,
    /// The names of the template parameters in the text. They hide the names of the files.
    pub(super) template_names: Vec<String>,
    /// The variables and parameters in scope. Such a name is never the name of a template.
    pub(super) variables: Arc<Vec<String>>,
    /// The ambiguous names, each with the qualified name that it has in the scopes around the text.
    pub(super) resolved_names: Arc<ResolvedNames>,
    /// Each `using namespace` in the text.
    pub(super) usings: Vec<LocalUsing>,
    /// The names in the body of a builder; `None` in another text.
    pub(super) builder: Option<BuilderNames>,
    /// The function templates of the files. Only their template arguments can be constant expressions, because
    /// `a < b - 1, c > (d)` has another meaning if `a` is a variable.
    pub(super) function_templates: Arc<HashSet<String>>,
    /// The variables that hold lambdas with default arguments, each with the default of each parameter. A default that
    /// is not a literal is left out, because its names can have other meanings at the call.
    pub(super) lambda_defaults: Vec<(String, Vec<Option<NodeId>>)>,
    /// The last lambda, and the default of each of its parameters.
    last_lambda: Option<(NodeId, Vec<Option<NodeId>>)>,
    /// The tokens `<` that open no template arguments, so that `a < a < a` takes linear time.
    not_templates: HashSet<usize>,
    pub(super) ast: Ast,
}

/// The names that the body of a builder uses in calls of other builders.
#[derive(Clone, Debug)]
pub(super) struct BuilderNames {
    /// The parameter of the type `OpBuilder`.
    pub(super) builder: String,
    /// The parameter of the type `OperationState`.
    pub(super) state: String,
    /// The class of the operation.
    pub(super) class: String,
    /// True if the body calls another builder.
    pub(super) builds: bool,
}

/// A `using namespace a;` or `using a::b;` in a function.
#[derive(Clone, Debug)]
pub(super) struct LocalUsing {
    /// The parts of the name, as written.
    pub(super) name: Vec<String>,
    /// True for `using namespace`.
    pub(super) is_namespace: bool,
    /// The byte at which the directive starts.
    pub(super) lo: usize,
    /// The end of the block around it; `None` without a block.
    pub(super) hi: Option<usize>,
}

impl LocalUsing {
    /// True if the `using` is visible at this byte.
    pub(super) fn applies_at(&self, at: usize) -> bool {
        self.lo < at && self.hi.is_none_or(|hi| at < hi)
    }
}

/// An alias of a type or namespace outside of functions.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    /// The scopes around the alias, and its name.
    pub(super) path: Vec<String>,
    /// The number of namespaces around the outermost class; `None` outside of classes.
    pub(super) namespaces: Option<usize>,
    /// The type or namespace; `None` if it is outside the language.
    pub(super) of: Option<TypeName>,
    /// The number of the file, if other files do not see the alias.
    pub(super) only_in: Option<usize>,
    /// The number of the file that declares the alias.
    pub(super) file: usize,
    /// The branches of conditionals that contain the alias, and that the compiler may include or exclude.
    pub(super) branches: Vec<Range<usize>>,
}

/// The aliases of the files by their names without scopes.
pub(super) type Aliases = HashMap<String, Vec<Alias>>;

/// Names with the qualified names that they have in some scopes.
pub(super) type ResolvedNames = HashMap<String, String>;

pub(super) type Parsed = Result<NodeId, Fault>;

/// Parses a whole text: an expression, or the statements of a body. The result has one root in either case.
pub(super) fn parse(mut parser: Parser<'_>) -> Result<(Ast, NodeId), Fault> {
    let root = parser.body_or_expression()?;
    if let Some(used) = parser.usings.iter().find(|used| !used.is_namespace || used.name == ["std"]) {
        let what =
            format!("using {}{}", if used.is_namespace { "namespace " } else { "" }, used.name.join("::"));
        return Err(error::statement(&what, parser.ast[root].lo, parser.ast[root].hi));
    }
    Ok((parser.ast, root))
}

impl<'a> Parser<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Self {
        Parser {
            tokens,
            at: 0,
            depth: 0,
            in_statements: false,
            aliases: Arc::default(),
            file: None,
            scopes: Arc::default(),
            local_aliases: Vec::new(),
            template_names: Vec::new(),
            variables: Arc::default(),
            resolved_names: Arc::default(),
            usings: Vec::new(),
            builder: None,
            function_templates: Arc::default(),
            lambda_defaults: Vec::new(),
            last_lambda: None,
            not_templates: HashSet::new(),
            ast: Ast::default(),
        }
    }

    /// A parser at the same token with an empty tree. It parses every body as statements. Its use leaves this parser
    /// unchanged.
    pub(super) fn probe(&self) -> Self {
        Parser {
            tokens: self.tokens,
            at: self.at,
            depth: self.depth,
            in_statements: true,
            aliases: self.aliases.clone(),
            file: self.file,
            scopes: self.scopes.clone(),
            local_aliases: self.local_aliases.clone(),
            template_names: self.template_names.clone(),
            variables: self.variables.clone(),
            resolved_names: self.resolved_names.clone(),
            usings: Vec::new(),
            builder: None,
            function_templates: self.function_templates.clone(),
            lambda_defaults: Vec::new(),
            last_lambda: None,
            not_templates: HashSet::new(),
            ast: Ast::default(),
        }
    }
}

impl Parser<'_> {
    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }
    pub(super) fn ahead(&self, by: usize) -> &TokenKind {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)].kind
    }
    pub(super) fn bump(&mut self) -> Token {
        let token = self.token().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }
    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(&self.token().kind, TokenKind::Sign(s) if *s == sign)
    }
    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(&self.token().kind, TokenKind::Name(n) if n == name)
    }
    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let eaten = self.is(sign);
        if eaten {
            self.bump();
        }
        eaten
    }
    pub(super) fn eat_name(&mut self, name: &str) -> bool {
        let eaten = self.is_name(name);
        if eaten {
            self.bump();
        }
        eaten
    }
    pub(super) fn expect(&mut self, sign: &'static str) -> Result<(), Fault> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(&format!("'{sign}'"))) }
    }
    pub(super) fn unexpected(&self, what: &str) -> Fault {
        let token = self.token();
        error::expected(what, token.lo, token.hi)
    }
    /// True if no token is left.
    pub(super) fn at_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }
    pub(super) fn here(&self) -> usize {
        self.token().lo
    }
    pub(super) fn before(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |i| self.tokens[i].hi)
    }
    pub(super) fn node(&mut self, kind: NodeKind, lo: usize) -> NodeId {
        let hi = self.before();
        self.ast.push(Node { kind, lo, hi })
    }
    pub(super) fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if self.depth >= DEPTH_LIMIT {
            return Err(error::too_deep(self.here()));
        }
        self.depth += 1;
        let result = with_room(|| parse(self));
        self.depth -= 1;
        result
    }

    /// A whole text: an expression with an optional `;`, or the statements of a body.
    fn body_or_expression(&mut self) -> Parsed {
        if self.starts_statement() {
            return self.simple_or(Self::simple_body, |p| {
                let lo = p.here();
                let mut statements = Vec::new();
                while p.token().kind != TokenKind::End {
                    p.statement(&mut statements)?;
                }
                Ok(p.node(NodeKind::Block(statements), lo))
            });
        }
        let root = self.expression()?;
        self.eat(";");
        self.end(root)
    }

    /// Parses a body by `statements` if `in_statements` is true. Otherwise, parses it by `simple`, and if the body is
    /// outside that form, by `statements`. If both fail, the fault of `simple` is reported.
    fn simple_or(
        &mut self,
        simple: impl FnOnce(&mut Self) -> Parsed,
        statements: impl FnOnce(&mut Self) -> Parsed,
    ) -> Parsed {
        if self.in_statements {
            return statements(self);
        }
        let (start, variables) = (self.at, self.variables.len());
        let fault = match simple(self).and_then(|body| self.end_of_body(body)) {
            Ok(body) => return Ok(body),
            Err(fault) => fault,
        };
        if !fault.outside {
            return Err(fault);
        }
        self.at = start;
        self.leave_scope(variables);
        self.in_statements = true;
        let body = statements(self);
        self.in_statements = false;
        body.map_err(|_| fault)
    }

    /// Adds a variable to those in scope.
    pub(super) fn add_variable(&mut self, name: &str) {
        Arc::make_mut(&mut self.variables).push(name.to_owned());
    }

    /// Leaves a scope, before which there were so many variables.
    pub(super) fn leave_scope(&mut self, before: usize) {
        if self.variables.len() > before {
            Arc::make_mut(&mut self.variables).truncate(before);
        }
    }

    /// Accepts a body if the end of the text or a closing brace follows.
    fn end_of_body(&self, body: NodeId) -> Parsed {
        if self.is("}") { Ok(body) } else { self.end(body) }
    }

    fn end(&self, root: NodeId) -> Parsed {
        match self.token().kind {
            TokenKind::End => Ok(root),
            _ if self.at > 0 && matches!(self.tokens[self.at - 1].kind, TokenKind::Sign(";" | "}")) => {
                let token = self.token();
                Err(error::unsupported("more than one statement", token.lo, token.hi))
            }
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    fn starts_statement(&self) -> bool {
        match &self.token().kind {
            TokenKind::Name(n) => {
                matches!(
                    n.as_str(),
                    "return"
                        | "if"
                        | "for"
                        | "while"
                        | "do"
                        | "switch"
                        | "auto"
                        | "const"
                        | "using"
                        | "static"
                ) || self.declares()
            }
            _ => false,
        }
    }

    /// True if a declaration `T x = …` or `T x;` starts at the current token.
    fn declares(&self) -> bool {
        let mut probe = self.probe();
        probe.type_name().is_ok()
            && matches!(probe.token().kind, TokenKind::Name(_))
            && matches!(probe.ahead(1), TokenKind::Sign("=" | ";"))
    }

    /// Parses the rest of a body that is equivalent to one expression: declarations with a value, and an `if` or
    /// `return` at the end.
    fn simple_body(&mut self) -> Parsed {
        self.deeper(|p| {
            let lo = p.here();
            if p.eat_name("return") {
                let value = p.expression()?;
                p.expect(";")?;
                return Ok(value);
            }
            if p.eat_name("if") {
                return p.if_statement(lo);
            }
            if p.is("{") {
                p.bump();
                let body = p.simple_body()?;
                p.expect("}")?;
                return Ok(body);
            }
            if p.is("}") || p.token().kind == TokenKind::End {
                return Err(error::no_return(lo, p.token().hi));
            }
            if p.is_name("auto") || p.is_name("const") || p.declares() {
                let (_, name) = p.declaration()?;
                if p.is(";") {
                    return Err(error::unsupported("a variable without a value", lo, p.token().hi));
                }
                p.expect("=")?;
                let value = p.assignment()?;
                p.expect(";")?;
                p.add_variable(&name);
                let rest = p.simple_body()?;
                return Ok(p.node(NodeKind::Let(name, value, rest), lo));
            }
            let token = p.token().clone();
            Err(match &token.kind {
                TokenKind::Name(n) => error::statement(&format!("{n} …"), token.lo, token.hi),
                _ => error::unsupported("a statement", token.lo, token.hi),
            })
        })
    }

    fn declaration(&mut self) -> Result<(TypeName, String), Fault> {
        let ty = self.type_name()?;
        match self.bump() {
            Token { kind: TokenKind::Name(name), .. } => Ok((ty, name)),
            Token { kind: TokenKind::Sign("["), lo, hi } => {
                Err(error::unsupported("a structured binding in an expression", lo, hi))
            }
            token => Err(error::expected("a name", token.lo, token.hi)),
        }
    }

    fn if_statement(&mut self, lo: usize) -> Parsed {
        self.expect("(")?;
        let bound = if self.is_name("auto") || self.declares() {
            let (ty, name) = self.declaration()?;
            self.expect("=")?;
            let value = self.expression()?;
            Some((ty, name, value))
        } else {
            None
        };
        let condition = match &bound {
            Some((ty, name, _)) => {
                let name = TypeName::plain(name.clone(), ty.lo, ty.hi);
                self.node(NodeKind::Name(name), lo)
            }
            None => self.expression()?,
        };
        self.expect(")")?;
        let then = if self.eat("{") {
            let body = self.simple_body()?;
            self.expect("}")?;
            body
        } else {
            self.simple_body()?
        };
        self.eat_name("else");
        let rest = self.simple_body()?;
        let select = self.node(NodeKind::Select(condition, then, rest), lo);
        Ok(match bound {
            Some((_, name, value)) => self.node(NodeKind::Let(name, value, select), lo),
            None => select,
        })
    }

    pub(super) fn expression(&mut self) -> Parsed {
        self.deeper(|p| {
            let lo = p.here();
            let mut left = p.assignment()?;
            while p.eat(",") {
                let right = p.assignment()?;
                left = p.node(NodeKind::Comma(left, right), lo);
            }
            Ok(left)
        })
    }

    /// Parses an expression without a comma operator, such as an element of an argument list.
    pub(super) fn assignment(&mut self) -> Parsed {
        self.deeper(|p| {
            let lo = p.here();
            let left = p.ternary()?;
            if p.eat("=") {
                let right = p.assignment()?;
                return Ok(p.node(NodeKind::Assign(left, right), lo));
            }
            if let TokenKind::Sign(sign) = p.token().kind
                && let sign = if p.is_shift(">=") { ">>=" } else { sign }
                && let Some(&(_, op)) = COMPOUND.iter().find(|(text, _)| *text == sign)
            {
                p.bump();
                if sign == ">>=" {
                    p.bump();
                }
                let right = p.assignment()?;
                return Ok(p.node(NodeKind::Compound(op, left, right), lo));
            }
            Ok(left)
        })
    }

    fn ternary(&mut self) -> Parsed {
        let lo = self.here();
        let condition = self.or()?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let a = self.assignment()?;
        self.expect(":")?;
        let b = self.assignment()?;
        Ok(self.node(NodeKind::Select(condition, a, b), lo))
    }

    /// Parses an expression without the operators `?:`, `=` and `,`.
    pub(super) fn operand(&mut self) -> Parsed {
        self.or()
    }

    fn or(&mut self) -> Parsed {
        let lo = self.here();
        let mut all = vec![self.and()?];
        while self.eat("||") || self.eat_name("or") {
            all.push(self.and()?);
        }
        Ok(if all.len() == 1 { all[0] } else { self.node(NodeKind::Or(all), lo) })
    }

    fn and(&mut self) -> Parsed {
        let lo = self.here();
        let mut all = vec![self.binary(0)?];
        while self.eat("&&") || self.eat_name("and") {
            all.push(self.binary(0)?);
        }
        Ok(if all.len() == 1 { all[0] } else { self.node(NodeKind::And(all), lo) })
    }

    fn binary(&mut self, level: usize) -> Parsed {
        const LEVELS: &[&[(&str, BinaryOp)]] = &[
            &[("|", BinaryOp::Or)],
            &[("^", BinaryOp::Xor)],
            &[("&", BinaryOp::And)],
            &[("==", BinaryOp::Eq), ("!=", BinaryOp::Ne)],
            &[("<", BinaryOp::Lt), ("<=", BinaryOp::Le), (">", BinaryOp::Gt), (">=", BinaryOp::Ge)],
            &[("<<", BinaryOp::Shl), (SHIFT_RIGHT, BinaryOp::Shr)],
            &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
            &[("*", BinaryOp::Mul), ("/", BinaryOp::Div), ("%", BinaryOp::Rem)],
        ];
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let lo = self.here();
        let mut left = self.binary(level + 1)?;
        while let Some(&(sign, op)) = signs.iter().find(|(sign, _)| self.is_operator(sign)) {
            self.bump();
            if sign == SHIFT_RIGHT {
                self.bump();
            }
            let right = self.binary(level + 1)?;
            left = self.node(NodeKind::Binary(op, left, right), lo);
        }
        Ok(left)
    }

    fn is_operator(&self, sign: &str) -> bool {
        match sign {
            SHIFT_RIGHT => self.is_shift(">"),
            ">" => self.is(">") && !self.is_shift(">") && !self.is_shift(">="),
            _ => self.is(sign),
        }
    }

    /// True if the current token is `>` and the sign `second` follows without a space.
    fn is_shift(&self, second: &'static str) -> bool {
        self.is(">")
            && *self.ahead(1) == TokenKind::Sign(second)
            && self.tokens[self.at].hi == self.tokens[self.at + 1].lo
    }

    fn unary(&mut self) -> Parsed {
        self.deeper(|p| {
            let lo = p.here();
            let TokenKind::Sign(sign) = p.token().kind else {
                if p.eat_name("not") {
                    let e = p.unary()?;
                    return Ok(p.node(NodeKind::Not(e), lo));
                }
                return p.postfix();
            };
            if let Some(cast) = p.c_cast()? {
                return Ok(cast);
            }
            let kind: fn(NodeId) -> NodeKind = match sign {
                "!" => NodeKind::Not,
                "-" => |e| NodeKind::Unary('-', e),
                "+" => |e| NodeKind::Unary('+', e),
                "~" => |e| NodeKind::Unary('~', e),
                "*" => NodeKind::Deref,
                "&" => NodeKind::AddressOf,
                "++" => |e| NodeKind::Increment(e, true, false),
                "--" => |e| NodeKind::Increment(e, false, false),
                _ => return p.postfix(),
            };
            p.bump();
            let e = p.unary()?;
            Ok(p.node(kind(e), lo))
        })
    }

    /// Parses `(T)e` if the current token starts such a cast. A type in parentheses is a cast if a name, a placeholder, a
    /// number or `!` follows. If another operator follows, only an arithmetic type or `void` is a cast, because
    /// `(x) - y` is a difference.
    fn c_cast(&mut self) -> Result<Option<NodeId>, Fault> {
        if !self.is("(") {
            return Ok(None);
        }
        let (start, lo) = (self.at, self.here());
        self.bump();
        let operand = |p: &Self, ty: &TypeName| match &p.token().kind {
            TokenKind::Name(name) => !BINARY_OPERATOR_NAMES.contains(&name.as_str()),
            TokenKind::Placeholder(..)
            | TokenKind::Int { .. }
            | TokenKind::Float(..)
            | TokenKind::Sign("!") => true,
            TokenKind::Sign("(" | "+" | "-" | "~" | "*" | "++" | "--") => {
                ty.path == "void" || ARITHMETIC.contains(&ty.path.as_str())
            }
            _ => false,
        };
        if let Ok(ty) = self.type_name()
            && self.eat(")")
            && operand(self, &ty)
        {
            let e = self.unary()?;
            return Ok(Some(self.node(NodeKind::Cast(ty, e), lo)));
        }
        self.at = start;
        Ok(None)
    }

    fn postfix(&mut self) -> Parsed {
        let lo = self.here();
        let mut e = self.primary()?;
        loop {
            if self.eat("(") {
                let mut args = self.list(")")?;
                self.add_lambda_defaults(e, &mut args);
                e = self.node(NodeKind::Call(e, args), lo);
            } else if self.eat("[") {
                let index = self.expression()?;
                self.expect("]")?;
                e = self.node(NodeKind::Index(e, index), lo);
            } else if self.is(".") || self.is("->") {
                self.bump();
                let template_keyword = self.eat_name("template");
                let token = self.bump();
                let TokenKind::Name(name) = token.kind else {
                    return Err(error::expected("a member's name", token.lo, token.hi));
                };
                let template = match self.template_args_of(&name)? {
                    Some(args) => args,
                    None if template_keyword => return Err(self.unexpected("'<'")),
                    None => vec![],
                };
                e = self.node(NodeKind::Member { object: e, name, template }, lo);
            } else if self.is("++") || self.is("--") {
                let up = self.bump().kind == TokenKind::Sign("++");
                e = self.node(NodeKind::Increment(e, up, true), lo);
            } else {
                return Ok(e);
            }
        }
    }

    /// Adds the default arguments that a call of a named lambda omits.
    fn add_lambda_defaults(&self, callee: NodeId, args: &mut Vec<NodeId>) {
        let NodeKind::Name(name) = &self.ast[callee].kind else { return };
        let declared = self.lambda_defaults.iter().rev().find(|(of, _)| *of == name.path);
        let omitted = declared.and_then(|(_, defaults)| defaults.get(args.len()..));
        args.extend(omitted.into_iter().flatten().map_while(|default| *default));
    }

    fn is_literal(&self, e: NodeId) -> bool {
        match &self.ast[e].kind {
            NodeKind::Int { .. } | NodeKind::Char(_) | NodeKind::Float(..) | NodeKind::Str(_) => true,
            NodeKind::Unary(_, of) => self.is_literal(*of),
            NodeKind::Name(name) => matches!(name.path.as_str(), "true" | "false" | "nullptr"),
            _ => false,
        }
    }

    /// Records that the declaration of a variable gives its name a new meaning. If the value of the variable is a
    /// lambda, calls of the variable can omit the default arguments of the lambda.
    pub(super) fn declared(&mut self, name: &str, value: Option<NodeId>) {
        let defaults = match &self.last_lambda {
            Some((lambda, defaults)) if Some(*lambda) == value => defaults.clone(),
            _ => Vec::new(),
        };
        if defaults.iter().any(Option::is_some) || self.lambda_defaults.iter().any(|(of, _)| of == name) {
            self.lambda_defaults.push((name.to_owned(), defaults));
        }
    }

    /// Parses elements up to a closing bracket. A trailing comma is allowed, because published rules contain such
    /// commas.
    pub(super) fn list(&mut self, close: &'static str) -> Result<Vec<NodeId>, Fault> {
        self.deeper(|p| {
            let mut items = Vec::new();
            while !p.eat(close) {
                items.push(p.assignment()?);
                if !p.eat(",") {
                    p.expect(close)?;
                    break;
                }
            }
            Ok(items)
        })
    }

    pub(super) fn primary(&mut self) -> Parsed {
        let token = self.token().clone();
        let lo = token.lo;
        match token.kind {
            TokenKind::Placeholder(name, spread) => {
                self.bump();
                Ok(self.node(NodeKind::Placeholder(name, spread), lo))
            }
            TokenKind::Int { value, ty } => {
                self.bump();
                Ok(self.node(NodeKind::Int { value, ty }, lo))
            }
            TokenKind::Char(c) => {
                self.bump();
                Ok(self.node(NodeKind::Char(c), lo))
            }
            TokenKind::Float(value, single) => {
                self.bump();
                Ok(self.node(NodeKind::Float(value, single), lo))
            }
            TokenKind::Str(_) => {
                let mut text = String::new();
                while let TokenKind::Str(part) = &self.token().kind {
                    text.push_str(part);
                    self.bump();
                }
                Ok(self.node(NodeKind::Str(text), lo))
            }
            TokenKind::Sign("(") => {
                self.bump();
                let e = self.expression()?;
                self.expect(")")?;
                Ok(e)
            }
            TokenKind::Sign("{") => {
                self.bump();
                let items = self.list("}")?;
                Ok(self.node(NodeKind::Braces(items), lo))
            }
            TokenKind::Sign("[") => self.lambda(),
            TokenKind::Sign("::") | TokenKind::Name(_) => self.name(),
            TokenKind::End => Err(error::expected("an expression", lo, token.hi)),
            TokenKind::Sign(_) => Err(self.unexpected("an expression")),
        }
    }

    fn name(&mut self) -> Parsed {
        let lo = self.here();
        if self.is_name("sizeof") && *self.ahead(1) == TokenKind::Sign("(") && self.in_statements {
            return self.size_of(lo);
        }
        if let TokenKind::Name(n) = &self.token().kind
            && matches!(n.as_str(), "new" | "delete" | "throw" | "sizeof" | "goto" | "co_await")
        {
            return Err(error::statement(n, lo, self.token().hi));
        }
        let name = self.path()?;
        if matches!(name.path.as_str(), "static_cast" | "reinterpret_cast" | "const_cast") {
            let [ty] = name.args.as_slice() else {
                return Err(error::template_args(&name.path, "a type", name.lo, name.hi));
            };
            self.expect("(")?;
            let e = self.expression()?;
            self.expect(")")?;
            return Ok(self.node(NodeKind::Cast(ty.clone(), e), lo));
        }
        if self.eat("{") {
            let items = self.list("}")?;
            return Ok(self.node(NodeKind::Construct(name, items), lo));
        }
        Ok(self.node(NodeKind::Name(name), lo))
    }

    /// Parses `sizeof(T)` as the name `sizeof<T>`, and `sizeof(e)` as a call.
    fn size_of(&mut self, lo: usize) -> Parsed {
        let hi = self.token().hi;
        let name = TypeName::plain("sizeof", lo, hi);
        self.bump();
        let mut probe = self.probe();
        probe.bump();
        if let Ok(ty) = probe.type_name()
            && probe.is(")")
        {
            self.expect("(")?;
            self.type_name()?;
            self.expect(")")?;
            return Ok(self.node(NodeKind::Name(TypeName { args: vec![ty], ..name }), lo));
        }
        self.expect("(")?;
        let callee = self.node(NodeKind::Name(name), lo);
        let of = self.expression()?;
        self.expect(")")?;
        Ok(self.node(NodeKind::Call(callee, vec![of]), lo))
    }

    /// Parses `::a::b<T>::c`. The result has the last template arguments, and those of the part before the last. Its
    /// path has no well-known namespace.
    pub(super) fn path(&mut self) -> Result<TypeName, Fault> {
        let lo = self.here();
        let mut path: Vec<String> = Vec::new();
        let (mut args, mut scope_args) = (Vec::new(), Vec::new());
        // A name that starts with `::` is not looked up in the scopes around the text.
        let is_global = self.eat("::");
        let mut namespace = None;
        loop {
            let token = self.bump();
            let TokenKind::Name(name) = token.kind else {
                return Err(error::expected("a name", token.lo, token.hi));
            };
            let known = NAMESPACES.iter().find(|namespace| **namespace == name);
            match known.filter(|_| path.is_empty() && self.is("::")) {
                Some(&known) => namespace = Some(known),
                None => path.push(name),
            }
            let last = path.last().cloned().unwrap_or_default();
            let is_variable =
                path.len() == 1 && !is_global && namespace.is_none() && self.variables.contains(&last);
            let found = if is_variable { None } else { self.template_args_of(&last)? };
            let is_last = !self.is("::");
            if !is_last {
                scope_args = found.clone().unwrap_or_default();
            }
            if let Some(found) = found {
                args = found;
            }
            if is_last {
                break;
            }
            self.bump();
            self.eat_name("template");
        }
        let mut name =
            TypeName { namespace, is_global, args, scope_args, ..TypeName::plain("", lo, self.before()) };
        let is_bare = !is_global && namespace.is_none();
        if is_bare && self.template_names.contains(&path[0]) {
            return Ok(TypeName { path: path.join("::"), ..name });
        }
        if let Some(alias) = self.alias(&name, &path) {
            let mut alias = Some(alias);
            // The type of an alias can name another alias.
            for _ in 0..ALIAS_LIMIT {
                let Some((length, of)) = alias else { break };
                let of = of.clone();
                if length == path.len() {
                    (name.passing, name.is_const) = (of.passing, of.is_const);
                    if name.args.is_empty() {
                        name.args = of.args;
                    }
                } else if length + 1 == path.len() && name.scope_args.is_empty() {
                    name.scope_args = of.args;
                }
                (name.namespace, name.is_global) = (None, false);
                path.splice(..length, of.path.split("::").map(str::to_owned));
                alias = self.alias(&name, &path);
            }
        } else if is_bare && let Some(qualified) = self.resolved_names.get(&path[0]) {
            path[0].clone_from(qualified);
        }
        Ok(TypeName { path: path.join("::"), ..name })
    }

    /// The alias that the longest possible prefix of a path names: the length of the prefix, and the type or namespace.
    /// `name` states if the path starts with `::` or a well-known namespace.
    fn alias(&self, name: &TypeName, path: &[String]) -> Option<(usize, &TypeName)> {
        let is_bare = !name.is_global && name.namespace.is_none();
        (1..=path.len()).rev().find_map(|length| {
            let written = &path[..length];
            let is_written = |(alias, _): &&(String, TypeName)| is_bare && written == [alias.as_str()];
            let local = self.local_aliases.iter().rev().find(is_written).map(|(_, of)| of);
            Some((length, local.or_else(|| self.alias_of_files(name, written))?))
        })
    }

    /// The type of the alias that a path names in the files. The innermost scope that is around the text and has such
    /// an alias decides. `None` if the aliases of this scope differ.
    fn alias_of_files(&self, name: &TypeName, written: &[String]) -> Option<&TypeName> {
        let outer = |alias: &Alias| alias.path.len().checked_sub(written.len());
        let is_around = |depth: usize, alias: &Alias| self.scopes.starts_with(&alias.path[..depth]);
        let fits = |alias: &&Alias| {
            let Some(depth) = outer(alias).filter(|_| alias.path.ends_with(written)) else { return false };
            let of_namespace = name.namespace.is_none_or(|namespace| alias.path[0] == namespace);
            of_namespace
                && (!name.is_global || depth == usize::from(name.namespace.is_some()))
                && alias.only_in.is_none_or(|file| self.file.is_none_or(|of| of == file))
                // The names of a class are visible only in the class.
                && (alias.namespaces.is_none_or(|count| depth <= count) || is_around(depth, alias))
        };
        let found = || self.aliases.get(written.last()?).map(|all| all.iter().filter(fits));
        let rank = |alias: &&Alias| outer(alias).filter(|&depth| is_around(depth, alias));
        let innermost = found()?.map(|alias| rank(&alias)).max()?;
        // If the preprocessor may exclude all aliases of a scope, the name can denote an alias of a scope around it.
        let is_certain = |alias: &&Alias| {
            let has_name = |branch: &Range<usize>| self.file == Some(alias.file) && branch.contains(&name.lo);
            alias.branches.iter().all(has_name)
        };
        let certain = found()?.filter(is_certain).map(|alias| rank(&alias)).max().flatten();
        let least = certain.or_else(|| found().into_iter().flatten().filter_map(|alias| rank(&alias)).min());
        let is_found =
            |alias: &&Alias| rank(alias) == innermost || rank(alias).is_some() && rank(alias) >= least;
        let mut found = found()?.filter(is_found);
        let first = found.next()?;
        found.all(|other| other.of == first.of).then_some(first.of.as_ref())?
    }

    /// Template arguments, if the current `<` opens a list of them.
    pub(super) fn template_args(&mut self) -> Result<Option<Vec<TypeName>>, Fault> {
        self.template_args_of("")
    }

    /// Template arguments of this name, if the current `<` opens a list of them.
    fn template_args_of(&mut self, name: &str) -> Result<Option<Vec<TypeName>>, Fault> {
        if !self.is("<") {
            return Ok(None);
        }
        let start = self.at;
        if self.not_templates.contains(&start) {
            return Ok(None);
        }
        self.bump();
        let of_function = self.function_templates.contains(name);
        let mut args = Vec::new();
        let parsed = self.deeper(|p| {
            // `StringSet<>` uses the default arguments.
            while !p.is(">") {
                args.push(if of_function { p.constant_or_type(0)? } else { p.template_arg()? });
                // The parameters of a function type: `R(A, B)`.
                if p.eat("(") {
                    args.extend(p.parameters()?.into_iter().map(|(ty, ..)| ty));
                }
                if !p.eat(",") {
                    break;
                }
            }
            Ok(())
        });
        let closes = parsed.is_ok() && self.close_template();
        if closes {
            return Ok(Some(args));
        }
        self.at = start;
        self.not_templates.insert(start);
        Ok(None)
    }

    /// A template argument of a function: a type or a constant expression. The operators of `level` and of higher
    /// levels may be outside of parentheses. An operator is represented by the name `operator+` whose template
    /// arguments are the operands.
    pub(super) fn constant_or_type(&mut self, level: usize) -> Result<TypeName, Fault> {
        const LEVELS: [&[&str]; 6] = [&["|"], &["&"], &["==", "!="], &["<<"], &["+", "-"], &["*", "/", "%"]];
        let mut probe = self.probe();
        if level == 0 && probe.template_arg().is_ok() && (probe.is(",") || probe.is(">") || probe.is("(")) {
            return self.template_arg();
        }
        let Some(signs) = LEVELS.get(level) else { return self.constant_operand() };
        let mut left = self.deeper(|p| p.constant_or_type(level + 1))?;
        while let Some(sign) = signs.iter().find(|sign| self.eat(sign)) {
            let right = self.deeper(|p| p.constant_or_type(level + 1))?;
            let (lo, hi) = (left.lo, right.hi);
            left = TypeName { args: vec![left, right], ..TypeName::plain(format!("operator{sign}"), lo, hi) };
        }
        Ok(left)
    }

    /// A number, a name, or a constant expression in parentheses.
    fn constant_operand(&mut self) -> Result<TypeName, Fault> {
        if self.eat("(") {
            let inner = self.deeper(|p| p.constant_or_type(0))?;
            self.expect(")")?;
            return Ok(inner);
        }
        match self.token().kind {
            TokenKind::Name(_) => self.path(),
            _ => self.template_arg(),
        }
    }

    /// A template argument: a number or a type.
    pub(super) fn template_arg(&mut self) -> Result<TypeName, Fault> {
        let lo = self.here();
        let negative = matches!(self.ahead(1), TokenKind::Int { .. }) && self.eat("-");
        if let TokenKind::Int { value, .. } = self.token().kind {
            self.bump();
            let sign = if negative { "-" } else { "" };
            return Ok(TypeName::plain(format!("{sign}{value}"), lo, self.before()));
        }
        self.type_name()
    }

    /// Skips the text from the current token, an opening bracket, to the bracket that closes it.
    pub(super) fn skip_group(&mut self, opening: &'static str, closing: &'static str) -> Result<(), Fault> {
        let mut open = 0;
        loop {
            match self.bump().kind {
                TokenKind::Sign(sign) if sign == opening => open += 1,
                TokenKind::Sign(sign) if sign == closing => open -= 1,
                TokenKind::End => return Err(self.unexpected(&format!("'{closing}'"))),
                _ => {}
            }
            if open <= 0 {
                return Ok(());
            }
        }
    }

    /// Accepts the closing `>` if the next token can follow template arguments.
    fn close_template(&mut self) -> bool {
        if !self.eat(">") {
            return false;
        }
        matches!(
            self.token().kind,
            TokenKind::Sign("(" | "{" | "::" | ">" | "," | ")" | "&" | "*" | ";" | "=" | "&&" | "||" | "?")
                | TokenKind::Name(_)
                | TokenKind::End
        )
    }

    pub(super) fn type_name(&mut self) -> Result<TypeName, Fault> {
        self.deeper(|p| {
            let mut is_const = false;
            loop {
                match p.eat_name("const") {
                    true => is_const = true,
                    false if p.eat_name("typename") || p.eat_name("volatile") => {}
                    false => break,
                }
            }
            let mut name = p.path()?;
            name.is_const |= is_const;
            // `unsigned long long`, `long int`.
            let mut words = vec![name.path.clone()];
            while ARITHMETIC.contains(&name.path.as_str())
                && let TokenKind::Name(next) = &p.token().kind
                && ARITHMETIC.contains(&next.as_str())
            {
                words.push(next.clone());
                p.bump();
            }
            if words.len() > 1 {
                let has = |word: &str| words.iter().any(|other| other == word);
                let bits = match () {
                    () if has("char") => "8",
                    () if has("short") => "16",
                    () if has("long") => "64",
                    () => "32",
                };
                name.path = match has("double") {
                    true => words.join(" "),
                    false => format!("{}int{bits}_t", if has("unsigned") { "u" } else { "" }),
                };
            }
            loop {
                if p.eat_name("const") {
                    is_const = true;
                    name.is_const |= name.passing == Passing::Value;
                } else if p.eat("&") {
                    name.passing = if is_const { Passing::ConstReference } else { Passing::Reference };
                } else if p.eat("*") {
                    name.passing = Passing::Pointer;
                } else if p.eat("&&") {
                    name.is_forwarding = true;
                } else {
                    return Ok(name);
                }
            }
        })
    }

    fn lambda(&mut self) -> Parsed {
        let lo = self.here();
        self.bump();
        // The body can use all names in scope. Captures by value matter only for variables that change.
        let (mut copies, mut lets) = (Vec::new(), Vec::new());
        let variables = self.variables.len();
        while !self.eat("]") {
            let after_and = self.eat("&");
            match self.bump().kind {
                TokenKind::Name(_) if after_and && self.is("=") => {
                    let token = self.token();
                    return Err(error::statement("[&x = …]", token.lo, token.hi));
                }
                TokenKind::Name(name) if !after_and && self.eat("=") => lets.push((name, self.assignment()?)),
                TokenKind::Name(name) if !after_and && name != "this" => copies.push(name),
                TokenKind::Sign("=") if copies.is_empty() => copies.push("=".to_owned()),
                TokenKind::Sign(",") | TokenKind::Name(_) => {}
                TokenKind::Sign("]") if after_and => break,
                _ => {
                    let hi = self.token().hi;
                    return Err(error::statement("[…]", lo, hi));
                }
            }
        }
        let params = if self.eat("(") { self.parameters()? } else { Vec::new() };
        let defaults = params.iter().map(|(_, _, default)| default.filter(|&e| self.is_literal(e))).collect();
        let params: Vec<(TypeName, String)> = params.into_iter().map(|(ty, name, _)| (ty, name)).collect();
        let before = self.here();
        // Without copies, `mutable` has no effect.
        if self.eat_name("mutable") && !(copies.is_empty() && lets.is_empty()) {
            let what = "a lambda that changes its copies";
            return Err(error::unsupported(what, before, self.before()));
        }
        let result = if self.eat("->") { Some(self.type_name()?) } else { None };
        let brace = self.here();
        self.expect("{")?;
        params.iter().for_each(|(_, name)| self.add_variable(name));
        // The `return` of a lambda does not end the builder.
        let builder = self.builder.take();
        let body = self.simple_or(
            |p| {
                let body = p.simple_body()?;
                if !p.is("}") {
                    let token = p.token();
                    return Err(error::unsupported("a statement after a return", token.lo, token.hi));
                }
                Ok(body)
            },
            |p| p.rest_of_block(brace),
        )?;
        self.builder = builder;
        self.leave_scope(variables);
        // The parser of a block consumes the closing brace.
        if !matches!(self.ast[body].kind, NodeKind::Block(_)) {
            self.bump();
        }
        let mut lambda = self.node(NodeKind::Lambda(params, result, body, copies), lo);
        self.last_lambda = Some((lambda, defaults));
        // `[x = e]` declares a variable for the lambda.
        for (name, value) in lets.into_iter().rev() {
            lambda = self.node(NodeKind::Let(name, value, lambda), lo);
        }
        Ok(lambda)
    }
}
