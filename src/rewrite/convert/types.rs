//! The conversion of the types of values.
//!
//! Specification: types are converted like in MLIR by a `TypeConverter` that has an identity conversion, added first,
//! and the same functions after it. The function that was added last is tried first, and a type that no function
//! converts is legal. In MLIR, such a type is an error without the identity conversion. The types of
//! [`TypeConverter::map`] are converted before any function is tried.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::host::{Ir, Refusal, Rewriter};

type ConvertFn<H> =
    dyn Fn(&mut H, <H as Ir>::Type) -> Result<Option<Vec<<H as Ir>::Type>>, Refusal> + Send + Sync;
pub(super) type MaterializeFn<H> = dyn Fn(
        &mut Rewriter<'_, H>,
        &[<H as Ir>::Value],
        &[<H as Ir>::Type],
    ) -> Result<Vec<<H as Ir>::Value>, Refusal>
    + Send
    + Sync;

/// The conversion of the types of values.
///
/// A type becomes any number of types: none, one, or several. A type that no conversion function converts is legal and
/// stays. A *source materialisation* computes a value of an original type from converted values, for operations that
/// are not converted. A *target materialisation* computes values of converted types from values of other types.
///
/// ```
/// use drrvm::ir::IrHost;
/// use drrvm::host::Bind;
/// use drrvm::rewrite::TypeConverter;
/// let converter = TypeConverter::<IrHost>::new().convert_with(|host, ty| {
///     let int = host.bind_type("!toy.int");
///     Ok((Some(ty) == int).then(|| host.bind_type("i32").into_iter().collect()))
/// });
/// # let _ = converter;
/// ```
pub struct TypeConverter<H: Ir> {
    functions: Vec<Arc<ConvertFn<H>>>,
    table: HashMap<H::Type, Vec<H::Type>>,
    pub(super) source: Option<Arc<MaterializeFn<H>>>,
    pub(super) target: Option<Arc<MaterializeFn<H>>>,
}

impl<H: Ir> Clone for TypeConverter<H> {
    fn clone(&self) -> Self {
        Self {
            functions: self.functions.clone(),
            table: self.table.clone(),
            source: self.source.clone(),
            target: self.target.clone(),
        }
    }
}

impl<H: Ir> Default for TypeConverter<H> {
    fn default() -> Self {
        Self { functions: Vec::new(), table: HashMap::new(), source: None, target: None }
    }
}

impl<H: Ir> TypeConverter<H> {
    /// A converter for which all types are legal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the conversion of the type `from` to the types `to`.
    #[must_use]
    pub fn map(mut self, from: H::Type, to: impl IntoIterator<Item = H::Type>) -> Self {
        self.table.insert(from, to.into_iter().collect());
        self
    }

    /// Adds a conversion function. It converts the types for which it returns types. Functions that are added later are
    /// tried first. Types of [`Self::map`] take precedence over all functions. An error means that the type cannot be
    /// converted.
    #[must_use]
    pub fn convert_with(
        mut self,
        convert: impl Fn(&mut H, H::Type) -> Result<Option<Vec<H::Type>>, Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.functions.push(Arc::new(convert));
        self
    }

    /// Registers the source materialisation. It gets converted values and the original type, and returns one value.
    #[must_use]
    pub fn source_materialization(
        mut self,
        make: impl Fn(&mut Rewriter<'_, H>, &[H::Value], &[H::Type]) -> Result<Vec<H::Value>, Refusal>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.source = Some(Arc::new(make));
        self
    }

    /// Registers the target materialisation. It gets values and the converted types, and returns one value of each
    /// type.
    #[must_use]
    pub fn target_materialization(
        mut self,
        make: impl Fn(&mut Rewriter<'_, H>, &[H::Value], &[H::Type]) -> Result<Vec<H::Value>, Refusal>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.target = Some(Arc::new(make));
        self
    }

    /// The types into which a type is converted; the type itself if it is legal.
    ///
    /// # Errors
    /// A conversion function states that the type cannot be converted.
    pub fn convert(&self, host: &mut H, ty: H::Type) -> Result<Vec<H::Type>, Refusal> {
        if let Some(to) = self.table.get(&ty) {
            return Ok(to.clone());
        }
        for function in self.functions.iter().rev() {
            if let Some(to) = function(host, ty)? {
                return Ok(to);
            }
        }
        Ok(vec![ty])
    }

    /// True if the conversion leaves a type unchanged.
    pub fn is_legal(&self, host: &mut H, ty: H::Type) -> bool {
        self.convert(host, ty).is_ok_and(|to| to == [ty])
    }
}
