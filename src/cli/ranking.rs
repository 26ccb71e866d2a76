//! The recommended order of writing missing natives.

/// A native in the recommended order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ranked {
    /// The index of the native.
    pub(super) native: usize,
    /// The number of additional rules that run when this native is added to the natives before it in the order.
    pub(super) frees: usize,
}

/// Orders natives greedily: the next native is the native that makes the most additional rules run. Among natives that
/// make the same number of rules run, the native with the largest weight comes first. Each rule that lacks the native
/// adds 1/n to the weight, where n is the number of natives that the rule still lacks. `needs` has the natives that
/// each rule lacks at the start.
pub(super) fn rank(natives: usize, needs: &[Vec<usize>]) -> Vec<Ranked> {
    let mut blocked: Vec<Vec<usize>> = needs.iter().filter(|need| !need.is_empty()).cloned().collect();
    blocked.iter_mut().for_each(|need| {
        need.sort_unstable();
        need.dedup();
    });
    let mut left: Vec<usize> = (0..natives).collect();
    let mut ranked = Vec::with_capacity(natives);
    while !left.is_empty() {
        let mut frees = vec![0_usize; natives];
        let mut weight = vec![0.0_f64; natives];
        for need in &blocked {
            for &native in need {
                #[allow(clippy::cast_precision_loss, reason = "a rule lacks few natives")]
                let share = 1.0 / need.len() as f64;
                weight[native] += share;
            }
            if let [only] = need[..] {
                frees[only] += 1;
            }
        }
        let better = |&a: &usize, &b: &usize| {
            frees[a].cmp(&frees[b]).then(weight[a].total_cmp(&weight[b])).then(b.cmp(&a))
        };
        let Some(native) = left.iter().copied().max_by(|a, b| better(a, b)) else { break };
        ranked.push(Ranked { native, frees: frees[native] });
        left.retain(|&other| other != native);
        for need in &mut blocked {
            need.retain(|&other| other != native);
        }
        blocked.retain(|need| !need.is_empty());
    }
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natives_that_free_the_most_rules_come_first() {
        let needs = [vec![0], vec![1, 2], vec![1], vec![1, 1], vec![2, 1], vec![]];
        let order: Vec<(usize, usize)> = rank(4, &needs).iter().map(|r| (r.native, r.frees)).collect();
        assert_eq!(order, [(1, 2), (2, 2), (0, 1), (3, 0)]);
    }

    /// If every rule lacks two natives, the native that the largest number of rules lacks comes first, although no rule
    /// runs with this native alone.
    #[test]
    fn a_native_that_frees_nothing_alone_can_come_first() {
        let order: Vec<usize> = rank(3, &[vec![0, 2], vec![1, 2]]).iter().map(|r| r.native).collect();
        assert_eq!(order[0], 2);
    }
}
