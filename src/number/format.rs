//! The float formats of MLIR 22.1, as a table.

/// The bit patterns of infinities and NaNs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NonFinite {
    /// Infinities and NaNs have the largest exponent, as in IEEE 754.
    Ieee,
    /// There is no infinity. A NaN has all bits set, except possibly the sign.
    NanAllOnes,
    /// There is no infinity. NaN has the bits of the negative zero.
    NanNegativeZero,
    /// There is neither infinity nor NaN.
    None,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormatLayout {
    pub(super) name: &'static str,
    pub(super) bits: u32,
    pub(super) exponent_bits: u32,
    /// The number of stored mantissa bits, including an explicit leading 1 bit.
    pub(super) mantissa_bits: u32,
    /// The number of significant bits of a normal number.
    pub(super) precision: u32,
    pub(super) bias: i32,
    pub(super) non_finite: NonFinite,
    pub(super) has_sign: bool,
    pub(super) has_zero: bool,
}

const fn row(
    name: &'static str,
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i32,
    non_finite: NonFinite,
) -> FormatLayout {
    FormatLayout {
        name,
        bits: 1 + exponent_bits + mantissa_bits,
        exponent_bits,
        mantissa_bits,
        precision: mantissa_bits + 1,
        bias,
        non_finite,
        has_sign: true,
        has_zero: true,
    }
}

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $layout:expr;)*) => {
        /// A float format of MLIR.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FloatFormat {
            $($(#[$doc])* $variant,)*
        }

        impl FloatFormat {
            /// All formats.
            pub const ALL: &'static [FloatFormat] = &[$(FloatFormat::$variant),*];

            pub(super) const fn layout(self) -> FormatLayout {
                match self { $(FloatFormat::$variant => $layout,)* }
            }
        }
    };
}

formats! {
    /// `f4E2M1FN`: no infinity, no NaN.
    F4E2M1FN = row("f4E2M1FN", 2, 1, 1, NonFinite::None);
    /// `f6E2M3FN`: no infinity, no NaN.
    F6E2M3FN = row("f6E2M3FN", 2, 3, 1, NonFinite::None);
    /// `f6E3M2FN`: no infinity, no NaN.
    F6E3M2FN = row("f6E3M2FN", 3, 2, 3, NonFinite::None);
    /// `f8E3M4`
    F8E3M4 = row("f8E3M4", 3, 4, 3, NonFinite::Ieee);
    /// `f8E4M3`
    F8E4M3 = row("f8E4M3", 4, 3, 7, NonFinite::Ieee);
    /// `f8E4M3FN`: no infinity.
    F8E4M3FN = row("f8E4M3FN", 4, 3, 7, NonFinite::NanAllOnes);
    /// `f8E4M3FNUZ`: no infinity, no negative zero.
    F8E4M3FNUZ = row("f8E4M3FNUZ", 4, 3, 8, NonFinite::NanNegativeZero);
    /// `f8E4M3B11FNUZ`: no infinity, no negative zero, bias 11.
    F8E4M3B11FNUZ = row("f8E4M3B11FNUZ", 4, 3, 11, NonFinite::NanNegativeZero);
    /// `f8E5M2`
    F8E5M2 = row("f8E5M2", 5, 2, 15, NonFinite::Ieee);
    /// `f8E5M2FNUZ`: no infinity, no negative zero.
    F8E5M2FNUZ = row("f8E5M2FNUZ", 5, 2, 16, NonFinite::NanNegativeZero);
    /// `f8E8M0FNU`: only an exponent, no sign, no zero, no infinity.
    F8E8M0FNU = FormatLayout { bits: 8, has_sign: false, has_zero: false, ..row("f8E8M0FNU", 8, 0, 127, NonFinite::NanAllOnes) };
    /// `f16`
    F16 = row("f16", 5, 10, 15, NonFinite::Ieee);
    /// `bf16`
    BF16 = row("bf16", 8, 7, 127, NonFinite::Ieee);
    /// `tf32`: 19 bits.
    TF32 = row("tf32", 8, 10, 127, NonFinite::Ieee);
    /// `f32`
    F32 = row("f32", 8, 23, 127, NonFinite::Ieee);
    /// `f64`
    F64 = row("f64", 11, 52, 1023, NonFinite::Ieee);
    /// `f80`: the x87 format, with an explicit leading 1 bit.
    F80 = FormatLayout { bits: 80, mantissa_bits: 64, precision: 64, ..row("f80", 15, 63, 16383, NonFinite::Ieee) };
    /// `f128`
    F128 = row("f128", 15, 112, 16383, NonFinite::Ieee);
}

impl FormatLayout {
    pub(super) const fn max_field(self) -> u128 {
        (1 << self.exponent_bits) - 1
    }

    pub(super) const fn sign_bit(self) -> u128 {
        if self.has_sign { 1 << (self.bits - 1) } else { 0 }
    }

    /// The exponent of the smallest normal number.
    pub(super) const fn min_exponent(self) -> i32 {
        if self.has_zero { 1 - self.bias } else { -self.bias }
    }

    /// The exponent of the largest finite number.
    pub(super) const fn max_exponent(self) -> i32 {
        let top = (1 << self.exponent_bits) - 1 - self.bias;
        match self.non_finite {
            NonFinite::Ieee => top - 1,
            // Without a mantissa, only the NaN has the largest exponent.
            NonFinite::NanAllOnes if self.mantissa_bits == 0 => top - 1,
            _ => top,
        }
    }
}

impl FloatFormat {
    /// The exponents of the normal numbers.
    pub(crate) const fn exponents(self) -> std::ops::RangeInclusive<i32> {
        self.layout().min_exponent()..=self.layout().max_exponent()
    }

    /// The name of the MLIR type.
    pub const fn name(self) -> &'static str {
        self.layout().name
    }

    /// The format of the MLIR type with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// The width in bits.
    pub const fn width(self) -> u32 {
        self.layout().bits
    }

    /// The number of significant bits of a normal number.
    pub const fn precision(self) -> u32 {
        self.layout().precision
    }

    /// True if `other` has at least the range and the precision of this format.
    pub fn is_representable_in(self, other: Self) -> bool {
        let (a, b) = (self.layout(), other.layout());
        a.max_exponent() <= b.max_exponent()
            && a.min_exponent() >= b.min_exponent()
            && a.precision <= b.precision
    }

    /// True if the format has infinities.
    pub fn has_infinity(self) -> bool {
        self.layout().non_finite == NonFinite::Ieee
    }

    /// True if the format has NaNs.
    pub fn has_nan(self) -> bool {
        self.layout().non_finite != NonFinite::None
    }
}
