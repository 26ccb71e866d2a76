//! The versions of the format, and the numbers that the format defines.

/// The first bytes of a file.
pub(super) const MAGIC: &[u8] = b"ML\xefR";

/// The newest version of the format, which MLIR 22.1 writes.
pub const VERSION: u64 = 6;

/// The first version in which a file can state the versions of dialects.
pub(super) const DIALECT_VERSIONS: u64 = 1;
/// The first version in which the regions of isolated operations are sections.
pub(super) const REGION_SECTIONS: u64 = 2;
/// The first version that stores the order of the uses of a value.
pub(super) const USE_ORDERS: u64 = 3;
/// The first version that omits unknown locations of block arguments and stores the number of operation names.
pub(super) const ELIDED_LOCATIONS: u64 = 4;
/// The first version that stores properties separately from attributes.
pub(super) const PROPERTIES: u64 = 5;
/// The first version in which the sizes of groups of operands and results are numbers in the properties instead of an
/// attribute.
pub(super) const NATIVE_SIZES: u64 = 6;

/// The bit of a section's number that states that an alignment follows.
pub(super) const ALIGNED: u8 = 0x80;
/// The value of padding bytes.
pub(super) const PADDING: u8 = 0xCB;

/// The parts that an operation can have, as bits.
pub(super) struct OpParts;

impl OpParts {
    pub(super) const ATTRS: u8 = 1;
    pub(super) const RESULTS: u8 = 1 << 1;
    pub(super) const OPERANDS: u8 = 1 << 2;
    pub(super) const SUCCESSORS: u8 = 1 << 3;
    pub(super) const REGIONS: u8 = 1 << 4;
    pub(super) const USE_ORDERS: u8 = 1 << 5;
    pub(super) const PROPERTIES: u8 = 1 << 6;
    pub(super) const ALL: u8 = (1 << 7) - 1;
}

/// The kinds of sections, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectionKind {
    Strings,
    Dialects,
    AttrsAndTypes,
    AttrAndTypeSizes,
    Operations,
    Resources,
    ResourceSizes,
    DialectVersion,
    Properties,
}

impl SectionKind {
    /// All kinds, in the order of their numbers.
    pub(super) const ALL: [Self; 9] = [
        Self::Strings,
        Self::Dialects,
        Self::AttrsAndTypes,
        Self::AttrAndTypeSizes,
        Self::Operations,
        Self::Resources,
        Self::ResourceSizes,
        Self::DialectVersion,
        Self::Properties,
    ];

    /// The kind with this number.
    pub(super) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Strings => "strings",
            Self::Dialects => "dialects",
            Self::AttrsAndTypes => "attributes and types",
            Self::AttrAndTypeSizes => "sizes of attributes and types",
            Self::Operations => "operations",
            Self::Resources => "resources",
            Self::ResourceSizes => "sizes of resources",
            Self::DialectVersion => "version of a dialect",
            Self::Properties => "properties",
        }
    }

    /// True if a file of this version must have the section.
    pub(super) fn is_required(self, version: u64) -> bool {
        match self {
            Self::Resources | Self::ResourceSizes | Self::DialectVersion => false,
            Self::Properties => version >= PROPERTIES,
            _ => true,
        }
    }
}

/// True if bytes begin like a file of MLIR byte code.
///
/// ```
/// use drrvm::ir::mlirbc::is_bytecode;
/// assert!(is_bytecode(b"ML\xefR\x0dMLIR22.1.8\0"));
/// assert!(!is_bytecode(b"module {}"));
/// ```
pub fn is_bytecode(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}
