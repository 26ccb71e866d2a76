//! Tests of the tables that matching reads.

#[path = "../src/names.rs"]
mod names;

#[path = "../src/slots.rs"]
mod slots;

use names::{AllNames, BoundNames};
use slots::{RecentSlots, Slots};

#[test]
fn all_keys_are_found_and_no_others() {
    let mut numbers = BoundNames::default();
    for key in 1..=3000u32 {
        numbers.insert(key as usize * 112, key);
    }
    for key in 1..=3000u32 {
        assert_eq!(numbers.get(key as usize * 112), Some(key));
        assert_eq!(numbers.get(key as usize * 112 + 8), None);
    }
}

#[test]
fn different_operations_have_different_small_numbers() {
    let slots = Slots::default();
    let addresses = [0x5555_0000_1000, 0x5555_0000_1040, 0x7fff_1234_5000, 0x5555_0001_1000];
    let numbers: Vec<_> = addresses.iter().map(|&address| slots.get(address).unwrap()).collect();
    for (at, number) in numbers.iter().enumerate() {
        assert!(*number < 4096 && !numbers[..at].contains(number));
        assert_eq!(slots.get(addresses[at]), Some(*number));
    }
}

/// Chunks that share an entry of the small table are used in turn.
#[test]
fn recent_slots_keep_their_numbers() {
    let recent = RecentSlots::default();
    let clone = recent.clone();
    let addresses: Vec<usize> = (0..3)
        .flat_map(|round| (0..9).map(move |chunk| 0x5555_0000_0000 + chunk * (512 << 16) + round * 64))
        .collect();
    let numbers: Vec<_> = addresses.iter().map(|&address| recent.get(address).unwrap()).collect();
    for (at, &address) in addresses.iter().enumerate() {
        assert_eq!(recent.get(address), Some(numbers[at]));
        assert_eq!(clone.get(address), Some(numbers[at]));
        assert!(!numbers[..at].contains(&numbers[at]));
    }
    assert_eq!(recent.get(usize::MAX), None);
    assert_eq!(recent.get(0xffff_ffff << 16), None);
}

#[test]
fn names_keep_their_numbers() {
    let names = AllNames::default();
    for round in 0..2 {
        for at in 0..5000u32 {
            assert_eq!(names.number(at as usize * 96 + 64), at, "round {round}");
        }
    }
    assert_eq!(names.address(7), Some(7 * 96 + 64));
    assert_eq!(names.address(5000), None);
}
