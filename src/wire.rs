//! Values as bytes: each type of the file format described once, for both directions.
//!
//! Specification: what a [`Reader`] makes of the bytes that a [`Writer`] made of a value is that
//! value; of any other bytes it makes an error or a value whose ids are all within their tables.
//!
//! A file is a few streams of bytes, the [`Section`]s; each value says which of its parts go where,
//! so that what only messages and tools need is apart from what matching needs. Numbers are LEB128.
//! Reading never panics, recurses no deeper than [`MAX_DEPTH`], and allocates in proportion to its
//! input. Source positions become file, line and column, and are places in a map again when read.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::id::{Id, IdVec};
use crate::intern::{Interner, StrId};
use crate::source::{Diagnostic, SourceMap, Span};

/// How deep values nest.
const MAX_DEPTH: u32 = 64;

/// A type that the file format has.
pub(crate) trait Wire: Sized {
    /// Appends the value.
    fn write(&self, out: &mut Writer<'_>);
    /// Takes the next value.
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid>;
}

/// What is wrong in which section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    pub(crate) section: Section,
    pub(crate) what: String,
}

macro_rules! sections {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// A part of the file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Section { $($(#[$doc])* $name,)* }

        impl Section {
            /// All sections in the order of the file.
            pub const ALL: &'static [Section] = &[$(Section::$name),*];

            /// What messages call it.
            pub fn name(self) -> &'static str {
                match self { $(Section::$name => $text,)* }
            }
        }
    };
}

sections! {
    /// How many entries each table has.
    Head = "head";
    /// The strings that matching and rewriting need.
    Strings = "strings";
    /// Positions, constants, questions, calls, locations.
    Tables = "tables";
    /// Expressions.
    Snippets = "snippets";
    /// What the engine needs of each rule.
    Rules = "rules";
    /// The rules from the operands up, for the automaton.
    Items = "items";
    /// The instructions.
    Code = "code";
    /// Operations as the rules know them, and natives.
    Signatures = "signatures";
    /// Names, labels, and which rules the instructions decide on.
    Debug = "debug";
    /// Files, lines and columns.
    Places = "places";
}

/// How many entries each table has: an id that is read is below its number.
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
    /// Of the rule that is read.
    pub(crate) locals: u32,
    /// Of the rule that is read.
    pub(crate) nodes: u32,
}

/// Makes bytes.
pub(crate) struct Writer<'a> {
    streams: Vec<Vec<u8>>,
    current: Section,
    sources: &'a SourceMap,
    places: Places,
    /// The place that was written last: the next is near it.
    last_place: i64,
    /// The first section that needs each string.
    homes: Vec<Section>,
}

/// Source positions, each once.
#[derive(Default)]
struct Places {
    files: Interner,
    list: Vec<Place>,
    ids: HashMap<Place, i64, FxBuildHasher>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    file: StrId,
    line: u32,
    column: u32,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(sources: &'a SourceMap) -> Self {
        let streams = Section::ALL.iter().map(|_| Vec::new()).collect();
        Self {
            streams,
            current: Section::Head,
            sources,
            places: Places::default(),
            last_place: 0,
            homes: Vec::new(),
        }
    }

    /// Writes a part to another section.
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

    /// The items, without how many there are.
    pub(crate) fn items<'t, T: Wire + 't>(&mut self, items: impl IntoIterator<Item = &'t T>) {
        items.into_iter().for_each(|item| item.write(self));
    }

    /// A source position, in [`Section::Debug`].
    pub(crate) fn place(&mut self, file: &str, line: u32, column: u32) {
        let Places { files, list, ids } = &mut self.places;
        let place = Place { file: files.intern(file), line, column };
        let id = *ids.entry(place).or_insert_with(|| {
            list.push(place);
            i64::try_from(list.len()).expect("memory holds fewer")
        });
        self.place_id(id);
    }

    /// The number of a place, from 1, or 0 for none.
    fn place_id(&mut self, id: i64) {
        let distance = id - self.last_place;
        self.last_place = id;
        self.to(Section::Debug, |out| distance.write(out));
    }

    /// Says that this section needs a string.
    pub(crate) fn need(&mut self, string: StrId) {
        let section = match self.current {
            Section::Debug | Section::Signatures => self.current,
            _ => Section::Strings,
        };
        let index = string.index();
        self.homes.resize(self.homes.len().max(index + 1), Section::Debug);
        self.homes[index] = self.homes[index].min(section);
    }

