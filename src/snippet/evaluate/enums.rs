//! Built-ins over enumerations.

use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{Args, AttrRef, Evaluated, Val};
use crate::host::{Facets, Refusal, Signedness, TypeKind};
use crate::id::Id;
use crate::snippet::data::{Builtin, Cases, EnumId};
use crate::snippet::text::unquote;

impl<'a, H: Facets> Evaluator<'a, H> {
    /// The cases of the enumeration that a built-in takes as an argument.
    pub(super) fn cases(&mut self, of: &Val<H>) -> Result<&'a Cases, Refusal> {
        let id = usize::try_from(of.int()?).ok().and_then(EnumId::try_from_index);
        let Some(cases) = id.and_then(|id| self.entries(id)) else { return fail("the snippet is malformed") };
        self.step(cases.entries.len() as u64)?;
        Ok(cases)
    }

    /// The cases of an enumeration of the table.
    pub(super) fn entries(&self, id: EnumId) -> Option<&'a Cases> {
        self.linked.enums.get(id)
    }

    /// The value of an enumeration that a text in an attribute or type denotes.
    pub(super) fn enum_of_text(&self, text: &str, id: EnumId) -> Result<u64, Refusal> {
        let text = if text.starts_with('"') { unquote(text) } else { text.trim().into() };
        let value = self.entries(id).and_then(|cases| cases.of_text(&text));
        value.ok_or_else(|| Refusal::new("an attribute does not hold a value of the enumeration"))
    }

    pub(super) fn call_enums(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        let of = args.take(0);
        let cases = self.cases(&args.take(1))?;
        let found = match op {
            Builtin::EnumOfText => cases.symbolized(&self.string(&of)?),
            _ => {
                let Ok(number) = u64::try_from(of.int()?) else { return Ok(Val::Null) };
                if op == Builtin::EnumText {
                    return Ok(Val::str(cases.text(number).unwrap_or_default()));
                }
                cases.of_number(number)
            }
        };
        Ok(found.map_or(Val::Null, |value| Val::Int(i128::from(value))))
    }

    /// True if an attribute is a signless integer of this width and a value of the enumeration.
    pub(super) fn holds_enum(&self, a: &AttrRef<H>, width: u32, id: EnumId) -> bool {
        let signless = TypeKind::Integer { width, signedness: Signedness::Signless };
        let typed = self.attr_type(a).is_some_and(|t| self.type_kind(&t) == signless);
        let (true, Some(cases)) = (typed, self.entries(id)) else { return false };
        self.attr_int(a).and_then(|value| cases.of_number(value.to_u64()?)).is_some()
    }

    /// The value of an enumeration that an attribute holds.
    pub(super) fn enum_value(&self, a: &AttrRef<H>, id: EnumId) -> Result<u64, Refusal> {
        if let Some(value) = self.attr_int(a) {
            return value
                .to_u64()
                .ok_or_else(|| Refusal::new("the value of an enumeration does not fit in 64 bits"));
        }
        let text = self.attr_text(a);
        let parameter = |class| {
            let found = self.snippets.read_body(class, &text).ok()?;
            found.first().copied().flatten()
        };
        // Without a known format, the value is the text in brackets.
        let written = self
            .snippets
            .class_of_text(&text)
            .and_then(parameter)
            .or_else(|| text.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>')));
        self.enum_of_text(written.unwrap_or_default(), id)
    }
}
