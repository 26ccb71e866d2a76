//! The traits for texts of attributes and types that only C++ code describes upstream.

use std::fmt::Debug;

use super::form::FormResult;
use crate::ir::attributes::AttrKind;
use crate::ir::ids::AttrId;

/// A form for the text of a class, `#dialect.name` for attributes or `!dialect.name` for types.
///
/// Texts with the same meaning must be transcribed to the same text: the text that MLIR prints.
pub trait ClassForm: Debug + Send + Sync {
    /// Reads the text after the class, and writes the text that the printer of the class writes.
    ///
    /// # Errors
    /// The text is not of this class, or this form cannot read it. The parser can then keep the text as it is written.
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()>;

    /// The alias name that C++ code of the dialect suggests for attributes or types of the class.
    fn alias(&self) -> Option<&str> {
        None
    }
}

/// The text of an attribute or type that is being transcribed.
///
/// Methods whose name starts with `optional` or `skip` consume nothing if the text does not start with the item.
pub trait ClassText {
    /// Reads and writes a keyword or punctuation.
    ///
    /// # Errors
    /// The text does not start with it.
    fn literal(&mut self, text: &str) -> FormResult<()>;
    /// True if the text starts with this keyword, punctuation, or class with sigil.
    fn is_literal(&self, text: &str) -> bool;
    /// Reads a keyword, punctuation, or class with sigil if the text starts with it, and writes nothing.
    fn skip(&mut self, text: &str) -> bool;
    /// Reads a keyword, punctuation, or class with sigil, and writes nothing.
    ///
    /// # Errors
    /// The text does not start with it.
    fn consume(&mut self, text: &str) -> FormResult<()> {
        if self.skip(text) { Ok(()) } else { Err(self.expected(&format!("'{text}'"))) }
    }
    /// Reads the `x` between sizes, even if other letters follow it.
    fn skip_x(&mut self) -> bool;
    /// Writes a text.
    fn write(&mut self, text: &str);
    /// Reads a keyword.
    fn optional_keyword(&mut self) -> Option<String>;
    /// Reads a string in quotes.
    fn optional_string(&mut self) -> Option<String>;
    /// Writes a string in quotes.
    fn write_string(&mut self, text: &str);
    /// Reads an integer.
    fn optional_integer(&mut self) -> Option<i64>;
    /// Reads an integer or a float.
    fn optional_number(&mut self) -> Option<f64>;
    /// Reads the text up to a comma or closing bracket that is not inside other brackets, without the white space
    /// around this text.
    fn item(&mut self) -> String;
    /// True if the text starts with a type.
    fn is_type(&self) -> bool;
    /// Reads and writes a type.
    ///
    /// # Errors
    /// The text does not start with a type.
    fn ty(&mut self) -> FormResult<()>;
    /// Reads and writes a type. If the type belongs to the dialect, the name of the dialect is not written. The text
    /// that is read may omit this name before the type names in `names`.
    ///
    /// # Errors
    /// The text does not start with a type.
    fn type_of_dialect(&mut self, dialect: &str, names: &[&str]) -> FormResult<()>;
    /// Writes the type with the text `ty`.
    ///
    /// # Errors
    /// The text is not a type.
    fn write_type(&mut self, ty: &str) -> FormResult<()>;
    /// Reads and writes an attribute.
    ///
    /// # Errors
    /// The text does not start with an attribute.
    fn attribute(&mut self) -> FormResult<()> {
        let attr = self.read_attribute()?;
        self.write_attribute(attr)
    }
    /// Reads an attribute, and writes nothing.
    ///
    /// # Errors
    /// The text does not start with an attribute.
    fn read_attribute(&mut self) -> FormResult<AttrId>;
    /// Writes an attribute.
    ///
    /// # Errors
    /// The text becomes too long.
    fn write_attribute(&mut self, attr: AttrId) -> FormResult<()>;
    /// The kind of an attribute.
    fn attr_kind(&self, attr: AttrId) -> &AttrKind;
    /// The entries of a dictionary, with their names.
    fn entries(&self, attr: AttrId) -> Vec<(String, AttrId)>;
    /// Reads an attribute, and writes it without the type after it.
    ///
    /// # Errors
    /// The text does not start with an attribute.
    fn attribute_without_type(&mut self) -> FormResult<()>;
    /// The text that MLIR prints for the attribute with the text `attribute`.
    ///
    /// # Errors
    /// The text is not an attribute.
    fn printed(&mut self, attribute: &str) -> FormResult<String>;
    /// An error at the current position that states what is expected there.
    fn expected(&self, what: &str) -> Box<crate::source::Diagnostic>;
}
