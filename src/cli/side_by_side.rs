//! Two texts beside each other, as `diff --side-by-side` shows them.

use std::fmt::Write;

/// Longest text, in lines, for which lines are aligned: that takes the product of both lengths.
const ALIGNED: usize = 2_000;

/// Both texts in columns of `width` characters; between them ` ` where lines are the same, `|` where they
/// differ, `<` and `>` where one side has no such line.
pub(super) fn columns(titles: [&str; 2], texts: [&str; 2], width: usize, color: bool) -> String {
    let lines = texts.map(|text| text.lines().collect::<Vec<_>>());
    let mut out = String::new();
    let mut row = |left: &str, mark: char, right: &str| {
        let (on, off) = match (color, mark) {
            (true, '|' | '<' | '>') => ("\x1b[1;33m", "\x1b[0m"),
            _ => ("", ""),
        };
        let left: String = left.chars().take(width).collect();
        let line = format!("{on}{left:width$} {mark} {right}{off}");
        let _ = writeln!(out, "{}", line.trim_end());
    };
    row(titles[0], ' ', titles[1]);
    for (left, right) in align(&lines[0], &lines[1]) {
        match (left, right) {
            (Some(left), Some(right)) => row(left, if left == right { ' ' } else { '|' }, right),
            (Some(left), None) => row(left, '<', ""),
            (None, Some(right)) => row("", '>', right),
            (None, None) => {}
        }
    }
    out
}

type Row<'a> = (Option<&'a str>, Option<&'a str>);

/// The lines of both texts, equal ones together, by a longest common subsequence.
fn align<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<Row<'a>> {
    if a.len() > ALIGNED || b.len() > ALIGNED {
        let longer = a.len().max(b.len());
        return (0..longer).map(|i| (a.get(i).copied(), b.get(i).copied())).collect();
    }
    // For each pair of tails, how many lines they have in common.
    let mut common = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = match a[i] == b[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let mut rows = Vec::new();
    let (mut i, mut j) = (0, 0);
    // What is not common piles up until the next common line, and is then shown pairwise.
    let (mut left, mut right): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let flush = |left: &mut Vec<&'a str>, right: &mut Vec<&'a str>, rows: &mut Vec<Row<'a>>| {
        let longer = left.len().max(right.len());
        rows.extend((0..longer).map(|k| (left.get(k).copied(), right.get(k).copied())));
        left.clear();
        right.clear();
    };
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            flush(&mut left, &mut right, &mut rows);
            rows.push((Some(a[i]), Some(b[j])));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || i < a.len() && common[i + 1][j] >= common[i][j + 1] {
            left.push(a[i]);
            i += 1;
        } else {
            right.push(b[j]);
            j += 1;
        }
    }
    flush(&mut left, &mut right, &mut rows);
    rows
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn equal_lines_stand_beside_each_other() {
        let shown = columns(["a", "b"], ["one\ntwo\nthree\n", "one\nthree\nfour\n"], 6, false);
        assert_eq!(shown, "a        b\none      one\ntwo    <\nthree    three\n       > four\n");
        let changed = columns(["a", "b"], ["one\ntwo\n", "one\n2\n"], 4, false);
        assert_eq!(changed, "a      b\none    one\ntwo  | 2\n");
    }
}