    /// Writes what names strings of one table, then the strings.
    pub(crate) fn with_strings(&mut self, strings: &Interner, write: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.homes);
        write(self);
        for (i, string) in strings.iter().enumerate() {
            let home = self.homes.get(i).copied().unwrap_or(Section::Debug);
            self.to(Section::Debug, |out| out.byte(home as u8));
            self.to(home, |out| out.text(string));
        }
        self.homes = outer;
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    /// The bytes of all sections, in order.
    pub(crate) fn finish(mut self) -> Vec<Vec<u8>> {
        let Places { files, list, .. } = std::mem::take(&mut self.places);
        self.current = Section::Places;
        self.number(files.len() as u64);
        files.iter().for_each(|file| self.text(file));
        self.number(list.len() as u64);
        let mut before = 0;
        for place in list {
            self.number(u64::from(place.file.raw()));
            (i64::from(place.line) - before).write(&mut self);
            self.number(u64::from(place.column));
            before = i64::from(place.line);
        }
        self.streams
    }
}

/// Takes values from bytes.
pub(crate) struct Reader<'a> {
    /// What is left of each section.
    streams: Vec<&'a [u8]>,
    current: Section,
    pub(crate) limits: Limits,
    places: Vec<Span>,
    last_place: i64,
    depth: u32,
}

type Read<T> = Result<T, Invalid>;

impl<'a> Reader<'a> {
    /// Reads these sections; the files they speak of are added to `sources`.
    pub(crate) fn new(streams: Vec<&'a [u8]>, sources: &mut SourceMap) -> Read<Self> {
        let mut reader = Self {
            streams,
            current: Section::Places,
            limits: Limits::default(),
            places: Vec::new(),
            last_place: 0,
            depth: 0,
        };
        let files = reader.count()?;
        let names = (0..files).map(|_| reader.text()).collect::<Read<Vec<_>>>()?;
        let mut places: Vec<Vec<(u32, u32)>> = names.iter().map(|_| Vec::new()).collect();
        let mut list = Vec::new();
        let mut line = 0i64;
        for _ in 0..reader.count()? {
            let file = reader.below(files, "file")?;
            line = line.saturating_add(i64::read(&mut reader)?);
            let number =
                u32::try_from(line).map_err(|_| reader.invalid(format!("no file has line {line}")))?;
            let place = (number.max(1), reader.u32()?.max(1));
            let of_file = &mut places[file as usize];
            list.push((file as usize, of_file.len()));
            of_file.push(place);
        }
        let full = |e: Diagnostic| Invalid { section: Section::Places, what: e.message };
        let mut ids = Vec::with_capacity(names.len());
        for (name, places) in names.into_iter().zip(places) {
            ids.push(sources.add_places(name, places).map_err(full)?);
        }
        reader.places = list.into_iter().map(|(file, place)| sources.file(ids[file]).place(place)).collect();
        reader.current = Section::Head;
        Ok(reader)
    }

    /// Reads a part from another section.
    pub(crate) fn from<T>(&mut self, section: Section, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let before = std::mem::replace(&mut self.current, section);
        let result = read(self);
        self.current = before;
        result
    }

    pub(crate) fn invalid(&self, what: impl Into<String>) -> Invalid {
        Invalid { section: self.current, what: what.into() }
    }

    pub(crate) fn byte(&mut self) -> Read<u8> {
        let stream = &mut self.streams[self.current as usize];
        match stream.split_first() {
            Some((&byte, rest)) => {
                *stream = rest;
                Ok(byte)
            }
            None => Err(self.invalid("it ends too soon")),
        }
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Read<&'a [u8]> {
        let stream = &mut self.streams[self.current as usize];
        match stream.split_at_checked(count) {
            Some((bytes, rest)) => {
                *stream = rest;
                Ok(bytes)
            }
            None => Err(self.invalid("it ends too soon")),
        }
    }

    pub(crate) fn number(&mut self) -> Read<u64> {
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
        Err(self.invalid("a number does not fit 64 bits"))
    }

