//! Binary encoding: one description of each type, for writing and for reading.
//!
//! Specification: a [`Reader`] of the bytes that a [`Writer`] wrote returns the value that was written. For other
//! bytes, it returns an error or some value. Each id that `wire_ids!` decodes is within its table.
//!
//! A file consists of several streams of bytes, the [`Section`]s. Each type decides which section its parts go to, so
//! that data for messages and tools is separate from data for matching. Numbers are LEB128. Reading never panics,
//! recurses at most [`MAX_DEPTH`] levels, and allocates in proportion to its input. Writing turns source positions into
//! file, line and column, and reading turns these into positions of a source map.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::id::{Id, IdVec};
use crate::intern::{Interner, StrId};
use crate::source::{Place, PlaceTable, SourceMap, Span, pack};

/// The maximum nesting depth of values.
const MAX_DEPTH: u32 = 64;

/// The maximum number of entries for which memory is reserved before they are read.
const RESERVED: usize = 1 << 12;

/// A type that the file format can encode.
pub(crate) trait Wire: Sized {
    /// Appends the encoded value.
    fn write(&self, out: &mut Writer<'_>);
    /// Decodes the next value.
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid>;
}

/// An error in a section. It has the size of a pointer, so that results are returned in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invalid(Box<(Section, String)>);

impl Invalid {
    #[cold]
    pub(crate) fn new(section: Section, what: impl Into<String>) -> Self {
        Self(Box::new((section, what.into())))
    }

    /// The section and the message.
    pub(crate) fn into_parts(self) -> (Section, String) {
        *self.0
    }
}

macro_rules! sections {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// A part of the file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Section { $($(#[$doc])* $name,)* }

        impl Section {
            /// All sections in the order of the file.
            pub const ALL: &'static [Section] = &[$(Section::$name),*];

            /// The name in messages.
            pub fn name(self) -> &'static str {
                match self { $(Section::$name => $text,)* }
            }

            /// True for signatures, debug data and places. Matching does not read these sections, and rewriting reads
            /// only the operation definitions in the signatures.
            pub fn is_auxiliary(self) -> bool {
                matches!(self, Section::Signatures | Section::Debug | Section::Places)
            }

            /// The section for the source positions of values in this section.
            fn for_places(self) -> Section {
                if self == Section::Debug { self } else { Section::Signatures }
            }
        }
    };
}

sections! {
    /// The number of entries of each table, and the values that belong to no table.
    Head = "head";
    /// The strings that matching and rewriting need.
    Strings = "strings";
    /// Positions, constants, questions, calls, locations.
    Tables = "tables";
    /// Expressions.
    Snippets = "snippets";
    /// The properties of rules that engines need.
    Rules = "rules";
    /// The rules as encoded subpatterns, for the automaton.
    Items = "items";
    /// The instructions.
    Code = "code";
    /// Operation definitions, natives, and the texts and places of snippets.
    Signatures = "signatures";
    /// Names, labels, predicates, and the nodes that instructions test. Decoded on first use.
    Debug = "debug";
    /// Files, lines and columns.
    Places = "places";
}

/// The number of entries of each table. An id is valid if it is less than this number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) strings: u32,
    pub(crate) splits: u32,
    pub(crate) constants: u32,
    pub(crate) lists: u32,
    pub(crate) positions: u32,
    pub(crate) questions: u32,
    pub(crate) calls: u32,
    pub(crate) rewrite_calls: u32,
    pub(crate) locations: u32,
    pub(crate) patterns: u32,
    pub(crate) snippets: u32,
    pub(crate) snippet_strings: u32,
    pub(crate) exprs: u32,
    pub(crate) natives: u32,
    pub(crate) classes: u32,
    pub(crate) enums: u32,
    pub(crate) plans: u32,
    pub(crate) functions: u32,
}

/// An encoder of values.
pub(crate) struct Writer<'a> {
    streams: Vec<Vec<u8>>,
    current: Section,
    sources: &'a SourceMap,
    places: Places,
    /// The last place in each section. A place is written as its difference from the last place, because consecutive
    /// places are close to each other.
    last_places: Vec<i64>,
    /// The last number that [`Writer::step`] wrote.
    last_step: i64,
    /// For each string, the first section that needs it; `None` if no section needs it.
    homes: Vec<Option<Section>>,
}

