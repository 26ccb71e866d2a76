//! The traits for syntax that only C++ code describes upstream.
//!
//! A [`CustomForm`] reads and prints one operation. A [`CustomDirective`] reads and prints one `custom<Name>(…)` of a
//! format. Both access the text through [`FormReader`] and [`FormPrinter`], so that they depend on neither parser nor
//! printer.

use std::fmt::Debug;

use super::format::DirectiveArg;
use crate::intern::StrId;
use crate::ir::attributes::AttrKind;
use crate::ir::ids::{AttrId, BlockId, LocId, RegionId, TypeId, ValueId};
use crate::ir::types::TypeKind;
use crate::source::Diagnostic;

/// The result of a function that reads text.
pub type FormResult<T> = Result<T, Box<Diagnostic>>;

/// The custom form of an operation.
pub trait CustomForm: Debug + Send + Sync {
    /// Reads the text after the name of the operation.
    ///
    /// Equal texts must have equal results. The parser can skip the call for a line that differs from an earlier line
    /// only in the names of values, unless this function called [`FormReader::operand_text`] or
    /// [`FormReader::result_name`] for the earlier line.
    ///
    /// # Errors
    /// The text is not in this form.
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()>;

    /// Prints the text after the name of the operation. Returns `None` if the form cannot express the operation, which
    /// is then printed in generic form.
    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()>;

    /// True if the attributes in `arg_attrs` of a function with a body can get aliases. Most printers of MLIR do not
    /// visit these attributes.
    fn aliases_argument_attributes(&self) -> bool {
        false
    }
}

/// A directive of formats, `custom<Name>(…)`.
pub trait CustomDirective: Debug + Send + Sync {
    /// Reads the text of the directive, and sets the values of the arguments.
    ///
    /// Equal texts must have equal results, as in [`CustomForm::read`].
    ///
    /// # Errors
    /// The text is not in this form.
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()>;

    /// Reads the directive if the text starts with it. An optional group calls this function for its first element.
    ///
    /// # Errors
    /// The text starts with the directive, but is not in this form.
    fn read_optional(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<bool> {
        self.read(reader, args).map(|()| true)
    }

    /// Prints the directive. Returns `None` if it cannot express the operation, which is then printed in generic form.
    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()>;
}

/// The name of an operand in the text. The value is found when the type of the operand is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandName(pub(in crate::ir) u32);

/// A position in the text that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextMark(pub(in crate::ir) usize);

/// A block argument in the text of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Its name.
    pub name: OperandName,
    /// Its type.
    pub ty: TypeId,
    /// Its attributes, a dictionary.
    pub attrs: AttrId,
    /// Its location.
    pub loc: LocId,
}

/// The text of an operation that is being read, and the parts of the operation found so far.
///
/// Methods whose name starts with `optional` return `None` or `false` if the text does not start with the item, and
/// then consume nothing.
pub trait FormReader {
    // Tokens.

    /// Reads a keyword or punctuation.
    ///
    /// # Errors
    /// The text does not start with it.
    fn literal(&mut self, text: &str) -> FormResult<()>;
    /// Reads a keyword or punctuation if the text starts with it.
    fn optional_literal(&mut self, text: &str) -> bool;
    /// The current position.
    fn mark(&self) -> TextMark;
    /// Returns to an earlier position, so that the text after it is read again.
    fn return_to(&mut self, mark: TextMark);
    /// True if the text starts with this keyword or punctuation.
    fn is_literal(&self, text: &str) -> bool;
    /// Reads any keyword.
    fn optional_keyword(&mut self) -> Option<String>;
    /// Reads an integer.
    ///
    /// # Errors
    /// The integer does not fit in 64 bits, or no integer follows a `-`.
    fn optional_integer(&mut self) -> FormResult<Option<i64>>;
    /// Reads a string in quotes.
    fn optional_string(&mut self) -> Option<String>;
    /// Reads `@name`.
    fn optional_symbol(&mut self) -> Option<String>;
    /// An error at the current position that states what is expected there.
    fn expected(&self, what: &str) -> Box<Diagnostic>;
    /// An error at the name of the operation.
    fn fail(&self, message: &str) -> Box<Diagnostic>;
    /// The name of the operation.
    fn op_name(&self) -> String;
    /// The name of the first result in the text, without `%`. Returns `None` if the text does not name the results.
    fn result_name(&self) -> Option<String>;

