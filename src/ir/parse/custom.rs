//! The custom forms of operations of `builtin`, `func`, `arith` and `cf`.

use super::lexer::{Token, TokenKind};
use super::parser::Parser;
use super::ssa_names::OperandUse;
use super::state::FileState;
use crate::host::{AttrNameId, OpNameId};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::core_forms::{self, CoreForm, FlagSyntax};
use crate::ir::elements::{self, ElementKind};
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::module::{BlockId, OpId, OpSpec, RegionId};
use crate::ir::types::TypeKind;

/// The parts of an operation in custom form.
pub(super) struct OpParts {
    pub(super) name: OpNameId,
    pub(super) loc: LocId,
    uses: Vec<OperandUse>,
    types: Vec<TypeId>,
    results: Vec<TypeId>,
    properties: Vec<(AttrNameId, AttrId)>,
    attrs: Vec<(AttrNameId, AttrId)>,
    successors: Vec<BlockId>,
    /// The region that follows these parts in the text.
    pub(super) body: Option<CustomBody>,
    pub(super) regions: Vec<RegionId>,
}

/// The region of an operation in custom form.
pub(super) enum CustomBody {
    /// A region of one block.
    Module,
    /// An optional region whose entry block has these arguments: name, type and location.
    Function(Vec<(Token, TypeId, LocId)>),
}