/// The set of source positions.
#[derive(Default)]
struct Places {
    files: Interner,
    list: Vec<Place>,
    ids: HashMap<Place, i64, FxBuildHasher>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(sources: &'a SourceMap) -> Self {
        let streams = Section::ALL.iter().map(|_| Vec::new()).collect();
        Self {
            streams,
            current: Section::Head,
            sources,
            places: Places::default(),
            last_places: vec![0; Section::ALL.len()],
            last_step: 0,
            homes: Vec::new(),
        }
    }

    /// Writes to another section.
    pub(crate) fn to(&mut self, section: Section, write: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.current, section);
        write(self);
        self.current = before;
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.streams[self.current as usize].push(byte);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.streams[self.current as usize].extend_from_slice(bytes);
    }

    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.byte(number.to_le_bytes()[0]);
    }

    /// Writes a number as its difference from the number that this method wrote before.
    pub(crate) fn step(&mut self, number: i64) {
        let distance = number - std::mem::replace(&mut self.last_step, number);
        distance.write(self);
    }

    /// Writes items, without the number of items.
    pub(crate) fn items<'t, T: Wire + 't>(&mut self, items: impl IntoIterator<Item = &'t T>) {
        items.into_iter().for_each(|item| item.write(self));
    }

    /// Adds a source position to the places, and writes its number.
    pub(crate) fn place(&mut self, file: &str, line: u32, column: u32) {
        let Places { files, list, ids } = &mut self.places;
        let place = Place { file: files.intern(file).raw(), line, column };
        let id = *ids.entry(place).or_insert_with(|| {
            list.push(place);
            i64::try_from(list.len()).expect("memory holds fewer")
        });
        self.place_id(id);
    }

    /// Writes the number of a place. The first place has number 1, and 0 stands for no place.
    fn place_id(&mut self, id: i64) {
        let home = self.current.for_places();
        let distance = id - std::mem::replace(&mut self.last_places[home as usize], id);
        self.to(home, |out| distance.write(out));
    }

    /// Notes that the current section needs a string.
    pub(crate) fn need(&mut self, string: StrId) {
        let section = match self.current {
            Section::Debug | Section::Signatures => self.current,
            _ => Section::Strings,
        };
        let index = string.index();
        self.homes.resize(self.homes.len().max(index + 1), None);
        self.homes[index] = Some(self.homes[index].map_or(section, |home| home.min(section)));
    }

    /// Calls `write`, which refers to strings of a table, and then writes the strings of this table: first the headers,
    /// with the length and section of each string, and then the texts. A string that no section needs is read as an
    /// empty string. Most unneeded strings have no header: a bit in the header of the following string replaces it.
    pub(crate) fn with_strings(&mut self, strings: &Interner, write: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.homes);
        write(self);
        self.homes.resize(strings.len(), None);
        let homes = std::mem::replace(&mut self.homes, outer);
        let list = if self.current == Section::Debug { Section::Debug } else { Section::Strings };
        let mut skipped = false;
        for (i, (string, &home)) in strings.iter().zip(&homes).enumerate() {
            if home.is_none() && !skipped && i + 1 < homes.len() {
                skipped = true;
                continue;
            }
            let length = if home.is_some() { string.len() as u64 } else { 0 };
            let elsewhere = home.is_some_and(|home| home != list);
            let header = length << 2 | u64::from(skipped) << 1 | u64::from(elsewhere);
            self.to(list, |out| out.number(header));
            skipped = false;
        }
        for (string, home) in strings.iter().zip(homes) {
            if let Some(home) = home {
                self.to(home, |out| out.bytes(string.as_bytes()));
            }
        }
    }

    /// The bytes of all sections, in order.
    pub(crate) fn finish(mut self) -> Vec<Vec<u8>> {
        self.streams[Section::Places as usize] = pack(self.places.files.iter(), &self.places.list);
        self.streams
    }
}

