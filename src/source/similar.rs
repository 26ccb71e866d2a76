//! Suggestions for misspelled names.

/// The known name that is most similar to `name`; `None` if no known name is similar enough.
pub(crate) fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Any two short names differ in few characters, so a name of fewer than three characters gets a suggestion only if
    // the case of its letters is wrong.
    let limit = match name.chars().count() {
        0..3 => 0,
        length => (length / 5).max(1),
    };
    let distance = |other: &str| {
        let case = usize::from(!name.eq_ignore_ascii_case(other));
        case * strsim::damerau_levenshtein(name, other)
    };
    let distances = known.into_iter().filter(|&other| other != name).map(|other| (distance(other), other));
    distances.filter(|(distance, _)| *distance <= limit).min().map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn a_misspelled_name_gets_the_most_similar_known_name() {
        let known = ["AddZero", "AddOne", "MulOne"];
        assert_eq!(similar("AddZeros", known), Some("AddZero"));
        assert_eq!(similar("addone", known), Some("AddOne"));
        assert_eq!(similar("MluOne", known), Some("MulOne"));
        assert_eq!(similar("SubSelf", known), None);
        assert_eq!(similar("R", ["AIsB"]), None);
    }
}
