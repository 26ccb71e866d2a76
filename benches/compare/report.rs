//! What was measured, as `docs/bench/matching.{md,csv,svg}` and `docs/bench/instructions.md`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One line: some engine at some number of rules.
pub struct Figure {
    pub what: &'static str,
    pub engine: &'static str,
    pub rules: usize,
    /// A figure a round: nanoseconds an operation, for compiling milliseconds.
    pub runs: Vec<f64>,
    pub matches: Option<u64>,
}

impl Figure {
    fn sorted(&self) -> Vec<f64> {
        let mut runs = self.runs.clone();
        runs.sort_by(f64::total_cmp);
        runs
    }

    fn median(&self) -> f64 {
        let runs = self.sorted();
        runs[runs.len() / 2]
    }

    fn least(&self) -> f64 {
        self.sorted()[0]
    }

    fn most(&self) -> f64 {
        self.sorted()[self.runs.len() - 1]
    }
}

/// Instructions an operation.
pub struct Count {
    pub engine: &'static str,
    pub host: &'static str,
    pub rules: usize,
    pub instructions: f64,
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bench");
    std::fs::create_dir_all(&folder).expect("docs/bench can be made");
    folder
}

fn save(name: &str, text: &str) {
    std::fs::write(folder().join(name), text).expect("docs/bench can be written");
}

/// Writes the table, as text for people and for programs, and the plot.
pub fn write(figures: &[Figure], rounds: usize) {
    let mut csv = "what,engine,rules,unit,median,least,most,rounds,matches\n".to_owned();
    for f in figures {
        let unit = if f.what == "compile" { "ms" } else { "ns/op" };
        let matches = f.matches.map(|matches| matches.to_string()).unwrap_or_default();
        writeln!(
            csv,
            "{},\"{}\",{},{unit},{:.3},{:.3},{:.3},{},{matches}",
            f.what,
            f.engine,
            f.rules,
            f.median(),
            f.least(),
            f.most(),
            f.runs.len()
        )
        .expect("a string takes everything");
    }
    save("matching.csv", &csv);
    save("matching.md", &table(figures, rounds));
    save("matching.svg", &plot(figures));
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&readme).expect("there is a README");
    let (before, rest) = text.split_once(BEGIN).expect("the README has a place for the table");
    let (_, after) = rest.split_once(END).expect("the README has a place for the table");
    let text = format!("{before}{BEGIN}\n{}{END}{after}", summary(figures));
    std::fs::write(readme, text).expect("the README can be written");
}

/// Around the README's table.
const BEGIN: &str = "<!-- benches/compare writes this -->";
const END: &str = "<!-- to here -->";

/// First match, in short: engines by numbers of rules.
fn summary(figures: &[Figure]) -> String {
    let firsts = || figures.iter().filter(|figure| figure.what == "first match");
    let mut engines: Vec<&str> = Vec::new();
    let mut sizes = BTreeSet::new();
    for figure in firsts() {
        sizes.insert(figure.rules);
        if !engines.contains(&figure.engine) {
            engines.push(figure.engine);
        }
    }
    let cell = |engine: &str, rules: usize| {
        let found = firsts().find(|figure| figure.engine == engine && figure.rules == rules);
        found.map_or_else(|| "–".to_owned(), |figure| format!("{:.1}", figure.median()))
    };
    let mut out = format!(
        "Nanoseconds an operation ([all figures](docs/bench/matching.md)):\n\n\
         ![nanoseconds an operation against the number of rules](docs/bench/matching.svg)\n\n\
         | rules | {} |\n|---|{}\n",
        engines.join(" | "),
        "---|".repeat(engines.len())
    );
    for rules in sizes {
        let cells: Vec<String> = engines.iter().map(|engine| cell(engine, rules)).collect();
        out.push_str(&format!("| {rules} | {} |\n", cells.join(" | ")));
    }
    out
}

fn table(figures: &[Figure], rounds: usize) -> String {
    let mut out = format!(
        "# Matching, beside MLIR\n\n\
         `cargo bench --bench compare` wrote this: {rounds} rounds in which every engine has its turn in a \
         process of its own, one thread, 100,000 operations. A process measures several times and gives its \
         least figure; the table has the median of the rounds, with the least and the most. Every process of \
         ours has compared its matches with what is known to be true. *Ratio* is how many times faster than \
         MLIR's faster engine the line is.\n\n\
         *Flat tables* are a minimal IR of the bench's own; *built-in IR* is the one of `drrvm opt`. The \
         automaton labels all operations anew each time, with its tables made; *labelled before*, it only \
         reads the labels; *from nothing*, it makes its tables too.\n\n\
         *ArithCanonicalization.td* and *TestOps.td* are MLIR's own rules, on the IR of its own tests \
         (`Dialect/Arith/canonicalize.mlir` and `mlir-tblgen/pattern.mlir`) again and again to a million \
         operations: first match at each, functions and returns included. Both sides read the same file, and \
         each rule is the first to match at equally many operations on both. MLIR's PDL byte code is not \
         there, as MLIR has no way from DRR to `pdl`, and `pdl` alone can say none of the 43 rules and 23 of \
         the 79: it has no attribute that may be absent, no result whichever it is, and no C++. \
         `cargo bench --bench compare -- real` runs these alone.\n\n\
         ![nanoseconds an operation against the number of rules](matching.svg)\n"
    );
    out.push_str(&sections(figures));
    out
}