    pub(crate) fn u32(&mut self) -> Read<u32> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| self.invalid(format!("{number} does not fit 32 bits")))
    }

    /// How many things follow, each of at least a byte.
    pub(crate) fn count(&mut self) -> Read<u32> {
        let count = self.u32()?;
        let left = self.streams[self.current as usize].len();
        if count as usize <= left {
            return Ok(count);
        }
        Err(self.invalid(format!("{count} things are announced where {left} bytes are left")))
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u32, what: &str) -> Read<u32> {
        let number = self.u32()?;
        if number < limit {
            return Ok(number);
        }
        Err(self.invalid(format!("{what} {number} of {limit}")))
    }

    /// The items of a table of this size. Memory grows as they are read.
    pub(crate) fn items<T: Wire, C: FromIterator<T>>(&mut self, count: u32) -> Read<C> {
        (0..count).map(|_| T::read(self)).collect()
    }

    /// Reads something one level deeper.
    pub(crate) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.invalid(format!("things are nested deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// This many strings, see [`Writer::with_strings`].
    pub(crate) fn strings(&mut self, count: u32) -> Read<Interner> {
        let mut strings = Interner::default();
        for i in 0..count {
            let home = self.from(Section::Debug, Self::byte)?;
            let homes = [Section::Strings, Section::Signatures, Section::Debug];
            let Some(&home) = homes.iter().find(|&&section| section as u8 == home) else {
                return Err(self.invalid(format!("string {i} is in no section for strings")));
            };
            let text = self.from(home, Self::text)?;
            if strings.intern(text).raw() != i {
                return Err(self.invalid(format!("string {i} is there twice")));
            }
        }
        Ok(strings)
    }

    fn text(&mut self) -> Read<&'a str> {
        let count = self.count()?;
        let bytes = self.bytes(count as usize)?;
        std::str::from_utf8(bytes).map_err(|_| self.invalid("text is not UTF-8"))
    }

    /// That every section has been read to its end.
    pub(crate) fn finish(&self) -> Read<()> {
        let mut left = Section::ALL.iter().zip(&self.streams).filter(|(_, stream)| !stream.is_empty());
        match left.next() {
            None => Ok(()),
            Some((&section, stream)) => {
                Err(Invalid { section, what: format!("{} bytes are left over", stream.len()) })
            }
        }
    }
}

/// Structs as their fields in order.
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

/// Enums as the number of the variant, then its fields in order.
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
                    tag => return Err(from.invalid(format!(concat!("no ", stringify!($name), " has number {}"), tag))),
                })
            }
        }
    )*};
}
pub(crate) use wire_enums;

/// Ids as their number, which is below that of their table.
macro_rules! wire_ids {
    ($($name:ident = $table:ident, $what:literal;)*) => {$(
        impl $crate::wire::Wire for $name {
            fn write(&self, out: &mut $crate::wire::Writer<'_>) {
                out.number(u64::from(self.raw()));
            }
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
        snippets, snippet_strings, exprs, natives, classes, enums, plans, locals, nodes,
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
        from.from(Section::Debug, |from| {
            let place = from.last_place.saturating_add(i64::read(from)?);
            from.last_place = place;
            if place == 0 {
                return Ok(Span::NONE);
            }
            let index = place.checked_sub(1).and_then(|i| usize::try_from(i).ok());
            let span = index.and_then(|i| from.places.get(i)).copied();
            span.ok_or_else(|| from.invalid(format!("place {place} of {}", from.places.len())))
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
            byte => Err(from.invalid(format!("{byte} is no Boolean"))),
        }
    }
}

macro_rules! wire_numbers {
    ($($name:ident)*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Writer<'_>) {
                out.number(u64::from(*self));
            }
            fn read(from: &mut Reader<'_>) -> Read<Self> {
                let number = from.number()?;
                let fits = $name::try_from(number);
                fits.map_err(|_| from.invalid(format!(concat!("{} does not fit ", stringify!($name)), number)))
            }
        }
    )*};
}
wire_numbers!(u8 u16 u32 u64);

/// The sign is the lowest bit, so that small numbers are short.
impl Wire for i64 {
    fn write(&self, out: &mut Writer<'_>) {
        out.number((self.cast_unsigned() << 1) ^ (self >> 63).cast_unsigned());
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let number = from.number()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

/// An integer of at most 64 bits, and a sign.
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

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(self.len() as u64);
        out.items(self);
    }
    fn read(from: &mut Reader<'_>) -> Read<Self> {
        let count = from.count()?;
        from.items(count)
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