impl<'a> Parser<'a> {
    /// An operation in custom form, without its region and location.
    pub(super) fn custom_head(
        &mut self,
        state: &mut FileState<'a>,
        form: CoreForm,
        name: OpNameId,
    ) -> ParseResult<OpParts> {
        let token = self.token;
        let loc = self.place(state, token);
        self.advance();
        let mut parts = OpParts {
            name,
            loc,
            uses: Vec::new(),
            types: Vec::new(),
            results: Vec::new(),
            properties: Vec::new(),
            attrs: Vec::new(),
            successors: Vec::new(),
            body: None,
            regions: Vec::new(),
        };
        match form {
            CoreForm::Module => self.module_form(&mut parts)?,
            CoreForm::Func => self.func_form(state, &mut parts)?,
            CoreForm::Return => {
                self.attr_dict(&mut parts)?;
                if self.is(TokenKind::Percent) {
                    self.use_list(&mut parts)?;
                    self.colon()?;
                    self.type_list(&mut parts, token)?;
                }
            }
            CoreForm::ConversionCast => {
                if self.is(TokenKind::Percent) {
                    self.use_list(&mut parts)?;
                    self.colon()?;
                    self.type_list(&mut parts, token)?;
                }
                if !self.eat_keyword("to") {
                    return Err(self.expected("'to' and a type"));
                }
                loop {
                    parts.results.push(self.ty()?);
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                self.attr_dict(&mut parts)?;
            }
            CoreForm::Call => self.call_form(&mut parts)?,
            CoreForm::CallIndirect => self.call_indirect_form(&mut parts)?,
            CoreForm::FunctionConstant => self.function_constant_form(&mut parts)?,
            CoreForm::Assert => self.assert_form(&mut parts)?,
            CoreForm::Switch => self.switch_form(state, &mut parts)?,
            CoreForm::ExtendedAdd | CoreForm::ExtendedMultiply => self.extended_form(form, &mut parts)?,
            CoreForm::Branch => {
                self.target(state, &mut parts)?;
                self.attr_dict(&mut parts)?;
            }
            CoreForm::CondBranch => self.cond_branch_form(state, &mut parts)?,
            CoreForm::Constant => self.constant_form(&mut parts)?,
            CoreForm::CompareInts | CoreForm::CompareFloats => self.compare_form(form, &mut parts)?,
            CoreForm::Select => self.select_form(&mut parts)?,
            CoreForm::Binary(flags) => self.arithmetic_form(&mut parts, 2, flags, false)?,
            CoreForm::Unary(flags) => self.arithmetic_form(&mut parts, 1, flags, false)?,
            CoreForm::Cast(flags) => self.arithmetic_form(&mut parts, 1, flags, true)?,
        }
        Ok(parts)
    }

    /// Creates the operation whose name is at `token`.
    pub(super) fn finish_custom(
        &mut self,
        state: &mut FileState<'a>,
        parts: OpParts,
        token: Token,
    ) -> ParseResult<OpId> {
        let OpParts {
            name, loc, uses, types, results, mut properties, mut attrs, successors, regions, ..
        } = parts;
        if uses.len() != types.len() {
            return Err(error::operand_types(uses.len(), types.len(), self.token_span(token)));
        }
        let mut operands = Vec::with_capacity(uses.len());
        for (&used, &ty) in uses.iter().zip(&types) {
            operands.push(self.resolve(&mut state.module, used, ty)?);
        }
        let spec = OpSpec {
            name,
            operands: &operands,
            result_types: &results,
            attrs: self.context.dictionary(&mut attrs),
            properties: self.context.dictionary(&mut properties),
            successors: &successors,
            regions: 0,
            loc,
        };
        Ok(state.module.create_around(&spec, regions))
    }

    // Pieces.

    fn colon(&mut self) -> ParseResult<()> {
        self.expect(TokenKind::Colon, "':' and a type").map(drop)
    }

    fn comma(&mut self) -> ParseResult<()> {
        self.expect(TokenKind::Comma, "','").map(drop)
    }

    fn operand(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        let used = self.value_use()?;
        parts.uses.push(used);
        Ok(())
    }

    fn use_list(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        loop {
            self.operand(parts)?;
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    /// Parses a type for each operand.
    fn type_list(&mut self, parts: &mut OpParts, token: Token) -> ParseResult<()> {
        loop {
            parts.types.push(self.ty()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if parts.types.len() != parts.uses.len() {
            let span = self.token_span(token);
            return Err(error::operand_types(parts.uses.len(), parts.types.len(), span));
        }
        Ok(())
    }

    fn property(&mut self, parts: &mut OpParts, name: &str, value: AttrId) {
        let name = self.context.attr_name(name);
        parts.properties.push((name, value));
    }

    /// Parses an optional `{…}`. Inherent attributes become properties.
    fn attr_dict(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        if !self.is(TokenKind::LBrace) {
            return Ok(());
        }
        let mut entries = Vec::new();
        self.dictionary_entries(&mut entries)?;
        let inherent = core_forms::inherent(self.context.op_name_text(parts.name));
        for entry in entries {
            if inherent.contains(&self.context.attr_name_text(entry.0)) {
                parts.properties.push(entry);
            } else {
                parts.attrs.push(entry);
            }
        }
        Ok(())
    }

    /// Parses a keyword or string that is one of `words`, and returns its number.
    fn choice(&mut self, words: &[&str], what: &str) -> ParseResult<i64> {
        let token = self.token;
        let (word, _) = self.keyword_or_string(what)?;
        let number = words.iter().position(|&known| known == word);
        let number = number.and_then(|number| i64::try_from(number).ok());
        number.ok_or_else(|| error::expected(what, self.token_span(token)))
    }

    /// Parses `<a,b>` after the keyword, and returns the flags in table order, separated by `separator`.
    fn flag_set(&mut self, known: &[&str], all: &str, separator: &str) -> ParseResult<String> {
        self.expect(TokenKind::Less, "'<' before flags")?;
        let mut set = vec![false; known.len()];
        loop {
            let token = self.token;
            let word = self.str(token);
            match known.iter().position(|&flag| flag == word) {
                Some(i) => set[i] = true,
                None if word == all && !all.is_empty() => set.fill(true),
                None if word == "none" => {}
                None => return Err(self.expected("a flag")),
            }
            self.advance();
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Greater, "'>' after flags")?;
        Ok(if set.iter().all(|&set| !set) {
            "none".to_owned()
        } else if !all.is_empty() && set.iter().all(|&set| set) {
            all.to_owned()
        } else {
            let flags = known.iter().zip(&set).filter(|(_, set)| **set);
            flags.map(|(&flag, _)| flag).collect::<Vec<_>>().join(separator)
        })
    }

    fn flags(&mut self, parts: &mut OpParts, flags: FlagSyntax) -> ParseResult<()> {
        match flags {
            FlagSyntax::None => {}
            FlagSyntax::Overflow => {
                let set = if self.eat_keyword("overflow") {
                    self.flag_set(core_forms::OVERFLOW_FLAGS, "", ", ")?
                } else {
                    "none".to_owned()
                };
                let value = self.dialect_attr(&format!("arith.overflow<{set}>"));
                self.property(parts, "overflowFlags", value);
            }
            FlagSyntax::Exact => {
                if self.eat_keyword("exact") {
                    self.property(parts, "isExact", Context::UNIT);
                }
            }
            FlagSyntax::FastMath | FlagSyntax::OptionalFastMath | FlagSyntax::Rounding => {
                if flags == FlagSyntax::Rounding && self.is(TokenKind::Bare) && !self.is_keyword("fastmath") {
                    let mode = self.choice(core_forms::ROUNDING_MODES, "a rounding mode")?;
                    let value = self.context.integer_attr(mode, Context::I32);
                    self.property(parts, "roundingmode", value);
                }
                let set = if self.eat_keyword("fastmath") {
                    Some(self.flag_set(core_forms::FAST_MATH_FLAGS, "fast", ",")?)
                } else {
                    (flags == FlagSyntax::FastMath).then(|| "none".to_owned())
                };
                if let Some(set) = set {
                    let value = self.dialect_attr(&format!("arith.fastmath<{set}>"));
                    self.property(parts, "fastmath", value);
                }
            }
        }
        Ok(())
    }

    // Forms.

    fn arithmetic_form(
        &mut self,
        parts: &mut OpParts,
        operands: usize,
        flags: FlagSyntax,
        cast: bool,
    ) -> ParseResult<()> {
        self.operand(parts)?;
        for _ in 1..operands {
            self.comma()?;
            self.operand(parts)?;
        }
        self.flags(parts, flags)?;
        self.attr_dict(parts)?;
        self.colon()?;
        let ty = self.ty()?;
        parts.types.resize(operands, ty);
        let mut result = ty;
        if cast {
            if !self.eat_keyword("to") {
                return Err(self.expected("'to' and a type"));
            }
            result = self.ty()?;
        }
        parts.results.push(result);
        Ok(())
    }

    fn constant_form(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        self.attr_dict(parts)?;
        let token = self.token;
        let value = self.attr(None)?;
        let Some(ty) = self.context.attr_type(value) else {
            return Err(error::expected("an attribute with a type", self.span_from(token)));
        };
        self.property(parts, "value", value);
        parts.results.push(ty);
        Ok(())
    }

    fn compare_form(&mut self, form: CoreForm, parts: &mut OpParts) -> ParseResult<()> {
        let predicates = if form == CoreForm::CompareInts {
            core_forms::INT_PREDICATES
        } else {
            core_forms::FLOAT_PREDICATES
        };
        let predicate = self.choice(predicates, "a predicate")?;
        let predicate = self.context.integer_attr(predicate, Context::I64);
        self.comma()?;
        self.operand(parts)?;
        self.comma()?;
        self.operand(parts)?;
        if form == CoreForm::CompareFloats {
            self.flags(parts, FlagSyntax::FastMath)?;
        }
        self.property(parts, "predicate", predicate);
        self.attr_dict(parts)?;
        self.colon()?;
        let ty = self.ty()?;
        parts.types = vec![ty; 2];
        let result = self.context.with_element(ty, Context::I1);
        parts.results.push(result);
        Ok(())
    }

    fn select_form(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        let token = self.token;
        self.use_list(parts)?;
        if parts.uses.len() != 3 {
            return Err(error::expected("three operands", self.span_from(token)));
        }
        self.attr_dict(parts)?;
        self.colon()?;
        let first = self.ty()?;
        let (condition, ty) =
            if self.eat(TokenKind::Comma) { (first, self.ty()?) } else { (Context::I1, first) };
        parts.types = vec![condition, ty, ty];
        parts.results.push(ty);
        Ok(())
    }

    /// Parses a symbol without nested names.
    fn flat_symbol(&mut self) -> ParseResult<AttrId> {
        let token = self.token;
        let symbol = self.attr(None)?;
        match self.context.attr_kind(symbol) {
            AttrKind::SymbolRef { nested, .. } if nested.is_empty() => Ok(symbol),
            _ => Err(error::expected("a symbol without nested names", self.span_from(token))),
        }
    }

    fn call_form(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        let token = self.token;
        if !self.is(TokenKind::At) {
            return Err(self.expected("the symbol to call"));
        }
        let callee = self.flat_symbol()?;
        self.property(parts, "callee", callee);
        self.expect(TokenKind::LParen, "'(' before arguments")?;
        self.list_until(TokenKind::RParen, "')' after arguments", |p| p.operand(parts))?;
        self.attr_dict(parts)?;
        self.colon()?;
        let (inputs, results) = self.function_type()?;
        if inputs.len() != parts.uses.len() {
            return Err(error::operand_types(parts.uses.len(), inputs.len(), self.token_span(token)));
        }
        parts.types = inputs;
        parts.results = results;
        Ok(())
    }

    fn call_indirect_form(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        let token = self.token;
        self.operand(parts)?;
        self.expect(TokenKind::LParen, "'(' before arguments")?;
        self.list_until(TokenKind::RParen, "')' after arguments", |p| p.operand(parts))?;
        self.attr_dict(parts)?;
        self.colon()?;
        let (inputs, results) = self.function_type()?;
        if inputs.len() + 1 != parts.uses.len() {
            return Err(error::operand_types(parts.uses.len() - 1, inputs.len(), self.token_span(token)));
        }
        let callee =
            TypeKind::Function { inputs: inputs.as_slice().into(), results: results.as_slice().into() };
        parts.types = vec![self.context.intern_type(callee)];
        parts.types.extend(inputs);
        parts.results = results;
        Ok(())
    }

    fn function_constant_form(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        self.attr_dict(parts)?;
        if !self.is(TokenKind::At) {
            return Err(self.expected("the symbol of a function"));
        }
        let value = self.flat_symbol()?;
        self.property(parts, "value", value);
        self.colon()?;
        parts.results.push(self.ty()?);
        Ok(())
    }

    fn assert_form(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        self.operand(parts)?;
        parts.types.push(Context::I1);
        self.comma()?;
        if !self.is(TokenKind::Str) {
            return Err(self.expected("a message"));
        }
        let text = self.string_value(self.token);
        let value = self.context.string_attr(&text);
        self.advance();
        self.property(parts, "msg", value);
        self.attr_dict(parts)
    }

    fn extended_form(&mut self, form: CoreForm, parts: &mut OpParts) -> ParseResult<()> {
        self.operand(parts)?;
        self.comma()?;
        self.operand(parts)?;
        self.attr_dict(parts)?;
        self.colon()?;
        let ty = self.ty()?;
        parts.types = vec![ty; 2];
        let second = if form == CoreForm::ExtendedAdd {
            self.comma()?;
            self.ty()?
        } else {
            ty
        };
        parts.results = vec![ty, second];
        Ok(())
    }

    fn switch_form(&mut self, state: &mut FileState<'a>, parts: &mut OpParts) -> ParseResult<()> {
        self.operand(parts)?;
        self.colon()?;
        let token = self.token;
        let ty = self.ty()?;
        parts.types.push(ty);
        let Some(width) = self.context.integer_width(ty).filter(|&width| width > 0) else {
            return Err(error::expected("an integer type", self.span_from(token)));
        };
        self.comma()?;
        self.expect(TokenKind::LSquare, "'[' before the cases")?;
        if !self.eat_keyword("default") {
            return Err(self.expected("'default'"));
        }
        self.colon()?;
        let default = self.target(state, parts)?;
        let (mut data, mut sizes) = (Vec::new(), Vec::new());
        while self.eat(TokenKind::Comma) {
            let negative = self.eat(TokenKind::Minus);
            let number = self.token;
            if number.kind != TokenKind::Int {
                return Err(self.expected("a value"));
            }
            self.advance();
            elements::push_int(&mut data, &self.integer_value(number, ty, width, negative)?);
            self.colon()?;
            sizes.push(self.target(state, parts)?);
        }
        self.expect(TokenKind::RSquare, "']' after the cases")?;
        let cases = sizes.iter().fold(0i32, |sum, &size| sum.saturating_add(size));
        if !sizes.is_empty() {
            let shape = [i64::try_from(sizes.len()).expect("a list fits in memory")];
            let scalable = [false].into();
            let vector =
                self.context.intern_type(TypeKind::Vector { shape: shape.into(), scalable, element: ty });
            let (data, splat) = elements::splatted(ElementKind::Int { width }, data);
            let values = self.context.intern_attr(AttrKind::DenseElements { ty: vector, data, splat });
            self.property(parts, "case_values", values);
        }
        let segments = self.i32_array(&sizes);
        self.property(parts, "case_operand_segments", segments);
        let segments = self.i32_array(&[1, default, cases]);
        self.property(parts, "operandSegmentSizes", segments);
        self.attr_dict(parts)
    }

    /// Parses `^block(%a, %b : t, u)`, and returns the number of operands.
    fn target(&mut self, state: &mut FileState<'a>, parts: &mut OpParts) -> ParseResult<i32> {
        let token = self.token;
        let block = self.successor(state)?;
        parts.successors.push(block);
        if !self.eat(TokenKind::LParen) {
            return Ok(0);
        }
        let (uses, types) = (parts.uses.len(), parts.types.len());
        self.use_list(parts)?;
        self.colon()?;
        loop {
            parts.types.push(self.ty()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen, "')' after a successor's operands")?;
        let (uses, types) = (parts.uses.len() - uses, parts.types.len() - types);
        if uses != types {
            return Err(error::operand_types(uses, types, self.token_span(token)));
        }
        i32::try_from(uses).map_err(|_| error::too_large("the number of operands", self.token_span(token)))
    }

    fn cond_branch_form(&mut self, state: &mut FileState<'a>, parts: &mut OpParts) -> ParseResult<()> {
        self.operand(parts)?;
        parts.types.push(Context::I1);
        let mut weights = None;
        if self.eat_keyword("weights") {
            self.expect(TokenKind::LParen, "'(' before weights")?;
            self.expect(TokenKind::LSquare, "'[' before weights")?;
            let mut values = Vec::new();
            self.list_until(TokenKind::RSquare, "']' after weights", |p| {
                let token = p.token;
                let value = i32::try_from(p.i64("a weight")?).ok();
                values
                    .push(value.ok_or_else(|| error::expected("a weight of 32 bits", p.token_span(token)))?);
                Ok(())
            })?;
            self.expect(TokenKind::RParen, "')' after weights")?;
            weights = Some(self.i32_array(&values));
        }
        self.comma()?;
        let taken = self.target(state, parts)?;
        self.comma()?;
        let not_taken = self.target(state, parts)?;
        if let Some(weights) = weights {
            self.property(parts, "branch_weights", weights);
        }
        let segments = self.i32_array(&[1, taken, not_taken]);
        self.property(parts, "operandSegmentSizes", segments);
        self.attr_dict(parts)
    }

    fn i32_array(&mut self, values: &[i32]) -> AttrId {
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.context.intern_attr(AttrKind::DenseArray { element: Context::I32, data })
    }

    fn optional_symbol_name(&mut self, parts: &mut OpParts) {
        if self.is(TokenKind::At) {
            let name = self.symbol_name(self.token);
            self.advance();
            let value = self.context.string_attr(&name);
            self.property(parts, "sym_name", value);
        }
    }

    fn module_form(&mut self, parts: &mut OpParts) -> ParseResult<()> {
        self.optional_symbol_name(parts);
        if self.eat_keyword("attributes") {
            self.attr_dict(parts)?;
        }
        parts.body = Some(CustomBody::Module);
        Ok(())
    }

    fn func_form(&mut self, state: &mut FileState<'a>, parts: &mut OpParts) -> ParseResult<()> {
        if let word @ ("public" | "private" | "nested") = self.str(self.token) {
            self.advance();
            let value = self.context.string_attr(word);
            self.property(parts, "sym_visibility", value);
        }
        if !self.is(TokenKind::At) {
            return Err(self.expected("the function's symbol name"));
        }
        self.optional_symbol_name(parts);
        let mut inputs = Vec::new();
        let mut input_attrs = Vec::new();
        let mut arguments = Vec::new();
        self.expect(TokenKind::LParen, "'(' before arguments")?;
        self.list_until(TokenKind::RParen, "')' after arguments", |p| {
            let token = p.token;
            let named = p.eat(TokenKind::Percent);
            if !inputs.is_empty() && named == arguments.is_empty() {
                return Err(error::expected("all arguments with names or none", p.token_span(token)));
            }
            if named {
                p.colon()?;
            }
            let ty = p.ty()?;
            inputs.push(ty);
            input_attrs.push(p.optional_dictionary()?);
            let place = p.place(state, token);
            let loc = p.stated_loc(state, place)?;
            if named {
                arguments.push((token, ty, loc));
            }
            Ok(())
        })?;
        let mut results = Vec::new();
        let mut result_attrs = Vec::new();
        if self.eat(TokenKind::Arrow) {
            if self.eat(TokenKind::LParen) {
                self.list_until(TokenKind::RParen, "')' after result types", |p| {
                    results.push(p.ty()?);
                    result_attrs.push(p.optional_dictionary()?);
                    Ok(())
                })?;
            } else {
                results.push(self.ty()?);
            }
        }
        if self.eat_keyword("attributes") {
            let (token, before) = (self.token, parts.properties.len());
            self.attr_dict(parts)?;
            for &(name, _) in &parts.properties[before..] {
                let name = self.context.attr_name_text(name);
                if matches!(name, "sym_name" | "sym_visibility" | "function_type") {
                    return Err(error::inferred_attribute("func.func", name, self.token_span(token)));
                }
            }
        }
        let ty = TypeKind::Function { inputs: inputs.into(), results: results.into() };
        let ty = self.context.intern_type(ty);
        let ty = self.context.intern_attr(AttrKind::Type(ty));
        for (name, attrs) in [("arg_attrs", input_attrs), ("res_attrs", result_attrs)] {
            if attrs.iter().any(|&attr| attr != Context::EMPTY_DICTIONARY) {
                let value = self.context.intern_attr(AttrKind::Array(attrs.into()));
                self.property(parts, name, value);
            }
        }
        self.property(parts, "function_type", ty);
        parts.body = Some(CustomBody::Function(arguments));
        Ok(())
    }

    fn optional_dictionary(&mut self) -> ParseResult<AttrId> {
        if self.is(TokenKind::LBrace) { self.dictionary() } else { Ok(Context::EMPTY_DICTIONARY) }
    }
}
