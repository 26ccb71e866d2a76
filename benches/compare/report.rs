//! Writes the figures to `docs/bench/matching.{md,csv,svg}`, `docs/bench/instructions.md` and the table of `README.md`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The numbers of rules in the tables of first matches.
pub const SIZES: [usize; 4] = [10, 100, 1000, 4000];

/// The engine that `drrvm opt` runs. The README's table shows no other engine of drrvm.
pub const AUTO_FROM_TD: &str = "drrvm (auto, .td, built-in IR)";

/// Tables with other rules and other IR, and their seeds.
pub const OTHER_SEEDS: [(&str, u64); 2] = [("first match, seed 1", 1), ("first match, seed 2", 2)];

/// A line of a table: one engine with one number of rules.
pub struct Figure {
    pub what: &'static str,
    pub engine: &'static str,
    pub rules: usize,
    /// The figures of all rounds: nanoseconds per operation, or milliseconds for compiling.
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

/// The instructions per operation of an engine.
pub struct Count {
    pub engine: &'static str,
    pub host: &'static str,
    pub rules: usize,
    pub instructions: f64,
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bench");
    std::fs::create_dir_all(&folder).expect("docs/bench can be created");
    folder
}

fn save(name: &str, text: &str) {
    std::fs::write(folder().join(name), text).expect("docs/bench can be written");
}

/// Writes the tables in Markdown and CSV, the plot, and the table of `README.md`.
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
        .expect("writing to a string succeeds");
    }
    save("matching.csv", &csv);
    save("matching.md", &table(figures, rounds));
    save("matching.svg", &plot(figures));
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&readme).expect("the README exists");
    let (before, rest) = text.split_once(BEGIN).expect("the README has a place for the table");
    let (_, after) = rest.split_once(END).expect("the README has a place for the table");
    let text = format!("{before}{BEGIN}\n{}{END}{after}", summary(figures));
    std::fs::write(readme, text).expect("the README can be written");
}

/// The marks around the README's table.
const BEGIN: &str = "<!-- benches/compare writes this -->";
const END: &str = "<!-- to here -->";

/// Returns the text for the README: a table of the first matches, with a line for each number of rules and a column for
/// each engine, and the table of [`speeds_by_seed`].
fn summary(figures: &[Figure]) -> String {
    let shown = |engine: &str| engine == AUTO_FROM_TD || engine.starts_with("MLIR");
    let firsts = || figures.iter().filter(|figure| figure.what == "first match" && shown(figure.engine));
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
        "Nanoseconds per operation ([all figures](docs/bench/matching.md)):\n\n\
         ![nanoseconds per operation against the number of rules](docs/bench/matching.svg)\n\n\
         | rules | {} |\n|---|{}\n",
        engines.join(" | "),
        "---|".repeat(engines.len())
    );
    for rules in sizes {
        let cells: Vec<String> = engines.iter().map(|engine| cell(engine, rules)).collect();
        out.push_str(&format!("| {rules} | {} |\n", cells.join(" | ")));
    }
    out.push_str(&speeds_by_seed(figures));
    out
}

/// Returns a table of the speed relative to MLIR's PDL byte code, with a line for each number of rules and a column for
/// each seed. The text is empty if one of the figures is missing.
fn speeds_by_seed(figures: &[Figure]) -> String {
    let median = |what: &str, engine: &str, rules: usize| {
        let same = |f: &&Figure| f.what == what && f.engine == engine && f.rules == rules;
        figures.iter().find(same).map(Figure::median)
    };
    let mut lines = String::new();
    for rules in SIZES {
        let speeds = ["first match"].into_iter().chain(OTHER_SEEDS.map(|table| table.0)).map(|what| {
            let [ours, pdl] = [AUTO_FROM_TD, "MLIR PDL byte code"].map(|engine| median(what, engine, rules));
            Some(format!("{:.1}×", pdl? / ours?))
        });
        let Some(speeds) = speeds.collect::<Option<Vec<String>>>() else { return String::new() };
        writeln!(lines, "| {rules} | {} |", speeds.join(" | ")).expect("writing to a string succeeds");
    }
    let seeds: String = OTHER_SEEDS.iter().map(|table| format!(" seed {} |", table.1)).collect();
    let columns = "---|".repeat(OTHER_SEEDS.len() + 2);
    format!(
        "\nThe speed relative to MLIR's PDL byte code, with the rules and the IR of other seeds:\n\n\
         | rules | the table above |{seeds}\n|{columns}\n{lines}"
    )
}

