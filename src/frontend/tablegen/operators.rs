//! The syntax and the typing rules of bang operators.
//!
//! Most operators with the same number of arguments share a function. The other operators, such as those that bind
//! variables or have optional arguments, have functions of their own.

use super::bang::Op;
use super::error::{self, Result};
use super::ids::{RecordId, TypeId, ValueId};
use super::lexer::{Keyword, Tok};
use super::parser::{Mode, Parser};
use super::types::Type;
use super::value::Node;
use crate::intern::StrId;
use crate::source::Span;

impl Parser<'_> {
    /// Reads an operator and its arguments.
    pub(super) fn operation(
        &mut self,
        op: Op,
        record: Option<RecordId>,
        wanted: Option<TypeId>,
    ) -> Result<ValueId> {
        let at = self.span();
        self.advance();
        match op {
            Op::Cast
            | Op::Not
            | Op::Head
            | Op::Tail
            | Op::Size
            | Op::Empty
            | Op::GetDagOperator
            | Op::GetDagOpName
            | Op::Log2
            | Op::ListFlatten
            | Op::Repr
            | Op::ToLower
            | Op::ToUpper
            | Op::Initialized => self.unary(op, record),
            Op::IsA | Op::Exists | Op::Instances => self.query(op, record),
            Op::ForEach | Op::Filter => self.for_each(op, at, record, wanted),
            Op::Foldl => self.fold_left(record),
            Op::Cond => self.cond(record, wanted),
            Op::Range => self.range(at, record),
            Op::Substr | Op::Find => self.substr(op, at, record, wanted),
            Op::If | Op::Dag | Op::Subst | Op::SetDagArg | Op::SetDagName => self.ternary(op, record, wanted),
            _ => self.binary(op, at, record, wanted),
        }
    }

    /// Reads `<type>` after an operator.
    fn operator_type(&mut self) -> Result<TypeId> {
        self.expect(Tok::Less, "expected type name for operator")?;
        if self.tok() == Tok::Keyword(Keyword::Code) {
            return self.unexpected("the 'code' type is not allowed in bang operators; use 'string'");
        }
        let ty = self.parse_type()?;
        self.expect(Tok::Greater, "expected type name for operator")?;
        Ok(ty)
    }

    fn element_of(&self, ty: Option<TypeId>) -> Option<TypeId> {
        self.ev.out.types.element(ty?)
    }

    fn show_type(&self, ty: TypeId) -> String {
        self.ev.out.show_type(ty).to_string()
    }

    fn unary(&mut self, op: Op, record: Option<RecordId>) -> Result<ValueId> {
        let mut ty = match op {
            Op::Cast => self.operator_type()?,
            Op::GetDagOperator if self.tok() == Tok::Less => {
                let at = self.span();
                let ty = self.operator_type()?;
                if !matches!(self.ev.out.types.get(ty), Type::Record(_)) {
                    return self.ev.fail(error::at(at, "type for !getdagop must be a record type"));
                }
                ty
            }
            Op::GetDagOperator => TypeId::ANY_RECORD,
            Op::Repr | Op::ToLower | Op::ToUpper | Op::GetDagOpName => TypeId::STRING,
            _ => TypeId::INT,
        };
        self.expect(Tok::LParen, "expected '(' after unary operator")?;
        let value = self.value(record, None, Mode::Value)?;
        let own = self.ev.type_of(value);
        match op {
            Op::Empty | Op::Size => {
                let fits =
                    own == Some(TypeId::STRING) || own == Some(TypeId::DAG) || self.element_of(own).is_some();
                if !fits {
                    let message = "expected string, list, or dag type argument in unary operator";
                    return self.unexpected(message);
                }
            }
            Op::Head | Op::Tail | Op::ListFlatten => {
                let (Some(list), Some(mut element)) = (own, self.element_of(own)) else {
                    return self.unexpected("expected list type argument in unary operator");
                };
                let mut list = list;
                if let Node::List(items, _) = self.ev.node(value) {
                    let Some(first) = self.ev.out.values.item(items, 0) else {
                        return self.unexpected("empty list argument in unary operator");
                    };
                    let Some(first) = self.ev.type_of(first) else {
                        return self.unexpected("untyped list element in unary operator");
                    };
                    element = first;
                    list = self.ev.out.types.list(element);
                }
                ty = match op {
                    Op::Head => element,
                    Op::Tail => list,
                    _ => match self.ev.out.types.element(element) {
                        Some(_) => element,
                        None => self.ev.out.types.list(element),
                    },
                };
            }
            _ => {}
        }
        self.expect(Tok::RParen, "expected ')' in unary operator")?;
        self.ev.operate(op, ty, &[value], record, false)
    }

    /// Reads `!isa`, `!exists` or `!instances`.
    fn query(&mut self, op: Op, record: Option<RecordId>) -> Result<ValueId> {
        let ty = self.operator_type()?;
        let name = op.name();
        self.expect(Tok::LParen, &format!("expected '(' after type of !{name}"))?;
        let at = self.span();
        let value = if op == Op::Instances && self.tok() == Tok::RParen {
            self.ev.text(".*")
        } else {
            self.value(record, None, Mode::Value)?
        };
        if op != Op::IsA && self.ev.type_of(value) != Some(TypeId::STRING) {
            let hint = if op == Op::Exists { ", please use !isa instead" } else { "" };
            let message = format!("expected string type argument in !{name} operator{hint}");
            return self.ev.fail(error::at(at, message));
        }
        self.expect(Tok::RParen, &format!("expected ')' in !{name}"))?;
        self.ev.operate(op, ty, &[value], record, false)
    }

    /// Returns the result type of a binary operator and the expected type of its first argument; `None` for a type that
    /// follows from the arguments. Reads the type in `!getdagarg<type>`.
    fn binary_types(&mut self, op: Op, wanted: Option<TypeId>) -> Result<(Option<TypeId>, Option<TypeId>)> {
        use TypeId as T;
        Ok(match op {
            Op::Match => (Some(T::BIT), Some(T::STRING)),
            Op::Con | Op::SetDagOperator | Op::SetDagOpName => (Some(T::DAG), Some(T::DAG)),
            Op::GetDagArg => (Some(self.operator_type()?), Some(T::DAG)),
            Op::GetDagName => (Some(T::STRING), Some(T::DAG)),
            Op::And
            | Op::Or
            | Op::Xor
            | Op::Sra
            | Op::Srl
            | Op::Shl
            | Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div => (Some(T::INT), Some(T::INT)),
            Op::Eq | Op::Ne | Op::Le | Op::Lt | Op::Ge | Op::Gt => (Some(T::BIT), None),
            Op::ListConcat | Op::ListRemove => (None, wanted),
            Op::ListSplat => (None, None),
            Op::StrConcat => (Some(T::STRING), Some(T::STRING)),
            _ => (Some(T::STRING), None),
        })
    }

    fn binary(
        &mut self,
        op: Op,
        at: Span,
        record: Option<RecordId>,
        wanted: Option<TypeId>,
    ) -> Result<ValueId> {
        let (mut ty, mut expected) = self.binary_types(op, wanted)?;
        self.check_wanted(ty, wanted, at)?;
        self.expect(Tok::LParen, "expected '(' after binary operator")?;
        let arithmetic = expected == Some(TypeId::INT);
        let mut args: Vec<ValueId> = Vec::new();
        loop {
            let place = self.span();
            let value = self.value(record, expected, Mode::Value)?;
            args.push(value);
            let Some(own) = self.ev.type_of(value) else {
                let message =
                    format!("expected value to be a typed value, got '{}'", self.ev.out.show(value));
                return self.ev.fail(error::at(at, message));
            };
            match expected {
                None => expected = self.first_argument(op, args.len(), own, place, at, wanted)?,
                Some(ty) => {
                    let Some(common) = self.ev.common_type(ty, own) else {
                        let (ty, own) = (self.show_type(ty), self.show_type(own));
                        let message = format!("expected value of type '{ty}', got '{own}'");
                        return self.ev.fail(error::at(place, message));
                    };
                    if !arithmetic {
                        expected = Some(common);
                    }
                }
            }
            match op {
                Op::SetDagOpName => expected = Some(TypeId::STRING),
                Op::SetDagOperator => expected = Some(TypeId::ANY_RECORD),
                Op::GetDagArg => expected = None,
                Op::GetDagName => expected = Some(TypeId::INT),
                _ => {}
            }
            if !self.consume(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::RParen, "expected ')' in operator")?;
        if matches!(op, Op::ListConcat | Op::ListRemove) {
            ty = expected;
        } else if op == Op::ListSplat {
            ty = args.first().and_then(|&first| self.ev.type_of(first)).map(|ty| self.ev.out.types.list(ty));
        }
        let ty = ty.unwrap_or(TypeId::STRING);
        if let Op::StrConcat | Op::ListConcat | Op::Con | Op::Add | Op::And | Op::Or | Op::Xor | Op::Mul = op
        {
            if op == Op::StrConcat
                && let Some(text) = self.ev.joined(&args)
            {
                return Ok(text);
            }
            while let [.., left, right] = args[..] {
                if args.len() == 2 {
                    break;
                }
                args.truncate(args.len() - 2);
                args.push(self.ev.operate(op, ty, &[left, right], record, false)?);
            }
        }
        if args.len() != 2 {
            return self.ev.fail(error::at(at, "expected two operands to operator"));
        }
        self.ev.operate(op, ty, &args, record, false)
    }

    fn check_wanted(&mut self, ty: Option<TypeId>, wanted: Option<TypeId>, at: Span) -> Result<()> {
        match (ty, wanted) {
            (Some(ty), Some(wanted)) if !self.ev.convertible(ty, wanted) => {
                let (ty, wanted) = (self.show_type(ty), self.show_type(wanted));
                let message = format!("expected value of type '{wanted}', got '{ty}'");
                self.ev.fail(error::at(at, message))
            }
            _ => Ok(()),
        }
    }

    /// Checks argument number `count` of an operator that accepts several types. Returns the type of the remaining
    /// arguments if this argument decides it.
    fn first_argument(
        &mut self,
        op: Op,
        count: usize,
        own: TypeId,
        place: Span,
        at: Span,
        wanted: Option<TypeId>,
    ) -> Result<Option<TypeId>> {
        let shown = self.show_type(own);
        let to = |ty| self.ev.convertible(own, ty);
        let number = to(TypeId::INT);
        let text = to(TypeId::STRING);
        let is_list = self.ev.out.types.element(own).is_some();
        let problem = match op {
            Op::ListConcat | Op::ListRemove if !is_list => {
                format!("expected a list, got value of type '{shown}'")
            }
            Op::Eq | Op::Ne if !number && !text && !to(TypeId::ANY_RECORD) => {
                format!("expected bit, bits, int, string, or record; got value of type '{shown}'")
            }
            Op::Le | Op::Lt | Op::Ge | Op::Gt if !number && !text => {
                format!("expected bit, bits, int, or string; got value of type '{shown}'")
            }
            Op::GetDagArg if !number && !text => {
                format!("expected integer index or string name, got type '{shown}'")
            }
            Op::ListSplat if count == 1 => {
                let list = self.ev.out.types.list(own);
                match wanted {
                    Some(wanted) if self.ev.out.types.element(wanted).is_none() => {
                        let wanted = self.show_type(wanted);
                        let message = format!("expected output type to be a list, got type '{wanted}'");
                        return self.ev.fail(error::at(at, message));
                    }
                    Some(wanted) if !self.ev.convertible(list, wanted) => {
                        let element = self.element_of(Some(wanted)).unwrap_or(wanted);
                        let element = self.show_type(element);
                        let message =
                            format!("expected first arg type to be '{shown}', got value of type '{element}'");
                        return self.ev.fail(error::at(at, message));
                    }
                    _ => return Ok(None),
                }
            }
            Op::ListSplat if count == 2 && own != TypeId::INT => {
                format!("expected second parameter to be an int, got value of type '{shown}'")
            }
            Op::Interleave if count == 1 => {
                let fits = self
                    .element_of(Some(own))
                    .is_some_and(|ty| ty == TypeId::STRING || self.ev.convertible(ty, TypeId::INT));
                if fits {
                    return Ok(None);
                }
                format!("expected list of string, int, bits, or bit; got value of type '{shown}'")
            }
            Op::Interleave if count == 2 && own != TypeId::STRING => {
                format!("expected second argument to be a string, got value of type '{shown}'")
            }
            Op::ListSplat | Op::Interleave => return Ok(None),
            _ => return Ok(Some(own)),
        };
        self.ev.fail(error::at(place, problem))
    }

    /// Reads an identifier that an operator binds.
    fn bound_name(&mut self, record: Option<RecordId>, what: &str, message: &str) -> Result<StrId> {
        let Tok::Id(name) = self.tok() else { return self.unexpected(message) };
        let is_field = record.is_some_and(|record| self.ev.field_index(record, name).is_some());
        if is_field || self.operator_binds(name) {
            let message = format!("{what} '{}' is already defined", &self.ev.out.strings[name]);
            return self.unexpected(message);
        }
        self.advance();
        Ok(name)
    }

    fn for_each(
        &mut self,
        op: Op,
        at: Span,
        record: Option<RecordId>,
        wanted: Option<TypeId>,
    ) -> Result<ValueId> {
        let comma = "expected ',' in !foreach/!filter";
        self.expect(Tok::LParen, "expected '(' after !foreach/!filter")?;
        let message = "first argument of !foreach/!filter must be an identifier";
        let name = self.bound_name(record, "iteration variable", message)?;
        self.expect(Tok::Comma, comma)?;
        let over = self.value(record, None, Mode::Value)?;
        self.expect(Tok::Comma, comma)?;
        let Some(over_ty) = self.ev.type_of(over) else {
            return self.unexpected("could not get type of !foreach/!filter list or dag");
        };
        let over_element = self.ev.out.types.element(over_ty);
        let is_dag = over_ty == TypeId::DAG;
        let (item, body_wanted) = match over_element {
            Some(element) => {
                let mut body = None;
                if let Some(wanted) = wanted {
                    body = self.ev.out.types.element(wanted);
                    if body.is_none() {
                        let wanted = self.show_type(wanted);
                        let message = format!("expected value of type '{wanted}', but got list type");
                        return self.ev.fail(error::at(at, message));
                    }
                }
                (element, if op == Op::Filter { body.map(|_| TypeId::INT) } else { body })
            }
            None if is_dag && op == Op::ForEach => {
                if let Some(wanted) = wanted.filter(|&ty| ty != TypeId::DAG) {
                    let wanted = self.show_type(wanted);
                    let message = format!("expected value of type '{wanted}', but got dag type");
                    return self.ev.fail(error::at(at, message));
                }
                (TypeId::DAG, None)
            }
            None if op == Op::ForEach => {
                return self.unexpected("!foreach must have a list or dag argument");
            }
            None => return self.unexpected("!filter must have a list argument"),
        };
        let variable = self.ev.out.values.intern(Node::Var(name, item));
        let body =
            self.with_variables(vec![(name, variable)], |this| this.value(record, body_wanted, Mode::Value))?;
        self.expect(Tok::RParen, "expected ')' in !foreach/!filter")?;
        let ty = match self.ev.type_of(body) {
            _ if is_dag => TypeId::DAG,
            _ if op == Op::Filter => over_ty,
            Some(ty) => self.ev.out.types.list(ty),
            None => return self.unexpected("could not get type of !foreach result expression"),
        };
        let name = self.ev.out.values.string(name);
        self.ev.operate(op, ty, &[name, over, body], record, false)
    }

    fn fold_left(&mut self, record: Option<RecordId>) -> Result<ValueId> {
        let comma = "expected ',' in !foldl";
        self.expect(Tok::LParen, "expected '(' after !foldl")?;
        let start = self.value(record, None, Mode::Value)?;
        let Some(ty) = self.ev.type_of(start) else {
            let message = format!("could not get type of !foldl start: '{}'", self.ev.out.show(start));
            return self.unexpected(message);
        };
        self.expect(Tok::Comma, comma)?;
        let list = self.value(record, None, Mode::Value)?;
        let Some(list_ty) = self.ev.type_of(list) else {
            let message = format!("could not get type of !foldl list: '{}'", self.ev.out.show(list));
            return self.unexpected(message);
        };
        let Some(element) = self.ev.out.types.element(list_ty) else {
            let shown = self.show_type(list_ty);
            return self.unexpected(format!("!foldl list must be a list, but is of type '{shown}"));
        };
        self.expect(Tok::Comma, comma)?;
        let third = "third argument of !foldl must be an identifier";
        let a = self.bound_name(record, "left !foldl variable", third)?;
        self.expect(Tok::Comma, comma)?;
        let fourth = "fourth argument of !foldl must be an identifier";
        let b = self.bound_name(record, "right !foldl variable", fourth)?;
        self.expect(Tok::Comma, comma)?;
        let variables = vec![
            (a, self.ev.out.values.intern(Node::Var(a, ty))),
            (b, self.ev.out.values.intern(Node::Var(b, element))),
        ];
        let body = self.with_variables(variables, |this| this.value(record, None, Mode::Value))?;
        let Some(body_ty) = self.ev.type_of(body) else {
            return self.unexpected("could not get type of !foldl expression");
        };
        if body_ty != ty {
            let (ty, own) = (self.show_type(ty), self.show_type(body_ty));
            let message =
                format!("!foldl expression must be of same type as start ({ty}), but is of type {own}");
            return self.unexpected(message);
        }
        self.expect(Tok::RParen, "expected ')' in fold operator")?;
        let (a, b) = (self.ev.out.values.string(a), self.ev.out.values.string(b));
        self.ev.operate(Op::Foldl, ty, &[start, list, a, b, body], record, false)
    }

    fn cond(&mut self, record: Option<RecordId>, wanted: Option<TypeId>) -> Result<ValueId> {
        self.expect(Tok::LParen, "expected '(' after !cond operator")?;
        let (mut tests, mut values) = (Vec::new(), Vec::new());
        while !self.consume(Tok::RParen) {
            tests.push(self.value(record, None, Mode::Value)?);
            self.expect(Tok::Colon, "expected ':'  following a condition in !cond operator")?;
            values.push(self.value(record, wanted, Mode::Value)?);
            if self.tok() != Tok::RParen {
                self.expect(Tok::Comma, "expected ',' or ')' following a value in !cond operator")?;
            }
        }
        if tests.is_empty() {
            let message = "there should be at least 1 'condition : value' in the !cond operator";
            return self.unexpected(message);
        }
        let mut ty: Option<TypeId> = None;
        for &value in &values {
            let Some(own) = self.ev.type_of(value) else { continue };
            ty = match ty {
                None => Some(own),
                Some(before) => match self.ev.common_type(before, own) {
                    Some(common) => Some(common),
                    None => {
                        let (a, b) = (self.show_type(before), self.show_type(own));
                        return self.unexpected(format!("inconsistent types '{a}' and '{b}' for !cond"));
                    }
                },
            };
        }
        let Some(ty) = ty else {
            return self.unexpected("could not determine type for !cond from its arguments");
        };
        tests.extend(values);
        self.ev.operate(Op::Cond, ty, &tests, record, false)
    }

    fn range(&mut self, at: Span, record: Option<RecordId>) -> Result<ValueId> {
        self.expect(Tok::LParen, "expected '(' after !range operator")?;
        let mut args: Vec<ValueId> = Vec::new();
        let mut of_list = false;
        loop {
            if args.len() >= 3 {
                return self.unexpected("expected at most three values of integer");
            }
            let place = self.span();
            let value = self.value(record, None, Mode::Value)?;
            let Some(ty) = self.ev.type_of(value) else {
                let message =
                    format!("expected value to be a typed value, got '{}'", self.ev.out.show(value));
                return self.ev.fail(error::at(at, message));
            };
            let shown = self.show_type(ty);
            let problem = if of_list {
                Some(format!("expected one list, got extra value of type '{shown}'"))
            } else if ty == TypeId::INT {
                None
            } else if !args.is_empty() {
                Some(format!("expected value of type 'int', got '{shown}'"))
            } else if self.ev.out.types.element(ty).is_some() {
                of_list = true;
                None
            } else {
                Some(format!("expected list or int, got value of type '{shown}'"))
            };
            if let Some(message) = problem {
                return self.ev.fail(error::at(place, message));
            }
            args.push(value);
            if !self.consume(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::RParen, "expected ')' in operator")?;
        let (zero, one) = (self.ev.out.values.int(0), self.ev.out.values.int(1));
        let args = match args[..] {
            [list] if of_list => {
                let size = self.ev.operate(Op::Size, TypeId::INT, &[list], record, false)?;
                [zero, size, one]
            }
            [end] => [zero, end, one],
            [start, end] => [start, end, one],
            [start, end, step, ..] => [start, end, step],
            [] => [zero, zero, one],
        };
        let ty = self.ev.out.types.list(TypeId::INT);
        self.ev.operate(Op::Range, ty, &args, record, false)
    }

    fn substr(
        &mut self,
        op: Op,
        at: Span,
        record: Option<RecordId>,
        wanted: Option<TypeId>,
    ) -> Result<ValueId> {
        let (ty, second, name) = match op {
            Op::Substr => (TypeId::STRING, TypeId::INT, "!substr"),
            _ => (TypeId::INT, TypeId::STRING, "!find"),
        };
        self.check_wanted(Some(ty), wanted, at)?;
        self.expect(Tok::LParen, &format!("expected '(' after {name} operator"))?;
        let mut args = Vec::new();
        for expected in [TypeId::STRING, second, TypeId::INT] {
            let last = args.len() == 2;
            if args.len() == 1 {
                self.expect(Tok::Comma, &format!("expected ',' in {name} operator"))?;
            } else if last && !self.consume(Tok::Comma) {
                args.push(self.ev.out.values.int(if op == Op::Substr { i64::MAX } else { 0 }));
                break;
            }
            let place = self.span();
            let value = self.value(record, None, Mode::Value)?;
            let own = self.ev.type_of(value);
            if own != Some(expected) {
                let wanted = self.show_type(expected);
                let message = match own {
                    Some(own) => format!("expected {wanted}, got type '{}'", self.show_type(own)),
                    None => format!("could not determine type of an argument of {name}"),
                };
                return self.ev.fail(error::at(place, message));
            }
            args.push(value);
        }
        self.expect(Tok::RParen, &format!("expected ')' in {name} operator"))?;
        self.ev.operate(op, ty, &args, record, false)
    }

    fn ternary(&mut self, op: Op, record: Option<RecordId>, wanted: Option<TypeId>) -> Result<ValueId> {
        let builds_dag = matches!(op, Op::Dag | Op::SetDagArg | Op::SetDagName);
        let wanted = wanted.filter(|_| !builds_dag);
        let comma = "expected ',' in ternary operator";
        self.expect(Tok::LParen, "expected '(' after ternary operator")?;
        let first = self.value(record, None, Mode::Value)?;
        self.expect(Tok::Comma, comma)?;
        let second_at = self.span();
        let second = self.value(record, wanted, Mode::Value)?;
        self.expect(Tok::Comma, comma)?;
        let third_at = self.span();
        let third = self.value(record, wanted, Mode::Value)?;
        self.expect(Tok::RParen, "expected ')' in ternary operator")?;
        let (second_ty, third_ty) = (self.ev.type_of(second), self.ev.type_of(third));
        let ty = match op {
            Op::If => {
                let (Some(a), Some(b)) = (second_ty.or(third_ty), third_ty.or(second_ty)) else {
                    return self.unexpected("could not get type for !if");
                };
                let Some(ty) = self.ev.common_type(a, b) else {
                    let (a, b) = (self.show_type(a), self.show_type(b));
                    return self.unexpected(format!("inconsistent types '{a}' and '{b}' for !if"));
                };
                ty
            }
            Op::Subst => match third_ty {
                Some(ty) => ty,
                None => return self.unexpected("could not get type for !subst"),
            },
            Op::Dag => {
                self.check_dag_lists(second_ty, second_at, third_ty, third_at)?;
                TypeId::DAG
            }
            _ => {
                if !matches!(second_ty, Some(TypeId::INT | TypeId::STRING)) {
                    let got = match second_ty {
                        Some(ty) => format!("type '{}'", self.show_type(ty)),
                        None => format!("'{}'", self.ev.out.show(second)),
                    };
                    let message = format!("expected integer index or string name, got {got}");
                    return self.ev.fail(error::at(second_at, message));
                }
                if let (Op::SetDagName, Some(ty)) = (op, third_ty.filter(|&ty| ty != TypeId::STRING)) {
                    let ty = self.show_type(ty);
                    let message = format!("expected string or unset name, got type '{ty}'");
                    return self.ev.fail(error::at(third_at, message));
                }
                TypeId::DAG
            }
        };
        self.ev.operate(op, ty, &[first, second, third], record, false)
    }

    fn check_dag_lists(
        &mut self,
        children: Option<TypeId>,
        children_at: Span,
        names: Option<TypeId>,
        names_at: Span,
    ) -> Result<()> {
        let list_of_strings = self.ev.out.types.list(TypeId::STRING);
        if let Some(ty) = children.filter(|&ty| self.ev.out.types.element(ty).is_none()) {
            let ty = self.show_type(ty);
            return self
                .ev
                .fail(error::at(children_at, format!("expected list of children, got type '{ty}'")));
        }
        if let Some(ty) = names.filter(|&ty| ty != list_of_strings) {
            let ty = self.show_type(ty);
            return self.ev.fail(error::at(names_at, format!("expected list<string>, got type '{ty}'")));
        }
        if children.is_none() && names.is_none() {
            let message = "cannot have both unset children and unset names in !dag";
            return self.ev.fail(error::at(children_at, message));
        }
        Ok(())
    }
}