    // Operands, types, attributes.

    /// Reads `%name` or `%name#1`.
    ///
    /// # Errors
    /// The text does not start with a name.
    fn operand(&mut self) -> FormResult<OperandName>;
    /// The text of an operand, `%name` or `%name#1`.
    fn operand_text(&self, name: OperandName) -> String;
    /// Reads sizes with `x` between them, `3x?x5`, up to the first item that is not a size.
    ///
    /// # Errors
    /// A size is too large.
    fn sizes(&mut self) -> FormResult<Vec<i64>>;
    /// True if the text starts with `%`.
    fn is_operand(&self) -> bool;
    /// Reads a type.
    ///
    /// # Errors
    /// The text does not start with a type.
    fn ty(&mut self) -> FormResult<TypeId>;
    /// True if the text starts with a type.
    fn is_type(&self) -> bool;
    /// Reads the list after a `->` that the caller has read: one type, or types in parentheses.
    ///
    /// # Errors
    /// The text does not start with such a list.
    fn result_types(&mut self) -> FormResult<Vec<TypeId>>;
    /// Reads an attribute. If `ty` is given, it is the type of the attribute, and no type follows in the text.
    ///
    /// # Errors
    /// The text does not start with an attribute.
    fn attribute(&mut self, ty: Option<TypeId>) -> FormResult<AttrId>;
    /// Reads an attribute of a class `#dialect.name` without its class.
    ///
    /// # Errors
    /// The text does not have the format of the class.
    fn stripped(&mut self, class: &str) -> FormResult<AttrId>;
    /// Reads an optional dictionary, and adds its entries to the attributes of the operation. If `keyword` is true, the
    /// word `attributes` precedes it.
    ///
    /// # Errors
    /// The text starts with a malformed dictionary, or the dictionary repeats an attribute that the operation already
    /// has from a custom form or from a list of properties.
    fn attr_dict(&mut self, keyword: bool) -> FormResult<()>;
    /// Adds the entries of a dictionary to the attributes of the operation.
    ///
    /// # Errors
    /// The dictionary repeats an attribute that the operation already has from a custom form or from a list of
    /// properties.
    fn add_attributes(&mut self, dictionary: AttrId) -> FormResult<()>;
    /// Reads an optional dictionary.
    ///
    /// # Errors
    /// The text starts with a dictionary that is malformed.
    fn optional_dictionary(&mut self) -> FormResult<Option<AttrId>>;
    /// Reads an optional `loc(…)`. If there is no location, returns the position of the name in the text, or of the
    /// current token if `name` is `None`.
    ///
    /// # Errors
    /// The location is malformed.
    fn argument_loc(&mut self, name: Option<OperandName>) -> FormResult<LocId>;

    // Regions and successors.

