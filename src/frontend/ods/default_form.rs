//! Formats of operations whose C++ parser and C++ printer each consist of one call of a known function.
//!
//! Specification: the format reads and prints the same text as these functions.
//!
//! The definitions of several hundred operations of torch-mlir contain such parsers and printers. Each parser calls
//! `parseDefaultTorchOp` with the numbers of operands and results of its operation, and each printer calls
//! `printDefaultTorchOp`.

/// The format of an operation with these numbers of operands and results, if the C++ code in its definition parses and
/// prints it with the default functions of torch-mlir.
pub(super) fn default_form(code: &str, operands: usize, results: usize) -> Option<&'static str> {
    let (operand_count, result_count) = (operands.to_string(), results.to_string());
    for (method, function, subjects) in [
        ("parse", "parseDefaultTorchOp", ["parser", "result"]),
        ("print", "printDefaultTorchOp", ["printer", "*this"]),
    ] {
        let (called, arguments) = only_call(code, method)?;
        if called != function || arguments != [subjects[0], subjects[1], &operand_count, &result_count] {
            return None;
        }
    }
    Some(match (operands, results) {
        (0, 0) => "operands attr-dict",
        (_, 0) => "operands attr-dict `:` type(operands)",
        (0, _) => "operands attr-dict `->` type(results)",
        _ => "operands attr-dict `:` type(operands) `->` type(results)",
    })
}

/// The name, without namespaces, of the function that a method calls, and the arguments of the call. `None` if the body
/// of the method is not a single call.
fn only_call<'t>(code: &'t str, method: &str) -> Option<(&'t str, Vec<&'t str>)> {
    let (_, definition) = code.split_once(&format!("::{method}("))?;
    let (body, _) = definition.split_once('{')?.1.split_once('}')?;
    let call = body.trim().strip_suffix(';')?.trim();
    let call =
        call.strip_prefix("return").filter(|rest| rest.starts_with(char::is_whitespace)).unwrap_or(call);
    let (function, arguments) = call.split_once('(')?;
    let arguments = arguments.strip_suffix(')')?;
    let name = function.rsplit("::").next().unwrap_or(function).trim();
    Some((name, arguments.split(',').map(str::trim).collect()))
}

#[cfg(test)]
mod tests {
    use super::default_form;

    #[test]
    fn the_form_follows_from_the_parser_and_the_printer() {
        let code = |parse: &str, print: &str| {
            format!(
                "ParseResult AOp::parse(OpAsmParser &parser, OperationState &result) {{\n  {parse}\n}}\n\
                 void AOp::print(OpAsmPrinter &printer) {{\n  {print}\n}}\n"
            )
        };
        let both = |operands, results, prefix: &str| {
            code(
                &format!("return {prefix}parseDefaultTorchOp(parser, result, {operands}, {results});"),
                &format!("{prefix}printDefaultTorchOp(printer, *this,{operands}, {results} );"),
            )
        };
        let all = "operands attr-dict `:` type(operands) `->` type(results)";
        assert_eq!(default_form(&both(2, 1, ""), 2, 1), Some(all));
        assert_eq!(default_form(&both(2, 3, "::mlir::torch::Torch::"), 2, 3), Some(all));
        assert_eq!(default_form(&both(0, 1, ""), 0, 1), Some("operands attr-dict `->` type(results)"));
        assert_eq!(default_form(&both(1, 0, ""), 1, 0), Some("operands attr-dict `:` type(operands)"));
        assert_eq!(default_form(&both(0, 0, ""), 0, 0), Some("operands attr-dict"));
        // The numbers must be those of the operation.
        assert_eq!(default_form(&both(2, 1, ""), 3, 1), None);
        let parse = "return parseDefaultTorchOp(parser, result, 1, 1);";
        let print = "printDefaultTorchOp(printer, *this, 1, 1);";
        assert_eq!(default_form(&code(parse, print), 1, 1), Some(all));
        for (parse, print) in [
            (parse, "printer << getOperands();"),
            ("return parseOther(parser, result, 1, 1);", print),
            ("if (x) return parseDefaultTorchOp(parser, result, 1, 1); return failure();", print),
            ("return parseDefaultTorchOp(parser, result, 1, 1) || failed(x);", print),
            ("", print),
        ] {
            assert_eq!(default_form(&code(parse, print), 1, 1), None, "{parse} {print}");
        }
    }
}
