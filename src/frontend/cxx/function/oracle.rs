//! Random functions, compiled by this project and by a C++ compiler. The same call must have the same result here and
//! in C++.
//!
//! All functions of a run are in one C++ file, which is compiled and linked once. A call whose behaviour is undefined
//! in C++ must fail here. The C++ program contains only calls that do not fail here.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use super::tests::pair;

const FUNCTIONS: usize = 150;
const CALLS: usize = 20;

/// The start of the C++ file, before the functions. It includes only the headers that the functions use, because
/// compiling the headers of the IR takes minutes.
const HEADER: &str = "#include \"llvm/ADT/APFloat.h\"
#include \"llvm/ADT/APInt.h\"
#include \"llvm/ADT/APSInt.h\"
#include \"llvm/ADT/STLExtras.h\"
#include \"llvm/ADT/Sequence.h\"
#include \"llvm/ADT/SmallVector.h\"
#include \"llvm/ADT/StringRef.h\"
#include \"llvm/ADT/SmallBitVector.h\"
#include \"llvm/ADT/StringExtras.h\"
#include \"llvm/ADT/StringSwitch.h\"
#include \"llvm/Support/MathExtras.h\"
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
using namespace llvm;
";

/// Classes that the functions use.
const CLASSES: &str = "struct Window {
  int64_t low = 0, high = 0;
  int32_t steps = 0;
  SmallVector<int64_t> marks;
  Window() = default;
  Window(int64_t a, int64_t b) : high(std::max(a, b)), low(std::min(a, b)) {
    if (low == high) return;
    mark(low);
  }
  explicit Window(int64_t at) : Window(at, at) { ++steps; }
  int64_t middle() const { return low / 2 + high / 2; }
  bool contains(int64_t x) const { return low <= x && x <= high; }
  Window &mark(int64_t x) { marks.push_back(x); this->steps += 1; return *this; }
  Window joined(const Window &other) const {
    Window all = *this;
    all.low = std::min(low, other.low);
    if (all.high < other.high) all.high = other.high;
    for (int64_t m : other.marks) all.mark(m);
    return all;
  }
  void take(int64_t &from) { std::swap(from, high); }
  bool operator<(const Window &other) const { return middle() < other.middle(); }
  bool operator==(const Window &other) const { return low == other.low && high == other.high; }
  int64_t sum() const;
};
int64_t Window::sum() const {
  int64_t all = steps;
  for (auto [at, m] : llvm::enumerate(marks)) all ^= m >> at % 3;
  return all;
}
class Windows {
public:
  explicit Windows(const Window &first) { all.push_back(first); }
  Windows &add(int64_t a, int64_t b) {
    all.emplace_back(a, b);
    if (size() > 3) all.erase(all.begin());
    return *this;
  }
  size_t size() const { return all.size(); }
  Window best() {
    llvm::stable_sort(all);
    for (auto &w : all) w.mark(w.middle());
    return all.back();
  }
private:
  SmallVector<Window, 2> all;
};
";

/// The random number generator `splitmix64`.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in the range.
    pub(super) fn range(&mut self, of: std::ops::Range<i64>) -> i64 {
        let len = of.end.abs_diff(of.start);
        of.start + i64::try_from(self.next() % len).expect("ranges are small")
    }

    /// A number below `len`.
    pub(super) fn below(&mut self, len: usize) -> usize {
        usize::try_from(self.next() % len as u64).expect("a number below a size is a size")
    }
}

/// A writer of one function.
struct Author<'r> {
    random: &'r mut Dice,
    text: String,
    /// The variables in scope, with their types.
    scope: Vec<(String, &'static str)>,
    names: usize,
    /// The number of statements that may still be written.
    budget: usize,
}

const INTS: [&str; 8] =
    ["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"];