    /// Reads a region in braces. Its entry block gets the arguments.
    ///
    /// # Errors
    /// The text does not start with a region.
    fn region(&mut self, arguments: &[Argument]) -> FormResult<RegionId>;
    /// Reads a region in braces. Its entry block gets the arguments, unless the block has a label.
    ///
    /// # Errors
    /// The text does not start with a region.
    fn labelled_region(&mut self, arguments: &[Argument]) -> FormResult<RegionId>;
    /// Creates a region without blocks.
    fn empty_region(&mut self) -> RegionId;
    /// Appends an operation without operands to the last block of a region, unless the block ends with this operation
    /// or with another terminator. A region without blocks first gets a block.
    fn ensure_terminator(&mut self, region: RegionId, op: &str);
    /// True if a region has no block.
    fn is_empty(&self, region: RegionId) -> bool;
    /// Adds a block with arguments to a region, and returns the values of the arguments.
    fn add_block(&mut self, region: RegionId, types: &[TypeId]) -> Vec<ValueId>;
    /// True if the last block of a region ends with this operation or with another terminator.
    fn is_terminated(&self, region: RegionId, op: &str) -> bool;
    /// The results of the last operation in the last block of a region.
    fn last_results(&self, region: RegionId) -> Vec<ValueId>;
    /// The type of a value.
    fn value_type(&self, value: ValueId) -> TypeId;
    /// The value of this type that an operand names.
    ///
    /// # Errors
    /// The value has another type.
    fn resolve(&mut self, operand: OperandName, ty: TypeId) -> FormResult<ValueId>;
    /// Appends an operation to the last block of a region, and returns its results. The operation also gets each
    /// property that has a default value and is not in `properties`.
    fn append(
        &mut self,
        region: RegionId,
        op: &str,
        operands: &[ValueId],
        properties: &[(&str, AttrId)],
        results: &[TypeId],
        regions: &[RegionId],
    ) -> Vec<ValueId>;
    /// Reads `^name`.
    ///
    /// # Errors
    /// The text does not start with the name of a block.
    fn successor(&mut self) -> FormResult<BlockId>;
    /// True if the text starts with `^`.
    fn is_successor(&self) -> bool;

    // The parts of the operation, for forms.

    /// Appends operands of these types.
    ///
    /// # Errors
    /// The numbers of operands and types differ.
    fn add_operands(&mut self, operands: &[OperandName], types: &[TypeId]) -> FormResult<()>;
    /// Appends results.
    fn add_results(&mut self, types: &[TypeId]);
    /// Appends a region.
    fn add_region(&mut self, region: RegionId);
    /// Appends a successor.
    fn add_successor(&mut self, block: BlockId);
    /// Sets an inherent attribute. If a custom form sets an attribute that the operation already has, the text is
    /// refused.
    fn set(&mut self, name: &str, value: AttrId);
    /// Sets an inherent attribute, even if the operation already has it.
    fn replace(&mut self, name: &str, value: AttrId);
    /// The value of an attribute that was read or set.
    fn get(&self, name: &str) -> Option<AttrId>;
    /// Sets a discardable attribute. If a custom form sets an attribute that the operation already has, the text is
    /// refused.
    fn set_discardable(&mut self, name: &str, value: AttrId);

    // The arguments of directives.

    /// Sets the operands of an argument.
    fn put_operands(&mut self, arg: &DirectiveArg, operands: &[OperandName]);
    /// Sets the operands of an argument that is a list of lists.
    fn put_operand_lists(&mut self, arg: &DirectiveArg, lists: &[Vec<OperandName>]);
    /// Sets the types of an argument.
    fn put_types(&mut self, arg: &DirectiveArg, types: &[TypeId]);
    /// Sets the attribute of an argument.
    fn put_attribute(&mut self, arg: &DirectiveArg, value: AttrId);
    /// Sets the regions of an argument.
    fn put_regions(&mut self, arg: &DirectiveArg, regions: &[RegionId]);
    /// Sets the successors of an argument.
    fn put_successors(&mut self, arg: &DirectiveArg, successors: &[BlockId]);
    /// The number of operands that an argument has so far.
    fn operand_count(&self, arg: &DirectiveArg) -> usize;
    /// The operands that an argument has so far.
    fn operands_of(&self, arg: &DirectiveArg) -> Vec<OperandName>;
    /// The types that an argument has so far.
    fn types_of(&self, arg: &DirectiveArg) -> Vec<TypeId>;
    /// The attribute that an argument has so far.
    fn attribute_of(&self, arg: &DirectiveArg) -> Option<AttrId>;

