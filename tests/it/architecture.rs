//! No file of `src/` imports a file from a lower row of the code map in `docs/ARCHITECTURE.md`, and the imports between
//! the files of a package form no cycle.
//!
//! Imports are read from the text: comments, strings and test code are removed, and every path that starts with
//! `crate`, `super`, `self` or the name of a child module is resolved to a file, through re-exports. A re-export alone
//! is not an import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module path: `["vm", "automaton"]`.
type Module = Vec<String>;

#[derive(Default)]
struct Sources {
    /// The text of each module without comments, strings and test code.
    texts: BTreeMap<Module, String>,
    files: BTreeMap<Module, String>,
    /// The names that each module imports or re-exports, with the paths that they stand for.
    names: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
}

/// Replaces each comment, string literal and character literal by a space.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(raw) = rest
            .strip_prefix('r')
            .map(|rest| rest.trim_start_matches('#'))
            .filter(|raw| raw.starts_with('"') && !out.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        {
            let hashes = rest.len() - raw.len() - 1;
            let end = format!("\"{}", "#".repeat(hashes));
            raw[1..].find(&end).map_or(rest.len(), |at| hashes + 2 + at + end.len())
        } else if c == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with("'\\") {
            rest[3..].find('\'').map_or(rest.len(), |at| at + 4)
        } else if c == '\'' && rest[1..].chars().nth(1) == Some('\'') {
            rest[1..].char_indices().nth(1).map_or(rest.len(), |(at, _)| at + 2)
        } else {
            0
        };
        if skipped == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            out.push(' ');
            rest = &rest[skipped..];
        }
    }
    out
}

/// The length of the item at the start of `text`: up to its `;` or to the brace that closes its first brace.
fn item_length(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Removes items whose `cfg` starts with `test`, `all(test` or `any(test`, and collects the names of the removed
/// modules that are files.
fn without_tests(text: &str, test_modules: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    let attributes = ["#[cfg(test)]", "#[cfg(all(test", "#[cfg(any(test"];
    while let Some(at) = attributes.iter().filter_map(|attribute| rest.find(attribute)).min() {
        out.push_str(&rest[..at]);
        let item = &rest[at..];
        let item = item[item.find(']').unwrap_or(0) + 1..].trim_start();
        let length = item_length(item);
        if let Some(name) = item[..length].split("mod ").nth(1).and_then(|name| name.strip_suffix(';')) {
            test_modules.push(name.trim().to_owned());
        }
        rest = &item[length..];
    }
    out + rest
}

/// Expands `a::{b, c::d as e}` to (path, name) pairs.
fn expand(tree: &str, prefix: &[String], out: &mut Vec<(Vec<String>, String)>) {
    let mut path = prefix.to_vec();
    let mut rest = tree.trim();
    loop {
        if let Some(list) = rest.strip_prefix('{') {
            let list = list.strip_suffix('}').unwrap_or(list);
            let (mut depth, mut start) = (0, 0);
            for (at, c) in list.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        expand(&list[start..at], &path, out);
                        start = at + 1;
                    }
                    _ => {}
                }
            }
            if !list[start..].trim().is_empty() {
                expand(&list[start..], &path, out);
            }
            return;
        }
        match rest.split_once("::") {
            Some((segment, more)) => {
                path.push(segment.trim().to_owned());
                rest = more.trim();
            }
            None => {
                let (last, name) = rest.split_once(" as ").unwrap_or((rest, rest));
                if last.trim() == "self" {
                    out.push((path.clone(), path.last().cloned().unwrap_or_default()));
                } else {
                    path.push(last.trim().to_owned());
                    out.push((path, name.trim().to_owned()));
                }
                return;
            }
        }
    }
}