/// The range of a program's places in the source map.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlaceSpans {
    base: u32,
    count: u32,
}

impl PlaceSpans {
    /// Adds the places of [`Section::Places`] to `sources`.
    pub(crate) fn add(bytes: &[u8], sources: &mut SourceMap) -> Read<Self> {
        let invalid = |what: &str| Invalid::new(Section::Places, what);
        let table = PlaceTable::read(bytes).ok_or_else(|| invalid("it is not a table of places"))?;
        let count = table.len();
        let file = sources.add_places(table).map_err(|full| invalid(&full.message))?;
        Ok(Self { base: sources.file(file).base(), count })
    }

    /// The span of the place with this number. The first place has number 1.
    fn span(self, place: i64) -> Option<Span> {
        let index = u32::try_from(place.checked_sub(1)?).ok()?;
        // The sum does not overflow, because the source map has reserved `count` positions from `base` on.
        let lo = (index < self.count).then(|| self.base + index)?;
        Some(Span { lo, hi: lo + 1 })
    }
}

/// A decoder of values.
pub(crate) struct Reader<'a> {
    /// The rest of each section except the current one.
    streams: Vec<&'a [u8]>,
    /// The rest of the current section.
    rest: &'a [u8],
    current: Section,
    pub(crate) limits: Limits,
    places: PlaceSpans,
    last_places: Vec<i64>,
    last_step: i64,
    depth: u32,
}

type Read<T> = Result<T, Invalid>;

impl<'a> Reader<'a> {
    /// Creates a reader of these sections that starts in `start`. Spans refer to `places`.
    pub(crate) fn new(streams: Vec<&'a [u8]>, start: Section, places: PlaceSpans) -> Self {
        Self {
            rest: streams[start as usize],
            streams,
            current: start,
            limits: Limits::default(),
            places,
            last_places: vec![0; Section::ALL.len()],
            last_step: 0,
            depth: 0,
        }
    }

    /// Reads from another section.
    pub(crate) fn from<T>(&mut self, section: Section, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let before = self.enter(section);
        let result = read(self);
        if result.is_ok() {
            self.enter(before);
        }
        result
    }

    fn enter(&mut self, section: Section) -> Section {
        self.streams[self.current as usize] = self.rest;
        self.rest = self.streams[section as usize];
        std::mem::replace(&mut self.current, section)
    }

    #[cold]
    pub(crate) fn invalid(&self, what: impl Into<String>) -> Invalid {
        Invalid::new(self.current, what)
    }

    #[cold]
    fn ended(&self) -> Invalid {
        self.invalid("the section ends too soon")
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Read<u8> {
        let Some((&byte, rest)) = self.rest.split_first() else { return Err(self.ended()) };
        self.rest = rest;
        Ok(byte)
    }

    #[inline]
    pub(crate) fn bytes(&mut self, count: usize) -> Read<&'a [u8]> {
        let Some((bytes, rest)) = self.rest.split_at_checked(count) else { return Err(self.ended()) };
        self.rest = rest;
        Ok(bytes)
    }

