//! Expands function-like macros (`#define SIZE(a) ((a).size())`) and most other macros in C++ files. A macro without
//! parameters is not expanded if its text is empty, a literal in one line, or an expression in parentheses in one line.
//! `constants` reads these macros. They are expanded only in the calls of other macros, and only if a macro of the files
//! contains `#`, because only such macros depend on the difference.
//!
//! Specification: an expanded text has the tokens that the C++ preprocessor produces for the calls of the macros, and
//! each token that is not part of a call is in the same line as before.
//!
//! A macro is visible in its file, from its definition to `#undef`. A macro of a header is visible in all files. A
//! macro is not expanded if it is defined under a condition, or if it has several definitions. A macro is also not
//! expanded if its text contains `__VA_OPT__`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::scan::{self, Kind};
use crate::source::{FileId, SourceFile, SourceMap};

/// The macros that the parser of statements reads.
const STATEMENTS: &[&str] = &["LLVM_DEBUG", "DEBUG_WITH_TYPE", "LDBG", "assert"];

/// The maximum number of tokens that the expansion of the macro calls in a file processes.
const TOKEN_LIMIT: u32 = 100_000;

/// The maximum nesting of calls in the arguments of calls.
const NESTING_LIMIT: u32 = 64;

/// Files with expanded macros.
pub(crate) struct Expanded {
    /// For each file, the file itself, or a file with the expanded text.
    pub(crate) files: Vec<FileId>,
    /// The macros that are not expanded.
    pub(in crate::frontend) unread: UnreadMacros,
}

/// Macros that are not expanded, by their names.
pub(in crate::frontend) type UnreadMacros = BTreeMap<String, UnreadMacro>;

/// A macro that is not expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::frontend) struct UnreadMacro {
    /// The place of the macro, and the reason.
    pub(super) reason: String,
    /// True for a function-like macro.
    pub(super) is_function: bool,
    /// The name of the file, if other files do not see the macro.
    pub(super) only_in: Option<String>,
}

/// A token of a macro or of an argument.
#[derive(Clone, Debug)]
struct Token {
    text: Arc<str>,
    kind: Kind,
    /// True if white space precedes the token.
    spaced: bool,
    /// True if the token and the token before it do not form one token.
    apart: bool,
    /// The macros whose expansion contains the token. They are not expanded again.
    hidden: Vec<Arc<str>>,
}

/// A macro.
#[derive(Debug)]
struct Macro {
    /// The parameters of a function-like macro.
    params: Option<Vec<String>>,
    /// True if the last parameter takes any number of arguments.
    is_variadic: bool,
    body: Vec<Token>,
    /// The parameters and the body as text.
    text: String,
}

/// The meaning of the name of a macro.
#[derive(Clone, Debug)]
enum Meaning {
    Macro(Arc<Macro>),
    /// A macro that is not expanded.
    Unread(UnreadMacro),
    /// A macro that `constants` reads; `None` if its text is not known.
    Constant(Option<Arc<Macro>>),
}

type Macros = HashMap<String, Meaning>;

/// A change of the macros at a byte of a file: a definition, or the end of a definition.
struct Change {
    at: usize,
    name: String,
    to: Option<Meaning>,
}

