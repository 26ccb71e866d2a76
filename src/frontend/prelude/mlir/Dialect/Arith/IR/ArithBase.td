// The arith dialect and its enumerations.

#ifndef DRRVM_DIALECT_ARITH_IR_ARITHBASE
#define DRRVM_DIALECT_ARITH_IR_ARITHBASE

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Arith_Dialect : Dialect {
  let name = "arith";
  let cppNamespace = "::mlir::arith";
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===-- Comparisons --------------------------------------------------------===//

let cppNamespace = "::mlir::arith" in {

// If an operand is NaN, predicates `o…` are false and predicates `u…` are true.
def Arith_CmpFPredicateAttr
    : I64EnumAttr<"CmpFPredicate", "", [
        I64EnumAttrCase<"AlwaysFalse", 0, "false">,
        I64EnumAttrCase<"OEQ", 1, "oeq">, I64EnumAttrCase<"OGT", 2, "ogt">,
        I64EnumAttrCase<"OGE", 3, "oge">, I64EnumAttrCase<"OLT", 4, "olt">,
        I64EnumAttrCase<"OLE", 5, "ole">, I64EnumAttrCase<"ONE", 6, "one">,
        I64EnumAttrCase<"ORD", 7, "ord">,
        I64EnumAttrCase<"UEQ", 8, "ueq">, I64EnumAttrCase<"UGT", 9, "ugt">,
        I64EnumAttrCase<"UGE", 10, "uge">, I64EnumAttrCase<"ULT", 11, "ult">,
        I64EnumAttrCase<"ULE", 12, "ule">, I64EnumAttrCase<"UNE", 13, "une">,
        I64EnumAttrCase<"UNO", 14, "uno">,
        I64EnumAttrCase<"AlwaysTrue", 15, "true">]>;

// Predicates `s…` compare signed numbers, and predicates `u…` compare unsigned numbers.
def Arith_CmpIPredicateAttr
    : I64EnumAttr<"CmpIPredicate", "", [
        I64EnumAttrCase<"eq", 0>, I64EnumAttrCase<"ne", 1>,
        I64EnumAttrCase<"slt", 2>, I64EnumAttrCase<"sle", 3>,
        I64EnumAttrCase<"sgt", 4>, I64EnumAttrCase<"sge", 5>,
        I64EnumAttrCase<"ult", 6>, I64EnumAttrCase<"ule", 7>,
        I64EnumAttrCase<"ugt", 8>, I64EnumAttrCase<"uge", 9>]>;

}

//===-- Updates of memory --------------------------------------------------===//

defvar _updates = ["addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu",
                   "minimumf", "minnumf", "mins", "minu", "mulf", "muli", "ori", "xori"];

foreach i = !range(!size(_updates)) in
  def ATOMIC_RMW_KIND_#!toupper(_updates[i]) : I64EnumAttrCase<_updates[i], i>;

let cppNamespace = "::mlir::arith" in
def AtomicRMWKindAttr
    : I64EnumAttr<"AtomicRMWKind", "",
                  !foreach(update, _updates,
                           !cast<I64EnumAttrCase>("ATOMIC_RMW_KIND_" # !toupper(update)))>;

//===-- Flags --------------------------------------------------------------===//

// A set of flags, stored in an attribute of the dialect.
class _ArithFlags<string name, string summary, list<BitEnumCaseBase> cases, string between>
    : I32BitEnumAttr<name, summary, cases> {
  let separator = between;
  let cppNamespace = "::mlir::arith";
  let genSpecializedAttr = 0;
  let printBitEnumPrimaryGroups = 1;
}

def FASTMATH_NONE : I32BitEnumAttrCaseNone<"none">;
def FASTMATH_REASSOC : I32BitEnumAttrCaseBit<"reassoc", 0>;
def FASTMATH_NO_NANS : I32BitEnumAttrCaseBit<"nnan", 1>;
def FASTMATH_NO_INFS : I32BitEnumAttrCaseBit<"ninf", 2>;
def FASTMATH_NO_SIGNED_ZEROS : I32BitEnumAttrCaseBit<"nsz", 3>;
def FASTMATH_ALLOW_RECIP : I32BitEnumAttrCaseBit<"arcp", 4>;
def FASTMATH_ALLOW_CONTRACT : I32BitEnumAttrCaseBit<"contract", 5>;
def FASTMATH_APPROX_FUNC : I32BitEnumAttrCaseBit<"afn", 6>;

defvar _fastmathBits
    = [FASTMATH_REASSOC, FASTMATH_NO_NANS, FASTMATH_NO_INFS, FASTMATH_NO_SIGNED_ZEROS,
       FASTMATH_ALLOW_RECIP, FASTMATH_ALLOW_CONTRACT, FASTMATH_APPROX_FUNC];

def FASTMATH_FAST : I32BitEnumAttrCaseGroup<"fast", _fastmathBits>;

def FastMathFlags
    : _ArithFlags<"FastMathFlags", "what a float op may assume",
                  !listconcat([FASTMATH_NONE], _fastmathBits, [FASTMATH_FAST]), ",">;
def Arith_FastMathAttr : EnumAttr<Arith_Dialect, FastMathFlags, "fastmath"> {
  let assemblyFormat = "`<` $value `>`";
}

def Arith_IOFnone : I32BitEnumAttrCaseNone<"none">;
def Arith_IOFnsw : I32BitEnumAttrCaseBit<"nsw", 0>;
def Arith_IOFnuw : I32BitEnumAttrCaseBit<"nuw", 1>;

def Arith_IntegerOverflowFlags
    : _ArithFlags<"IntegerOverflowFlags", "overflow that cannot happen",
                  [Arith_IOFnone, Arith_IOFnsw, Arith_IOFnuw], ", ">;
def Arith_IntegerOverflowAttr
    : EnumAttr<Arith_Dialect, Arith_IntegerOverflowFlags, "overflow"> {
  let assemblyFormat = "`<` $value `>`";
}

//===-- Rounding -----------------------------------------------------------===//

def Arith_RToNearestTiesToEven : I32EnumAttrCase<"to_nearest_even", 0>;
def Arith_RDownward : I32EnumAttrCase<"downward", 1>;
def Arith_RUpward : I32EnumAttrCase<"upward", 2>;
def Arith_RTowardZero : I32EnumAttrCase<"toward_zero", 3>;
def Arith_RToNearestTiesAwayFromZero : I32EnumAttrCase<"to_nearest_away", 4>;

let cppNamespace = "::mlir::arith" in
def Arith_RoundingModeAttr
    : I32EnumAttr<"RoundingMode", "where a float is rounded to",
                  [Arith_RToNearestTiesToEven, Arith_RDownward, Arith_RUpward, Arith_RTowardZero,
                   Arith_RToNearestTiesAwayFromZero]>;

#endif
