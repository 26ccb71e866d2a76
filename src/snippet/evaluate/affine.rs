//! Affine maps, read from and written to their text.
//!
//! Specification: the built-ins give the results of the members of MLIR 22.1's `AffineMap`.
//!
//! A snippet represents a map by the attribute that holds it, and reads the map from the attribute's text. MLIR
//! simplifies affine expressions when it creates them. So a result that equals an input is printed as the input's name,
//! and a result that equals a number is printed as that number. This code does not depend on the host, so it is not
//! compiled again for each host.

use super::error::fail;
use super::number::Number;
use crate::host::Refusal;
use crate::snippet::data::Builtin;

/// The maximum number of dimensions, symbols or results that a snippet can state as an integer.
const SIZE_LIMIT: usize = 1 << 12;

/// The parts of a text `affine_map<(dims)[symbols] -> (results)>`.
struct Map<'t> {
    dims: Vec<&'t str>,
    symbols: Vec<&'t str>,
    results: Vec<&'t str>,
}

#[derive(Clone, Copy, PartialEq)]
enum MapResult {
    Dim(usize),
    Symbol(usize),
    Constant(i64),
    /// A compound expression.
    Other,
}

/// The result of a built-in over a map.
pub(super) enum Answer {
    Null,
    Bool(bool),
    Int(i128),
    Ints(Vec<i128>),
    /// The map itself.
    Receiver,
    /// The text of another map.
    Map(String),
}

impl<'t> Map<'t> {
    fn parse(text: &'t str) -> Option<Map<'t>> {
        let text = text.trim().strip_prefix("affine_map<")?.strip_suffix('>')?;
        let (inputs, results) = text.split_once("->")?;
        let (dims, rest) = inputs.trim().strip_prefix('(')?.split_once(')')?;
        let symbols = match rest.trim() {
            "" => "",
            rest => rest.strip_prefix('[')?.strip_suffix(']')?,
        };
        let results = results.trim().strip_prefix('(')?.strip_suffix(')')?;
        Some(Map { dims: split_list(dims), symbols: split_list(symbols), results: split_list(results) })
    }

    fn result(&self, text: &str) -> MapResult {
        let position = |names: &[&str]| names.iter().position(|&name| name == text);
        if let Some(dim) = position(&self.dims) {
            return MapResult::Dim(dim);
        }
        if let Some(symbol) = position(&self.symbols) {
            return MapResult::Symbol(symbol);
        }
        match text.parse() {
            Ok(value) => MapResult::Constant(value),
            // MLIR writes the smallest integer as a difference, because its absolute value does not fit in 64 bits.
            Err(_) if text == "(-9223372036854775807 - 1)" => MapResult::Constant(i64::MIN),
            Err(_) => MapResult::Other,
        }
    }

    fn results(&self) -> impl Iterator<Item = MapResult> {
        self.results.iter().map(|text| self.result(text))
    }

    /// True if the results are the last dimensions in order. If `zeros` is true, a result may also be zero.
    fn is_minor_identity(&self, zeros: bool) -> bool {
        let Some(start) = self.dims.len().checked_sub(self.results.len()) else { return false };
        (start..).zip(self.results()).all(|(dim, result)| match result {
            MapResult::Dim(d) => d == dim,
            MapResult::Constant(0) => zeros,
            _ => false,
        })
    }

    fn is_projected_permutation(&self, zeros: bool) -> bool {
        let mut seen = vec![false; self.dims.len()];
        self.symbols.is_empty()
            && self.results.len() <= self.dims.len()
            && self.results().all(|result| match result {
                MapResult::Dim(dim) => !std::mem::replace(&mut seen[dim], true),
                MapResult::Constant(0) => zeros,
                _ => false,
            })
    }

    /// True if an input occurs in a result.
    fn uses(&self, input: Option<&&str>) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        input.is_some_and(|&name| {
            self.results.iter().any(|result| result.split(|c| !is_word(c)).any(|part| part == name))
        })
    }
}

/// Splits a list at the commas outside parentheses.
fn split_list(list: &str) -> Vec<&str> {
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

fn print(dims: usize, symbols: usize, results: &[String]) -> String {
    let names = |letter: char, count: usize| {
        (0..count).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(", ")
    };
    let dims = names('d', dims);
    let symbols = if symbols == 0 { String::new() } else { format!("[{}]", names('s', symbols)) };
    format!("affine_map<({dims}){symbols} -> ({})>", results.join(", "))
}

fn dim_names(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|i| format!("d{i}")).collect()
}

