//! Evaluation of operators.
//!
//! [`Evaluator::operate`] returns the result, or an operator node if the operator cannot be computed yet.

use std::cmp::Ordering;

use regex_lite::Regex;

use super::bang::Op;
use super::error::{Failed, Result};
use super::evaluator::Evaluator;
use super::ids::{OptName, OriginId, RecordId, SeqId, TypeId, ValueId};
use super::resolve::Scope;
use super::types::Type;
use super::value::{Node, Origin};
use crate::intern::StrId;
use crate::source::Span;

/// The maximum number of compiled regular expressions in the cache.
const REGEX_LIMIT: usize = 64;

/// The parts of a dag.
#[derive(Clone, Copy)]
struct DagParts {
    op: ValueId,
    name: OptName,
    args: SeqId,
    origin: OriginId,
}

impl Evaluator {
    /// Applies an operator, or creates an operator node. `record` is the record that is being evaluated. `last` is true
    /// in the last resolution, after which no name becomes bound.
    pub(super) fn operate(
        &mut self,
        op: Op,
        ty: TypeId,
        args: &[ValueId],
        record: Option<RecordId>,
        last: bool,
    ) -> Result<ValueId> {
        match self.fold(op, ty, args, record, last)? {
            Some(value) => Ok(value),
            None => self.call(op, ty, args),
        }
    }

    fn fold(
        &mut self,
        op: Op,
        ty: TypeId,
        args: &[ValueId],
        record: Option<RecordId>,
        last: bool,
    ) -> Result<Option<ValueId>> {
        match (op, args) {
            (Op::Cast, &[value]) => self.fold_cast(ty, value, record, last),
            (Op::Cond, _) => self.fold_cond(ty, args, record),
            (Op::Foldl, &[start, list, a, b, body]) => self.fold_left([start, list, a, b, body], record),
            (Op::ForEach, &[name, list, body]) => self.fold_foreach(ty, name, list, body, record),
            (Op::Filter, &[name, list, body]) => self.fold_filter(name, list, body, record),
            (Op::IsA, &[value]) => Ok(self.fold_isa(ty, value)),
            (Op::Exists, &[name]) => Ok(self.fold_exists(ty, name, record, last)),
            (Op::Instances, &[regex]) if record.is_none() || last => self.fold_instances(ty, regex),
            (Op::Instances, _) => Ok(None),
            (Op::If, &[test, yes, no]) => Ok(self.as_int(test).map(|test| if test != 0 { yes } else { no })),
            (_, &[a]) => self.fold_one(op, ty, a, record),
            (_, &[a, b]) => self.fold_two(op, ty, a, b, record),
            (_, &[a, b, c]) => self.fold_three(op, a, b, c, record),
            _ => Ok(None),
        }
    }

    fn fold_cast(
        &mut self,
        ty: TypeId,
        value: ValueId,
        record: Option<RecordId>,
        last: bool,
    ) -> Result<Option<ValueId>> {
        if ty == TypeId::STRING {
            match self.node(value) {
                Node::Str(..) => return Ok(Some(value)),
                Node::Def(_) => {
                    let text = self.out.show(value).to_string();
                    return Ok(Some(self.text(&text)));
                }
                _ => {}
            }
            if let Some(int) = self.as_int(value) {
                return Ok(Some(self.text(&int.to_string())));
            }
        } else if let (Type::Record(_), Some(name)) = (self.out.types.get(ty), self.as_str(value)) {
            let mut def = self.def(name);
            if let (None, Some(own)) = (def, record) {
                // A record may refer to itself. The last resolution of the record resolves the reference.
                if self.is_named(own, name) {
                    if !last {
                        return Ok(None);
                    }
                    def = Some(own);
                }
            }
            let Some(def) = def else {
                if last {
                    let name = &self.out.strings[name];
                    let message = format!("Undefined reference to record: '{name}'");
                    return self.fail_in(record, message);
                }
                return Ok(None);
            };
            let own = self.record_type(def);
            if !self.is_a(own, ty) {
                let (wanted, own) = (self.out.show_type(ty), self.out.show_type(own));
                let value = self.out.show(value);
                let message = format!("Expected type '{wanted}', got '{own}' in: !cast<{wanted}>({value})");
                return self.fail_in(record, message);
            }
            return Ok(Some(self.out.values.def(def)));
        }
        Ok(self.convert(value, ty))
    }