    /// The number of bytes left in the section.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    pub(crate) fn number(&mut self) -> Read<u64> {
        // Nearly all numbers have one or two bytes.
        match *self.rest {
            [low @ ..0x80, ref rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(low))
            }
            [low, high @ ..0x80, ref rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => self.long_number(),
        }
    }

    #[inline(never)]
    fn long_number(&mut self) -> Read<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = u64::from(self.byte()?);
            let bits = byte & 0x7f;
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.invalid("a number does not fit in 64 bits"))
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Read<u32> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| self.too_large(number))
    }

    #[cold]
    fn too_large(&self, number: u64) -> Invalid {
        self.invalid(format!("{number} does not fit in 32 bits"))
    }

    /// Reads a number that [`Writer::step`] wrote.
    pub(crate) fn step(&mut self) -> Read<i64> {
        let number = self.last_step.checked_add(i64::read(self)?);
        self.last_step = number.ok_or_else(|| self.invalid("a number does not fit in 64 bits"))?;
        Ok(self.last_step)
    }

    /// Reads the number of entries that follow, each of at least one byte.
    #[inline]
    pub(crate) fn count(&mut self) -> Read<u32> {
        let count = self.u32()?;
        self.check_count(count)?;
        Ok(count)
    }

    /// Checks that this many entries of at least one byte can follow.
    #[inline]
    pub(crate) fn check_count(&self, count: u32) -> Read<()> {
        if count as usize <= self.rest.len() { Ok(()) } else { Err(self.too_few(count)) }
    }

    #[cold]
    fn too_few(&self, count: u32) -> Invalid {
        let left = self.rest.len();
        self.invalid(format!("the section states {count} entries, but has only {left} bytes left"))
    }

    /// Reads a number below `limit`.
    #[inline]
    pub(crate) fn below(&mut self, limit: u32, what: &str) -> Read<u32> {
        let number = self.u32()?;
        if number < limit { Ok(number) } else { Err(self.outside(what, number, limit)) }
    }

    #[cold]
    fn outside(&self, what: &str, number: u32, limit: u32) -> Invalid {
        self.invalid(format!("{what} {number} is out of range: it must be less than {limit}"))
    }

    /// Reads a table of this size. Memory grows while the entries are read.
    pub(crate) fn items<T: Wire, C: From<Vec<T>>>(&mut self, count: u32) -> Read<C> {
        let mut items = Vec::new();
        self.append(count, &mut items)?;
        Ok(items.into())
    }

    /// Appends this many entries to a table.
    #[inline]
    pub(crate) fn append<T: Wire>(&mut self, count: u32, table: &mut Vec<T>) -> Read<()> {
        table.reserve((count as usize).min(RESERVED));
        for _ in 0..count {
            table.push(T::read(self)?);
        }
        Ok(())
    }

    /// Reads a value one level deeper.
    pub(crate) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.invalid(format!("values are nested deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads this many strings, which [`Writer::with_strings`] wrote.
    pub(crate) fn strings(&mut self, count: u32) -> Read<Interner> {
        let list = if self.current == Section::Debug { Section::Debug } else { Section::Strings };
        let (lengths, here) = self.from(list, |from| {
            // At least one of two consecutive strings has a header, which takes at least one byte.
            from.check_count(count / 2)?;
            let mut lengths = Vec::with_capacity(count as usize);
            let mut here = 0u64;
            while lengths.len() < count as usize {
                let header = from.u32()?;
                if header & 2 == 2 {
                    lengths.push(0);
                }
                let length = header >> 2;
                lengths.push(length << 1 | header & 1);
                here += if header & 1 == 0 { u64::from(length) } else { 0 };
            }
            if lengths.len() > count as usize {
                return Err(from.invalid("there are more strings than stated"));
            }
            let here = usize::try_from(here).map_err(|_| from.ended())?;
            Ok((lengths, from.text(here)?))
        })?;
        let mut here = here;
        let mut elsewhere = self.from(Section::Signatures, |from| {
            let length =
                lengths.iter().filter(|&length| length & 1 == 1).map(|&length| u64::from(length >> 1));
            let length = usize::try_from(length.sum::<u64>()).map_err(|_| from.ended())?;
            from.text(length)
        })?;
        let mut text = String::with_capacity(here.len() + elsewhere.len());
        let mut ends = Vec::with_capacity(lengths.len());
        for length in lengths {
            let from = if length & 1 == 0 { &mut here } else { &mut elsewhere };
            let Some((string, rest)) = from.split_at_checked((length >> 1) as usize) else {
                return Err(self.invalid("a string ends within a character"));
            };
            text.push_str(string);
            *from = rest;
            ends.push(u32::try_from(text.len()).map_err(|_| self.invalid("there is too much text"))?);
        }
        Ok(Interner::from_parts(text, ends))
    }

    fn text(&mut self, length: usize) -> Read<&'a str> {
        let bytes = self.bytes(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.invalid("text is not UTF-8"))
    }

    /// Checks that these sections have been read to their ends.
    pub(crate) fn finish(&mut self, sections: &[Section]) -> Read<()> {
        self.enter(self.current);
        let mut left = sections.iter().map(|&section| (section, self.streams[section as usize].len()));
        match left.find(|&(_, left)| left > 0) {
            None => Ok(()),
            Some((section, left)) => Err(Invalid::new(section, format!("{left} bytes are left over"))),
        }
    }
}

