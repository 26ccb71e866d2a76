//! Source positions without source text, as a compiled program stores them.
//!
//! Specification: a table read from the output of [`pack`] has the packed places, in order.
//!
//! [`PlaceTable::read`] decodes only the file names and the number of places. The first access decodes the places; the
//! table ends before the first invalid place. All numbers are LEB128. Each line is stored as the difference from the
//! line of the previous place, in zigzag encoding.

use std::sync::OnceLock;

/// A line and a column, both from 1, in the file with number `file`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A table of places, which are decoded at the first access.
#[derive(Debug)]
pub(crate) struct PlaceTable {
    files: Vec<Box<str>>,
    count: u32,
    packed: Vec<u8>,
    places: OnceLock<Vec<Place>>,
}

impl PlaceTable {
    /// Reads the header of a table; `None` if it is malformed.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut files = Vec::new();
        for _ in 0..number(&mut rest)? {
            let length = usize::try_from(number(&mut rest)?).ok()?;
            let (name, after) = rest.split_at_checked(length)?;
            files.push(std::str::from_utf8(name).ok()?.into());
            rest = after;
        }
        let count = u32::try_from(number(&mut rest)?).ok()?;
        // A place takes at least three bytes.
        let fits = count as usize <= rest.len() / 3;
        fits.then(|| Self { files, count, packed: rest.to_vec(), places: OnceLock::new() })
    }

    /// The number of places that the header states.
    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    /// The names of the files.
    pub(super) fn files(&self) -> &[Box<str>] {
        &self.files
    }

    /// The place with this number.
    pub(super) fn get(&self, index: usize) -> Option<Place> {
        let places = self.places.get_or_init(|| unpack(&self.packed, self.count));
        places.get(index).copied()
    }
}

/// Encodes a table of places.
pub(crate) fn pack<'a>(files: impl ExactSizeIterator<Item = &'a str>, places: &[Place]) -> Vec<u8> {
    let mut out = Vec::new();
    push(&mut out, files.len() as u64);
    for file in files {
        push(&mut out, file.len() as u64);
        out.extend_from_slice(file.as_bytes());
    }
    push(&mut out, places.len() as u64);
    let mut before = 0;
    for place in places {
        push(&mut out, u64::from(place.file));
        let distance = i64::from(place.line) - before;
        push(&mut out, ((distance << 1) ^ (distance >> 63)).cast_unsigned());
        push(&mut out, u64::from(place.column));
        before = i64::from(place.line);
    }
    out
}

/// Decodes places up to the first invalid one.
fn unpack(mut bytes: &[u8], count: u32) -> Vec<Place> {
    let mut line = 0i64;
    let mut next = || {
        let file = u32::try_from(number(&mut bytes)?).ok()?;
        let distance = number(&mut bytes)?;
        line = line.checked_add((distance >> 1).cast_signed() ^ -(distance & 1).cast_signed())?;
        let column = u32::try_from(number(&mut bytes)?).ok()?;
        Some(Place { file, line: u32::try_from(line).ok()?.max(1), column: column.max(1) })
    };
    (0..count).map_while(|_| next()).collect()
}

fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_places_round_trip() {
        let place = |file, line, column| Place { file, line, column };
        let places = [place(0, 7, 1), place(1, 3, 200), place(0, 1_000_000, 12)];
        let bytes = pack(["a.td", "b.td"].into_iter(), &places);
        let table = PlaceTable::read(&bytes).unwrap();
        assert_eq!(table.len(), 3);
        assert_eq!(table.files(), ["a.td".into(), "b.td".into()]);
        for (i, &place) in places.iter().enumerate() {
            assert_eq!(table.get(i), Some(place));
        }
        assert!(table.get(3).is_none());
    }

    #[test]
    fn a_malformed_table_ends_before_the_first_invalid_place() {
        assert!(PlaceTable::read(&[]).is_none());
        assert!(PlaceTable::read(&[0, 200]).is_none());
        // The header states two places, but the second one is incomplete.
        let table = PlaceTable::read(&[1, 1, b'a', 2, 0, 2, 1, 0, 255, 255]).unwrap();
        assert_eq!(table.get(0).unwrap(), Place { file: 0, line: 1, column: 1 });
        assert!(table.get(1).is_none());
    }
}