    /// True if a record is, or will be, named `name`.
    fn is_named(&self, record: RecordId, name: StrId) -> bool {
        match self.node(self.out.records[record].name) {
            Node::Str(own, _) => own == name,
            Node::Anonymous(number) => self.out.strings[name]
                .strip_prefix("anonymous_")
                .is_some_and(|digits| digits == number.to_string()),
            _ => false,
        }
    }

    fn fold_cond(
        &mut self,
        ty: TypeId,
        args: &[ValueId],
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        let (tests, values) = args.split_at(args.len() / 2);
        for (&test, &value) in tests.iter().zip(values) {
            match self.as_int(test) {
                None => return Ok(None),
                Some(0) => {}
                Some(_) => return Ok(Some(self.convert(value, ty).unwrap_or(value))),
            }
        }
        let call = self.call(Op::Cond, ty, args)?;
        let name =
            record.map_or(String::new(), |r| self.out.show_plain(self.out.records[r].name).to_string());
        let message = format!("{name} does not have any true condition in:{}", self.out.show(call));
        self.fail_in(record, message)
    }

    fn fold_left(&mut self, args: [ValueId; 5], record: Option<RecordId>) -> Result<Option<ValueId>> {
        let [start, list, a, b, body] = args;
        let (Some(items), Some(a), Some(b)) = (self.as_list(list), self.as_str(a), self.as_str(b)) else {
            return Ok(None);
        };
        let mut sum = start;
        for i in 0..self.out.values.count(items) {
            let Some(item) = self.out.values.item(items, i) else { break };
            self.step()?;
            let mut scope = Scope::names(record);
            scope.bind(a, sum);
            scope.bind(b, item);
            sum = self.resolve(body, &mut scope)?;
        }
        Ok(Some(sum))
    }

    fn apply(
        &mut self,
        name: StrId,
        item: ValueId,
        body: ValueId,
        record: Option<RecordId>,
    ) -> Result<ValueId> {
        self.step()?;
        let mut scope = Scope::names(record);
        scope.bind(name, item);
        self.resolve(body, &mut scope)
    }

    fn fold_foreach(
        &mut self,
        ty: TypeId,
        name: ValueId,
        over: ValueId,
        body: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        let Some(name) = self.as_str(name) else { return Ok(None) };
        match self.node(over) {
            Node::List(items, own) => {
                let items: Vec<_> = self.out.values.items(items).collect();
                let new = items
                    .into_iter()
                    .map(|item| self.apply(name, item, body, record))
                    .collect::<Result<Vec<_>>>()?;
                let element = self.out.types.element(ty).unwrap_or(own);
                self.list(&new, element).map(Some)
            }
            Node::Dag { .. } => self.foreach_dag(name, over, body, record).map(Some),
            _ => Ok(None),
        }
    }

    fn foreach_dag(
        &mut self,
        name: StrId,
        dag: ValueId,
        body: ValueId,
        record: Option<RecordId>,
    ) -> Result<ValueId> {
        let Some(parts) = self.dag(dag) else { return Ok(dag) };
        let op = self.apply(name, parts.op, body, record)?;
        let mut raw = self.out.values.raw(parts.args).to_vec();
        for pair in raw.chunks_exact_mut(2) {
            let old = ValueId::from_raw(pair[0]);
            let new = match self.node(old) {
                Node::Dag { .. } => self.nested(|this| this.foreach_dag(name, old, body, record))?,
                _ => self.apply(name, old, body, record)?,
            };
            pair[0] = new.raw();
        }
        let args = self.out.values.seq(&raw);
        self.make(Node::Dag { op, name: parts.name, args, origin: parts.origin })
    }

    fn fold_filter(
        &mut self,
        name: ValueId,
        over: ValueId,
        body: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        let (Some(name), Node::List(items, element)) = (self.as_str(name), self.node(over)) else {
            return Ok(None);
        };
        let items: Vec<_> = self.out.values.items(items).collect();
        let mut kept = Vec::new();
        for item in items {
            let test = self.apply(name, item, body, record)?;
            match self.as_int(test) {
                None => return Ok(None),
                Some(0) => {}
                Some(_) => kept.push(item),
            }
        }
        self.list(&kept, element).map(Some)
    }