/// Encodes a value as one sequence of bytes: the size and the bytes of each section. Source positions are not stored.
pub(crate) fn encode(value: &impl Wire) -> Vec<u8> {
    let sources = SourceMap::default();
    let mut out = Writer::new(&sources);
    value.write(&mut out);
    let mut all = Writer::new(&sources);
    for section in out.finish() {
        all.number(section.len() as u64);
        all.bytes(&section);
    }
    std::mem::take(&mut all.streams[Section::Head as usize])
}

/// Decodes the output of [`encode`].
pub(crate) fn decode<T: Wire>(bytes: &[u8]) -> Read<T> {
    let mut streams = vec![[].as_slice(); Section::ALL.len()];
    streams[Section::Head as usize] = bytes;
    let mut all = Reader::new(streams, Section::Head, PlaceSpans::default());
    let mut streams = Vec::with_capacity(Section::ALL.len());
    for _ in Section::ALL {
        let size = all.count()?;
        streams.push(all.bytes(size as usize)?);
    }
    all.finish(&[Section::Head])?;
    let mut from = Reader::new(streams, Section::Head, PlaceSpans::default());
    let value = T::read(&mut from)?;
    let all_but_places = Section::ALL.iter().copied().filter(|&section| section != Section::Places);
    from.finish(&all_but_places.collect::<Vec<_>>())?;
    Ok(value)
}

/// Encodes structs as their fields in order.
macro_rules! wire_structs {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl $crate::wire::Wire for $name {
            fn write(&self, out: &mut $crate::wire::Writer<'_>) {
                $( $crate::wire::Wire::write(&self.$field, out); )*
            }
            fn read(from: &mut $crate::wire::Reader<'_>) -> Result<Self, $crate::wire::Invalid> {
                Ok($name { $( $field: $crate::wire::Wire::read(from)?, )* })
            }
        }
    )*};
}
pub(crate) use wire_structs;

/// Encodes enums as the number of the variant, then its fields in order.
macro_rules! wire_enums {
    ($($name:ident $(<$of:ident>)? {
        $($tag:literal = $variant:ident $(($($item:ident),*))? $({$($field:ident),*})?),* $(,)?
    })*) => {$(
        impl $(<$of: $crate::wire::Wire>)? $crate::wire::Wire for $name $(<$of>)? {
            fn write(&self, out: &mut $crate::wire::Writer<'_>) {
                match self {$(
                    $name::$variant $(($($item),*))? $({$($field),*})? => {
                        out.byte($tag);
                        $($( $crate::wire::Wire::write($item, out); )*)?
                        $($( $crate::wire::Wire::write($field, out); )*)?
                    }
                )*}
            }
            fn read(from: &mut $crate::wire::Reader<'_>) -> Result<Self, $crate::wire::Invalid> {
                Ok(match from.byte()? {
                    $($tag => {
                        $($( let $item = $crate::wire::Wire::read(from)?; )*)?
                        $($( let $field = $crate::wire::Wire::read(from)?; )*)?
                        $name::$variant $(($($item),*))? $({$($field),*})?
                    })*
                    tag => return Err(from.invalid(format!(concat!("unknown ", stringify!($name), " {}"), tag))),
                })
            }
        }
    )*};
}
pub(crate) use wire_enums;

/// Encodes ids as numbers, which must be below the size of their table.
macro_rules! wire_ids {
    ($($name:ident = $table:ident, $what:literal;)*) => {$(
        impl $crate::wire::Wire for $name {
            fn write(&self, out: &mut $crate::wire::Writer<'_>) {
                out.number(u64::from(self.raw()));
            }
            #[inline]
            fn read(from: &mut $crate::wire::Reader<'_>) -> Result<Self, $crate::wire::Invalid> {
                let limit = from.limits.$table;
                from.below(limit, $what).map($name::from_raw)
            }
        }
    )*};
}
pub(crate) use wire_ids;