/// Expands the macros in files.
pub(crate) fn expand_macros(sources: &mut SourceMap, files: &[FileId]) -> Expanded {
    let read: Vec<SourceFile> = files.iter().map(|&id| sources.file(id).clone()).collect();
    let mut changes: Vec<Vec<Change>> = read.iter().map(changes).collect();
    let has_operators = changes.iter().flatten().any(|change| match &change.to {
        Some(Meaning::Macro(of)) => of.body.iter().any(|token| token.kind == Kind::Sign(b'#')),
        _ => false,
    });
    for changes in &mut changes {
        let is_constant = |change: &Change| matches!(change.to, None | Some(Meaning::Constant(_)));
        // If only `constants` reads a macro, its definitions matter only to macros with operators.
        let has_meaning =
            |name: &str| changes.iter().any(|change| change.name == name && !is_constant(change));
        let matters: HashSet<String> = changes
            .iter()
            .filter(|change| has_operators || has_meaning(&change.name))
            .map(|change| change.name.clone())
            .collect();
        changes.retain(|change| matters.contains(&change.name));
    }
    let mut expanded = Expanded { files: files.to_vec(), unread: UnreadMacros::new() };
    if changes.iter().all(Vec::is_empty) {
        return expanded;
    }
    let mut of_headers = Macros::new();
    for (_, changes) in read.iter().zip(&changes).filter(|(file, _)| !is_source(file.name())) {
        let mut own = Macros::new();
        changes.iter().for_each(|change| apply(&mut own, change));
        for (name, meaning) in own {
            apply(&mut of_headers, &Change { at: 0, name, to: Some(meaning) });
        }
    }
    for ((file, changes), id) in read.iter().zip(&changes).zip(&mut expanded.files) {
        let mut expander =
            Expander { macros: of_headers.clone(), tokens: TOKEN_LIMIT, unread: UnreadMacros::new() };
        // The definitions of the file hide those of headers.
        for change in changes {
            expander.macros.remove(&change.name);
        }
        let text = expander.file(file, changes);
        expanded.unread.append(&mut expander.unread);
        // If the source map is full, the macros stay as they are.
        if let Some(text) = text
            && let Ok(added) = sources.add(file.name().to_owned(), text)
        {
            *id = added;
        }
    }
    expanded
}

/// True for the name of a source file (`.cpp`, `.cc` …), which other files do not include.
pub(super) fn is_source(name: &str) -> bool {
    [".cpp", ".cc", ".cxx", ".c"].iter().any(|end| name.ends_with(end))
}

/// Applies a definition or `#undef`.
fn apply(macros: &mut Macros, change: &Change) {
    let Some(meaning) = &change.to else {
        macros.remove(&change.name);
        return;
    };
    let meaning = match (macros.get(&change.name), meaning) {
        (Some(Meaning::Macro(known)), Meaning::Macro(new)) if known.text != new.text => {
            let unread = UnreadMacro {
                reason: "it has several definitions".to_owned(),
                is_function: known.params.is_some() && new.params.is_some(),
                only_in: None,
            };
            Meaning::Unread(unread)
        }
        (Some(unread @ Meaning::Unread(_)), Meaning::Macro(_)) => unread.clone(),
        (Some(Meaning::Constant(known)), Meaning::Constant(new))
            if known.as_ref().map(|known| &known.text) != new.as_ref().map(|new| &new.text) =>
        {
            Meaning::Constant(None)
        }
        _ => meaning.clone(),
    };
    macros.insert(change.name.clone(), meaning);
}

/// The definitions of macros in a file, and the ends of definitions.
fn changes(file: &SourceFile) -> Vec<Change> {
    let text: &str = file.text();
    if !text.contains("define") {
        return Vec::new();
    }
    let mut changes = Vec::new();
    // The open conditions. The flag is true for the guard of a definition. It is also true for `#if 0` and `#if 1`,
    // because `directives` omits the lines that these conditions exclude.
    let mut conditions: Vec<(&str, bool)> = Vec::new();
    for &at in &scan::directives(text) {
        let Some(line) = scan::preprocessor_line(text, at) else { continue };
        let (name, value) = scan::split_word(line.rest);
        match line.name {
            "if" => conditions.push(("", matches!(line.condition(), "0" | "1"))),
            "ifdef" => conditions.push(("", false)),
            "ifndef" => conditions.push((name, false)),
            "else" | "elif" | "elifdef" | "elifndef" => {
                conditions.pop();
                conditions.push(("", false));
            }
            "endif" => drop(conditions.pop()),
            "undef" => changes.push(Change { at, name: name.to_owned(), to: None }),
            "define" => {
                // `#ifndef NAME` before the definition of `NAME` is a guard against several definitions.
                if let Some((guarded, is_read)) = conditions.last_mut()
                    && *guarded == name
                {
                    *is_read = true;
                }
                let is_conditional = conditions.iter().any(|(_, is_read)| !is_read);
                let is_function = value.starts_with('(');
                let read = if is_function {
                    Some(definition(value).map(|read| (read, false)))
                } else {
                    replacement(name, value)
                };
                let unread = |reason: &str| {
                    let (number, _) = file.line_column(at);
                    Meaning::Unread(UnreadMacro {
                        reason: format!("{}:{number}: {reason}", file.name()),
                        is_function,
                        only_in: is_source(file.name()).then(|| file.name().to_owned()),
                    })
                };
                let to = read.map(|read| match read {
                    Err(reason) => unread(reason),
                    Ok((read, true)) => Meaning::Constant((!is_conditional).then(|| Arc::new(read))),
                    Ok(_) if is_conditional => unread("it is defined under a condition"),
                    Ok((read, false)) => Meaning::Macro(Arc::new(read)),
                });
                if !STATEMENTS.contains(&name) {
                    changes.push(Change { at, name: name.to_owned(), to });
                }
            }
            _ => {}
        }
    }
    changes
}