/// Evaluates a built-in over the map with this text.
pub(super) fn query(op: Builtin, text: &str, arg: Option<Number>) -> Result<Answer, Refusal> {
    use Builtin as B;
    let Some(map) = Map::parse(text) else {
        return fail("an attribute that is not an affine map is used as one");
    };
    let count = |count: usize| Answer::Int(count as i128);
    let constant = |result: MapResult| match result {
        MapResult::Constant(value) => Ok(i128::from(value)),
        _ => fail("a result of an affine map is not a constant"),
    };
    // The argument as an index; `None` if it is negative.
    let index = || match &arg {
        Some(arg) => arg.int().map(|at| usize::try_from(at).ok()),
        None => fail("null is used as an integer"),
    };
    Ok(match op {
        B::MapItself => Answer::Receiver,
        B::MapDims => count(map.dims.len()),
        B::MapSymbols => count(map.symbols.len()),
        B::MapInputs => count(map.dims.len() + map.symbols.len()),
        B::MapResults => count(map.results.len()),
        B::MapZeros => count(map.results().filter(|&result| result == MapResult::Constant(0)).count()),
        B::MapIsEmpty => {
            Answer::Bool(map.dims.is_empty() && map.symbols.is_empty() && map.results.is_empty())
        }
        B::MapIsIdentity => Answer::Bool(map.dims.len() == map.results.len() && map.is_minor_identity(false)),
        // MLIR tests dimensions here, not symbols.
        B::MapIsSymbolIdentity => Answer::Bool(
            map.symbols.len() == map.results.len()
                && (0..).zip(map.results()).all(|(at, result)| result == MapResult::Dim(at)),
        ),
        B::MapIsMinorIdentity => Answer::Bool(map.symbols.is_empty() && map.is_minor_identity(false)),
        B::MapIsMinorIdentityWithBroadcasting => Answer::Bool(map.is_minor_identity(true)),
        B::MapIsSingleConstant => Answer::Bool(match map.results[..] {
            [only] => matches!(map.result(only), MapResult::Constant(_)),
            _ => false,
        }),
        B::MapIsConstant => {
            Answer::Bool(map.results().all(|result| matches!(result, MapResult::Constant(_))))
        }
        B::MapConstant => match map.results[..] {
            [only] => Answer::Int(constant(map.result(only))?),
            _ => return fail("an affine map does not have exactly one result"),
        },
        B::MapConstants => Answer::Ints(map.results().map(constant).collect::<Result<_, _>>()?),
        B::MapIsPermutation => {
            Answer::Bool(map.dims.len() == map.results.len() && map.is_projected_permutation(false))
        }
        B::MapIsProjectedPermutation => {
            let zeros = arg.as_ref().map_or(Ok(0), Number::int)? != 0;
            Answer::Bool(map.is_projected_permutation(zeros))
        }
        B::MapDimPosition => match index()?.and_then(|at| map.results.get(at)) {
            Some(result) => match map.result(result) {
                MapResult::Dim(dim) => count(dim),
                _ => return fail("a result of an affine map is not a dimension"),
            },
            None => {
                return fail("an affine map has no result with this index");
            }
        },
        B::MapUsesDim => Answer::Bool(map.uses(index()?.and_then(|at| map.dims.get(at)))),
        B::MapUsesSymbol => Answer::Bool(map.uses(index()?.and_then(|at| map.symbols.get(at)))),
        B::MapMajor | B::MapMinor => match index()? {
            Some(0) => Answer::Null,
            Some(keep) if keep < map.results.len() => {
                let kept = match op {
                    B::MapMinor => &map.results[map.results.len() - keep..],
                    _ => &map.results[..keep],
                };
                let results: Vec<String> = kept.iter().map(|&result| result.to_owned()).collect();
                Answer::Map(print(map.dims.len(), map.symbols.len(), &results))
            }
            _ => Answer::Receiver,
        },
        _ => return fail("the snippet is malformed"),
    })
}

/// The text of the map that a built-in creates from numbers and a list of numbers.
pub(super) fn construct(op: Builtin, numbers: &[i128], list: &[i128]) -> Result<String, Refusal> {
    use Builtin as B;
    let number = |at: usize| match numbers.get(at) {
        Some(&number) => Ok(number),
        None => fail("the snippet is malformed"),
    };
    let size = |at: usize| {
        let number = number(at)?;
        match usize::try_from(number) {
            Ok(size) if size <= SIZE_LIMIT => Ok(size),
            _ => fail(format!("{number} is not a size of an affine map; the maximum is {SIZE_LIMIT}")),
        }
    };
    let targets = |rank: usize| {
        let target = |&target: &i128| match usize::try_from(target) {
            Ok(dim) if dim < rank => Ok(format!("d{dim}")),
            _ => fail(format!("an affine map with {rank} dimensions has no dimension {target}")),
        };
        list.iter().map(target).collect::<Result<Vec<_>, _>>()
    };
    Ok(match op {
        B::MapOfDims => {
            let rank = size(0)?;
            print(rank, 0, &dim_names(0..rank))
        }
        B::MapOfLastDims => {
            let (rank, results) = (size(0)?, size(1)?);
            let Some(start) = rank.checked_sub(results) else {
                return fail("a minor identity has more results than inputs");
            };
            print(rank, 0, &dim_names(start..rank))
        }
        B::MapOfTargets => {
            let rank = size(0)?;
            print(rank, 0, &targets(rank)?)
        }
        B::MapOfPermutation => {
            let results = targets(list.len())?;
            let mut sorted: Vec<&String> = results.iter().collect();
            sorted.sort_unstable();
            sorted.dedup();
            if results.is_empty() || sorted.len() != results.len() {
                return fail("a permutation of n elements contains each number from 0 to n - 1 exactly once");
            }
            print(results.len(), 0, &results)
        }
        B::MapOfConstant => print(0, 0, &[number(0)?.to_string()]),
        B::MapOfNothing if numbers.len() >= 2 => print(size(0)?, size(1)?, &[]),
        B::MapOfNothing => print(0, 0, &[]),
        B::MapOfDim => print(1, 0, &dim_names(0..1)),
        B::MapOfSymbol => print(0, 1, &["s0".to_owned()]),
        B::MapOfShift => {
            let sum = match number(0)? {
                0 => "d0".to_owned(),
                shift @ 1.. => format!("d0 + {shift}"),
                shift => format!("d0 - {}", shift.unsigned_abs()),
            };
            print(1, 0, &[sum])
        }
        _ => return fail("the snippet is malformed"),
    })
}