    // The context.

    /// The kind of a type.
    fn type_kind(&self, ty: TypeId) -> &TypeKind;
    /// The kind of an attribute.
    fn attr_kind(&self, attr: AttrId) -> &AttrKind;
    /// Interns a type.
    fn intern_type(&mut self, kind: TypeKind) -> TypeId;
    /// Interns an attribute.
    fn intern_attr(&mut self, kind: AttrKind) -> AttrId;
    /// A type from its text.
    ///
    /// # Errors
    /// The text is not a type.
    fn type_of_text(&mut self, text: &str) -> FormResult<TypeId>;
    /// An attribute from its text.
    ///
    /// # Errors
    /// The text is not an attribute.
    fn attr_of_text(&mut self, text: &str) -> FormResult<AttrId>;
    /// The text of an interned string.
    fn str(&self, id: StrId) -> &str;
    /// A string attribute.
    fn string_attr(&mut self, text: &str) -> AttrId;
    /// A dictionary from entries in any order.
    fn dictionary_of(&mut self, entries: &[(&str, AttrId)]) -> AttrId;
    /// The entries of a dictionary, with their names.
    fn entries(&self, attr: AttrId) -> Vec<(String, AttrId)>;
    /// The type of a typed attribute.
    fn type_of_attr(&self, attr: AttrId) -> Option<TypeId>;
    /// The text of a type.
    fn type_text(&self, ty: TypeId) -> String;
    /// The text of an attribute.
    fn attr_text(&self, attr: AttrId) -> String;
}

/// An operation inside the operation that is being printed.
#[derive(Clone, Debug)]
pub struct PrintedOp {
    /// Its name.
    pub name: String,
    /// Its operands.
    pub operands: Vec<ValueId>,
    /// Its results.
    pub results: Vec<ValueId>,
    /// Its inherent attributes, a dictionary.
    pub properties: AttrId,
    /// Its discardable attributes, a dictionary.
    pub attrs: AttrId,
    /// Its regions.
    pub regions: Vec<RegionId>,
}

/// The text of an operation that is being printed, and the operation.
pub trait FormPrinter {
    // Text.

    /// Writes a text.
    fn text(&mut self, text: &str);
    /// Writes a line break and the indentation of the operation, increased by `levels` levels.
    fn newline(&mut self, levels: usize);
    /// Writes a value.
    fn value(&mut self, value: ValueId);
    /// The name of a value as [`FormPrinter::value`] writes it.
    fn value_text(&self, value: ValueId) -> String;
    /// Writes values with `, ` between them.
    fn values(&mut self, values: &[ValueId]);
    /// Writes a type.
    fn ty(&mut self, ty: TypeId);
    /// Writes types with `, ` between them.
    fn types(&mut self, types: &[TypeId]);
    /// Writes ` -> type` or ` -> (types)`, or nothing for no types.
    fn arrow_types(&mut self, types: &[TypeId]);
    /// Writes `(inputs) -> results`.
    fn function_type(&mut self, inputs: &[TypeId], results: &[TypeId]);
    /// Writes an attribute.
    fn attribute(&mut self, attr: AttrId);
    /// Writes an attribute without its type.
    fn attribute_without_type(&mut self, attr: AttrId);
    /// Writes an attribute without its class. Writes the whole attribute if it has another class.
    fn stripped(&mut self, class: &str, attr: AttrId);
    /// Writes `@name`.
    fn symbol(&mut self, name: &str);
    /// Writes a string in quotes.
    fn string(&mut self, text: &str);
    /// Writes a space and the attributes of the operation except those in `elided`, or nothing if no attribute is left.
    /// If `keyword` is true, the word `attributes` precedes them.
    fn attr_dict(&mut self, keyword: bool, elided: &[&str]);
    /// Writes a space and a dictionary, or nothing if it is empty.
    fn optional_dictionary(&mut self, attr: AttrId);
    /// Writes a region. The flags state if the arguments of the entry block and the terminators are printed.
    fn region(&mut self, region: RegionId, arguments: bool, terminators: bool);
    /// Writes a region whose text is indented by `levels` levels more than the operation.
    fn nested_region(&mut self, region: RegionId, levels: usize);
    /// Writes the first operation of a block without its results and without a line break.
    fn inline_op(&mut self, block: BlockId);
    /// Writes a block name.
    fn successor(&mut self, block: BlockId);
    /// Writes a location, if locations are printed.
    fn location(&mut self, loc: LocId);