impl Author<'_> {
    fn pick<'p>(&mut self, of: &[&'p str]) -> &'p str {
        of[self.random.below(of.len())]
    }

    fn variable(&mut self, ty: &str) -> Option<String> {
        let all: Vec<String> =
            self.scope.iter().filter(|(_, of)| *of == ty).map(|(name, _)| name.clone()).collect();
        if all.is_empty() { None } else { Some(all[self.random.below(all.len())].clone()) }
    }

    fn any_int(&mut self) -> String {
        let ints: Vec<String> =
            self.scope.iter().filter(|(_, ty)| INTS.contains(ty)).map(|(name, _)| name.clone()).collect();
        ints[self.random.below(ints.len())].clone()
    }

    fn declare(&mut self, ty: &'static str) -> String {
        self.names += 1;
        let name = format!("v{}", self.names);
        self.scope.push((name.clone(), ty));
        name
    }

    /// An expression of an integer type.
    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => format!("{}", self.random.range(-9..40)),
                _ => self.any_int(),
            };
        }
        let deeper = depth - 1;
        match self.random.range(0..25) {
            // The calls of the next cases evaluate all arguments, even those that do not decide the result.
            19 => format!("std::clamp<int64_t>({}, -4, ({} & 63))", self.int(deeper), self.int(deeper)),
            20 => format!(
                "std::make_pair(static_cast<int64_t>({}), static_cast<int64_t>({})).{}",
                self.int(deeper),
                self.int(deeper),
                self.pick(&["first", "second"])
            ),
            21 => {
                let result = self.pick(&["x", "y", "x + y"]);
                format!(
                    "[&](int64_t x, int64_t y) {{ return {result}; }}({}, {})",
                    self.int(deeper),
                    self.int(deeper)
                )
            }
            22 => format!(
                "std::get<{}>(std::make_tuple(static_cast<int64_t>({}), static_cast<int32_t>({})))",
                self.random.below(2),
                self.int(deeper),
                self.int(deeper)
            ),
            23 => format!(
                "({} ? std::optional<int64_t>({}) : std::nullopt).value_or({})",
                self.boolean(0),
                self.int(deeper),
                self.int(deeper)
            ),
            24 => {
                let function = self.pick(&["std::max", "std::min"]);
                format!(
                    "{function}<int64_t>({{{}, {}, {}}})",
                    self.variable("int64_t").unwrap_or_else(|| "a".to_owned()),
                    self.random.range(-9..40),
                    self.variable("int64_t").unwrap_or_else(|| "b".to_owned())
                )
            }
            17 => match self.variable("APSInt") {
                Some(name) => match self.random.range(0..3) {
                    0 => format!(
                        "({name}.extOrTrunc(64).isNonNegative() ? {name}.extOrTrunc(64).getExtValue() : -3)"
                    ),
                    1 => format!("static_cast<int64_t>({name}.isUnsigned())"),
                    _ => format!("({name}.isRepresentableByInt64() ? {name}.getExtValue() : -2)"),
                },
                None => self.int(deeper),
            },
            18 => match self.variable("std::string") {
                Some(name) => match self.random.range(0..3) {
                    0 => format!("static_cast<int64_t>({name}.size())"),
                    1 => format!("({name}.empty() ? 0 : static_cast<int64_t>({name}.back()))"),
                    _ => format!(
                        "static_cast<int64_t>(llvm::count_if({name}, [](char c) {{ return llvm::isAlnum(c) && !llvm::isUpper(c); }}))"
                    ),
                },
                None => self.int(deeper),
            },
            0..5 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^", "/", "%"]);
                format!("({} {op} {})", self.int(deeper), self.int(deeper))
            }
            5 => format!("({} << {})", self.int(deeper), self.random.range(0..4)),
            6 => format!("({} >> {})", self.int(deeper), self.random.range(0..4)),
            7 => format!("({} ? {} : {})", self.boolean(deeper), self.int(deeper), self.int(deeper)),
            8 => {
                let ty = self.pick(&INTS);
                format!("static_cast<{ty}>({})", self.int(deeper))
            }
            9 => format!("(- {})", self.int(deeper)),
            10 => format!("(~{})", self.int(deeper)),
            11 => {
                let function = self.pick(&["std::max", "std::min"]);
                format!("{function}<int64_t>({}, {})", self.int(deeper), self.int(deeper))
            }
            12 => match self.variable("APInt") {
                Some(name) => {
                    let method = self.pick(&[
                        "getSExtValue()",
                        "getBitWidth()",
                        "countl_zero()",
                        "countr_zero()",
                        "popcount()",
                        "getActiveBits()",
                        "getSignificantBits()",
                        "countl_one()",
                        "exactLogBase2()",
                    ]);
                    format!("static_cast<int64_t>({name}.{method})")
                }
                None => self.int(deeper),
            },
            13 => match self.variable("SmallVector<int64_t>") {
                Some(name) => {
                    let of = self.pick(&["size()", "front()", "back()"]);
                    format!("static_cast<int64_t>({name}.{of})")
                }
                None => self.int(deeper),
            },
            14 => match self.variable("SmallVector<int64_t>") {
                Some(name) => {
                    let index = self.int(0);
                    match self.random.range(0..6) {
                        0 => format!("std::accumulate({name}.begin(), {name}.end(), int64_t(0))"),
                        1 => format!("(*llvm::max_element({name}))"),
                        2 => format!("static_cast<int64_t>(llvm::count({name}, {index}))"),
                        3 => format!(
                            "static_cast<int64_t>(llvm::count_if({name}, [&](int64_t e) {{ return e > {index}; }}))"
                        ),
                        4 => format!("std::distance({name}.begin(), llvm::find({name}, {index}))"),
                        _ => format!("{name}[{index}]"),
                    }
                }
                None => self.int(deeper),
            },
            15 => match self.variable("pair") {
                Some(name) => format!("{name}.{}", self.pick(&["first", "second"])),
                None => self.int(deeper),
            },
            _ => format!("static_cast<int64_t>({})", self.double(deeper)),
        }
    }

    fn double(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.variable("double").or_else(|| self.variable("float")) {
                Some(name) => name,
                None => format!("{}.{}", self.random.range(0..9), self.pick(&["0", "25", "1", "5f"])),
            };
        }
        match self.random.range(0..4) {
            0 => format!("std::abs({})", self.double(depth - 1)),
            1 => format!("static_cast<{}>({})", self.pick(&["float", "double"]), self.int(depth - 1)),
            _ => {
                let op = self.pick(&["+", "-", "*", "/"]);
                format!("({} {op} {})", self.double(depth - 1), self.double(depth - 1))
            }
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        if depth == 0 {
            return format!("{} < {}", self.any_int(), self.random.range(-5..30));
        }
        let deeper = depth - 1;
        match self.random.range(0..9) {
            8 => match self.variable("APSInt") {
                Some(name) => {
                    let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                    match self.random.range(0..4) {
                        0 => format!("({name} {op} {})", self.random.range(-3..200)),
                        1 => format!("({} {op} {name})", self.random.range(-3..200)),
                        2 => format!("({name} {op} ({name} >> 1))"),
                        _ => format!(
                            "{name}.{}",
                            self.pick(&["isNegative()", "isStrictlyPositive()", "isSigned()"])
                        ),
                    }
                }
                None => self.boolean(deeper),
            },
            0 => format!("({} && {})", self.boolean(deeper), self.boolean(deeper)),
            1 => format!("({} || {})", self.boolean(deeper), self.boolean(deeper)),
            2 => format!("!({})", self.boolean(deeper)),
            3 => match self.variable("APInt") {
                Some(name) => {
                    let method = self.pick(&[
                        "isNegative()",
                        "isZero()",
                        "isPowerOf2()",
                        "isMaxSignedValue()",
                        "ult(7)",
                        "sgt(-3)",
                        "isIntN(5)",
                        "isSignedIntN(5)",
                    ]);
                    format!("{name}.{method}")
                }
                None => self.boolean(deeper),
            },
            4 => match self.variable("SmallVector<int64_t>") {
                Some(name) => match self.random.range(0..3) {
                    0 => format!("llvm::is_contained({name}, {})", self.int(0)),
                    1 => format!("llvm::all_of({name}, [](int64_t e) {{ return e >= 0; }})"),
                    _ => format!("llvm::is_sorted({name})"),
                },
                None => self.boolean(deeper),
            },
            _ => {
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {op} {})", self.int(deeper), self.int(deeper))
            }
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str("  ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Statements in braces. Their variables go out of scope at the closing brace.
    fn block(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        let scope = self.scope.len();
        for _ in 0..self.random.range(1..4) {
            self.statement();
        }
        self.scope.truncate(scope);
        self.line("}");
    }

    fn statement(&mut self) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        match self.random.range(0..36) {
            32 => {
                let (a, b) = (self.int(1), self.int(1));
                let other = self.variable("Window");
                let name = self.declare("Window");
                let line = match (self.random.below(4), other) {
                    (0, _) => format!("Window {name};"),
                    (1, _) => format!("Window {name}{{{a}}};"),
                    (2, Some(other)) => format!("Window {name} = Window({a}).joined({other});"),
                    _ => format!("Window {name}({a}, {b});"),
                };
                self.line(&line);
            }
            33 | 34 => {
                let (Some(window), Some(other)) = (self.variable("Window"), self.variable("Window")) else {
                    return;
                };
                let (value, target) = (self.int(1), self.variable("int64_t"));
                self.names += 1;
                let number = self.names;
                let line = match (self.random.below(6), target) {
                    (0, _) => format!("{window}.mark({value});"),
                    (1, _) => format!("{window}.low = {value};"),
                    (2, Some(target)) => format!("{window}.take({target});"),
                    (3, _) => format!("{window} = {other}.joined({window});"),
                    (4, _) => format!(
                        "auto &part{number} = {window}.marks; part{number}.push_back({value}); {window}.mark(part{number}.size());"
                    ),
                    _ => format!(
                        "Windows all{number}({other}); all{number}.add({value}, 3); all{number}.add({window}.middle(), 8); \
                         if (all{number}.size() > 1) {window} = all{number}.best();"
                    ),
                };
                self.line(&line);
            }
            35 => {
                let (Some(window), Some(other)) = (self.variable("Window"), self.variable("Window")) else {
                    return;
                };
                let value = self.int(1);
                let name = self.declare("int64_t");
                self.line(&format!(
                    "int64_t {name} = {window}.sum() + ({window} < {other}) * 2 + ({window} == {other}) * 4 \
                     + {window}.contains({value}) * 8 + {window}.marks.size() * 16;"
                ));
            }
            27 => {
                let (width, value) = ([8, 33, 64, 70][self.random.below(4)], self.any_int());
                let unsigned = self.pick(&["true", "false"]);
                let name = self.declare("APSInt");
                self.line(&format!(
                    "APSInt {name}(APInt(64, static_cast<uint64_t>({value})).sextOrTrunc({width}), {unsigned});"
                ));
            }
            28 => {
                let Some(a) = self.variable("APSInt") else { return };
                let change = match self.random.range(0..10) {
                    0 => format!("{a} += {a};"),
                    1 => format!("{a} = {a} * {a};"),
                    2 => format!("{a} >>= 2;"),
                    3 => format!("{a} <<= 1;"),
                    4 => format!("{a} = -{a};"),
                    5 => format!(
                        "{a} = {a} / ({a} | {a}.extOrTrunc({a}.getBitWidth()) | APSInt(APInt({a}.getBitWidth(), 1), {a}.isUnsigned()));"
                    ),
                    6 => format!("{a} = {a} % (APSInt(APInt({a}.getBitWidth(), 7), {a}.isUnsigned()));"),
                    7 => format!("{a}.setIsUnsigned(!{a}.isUnsigned());"),
                    8 => format!("{a}++;"),
                    _ => format!("{a} = {a}.lshr(1);"),
                };
                self.line(&change);
            }
            29 => {
                let Some(a) = self.variable("APInt") else { return };
                let change = match self.random.range(0..12) {
                    0 => format!("{a} = {a}.sadd_sat({a});"),
                    1 => format!("{a} = {a}.uadd_sat({a}.lshr(1));"),
                    2 => format!("{a} = {a}.lshr(1).usub_sat({a});"),
                    3 => format!("{a} = {a}.ssub_sat(~{a});"),
                    4 => format!("{a} = {a}.smul_sat(-{a});"),
                    5 => format!("{a} = {a}.umul_sat({a});"),
                    6 => format!("if ({a}.getBitWidth() > 6) {a}.setBits(2, 6);"),
                    7 => format!("if ({a}.getBitWidth() > 6) {{ {a}.setLowBits(3); {a}.flipBit(1); }}"),
                    8 => format!("if ({a}.getBitWidth() > 6) {a}.clearLowBits(2);"),
                    9 => format!("{a}.clearSignBit();"),
                    10 => format!("{a} = {a}.getLoBits(1) | {a}.getHiBits(1);"),
                    _ => format!("{a}.setHighBits(1);"),
                };
                self.line(&change);
            }
            30 => match self.variable("std::string").filter(|_| self.random.below(3) > 0) {
                None => {
                    let name = self.declare("std::string");
                    let text = self.pick(&["\"ab_C\"", "\"\"", "\"7 x\""]);
                    self.line(&format!("std::string {name} = {text};"));
                }
                Some(name) => {
                    let value = self.any_int();
                    let change = match self.random.range(0..6) {
                        0 => format!("{name} += 'x';"),
                        1 => format!("{name}.push_back(llvm::toUpper('q'));"),
                        2 => format!("{name} += std::to_string({value});"),
                        3 => format!("{name} = (\"p\" + Twine({value})).str();"),
                        4 => format!("{name}.insert({name}.begin(), '_');"),
                        _ => format!(
                            "for (char c : StringRef(\"a1 B\")) {name} += isdigit(c) ? '#' : llvm::toLower(c);"
                        ),
                    };
                    self.line(&change);
                }
            },
            31 => {
                let (value, width) = (self.double(1), self.random.range(1..70));
                let unsigned = self.pick(&["true", "false"]);
                let name = self.declare("int64_t");
                let number = self.names;
                self.line(&format!(
                    "int64_t {name} = 0; {{ APSInt to{number}({width}, {unsigned}); bool exact{number} = false; \
                     APFloat of{number}(static_cast<double>({value})); \
                     auto status{number} = of{number}.convertToInteger(to{number}, APFloat::rmTowardZero, &exact{number}); \
                     {name} = (status{number} == APFloat::opInvalidOp) * 8 + exact{number} * 4 + to{number}.popcount() * 16; \
                     of{number}.convertFromAPInt(to{number}, {unsigned}, APFloat::rmNearestTiesToEven); \
                     if (of{number}.isNegative()) {name} += 1; }}"
                ));
            }
            0..4 => {
                let ty = INTS[self.random.below(INTS.len())];
                let value = self.int(2);
                let name = self.declare(ty);
                self.line(&format!("{ty} {name} = {value};"));
            }
            4..7 => {
                let (to, value) = (self.any_int(), self.int(2));
                let op = self.pick(&["=", "+=", "-=", "*=", "|=", "&=", "^="]);
                if self.random.below(8) == 0 {
                    let op = self.pick(&[">>=", "<<="]);
                    self.line(&format!("{to} {op} 1;"));
                }
                self.line(&format!("{to} {op} {value};"));
            }
            7 => {
                let to = self.any_int();
                let step = self.pick(&["++", "--"]);
                let line =
                    if self.random.below(2) == 0 { format!("{to}{step};") } else { format!("{step}{to};") };
                self.line(&line);
            }
            8 | 9 => {
                let condition = self.boolean(2);
                self.block(&format!("if ({condition})"));
                if self.random.below(2) == 0 {
                    self.block("else");
                }
            }
            10 => {
                self.names += 1;
                let (name, count) = (format!("i{}", self.names), self.random.range(1..6));
                self.scope.push((name.clone(), "int32_t const"));
                self.block(&format!("for (int {name} = 0; {name} < {count}; ++{name})"));
                self.scope.retain(|(other, _)| *other != name);
            }
            11 => {
                let condition = self.boolean(1);
                let result = self.any_int();
                self.line(&format!("if ({condition}) return {result};"));
            }
            12 | 13 => {
                let width = [1, 7, 8, 16, 33, 64, 70][self.random.below(7)];
                let value = self.any_int();
                let name = self.declare("APInt");
                self.line(&format!(
                    "APInt {name} = APInt(64, static_cast<uint64_t>({value})).sextOrTrunc({width});"
                ));
            }
            14 => {
                let Some(a) = self.variable("APInt") else { return };
                let b = self.int(0);
                let op = match self.random.range(0..17) {
                    9 => format!("{a} + {b}"),
                    10 => format!("{a}.udiv(3)"),
                    11 => format!("{a}.sdiv(-3)"),
                    12 => format!("APInt({a}.getBitWidth(), {a}.urem(5))"),
                    13 => format!("{a}.rotl(3)"),
                    14 => format!("{a}.reverseBits()"),
                    15 => format!("{a}.concat({a}).extractBits({a}.getBitWidth(), 1)"),
                    0 => format!("{a} + 1"),
                    1 => format!("{a} - 3"),
                    2 => format!("{a} * {a}"),
                    3 => format!("{a}.lshr(1)"),
                    4 => format!("{a}.ashr(1)"),
                    5 => format!("{a}.udiv({a} | 1)"),
                    6 => format!("{a}.srem({a} | 1)"),
                    7 => format!("~{a}"),
                    8 => format!("-{a}"),
                    _ => format!("({b} > 2 ? {a}.shl(1) : {a}.abs())"),
                };
                self.line(&format!("{a} = {op};"));
            }
            24 => {
                let Some(a) = self.variable("APInt") else { return };
                let at = self.random.range(0..3);
                let change = match self.random.range(0..4) {
                    0 => format!("{a}.setAllBits();"),
                    1 => format!("{a}.flipAllBits();"),
                    2 => format!("if ({a}.getBoolValue()) {a}.insertBits({a}.lshr(1), 0);"),
                    _ => format!("if ({a}.getBitWidth() > 7) {a}.insertBits(APInt(5, 21), {at});"),
                };
                self.line(&change);
            }
            25 => {
                let Some(name) = self.variable("SmallVector<int64_t>") else { return };
                let value = self.random.range(-3..4);
                self.line(&format!(
                    "llvm::transform({name}, {name}.begin(), [&](int64_t e) {{ return e / 2 + {value}; }});"
                ));
            }
            26 => {
                let text = self.pick(&["\"ab\"", "\"b\"", "\"abc\"", "\"\""]);
                let [first, value, default] = [self.int(1), self.int(1), self.int(1)];
                let name = self.declare("int32_t");
                self.line(&format!(
                    "int32_t {name} = llvm::StringSwitch<int32_t>({text}).Case(\"b\", {first}).Cases({{\"x\", \"ab\"}}, 2)\
                     .StartsWith(\"ab\", static_cast<int32_t>({value})).Default({default});"
                ));
            }
            15 | 16 => {
                let values: Vec<String> = (0..self.random.range(1..5))
                    .map(|_| format!("static_cast<int64_t>({})", self.int(1)))
                    .collect();
                let name = self.declare("SmallVector<int64_t>");
                self.line(&format!("SmallVector<int64_t> {name} = {{{}}};", values.join(", ")));
            }
            17..20 => {
                let Some(name) = self.variable("SmallVector<int64_t>") else { return };
                let value = self.int(1);
                let line = match self.random.range(0..9) {
                    0 => format!("{name}.push_back({value});"),
                    1 => format!("for (int64_t &e : {name}) e = e / 2 + {value};"),
                    2 => format!("llvm::sort({name});"),
                    3 => format!("std::reverse({name}.begin(), {name}.end());"),
                    4 => format!("{name}.insert({name}.begin(), {value});"),
                    5 => format!("{name}.erase({name}.begin());"),
                    6 => format!("{name}[0] += {value};"),
                    7 => format!("llvm::erase_if({name}, [&](int64_t e) {{ return e == {value}; }});"),
                    _ => format!("auto &back{} = {name}.back(); back{} = {value};", self.names, self.names),
                };
                self.names += 1;
                self.line(&line);
            }
            20 => {
                let (a, b) = (self.int(1), self.int(1));
                let name = self.declare("pair");
                self.line(&format!("std::pair<int32_t, int64_t> {name}({a}, {b});"));
            }
            21 => {
                let Some(pair) = self.variable("pair") else { return };
                let (a, b) = (self.declare("int32_t"), self.declare("int64_t"));
                self.line(&format!("auto [{a}, {b}] = {pair};"));
                let value = self.int(1);
                self.line(&format!("{pair}.second = {value};"));
            }
            22 => {
                let Some(name) = self.variable("SmallVector<int64_t>") else { return };
                let to = self.any_int();
                self.line(&format!(
                    "for (auto [at, element] : llvm::enumerate({name})) {to} += at * element;"
                ));
            }
            _ => {
                let ty = ["double", "float"][self.random.below(2)];
                let value = self.double(2);
                let name = self.declare(ty);
                self.line(&format!("{ty} {name} = {value};"));
            }
        }
    }
}