fn table(figures: &[Figure], rounds: usize) -> String {
    let mut out = format!(
        "# Matching, beside MLIR\n\n\
         `cargo bench --bench compare` generated this page from {rounds} rounds. In each round every engine \
         runs once, in a separate process with one thread, on 100,000 operations; incremental rewriting runs \
         on a million. A process measures several times and reports its minimum; the table has the median, \
         minimum and maximum of the rounds. Every process of drrvm that measures matching checks its numbers of \
         matches. *Ratio* is the speed of the engine relative to MLIR's faster engine.\n\n\
         *Flat tables* are a minimal IR of this benchmark; *built-in IR* is the one of `drrvm opt`. Rules \
         are read from a compact form or from *.td*, as users write them; rules from *.td* also test that \
         attributes are present. *auto* is the engine of `drrvm opt`: it starts with the tree, and switches \
         to the automaton after many matches. The automaton labels all operations in each measurement, with \
         tables that exist already. The lines *labelled before* measure only reading the labels. In the table \
         *from nothing*, the automaton builds its tables as well.\n\n\
         The tables that are named after a `.td` file measure MLIR's own rules, on the IR of its own tests \
         (`canonicalize.mlir` of three dialects, `mlir-tblgen/pattern.mlir` and \
         `ShapeToStandard/convert-shape-constraints.mlir`), repeated to at least a million operations. The five \
         files are the largest sets of rules in MLIR's sources, apart from the Toy tutorial and the tests \
         of `mlir-tblgen`. Each engine looks for the first match at each operation, also at functions and \
         returns. Both sides read the same file. The number of operations at which a rule is the first to \
         match is the same on both sides, for each rule. MLIR's PDL byte code is missing, because MLIR \
         cannot convert DRR to `pdl`. `pdl` has no optional attributes, no operand that can be any result of \
         an operation, and no C++ expressions. It can therefore express none of the 43 rules of `arith`, and \
         fewer than a third of the 79 rules of the Test dialect. `cargo bench --bench compare -- real` measures \
         only MLIR's own rules.\n\n\
         ![nanoseconds per operation against the number of rules](matching.svg)\n"
    );
    out.push_str(&sections(figures));
    out
}

/// Returns one table for each quantity.
pub fn sections(figures: &[Figure]) -> String {
    let mut out = String::new();
    let mut whats: Vec<&str> = Vec::new();
    for figure in figures {
        if !whats.contains(&figure.what) {
            whats.push(figure.what);
        }
    }
    for what in whats {
        let unit = if what == "compile" { "ms" } else { "ns per operation" };
        write!(
            out,
            "\n## {what}, {unit}\n\n| rules | engine | median | least–most | ratio |\n|---|---|---|---|---|\n"
        )
        .expect("writing to a string succeeds");
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
            .expect("writing to a string succeeds");
        }
    }
    out
}

/// Plots nanoseconds per operation against the number of rules. Both axes are logarithmic.
fn plot(figures: &[Figure]) -> String {
    const COLOURS: [&str; 10] = [
        "#1b7837", "#7fbf7b", "#2166ac", "#92c5de", "#555", "#b2182b", "#ef8a62", "#762a83", "#af8dc3",
        "#8c510a",
    ];
    let points: Vec<&Figure> = figures.iter().filter(|figure| figure.what == "first match").collect();
    let x = |rules: usize| 70.0 + 480.0 * ((rules as f64).log10() - 1.0) / (4000f64.log10() - 1.0);
    let y = |ns: f64| 370.0 - 330.0 * ns.log10() / 3.5;
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 420\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"860\" height=\"420\" fill=\"white\"/>\n",
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
    line("<text x=\"70\" y=\"24\">ns per operation, first match, 100,000 operations</text>".to_owned());
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
    let mut out = "# Instructions per operation\n\n\
                   `cargo bench --bench compare -- count` generated this page. Each number is the average number of \
                   instructions for finding the first rule that matches an operation. The average is over 100,000 \
                   operations (2,000 for the reference matcher). A round visits all operations. Callgrind counts the \
                   instructions of three rounds and of one round. The number is half the difference, divided by the \
                   number of operations. It therefore includes the computation of labels, but not of tables. Unlike \
                   times, the numbers are not noisy. The host `flat` is an IR of plain tables, `ir` is the built-in \
                   IR, and `td` is the built-in IR with the same rules from *.td*.\n\n\
                   | engine | host | rules | instructions |\n|---|---|---|---|\n"
        .to_owned();
    for c in counts {
        writeln!(out, "| {} | {} | {} | {:.0} |", c.engine, c.host, c.rules, c.instructions)
            .expect("writing to a string succeeds");
    }
    save("instructions.md", &out);
}
