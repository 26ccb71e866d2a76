//! Expands the parameter packs of variadic templates (`template <typename... Ts>`).
//!
//! Specification: a variadic template is a family of templates, one for each number of elements of its packs. A call
//! denotes one member of the family. Expanding the definition for this call yields the tokens of this member.
//!
//! The elements of the pack `args` have the names `args$0`, `args$1` …, which no C++ text contains. The tokens of an
//! expansion keep their places, so that faults name the place in the file.

use super::source::Functions;
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lex::{Token, TokenKind, tokens};
use crate::snippet::IntTy;

/// The maximum number of elements of a pack.
const ELEMENT_LIMIT: usize = 64;

/// The maximum number of tokens that the packs produce in one part of a definition.
const TOKEN_LIMIT: usize = 100_000;

/// The operators over which a fold is possible.
const OPERATORS: &[&str] = &[
    "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^", "==", "!=", "<", ">", "<=", ">=", "<<", ",", "=",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=",
];

/// The packs of a definition. Empty for a definition that is not variadic.
#[derive(Clone, Debug, Default)]
pub(super) struct Packs {
    /// The name and the number of elements of each pack.
    sizes: Vec<(String, usize)>,
    /// The number of parameters before the pack of parameters; `None` if the parameters have no pack.
    fixed: Option<usize>,
}

impl Packs {
    /// The packs of a definition in a call with these numbers of template arguments and arguments. `None` if the
    /// definition does not take this number of arguments.
    pub(super) fn of_call(
        functions: &Functions,
        function: usize,
        template_args: usize,
        args: usize,
    ) -> Result<Option<Self>, Fault> {
        let (definition, text) = (functions.definition(function), functions.text(function));
        if definition.template.as_ref().is_none_or(|range| !text[range.clone()].contains("...")) {
            return Ok(Some(Self::default()));
        }
        let range = definition.template.clone().unwrap_or_default();
        let template = tokens(text, &range)?;
        let unsupported = |token: &Token| error::unsupported("a pack of this form", token.lo, token.hi);
        let mut packs = Self::default();
        let declared = elements(template.get(1..).unwrap_or_default());
        for (number, element) in declared.iter().enumerate() {
            let Some(at) = element.iter().position(|token| is_sign(token, "...")) else { continue };
            let [Token { kind: TokenKind::Name(name), .. }] = &element[at + 1..] else {
                return Err(unsupported(&element[at]));
            };
            // Explicit template arguments belong to the first pack.
            let size = if packs.sizes.is_empty() { template_args.saturating_sub(number) } else { 0 };
            packs.sizes.push((name.clone(), size));
        }
        let params = tokens(text, &definition.params)?;
        let params = elements(&params);
        for (number, element) in params.iter().enumerate() {
            let Some(at) = element.iter().position(|token| is_sign(token, "...")) else { continue };
            let used: Vec<usize> = packs.named(&element[..at]).collect();
            let ([of], Some(size)) = (&used[..], args.checked_sub(number)) else {
                return if used.len() == 1 { Ok(None) } else { Err(unsupported(&element[at])) };
            };
            if number + 1 < params.len() {
                let token = &params[number + 1][0];
                return Err(error::unsupported("a parameter after a pack", token.lo, token.hi));
            }
            packs.sizes[*of].1 = size;
            packs.fixed = Some(number);
            if let [Token { kind: TokenKind::Name(name), .. }, ..] = &element[at + 1..] {
                packs.sizes.push((name.clone(), size));
            }
        }
        if packs.sizes.iter().any(|(_, size)| *size > ELEMENT_LIMIT) {
            return Err(error::unsupported(
                "a pack of more than 64 elements",
                definition.name.start,
                definition.name.end,
            ));
        }
        Ok(Some(packs))
    }

    /// True if overload resolution prefers a template with these packs to a template with the packs `other`, because
    /// the former is more specialised. It prefers `f(T, U)` to `f(T, Ts...)`, and `f(T, Ts...)` to `f(Ts...)`.
    pub(super) fn are_more_special(&self, other: &Self) -> bool {
        match (self.fixed, other.fixed) {
            (None, Some(_)) => true,
            (Some(own), Some(other)) => own > other,
            (_, None) => false,
        }
    }

