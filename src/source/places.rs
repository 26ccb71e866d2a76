//! Places of files whose text is not known: what a compiled program knows of its sources.
//!
//! Specification: a table read from what [`pack`] wrote has the places it was given, in order.
//!
//! The names of the files are read at once; places only when one is asked for, so that a table which
//! nobody looks at costs as much as copying it. Bytes that are no table lack places, and nothing fails.
//! All numbers are LEB128; lines are distances from the line before.

use std::sync::OnceLock;

use super::SourceFile;

/// A line and a column, from 1, of a file by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Places, packed until they are asked for.
#[derive(Debug)]
pub(crate) struct PlaceTable {
    files: Vec<SourceFile>,
    count: u32,
    packed: Vec<u8>,
    places: OnceLock<Vec<Place>>,
}

impl PlaceTable {
    /// The table in these bytes; `None` if they do not start as one does.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut files = Vec::new();
        for _ in 0..number(&mut rest)? {
            let length = usize::try_from(number(&mut rest)?).ok()?;
            let (name, after) = rest.split_at_checked(length)?;
            files.push(SourceFile::without_text(std::str::from_utf8(name).ok()?.to_owned()));
            rest = after;
        }
        let count = u32::try_from(number(&mut rest)?).ok()?;
        // A place takes three bytes at least.
        let fits = count as usize <= rest.len() / 3;
        fits.then(|| Self { files, count, packed: rest.to_vec(), places: OnceLock::new() })
    }

    /// How many places there are said to be.
    pub(crate) fn len(&self) -> u32 {
        self.count
    }

    /// The name of its first file.
    pub(super) fn name(&self) -> String {
        self.files.first().map(|file| file.name().to_owned()).unwrap_or_default()
    }

    /// A place, and its file.
    pub(super) fn get(&self, index: usize) -> Option<(&SourceFile, Place)> {
        let places = self.places.get_or_init(|| unpack(&self.packed, self.count));
        let place = *places.get(index)?;
        Some((self.files.get(usize::try_from(place.file).ok()?)?, place))
    }
}

/// The table of these places as bytes.
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

/// The places up to the first that is none.
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
    fn what_is_packed_comes_back() {
        let place = |file, line, column| Place { file, line, column };
        let places = [place(0, 7, 1), place(1, 3, 200), place(0, 1_000_000, 12)];
        let bytes = pack(["a.td", "b.td"].into_iter(), &places);
        let table = PlaceTable::read(&bytes).unwrap();
        assert_eq!(table.len(), 3);
        for (i, &place) in places.iter().enumerate() {
            let (file, found) = table.get(i).unwrap();
            assert_eq!((file.name(), found), (["a.td", "b.td"][place.file as usize], place));
        }
        assert!(table.get(3).is_none());
    }

    #[test]
    fn what_is_no_table_has_no_places() {
        assert!(PlaceTable::read(&[]).is_none());
        assert!(PlaceTable::read(&[0, 200]).is_none());
        // Two places are announced; the second has a number without an end.
        let table = PlaceTable::read(&[1, 1, b'a', 2, 0, 2, 1, 0, 255, 255]).unwrap();
        assert_eq!(table.get(0).unwrap().1, Place { file: 0, line: 1, column: 1 });
        assert!(table.get(1).is_none());
        // A place of a file that is not there.
        assert!(PlaceTable::read(&[0, 1, 9, 2, 1]).unwrap().get(0).is_none());
    }
}
