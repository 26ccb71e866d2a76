//! The names of the attributes that the verifier reads.

use crate::host::AttrNameId;
use crate::ir::context::Context;

/// The ids of attribute names. An id is `None` if the context does not have the name.
pub(super) struct AttrNames {
    pub(super) arg_attrs: Option<AttrNameId>,
    pub(super) callee: Option<AttrNameId>,
    pub(super) case_operand_segments: Option<AttrNameId>,
    pub(super) case_values: Option<AttrNameId>,
    pub(super) fastmath: Option<AttrNameId>,
    pub(super) function_type: Option<AttrNameId>,
    pub(super) msg: Option<AttrNameId>,
    pub(super) operand_segment_sizes: Option<AttrNameId>,
    pub(super) overflow_flags: Option<AttrNameId>,
    pub(super) predicate: Option<AttrNameId>,
    pub(super) res_attrs: Option<AttrNameId>,
    pub(super) sym_name: Option<AttrNameId>,
    pub(super) sym_visibility: Option<AttrNameId>,
    pub(super) value: Option<AttrNameId>,
}

impl AttrNames {
    pub(super) fn new(context: &Context) -> Self {
        let find = |name| context.find_attr_name(name);
        Self {
            arg_attrs: find("arg_attrs"),
            callee: find("callee"),
            case_operand_segments: find("case_operand_segments"),
            case_values: find("case_values"),
            fastmath: find("fastmath"),
            function_type: find("function_type"),
            msg: find("msg"),
            operand_segment_sizes: find("operandSegmentSizes"),
            overflow_flags: find("overflowFlags"),
            predicate: find("predicate"),
            res_attrs: find("res_attrs"),
            sym_name: find("sym_name"),
            sym_visibility: find("sym_visibility"),
            value: find("value"),
        }
    }
}
