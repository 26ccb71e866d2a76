//! Numbers of a fixed width or format.

use drrvm::host::{ApFloat, ApInt, FloatFormat};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

/// The maximum width of an integer that Python creates.
const WIDTH_LIMIT: u32 = 1 << 16;

/// An integer of a fixed width.
#[pyclass(name = "APInt", frozen, eq, module = "drrvm")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PyApInt(pub(crate) ApInt);

#[pymethods]
impl PyApInt {
    /// An integer with this number of bits. The value must fit, as a signed or an unsigned number.
    #[new]
    fn new(value: &Bound<'_, PyInt>, width: u32) -> PyResult<Self> {
        from_python(value, width).map(Self)
    }

    /// The number of bits.
    #[getter]
    fn width(&self) -> u32 {
        self.0.width()
    }

    /// The value as a signed number.
    #[getter]
    fn signed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0, true)
    }

    /// The value as an unsigned number.
    #[getter]
    fn unsigned<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0, false)
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.signed(py)
    }

    fn __hash__(&self) -> u64 {
        self.0.to_le_bytes().iter().fold(u64::from(self.0.width()), |hash, &byte| {
            hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte)
        })
    }

    fn __repr__(&self) -> String {
        format!("APInt({}, {})", self.0.to_signed_string(), self.0.width())
    }
}

/// A Python integer as an integer of this width.
pub(crate) fn from_python(value: &Bound<'_, PyInt>, width: u32) -> PyResult<ApInt> {
    if width > WIDTH_LIMIT {
        return Err(PyValueError::new_err(format!("an integer has at most {WIDTH_LIMIT} bits, not {width}")));
    }
    let bits: u32 = value.call_method0("bit_length")?.extract()?;
    let negative = value.lt(0)?;
    // A negative number needs one bit more than `bit_length`, unless it is the smallest number of its width.
    let smallest = negative && value.neg()?.call_method0("bit_count")?.extract::<u32>()? == 1;
    if bits + u32::from(negative && !smallest) > width {
        return Err(PyValueError::new_err(format!("{value} does not fit in {width} bits")));
    }
    let length = (width as usize).div_ceil(8) + 1;
    let kwargs = pyo3::types::PyDict::new(value.py());
    kwargs.set_item("signed", true)?;
    let bytes = value.call_method("to_bytes", (length, "little"), Some(&kwargs))?;
    Ok(ApInt::from_le_bytes(width, bytes.cast::<PyBytes>()?.as_bytes()))
}

/// The Python integer with the value of an integer of a fixed width.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &ApInt, signed: bool) -> PyResult<Bound<'py, PyAny>> {
    let small = if signed { value.to_i64().map(i128::from) } else { value.to_u64().map(i128::from) };
    if let Some(small) = small.and_then(|small| i64::try_from(small).ok()) {
        return Ok(small.into_pyobject(py)?.into_any());
    }
    let width = value.width().div_ceil(8) * 8;
    let whole = if signed { value.sext_or_trunc(width) } else { value.zext_or_trunc(width) };
    let kwargs = pyo3::types::PyDict::new(py);
    kwargs.set_item("signed", signed)?;
    let bytes = PyBytes::new(py, &whole.to_le_bytes());
    py.get_type::<PyInt>().call_method("from_bytes", (bytes, "little"), Some(&kwargs))
}

/// A float of a named format.
#[pyclass(name = "APFloat", frozen, module = "drrvm")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct PyApFloat(pub(crate) ApFloat);

#[pymethods]
impl PyApFloat {
    /// The float of a format (`"f32"`, `"bf16"`, …) that is nearest to a value.
    #[new]
    #[pyo3(signature = (value, format = "f64"))]
    fn new(value: f64, format: &str) -> PyResult<Self> {
        let format = FloatFormat::from_name(format)
            .ok_or_else(|| PyValueError::new_err(format!("'{format}' is not a format of floats")))?;
        Ok(Self(ApFloat::from_f64(format, value)))
    }

    /// The name of the format: `"f32"`.
    #[getter]
    fn format(&self) -> &'static str {
        self.0.format().name()
    }

    /// The bits of the representation.
    #[getter]
    fn bits(&self) -> u128 {
        self.0.to_bits()
    }

    fn __float__(&self) -> f64 {
        self.0.to_f64()
    }

    /// Two floats are equal if they have the same format and bits, so that a NaN is equal to itself.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyApFloat>().is_ok_and(|other| {
            let other = other.get().0;
            self.0.format() == other.format() && self.0.to_bits() == other.to_bits()
        })
    }

    fn __hash__(&self) -> u64 {
        let bits = self.0.to_bits().to_le_bytes();
        bits.iter().fold(0, |hash: u64, &byte| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte))
    }

    fn __repr__(&self) -> String {
        format!("APFloat({:?}, {:?})", self.0.to_f64(), self.0.format().name())
    }
}