    // The operation.

    /// The name of the operation.
    fn op_name(&self) -> String;
    /// Its operands.
    fn operands(&self) -> Vec<ValueId>;
    /// Its results.
    fn results(&self) -> Vec<ValueId>;
    /// Its regions.
    fn regions(&self) -> Vec<RegionId>;
    /// Its successors.
    fn successors(&self) -> Vec<BlockId>;
    /// All its attributes, inherent or not, with their names.
    fn all_entries(&self) -> Vec<(String, AttrId)>;
    /// One of its attributes, inherent or not.
    fn get(&self, name: &str) -> Option<AttrId>;
    /// The type of a value.
    fn value_type(&self, value: ValueId) -> TypeId;
    /// The blocks of a region.
    fn blocks(&self, region: RegionId) -> Vec<BlockId>;
    /// The arguments of a block.
    fn arguments(&self, block: BlockId) -> Vec<ValueId>;
    /// The location of a block argument.
    fn argument_loc(&self, block: BlockId, index: usize) -> LocId;
    /// The names of a block's operations, in order.
    fn op_names(&self, block: BlockId) -> Vec<String>;
    /// An operation of a block, by its index.
    fn op_at(&self, block: BlockId, index: usize) -> Option<PrintedOp>;
    /// The operands of the last operation of a block.
    fn last_operands(&self, block: BlockId) -> Vec<ValueId>;
    /// True if the last operation of the first block has no operands, results, attributes or properties. Also true if
    /// the region has no block, or if its first block is empty.
    fn ends_plainly(&self, region: RegionId) -> bool;
    /// The operands or results of the group that an argument refers to.
    fn group(&self, arg: &DirectiveArg) -> Vec<ValueId>;
    /// The types of an argument.
    fn types_of(&self, arg: &DirectiveArg) -> Vec<TypeId>;
    /// The attribute of an argument.
    fn attribute_of(&self, arg: &DirectiveArg) -> Option<AttrId>;
    /// The regions of an argument.
    fn regions_of(&self, arg: &DirectiveArg) -> Vec<RegionId>;
    /// The successors of an argument.
    fn successors_of(&self, arg: &DirectiveArg) -> Vec<BlockId>;
    /// True if the operation has an attribute whose name is not in `names`.
    fn has_attributes_but(&self, names: &[&str]) -> bool;
    /// The sizes of groups that the `DenseI32ArrayAttr` with this name lists.
    fn sizes(&self, name: &str) -> Option<Vec<usize>>;

    // The context.

    /// The kind of a type.
    fn type_kind(&self, ty: TypeId) -> &TypeKind;
    /// The kind of an attribute.
    fn attr_kind(&self, attr: AttrId) -> &AttrKind;
    /// The text of an interned string.
    fn str(&self, id: StrId) -> &str;
    /// The text of an attribute.
    fn attr_text(&self, attr: AttrId) -> String;
    /// The text of a type.
    fn type_text(&self, ty: TypeId) -> String;
    /// The entries of a dictionary, with their names.
    fn entries(&self, attr: AttrId) -> Vec<(String, AttrId)>;
    /// The type of a typed attribute.
    fn type_of_attr(&self, attr: AttrId) -> Option<TypeId>;
}