    fn fold_isa(&mut self, wanted: TypeId, value: ValueId) -> Option<ValueId> {
        let own = self.type_of(value)?;
        if self.convertible(own, wanted) {
            return Some(self.out.values.int(1));
        }
        if let Type::Record(_) = self.out.types.get(wanted) {
            let never = !self.convertible(wanted, own) && self.out.values.flags(value).concrete();
            if !never && !matches!(self.node(value), Node::Def(_)) {
                return None;
            }
        }
        Some(self.out.values.int(0))
    }

    fn fold_exists(
        &mut self,
        wanted: TypeId,
        name: ValueId,
        record: Option<RecordId>,
        last: bool,
    ) -> Option<ValueId> {
        let name = self.as_str(name)?;
        let own = match record {
            Some(own) if self.def(name).is_none() && self.is_named(own, name) => {
                if !last {
                    return None;
                }
                Some(own)
            }
            _ => self.def(name),
        };
        let exists = match own {
            Some(def) => {
                let ty = self.record_type(def);
                self.is_a(ty, wanted)
            }
            None if last => false,
            None => return None,
        };
        Some(self.out.values.int(i64::from(exists)))
    }

    fn fold_instances(&mut self, ty: TypeId, regex: ValueId) -> Result<Option<ValueId>> {
        let Some(pattern) = self.as_str(regex) else { return Ok(None) };
        let matcher = self.regex(pattern)?;
        let Type::Record(classes) = self.out.types.get(ty) else {
            return self.list(&[], ty).map(Some);
        };
        // Records are only added, so each record is examined once for each type.
        let (seen, known) = self.instances_of.entry(ty).or_default();
        let derives = |def: &RecordId| classes.iter().all(|&class| self.out.derives(*def, class));
        known.extend(self.out.defs[*seen..].iter().copied().filter(derives));
        *seen = self.out.defs.len();
        let mut found: Vec<_> =
            known.iter().copied().filter(|&def| matcher.is_match(self.out.record(def).name())).collect();
        self.out.sort_by_name(&mut found);
        let found: Vec<_> = found.into_iter().map(|def| self.out.values.def(def)).collect();
        self.list(&found, ty).map(Some)
    }

    /// Compiles a POSIX extended regular expression.
    fn regex(&mut self, pattern: StrId) -> Result<Regex> {
        if let Some(regex) = self.regexes.get(&pattern) {
            return Ok(regex.clone());
        }
        match super::posix::compile(&self.out.strings[pattern]) {
            Ok(regex) => {
                // A compiled expression takes much more memory than its text.
                if self.regexes.len() >= REGEX_LIMIT {
                    self.regexes.clear();
                }
                self.regexes.insert(pattern, regex.clone());
                Ok(regex)
            }
            Err(reason) => {
                let message = format!("invalid regex '{}': {reason}", &self.out.strings[pattern]);
                self.fail_in(None, message)
            }
        }
    }

    fn dag(&self, id: ValueId) -> Option<DagParts> {
        match self.node(id) {
            Node::Dag { op, name, args, origin } => Some(DagParts { op, name, args, origin }),
            _ => None,
        }
    }

    fn make_dag(&mut self, parts: DagParts) -> Result<ValueId> {
        let DagParts { op, name, args, origin } = parts;
        self.make(Node::Dag { op, name, args, origin })
    }

