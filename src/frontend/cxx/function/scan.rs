//! Finds the definitions of functions, classes, enumerations, constants and macros in a C++ file.
//!
//! Specification: every function that is defined in a namespace or class of the file is found with its name, parameters
//! and body. There are five exceptions:
//!
//! - destructors,
//! - the members of a class whose head has a parenthesis before the base classes,
//! - functions that `#if 0`, or an `#else` or `#elif` of `#if 1`, excludes,
//! - functions in too many scopes or with a very long head,
//! - functions with anything after the parameters except `const`, `noexcept`, `override`, `final`, a result type and
//!   the initialisers of a constructor.
//!
//! The scanner recognises brackets, literals, comments, preprocessor lines and the heads of declarations. It skips all
//! other text, so a file may contain any C++ code, and even text that is not C++.

use std::ops::Range;

use crate::frontend::cxx::lex::end_of_line;

/// The byte ranges of a class template that is not in another class template. Empty for any other class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClassTemplate {
    /// The text in angle brackets after `template`, with the brackets.
    pub(super) params: Option<Range<usize>>,
    /// The template arguments after the name of a specialisation, with the brackets.
    pub(super) arguments: Option<Range<usize>>,
}

/// The byte ranges of a definition in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// The namespaces, classes and functions around the definition, and the parts of its name as written: `mlir`,
    /// `arith`, `invert`.
    pub(super) path: Vec<String>,
    /// The text in angle brackets after `template`, with the brackets.
    pub(super) template: Option<Range<usize>>,
    /// The class template around the definition.
    pub(super) class_template: ClassTemplate,
    /// The text before the name: specifiers and the result type.
    pub(super) result: Range<usize>,
    /// The name as written.
    pub(super) name: Range<usize>,
    /// The template arguments after the name of a specialisation, with the brackets.
    pub(super) arguments: Option<Range<usize>>,
    /// The parameters, with the closing parenthesis.
    pub(super) params: Range<usize>,
    /// The result type after `->`.
    pub(super) trailing: Option<Range<usize>>,
    /// The text between the parameters and the body, without a result type: `const`, or the initialisers of a
    /// constructor.
    pub(super) suffix: Range<usize>,
    /// The body, with its braces. Without a closing brace, the body reaches the next declaration.
    pub(super) body: Range<usize>,
    /// True if the body has a closing brace.
    pub(super) closed: bool,
    /// True in a namespace without a name, which only the file of the definition sees.
    pub(super) in_unnamed_namespace: bool,
}

impl Definition {
    /// True for a constructor `X::X`. A function that has the name of its namespace is not a constructor, because it
    /// has a result type.
    pub(super) fn is_constructor(&self, text: &str) -> bool {
        let named_so = matches!(&self.path[..], [.., class, name] if class == name);
        let specifiers = ["explicit", "inline", "constexpr"];
        named_so && text[self.result.clone()].split_whitespace().all(|word| specifiers.contains(&word))
    }

    /// True for `template <> T name<A>(…)`.
    pub(super) fn is_specialisation(&self, text: &str) -> bool {
        self.template.as_ref().is_some_and(|range| is_empty_list(&text[range.clone()]))
    }

    /// The parameters of the class template around the definition; `None` for a class that is no template and for an
    /// explicit specialisation.
    pub(super) fn class_params(&self, text: &str) -> Option<&Range<usize>> {
        self.class_template.params.as_ref().filter(|range| !is_empty_list(&text[(*range).clone()]))
    }

    /// The path of the classes and namespaces around the definition, `mlir::arith`; `None` if there are none.
    pub(super) fn class(&self) -> Option<String> {
        let (_, outer) = self.path.split_last()?;
        (!outer.is_empty()).then(|| outer.join("::"))
    }
}

/// True for `<>`.
fn is_empty_list(template: &str) -> bool {
    template.chars().all(|c| matches!(c, '<' | '>') || c.is_whitespace())
}

/// A constant (`static constexpr int kSize = 4;`), global variable, class or enumeration, with the byte range of its
/// declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// The namespaces, classes and functions around the declaration, and the declared name.
    pub(super) path: Vec<String>,
    /// The declaration of a constant or variable without the semicolon, or that of a class or enumeration to the closing
    /// brace.
    pub(super) declaration: Range<usize>,
    /// True for a variable, which can change.
    pub(super) is_variable: bool,
    /// The number of elements of `path` up to and including the function in which a class is declared; 0 outside of
    /// functions.
    pub(super) function_depth: usize,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Literal,
    Sign(u8),
}

/// A token and its byte range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) lo: usize,
    pub(super) hi: usize,
}

/// A preprocessor line.
pub(super) struct PreprocessorLine<'t> {
    /// The word after `#`.
    pub(super) name: &'t str,
    /// The text after the name, without white space at its start.
    pub(super) rest: &'t str,
    end: usize,
}

/// The preprocessor line that starts at `at`; `None` if the line is not a preprocessor line.
pub(super) fn preprocessor_line(text: &str, at: usize) -> Option<PreprocessorLine<'_>> {
    let end = end_of_line(text.as_bytes(), at);
    let line = text.get(at..end)?.trim_start().strip_prefix('#')?;
    let (name, rest) = split_word(line.trim_start());
    Some(PreprocessorLine { name, rest: rest.trim_start(), end })
}

/// The word at the start of a text, and the text after it.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()))
}

impl PreprocessorLine<'_> {
    /// The name and the value of the macro that a line `#define NAME value` or `#undef NAME` states.
    fn macro_value(&self) -> Option<(String, Range<usize>)> {
        let (name, value) = split_word(self.rest);
        let is_macro = self.name == "undef" || self.name == "define" && !value.starts_with('(');
        is_macro.then(|| (name.to_owned(), self.end - value.len()..self.end))
    }

    /// True for a line that includes generated code. A header (`X.h.inc`) does not count, because it contains no rules.
    fn includes_generated(&self) -> bool {
        let ends =
            |end: &str| self.rest.contains(&format!("{end}\"")) || self.rest.contains(&format!("{end}>"));
        self.name == "include" && ends(".inc") && !ends(".h.inc")
    }

    /// The condition of `#if`, without a comment.
    pub(super) fn condition(&self) -> &str {
        let end = ["//", "/*"].iter().filter_map(|comment| self.rest.find(comment)).min();
        self.rest[..end.unwrap_or(self.rest.len())].trim()
    }
}