    /// The indices of the packs that tokens name.
    fn named<'p>(&'p self, tokens: &'p [Token]) -> impl Iterator<Item = usize> + 'p {
        let is_named = |name: &str| {
            (0..tokens.len()).any(|at| {
                matches!(&tokens[at].kind, TokenKind::Name(of) if of == name) && !is_member(tokens, at)
            })
        };
        (0..self.sizes.len()).filter(move |&index| is_named(&self.sizes[index].0))
    }

    /// The tokens of a part of the definition, with the packs expanded. `in_head` is true for a part of the head, and
    /// false for a part of the body.
    pub(super) fn expanded(&self, tokens: Vec<Token>, in_head: bool) -> Result<Vec<Token>, Fault> {
        if self.sizes.is_empty() {
            return Ok(tokens);
        }
        let mut expansion = Expansion { packs: self, in_head, out: Vec::new(), made: 0 };
        expansion.all(&tokens)?;
        Ok(expansion.out)
    }
}

/// True if the token is this sign.
fn is_sign(token: &Token, sign: &str) -> bool {
    matches!(token.kind, TokenKind::Sign(of) if of == sign)
}

/// True if a token names a member of an object or scope. Such a name denotes no pack.
fn is_member(tokens: &[Token], at: usize) -> bool {
    at.checked_sub(1)
        .is_some_and(|before| [".", "->", "::"].iter().any(|sign| is_sign(&tokens[before], sign)))
}

/// The elements of a list up to its closing bracket, without the commas between them.
fn elements(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut all, mut open, mut start) = (Vec::new(), 0_u32, 0);
    for (at, token) in tokens.iter().enumerate() {
        let TokenKind::Sign(sign) = token.kind else { continue };
        match sign {
            "(" | "[" | "{" | "<" => open += 1,
            ")" | "]" | "}" | ">" if open > 0 => open -= 1,
            "," if open > 0 => {}
            "," | ")" | "]" | "}" | ">" => {
                if at > start {
                    all.push(&tokens[start..at]);
                }
                start = at + 1;
                if sign != "," {
                    break;
                }
            }
            _ => {}
        }
    }
    all
}

/// Expands the packs in the tokens of a part of a definition.
struct Expansion<'p> {
    packs: &'p Packs,
    in_head: bool,
    out: Vec<Token>,
    /// The number of tokens that the expansion has produced.
    made: usize,
}