    fn fold_one(
        &mut self,
        op: Op,
        ty: TypeId,
        a: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        let node = self.node(a);
        let count = match node {
            Node::List(seq, _) => Some(i64::from(self.out.values.width(seq))),
            Node::Dag { args, .. } => Some(i64::from(self.out.values.width(args) / 2)),
            Node::Str(text, _) => i64::try_from(self.out.strings[text].len()).ok(),
            _ => None,
        };
        Ok(match op {
            Op::Not => self.as_int(a).map(|int| self.out.values.int(i64::from(int == 0))),
            Op::Size => count.map(|n| self.out.values.int(n)),
            Op::Empty => count.map(|n| self.out.values.int(i64::from(n == 0))),
            Op::Head | Op::Tail => {
                let Node::List(seq, element) = node else { return Ok(None) };
                let items: Vec<_> = self.out.values.items(seq).collect();
                match items.split_first() {
                    None => return self.fail_in(record, format!("!{} of an empty list", op.name())),
                    Some((&first, _)) if op == Op::Head => Some(first),
                    Some((_, rest)) => Some(self.list(rest, element)?),
                }
            }
            Op::GetDagOperator => {
                let Some(parts) = self.dag(a) else { return Ok(None) };
                let Some(own) = self.type_of(parts.op) else {
                    return self.fail_in(record, "!getdagop of a dag without operator");
                };
                if !self.is_a(own, ty) {
                    let (wanted, own) = (self.out.show_type(ty), self.out.show_type(own));
                    let message =
                        format!("Expected type '{wanted}', got '{own}' in: !getdagop({})", self.out.show(a));
                    return self.fail_in(record, message);
                }
                Some(parts.op)
            }
            Op::GetDagOpName => self.dag(a).map(|parts| self.name_value(parts.name)),
            Op::Log2 => match self.as_int(a) {
                None => None,
                Some(int) if int > 0 => Some(self.out.values.int(i64::from(int.ilog2()))),
                Some(_) => {
                    let message =
                        "Illegal operation: logtwo is undefined on arguments less than or equal to 0";
                    return self.fail_in(record, message);
                }
            },
            Op::ListFlatten => {
                let Node::List(seq, element) = node else { return Ok(None) };
                let Some(inner) = self.out.types.element(element) else { return Ok(Some(a)) };
                let mut flat = Vec::new();
                for item in self.out.values.items(seq) {
                    let Some(items) = self.as_list(item) else { return Ok(None) };
                    flat.extend(self.out.values.items(items));
                }
                Some(self.list(&flat, inner)?)
            }
            Op::Repr if self.out.values.flags(a).concrete() => {
                let text = match node {
                    Node::Def(def) => self.out.record_text(def),
                    _ => self.out.show(a).to_string(),
                };
                Some(self.text(&text))
            }
            Op::ToLower | Op::ToUpper => {
                let Some(text) = self.as_str(a) else { return Ok(None) };
                let text = &self.out.strings[text];
                let text =
                    if op == Op::ToLower { text.to_ascii_lowercase() } else { text.to_ascii_uppercase() };
                Some(self.text(&text))
            }
            Op::Initialized if a == ValueId::UNSET => Some(self.out.values.int(0)),
            Op::Initialized if self.out.values.flags(a).concrete() => Some(self.out.values.int(1)),
            _ => None,
        })
    }

    /// Converts the name of an argument or operator to a value.
    fn name_value(&mut self, name: OptName) -> ValueId {
        name.get().map_or(ValueId::UNSET, |name| self.out.values.string(name))
    }