/// The preprocessor lines of a text.
#[derive(Default)]
pub(super) struct PreprocessorLines {
    /// The offsets of the lines, except those that `#if 0` or `#if 1` excludes.
    directives: Vec<usize>,
    /// The macros without parameters, each with its text, in the order of the lines. `#undef` adds the name with an
    /// empty text.
    macros: Vec<(String, Range<usize>)>,
    /// The branches of conditionals (the texts between `#if`, `#elif`, `#else` and `#endif`) that the compiler may
    /// include or exclude. A branch that `#if 0`, `#if 1` or the guard of a header decides does not count.
    branches: Vec<Range<usize>>,
    /// The offsets of the lines that include generated code (`#include "Rules.inc"`).
    includes: Vec<usize>,
}

/// The offsets of the preprocessor lines in a text, except those that `#if 0` or `#if 1` excludes.
pub(super) fn directives(text: &str) -> Vec<usize> {
    tokenize(text).1.directives
}

/// Splits a text into words, literals and single signs, without comments. Also returns the preprocessor lines.
pub(super) fn tokenize(text: &str) -> (Vec<Token>, PreprocessorLines) {
    let bytes = text.as_bytes();
    let mut tokens: Vec<Token> = Vec::new();
    // A byte order mark can precede the text.
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut line_start = true;
    let mut conditionals = Vec::new();
    let mut lines = PreprocessorLines::default();
    let is_word = |b: u8| b == b'_' || b.is_ascii_alphanumeric();
    while at < bytes.len() {
        let (lo, byte) = (at, bytes[at]);
        match byte {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = find(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2);
                continue;
            }
            b'#' if line_start => {
                let Some(line) = preprocessor_line(text, at) else {
                    at = end_of_line(bytes, at);
                    continue;
                };
                lines.directives.push(at);
                lines.macros.extend(line.macro_value());
                lines.includes.extend(line.includes_generated().then_some(at));
                at = after_line(text, at, &line, &mut conditionals, &mut lines.branches);
                continue;
            }
            _ => line_start = false,
        }
        let kind = if is_word(byte) {
            // A single quotation mark inside a number separates its digits.
            let number = byte.is_ascii_digit();
            while at < bytes.len()
                && (is_word(bytes[at])
                    || number && bytes[at] == b'\'' && bytes.get(at + 1).is_some_and(|&b| is_word(b)))
            {
                at += 1;
            }
            let raw = bytes.get(at) == Some(&b'"') && text[lo..at].ends_with('R') && at - lo <= 3;
            if raw {
                at = raw_string_end(bytes, at);
                Kind::Literal
            } else {
                Kind::Word
            }
        } else if byte == b'"' || byte == b'\'' {
            at += 1;
            while at < bytes.len() && bytes[at] != byte && bytes[at] != b'\n' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            // A line break ends an unterminated literal and starts the next line.
            let closes = bytes.get(at) == Some(&byte);
            at = (at + usize::from(closes)).min(bytes.len());
            Kind::Literal
        } else {
            // A character that is not ASCII is one token.
            at += 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
            Kind::Sign(byte)
        };
        tokens.push(Token { kind, lo, hi: at });
    }
    (tokens, lines)
}

/// An open `#if`.
#[derive(Clone, Copy)]
enum Conditional {
    /// `#if 0`.
    Excluded,
    /// `#if 1`.
    Taken,
    /// The `#ifndef` around a header.
    Guard,
    /// Another condition. The current branch starts at this byte.
    Open(usize),
}

/// The offset at which scanning continues after the preprocessor line at `at`. If the line is `#if 0`, or an `#else` or
/// `#elif` of `#if 1`, the text that it excludes is skipped, and so is an `#else` that ends the text of `#if 0`.
/// `conditionals` has an element for each open conditional.
fn after_line(
    text: &str,
    at: usize,
    line: &PreprocessorLine<'_>,
    conditionals: &mut Vec<Conditional>,
    branches: &mut Vec<Range<usize>>,
) -> usize {
    let (first, condition) = (line.name, line.condition());
    let ends_branch = matches!(first, "else" | "elif" | "elifdef" | "elifndef");
    if (ends_branch || first == "endif")
        && let Some(Conditional::Open(start)) = conditionals.last()
    {
        branches.push(*start..at);
    }
    let mut is_excluded = false;
    match first {
        "if" | "ifdef" | "ifndef" => conditionals.push(match (first, condition) {
            ("if", "0") => {
                is_excluded = true;
                Conditional::Excluded
            }
            ("if", "1") => Conditional::Taken,
            ("ifndef", name) if defines(&text[line.end..], name) => Conditional::Guard,
            _ => Conditional::Open(line.end),
        }),
        "endif" => drop(conditionals.pop()),
        _ if ends_branch => match conditionals.last_mut() {
            Some(Conditional::Taken) => is_excluded = true,
            Some(Conditional::Excluded) if first == "else" => {}
            Some(open) => *open = Conditional::Open(line.end),
            None => {}
        },
        _ => {}
    }
    let mut depth = 0_u32;
    let mut end = line.end;
    while is_excluded && end < text.len() {
        let start = end + 1;
        end = end_of_line(text.as_bytes(), start.min(text.len()));
        match preprocessor_line(text, start).map_or("", |line| line.name) {
            "if" | "ifdef" | "ifndef" => depth += 1,
            // The caller reads an `#endif`, and an `#elif` with its condition.
            "endif" if depth == 0 => return start,
            "elif" | "elifdef" | "elifndef" if depth == 0 && first == "if" => return start,
            "endif" => depth -= 1,
            "else" if depth == 0 && first == "if" => break,
            _ => {}
        }
    }
    end
}

