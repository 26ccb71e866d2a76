// Declarative rewrite rules.

#ifndef DRRVM_IR_PATTERNBASE
#define DRRVM_IR_PATTERNBASE

include "mlir/IR/OpBase.td"

// `(addBenefit n)` adds n to the benefit of a rule. Without it, the benefit is the number of source ops.
def addBenefit;

// A source pattern, the result patterns that replace its root, constraints, and supplemental result patterns.
class Pattern<dag source, list<dag> results, list<dag> preds = [],
              list<dag> supplemental_results = [], dag benefitAdded = (addBenefit 0)> {
  dag sourcePattern = source;
  list<dag> resultPatterns = results;
  list<dag> constraints = preds;
  list<dag> supplementalPatterns = supplemental_results;
  dag benefitDelta = benefitAdded;
}

// A rule with one result pattern.
class Pat<dag pattern, dag result, list<dag> preds = [], list<dag> supplemental_results = [],
          dag benefitAdded = (addBenefit 0)>
    : Pattern<pattern, [result], preds, supplemental_results, benefitAdded>;

// An expression or a helper function in place of an op.
class NativeCodeCall<string expr, int returns = 1> {
  string expression = expr;
  int numReturns = returns;
}

class NativeCodeCallVoid<string expr> : NativeCodeCall<expr, 0>;

// In a source pattern, matches a constant-like op and binds its value to the argument.
def ConstantLikeMatcher
    : NativeCodeCall<"::mlir::success(::mlir::matchPattern($_self->getResult(0), "
                     "::mlir::m_Constant(&$0)))">;

// Directives.
def replaceWithValue; // the argument takes the place of the matched result
def location;         // the location of a built op or of a native call
def returnType;       // result types of a built op
def either;           // two operands that match in either order
def variadic;         // members of a variadic operand

def HasNoUseOf : Constraint<CPred<"$_self.use_empty()">, "unused">;

#endif