    fn fold_two(
        &mut self,
        op: Op,
        ty: TypeId,
        a: ValueId,
        b: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        match op {
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Shl
            | Op::Sra
            | Op::Srl => {
                let (Some(a), Some(b)) = (self.as_int(a), self.as_int(b)) else { return Ok(None) };
                let result = self.arithmetic(op, a, b, record)?;
                Ok(Some(self.out.values.int(result)))
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                Ok(self.compare(op, a, b).map(ValueId::bit))
            }
            Op::StrConcat => {
                self.step()?;
                Ok(self.joined(&[a, b]))
            }
            Op::Interleave => self.interleave(a, b),
            Op::Match => {
                let (Some(text), Some(pattern)) = (self.as_str(a), self.as_str(b)) else { return Ok(None) };
                let matcher = self.regex(pattern)?;
                Ok(Some(ValueId::bit(matcher.is_match(&self.out.strings[text]))))
            }
            Op::ListConcat | Op::ListRemove | Op::ListSplat | Op::ListElement | Op::ListSlice => {
                self.fold_list(op, a, b, record)
            }
            Op::Span => {
                let (Node::Int(first), Node::Int(last)) = (self.node(a), self.node(b)) else {
                    return Ok(None);
                };
                self.check_length(first.abs_diff(last))?;
                let items: Vec<_> = if first <= last {
                    (first..=last).map(|i| self.out.values.int(i)).collect()
                } else {
                    (last..=first).rev().map(|i| self.out.values.int(i)).collect()
                };
                self.list(&items, TypeId::INT).map(Some)
            }
            Op::Con => self.fold_con(a, b, record),
            Op::SetDagOperator => match (self.dag(a), self.node(b)) {
                (Some(parts), Node::Def(_)) => self.make_dag(DagParts { op: b, ..parts }).map(Some),
                _ => Ok(None),
            },
            Op::SetDagOpName => match (self.dag(a), self.as_str(b)) {
                (Some(parts), Some(name)) => self.make_dag(DagParts { name: name.into(), ..parts }).map(Some),
                _ => Ok(None),
            },
            Op::GetDagArg => {
                let Some(parts) = self.dag(a) else { return Ok(None) };
                let Some(at) = self.dag_key(op, parts, b, record)? else { return Ok(None) };
                let arg = self.out.values.item(parts.args, at * 2).unwrap_or(ValueId::UNSET);
                Ok(Some(match self.type_of(arg) {
                    Some(own) if !self.convertible(own, ty) => ValueId::UNSET,
                    _ => arg,
                }))
            }
            Op::GetDagName => {
                let Some(parts) = self.dag(a) else { return Ok(None) };
                let Some(at) = self.dag_key(op, parts, b, record)? else { return Ok(None) };
                let name = self.out.values.pairs(parts.args).nth(at).map_or(OptName::NONE, |(_, name)| name);
                Ok(Some(self.name_value(name)))
            }
            _ => Ok(None),
        }
    }

    /// Joins two or more strings, if all of them are known.
    pub(super) fn joined(&mut self, args: &[ValueId]) -> Option<ValueId> {
        if args.len() < 2 {
            return None;
        }
        let mut text = std::mem::take(&mut self.pasted);
        text.clear();
        let mut code = false;
        let mut known = true;
        for &arg in args {
            let Node::Str(part, is_code) = self.node(arg) else {
                known = false;
                break;
            };
            text.push_str(&self.out.strings[part]);
            code |= is_code;
        }
        let joined = known.then(|| {
            let text = self.out.strings.intern(&text);
            match code {
                true => self.out.values.intern(Node::Str(text, true)),
                false => self.out.values.string(text),
            }
        });
        self.pasted = text;
        joined
    }

    fn arithmetic(&mut self, op: Op, a: i64, b: i64, record: Option<RecordId>) -> Result<i64> {
        let count = match op {
            Op::Shl | Op::Sra | Op::Srl => match u32::try_from(b).ok().filter(|&count| count < 64) {
                Some(count) => count,
                None => return self.fail_in(record, "Illegal operation: out of bounds shift"),
            },
            _ => 0,
        };
        Ok(match op {
            Op::Add => a.wrapping_add(b),
            Op::Sub => a.wrapping_sub(b),
            Op::Mul => a.wrapping_mul(b),
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::Shl => a << count,
            Op::Sra => a >> count,
            Op::Srl => (a.cast_unsigned() >> count).cast_signed(),
            _ if b == 0 => return self.fail_in(record, "Illegal operation: division by zero"),
            _ => match a.checked_div(b) {
                Some(quotient) => quotient,
                None => return self.fail_in(record, "Illegal operation: INT64_MIN / -1"),
            },
        })
    }