/// A table for each thing that is measured.
pub fn sections(figures: &[Figure]) -> String {
    let mut out = String::new();
    let mut whats: Vec<&str> = Vec::new();
    for figure in figures {
        if !whats.contains(&figure.what) {
            whats.push(figure.what);
        }
    }
    for what in whats {
        let unit = if what == "compile" { "ms" } else { "ns an operation" };
        write!(
            out,
            "\n## {what}, {unit}\n\n| rules | engine | median | least–most | ratio |\n|---|---|---|---|---|\n"
        )
        .expect("a string takes everything");
        let mut lines: Vec<&Figure> = figures.iter().filter(|figure| figure.what == what).collect();
        lines.sort_by_key(|figure| figure.rules);
        for f in &lines {
            let best =
                lines.iter().filter(|other| other.rules == f.rules && other.engine.starts_with("MLIR"));
            let best = best.map(|other| other.median()).min_by(f64::total_cmp);
            let ratio = best
                .filter(|_| !f.engine.starts_with("MLIR"))
                .map(|best| format!("{:.1}×", best / f.median()));
            writeln!(
                out,
                "| {} | {} | {:.1} | {:.1}–{:.1} | {} |",
                f.rules,
                f.engine,
                f.median(),
                f.least(),
                f.most(),
                ratio.unwrap_or_default()
            )
            .expect("a string takes everything");
        }
    }
    out
}

/// Nanoseconds an operation against rules, both logarithmic.
fn plot(figures: &[Figure]) -> String {
    const COLOURS: [&str; 7] = ["#1b7837", "#7fbf7b", "#2166ac", "#92c5de", "#555", "#b2182b", "#ef8a62"];
    let points: Vec<&Figure> = figures.iter().filter(|figure| figure.what == "first match").collect();
    let x = |rules: usize| 70.0 + 480.0 * ((rules as f64).log10() - 1.0) / (4000f64.log10() - 1.0);
    let y = |ns: f64| 370.0 - 330.0 * ns.log10() / 3.5;
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 420\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"760\" height=\"420\" fill=\"white\"/>\n",
    );
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    for ns in [1, 3, 10, 30, 100, 300, 1000, 3000] {
        let at = y(f64::from(ns));
        line(format!("<line x1=\"70\" x2=\"550\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>"));
        line(format!("<text x=\"62\" y=\"{:.1}\" text-anchor=\"end\">{ns}</text>", at + 4.0));
    }
    for rules in [10, 100, 1000, 4000] {
        line(format!("<text x=\"{:.1}\" y=\"392\" text-anchor=\"middle\">{rules}</text>", x(rules)));
    }
    line("<text x=\"310\" y=\"412\" text-anchor=\"middle\">rules</text>".to_owned());
    line("<text x=\"70\" y=\"24\">ns an operation, first match, 100,000 operations</text>".to_owned());
    let engines: BTreeSet<&str> = points.iter().map(|figure| figure.engine).collect();
    for (i, engine) in engines.into_iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let mut own: Vec<&&Figure> = points.iter().filter(|figure| figure.engine == engine).collect();
        own.sort_by_key(|figure| figure.rules);
        let path: Vec<String> =
            own.iter().map(|f| format!("{:.1},{:.1}", x(f.rules), y(f.median()))).collect();
        line(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        ));
        for f in &own {
            line(format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                x(f.rules),
                y(f.median())
            ));
        }
        let at = 60.0 + 22.0 * i as f64;
        line(format!("<text x=\"570\" y=\"{at}\" fill=\"{colour}\">{engine}</text>"));
    }
    out.push_str("</svg>\n");
    out
}

/// Writes the table of instruction counts.
pub fn write_counts(counts: &[Count]) {
    let mut out = "# Instructions an operation\n\n\
                   `cargo bench --bench compare -- count` wrote this: first match on 100,000 operations \
                   (2,000 where rules are tried one by one), by callgrind, the difference of three rounds and one: \
                   tables are made, labels are not. Times are noisy; these are not.\n\n\
                   | engine | host | rules | instructions |\n|---|---|---|---|\n"
        .to_owned();
    for c in counts {
        writeln!(out, "| {} | {} | {} | {:.0} |", c.engine, c.host, c.rules, c.instructions)
            .expect("a string takes everything");
    }
    save("instructions.md", &out);
}
