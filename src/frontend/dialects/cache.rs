//! The cache of indexes and of translated definitions.
//!
//! Specification: a value that is found equals the value that would be computed. An entry names the files that were
//! read, and is used only if their sizes and modification times have not changed. There is one exception: a new file
//! that hides one of them on the include path is not noticed.
//!
//! An entry holds its whole key, so the value of another key with the same hash is never returned. Damaged and outdated
//! entries are ignored, and so is a failure to write an entry.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::envelope::{self, Envelope};
use crate::frontend::prelude;
use crate::source::replace_file;
use crate::wire::{self, Wire, wire_structs};

const ENVELOPE: Envelope = Envelope { magic: b"DRRDC\r\n\x1a", version: 1 };

/// A file that was changed less than this time ago may change again and keep its modification time.
const SETTLED: Duration = Duration::from_secs(2);

/// A folder of entries.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    dir: PathBuf,
    /// The version of the package, the hash of the embedded files, and the state of the executable.
    version: String,
}

/// The state of a file when an entry was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    path: String,
    size: u64,
    seconds: u64,
    nanoseconds: u32,
}

struct Entry<T> {
    key: String,
    stamps: Vec<Stamp>,
    value: T,
}

wire_structs! {
    Stamp { path, size, seconds, nanoseconds }
}

impl<T: Wire> Wire for Entry<T> {
    fn write(&self, out: &mut wire::Writer<'_>) {
        self.key.write(out);
        self.stamps.write(out);
        self.value.write(out);
    }
    fn read(from: &mut wire::Reader<'_>) -> Result<Self, wire::Invalid> {
        Ok(Self { key: Wire::read(from)?, stamps: Wire::read(from)?, value: Wire::read(from)? })
    }
}

impl Stamp {
    /// The state of a file; `None` if it cannot be determined.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            path: path.to_str()?.to_owned(),
            size: metadata.len(),
            seconds: modified.as_secs(),
            nanoseconds: modified.subsec_nanos(),
        })
    }

    fn is_current(&self) -> bool {
        Self::of(Path::new(&self.path)).as_ref() == Some(self)
    }

    /// True if a later change of the file would change its modification time.
    fn is_settled(&self) -> bool {
        let modified = UNIX_EPOCH + Duration::new(self.seconds, self.nanoseconds);
        SystemTime::now().duration_since(modified).is_ok_and(|age| age >= SETTLED)
    }
}

impl Cache {
    /// The cache in a folder. Storing the first entry creates the folder.
    pub(super) fn new(dir: PathBuf) -> Self {
        let mut hasher = rustc_hash::FxHasher::default();
        prelude::FILES.hash(&mut hasher);
        let program = std::env::current_exe().ok().and_then(|program| Stamp::of(&program));
        let version = env!("CARGO_PKG_VERSION");
        Self { dir, version: format!("{version} {:016x} {program:?}", hasher.finish()) }
    }

    fn path(&self, key: &str) -> PathBuf {
        let mut hasher = rustc_hash::FxHasher::default();
        key.hash(&mut hasher);
        self.dir.join(format!("{:016x}", hasher.finish()))
    }

    /// The value with a key, if the files that it depends on have not changed.
    pub(super) fn find<T: Wire>(&self, key: &str) -> Option<T> {
        let entry = self.entry(key)?;
        entry.stamps.iter().all(Stamp::is_current).then_some(entry.value)
    }

    /// The value with a key, if it was computed from files with these states.
    pub(super) fn find_at<T: Wire>(&self, key: &str, stamps: &[Stamp]) -> Option<T> {
        self.entry(key).filter(|entry| entry.stamps == stamps).map(|entry| entry.value)
    }

    fn entry<T: Wire>(&self, key: &str) -> Option<Entry<T>> {
        let key = format!("{}\n{key}", self.version);
        let bytes = std::fs::read(self.path(&key)).ok()?;
        let entry: Entry<T> = wire::decode(ENVELOPE.open(&bytes).ok()?).ok()?;
        (entry.key == key).then_some(entry)
    }

    /// Returns `value`, which was computed from files with these states. Stores it if all files are settled.
    pub(super) fn store<T: Wire>(&self, key: &str, stamps: Vec<Stamp>, value: T) -> T {
        if !stamps.iter().all(Stamp::is_settled) {
            return value;
        }
        let entry = Entry { key: format!("{}\n{key}", self.version), stamps, value };
        let mut bytes = ENVELOPE.header();
        bytes.extend(wire::encode(&entry));
        envelope::seal(&mut bytes);
        if std::fs::create_dir_all(&self.dir).is_ok() {
            let _ = replace_file(&self.path(&entry.key), &bytes);
        }
        entry.value
    }
}