impl Sources {
    /// Reads the package in a folder of the repository.
    fn read(package: &Path) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = Sources::default();
        let mut folders = vec![(package.join("src"), Module::new())];
        while let Some((folder, module)) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                let inner: Module = module.iter().cloned().chain([name.clone()]).collect();
                if path.is_dir() {
                    folders.push((path, inner));
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let module = if ["mod", "lib"].contains(&name.as_str()) { module.clone() } else { inner };
                    let file = path.strip_prefix(root).unwrap().display().to_string();
                    sources.files.insert(module.clone(), file);
                    sources.texts.insert(module, std::fs::read_to_string(&path).unwrap());
                }
            }
        }
        sources.files.remove(&vec!["main".to_owned()]);
        sources.texts.remove(&vec!["main".to_owned()]);
        let mut tests: Vec<Module> = Vec::new();
        for (module, text) in &mut sources.texts {
            let mut names = Vec::new();
            *text = without_tests(&without_comments(text), &mut names);
            tests.extend(names.into_iter().map(|name| module.iter().cloned().chain([name]).collect()));
        }
        sources.texts.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        for (module, text) in &sources.texts {
            let names = sources.names.entry(module.clone()).or_default();
            for (_, tree) in uses(text) {
                let mut found = Vec::new();
                expand(tree, &[], &mut found);
                names.extend(found.into_iter().map(|(path, name)| (name, path)));
            }
        }
        sources
    }

    /// Returns the module that a path from `module` refers to, or `None` for paths into other crates.
    fn resolve(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Module::new(),
            "self" => module.clone(),
            "super" => module[..module.len().checked_sub(1)?].to_vec(),
            name => {
                rest = path;
                let child: Module = module.iter().cloned().chain([name.to_owned()]).collect();
                let known = self.names.get(module).is_some_and(|names| names.contains_key(name));
                if !self.files.contains_key(&child) && !known {
                    return None;
                }
                module.clone()
            }
        };
        while let Some((segment, more)) = rest.split_first() {
            let child: Module = at.iter().cloned().chain([segment.clone()]).collect();
            if segment == "super" {
                at.pop();
            } else if self.files.contains_key(&child) {
                at = child;
            } else if let Some(target) = self.names.get(&at).and_then(|names| names.get(segment))
                && depth < 8
                && target[..] != path[..]
            {
                let whole: Vec<String> = target.iter().chain(more).cloned().collect();
                return self.resolve(&at, &whole, depth + 1);
            } else {
                return Some(at);
            }
            rest = more;
        }
        Some(at)
    }

    /// The files that each file imports from.
    fn imports(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (module, text) in &self.texts {
            let file = self.files[module].as_str();
            let mut paths = Vec::new();
            let mut others = text.clone();
            for (exported, tree) in uses(text) {
                if !exported {
                    expand(tree, &[], &mut paths);
                }
                others = others.replace(tree, "");
            }
            let children = self
                .files
                .keys()
                .filter(|file| file.split_last().is_some_and(|(_, folder)| folder == module));
            let children = children.map(|child| format!("{}::", child[child.len() - 1]));
            for start in ["crate::", "super::", "self::"].map(str::to_owned).into_iter().chain(children) {
                for (at, _) in others.match_indices(&start) {
                    // A path in a visibility, such as `pub(in super::super)`, is not an import.
                    if others[..at].ends_with("pub(in ")
                        || others[..at]
                            .ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$')
                    {
                        continue;
                    }
                    let end = others[at..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
                    let path = others[at..end.map_or(others.len(), |end| at + end)].trim_end_matches(':');
                    paths.push((path.split("::").map(str::to_owned).collect(), String::new()));
                }
            }
            for (path, _) in paths {
                let Some(target) = self.resolve(module, &path, 0) else { continue };
                if let Some(target) = self.files.get(&target).filter(|&target| target != file) {
                    imports.entry(file).or_default().insert(target);
                }
            }
        }
        imports
    }
}

/// Yields the `use` items of a text, each with a flag that is set for re-exports.
fn uses(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.match_indices("use ").filter_map(|(at, _)| {
        let line = text[..at].rsplit('\n').next().unwrap().trim();
        if !line.is_empty() && !line.starts_with("pub") {
            return None;
        }
        let tree = &text[at + 4..];
        Some((line.starts_with("pub"), tree[..tree.find(';')?].trim()))
    })
}

/// The rows of the code map in the order of the page: the files and folders of each row.
fn code_map() -> Vec<Vec<String>> {
    let text = include_str!("../../docs/ARCHITECTURE.md");
    let rows = text.lines().filter(|line| line.starts_with("| `src/"));
    rows.map(|row| {
        let names = row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2);
        names.map(str::to_owned).collect()
    })
    .collect()
}

fn row_of(map: &[Vec<String>], file: &str) -> Option<usize> {
    let matches = |name: &String| file == name || name.ends_with('/') && file.starts_with(name.as_str());
    map.iter().position(|row| row.iter().any(matches))
}

#[test]
fn no_module_imports_from_a_row_below_it() {
    let (sources, map) = (Sources::read(Path::new(env!("CARGO_MANIFEST_DIR"))), code_map());
    let mut wrong = Vec::new();
    for file in sources.files.values().filter(|file| *file != "src/lib.rs") {
        if row_of(&map, file).is_none() {
            wrong.push(format!("{file} is not in the code map"));
        }
    }
    for (file, targets) in sources.imports() {
        for target in targets {
            if let (Some(from), Some(to)) = (row_of(&map, file), row_of(&map, target))
                && to > from
            {
                wrong.push(format!("{file} imports {target}, which is further down the map"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All files that a file imports, directly or not.
fn reached<'a>(imports: &BTreeMap<&'a str, BTreeSet<&'a str>>, file: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        open.extend(imports.get(file).into_iter().flatten().filter(|&&target| reached.insert(target)));
    }
    reached
}

#[test]
fn imports_between_files_form_no_cycle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let hosts = std::fs::read_dir(root.join("hosts")).unwrap().map(|entry| entry.unwrap().path());
    let packages = [root.to_owned()].into_iter().chain(hosts).filter(|package| package.join("src").is_dir());
    let cycles: Vec<String> = packages.flat_map(|package| cycles(&Sources::read(&package))).collect();
    assert!(cycles.is_empty(), "these imports form cycles:\n{}", cycles.join("\n"));
}

/// The imports that are part of a cycle.
fn cycles(sources: &Sources) -> Vec<String> {
    let imports = sources.imports();
    let reached: BTreeMap<&str, _> = imports.keys().map(|&file| (file, reached(&imports, file))).collect();
    let back = |file: &str, target: &str| reached.get(target).is_some_and(|files| files.contains(file));
    imports
        .iter()
        .flat_map(|(&file, targets)| targets.iter().map(move |&target| (file, target)))
        .filter(|(file, target)| back(file, target))
        .map(|(file, target)| format!("{file} -> {target}"))
        .collect()
}
