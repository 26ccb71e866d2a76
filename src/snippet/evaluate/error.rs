//! Failures of evaluations.

use std::borrow::Cow;
use std::fmt::Display;

use crate::host::Refusal;
use crate::number::{ApFloat, ApInt, MAX_WIDTH};
use crate::plural::count;

/// Fails with a reason.
pub(super) fn fail<T>(reason: impl Into<Cow<'static, str>>) -> Result<T, Refusal> {
    Err(Refusal::new(reason))
}

pub(super) fn division_by_zero<T>() -> Result<T, Refusal> {
    fail("division by zero")
}

pub(super) fn integer_overflow<T>() -> Result<T, Refusal> {
    fail("integer overflow")
}

/// Fails because a range of `len` elements has no element with this index.
pub(super) fn index_out_of_range<T>(index: impl Display, len: usize) -> Result<T, Refusal> {
    let verb = if len == 1 { "is" } else { "are" };
    fail(format!("index {index} is out of range: there {verb} {}", count(len, "element")))
}

/// Fails because no `APInt` has this width.
pub(super) fn invalid_width<T>(width: impl Display) -> Result<T, Refusal> {
    fail(format!("an APInt cannot have {width} bits; the maximum is {MAX_WIDTH}"))
}

pub(super) fn bit_outside<T>(bit: u32, width: u32) -> Result<T, Refusal> {
    fail(format!("bit {bit} is outside of an APInt of {width} bits"))
}

/// Fails because an `APInt` of `width` bits has fewer than `needed` bits.
pub(super) fn too_few_bits<T>(needed: u64, width: u32) -> Result<T, Refusal> {
    fail(format!("expected an APInt of at least {needed} bits, but it has {width}"))
}

pub(super) fn different_widths<T>(x: &ApInt, y: &ApInt) -> Result<T, Refusal> {
    fail(format!("two APInts differ in width: {} and {} bits", x.width(), y.width()))
}

pub(super) fn different_formats<T>(x: ApFloat, y: ApFloat) -> Result<T, Refusal> {
    fail(format!("two APFloats differ in format: {} and {}", x.format().name(), y.format().name()))
}

pub(super) fn shift_too_large<T>(amount: impl Display, width: u32) -> Result<T, Refusal> {
    fail(format!("an APInt of {width} bits is shifted by {amount}, which is more than its width"))
}