/// True if the first non-empty line of a text defines this macro.
fn defines(text: &str, name: &str) -> bool {
    let start = text.len() - text.trim_start().len();
    preprocessor_line(text, start)
        .is_some_and(|line| line.name == "define" && split_word(line.rest).0 == name)
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// The end of `R"delimiter(…)delimiter"`. `at` is the place of the first quotation mark.
fn raw_string_end(bytes: &[u8], at: usize) -> usize {
    let Some(open) = find(bytes, at + 1, b"(").filter(|open| open - at <= 17) else { return at + 1 };
    let close = [b")", &bytes[at + 1..open], b"\""].concat();
    find(bytes, open + 1, &close).map_or(bytes.len(), |end| end + close.len())
}

/// The words that can follow the parameters of a function.
const AFTER_PARAMETERS: &[&str] =
    &["const", "final", "noexcept", "override", "requires", "throw", "try", "volatile"];

/// The maximum number of functions around a local class.
const LOCAL_LIMIT: u32 = 4;

/// The maximum number of open scopes, including the one for the whole text, and of parts of a qualified name.
const SCOPE_LIMIT: usize = 64;

/// The maximum number of tokens in the head of an enumeration or local class.
const HEAD_LIMIT: usize = 200;

/// The maximum number of tokens in the head of a function.
const FUNCTION_HEAD_LIMIT: usize = 2_000;

struct Scanner<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// For each token, the index of the other bracket of the pair; `None` for a token that is not a bracket or has no
    /// partner.
    partner: Vec<Option<usize>>,
    /// For each token, the index of the other angle bracket if the token is one of a pair.
    angles: Vec<Option<usize>>,
    /// The offsets of the lines that include generated code, from the last to the first.
    includes: Vec<usize>,
    found: Found,
}

/// Pairs the angle brackets of a text. Between the two angle brackets of a pair, each round, square or curly bracket
/// has its partner, and each semicolon is enclosed by such partners. `partner` has the pairs of the round, square and
/// curly brackets.
fn angle_partners(tokens: &[Token], partner: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut angles = vec![None; tokens.len()];
    // The open angle brackets, and the other brackets around them.
    let mut open: Vec<usize> = Vec::new();
    let drop_angles = |open: &mut Vec<usize>| {
        while open.pop_if(|at| tokens[*at].kind == Kind::Sign(b'<')).is_some() {}
    };
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign(b'<') => open.push(at),
            Kind::Sign(b'>') => {
                if let Some(start) = open.pop_if(|at| tokens[*at].kind == Kind::Sign(b'<')) {
                    (angles[start], angles[at]) = (Some(at), Some(start));
                }
            }
            Kind::Sign(b'(' | b'[' | b'{') if partner[at].is_some() => open.push(at),
            Kind::Sign(b')' | b']' | b'}') if partner[at].is_some() => {
                drop_angles(&mut open);
                open.pop();
            }
            Kind::Sign(b'(' | b'[' | b'{' | b')' | b']' | b'}' | b';') => drop_angles(&mut open),
            _ => {}
        }
    }
    angles
}

/// Pairs the brackets of a text. The kinds of the brackets do not matter. If the brackets are not balanced, the
/// indentation decides which bracket has no partner, so that a missing brace hides no later function.
fn partners(text: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partner = vec![None; tokens.len()];
    let mut open = Vec::new();
    let mut balanced = true;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign(b'(' | b'[' | b'{') => open.push(at),
            Kind::Sign(b')' | b']' | b'}') => match open.pop() {
                Some(start) => (partner[start], partner[at]) = (Some(at), Some(start)),
                None => balanced = false,
            },
            _ => {}
        }
    }
    if balanced && open.is_empty() { partner } else { partners_by_indentation(text, tokens) }
}

/// Pairs the brackets of a text with missing brackets. A `}` at the start of a line closes the brace of the declaration
/// or statement that has the same indentation. A function ends before a declaration that is not indented.
fn partners_by_indentation(text: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    struct Open {
        token: usize,
        indentation: usize,
    }
    let lines = lines(text, tokens);
    let mut partner = vec![None; tokens.len()];
    let mut open: Vec<Open> = Vec::new();
    // The index of the outermost function in `open`.
    let mut function = None;
    // The first token of the current declaration or statement.
    let mut head = None;
    for (at, token) in tokens.iter().enumerate() {
        let Line { start: line, indentation } = lines[at];
        let starts_line = line + indentation == token.lo;
        function = function.filter(|&function| function < open.len());
        if token.lo == line
            && token.kind == Kind::Word
            && let Some(function) = function
        {
            open.truncate(function);
            head = None;
        }
        let first = *head.get_or_insert(at);
        let Kind::Sign(sign) = token.kind else { continue };
        match sign {
            b'(' | b'[' | b'{' => {
                let indentation = lines[first].indentation;
                let scope = ["namespace", "struct", "class", "union", "enum", "extern", "template"];
                let is_function = sign == b'{'
                    && !text
                        .get(tokens[first].lo..tokens[first].hi)
                        .is_some_and(|word| scope.contains(&word));
                if is_function && indentation == 0 {
                    function = function.filter(|&function| function < open.len()).or(Some(open.len()));
                }
                open.push(Open { token: at, indentation });
            }
            b')' | b']' | b'}' => {
                if sign == b'}' && starts_line {
                    let fits = |open: &Open| open.indentation <= indentation;
                    let kept = open.iter().rposition(fits).map_or(0, |at| at + 1);
                    open.truncate(kept);
                    // A `}` whose brace is missing closes nothing.
                    if open.last().is_some_and(|open| open.indentation < indentation) {
                        head = None;
                        continue;
                    }
                }
                if let Some(start) = open.pop() {
                    (partner[start.token], partner[at]) = (Some(at), Some(start.token));
                }
            }
            _ => {}
        }
        let in_parentheses = open.last().is_some_and(|open| tokens[open.token].kind != Kind::Sign(b'{'));
        if matches!(sign, b'{' | b'}') || sign == b';' && !in_parentheses {
            head = None;
        }
    }
    partner
}

/// The first byte of a line, and the number of spaces and tabs at its start.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    indentation: usize,
}

/// The line of each token.
fn lines(text: &str, tokens: &[Token]) -> Vec<Line> {
    let bytes = text.as_bytes();
    let at = |start: usize| {
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        Line { start, indentation: bytes[start..].iter().take_while(blank).count() }
    };
    let (mut line, mut before) = (at(0), 0);
    let mut lines = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let Some(newline) = memchr::memrchr(b'\n', &bytes[before..token.lo]) {
            line = at(before + newline + 1);
        }
        before = token.lo;
        lines.push(line);
    }
    lines
}

