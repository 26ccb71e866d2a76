//! Built-ins over affine maps, and those that make maps.
//!
//! Specification: they give what the members of MLIR 22.1's `AffineMap` give.
//!
//! A map is the attribute that holds it, and what is asked of it is read from its text. The context of an
//! `AffineMap` simplifies expressions when it makes them, so a result that is one input or one number is
//! written as that.

use super::value::{AttrRef, Val};
use super::{Args, Builtin, Evaluated, Evaluator, fail};
use crate::host::{AttrSpec, Facets, Refusal};

/// How many inputs or results a map that a snippet makes may have.
const SIZE_LIMIT: usize = 1 << 12;

/// `affine_map<(dims)[symbols] -> (results)>`
struct Map<'t> {
    dims: Vec<&'t str>,
    symbols: Vec<&'t str>,
    results: Vec<&'t str>,
}

#[derive(Clone, Copy, PartialEq)]
enum Entry {
    Dim(usize),
    Symbol(usize),
    Constant(i64),
    /// Anything that is computed.
    Other,
}

impl<'t> Map<'t> {
    fn read(text: &'t str) -> Option<Map<'t>> {
        let text = text.trim().strip_prefix("affine_map<")?.strip_suffix('>')?;
        let (inputs, results) = text.split_once("->")?;
        let (dims, rest) = inputs.trim().strip_prefix('(')?.split_once(')')?;
        let symbols = match rest.trim() {
            "" => "",
            rest => rest.strip_prefix('[')?.strip_suffix(']')?,
        };
        let results = results.trim().strip_prefix('(')?.strip_suffix(')')?;
        Some(Map { dims: entries(dims), symbols: entries(symbols), results: entries(results) })
    }

    fn entry(&self, result: &str) -> Entry {
        let at = |names: &[&str]| names.iter().position(|&name| name == result);
        if let Some(dim) = at(&self.dims) {
            return Entry::Dim(dim);
        }
        if let Some(symbol) = at(&self.symbols) {
            return Entry::Symbol(symbol);
        }
        match result.parse() {
            Ok(value) => Entry::Constant(value),
            // How the one number that has no opposite is written.
            Err(_) if result == "(-9223372036854775807 - 1)" => Entry::Constant(i64::MIN),
            Err(_) => Entry::Other,
        }
    }

    fn all(&self) -> impl Iterator<Item = Entry> {
        self.results.iter().map(|result| self.entry(result))
    }

    /// Whether the results are the last of the inputs, or zero where that is allowed.
    fn is_suffix(&self, zeros: bool) -> bool {
        let Some(start) = self.dims.len().checked_sub(self.results.len()) else { return false };
        (start..).zip(self.all()).all(|(dim, entry)| match entry {
            Entry::Dim(d) => d == dim,
            Entry::Constant(0) => zeros,
            _ => false,
        })
    }

    fn is_projected_permutation(&self, zeros: bool) -> bool {
        let mut seen = vec![false; self.dims.len()];
        self.symbols.is_empty()
            && self.results.len() <= self.dims.len()
            && self.all().all(|entry| match entry {
                Entry::Dim(dim) => !std::mem::replace(&mut seen[dim], true),
                Entry::Constant(0) => zeros,
                _ => false,
            })
    }

    /// Whether an input is in any result.
    fn uses(&self, input: Option<&&str>) -> bool {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        input.is_some_and(|&name| {
            self.results.iter().any(|result| result.split(|c| !word(c)).any(|part| part == name))
        })
    }
}

/// What commas outside parentheses separate.
fn entries(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let separates = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    list.split(separates).map(str::trim).filter(|entry| !entry.is_empty()).collect()
}

fn text_of(dims: usize, symbols: usize, results: &[String]) -> String {
    let names = |letter: char, count: usize| {
        (0..count).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(", ")
    };
    let dims = names('d', dims);
    let symbols = if symbols == 0 { String::new() } else { format!("[{}]", names('s', symbols)) };
    format!("affine_map<({dims}){symbols} -> ({})>", results.join(", "))
}

fn dims(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|i| format!("d{i}")).collect()
}