/// The tokens of the text of a macro.
fn tokens_of(value: &str) -> Vec<Token> {
    let value = value.replace("\\\r\n", " ").replace("\\\n", " ");
    // Without the word, `#` at the start would be a preprocessor line.
    let mut tokens = read(&format!("_ {value}"));
    tokens.remove(0);
    tokens
}

/// Reads the text of a macro without parameters. The flag is true if the text is empty, or if it is one line with a
/// literal or an expression in parentheses. Returns `None` if the text is the name itself.
fn replacement(name: &str, value: &str) -> Option<Result<(Macro, bool), &'static str>> {
    let body = tokens_of(value);
    let is_in_parentheses = || {
        let mut open = 0_usize;
        let closes = |token: &Token| {
            match &*token.text {
                "(" => open += 1,
                ")" => open = open.saturating_sub(1),
                _ => {}
            }
            open == 0
        };
        body.iter().position(closes) == Some(body.len() - 1)
    };
    if let Err(reason) = check_operators(&body, None) {
        return Some(Err(reason));
    }
    let is_constant = match &body[..] {
        [] => true,
        _ if (0..body.len()).any(|at| is_paste(&body, at)) => false,
        [only] if *only.text == *name => return None,
        [only] => only.kind == Kind::Literal || only.text.starts_with(|c: char| c.is_ascii_digit()),
        [first, ..] => *first.text == *"(" && is_in_parentheses(),
    };
    let is_constant = is_constant && (body.is_empty() || !value.contains('\n'));
    let text = written(&body);
    Some(Ok((Macro { params: None, is_variadic: false, body, text }, is_constant)))
}

/// Reads the parameters and the text of a macro, from the opening parenthesis.
fn definition(value: &str) -> Result<Macro, &'static str> {
    let tokens = tokens_of(value);
    let close = tokens.iter().position(|token| &*token.text == ")").ok_or("its parameters are not closed")?;
    let (mut params, mut is_variadic) = (Vec::new(), false);
    for (at, param) in tokens[1..close].split(|token| token.kind == Kind::Sign(b',')).enumerate() {
        let name = param.first().filter(|first| first.kind == Kind::Word).map(|first| first.text.to_string());
        let is_ellipsis = |rest: &[Token]| written(rest).trim() == "...";
        match (name, param) {
            (None, []) if at == 0 && close == 1 => {}
            _ if is_variadic => return Err("its parameters are not names"),
            (Some(name), [_]) => params.push(name),
            (Some(name), [_, rest @ ..]) if is_ellipsis(rest) => {
                params.push(name);
                is_variadic = true;
            }
            (None, rest) if is_ellipsis(rest) => {
                params.push(VARIADIC.to_owned());
                is_variadic = true;
            }
            _ => return Err("its parameters are not names"),
        }
    }
    let body = &tokens[close + 1..];
    check_operators(body, Some(&params))?;
    let text = format!("({}) {}", params.join(","), written(body));
    Ok(Macro { params: Some(params), is_variadic, body: body.to_vec(), text })
}

/// The name of the parameter `...` in the text of a macro.
const VARIADIC: &str = "__VA_ARGS__";