impl Expansion<'_> {
    fn all(&mut self, tokens: &[Token]) -> Result<(), Fault> {
        let mut rest = tokens;
        while let [token, after @ ..] = rest {
            rest = match is_sign(token, "...") {
                true => self.one(token, after)?,
                false => {
                    self.out.push(token.clone());
                    after
                }
            };
        }
        Ok(())
    }

    /// Expands the pattern around `dots`. Returns the tokens after the expansion.
    fn one<'t>(&mut self, dots: &Token, after: &'t [Token]) -> Result<&'t [Token], Fault> {
        let next = |sign: &str| after.first().is_some_and(|token| is_sign(token, sign));
        let last = |out: &[Token], sign: &str| out.last().is_some_and(|token| is_sign(token, sign));
        if let (Some(Token { kind: TokenKind::Name(name), .. }), [_, of, _, rest @ ..]) =
            (self.out.last(), after)
            && name == "sizeof"
        {
            let size = self.size(std::slice::from_ref(of), dots)?;
            self.out.pop();
            let value = u64::try_from(size).unwrap_or(0);
            self.out.push(Token { kind: TokenKind::Int { value, ty: IntTy::U64 }, lo: dots.lo, hi: dots.hi });
            return Ok(rest);
        }
        if last(&self.out, "(") && after.first().is_some_and(is_operator) {
            // `(... + pattern)`.
            let (inner, rest) = self.inner(&after[1..], dots)?;
            let elements = self.elements(&inner, dots)?;
            self.out.pop();
            return self.fold(&after[0], elements, true, rest);
        }
        let operator = self.out.last().cloned().filter(is_operator);
        // `Ts &&...` in a list of parameters is no fold.
        if let Some(operator) = operator.filter(|_| !self.in_head)
            && (next(")") || after.first().is_some_and(|token| token.kind == operator.kind))
        {
            let open = self.opening(dots, false)?;
            let pattern = self.out.split_off(open);
            let left = &pattern[..pattern.len() - 1];
            self.out.pop();
            if next(")") {
                // `(pattern + ...)`.
                let elements = self.elements(left, dots)?;
                return self.fold(&operator, elements, false, &after[1..]);
            }
            // `(first + ... + pattern)` or `(pattern + ... + last)`.
            let (right, rest) = self.inner(&after[1..], dots)?;
            let is_left = self.packs.named(left).next().is_none();
            let mut elements = self.elements(if is_left { &right } else { left }, dots)?;
            match is_left {
                true => elements.insert(0, left.to_vec()),
                false => elements.push(right),
            }
            return self.fold(&operator, elements, is_left, rest);
        }
        let start = self.opening(dots, true)?;
        let pattern = self.out.split_off(start);
        // `Ts... args` declares the pack `args`.
        let (declared, rest) = match after {
            [name @ Token { kind: TokenKind::Name(_), .. }, rest @ ..] => (Some(name), rest),
            _ => (None, after),
        };
        let whole: Vec<Token> = pattern.into_iter().chain(declared.cloned()).collect();
        let elements = self.elements(&whole, dots)?;
        if elements.is_empty() {
            match self.out.last() {
                Some(token) if is_sign(token, ",") => drop(self.out.pop()),
                _ if rest.first().is_some_and(|token| is_sign(token, ",")) => return Ok(&rest[1..]),
                _ => {}
            }
        }
        let comma = Token { kind: TokenKind::Sign(","), lo: dots.lo, hi: dots.hi };
        self.out.extend(elements.join(&comma));
        Ok(rest)
    }

    /// The index of the first token of the pattern that ends here. The preceding token is an opening bracket, or a
    /// comma if `in_list` is true.
    fn opening(&self, dots: &Token, in_list: bool) -> Result<usize, Fault> {
        let (mut open, mut angles) = (0_u32, 0_u32);
        for (at, token) in self.out.iter().enumerate().rev() {
            let TokenKind::Sign(sign) = token.kind else { continue };
            match sign {
                ")" | "]" | "}" => open += 1,
                "(" | "[" | "{" if open > 0 => open -= 1,
                _ if open > 0 => {}
                ">" if in_list => angles += 1,
                "<" if in_list && angles > 0 => angles -= 1,
                "(" | "[" | "{" => return Ok(at + 1),
                "<" | "," if in_list && angles == 0 => return Ok(at + 1),
                ";" => break,
                _ => {}
            }
        }
        match in_list {
            // The tokens of a list of parameters start after its opening parenthesis.
            true if open == 0 && angles == 0 => Ok(0),
            _ => Err(error::unsupported("a pack of this form", dots.lo, dots.hi)),
        }
    }

    /// The expanded tokens before the `)` of the enclosing parentheses, and the tokens after this `)`.
    fn inner<'t>(&mut self, tokens: &'t [Token], dots: &Token) -> Result<(Vec<Token>, &'t [Token]), Fault> {
        let mut open = 0_u32;
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Sign("(" | "[" | "{") => open += 1,
                TokenKind::Sign(")" | "]" | "}") if open > 0 => open -= 1,
                TokenKind::Sign(")") => {
                    let mut inner = Expansion { out: Vec::new(), ..*self };
                    inner.all(&tokens[..at])?;
                    self.made = inner.made;
                    return Ok((inner.out, &tokens[at + 1..]));
                }
                _ => {}
            }
        }
        Err(error::expected("')'", dots.lo, dots.hi))
    }

    /// The number of elements of the packs that tokens name.
    fn size(&self, pattern: &[Token], dots: &Token) -> Result<usize, Fault> {
        let mut sizes = self.packs.named(pattern).map(|index| self.packs.sizes[index].1);
        match sizes.next() {
            Some(size) if sizes.all(|other| other == size) => Ok(size),
            Some(_) => Err(error::unsupported("an expansion of packs of different sizes", dots.lo, dots.hi)),
            None => Err(error::unsupported("an expansion that names no pack", dots.lo, dots.hi)),
        }
    }

    /// The pattern once for each element of the packs that it names.
    fn elements(&mut self, pattern: &[Token], dots: &Token) -> Result<Vec<Vec<Token>>, Fault> {
        let size = self.size(pattern, dots)?;
        self.made = self.made.saturating_add(size.saturating_mul(pattern.len()));
        if self.made > TOKEN_LIMIT {
            return Err(error::unsupported("a pack whose expansion is too long", dots.lo, dots.hi));
        }
        let is_pack = |name: &str| self.packs.sizes.iter().any(|(pack, _)| pack == name);
        let element = |number: usize| {
            let each = pattern.iter().enumerate().map(|(at, token)| match &token.kind {
                TokenKind::Name(name) if is_pack(name) && !is_member(pattern, at) => {
                    Token { kind: TokenKind::Name(format!("{name}${number}")), ..*token }
                }
                _ => token.clone(),
            });
            each.collect()
        };
        Ok((0..size).map(element).collect())
    }

    /// Adds a fold of elements. Returns `rest`, or the tokens after the semicolon of a fold that is a statement.
    fn fold<'t>(
        &mut self,
        operator: &Token,
        elements: Vec<Vec<Token>>,
        is_left: bool,
        rest: &'t [Token],
    ) -> Result<&'t [Token], Fault> {
        let (lo, hi) = (operator.lo, operator.hi);
        let sign = |sign: &'static str| Token { kind: TokenKind::Sign(sign), lo, hi };
        let name = |name: &str| Token { kind: TokenKind::Name(name.to_owned()), lo, hi };
        if is_sign(operator, ",") {
            let starts = self.out.last().is_none_or(|token| {
                matches!(&token.kind, TokenKind::Sign(";" | "{" | "}" | ")"))
                    || matches!(&token.kind, TokenKind::Name(name) if name == "else")
            });
            let ([end, rest @ ..], true) = (rest, starts) else {
                return Err(error::unsupported("a fold over ',' that is not a statement", lo, hi));
            };
            if !is_sign(end, ";") {
                return Err(error::unsupported("a fold over ',' that is not a statement", lo, hi));
            }
            // All elements have the same places, so their places do not show their order. Because of the loop, the
            // analysis of changes assumes that a change in one element can affect another element.
            let from = elements.first().and_then(|first| first.first()).map_or(lo, |first| first.lo);
            let start = |token: Token| Token { lo: from, hi: from, ..token };
            self.out.extend([start(name("do")), start(sign("{"))]);
            for element in elements {
                self.out.extend(element);
                self.out.push(sign(";"));
            }
            self.out.extend([sign("}"), name("while"), sign("("), name("false"), sign(")"), end.clone()]);
            return Ok(rest);
        }
        let count = elements.len();
        let mut out = vec![sign("(")];
        match (operator.kind.clone(), count) {
            (TokenKind::Sign("&&"), 0) => out.push(name("true")),
            (TokenKind::Sign("||"), 0) => out.push(name("false")),
            (_, 0) => return Err(error::unsupported("a fold over no elements", lo, hi)),
            _ if is_left => {
                // `((a + b) + c)`.
                out.extend(vec![sign("("); count - 1]);
                for (number, element) in elements.into_iter().enumerate() {
                    out.extend((number > 0).then(|| operator.clone()));
                    out.extend(element);
                    out.extend((number > 0).then(|| sign(")")));
                }
            }
            _ => {
                // `(a + (b + c))`.
                for (number, element) in elements.into_iter().enumerate() {
                    out.extend(if number > 0 { vec![operator.clone(), sign("(")] } else { Vec::new() });
                    out.extend(element);
                }
                out.extend(vec![sign(")"); count - 1]);
            }
        }
        out.push(sign(")"));
        self.out.extend(out);
        Ok(rest)
    }
}

/// True for an operator over which a fold is possible.
fn is_operator(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Sign(sign) if OPERATORS.contains(&sign))
}
