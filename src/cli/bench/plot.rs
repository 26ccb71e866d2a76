//! A bar chart of the figures.

use maud::html;

const ROW: usize = 28;
const NAMES: usize = 200;
const BARS: f64 = 420.0;

/// An SVG picture of named figures in nanoseconds per operation.
pub(super) fn picture(bars: &[(&str, f64)]) -> String {
    let most = bars.iter().map(|bar| bar.1).fold(f64::MIN_POSITIVE, f64::max);
    let height = ROW * (bars.len() + 2);
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 720 {height}")) font-family="sans-serif" font-size="13" {
            rect width="720" height=(height) fill="white" {}
            text x="12" y="20" { "nanoseconds per operation" }
            @for (i, (name, ns)) in bars.iter().enumerate() {
                @let y = ROW * (i + 1);
                @let length = BARS * ns / most;
                text x=(NAMES - 8) y=(y + 17) text-anchor="end" { (name) }
                rect x=(NAMES) y=(y + 4) width=(format!("{length:.1}")) height=(ROW - 10) fill="#2166ac" {}
                text x=(format!("{:.1}", NAMES as f64 + length + 6.0)) y=(y + 17) { (format!("{ns:.1}")) }
            }
        }
    };
    format!("{}\n", picture.into_string())
}