    fn compare(&self, op: Op, a: ValueId, b: ValueId) -> Option<bool> {
        let order = match (self.as_int(a), self.as_int(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => match (self.node(a), self.node(b)) {
                (Node::Str(a, _), Node::Str(b, _)) => self.out.strings[a].cmp(&self.out.strings[b]),
                (Node::Def(a), Node::Def(b)) if matches!(op, Op::Eq | Op::Ne) => a.cmp(&b),
                _ => return None,
            },
        };
        Some(match op {
            Op::Eq => order == Ordering::Equal,
            Op::Ne => order != Ordering::Equal,
            Op::Lt => order == Ordering::Less,
            Op::Le => order != Ordering::Greater,
            Op::Gt => order == Ordering::Greater,
            _ => order != Ordering::Less,
        })
    }

    fn interleave(&mut self, list: ValueId, delimiter: ValueId) -> Result<Option<ValueId>> {
        let (Node::List(items, element), Some(delimiter)) = (self.node(list), self.as_str(delimiter)) else {
            return Ok(None);
        };
        let mut text = String::new();
        let mut code = false;
        for (i, item) in self.out.values.items(items).enumerate() {
            if i > 0 {
                text.push_str(&self.out.strings[delimiter]);
            }
            match self.node(item) {
                Node::Str(part, is_code) if element == TypeId::STRING => {
                    text.push_str(&self.out.strings[part]);
                    code |= is_code && i > 0;
                }
                _ if element == TypeId::STRING => return Ok(None),
                _ => match self.as_int(item) {
                    Some(int) => text.push_str(&int.to_string()),
                    None => return Ok(None),
                },
            }
        }
        let text = self.out.strings.intern(&text);
        Ok(Some(self.out.values.intern(Node::Str(text, code))))
    }

    fn fold_list(
        &mut self,
        op: Op,
        a: ValueId,
        b: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        if op == Op::ListSplat {
            let (Some(ty), Node::Int(count)) = (self.type_of(a), self.node(b)) else { return Ok(None) };
            let Ok(count) = usize::try_from(count) else {
                return self.fail_in(record, format!("!listsplat count {count} is negative"));
            };
            self.check_length(count as u64)?;
            return self.list(&vec![a; count], ty).map(Some);
        }
        let Node::List(items, element) = self.node(a) else { return Ok(None) };
        let plain = |this: &mut Self, seq| {
            let seq = this.out.values.plain_seq(seq, 1, 0);
            this.out.values.items(seq).collect::<Vec<_>>()
        };
        if let (Op::ListRemove, Some(others)) = (op, self.as_list(b)) {
            let removed: hashbrown::HashSet<_> = plain(self, others).into_iter().collect();
            let keys = plain(self, items);
            let kept: Vec<_> = self
                .out
                .values
                .items(items)
                .zip(keys)
                .filter(|(_, key)| !removed.contains(key))
                .map(|(item, _)| item)
                .collect();
            return self.list(&kept, element).map(Some);
        }
        if let (Op::ListConcat, Some(others)) = (op, self.as_list(b)) {
            self.check_length((self.out.values.count(items) + self.out.values.count(others)) as u64)?;
        }
        let values = &self.out.values;
        let index = |id: ValueId| match values.node(id) {
            Node::Int(index) => usize::try_from(index).ok(),
            _ => None,
        };
        if op == Op::ListElement {
            return Ok(index(b).and_then(|at| values.item(items, at)));
        }
        let Node::List(others, _) = self.node(b) else { return Ok(None) };
        let result: Vec<_> = match op {
            Op::ListConcat => values.items(items).chain(values.items(others)).collect(),
            _ => {
                let chosen = values.items(others).map(|at| values.item(items, index(at)?));
                match chosen.collect::<Option<_>>() {
                    Some(chosen) => chosen,
                    None => return Ok(None),
                }
            }
        };
        self.list(&result, element).map(Some)
    }

    fn fold_con(&mut self, a: ValueId, b: ValueId, record: Option<RecordId>) -> Result<Option<ValueId>> {
        let (Some(left), Some(right)) = (self.dag(a), self.dag(b)) else { return Ok(None) };
        let op = match (self.node(left.op), self.node(right.op)) {
            (Node::Def(x), Node::Def(y)) if x != y => {
                let (a, b) = (self.out.show(a), self.out.show(b));
                return self
                    .fail_in(record, format!("Concatenated Dag operators do not match: '{a}' vs. '{b}'"));
            }
            (Node::Def(_), Node::Def(_) | Node::Unset) => left.op,
            (Node::Unset, Node::Def(_) | Node::Unset) => right.op,
            _ => return Ok(None),
        };
        let mut raw = self.out.values.raw(left.args).to_vec();
        raw.extend_from_slice(self.out.values.raw(right.args));
        self.check_length(raw.len() as u64)?;
        let args = self.out.values.seq(&raw);
        let name = if left.name == OptName::NONE { right.name } else { left.name };
        let origin = self.joined_origin(left, right);
        self.make_dag(DagParts { op, name, args, origin }).map(Some)
    }

    /// Joins the origins of two dags.
    fn joined_origin(&mut self, left: DagParts, right: DagParts) -> OriginId {
        let values = &self.out.values;
        let mut args = Vec::new();
        for part in [left, right] {
            let own = &values.origin_of(part.origin).args;
            let count = values.count(part.args) / 2;
            args.extend((0..count).map(|i| own.get(i).copied().unwrap_or(Span::NONE)));
        }
        let span = values.origin_of(left.origin).span;
        if span.is_none() {
            return OriginId::NONE;
        }
        self.out.values.origin(Origin { span, args: args.into() })
    }

    /// Returns the position of the argument that `key`, an index or a name, selects; `None` if the key is not known
    /// yet.
    fn dag_key(
        &mut self,
        op: Op,
        parts: DagParts,
        key: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<usize>> {
        let count = self.out.values.count(parts.args) / 2;
        let message = match self.node(key) {
            Node::Int(index) => match usize::try_from(index) {
                Ok(at) if at < count => return Ok(Some(at)),
                Ok(at) => format!("index {at} is out of range (dag has {count} arguments)"),
                Err(_) => format!("index {index} is negative"),
            },
            Node::Str(name, _) => {
                if let Some(at) = self.out.values.pairs(parts.args).position(|(_, own)| own == name.into()) {
                    return Ok(Some(at));
                }
                format!("key '{}' is not found", &self.out.strings[name])
            }
            _ => return Ok(None),
        };
        self.fail_in(record, format!("!{} {message}", op.name()))
    }

    fn fold_three(
        &mut self,
        op: Op,
        a: ValueId,
        b: ValueId,
        c: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        match op {
            Op::Subst => self.fold_subst(a, b, c, record),
            Op::Dag => self.fold_dag(a, b, c),
            Op::Range => {
                let (Node::Int(start), Node::Int(end), Node::Int(step)) =
                    (self.node(a), self.node(b), self.node(c))
                else {
                    return Ok(None);
                };
                if step == 0 {
                    return self.fail_in(record, "Step of !range can't be 0");
                }
                let mut items = Vec::new();
                if (start < end) == (step > 0) && start != end {
                    let count = start.abs_diff(end).div_ceil(step.unsigned_abs());
                    self.check_length(count)?;
                    let mut at = start;
                    for _ in 0..count {
                        items.push(self.out.values.int(at));
                        at = at.wrapping_add(step);
                    }
                }
                self.list(&items, TypeId::INT).map(Some)
            }
            Op::Substr | Op::Find => self.fold_substr(op, a, b, c, record),
            Op::SetDagArg | Op::SetDagName => {
                let Some(parts) = self.dag(a) else { return Ok(None) };
                let name = match (op, self.node(c)) {
                    (Op::SetDagArg, _) => None,
                    (_, Node::Str(name, _)) => Some(OptName::from(name)),
                    (_, Node::Unset) => Some(OptName::NONE),
                    _ => return Ok(None),
                };
                let Some(at) = self.dag_key(op, parts, b, record)? else { return Ok(None) };
                let mut raw = self.out.values.raw(parts.args).to_vec();
                match name {
                    None => raw[at * 2] = c.raw(),
                    Some(name) => raw[at * 2 + 1] = name.raw(),
                }
                let args = self.out.values.seq(&raw);
                self.make_dag(DagParts { args, ..parts }).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn fold_subst(
        &mut self,
        from: ValueId,
        to: ValueId,
        within: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        match (self.node(from), self.node(to), self.node(within)) {
            (Node::Def(target), Node::Def(_), Node::Def(own)) => {
                Ok(Some(if target == own { to } else { within }))
            }
            (Node::Var(target, _), Node::Var(name, _), Node::Var(own, ty)) => {
                let name = if target == own { name } else { own };
                Ok(Some(self.out.values.intern(Node::Var(name, ty))))
            }
            (Node::Str(target, _), Node::Str(new, _), Node::Str(text, _)) => {
                let strings = &self.out.strings;
                if strings[target].is_empty() {
                    return self.fail_in(record, "!subst of an empty target would never end");
                }
                let text = strings[text].replace(&strings[target], &strings[new]);
                Ok(Some(self.text(&text)))
            }
            _ => Ok(None),
        }
    }

    fn fold_dag(&mut self, op: ValueId, values: ValueId, names: ValueId) -> Result<Option<ValueId>> {
        let known = |this: &Self, id| id == ValueId::UNSET || this.as_list(id).is_some();
        if !known(self, values) || !known(self, names) {
            return Ok(None);
        }
        let items = self.as_list(values);
        let labels = self.as_list(names);
        let count = |this: &Self, seq: Option<SeqId>| seq.map(|seq| this.out.values.count(seq));
        let len = match (count(self, items), count(self, labels)) {
            (Some(a), Some(b)) if a != b => return Ok(None),
            (Some(len), _) | (None, Some(len)) => len,
            (None, None) => return Ok(None),
        };
        let mut raw = Vec::with_capacity(len * 2);
        for i in 0..len {
            let get = |seq: Option<SeqId>| seq.and_then(|seq| self.out.values.item(seq, i));
            let name = match get(labels).map(|name| self.node(name)) {
                Some(Node::Str(name, _)) => name.into(),
                None | Some(Node::Unset) => OptName::NONE,
                Some(_) => return Ok(None),
            };
            raw.push(get(items).unwrap_or(ValueId::UNSET).raw());
            raw.push(name.raw());
        }
        let args = self.out.values.seq(&raw);
        self.make(Node::Dag { op, name: OptName::NONE, args, origin: OriginId::NONE }).map(Some)
    }

    fn fold_substr(
        &mut self,
        op: Op,
        text: ValueId,
        second: ValueId,
        third: ValueId,
        record: Option<RecordId>,
    ) -> Result<Option<ValueId>> {
        let (Node::Str(text, code), Node::Int(third)) = (self.node(text), self.node(third)) else {
            return Ok(None);
        };
        let bytes = self.out.strings[text].len();
        let start = match (op, self.node(second)) {
            (Op::Substr, Node::Int(start)) => start,
            (Op::Find, Node::Str(..)) => third,
            _ => return Ok(None),
        };
        let Some(from) = usize::try_from(start).ok().filter(|&from| from <= bytes) else {
            let name = op.name();
            return self
                .fail_in(record, format!("!{name} start position is out of range 0...{bytes}: {start}"));
        };
        if op == Op::Find {
            let Some(needle) = self.as_str(second) else { return Ok(None) };
            let (hay, needle) = (self.out.strings[text].as_bytes(), self.out.strings[needle].as_bytes());
            let found = memchr::memmem::find(&hay[from..], needle).map(|at| at + from);
            let at = found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1);
            return Ok(Some(self.out.values.int(at)));
        }
        let Ok(len) = usize::try_from(third) else {
            return self.fail_in(record, "!substr length must be nonnegative");
        };
        let end = from.saturating_add(len).min(bytes);
        let Some(part) = self.out.strings[text].get(from..end).map(str::to_owned) else {
            return self.fail_in(record, "!substr would cut a character of more than one byte");
        };
        let part = self.out.strings.intern(&part);
        Ok(Some(self.out.values.intern(Node::Str(part, code))))
    }

    /// Reads a field of a record value.
    pub(super) fn field_of(&mut self, of: ValueId, name: StrId, record: Option<RecordId>) -> Result<ValueId> {
        if let Node::Def(def) = self.node(of) {
            if Some(def) == record {
                let (field, own) = (&self.out.strings[name], self.out.show(of));
                let message =
                    format!("Attempting to access field '{field}' of '{own}' is a forbidden self-reference");
                return self.fail_in(record, message);
            }
            match self.field_value(def, name) {
                Some(value) if self.out.values.flags(value).concrete() => return Ok(value),
                Some(_) => {}
                None => {
                    let (field, own) = (&self.out.strings[name], self.out.show(of));
                    let message = format!("Cannot access field '{field}' of value '{own}'");
                    return self.fail_in(record, message);
                }
            }
        }
        match self.field_type(of, name) {
            Some(ty) => self.make(Node::Field(of, name, ty)),
            None => {
                let (field, own) = (&self.out.strings[name], self.out.show(of));
                let message = format!("Cannot access field '{field}' of value '{own}'");
                self.fail_in::<ValueId>(record, message).or(Err(Failed))
            }
        }
    }
}