/// Names that a scope uses without their namespace: one name, or all names of a namespace.
#[derive(Clone, Debug)]
pub(super) struct Using {
    /// The path of the scope around the `using`, or around the inline namespace.
    pub(super) scopes: Vec<String>,
    /// The parts of the name: as written, or with all scopes for an inline namespace.
    pub(super) name: Vec<String>,
    /// The byte at which the `using`, or the head of the inline namespace, starts.
    pub(super) at: usize,
}

/// An alias of a type or namespace.
#[derive(Clone, Debug)]
pub(super) struct DeclaredAlias {
    /// The namespaces and classes around the alias, and its name.
    pub(super) path: Vec<String>,
    /// The number of namespaces around the outermost class; `None` outside of classes.
    pub(super) namespaces: Option<usize>,
    /// The byte at which the declaration starts.
    pub(super) at: usize,
    /// The text of the type or namespace; `None` for an alias template, in a class template, and if the declaration
    /// contains a preprocessor line.
    pub(super) of: Option<Range<usize>>,
}

/// The definitions in a file.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) functions: Vec<Definition>,
    /// The declarations of function templates, and those of other functions whose text contains `=`, because only such
    /// a declaration can have default arguments. The body of each is `;`.
    pub(super) declarations: Vec<Definition>,
    /// The constants and the global variables.
    pub(super) constants: Vec<Declared>,
    /// The classes without angle brackets in their heads, each with its text to the closing brace.
    pub(super) structs: Vec<Declared>,
    /// The enumerations, each with its text to the closing brace, the names of its enumerators, and a flag that is true
    /// for a scoped enumeration (`enum class`, `enum struct`).
    pub(super) enums: Vec<(Declared, Vec<String>, bool)>,
    /// The aliases of namespaces, and those that `using T = …;` and `typedef` declare.
    pub(super) aliases: Vec<DeclaredAlias>,
    /// The namespaces of `using namespace`, and inline namespaces, which the scopes around them use.
    pub(super) used_namespaces: Vec<Using>,
    /// The names of `using a::b;`.
    pub(super) used_names: Vec<Using>,
    /// The start of each line that includes generated code, and the scopes around it.
    pub(super) including: Vec<(usize, Vec<String>)>,
    /// The macros without parameters, each with its text, in the order of the lines. `#undef` adds the name with an
    /// empty text.
    pub(super) macros: Vec<(String, Range<usize>)>,
    /// The branches of conditionals (the texts between `#if`, `#elif`, `#else` and `#endif`) that the compiler may
    /// include or exclude. A branch that `#if 0`, `#if 1` or the guard of a header decides does not count.
    pub(super) branches: Vec<Range<usize>>,
}

/// Finds the definitions in a file.
pub(super) fn scan(text: &str) -> Found {
    scan_in(text, &[])
}

/// Finds the definitions in a text that is inside the scopes `outer`.
pub(super) fn scan_in(text: &str, outer: &[String]) -> Found {
    let (tokens, PreprocessorLines { macros, branches, mut includes, .. }) = tokenize(text);
    includes.reverse();
    let partner = partners(text, &tokens);
    let angles = angle_partners(&tokens, &partner);
    let found = Found { macros, branches, ..Found::default() };
    let mut scanner = Scanner { text, tokens, partner, angles, includes, found };
    scanner.scopes(0..scanner.tokens.len(), outer, 0);
    // Lines after the last token.
    let after = std::mem::take(&mut scanner.includes).into_iter().rev();
    scanner.found.including.extend(after.map(|line| (line, outer.to_vec())));
    scanner.found
}