impl<H: Facets> Evaluator<'_, H> {
    /// Whether an attribute that the host does not have is a map.
    pub(super) fn is_fresh_map(&self, a: &AttrRef<H>) -> bool {
        matches!(a, AttrRef::Fresh(_)) && self.attr_text(a).starts_with("affine_map<")
    }

    pub(super) fn call_affine(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let on = args.take(0);
        let a = self.the_attr(&on)?;
        let text = self.attr_text(&a);
        self.step(u64::try_from(text.len()).unwrap_or(u64::MAX))?;
        let Some(map) = Map::read(&text) else {
            return fail("what is asked about its results is no affine map");
        };
        let count = |count: usize| Val::Int(i128::try_from(count).unwrap_or(i128::MAX));
        let number = |entry: Entry| match entry {
            Entry::Constant(value) => Ok(Val::Int(i128::from(value))),
            _ => fail("an affine map whose result is no constant is asked for it"),
        };
        Ok(match op {
            B::MapItself => on,
            B::MapDims => count(map.dims.len()),
            B::MapSymbols => count(map.symbols.len()),
            B::MapInputs => count(map.dims.len() + map.symbols.len()),
            B::MapResults => count(map.results.len()),
            B::MapZeros => count(map.all().filter(|&entry| entry == Entry::Constant(0)).count()),
            B::MapIsEmpty => {
                Val::Bool(map.dims.is_empty() && map.symbols.is_empty() && map.results.is_empty())
            }
            B::MapIsIdentity => Val::Bool(map.dims.len() == map.results.len() && map.is_suffix(false)),
            // MLIR asks for dimensions here, not for symbols.
            B::MapIsSymbolIdentity => Val::Bool(
                map.symbols.len() == map.results.len()
                    && (0..).zip(map.all()).all(|(at, entry)| entry == Entry::Dim(at)),
            ),
            B::MapIsMinorIdentity => Val::Bool(map.symbols.is_empty() && map.is_suffix(false)),
            B::MapIsMinorIdentityWithBroadcasting => Val::Bool(map.is_suffix(true)),
            B::MapIsSingleConstant => {
                Val::Bool(map.results.len() == 1 && matches!(map.entry(map.results[0]), Entry::Constant(_)))
            }
            B::MapIsConstant => Val::Bool(map.all().all(|entry| matches!(entry, Entry::Constant(_)))),
            B::MapConstant => match map.results[..] {
                [only] => number(map.entry(only))?,
                _ => return fail("an affine map without one result is asked for it"),
            },
            B::MapConstants => Val::range(map.all().map(number).collect::<Result<_, _>>()?),
            B::MapIsPermutation => {
                Val::Bool(map.dims.len() == map.results.len() && map.is_projected_permutation(false))
            }
            B::MapIsProjectedPermutation => {
                let zeros = args.len > 1 && super::is_true(&args.take(1));
                Val::Bool(map.is_projected_permutation(zeros))
            }
            B::MapDimPosition => match self.index(&args.take(1))?.and_then(|at| map.results.get(at)) {
                Some(result) => match map.entry(result) {
                    Entry::Dim(dim) => count(dim),
                    _ => {
                        return fail("an affine map's result that is no dimension is asked for its position");
                    }
                },
                None => return fail("an affine map has no result of this number"),
            },
            B::MapUsesDim => Val::Bool(map.uses(self.index(&args.take(1))?.and_then(|at| map.dims.get(at)))),
            B::MapUsesSymbol => {
                Val::Bool(map.uses(self.index(&args.take(1))?.and_then(|at| map.symbols.get(at))))
            }
            B::MapMajor | B::MapMinor => {
                let all = map.results.len();
                let (minor, keep) = (op == B::MapMinor, self.index(&args.take(1))?.unwrap_or(usize::MAX));
                match keep {
                    0 => Val::Null,
                    keep if keep >= all => on,
                    keep => {
                        let kept = if minor { all - keep..all } else { 0..keep };
                        let results: Vec<String> =
                            map.results[kept].iter().map(|&result| result.to_owned()).collect();
                        let text = text_of(map.dims.len(), map.symbols.len(), &results);
                        return self.make_attr(AttrSpec::Text(text));
                    }
                }
            }
            _ => return fail("the snippet is malformed"),
        })
    }

    pub(super) fn make_map(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let first = args.take(0);
        let text = match op {
            B::MapOfDims => {
                let rank = self.size(&first)?;
                text_of(rank, 0, &dims(0..rank))
            }
            B::MapOfLastDims => {
                let (rank, results) = (self.size(&first)?, self.size(&args.take(1))?);
                let Some(start) = rank.checked_sub(results) else {
                    return fail("a minor identity has more results than inputs");
                };
                text_of(rank, 0, &dims(start..rank))
            }
            B::MapOfTargets => {
                let (rank, targets) = (self.size(&first)?, self.items(&args.take(1))?);
                let results = self.targets(&targets, rank)?;
                text_of(rank, 0, &results)
            }
            B::MapOfPermutation => {
                let targets = self.items(&first)?;
                let results = self.targets(&targets, targets.len())?;
                let mut sorted: Vec<&String> = results.iter().collect();
                sorted.sort_unstable();
                sorted.dedup();
                if results.is_empty() || sorted.len() != results.len() {
                    return fail("a permutation has each number up to its length once");
                }
                text_of(results.len(), 0, &results)
            }
            B::MapOfConstant => text_of(0, 0, &[self.int(&first)?.to_string()]),
            B::MapOfNothing if args.len >= 2 => text_of(self.size(&first)?, self.size(&args.take(1))?, &[]),
            B::MapOfNothing => text_of(0, 0, &[]),
            B::MapOfDim => text_of(1, 0, &dims(0..1)),
            B::MapOfSymbol => text_of(0, 1, &["s0".to_owned()]),
            B::MapOfShift => {
                let shift = self.int(&first)?;
                let sum = match shift {
                    0 => "d0".to_owned(),
                    1.. => format!("d0 + {shift}"),
                    _ => format!("d0 - {}", shift.unsigned_abs()),
                };
                text_of(1, 0, &[sum])
            }
            _ => return fail("the snippet is malformed"),
        };
        self.step(u64::try_from(text.len()).unwrap_or(u64::MAX))?;
        self.make_attr(AttrSpec::Text(text))
    }

    fn targets(&self, targets: &[Val<H>], rank: usize) -> Result<Vec<String>, Refusal> {
        let target = |target: &Val<H>| match self.index(target)? {
            Some(dim) if dim < rank => Ok(format!("d{dim}")),
            _ => fail("a result of an affine map is none of its inputs"),
        };
        targets.iter().map(target).collect()
    }

    /// A number of a list; none where there can be no such list.
    fn index(&self, value: &Val<H>) -> Result<Option<usize>, Refusal> {
        Ok(usize::try_from(self.int(value)?).ok())
    }

    fn size(&self, value: &Val<H>) -> Result<usize, Refusal> {
        match self.index(value)? {
            Some(size) if size <= SIZE_LIMIT => Ok(size),
            _ => fail(format!("an affine map that a snippet makes has at most {SIZE_LIMIT} inputs")),
        }
    }
}
