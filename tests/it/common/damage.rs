//! Checks the parser and the printer with damaged texts of modules.

use drrvm::compile::DialectFiles;
use drrvm::ir::{Context, Module, PrintOptions, parse_module};
use drrvm::source::SourceMap;

use super::command::Folder;

/// Damages a text once at each word or punctuation character: removes it, replaces it by the preceding one, or ends the
/// text before it. Each damaged text that is still a module must print to a text that parses to the same module.
/// `definitions` are the definitions of the text's dialects. `aliases` precedes each damaged text and is not damaged.
pub(crate) fn check(definitions: &str, aliases: &str, text: &str) {
    let folder = Folder::new(&[("dialects.td", definitions)]);
    let mut context = Context::new();
    context.set_dialects(DialectFiles::new().path(folder.path("dialects.td")).shared());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        match words.last_mut() {
            Some((_, end)) if *end == at && is_word(c) && text[..at].ends_with(is_word) => {
                *end += c.len_utf8()
            }
            _ if c.is_whitespace() => {}
            _ => words.push((at, at + c.len_utf8())),
        }
    }
    let (mut read, mut previous) = (0, "");
    for (index, (start, end)) in words.into_iter().enumerate() {
        let (before, after) = (&text[..start], &text[end..]);
        let damaged = match index % 3 {
            0 => format!("{aliases}{before}{after}"),
            1 => format!("{aliases}{before}{previous}{after}"),
            _ => format!("{aliases}{before}"),
        };
        previous = &text[start..end];
        let Some(module) = parse(&mut context, &damaged) else { continue };
        read += 1;
        let printed = module.print(&context, PrintOptions::new());
        let again = parse(&mut context, &printed).unwrap_or_else(|| panic!("{damaged}\n{printed}"));
        let generic = PrintOptions::new().generic(true);
        assert_eq!(module.print(&context, generic), again.print(&context, generic), "{damaged}\n{printed}");
    }
    assert!(read > 0);
}

fn parse(context: &mut Context, text: &str) -> Option<Module> {
    let mut sources = SourceMap::default();
    let file = sources.add("in.mlir", text).ok()?;
    parse_module(context, sources.file(file)).ok()
}