/// Rejects the text of a macro with operators that cannot be applied.
fn check_operators(body: &[Token], params: Option<&[String]>) -> Result<(), &'static str> {
    if body.iter().any(|token| *token.text == *"__VA_OPT__") {
        return Err("its text contains '__VA_OPT__'");
    }
    let mut at = 0;
    while at < body.len() {
        if is_paste(body, at) {
            if at == 0 || at + 2 == body.len() {
                return Err("its text starts or ends with '##'");
            }
            at += 1;
        } else if let Some(params) = params
            && body[at].kind == Kind::Sign(b'#')
            && !body.get(at + 1).is_some_and(|next| params.iter().any(|param| **param == *next.text))
        {
            return Err("its text contains a '#' that is not before a parameter");
        }
        at += 1;
    }
    Ok(())
}

/// True if the operator `##` is at this place.
fn is_paste(body: &[Token], at: usize) -> bool {
    matches!(
        body.get(at..at + 2),
        Some([Token { kind: Kind::Sign(b'#'), .. }, Token { kind: Kind::Sign(b'#'), spaced: false, .. }])
    )
}

/// The string literal with the text of an argument.
fn stringised(arg: &[Token]) -> Token {
    let mut text = String::from("\"");
    for (at, token) in arg.iter().enumerate() {
        if token.spaced && at > 0 {
            text.push(' ');
        }
        if token.kind == Kind::Literal {
            text.push_str(&token.text.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            text.push_str(&token.text);
        }
    }
    text.push('"');
    Token { text: text.into(), kind: Kind::Literal, spaced: false, apart: true, hidden: Vec::new() }
}

/// Joins a token with the last of some tokens. `None` if both are parts of a literal with a prefix or suffix.
fn paste(tokens: &mut Vec<Token>, right: Token) -> Option<()> {
    match tokens.last_mut() {
        Some(left) if left.kind == Kind::Word && right.kind == Kind::Word => {
            left.text = format!("{}{}", left.text, right.text).into();
            left.hidden.retain(|name| right.hidden.contains(name));
        }
        Some(left) if left.kind == Kind::Literal || right.kind == Kind::Literal => return None,
        _ => tokens.push(Token { spaced: false, apart: false, ..right }),
    }
    Some(())
}

/// The tokens of a text without preprocessor lines.
fn read(text: &str) -> Vec<Token> {
    let mut end = 0;
    let tokens = scan::tokenize(text).0.into_iter().map(|token| {
        let spaced = token.lo > end;
        end = token.hi;
        let text = text[token.lo..token.hi].into();
        Token { text, kind: token.kind, spaced, apart: false, hidden: Vec::new() }
    });
    tokens.collect()
}

/// The text of tokens.
fn written(tokens: &[Token]) -> String {
    tokens.iter().fold(String::new(), |mut text, token| {
        if token.spaced || token.apart {
            text.push(' ');
        }
        text.push_str(&token.text);
        text
    })
}

/// A call of a macro.
struct MacroCall {
    called: Arc<Macro>,
    args: Vec<Vec<Token>>,
    /// The number of tokens after the name.
    length: usize,
    /// The names of the macros that are not expanded again in the expansion.
    hidden: Vec<Arc<str>>,
}

struct Expander {
    macros: Macros,
    /// The number of tokens that the expansion can still process.
    tokens: u32,
    /// The macros of the file that are not expanded.
    unread: UnreadMacros,
}

impl Expander {
    /// The text of a file with expanded macros; `None` if the file calls no macros.
    fn file(&mut self, file: &SourceFile, changes: &[Change]) -> Option<String> {
        let text: &str = file.text();
        let names: Vec<String> = self.macros.keys().cloned().collect();
        names.iter().for_each(|name| self.record_unread(name));
        let mut changes = changes.iter().peekable();
        let names = self.macros.keys().chain(changes.clone().map(|change| &change.name));
        if !names.clone().any(|name| text.contains(name.as_str())) {
            return None;
        }
        let (tokens, _) = scan::tokenize(text);
        let (mut out, mut copied) = (String::new(), 0);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            while let Some(change) = changes.next_if(|change| change.at < token.lo) {
                apply(&mut self.macros, change);
                self.record_unread(&change.name);
            }
            at += 1;
            let name = &text[token.lo..token.hi];
            let Some(Meaning::Macro(called)) = self.macros.get(name).filter(|_| token.kind == Kind::Word)
            else {
                continue;
            };
            let called = called.clone();
            // The text of a macro without parameters may end with the name of a function-like macro.
            let last = called.body.last().filter(|last| self.is_function(&last.text));
            let takes_arguments = called.params.is_some() || last.is_some();
            // The call, up to the parenthesis that closes the arguments.
            let mut open = 0_usize;
            let mut is_last = |token: &scan::Token| {
                match token.kind {
                    Kind::Sign(b'(') => open += 1,
                    Kind::Sign(b')') => open = open.saturating_sub(1),
                    _ => {}
                }
                open == 0
            };
            let has_arguments =
                takes_arguments && tokens.get(at).is_some_and(|next| next.kind == Kind::Sign(b'('));
            let length = match tokens[at..].iter().position(&mut is_last) {
                Some(length) if has_arguments => length + 1,
                _ if called.params.is_some() => continue,
                _ => 0,
            };
            let end = tokens[at + length - 1].hi;
            let call = &text[token.lo..end];
            let has_directive = call.lines().skip(1).any(|line| line.trim_start().starts_with('#'));
            let Some(expansion) =
                Some(read(call)).filter(|_| !has_directive).and_then(|call| self.expand(call, 0))
            else {
                continue;
            };
            // The text after the call does not continue the last token.
            let expansion = written(&expansion) + " ";
            out.push_str(&text[copied..token.lo]);
            out.push_str(&expansion);
            let lines = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
            out.push_str(&"\n".repeat(lines(call).saturating_sub(lines(&expansion))));
            copied = end;
            at += length;
        }
        for change in changes {
            apply(&mut self.macros, change);
            self.record_unread(&change.name);
        }
        out.push_str(&text[copied..]);
        (copied > 0).then_some(out)
    }

    fn record_unread(&mut self, name: &str) {
        if let Some(Meaning::Unread(unread)) = self.macros.get(name) {
            self.unread.insert(name.to_owned(), unread.clone());
        }
    }

    /// True for the name of a function-like macro.
    fn is_function(&self, name: &str) -> bool {
        match self.macros.get(name) {
            Some(Meaning::Macro(of)) => of.params.is_some(),
            Some(Meaning::Unread(_) | Meaning::Constant(_)) | None => false,
        }
    }

    /// Expands the calls in a list of tokens; `None` if there are too many tokens, or if the calls nest too deeply.
    fn expand(&mut self, tokens: Vec<Token>, nesting: u32) -> Option<Vec<Token>> {
        let mut rest: Vec<Token> = tokens.into_iter().rev().collect();
        let mut done = Vec::new();
        while let Some(token) = rest.pop() {
            self.tokens = self.tokens.checked_sub(1)?;
            if let (Kind::Word, Some(Meaning::Constant(None))) = (token.kind, self.macros.get(&*token.text)) {
                return None;
            }
            let Some(MacroCall { called, args, length, hidden }) = self.call(&token, &rest) else {
                done.push(token);
                continue;
            };
            if nesting >= NESTING_LIMIT {
                return None;
            }
            rest.truncate(rest.len() - length);
            let mut produced = self.substituted(&called, &args, nesting)?;
            if let Some(next) = rest.last_mut() {
                next.spaced |= produced.is_empty() && token.spaced;
                next.apart = true;
            }
            if let Some(first) = produced.first_mut() {
                first.spaced |= token.spaced;
                first.apart = true;
            }
            for token in &mut produced {
                token.hidden.extend(hidden.iter().cloned());
            }
            rest.extend(produced.into_iter().rev());
        }
        Some(done)
    }

    /// The text of a macro with the arguments of a call. An argument is expanded unless an operator takes it.
    fn substituted(&mut self, called: &Macro, args: &[Vec<Token>], nesting: u32) -> Option<Vec<Token>> {
        let body = &called.body[..];
        let param = |at: usize| {
            let part = body.get(at).filter(|part| part.kind == Kind::Word)?;
            called.params.iter().flatten().position(|param| **param == *part.text)
        };
        let variadic = args.len().checked_sub(1).filter(|_| called.is_variadic);
        let mut produced: Vec<Token> = Vec::new();
        // The flags describe the preceding part of the text.
        let (mut pastes, mut is_empty, mut is_arg, mut is_spaced) = (false, true, false, false);
        let mut at = 0;
        while let Some(part) = body.get(at) {
            if is_paste(body, at) {
                pastes = true;
                at += 2;
                continue;
            }
            // A comma before `## __VA_ARGS__` is omitted with the arguments.
            let is_optional = part.kind == Kind::Sign(b',')
                && is_paste(body, at + 1)
                && variadic.is_some_and(|last| param(at + 3) == Some(last));
            let is_string = called.params.is_some() && part.kind == Kind::Sign(b'#');
            let (mut piece, width) = match param(at) {
                _ if is_optional => {
                    let last = args.last()?;
                    let mut piece = Vec::new();
                    if !last.is_empty() {
                        piece.push(part.clone());
                        piece.extend(self.expand(last.clone(), nesting + 1)?);
                    }
                    (piece, 4)
                }
                _ if is_string => (vec![stringised(&args[param(at + 1)?])], 2),
                Some(number) if pastes || is_paste(body, at + 1) => (args[number].clone(), 1),
                Some(number) => (self.expand(args[number].clone(), nesting + 1)?, 1),
                None => (vec![part.clone()], 1),
            };
            self.tokens = self.tokens.checked_sub(u32::try_from(piece.len()).ok()?)?;
            let is_substituted = is_string || param(at).is_some();
            if let Some(first) = piece.first_mut() {
                first.spaced = at > 0 && part.spaced || is_spaced;
                // Two tokens of different origin do not form one token.
                first.apart |= is_arg || is_substituted;
            }
            let adds_nothing = piece.is_empty();
            if pastes && !is_empty && !adds_nothing {
                let first = piece.remove(0);
                paste(&mut produced, first)?;
            }
            is_spaced = adds_nothing && !pastes && (is_spaced || part.spaced);
            is_empty = adds_nothing && (is_empty || !pastes);
            is_arg = is_substituted || is_optional || pastes || is_arg && adds_nothing;
            produced.extend(piece);
            pastes = false;
            at += width;
        }
        Some(produced)
    }

    /// The call of a macro that starts at a name. `rest` has the tokens after the name, from the last to the first.
    /// `None` if the name denotes no macro, or if the macro does not take the number of arguments in `rest`.
    fn call(&self, name: &Token, rest: &[Token]) -> Option<MacroCall> {
        let (Meaning::Macro(called) | Meaning::Constant(Some(called))) = self.macros.get(&*name.text)? else {
            return None;
        };
        if name.hidden.contains(&name.text) || name.kind != Kind::Word {
            return None;
        }
        let Some(params) = &called.params else {
            let hidden = name.hidden.iter().cloned().chain([name.text.clone()]).collect();
            return Some(MacroCall { called: called.clone(), args: Vec::new(), length: 0, hidden });
        };
        if rest.last()?.kind != Kind::Sign(b'(') {
            return None;
        }
        let (mut args, mut open) = (vec![Vec::new()], 0_u32);
        for (number, token) in rest[..rest.len() - 1].iter().rev().enumerate() {
            match token.kind {
                Kind::Sign(b')') if open == 0 => {
                    let count = if params.is_empty() && matches!(&args[..], [only] if only.is_empty()) {
                        0
                    } else {
                        args.len()
                    };
                    let mut hidden: Vec<Arc<str>> =
                        name.hidden.iter().filter(|name| token.hidden.contains(name)).cloned().collect();
                    hidden.push(name.text.clone());
                    let is_call = count == params.len() || called.is_variadic && count + 1 == params.len();
                    args.resize(params.len().max(count), Vec::new());
                    let length = number + 2;
                    return is_call.then(|| MacroCall { called: called.clone(), args, length, hidden });
                }
                Kind::Sign(b',') if open == 0 && !(called.is_variadic && args.len() == params.len()) => {
                    args.push(Vec::new());
                    continue;
                }
                Kind::Sign(b'(') => open += 1,
                Kind::Sign(b')') => open -= 1,
                _ => {}
            }
            args.last_mut()?.push(token.clone());
        }
        None
    }
}
