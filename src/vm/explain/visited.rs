//! The instructions that matching at one operation runs.

use crate::bytecode::Address;
use crate::host::Facets;

use crate::vm::tree::{Matcher, Trace};

/// An observer that keeps every address.
struct Addresses(Vec<Address>);

impl Trace for Addresses {
    fn step(&mut self, address: Address) {
        self.0.push(address);
    }
}

impl<H: Facets> Matcher<H> {
    /// The addresses of the instructions that run until the first match at an operation, in order. An instruction that
    /// runs several times occurs several times.
    pub(crate) fn visited(&self, host: &H, op: H::Op) -> Vec<Address> {
        let mut addresses = Addresses(Vec::new());
        self.match_first_traced(host, op, &mut self.cache(), &mut addresses);
        addresses.0
    }
}
