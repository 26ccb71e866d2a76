//! Types and values: literals, lists, dags, suffixes, pasting and class instances.

use super::bang::Op;
use super::error::{self, Failed, Result};
use super::evaluator::LIST_LIMIT;
use super::ids::{OptName, RecordId, TypeId, ValueId};
use super::instantiate::Argument;
use super::lexer::{Keyword, Tok};
use super::parser::{Mode, NESTING_LIMIT, Parser};
use super::record::Kind;
use super::types::Type;
use super::value::{Node, Origin};
use crate::intern::StrId;
use crate::source::Span;

/// The maximum width of `bits<n>`.
const WIDTH_LIMIT: i64 = 1 << 20;

impl Parser<'_> {
    /// Reads a type.
    pub(super) fn parse_type(&mut self) -> Result<TypeId> {
        match self.tok() {
            Tok::Keyword(Keyword::String | Keyword::Code) => {
                self.advance();
                Ok(TypeId::STRING)
            }
            Tok::Keyword(Keyword::Bit) => {
                self.advance();
                Ok(TypeId::BIT)
            }
            Tok::Keyword(Keyword::Int) => {
                self.advance();
                Ok(TypeId::INT)
            }
            Tok::Keyword(Keyword::Dag) => {
                self.advance();
                Ok(TypeId::DAG)
            }
            Tok::Keyword(Keyword::Bits) => {
                self.advance();
                self.expect(Tok::Less, "expected '<' after bits type")?;
                let Tok::Int(width @ 0..) = self.tok() else {
                    return self.unexpected("expected integer in bits<n> type");
                };
                let Some(width) = u32::try_from(width).ok().filter(|&n| i64::from(n) <= WIDTH_LIMIT) else {
                    let span = self.span();
                    return self.ev.fail(error::limit(span, "the bits of this type", WIDTH_LIMIT));
                };
                self.advance();
                self.expect(Tok::Greater, "expected '>' at end of bits<n> type")?;
                Ok(self.ev.out.types.bits(width))
            }
            Tok::Keyword(Keyword::List) => {
                self.advance();
                self.expect(Tok::Less, "expected '<' after list type")?;
                let element = self.nested(NESTING_LIMIT, Self::parse_type)?;
                self.expect(Tok::Greater, "expected '>' at end of list<ty> type")?;
                Ok(self.ev.out.types.list(element))
            }
            Tok::Id(name) => {
                if let Some(&ty) = self.aliases.get(&name) {
                    self.advance();
                    return Ok(ty);
                }
                let class = self.class_name()?;
                Ok(self.ev.class_type(class))
            }
            _ => self.unexpected("Unknown token when expecting a type"),
        }
    }

    /// Reads a value. `wanted` is the type that the context expects, if it is known.
    pub(super) fn value(
        &mut self,
        record: Option<RecordId>,
        wanted: Option<TypeId>,
        mode: Mode,
    ) -> Result<ValueId> {
        self.nested(NESTING_LIMIT, |this| this.value_nested(record, wanted, mode))
    }

    fn value_nested(
        &mut self,
        record: Option<RecordId>,
        wanted: Option<TypeId>,
        mode: Mode,
    ) -> Result<ValueId> {
        let start = self.span();
        let mut value = self.simple_value(record, wanted, mode)?;
        loop {
            let at = self.span();
            match self.tok() {
                // In a name, a brace begins the body of the record.
                Tok::LBrace if mode == Mode::Value => {
                    self.advance();
                    let mut bits = self.range_list()?;
                    bits.reverse();
                    value = match self.ev.bit_range(value, &bits)? {
                        Some(bits) => bits,
                        None => return self.ev.fail(error::at(at, "Invalid bit range for value")),
                    };
                    self.expect(Tok::RBrace, "expected '}' at end of bit range list")?;
                }
                Tok::LSquare => value = self.subscript(record, value, start)?,
                Tok::Dot => {
                    self.advance();
                    let Tok::Id(name) = self.tok() else {
                        return self.unexpected("expected field identifier after '.'");
                    };
                    if self.ev.field_type(value, name).is_none() {
                        let message = format!(
                            "Cannot access field '{}' of value '{}'",
                            &self.ev.out.strings[name],
                            self.ev.out.show(value)
                        );
                        return self.unexpected(message);
                    }
                    value = self.ev.field_of(value, name, record)?;
                    self.advance();
                }
                Tok::Paste => value = self.paste(record, wanted, value, at)?,
                _ => return Ok(value),
            }
        }
    }

    fn subscript(&mut self, record: Option<RecordId>, list: ValueId, start: Span) -> Result<ValueId> {
        let Some(ty) = self.ev.type_of(list) else {
            return self.ev.fail(error::at(start, "Invalid value, list expected"));
        };
        let Some(element) = self.ev.out.types.element(ty) else {
            let message = format!("Type '{}' is invalid, list expected", self.ev.out.show_type(ty));
            return self.ev.fail(error::at(start, message));
        };
        self.advance();
        let (index, single) = self.slice(record)?;
        let (op, ty) = if single { (Op::ListElement, element) } else { (Op::ListSlice, ty) };
        let value = self.ev.operate(op, ty, &[list, index], record, false)?;
        self.expect(Tok::RSquare, "expected ']' at end of list slice")?;
        Ok(value)
    }

    /// Reads the indices between `[` and `]`. The flag is true for a single integer.
    fn slice(&mut self, record: Option<RecordId>) -> Result<(ValueId, bool)> {
        let list_of_ints = self.ev.out.types.list(TypeId::INT);
        let mut slices: Vec<ValueId> = Vec::new();
        let mut run: Vec<ValueId> = Vec::new();
        let mut single = true;
        loop {
            let at = self.span();
            let item = self.slice_item(record)?;
            let ty = self.ev.type_of(item);
            match ty {
                Some(TypeId::INT) => run.push(item),
                Some(ty) if ty == list_of_ints => {
                    single = false;
                    if !run.is_empty() {
                        slices.push(self.ev.list(&run, TypeId::INT)?);
                        run.clear();
                    }
                    slices.push(item);
                }
                Some(ty) => {
                    let shown = self.ev.out.show_type(ty);
                    let message = match self.ev.out.types.element(ty) {
                        Some(_) => format!("expected list<int>, got {shown}"),
                        None => format!("unhandled type {shown} in range"),
                    };
                    return self.ev.fail(error::at(at, message));
                }
                None => return self.ev.fail(error::at(at, "unhandled untyped value in range")),
            }
            if !self.consume(Tok::Comma) {
                break;
            }
            single = false;
            if self.tok() == Tok::RSquare {
                break;
            }
        }
        if let (true, [item]) = (single, &*run) {
            return Ok((*item, true));
        }
        if !run.is_empty() {
            slices.push(self.ev.list(&run, TypeId::INT)?);
        }
        let mut slices = slices.into_iter();
        let mut all = slices.next().ok_or(Failed)?;
        for slice in slices {
            all = self.ev.operate(Op::ListConcat, list_of_ints, &[all, slice], None, false)?;
        }
        Ok((all, false))
    }

    fn slice_item(&mut self, record: Option<RecordId>) -> Result<ValueId> {
        let start = self.span();
        let first = self.value(record, None, Mode::Value)?;
        if let Tok::Ellipsis | Tok::Minus | Tok::Int(_) = self.tok() {
            let ty = self.ev.type_of(first);
            if ty != Some(TypeId::INT) {
                let ty = ty.map_or("?".to_owned(), |ty| self.ev.out.show_type(ty).to_string());
                return self.ev.fail(error::at(start, format!("expected int...int, got {ty}")));
            }
        }
        let last = match self.tok() {
            Tok::Ellipsis | Tok::Minus => {
                self.advance();
                let at = self.span();
                let last = self.value(record, None, Mode::Value)?;
                let ty = self.ev.type_of(last);
                if ty != Some(TypeId::INT) {
                    let ty = ty.map_or("?".to_owned(), |ty| self.ev.out.show_type(ty).to_string());
                    return self.ev.fail(error::at(at, format!("expected int...int, got {ty}")));
                }
                last
            }
            // The lexer reads `1-5` as `1` and `-5`.
            Tok::Int(negative) => {
                let last = negative.wrapping_neg();
                if last < 0 {
                    return self.unexpected("invalid range, cannot be negative");
                }
                self.advance();
                self.ev.out.values.int(last)
            }
            _ => return Ok(first),
        };
        let ty = self.ev.out.types.list(TypeId::INT);
        self.ev.operate(Op::Span, ty, &[first, last], record, false)
    }

    fn paste(
        &mut self,
        record: Option<RecordId>,
        wanted: Option<TypeId>,
        left: ValueId,
        at: Span,
    ) -> Result<ValueId> {
        let Some(ty) = self.ev.type_of(left) else {
            return self.ev.fail(error::at(at, "LHS of paste is not typed!"));
        };
        let is_list = self.ev.out.types.element(ty).is_some();
        let left = if is_list { left } else { self.as_text(left, record, at)? };
        self.advance();
        if matches!(self.tok(), Tok::Colon | Tok::Semi | Tok::LBrace) {
            if is_list {
                return Ok(left);
            }
            let empty = self.ev.text("");
            return self.ev.concat(left, empty);
        }
        if is_list {
            let right = self.value(record, wanted, Mode::Value)?;
            let right_ty = self.ev.type_of(right);
            if right_ty.is_none_or(|ty| self.ev.out.types.element(ty).is_none()) {
                let message = format!("expected a list, got '{}'", self.ev.out.show(right));
                return self.ev.fail(error::at(at, message));
            }
            return self.ev.operate(Op::ListConcat, ty, &[left, right], record, false);
        }
        let right = self.value(record, None, Mode::Name)?;
        if self.ev.type_of(right).is_none() {
            return self.ev.fail(error::at(at, "RHS of paste is not typed!"));
        }
        let right = self.as_text(right, record, at)?;
        self.ev.concat(left, right)
    }

    /// Converts a value to a string for pasting.
    fn as_text(&mut self, value: ValueId, record: Option<RecordId>, at: Span) -> Result<ValueId> {
        if self.ev.type_of(value) == Some(TypeId::STRING) {
            return Ok(value);
        }
        let text = self.ev.operate(Op::Cast, TypeId::STRING, &[value], record, false)?;
        if self.ev.type_of(text).is_none() {
            let message = format!("can't cast '{}' to string", self.ev.out.show(value));
            return self.ev.fail(error::at(at, message));
        }
        Ok(text)
    }

    fn simple_value(
        &mut self,
        record: Option<RecordId>,
        wanted: Option<TypeId>,
        mode: Mode,
    ) -> Result<ValueId> {
        let value = match self.tok() {
            Tok::Bang(op) => return self.operation(op, record, wanted),
            Tok::Keyword(Keyword::True) => self.ev.out.values.int(1),
            Tok::Keyword(Keyword::False) => self.ev.out.values.int(0),
            Tok::Int(int) => self.ev.out.values.int(int),
            Tok::Binary(value, width) => {
                let bits: Vec<_> = (0..width).map(|i| ValueId::bit(i < 64 && value >> i & 1 == 1)).collect();
                self.ev.out.values.bits(&bits)
            }
            Tok::Str(text) => return Ok(self.strings(text)),
            Tok::Code(text) => self.ev.out.values.intern(Node::Str(text, true)),
            Tok::Question => ValueId::UNSET,
            Tok::Id(name) => return self.name_value(name, record, mode),
            Tok::LBrace => return self.bits_value(record),
            Tok::LSquare => return self.list_value(record, wanted),
            Tok::LParen => return self.dag_value(record),
            _ => return self.unexpected("Unknown or reserved token when parsing a value"),
        };
        self.advance();
        Ok(value)
    }

    /// Joins adjacent string literals.
    fn strings(&mut self, first: StrId) -> ValueId {
        let Tok::Str(second) = self.advance() else { return self.ev.out.values.string(first) };
        let mut text = self.ev.out.strings[first].to_owned();
        let mut next = Tok::Str(second);
        while let Tok::Str(part) = next {
            text.push_str(&self.ev.out.strings[part]);
            next = self.advance();
        }
        self.ev.text(&text)
    }

    fn name_value(&mut self, name: StrId, record: Option<RecordId>, mode: Mode) -> Result<ValueId> {
        let span = self.span();
        match self.advance() {
            // A name before `=` is the name of an argument.
            Tok::Equal => return Ok(self.ev.out.values.string(name)),
            Tok::Less => return self.instance(name, span, record),
            _ => {}
        }
        if let Some(value) = self.variable(name) {
            return Ok(value);
        }
        if mode == Mode::Name {
            return Ok(self.ev.out.values.string(name));
        }
        if let Some(value) = self.global(name) {
            return Ok(value);
        }
        if let Some(record) = record {
            let data = &self.ev.out.records[record];
            if matches!(self.ev.node(data.name), Node::Str(own, _) if own == name && data.kind == Kind::Def) {
                // A record may refer to itself. The last resolution of the record resolves the reference.
                let own = data.name;
                let ty = self.ev.record_type(record);
                return self.ev.call(Op::Cast, ty, &[own]);
            }
        }
        let problem = error::unknown_name(span, &self.ev.out.strings[name]);
        self.unknown(name, problem)
    }

    /// Reads `Class<args>`.
    fn instance(&mut self, name: StrId, span: Span, record: Option<RecordId>) -> Result<ValueId> {
        let Some(&class) = self.ev.out.class_names.get(&name) else {
            let message = format!("Expected a class name, got '{}'", &self.ev.out.strings[name]);
            return self.unknown(name, error::at(span, message));
        };
        self.advance();
        let mut args = self.argument_values(record, class)?;
        self.cast_arguments(class, &mut args)?;
        self.ev.bind_arguments(class, &args, span)?;
        let raw: Vec<_> = args
            .iter()
            .flat_map(|arg| [arg.name.map_or(OptName::NONE, OptName::from).raw(), arg.value.raw()])
            .collect();
        let seq = self.ev.out.values.seq(&raw);
        let instance = self.ev.make(Node::Instance(class, seq))?;
        self.ev.instance_spans.entry(instance).or_insert(span);
        self.ev.fold_instance(instance)
    }

    /// Reads the arguments of a class or multiclass after the `<`.
    pub(super) fn argument_values(
        &mut self,
        record: Option<RecordId>,
        owner: RecordId,
    ) -> Result<Vec<Argument>> {
        let mut args: Vec<Argument> = Vec::new();
        if self.consume(Tok::Greater) {
            return Ok(args);
        }
        let mut named = false;
        loop {
            let index = args.len();
            let own = self.ev.out.records[owner].template_args.get(index).copied();
            let Some(own) = own else {
                return self.unexpected(format!("Too many template arguments: {}", index + 1));
            };
            let span = self.span();
            let value = self.value(record, (!named).then_some(own.ty), Mode::Value)?;
            if self.tok() == Tok::Equal {
                args.push(self.named_argument(record, owner, value, span)?);
                named = true;
            } else if named {
                let message = "Positional argument should be put before named argument";
                return self.ev.fail(error::at(span, message));
            } else {
                args.push(Argument { name: None, value, span });
            }
            if self.consume(Tok::Greater) {
                break;
            }
            self.expect(Tok::Comma, "Expected comma before next argument")?;
        }
        Ok(args)
    }

    fn named_argument(
        &mut self,
        record: Option<RecordId>,
        owner: RecordId,
        name: ValueId,
        span: Span,
    ) -> Result<Argument> {
        let Some(short) = self.ev.as_str(name) else {
            let message = "The name of named argument should be a valid identifier";
            return self.ev.fail(error::at(span, message));
        };
        let own = self.ev.out.records[owner].template_args.iter().find(|arg| arg.short == short).copied();
        let Some(own) = own else {
            let message = format!("Argument \"{}\" doesn't exist", &self.ev.out.strings[short]);
            return self.ev.fail(error::at(span, message));
        };
        self.advance();
        let span = self.span();
        let value = self.value(record, Some(own.ty), Mode::Value)?;
        if value == ValueId::UNSET {
            let message = "The value of named argument should be initialized, but we got '?'";
            return self.ev.fail(error::at(span, message));
        }
        Ok(Argument { name: Some(own.name), value, span })
    }

    /// Casts each argument to the type of its template argument.
    pub(super) fn cast_arguments(&mut self, owner: RecordId, args: &mut [Argument]) -> Result<()> {
        let mut failed = false;
        for (i, arg) in args.iter_mut().enumerate() {
            let own = &self.ev.out.records[owner].template_args;
            let own = match arg.name {
                None => own.get(i).copied(),
                Some(name) => own.iter().find(|own| own.name == name).copied(),
            };
            let (Some(own), Some(ty)) = (own, self.ev.type_of(arg.value)) else { continue };
            if let Some(value) = self.ev.cast(arg.value, own.ty)? {
                arg.value = value;
                continue;
            }
            failed = true;
            let out = &self.ev.out;
            let message = format!(
                "Value specified for template argument '{}' is of type {}; expected type {}: {}",
                &out.strings[own.name],
                out.show_type(ty),
                out.show_type(own.ty),
                out.show(arg.value)
            );
            self.ev.diagnostics.push(error::at(arg.span, message).note_at(own.span, "declared here"));
        }
        if failed { Err(Failed) } else { Ok(()) }
    }

    /// Reads values separated by commas. A trailing comma is allowed before `]`.
    fn value_list(&mut self, record: Option<RecordId>, wanted: Option<TypeId>) -> Result<Vec<ValueId>> {
        let mut values = vec![self.value(record, wanted, Mode::Value)?];
        while self.consume(Tok::Comma) {
            if self.tok() == Tok::RSquare {
                break;
            }
            values.push(self.value(record, wanted, Mode::Value)?);
        }
        Ok(values)
    }

    fn bits_value(&mut self, record: Option<RecordId>) -> Result<ValueId> {
        let open = self.span();
        let values = match self.advance() {
            Tok::RBrace => Vec::new(),
            _ => self.value_list(record, None)?,
        };
        self.expect(Tok::RBrace, "expected '}' at end of bit list value")?;
        let mut bits = Vec::new();
        // The most significant bit is written first.
        for (i, value) in values.into_iter().enumerate() {
            let width = match self.ev.node(value) {
                Node::Bits(seq) => Some(self.ev.out.values.width(seq)),
                Node::Var(_, ty) => match self.ev.out.types.get(ty) {
                    Type::Bits(width) => Some(*width),
                    _ => None,
                },
                _ => None,
            };
            if let Some(width) = width {
                for bit in (0..width).rev() {
                    bits.push(self.ev.bit(value, bit)?);
                }
                continue;
            }
            let Some(bit) = self.ev.cast(value, TypeId::BIT)? else {
                let message =
                    format!("Element #{i} ({}) is not convertible to a bit", self.ev.out.show(value));
                return self.ev.fail(error::at(open, message));
            };
            bits.push(bit);
        }
        bits.reverse();
        let seq = self.ev.out.values.value_seq(&bits);
        self.ev.make(Node::Bits(seq))
    }

    fn list_value(&mut self, record: Option<RecordId>, wanted: Option<TypeId>) -> Result<ValueId> {
        self.advance();
        let mut wanted_element = None;
        if let Some(ty) = wanted {
            wanted_element = self.ev.out.types.element(ty);
            if wanted_element.is_none() {
                let message = format!("Encountered a list when expecting a {}", self.ev.out.show_type(ty));
                return self.unexpected(message);
            }
        }
        let items = match self.tok() {
            Tok::RSquare => Vec::new(),
            _ => self.value_list(record, wanted_element)?,
        };
        self.expect(Tok::RSquare, "expected ']' at end of list value")?;
        let mut given = None;
        if self.consume(Tok::Less) {
            given = Some(self.parse_type()?);
            self.expect(Tok::Greater, "expected '>' at end of list element type")?;
        }
        let mut element: Option<TypeId> = None;
        for &item in &items {
            let Some(ty) = self.ev.type_of(item) else { continue };
            element = match element {
                None => Some(ty),
                Some(before) => match self.ev.common_type(before, ty) {
                    Some(common) => Some(common),
                    None => return self.unexpected("Incompatible types in list elements"),
                },
            };
        }
        if let Some(given) = given {
            if element.is_some_and(|element| !self.ev.convertible(element, given)) {
                return self.unexpected("Incompatible types in list elements");
            }
            element = Some(given);
        }
        let element = match (element, wanted_element) {
            (None, None) => return self.unexpected("No type for list"),
            (None, Some(wanted)) => wanted,
            (Some(element), Some(wanted)) if !self.ev.convertible(element, wanted) => {
                let (element, wanted) = (self.ev.out.show_type(element), self.ev.out.show_type(wanted));
                let message = format!(
                    "Element type mismatch for list: element type '{element}' not convertible to '{wanted}'"
                );
                return self.unexpected(message);
            }
            (Some(element), _) => element,
        };
        self.ev.list(&items, element)
    }

    fn dag_value(&mut self, record: Option<RecordId>) -> Result<ValueId> {
        let start = self.span();
        self.advance();
        if !matches!(self.tok(), Tok::Id(_) | Tok::Bang(Op::Cast | Op::GetDagOperator) | Tok::Question) {
            return self.unexpected("expected identifier or list of value types in dag init");
        }
        let op = self.value(record, None, Mode::Value)?;
        let mut name = OptName::NONE;
        if self.consume(Tok::Colon) {
            let Tok::VarName(own) = self.tok() else {
                return self.unexpected("expected variable name in dag operator");
            };
            name = own.into();
            self.advance();
        }
        let mut raw = Vec::new();
        let mut spans = Vec::new();
        if self.tok() != Tok::RParen {
            loop {
                let at = self.span();
                let (value, name) = self.dag_arg(record)?;
                raw.push(value.raw());
                raw.push(name.raw());
                spans.push(self.since(at));
                if !self.consume(Tok::Comma) {
                    break;
                }
            }
        }
        self.expect(Tok::RParen, "expected ')' in dag init")?;
        let span = self.since(start);
        let args = self.ev.out.values.seq(&raw);
        let origin = self.ev.out.values.origin(Origin { span, args: spans.into() });
        self.ev.make(Node::Dag { op, name, args, origin })
    }

    fn dag_arg(&mut self, record: Option<RecordId>) -> Result<(ValueId, OptName)> {
        if let Tok::VarName(name) = self.tok() {
            self.advance();
            return Ok((ValueId::UNSET, name.into()));
        }
        let value = self.value(record, None, Mode::Value)?;
        if !self.consume(Tok::Colon) {
            return Ok((value, OptName::NONE));
        }
        let Tok::VarName(name) = self.tok() else {
            return self.unexpected("expected variable name in dag literal");
        };
        self.advance();
        Ok((value, name.into()))
    }

    /// Reads an optional `{ranges}`.
    pub(super) fn optional_bits(&mut self) -> Result<Vec<u32>> {
        if !self.consume(Tok::LBrace) {
            return Ok(Vec::new());
        }
        let bits = self.range_list()?;
        self.expect(Tok::RBrace, "expected '}' at end of bit list")?;
        Ok(bits)
    }

    /// Reads integers and ranges of integers.
    pub(super) fn range_list(&mut self) -> Result<Vec<u32>> {
        let mut ranges = Vec::new();
        self.range_piece(None, &mut ranges)?;
        while self.consume(Tok::Comma) {
            self.range_piece(None, &mut ranges)?;
        }
        Ok(ranges)
    }

    /// Reads an integer or a range. If `first` is not `None`, it is the first integer, which has already been read.
    pub(super) fn range_piece(&mut self, first: Option<ValueId>, ranges: &mut Vec<u32>) -> Result<()> {
        let first = match first {
            Some(first) => first,
            None => self.value(None, None, Mode::Value)?,
        };
        let Node::Int(start) = self.ev.node(first) else {
            return self.unexpected("expected integer or bitrange");
        };
        let Ok(start) = u32::try_from(start) else {
            return self.unexpected("invalid range, cannot be negative");
        };
        let end = match self.tok() {
            Tok::Ellipsis | Tok::Minus => {
                self.advance();
                match self.value(None, None, Mode::Value).map(|end| self.ev.node(end)) {
                    Ok(Node::Int(end)) => end,
                    _ => return self.unexpected("expected integer value as end of range"),
                }
            }
            // The lexer reads `1-5` as `1` and `-5`.
            Tok::Int(negative) => {
                self.advance();
                negative.wrapping_neg()
            }
            _ => i64::from(start),
        };
        let Ok(end) = u32::try_from(end) else {
            return self.unexpected("invalid range, cannot be negative");
        };
        if ranges.len() + start.abs_diff(end) as usize >= LIST_LIMIT {
            let span = self.span();
            return self.ev.fail(error::limit(span, "the integers of a range", LIST_LIMIT));
        }
        if start <= end {
            ranges.extend(start..=end);
        } else {
            ranges.extend((end..=start).rev());
        }
        Ok(())
    }
}