fn function(random: &mut Dice, number: usize) -> String {
    let text = format!("static int64_t f{number}(int64_t a, int64_t b) {{\n");
    let scope = vec![("a".to_owned(), "int64_t"), ("b".to_owned(), "int64_t")];
    let mut author = Author { random, text, scope, names: 0, budget: 14 };
    for _ in 0..9 {
        author.statement();
    }
    let result = author.int(3);
    author.line(&format!("return {result};"));
    author.text + "}\n"
}

/// Compiles and runs a C++ program, and returns the lines that it prints. Prints a reason and returns `None` if MLIR's
/// headers or `g++` are not installed.
pub(super) fn compiled_output(text: &str, libraries: &[&str]) -> Option<Vec<String>> {
    let include = Path::new("/usr/lib/llvm-22/include");
    if !include.join("mlir").is_dir() {
        println!("skipped: libmlir-22-dev is not installed");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (file, program) = (folder.path().join("oracle.cpp"), folder.path().join("oracle"));
    std::fs::write(&file, text).expect("the file is written");
    let compiled = Command::new("g++")
        .args(["-std=c++17", "-O0", "-w", "-fno-rtti", "-I"])
        .arg(include)
        .arg(&file)
        .args(["-L/usr/lib/llvm-22/lib", "-Wl,-rpath,/usr/lib/llvm-22/lib"])
        .args(libraries)
        .arg("-o")
        .arg(&program)
        .output();
    let Ok(compiled) = compiled else {
        println!("skipped: g++ is not installed");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn random_functions_have_the_results_of_a_compiler() {
    if std::env::var_os("DRRVM_FULL").is_none() {
        println!("skipped: DRRVM_FULL is not set");
        return;
    }
    let random = &mut Dice(crate::test_seed::seed());
    let values = [0, 1, -1, 2, 3, 7, 8, 127, 128, -128, 255, 1_000, -65_536, i64::from(i32::MAX), i64::MIN];
    let mut text = format!("{HEADER}{CLASSES}");
    let (mut main, mut wanted) = (String::new(), Vec::new());
    let (mut undefined, mut outside) = (BTreeMap::<String, usize>::new(), Vec::new());
    for number in 0..FUNCTIONS {
        let source = function(random, number);
        text.push_str(&source);
        for _ in 0..CALLS {
            let mut value = || match random.range(0..3) {
                0 => random.next().cast_signed(),
                1 => random.range(-20..20),
                _ => values[random.below(values.len())],
            };
            let (a, b) = (value(), value());
            match pair(&format!("{CLASSES}{source}"), &format!("f{number}($0, $1)"), a, b) {
                Ok(got) => {
                    // C++ has no literal for the least `int64_t`, so the numbers are written as unsigned.
                    writeln!(
                        main,
                        "  printf(\"%lld\\n\", (long long)f{number}((int64_t){}u, (int64_t){}u));",
                        a.cast_unsigned(),
                        b.cast_unsigned()
                    )
                    .expect("writing to a string succeeds");
                    wanted.push((source.clone(), a, b, got));
                }
                Err(reason) if reason.starts_with("native") || reason.starts_with("compile") => {
                    outside.push(format!("{reason}\n{source}"));
                    break;
                }
                Err(reason) => *undefined.entry(reason).or_default() += 1,
            }
        }
    }
    assert!(outside.is_empty(), "{} functions are outside the language: {}", outside.len(), outside[0]);
    writeln!(text, "int main() {{\n{main}}}").expect("writing to a string succeeds");
    let Some(lines) = compiled_output(&text, &["-lLLVM-22"]) else { return };
    assert_eq!(lines.len(), wanted.len());
    let differing: Vec<String> = wanted
        .iter()
        .zip(&lines)
        .filter(|((.., got), line)| got.to_string() != **line)
        .map(|((source, a, b, got), line)| format!("({a}, {b}): {got} here, {line} in C++\n{source}"))
        .collect();
    println!("{} calls compared, {} calls undefined", wanted.len(), undefined.values().sum::<usize>());
    for (reason, calls) in &undefined {
        println!("  {calls}: {reason}");
    }
    assert!(differing.is_empty(), "{} differ, for example {}", differing.len(), differing[0]);
    assert!(wanted.len() >= 2_000, "only {} calls are defined", wanted.len());
}