wire_structs! {
    Limits {
        strings, splits, constants, lists, positions, questions, calls, rewrite_calls, locations, patterns,
        snippets, snippet_strings, exprs, natives, classes, enums, plans, functions,
    }
}

impl Wire for StrId {
    fn write(&self, out: &mut Writer<'_>) {
        out.need(*self);
        out.number(u64::from(self.raw()));
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let limit = from.limits.strings;
        from.below(limit, "string").map(StrId::from_raw)
    }
}

impl Wire for Span {
    fn write(&self, out: &mut Writer<'_>) {
        match out.sources.locate(*self) {
            Some(at) => out.place(at.file.name(), at.line, at.column),
            None => out.place_id(0),
        }
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        from.from(from.current.for_places(), |from| {
            let last = from.last_places[from.current as usize];
            let place = last.saturating_add(i64::read(from)?);
            from.last_places[from.current as usize] = place;
            if place == 0 {
                return Ok(Span::NONE);
            }
            let count = from.places.count;
            from.places.span(place).ok_or_else(|| {
                from.invalid(format!("place {place} is out of range: there are {count} places"))
            })
        })
    }
}

impl Wire for bool {
    fn write(&self, out: &mut Writer<'_>) {
        out.byte(u8::from(*self));
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(from.invalid(format!("{byte} is not a Boolean"))),
        }
    }
}

macro_rules! wire_numbers {
    ($($name:ident)*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Writer<'_>) {
                out.number(u64::from(*self));
            }
            #[inline]
            fn read(from: &mut Reader<'_>) -> Read<Self> {
                let number = from.number()?;
                let fits = $name::try_from(number);
                fits.map_err(|_| from.invalid(format!("{number} does not fit in {} bits", $name::BITS)))
            }
        }
    )*};
}
wire_numbers!(u8 u16 u32 u64);

/// Zigzag encoding: the lowest bit is the sign, so that small numbers are short.
impl Wire for i64 {
    fn write(&self, out: &mut Writer<'_>) {
        out.number((self.cast_unsigned() << 1) ^ (self >> 63).cast_unsigned());
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let number = from.number()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

/// A sign and an integer of at most 64 bits.
impl Wire for i128 {
    fn write(&self, out: &mut Writer<'_>) {
        (*self < 0).write(out);
        out.number(u64::try_from(self.unsigned_abs()).expect("integers of snippets have at most 64 bits"));
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let negative = bool::read(from)?;
        let number = i128::from(from.number()?);
        Ok(if negative { -number } else { number })
    }
}

impl Wire for f64 {
    fn write(&self, out: &mut Writer<'_>) {
        out.bytes(&self.to_bits().to_le_bytes());
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let bytes = from.bytes(8)?;
        Ok(f64::from_bits(u64::from_le_bytes(bytes.try_into().expect("eight bytes were taken"))))
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, out: &mut Writer<'_>) {
        self.is_some().write(out);
        out.items(self);
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        bool::read(from)?.then(|| T::read(from)).transpose()
    }
}

/// A value can contain values of the same type in a list or a box, so each list and each box is a level of nesting.
impl<T: Wire> Wire for Vec<T> {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(self.len() as u64);
        out.items(self);
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let count = from.count()?;
        from.nested(|from| from.items(count))
    }
}

impl<T: Wire> Wire for Box<T> {
    fn write(&self, out: &mut Writer<'_>) {
        self.as_ref().write(out);
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        from.nested(T::read).map(Box::new)
    }
}

impl Wire for String {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(self.len() as u64);
        out.bytes(self.as_bytes());
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let length = from.count()?;
        from.text(length as usize).map(str::to_owned)
    }
}

impl Wire for usize {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(*self as u64);
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        from.u32().map(|number| number as usize)
    }
}

impl<I: Id, T: Wire> Wire for IdVec<I, T> {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(self.len() as u64);
        out.items(self.iter());
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let count = from.count()?;
        from.items(count)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, out: &mut Writer<'_>) {
        self.0.write(out);
        self.1.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        Ok((A::read(from)?, B::read(from)?))
    }
}
