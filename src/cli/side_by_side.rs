//! Two texts in two columns, as `diff --side-by-side` prints them.

use std::fmt::Write;

/// The maximum number of lines of each text for alignment. In longer texts, lines with the same number are paired,
/// because the time of the alignment is proportional to the product of both lengths.
const ALIGNED: usize = 2_000;

/// Prints both texts in two columns. The left column has `width` characters, and longer lines are cut there. The mark
/// between the columns is ` ` for equal lines, `|` for different lines, and `<` or `>` for a line that only one text
/// has.
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

/// Pairs the lines of both texts by a longest common subsequence.
fn align<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<Row<'a>> {
    if a.len() > ALIGNED || b.len() > ALIGNED {
        let longer = a.len().max(b.len());
        return (0..longer).map(|i| (a.get(i).copied(), b.get(i).copied())).collect();
    }
    // The length of the longest common subsequence of each pair of suffixes.
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
    // Lines between two common lines are paired in order.
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
    fn equal_lines_are_in_one_row() {
        let shown = columns(["a", "b"], ["one\ntwo\nthree\n", "one\nthree\nfour\n"], 6, false);
        assert_eq!(shown, "a        b\none      one\ntwo    <\nthree    three\n       > four\n");
        let changed = columns(["a", "b"], ["one\ntwo\n", "one\n2\n"], 4, false);
        assert_eq!(changed, "a      b\none    one\ntwo  | 2\n");
    }
}
