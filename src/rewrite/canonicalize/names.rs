//! The operations that canonicalisation knows without definitions.

use crate::host::{AttrNameId, Bind, Effects, OpNameId, OpProperties};
use crate::rewrite::op_facts::OpFacts;

macro_rules! names {
    ($($field:ident $text:literal;)*) => {
        /// The host's numbers of the names that folds and rules look for.
        pub(super) struct Names {
            $(pub(super) $field: OpNameId,)*
            pub(super) attr: AttrNames,
        }

        impl Names {
            pub(super) fn bind<H: Bind>(host: &mut H) -> Self {
                Self { $($field: host.bind_op_name($text),)* attr: AttrNames::bind(host) }
            }
        }
    };
}
names! {
    constant "arith.constant";
    addi "arith.addi";
    subi "arith.subi";
    muli "arith.muli";
    andi "arith.andi";
    xori "arith.xori";
    extsi "arith.extsi";
    extui "arith.extui";
    trunci "arith.trunci";
    extf "arith.extf";
    truncf "arith.truncf";
    negf "arith.negf";
    cmpi "arith.cmpi";
    sitofp "arith.sitofp";
    uitofp "arith.uitofp";
    select "arith.select";
    br "cf.br";
    cond_br "cf.cond_br";
    switch "cf.switch";
    call "func.call";
    func_constant "func.constant";
    cast "builtin.unrealized_conversion_cast";
    tensor_cast "tensor.cast";
    memref_cast "memref.cast";
    poison "ub.poison";
    unreachable "ub.unreachable";
}

macro_rules! attr_names {
    ($($field:ident $text:literal;)*) => {
        /// The host's numbers of attribute names.
        pub(super) struct AttrNames {
            $(pub(super) $field: AttrNameId,)*
        }

        impl AttrNames {
            fn bind<H: Bind>(host: &mut H) -> Self {
                Self { $($field: host.bind_attr_name($text),)* }
            }
        }
    };
}
attr_names! {
    value "value";
    overflow "overflowFlags";
    fast_math "fastmath";
    predicate "predicate";
    sizes "operandSegmentSizes";
    case_sizes "case_operand_segments";
    case_values "case_values";
    weights "branch_weights";
    callee "callee";
}

/// The operations of `arith` that are neither commutative nor constants.
const ORDERED: &[&str] = &[
    "subi",
    "divui",
    "divsi",
    "ceildivui",
    "ceildivsi",
    "floordivsi",
    "remui",
    "remsi",
    "shli",
    "shrui",
    "shrsi",
    "negf",
    "subf",
    "divf",
    "remf",
    "extui",
    "extsi",
    "extf",
    "trunci",
    "truncf",
    "uitofp",
    "sitofp",
    "fptoui",
    "fptosi",
    "index_cast",
    "index_castui",
    "bitcast",
    "cmpi",
    "cmpf",
    "select",
    "scaling_extf",
    "scaling_truncf",
];

const COMMUTATIVE: &[&str] = &[
    "addi",
    "addui_extended",
    "muli",
    "mulsi_extended",
    "mului_extended",
    "andi",
    "ori",
    "xori",
    "addf",
    "mulf",
    "maximumf",
    "maxnumf",
    "maxsi",
    "maxui",
    "minimumf",
    "minnumf",
    "minsi",
    "minui",
];

/// Constant operations of MLIR that do not hold their value in the attribute `value`, and the attribute that holds it.
const CONSTANT_VALUES: [(&str, &str); 4] = [
    ("shape.const_shape", "shape"),
    ("shape.const_witness", "passing"),
    ("tosa.const", "values"),
    ("tosa.const_shape", "values"),
];

/// Adds the facts about operations of `arith`, `func`, `builtin` and `ub`, about `tensor.cast` and `memref.cast`, and
/// about [`CONSTANT_VALUES`].
pub(super) fn add_facts<H: Bind>(host: &mut H, facts: &mut OpFacts) {
    let pure = OpProperties { effects: Effects::None, ..OpProperties::default() };
    let constant = OpProperties { constant: true, ..pure };
    let isolated = OpProperties { isolated: true, ..OpProperties::default() };
    for name in ORDERED {
        facts.add(host.bind_op_name(&format!("arith.{name}")), pure);
    }
    for &name in COMMUTATIVE {
        let idempotent = matches!(name, "andi" | "ori");
        facts.add(
            host.bind_op_name(&format!("arith.{name}")),
            OpProperties { commutative: true, idempotent, ..pure },
        );
    }
    for (name, fact) in [
        ("arith.constant", constant),
        ("func.constant", constant),
        ("ub.poison", constant),
        ("builtin.unrealized_conversion_cast", pure),
        ("tensor.cast", pure),
        ("memref.cast", pure),
        ("func.func", isolated),
        ("builtin.module", isolated),
    ] {
        facts.add(host.bind_op_name(name), fact);
    }
    for (op, value) in CONSTANT_VALUES {
        facts.add_constant_value(host.bind_op_name(op), host.bind_attr_name(value));
    }
}