impl<'a> Scanner<'a> {
    fn word(&self, at: usize) -> &'a str {
        match self.tokens.get(at) {
            Some(Token { kind: Kind::Word, lo, hi }) => &self.text[*lo..*hi],
            _ => "",
        }
    }

    fn is(&self, at: usize, sign: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Sign(sign))
    }

    /// The index after the bracket that closes the bracket at `at`; `None` if there is none.
    fn after_brackets(&self, at: usize) -> Option<usize> {
        self.partner.get(at).copied().flatten().map(|close| close + 1)
    }

    /// The index after the `>` that closes the `<` at `at`.
    fn after_angles(&self, at: usize) -> Option<usize> {
        self.angles.get(at).copied().flatten().filter(|&close| close > at).map(|close| close + 1)
    }

    /// Walks through namespaces and classes. `outer` has the names of the scopes around them, and `depth` is the number
    /// of functions around them.
    fn scopes(&mut self, tokens: Range<usize>, outer: &[String], depth: u32) {
        // The names of each open scope.
        let mut scopes: Vec<Vec<String>> = vec![outer.to_vec()];
        // The numbers of scopes around the outermost class, around the outermost class template, and around the
        // outermost namespace without a name.
        let mut outer_class: Option<usize> = None;
        let mut class_template: Option<usize> = None;
        let mut unnamed: Option<usize> = None;
        // The class template whose members are in the innermost scope.
        let mut of_members = ClassTemplate::default();
        let mut at = tokens.start;
        let mut template = None;
        'head: while at < tokens.end {
            while let Some(line) = self.includes.pop_if(|line| *line < self.tokens[at].lo) {
                self.found.including.push((line, scopes.iter().flatten().cloned().collect()));
            }
            match self.word(at) {
                "template" if self.is(at + 1, b'<') => {
                    let end = self.after_angles(at + 1);
                    template = end.map(|end| self.range(at + 1, end));
                    at = end.unwrap_or(at + 1);
                    continue;
                }
                "public" | "private" | "protected" if self.is(at + 1, b':') => {
                    at += 2;
                    continue;
                }
                "enum" if let Some(after) = self.enumeration(at, &scopes) => {
                    at = after;
                    template = None;
                    continue;
                }
                "namespace" if self.is(at + 2, b'=') => {
                    let after = self.after_semicolon(at);
                    if at + 4 < after {
                        let path = scopes.iter().flatten().cloned().chain([self.word(at + 1).to_owned()]);
                        let of = Some(self.range(at + 3, after - 1));
                        let (path, at) = (path.collect(), self.tokens[at].lo);
                        self.found.aliases.push(DeclaredAlias { path, namespaces: None, at, of });
                    }
                    at = after;
                    continue;
                }
                "using" | "typedef" | "static_assert" => {
                    let after = self.after_semicolon(at);
                    let is_alias = self.is(at + 2, b'=');
                    if self.word(at) == "using" {
                        let words = (at + 1..after).map(|at| self.word(at)).filter(|word| !word.is_empty());
                        let mut name: Vec<String> = words.map(str::to_owned).collect();
                        let scopes = scopes.iter().flatten().cloned().collect();
                        let at = self.tokens[at].lo;
                        if name.first().is_some_and(|first| first == "namespace") {
                            name.remove(0);
                            self.found.used_namespaces.push(Using { scopes, name, at });
                        } else if !is_alias {
                            self.found.used_names.push(Using { scopes, name, at });
                        }
                    }
                    let alias = match self.word(at) {
                        "using" if is_alias && at + 4 < after => {
                            Some((at + 1, self.range(at + 3, after - 1)))
                        }
                        "typedef" if at + 3 < after => Some((after - 2, self.range(at + 1, after - 2))),
                        _ => None,
                    };
                    if let Some((name, of)) = alias.filter(|&(name, _)| !self.word(name).is_empty()) {
                        let path = scopes.iter().flatten().cloned().chain([self.word(name).to_owned()]);
                        let count = |class: usize| scopes[..class].iter().flatten().count();
                        self.found.aliases.push(DeclaredAlias {
                            path: path.collect(),
                            namespaces: outer_class.map(count),
                            at: self.tokens[at].lo,
                            of: Some(of).filter(|_| {
                                let is_template = template.is_some() || class_template.is_some();
                                !is_template && !self.text[self.range(at, after)].contains('#')
                            }),
                        });
                    }
                    at = after;
                    template = None;
                    continue;
                }
                "extern" if self.is(at + 2, b'{') => {
                    scopes.push(Vec::new());
                    at += 3;
                    continue;
                }
                _ => {}
            }
            if self.is(at, b'}') {
                if scopes.len() > 1 {
                    scopes.pop();
                }
                outer_class = outer_class.filter(|&outer| outer < scopes.len());
                class_template = class_template.filter(|&outer| outer < scopes.len());
                if class_template.is_none() {
                    of_members = ClassTemplate::default();
                }
                unnamed = unnamed.filter(|&outer| outer < scopes.len());
                at += 1;
                continue;
            }
            // The head of a declaration ends before `;`, `{`, `}` or an initialiser.
            let (start, mut end) = (at, at);
            let mut initialisers = None;
            while end < tokens.end {
                match self.tokens[end].kind {
                    Kind::Sign(b'(' | b'[') => {
                        let after = self.after_brackets(end).unwrap_or(tokens.end);
                        // A word after the brackets starts a new declaration: `NAME(…)` is a macro without a semicolon.
                        let next = self.word(after);
                        if end == start + 1 && !next.is_empty() && !AFTER_PARAMETERS.contains(&next) {
                            at = after;
                            continue 'head;
                        }
                        end = after;
                        continue;
                    }
                    Kind::Sign(b';' | b'{' | b'}') => break,
                    Kind::Sign(b'=') if !self.names_operator(start, end) => break,
                    Kind::Sign(b':') if let Some(body) = self.after_initialisers(start, end) => {
                        initialisers = Some(end);
                        end = body;
                        break;
                    }
                    _ => end += 1,
                }
            }
            let of = template.take();
            // If this is true, no other file can use the variables of the declaration.
            let is_local = unnamed.is_some() || self.word(start) == "static";
            if self.is(end, b'=') {
                at = self.after_semicolon(end);
                let outer: Vec<String> = scopes.iter().flatten().cloned().collect();
                self.constant(start, end, at, &outer, is_local && depth == 0 && outer_class.is_none());
            } else if !self.is(end, b'{') {
                let is_declarator = |at| !self.word(at).is_empty() || self.is(at, b':');
                if self.is(end, b';') && self.word(start) == "static" && (start..end).all(is_declarator) {
                    let outer: Vec<String> = scopes.iter().flatten().cloned().collect();
                    self.constant(
                        start,
                        end,
                        end + 1,
                        &outer,
                        is_local && depth == 0 && outer_class.is_none(),
                    );
                }
                if self.is(end, b';') && (of.is_some() || (start..end).any(|at| self.is(at, b'='))) {
                    let outer = scopes.iter().flatten().cloned().collect();
                    self.found.declarations.extend(self.definition(
                        start,
                        end,
                        end,
                        Some(end + 1),
                        of,
                        outer,
                    ));
                }
                // A `}` closes the scope in the next round.
                at = if self.is(end, b'}') { end.max(start) } else { end + 1 };
                if at == start {
                    at += 1;
                }
            } else if let Some(names) = self.opens_scope(start, end) {
                if let Some(after) = self.after_brackets(end)
                    && matches!(self.word(start), "struct" | "class")
                    && !(start..end).any(|at| self.is(at, b'<'))
                {
                    let path = scopes.iter().flatten().chain(&names).cloned().collect();
                    let declaration = self.range(start, after);
                    let function_depth = if depth > 0 { outer.len() } else { 0 };
                    let is_variable = false;
                    self.found.structs.push(Declared { path, declaration, is_variable, function_depth });
                }
                if scopes.len() >= SCOPE_LIMIT || names.len() > SCOPE_LIMIT {
                    at = self.after_brackets(end).unwrap_or(tokens.end);
                    continue;
                }
                if (start..end).any(|at| matches!(self.word(at), "struct" | "class" | "union")) {
                    outer_class = outer_class.or(Some(scopes.len()));
                    if of.is_some() && class_template.is_none() {
                        class_template = Some(scopes.len());
                        of_members =
                            ClassTemplate { params: of, arguments: self.arguments_of_class(start, end) };
                    }
                }
                if names.is_empty() && self.word(end - 1) == "namespace" {
                    unnamed = unnamed.or(Some(scopes.len()));
                }
                self.inline_namespaces(start, end, &scopes);
                scopes.push(names);
                at = end + 1;
            } else {
                let after = self.after_brackets(end);
                let outer: Vec<String> = scopes.iter().flatten().cloned().collect();
                let head_end = initialisers.unwrap_or(end);
                if let Some(definition) = self.definition(start, head_end, end, after, of, outer) {
                    if let Some(after) = after.filter(|_| depth < LOCAL_LIMIT) {
                        self.local_classes(end + 1..after - 1, &definition.path, depth + 1);
                    }
                    let in_unnamed_namespace = unnamed.is_some();
                    let is_member = class_template.is_some_and(|class| class + 1 == scopes.len());
                    let class_template =
                        if is_member { of_members.clone() } else { ClassTemplate::default() };
                    self.found.functions.push(Definition {
                        in_unnamed_namespace,
                        class_template,
                        ..definition
                    });
                } else if let Some(after) =
                    after.filter(|&after| self.is(after, b';') || self.is(after, b','))
                {
                    // `const T x{…};` declares a constant.
                    at = self.after_semicolon(after);
                    let outer: Vec<String> = scopes.iter().flatten().cloned().collect();
                    self.constant(start, end, at, &outer, is_local && depth == 0 && outer_class.is_none());
                    continue;
                }
                at = after.unwrap_or_else(|| self.next_declaration(end));
            }
        }
    }

    /// Finds the classes that the body of a function declares.
    fn local_classes(&mut self, body: Range<usize>, function: &[String], depth: u32) {
        let mut at = body.start;
        while at < body.end {
            let starts = self.is(at - 1, b'{') || self.is(at - 1, b'}') || self.is(at - 1, b';');
            if starts
                && matches!(self.word(at), "struct" | "class")
                && let Some(open) =
                    (at..body.end).take(HEAD_LIMIT).find(|&at| self.is(at, b'{') || self.is(at, b';'))
                && self.is(open, b'{')
                && let Some(after) = self.after_brackets(open).filter(|&after| after <= body.end)
            {
                self.scopes(at..after, function, depth);
                at = after;
            } else {
                at += 1;
            }
        }
    }

    /// Records the enumeration that starts at `start`, and returns the index after its closing brace; `None` if it has
    /// no list of enumerators.
    fn enumeration(&mut self, start: usize, scopes: &[Vec<String>]) -> Option<usize> {
        let scoped = matches!(self.word(start + 1), "class" | "struct");
        let name = match self.word(start + 1 + usize::from(scoped)) {
            // An enumeration without a name gets a name that C++ text cannot contain.
            "" => format!("enum#{}", self.tokens[start].lo),
            name => name.to_owned(),
        };
        let open = (start..self.tokens.len())
            .take(HEAD_LIMIT)
            .take_while(|&at| !self.is(at, b';') && !self.is(at, b'('))
            .find(|&at| self.is(at, b'{'))?;
        let after = self.after_brackets(open)?;
        let mut cases = Vec::new();
        let mut at = open;
        while at + 1 < after {
            if at == open || self.is(at, b',') {
                cases.extend(Some(self.word(at + 1).to_owned()).filter(|case| !case.is_empty()));
                at += 1;
            } else {
                at = match self.tokens[at].kind {
                    Kind::Sign(b'(' | b'[' | b'{') => self.after_brackets(at)?,
                    _ => at + 1,
                };
            }
        }
        let path = scopes.iter().flatten().cloned().chain([name]).collect();
        let declaration = self.range(start, after);
        self.found.enums.push((
            Declared { path, declaration, is_variable: false, function_depth: 0 },
            cases,
            scoped,
        ));
        Some(after)
    }

    /// Records the constants of the declaration with the head `start..end` if the head contains `const` or `constexpr`.
    /// With any other head, records the variables of the declaration if `with_variables` is true. The declaration ends
    /// before `after`.
    fn constant(&mut self, start: usize, end: usize, after: usize, path: &[String], with_variables: bool) {
        let is_const = (start..end).any(|at| matches!(self.word(at), "const" | "constexpr"));
        let mut last = end;
        while last > start && self.is(last - 1, b']') {
            last = self.partner[last - 1].unwrap_or(start);
        }
        if last <= start || after <= end || !self.is(after - 1, b';') {
            return;
        }
        // The value of a `volatile` or `thread_local` variable can differ from the one that was assigned.
        let is_shared =
            (start..end).any(|at| matches!(self.word(at), "volatile" | "thread_local" | "extern"));
        if !is_const && (!with_variables || is_shared || last == start + 1) {
            return;
        }
        let declaration = self.tokens[start].lo..self.tokens[after - 1].lo;
        let mut names = vec![self.word(last - 1)];
        // `, b = 2` and `, b{2}` declare another constant.
        let mut at = end;
        while at < after {
            let is_value = self.is(at + 2, b'=') && !self.is(at + 3, b'=') || self.is(at + 2, b'{');
            if self.is(at, b',') && is_value {
                names.push(self.word(at + 1));
            }
            at = self.after_brackets(at).filter(|&next| next > at).unwrap_or(at + 1);
        }
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            let path = path.iter().cloned().chain([name.to_owned()]).collect();
            let declaration = declaration.clone();
            let is_variable = !is_const;
            self.found.constants.push(Declared { path, declaration, is_variable, function_depth: 0 });
        }
    }

    /// The index of the body after the initialisers `: a(x), b{y}` of a constructor; `None` for another `:`.
    fn after_initialisers(&self, start: usize, colon: usize) -> Option<usize> {
        let after_parameters =
            colon > start && (self.is(colon - 1, b')') || self.word(colon - 1) == "noexcept");
        if !after_parameters {
            return None;
        }
        let mut at = colon;
        loop {
            at += 1;
            while !self.word(at).is_empty() || self.is(at, b':') {
                at += 1;
            }
            if self.is(at, b'<') {
                at = self.after_angles(at)?;
            }
            if !self.is(at, b'(') && !self.is(at, b'{') {
                return None;
            }
            at = self.after_brackets(at)?;
            if !self.is(at, b',') {
                return self.is(at, b'{').then_some(at);
            }
        }
    }

    /// True if the tokens before `at` name an operator (`operator==`).
    fn names_operator(&self, start: usize, at: usize) -> bool {
        (start..at).rev().take(3).any(|index| self.word(index) == "operator")
    }

    fn after_semicolon(&self, mut at: usize) -> usize {
        while at < self.tokens.len() {
            match self.tokens[at].kind {
                Kind::Sign(b';') => return at + 1,
                Kind::Sign(b'(' | b'[' | b'{') => at = self.after_brackets(at).unwrap_or(self.tokens.len()),
                Kind::Sign(b'}') => return at,
                _ => at += 1,
            }
        }
        at
    }

    /// The index of the first word after `at` that is at the start of a line. Such a word starts a declaration.
    fn next_declaration(&self, at: usize) -> usize {
        let rest = self.tokens.iter().enumerate().skip(at + 1);
        let mut starts = rest.filter(|(_, token)| {
            token.kind == Kind::Word && (token.lo == 0 || self.text.as_bytes()[token.lo - 1] == b'\n')
        });
        starts.next().map_or(self.tokens.len(), |(at, _)| at)
    }

    /// Records the inline namespaces of a head (`inline namespace a`, `namespace a::inline b`), which the scopes around
    /// them use.
    fn inline_namespaces(&mut self, start: usize, end: usize, outer: &[Vec<String>]) {
        let mut scopes: Vec<String> = outer.iter().flatten().cloned().collect();
        let mut is_inline = false;
        if !(start..end).any(|at| self.word(at) == "namespace") {
            return;
        }
        for at in start..end {
            match self.word(at) {
                "inline" => is_inline = true,
                "" | "namespace" => {}
                part => {
                    let name: Vec<String> = scopes.iter().cloned().chain([part.to_owned()]).collect();
                    if std::mem::take(&mut is_inline) {
                        let used = Using { scopes, name: name.clone(), at: self.tokens[start].lo };
                        self.found.used_namespaces.push(used);
                    }
                    scopes = name;
                }
            }
        }
    }

    /// The template arguments in the head of a class: `<int>` in `struct A<int> : B<int>`.
    fn arguments_of_class(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let is_base = |at: usize| self.is(at, b':') && !self.is(at + 1, b':') && !self.is(at - 1, b':');
        let open = (start + 1..end).take_while(|&at| !is_base(at)).find(|&at| self.is(at, b'<'))?;
        Some(self.range(open, self.after_angles(open)?))
    }

    /// The names of the scope that a head (`namespace a::b`, `struct A : B`) opens.
    fn opens_scope(&self, start: usize, end: usize) -> Option<Vec<String>> {
        let first = (start..end).find(|&at| self.word(at) != "inline")?;
        match self.word(first) {
            "namespace" => Some(
                (first + 1..end)
                    .map(|at| self.word(at))
                    .filter(|word| !word.is_empty() && *word != "inline")
                    .map(str::to_owned)
                    .collect(),
            ),
            "struct" | "class" | "union" => {
                // A parenthesis belongs to a function that returns the class, or to an attribute.
                let head = first + 1..end;
                let mut name = None;
                for at in head {
                    match self.tokens[at].kind {
                        Kind::Sign(b':') if !self.is(at + 1, b':') && !self.is(at.wrapping_sub(1), b':') => {
                            break;
                        }
                        Kind::Sign(b'(') => return None,
                        Kind::Sign(b'<') => break,
                        Kind::Word if self.word(at) != "final" => name = Some(self.word(at).to_owned()),
                        _ => {}
                    }
                }
                Some(name.into_iter().collect())
            }
            _ => None,
        }
    }

    /// The first token and the text of the name that ends at `last`. The name of an operator has several tokens.
    fn function_name(&self, start: usize, last: usize) -> Option<(usize, String)> {
        let before = last.checked_sub(1).filter(|&before| before >= start && self.word(before) == "operator");
        match (before, self.word(last)) {
            (_, "") => {}
            (None, name) => return Some((last, name.to_owned())),
            // A conversion: `operator bool`.
            (Some(operator), ty) => return Some((operator, format!("operator {ty}"))),
        }
        let operator = (start..last).rev().take(3).find(|&at| self.word(at) == "operator")?;
        let signs = self.tokens[operator + 1..=last].iter().map(|token| &self.text[token.lo..token.hi]);
        Some((operator, format!("operator{}", signs.collect::<String>())))
    }

    fn range(&self, from: usize, to: usize) -> Range<usize> {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if from < to => first.lo..last.hi,
            _ => 0..0,
        }
    }

    /// The function whose head is between `start` and `head_end`; `None` if the head is not that of a function. The
    /// body starts at `brace`. For a declaration, `brace` is the semicolon.
    fn definition(
        &self,
        start: usize,
        head_end: usize,
        brace: usize,
        after: Option<usize>,
        template: Option<Range<usize>>,
        mut path: Vec<String>,
    ) -> Option<Definition> {
        if head_end > start + FUNCTION_HEAD_LIMIT {
            return None;
        }
        let arrow = (start..brace)
            .scan(0_i32, |open, at| {
                match self.tokens[at].kind {
                    Kind::Sign(b'(' | b'[') => *open += 1,
                    Kind::Sign(b')' | b']') => *open -= 1,
                    _ => {}
                }
                Some((at, *open))
            })
            .find(|&(at, open)| open == 0 && self.is(at, b'-') && self.is(at + 1, b'>'))
            .map(|(at, _)| at);
        // The parameters are the last group in parentheses. Only words and `noexcept(condition)` follow it.
        let mut close = arrow.unwrap_or(head_end).checked_sub(1)?;
        loop {
            let condition =
                self.partner[close].filter(|&open| open > start && self.word(open - 1) == "noexcept");
            close = match condition {
                Some(open) if self.is(close, b')') => open - 1,
                _ if matches!(self.word(close), "const" | "noexcept" | "override" | "final") => close,
                _ => break,
            };
            if close <= start {
                return None;
            }
            close -= 1;
        }
        if !self.is(close, b')') {
            return None;
        }
        let open = self.partner[close].filter(|&open| open >= start && self.is(open, b'('))?;
        let mut last = open.checked_sub(1).filter(|&at| at >= start)?;
        let mut arguments = None;
        if template.is_some()
            && !self.names_operator(start, last + 1)
            && self.is(last, b'>')
            && let Some(opening) = self.angles[last].filter(|&opening| opening > start)
        {
            arguments = Some(self.range(opening, last + 1));
            last = opening - 1;
        }
        let (mut first, name) = self.function_name(start, last)?;
        let mut written = vec![name.clone()];
        while first >= start + 3
            && written.len() < SCOPE_LIMIT
            && self.is(first - 1, b':')
            && self.is(first - 2, b':')
            && !self.word(first - 3).is_empty()
        {
            first -= 3;
            written.push(self.word(first).to_owned());
        }
        let keyword = matches!(
            name.as_str(),
            "" | "if" | "for" | "while" | "switch" | "catch" | "return" | "sizeof" | "operator"
        );
        let is_destructor = first > start && self.is(first - 1, b'~');
        if keyword || is_destructor || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        written.reverse();
        path.extend(written);
        let end = after.unwrap_or_else(|| self.next_declaration(brace));
        Some(Definition {
            path,
            template,
            class_template: ClassTemplate::default(),
            result: if first > start {
                self.range(start, first)
            } else {
                self.tokens[first].lo..self.tokens[first].lo
            },
            name: self.range(first, last + 1),
            arguments,
            params: self.tokens[open].hi..self.tokens[close].hi,
            trailing: arrow.map(|arrow| self.range(arrow + 2, brace)),
            suffix: self.tokens[close].hi..self.tokens[arrow.unwrap_or(brace)].lo,
            body: self.range(brace, end),
            closed: after.is_some(),
            in_unnamed_namespace: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let show = |d: Definition| {
            let template = d.template.map_or("", |range| &text[range]);
            let trailing = d.trailing.map_or(String::new(), |range| format!(" -> {}", &text[range]));
            let result = text[d.result].split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{template}{result} {}({}{trailing} {}", d.path.join("::"), &text[d.params], d.body.len())
        };
        scan(text).functions.into_iter().map(show).collect()
    }

    #[test]
    fn functions_are_found_in_namespaces_and_classes() {
        let text = "
            #define BODY { not a { body
            #include <x>
            using namespace mlir;
            namespace a::b { namespace {
            static Value /* { */ first(Value v, int n = f(1)) { return v; }
            } // namespace
            struct S : public Base<T> {
              explicit S(int x) : x(x), y{x} {}
              static bool second(S &other) { return other.x == '}'; }
            private:
              int x = 3, y;
            };
            }
            template <typename T, typename U = List<T>> auto third(T t) -> decltype(f(t)) { return {}; }
            enum class E : int { A = 1 };
            int table[] = { 1, 2 };
            bool declared(int);
            LogicalResult XOp::verify() const { return R\"x(})x\"; }
            bool operator==(A a, B b) { return true; }
            constexpr int n = 1'000; int last() { return n; }";
        assert_eq!(
            found(text),
            [
                "static Value a::b::first(Value v, int n = f(1)) 13",
                "explicit a::b::S::S(int x) 2",
                "static bool a::b::S::second(S &other) 26",
                "<typename T, typename U = List<T>>auto third(T t) -> decltype(f(t)) 14",
                "LogicalResult XOp::verify() 20",
                "bool operator==(A a, B b) 16",
                "int last() 13",
            ]
        );
    }

    #[test]
    fn commas_between_template_arguments_declare_no_constant() {
        let names = |text: &str| -> Vec<String> {
            let constants = scan(text).constants.into_iter();
            constants.filter_map(|constant| constant.path.last().cloned()).collect()
        };
        assert_eq!(
            names("constexpr int a = foo<c, b == 2>::value; constexpr int d = 1, e = 2;"),
            ["a", "d", "e"]
        );
    }

    #[test]
    fn only_includes_of_inc_files_are_recorded() {
        let count = |line: &str| scan(line).including.len();
        for (line, expected) in [
            ("#include \"A.inc\"", 1),
            ("#  include <a/A.inc> // x", 1),
            ("#include \"A.h.inc\"", 0),
            ("#include \"my.include/A.h\"", 0),
            ("#include \"lib.inc.d/A.h\"", 0),
            ("#include_next \"A.inc\"", 0),
        ] {
            assert_eq!(count(&format!("namespace a {{\n{line}\nint x;\n}}\n")), expected, "{line}");
        }
    }

    #[test]
    fn comments_follow_conditions() {
        let text = "#if 0 /* old */\nint f() { return 1; }\n# else // new\nint g() { return 1; }\n#endif\n#define N 1\n";
        assert_eq!(found(text), ["int g() 13"]);
        assert_eq!(scan(text).macros, [("N".to_owned(), text.len() - 3..text.len() - 1)]);
    }

    /// Each text takes linear time. In quadratic time, the test would take minutes.
    #[test]
    fn repeated_heads_take_linear_time() {
        let repeated = |text: &str| text.repeat(200_000);
        let names =
            format!("namespace {}a {{ {} }}", repeated("a::"), "int f() { return 1; }".repeat(10_000));
        let local = format!("int f() {{ {} }}", repeated("(} struct a "));
        for text in ["template <", "<", "enum[]", "enum a }", "{", "#if A\n"].map(repeated) {
            scan(&text);
        }
        scan(&names);
        scan(&local);
    }

    #[test]
    fn any_text_is_scanned() {
        for text in [
            "",
            "}}}}",
            "{{{{",
            "int f(",
            "f() {",
            "\"",
            "R\"(",
            "/*",
            "'",
            "template <",
            "namespace {",
            "a ( ) { ) }",
            "bool operatoré(Attribute x) { return true; }",
            "bool operator é(Attribute x) { return true; }",
            "é é",
        ] {
            scan(text);
        }
        // A missing brace hides no other function.
        for text in [
            "namespace {\nint f() {\n  if (x) {\n  return 1;\n}\nint g(int a,\n      int b) {\n  return 2;\n}\n} // namespace\nint h() { return 3; }",
            "int f() { if (x) { return 1;\nint g() { return 2; }\nint h() {\n  for (int i = 0; i < 3; ++i) {\n  } \n}",
            "int f() {\n  if (x) {\n  } else if (y) {\n  } else {\n}\nint g() {\n  return 1;\n}\nint h() {\n  g([&](int x) {\n    return x;\n  });\n}",
            "int f() {\n  }\n  return 1;\n}\nint g() { return 2; }\nint h() { return 2; }",
        ] {
            let found = scan(text).functions;
            let names: Vec<&str> = found.iter().filter_map(|d| d.path.last().map(String::as_str)).collect();
            assert_eq!(names, ["f", "g", "h"], "{text}");
            assert!(found[1].closed && found[2].closed, "{text}");
            let body = |at: usize| text[found[at].body.clone()].trim_end();
            assert!(body(1).ends_with('}') && !body(1).contains("int h"), "{text}");
        }
        assert!(!scan("int f() { if (x) {").functions.iter().any(|definition| definition.closed));
    }
}
