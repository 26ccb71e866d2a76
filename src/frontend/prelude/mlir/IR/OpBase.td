// Operations: their traits, arguments, results, regions, builders, and the definition itself.

#ifndef DRRVM_IR_OPBASE
#define DRRVM_IR_OPBASE

include "mlir/IR/Constraints.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/Interfaces.td"
include "mlir/IR/Properties.td"
include "mlir/IR/Traits.td"
include "mlir/IR/Utils.td"
include "mlir/IR/AttrTypeBase.td"

//===-- Kinds of trait -----------------------------------------------------===//

// A trait that is checked before the other traits, which rely on the structure of the op.
class StructuralOpTrait;

class NativeOpTrait<string name, list<Trait> traits = [], code extraOpDeclaration = [{}],
                    code extraOpDefinition = [{}]>
    : NativeTrait<name, "Op", extraOpDeclaration, extraOpDefinition> {
  list<Trait> dependentTraits = traits;
}

class ParamNativeOpTrait<string prop, string params, list<Trait> traits = []>
    : ParamNativeTrait<prop, params, "Op"> {
  list<Trait> dependentTraits = traits;
}

class GenInternalOpTrait<string prop, list<Trait> traits = []> : GenInternalTrait<prop, "Op"> {
  list<Trait> dependentTraits = traits;
}

class PredOpTrait<string descr, Pred pred, list<Trait> traits = []> : PredTrait<descr, pred> {
  list<Trait> dependentTraits = traits;
}

//===-- Traits -------------------------------------------------------------===//

// Algebraic traits.
def Commutative : NativeOpTrait<"IsCommutative">;
def Idempotent : NativeOpTrait<"IsIdempotent">;
def Involution : NativeOpTrait<"IsInvolution">;
def ConstantLike : NativeOpTrait<"ConstantLike">;

// Traits on the types of operands and results.
def SameTypeOperands : NativeOpTrait<"SameTypeOperands">;
def SameOperandsShape : NativeOpTrait<"SameOperandsShape">;
def SameOperandsElementType : NativeOpTrait<"SameOperandsElementType">;
def SameOperandsAndResultShape : NativeOpTrait<"SameOperandsAndResultShape">;
def SameOperandsAndResultElementType : NativeOpTrait<"SameOperandsAndResultElementType">;
def ResultsBroadcastableShape : NativeOpTrait<"ResultsBroadcastableShape">;
def ResultsAreFloatLike : NativeOpTrait<"ResultsAreFloatLike">;
def FirstAttrDerivedResultType : GenInternalOpTrait<"FirstAttrDerivedResultType">;

// Several variadic operands or results have the same length, or an attribute stores the lengths.
def SameVariadicOperandSize : GenInternalOpTrait<"SameVariadicOperandSize">;
def SameVariadicResultSize : GenInternalOpTrait<"SameVariadicResultSize">;
def AttrSizedOperandSegments : NativeOpTrait<"AttrSizedOperandSegments">, StructuralOpTrait;
def AttrSizedResultSegments : NativeOpTrait<"AttrSizedResultSegments">, StructuralOpTrait;

// Scalar ops that also work on containers.
def Elementwise : NativeOpTrait<"Elementwise">;
def Scalarizable : NativeOpTrait<"Scalarizable", [Elementwise]>;
def Vectorizable : NativeOpTrait<"Vectorizable", [Elementwise]>;
def Tensorizable : NativeOpTrait<"Tensorizable", [Elementwise]>;
def ElementwiseMappable : TraitList<[Elementwise, Scalarizable, Vectorizable, Tensorizable]>;

// Regions and control flow.
def AffineScope : NativeOpTrait<"AffineScope">;
def AutomaticAllocationScope : NativeOpTrait<"AutomaticAllocationScope">;
def IsolatedFromAbove : NativeOpTrait<"IsIsolatedFromAbove">;
def MemRefsNormalizable : NativeOpTrait<"MemRefsNormalizable">;
def Terminator : NativeOpTrait<"IsTerminator">;
def NoTerminator : NativeOpTrait<"NoTerminator">, StructuralOpTrait;
def NoRegionArguments : NativeOpTrait<"NoRegionArguments">, StructuralOpTrait;
def SingleBlock : NativeOpTrait<"SingleBlock">, StructuralOpTrait;

class SingleBlockImplicitTerminatorImpl<string op>
    : ParamNativeOpTrait<"SingleBlockImplicitTerminator", op, [SingleBlock]>, StructuralOpTrait;
class SingleBlockImplicitTerminator<string op>
    : TraitList<[SingleBlock, SingleBlockImplicitTerminatorImpl<op>]>;

class HasParent<string op> : ParamNativeOpTrait<"HasParent", op>, StructuralOpTrait;
class ParentOneOf<list<string> ops>
    : ParamNativeOpTrait<"HasParent", !interleave(ops, ", ")>, StructuralOpTrait;

//===-- Regions and successors ---------------------------------------------===//

def region;
def successor;

class Region<Pred condition, string descr = ""> : RegionConstraint<condition, descr>;
def AnyRegion : Region<CPred<"true">, "a region">;
class SizedRegion<int numBlocks>
    : Region<CPred<"::llvm::hasNItems($_self, " # numBlocks # ")">, numBlocks # " blocks"> {
  int blocks = numBlocks;
}
class MinSizedRegion<int numBlocks>
    : Region<CPred<"::llvm::hasNItemsOrMore($_self, " # numBlocks # ")">,
             numBlocks # " blocks or more">;
class MaxSizedRegion<int numBlocks>
    : Region<CPred<"::llvm::hasNItemsOrLess($_self, " # numBlocks # ")">,
             numBlocks # " blocks or fewer">;
class VariadicRegion<Region region> : Region<region.predicate, region.summary>;

class Successor<Pred condition, string descr = ""> : SuccessorConstraint<condition, descr>;
def AnySuccessor : Successor<?, "a successor">;
class VariadicSuccessor<Successor successor> : Successor<successor.predicate, successor.summary>;

//===-- Builders, arguments, results ---------------------------------------===//

class OpBuilder<dag p, code b = ""> {
  dag dagParams = p;
  code body = b;
}
class DeprecatedOpBuilder<string reason, dag p, code b = "">
    : OpBuilder<p, b>, CppDeprecated<reason>;

// Adds information to an argument or a result, such as an effect on it.
class OpVariableDecorator;

class OpVariable<Constraint varConstraint, string desc = "",
                 list<OpVariableDecorator> varDecorators = []> {
  Constraint constraint = varConstraint;
  string summary = desc;
  list<OpVariableDecorator> decorators = varDecorators;
}
class Arg<Constraint constraint, string desc = "", list<OpVariableDecorator> decorators = []>
    : OpVariable<constraint, desc, decorators>;
class Res<Constraint constraint, string desc = "", list<OpVariableDecorator> decorators = []>
    : OpVariable<constraint, desc, decorators>;

class Arguments<dag args> {
  dag arguments = args;
}
class Results<dag rets> {
  dag results = rets;
}

//===-- The op -------------------------------------------------------------===//

// A chapter of the documentation.
class OpDocGroup {
  string summary;
  string description;
}

class Op<Dialect dialect, string mnemonic, list<Trait> props = []> {
  Dialect opDialect = dialect;
  string opName = mnemonic;
  string cppNamespace = dialect.cppNamespace;
  string summary = "";
  string description = "";
  OpDocGroup opDocGroup = ?;

  dag arguments = (ins);
  dag results = (outs);
  dag regions = (region);
  dag successors = (successor);
  list<Trait> traits = props;

  list<OpBuilder> builders = ?;
  bit skipDefaultBuilders = 0;
  string assemblyFormat = ?;
  bit hasCustomAssemblyFormat = 0;
  bit hasVerifier = 0;
  bit hasRegionVerifier = 0;
  bit hasCanonicalizer = 0;
  bit hasCanonicalizeMethod = 0;
  bit hasFolder = 0;
  bit useCustomPropertiesEncoding = 0;
  code extraClassDeclaration = ?;
  code extraClassDefinition = ?;
}

//===-- Interfaces that another dialect may add ----------------------------===//

class _PromisedOrHas<Interface interface>
    : CPred<"$_self.hasPromiseOrImplementsInterface<"
            # !if(!empty(interface.cppNamespace), "", interface.cppNamespace # "::")
            # interface.cppInterfaceName # ">()">;

class HasPromiseOrImplementsTypeInterface<TypeInterface interface> : _PromisedOrHas<interface>;
class PromisedTypeInterface<TypeInterface interface>
    : TypeConstraint<HasPromiseOrImplementsTypeInterface<interface>,
                     "type with or promised " # interface.cppInterfaceName>;
class PromisedAttrInterface<AttrInterface interface>
    : AttrConstraint<_PromisedOrHas<interface>,
                     "attribute with or promised " # interface.cppInterfaceName>;

//===-- Conditions across operands and results -----------------------------===//

// Expressions over the value called `name`.
class Rank<string name> : StrFunc<"::llvm::cast<::mlir::ShapedType>($" # name # ".getType()).getRank()">;
class Shape<string name>
    : StrFunc<"::llvm::cast<::mlir::ShapedType>($" # name # ".getType()).getShape()">;
class ElementCount<string name>
    : StrFunc<"llvm::cast<::mlir::ShapedType>($" # name # ".getType()).getNumElements()">;
class ElementType<string name> : StrFunc<"getElementTypeOrSelf($" # name # ")">;

// At least one of the expressions is true.
class AnyPred<list<string> values>
    : CPred<!if(!empty(values), "false",
                !interleave(!foreach(value, values, "(" # value # ")"), " || "))>;

// All expressions have equal values: each is compared with the next one, and the last with the first.
class AllMatchPred<list<string> values>
    : CPred<!if(!lt(!size(values), 2), "true",
                !interleave(!foreach(i, !range(!size(values)),
                                     "(" # values[i] # ") == ("
                                         # values[!if(!eq(!add(i, 1), !size(values)), 0,
                                                      !add(i, 1))] # ")"),
                            " && "))>;

class AllMatch<list<string> values, string summary> : PredOpTrait<summary, AllMatchPred<values>>;

// The expression `operator` over `$_self` has the same value for all named operands and results.
class AllMatchSameOperatorPred<list<string> names, string operator>
    : AllMatchPred<!foreach(name, names, !subst("$_self", "$" # name, operator))>;
class AllMatchSameOperatorTrait<list<string> names, string operator, string summary>
    : PredOpTrait<!interleave(names, ", ") # " agree in " # summary,
                  AllMatchSameOperatorPred<names, operator>> {
  list<string> values = names;
}

class AnyMatchOperatorPred<list<string> names, string operator>
    : AnyPred<!foreach(name, names, !subst("$_self", "$" # name, operator))>;
class AnyMatchOperatorTrait<list<string> names, string operator, string summary>
    : PredOpTrait<"one of " # !interleave(names, ", ") # " has " # summary,
                  AnyMatchOperatorPred<names, operator>> {
  list<string> values = names;
}

class AllTypesMatch<list<string> names>
    : AllMatchSameOperatorTrait<names, "$_self.getType()", "type">;
class AllTypeIDsMatch<list<string> names>
    : AllMatchSameOperatorTrait<names, "$_self.getType().getTypeID()", "type id">;
class AllElementTypesMatch<list<string> names>
    : AllMatchSameOperatorTrait<names, ElementType<"_self">.result, "element type">;
class AllElementCountsMatch<list<string> names>
    : AllMatchSameOperatorTrait<names, ElementCount<"_self">.result, "number of elements">;
class AllRanksMatch<list<string> names>
    : AllMatchSameOperatorTrait<names, Rank<"_self">.result, "rank">;
class AllShapesMatch<list<string> names>
    : AllMatchSameOperatorTrait<names, Shape<"_self">.result, "shape">;

// `elementsArg` has one value of the element type for each element of `shapedArg`.
class ShapedTypeMatchesElementCountAndTypes<string shapedArg, string elementsArg>
    : PredOpTrait<shapedArg # " holds what " # elementsArg # " lists",
                  And<[CPred<ElementCount<shapedArg>.result # " == static_cast<int64_t>($"
                             # elementsArg # ".getTypes().size())">,
                       CPred<"::llvm::all_of($" # elementsArg
                             # ".getTypes(), [&](::mlir::Type t) { return t == "
                             # ElementType<shapedArg>.result # "; })">]>> {
  string shaped = shapedArg;
  string elements = elementsArg;
}

// The type of `rhsArg` is `transform` applied to the type of `lhsArg`, which is `$_self`.
class TypesMatchWith<string summary, string lhsArg, string rhsArg, string transform,
                     string comparator = "std::equal_to<>()">
    : PredOpTrait<summary,
                  CPred<comparator # "(" # !subst("$_self", "$" # lhsArg # ".getType()", transform)
                        # ", $" # rhsArg # ".getType())">> {
  string lhs = lhsArg;
  string rhs = rhsArg;
  string transformer = transform;
}

class OptionalTypesMatchWith<string summary, string lhsArg, string rhsArg, string transform,
                             string comparator = "std::equal_to<>()">
    : TypesMatchWith<summary, lhsArg, rhsArg, transform,
                     "!get" # snakeCaseToCamelCase<lhsArg>.ret # "() || !get"
                         # snakeCaseToCamelCase<rhsArg>.ret # "() || " # comparator>;

class RangedTypesMatchWith<string summary, string lhsArg, string rhsArg, string transform>
    : TypesMatchWith<summary, lhsArg, rhsArg, transform, "llvm::equal">;

// The type of each named argument satisfies the constraint at its place in the list.
class _TypesAre<list<string> names, list<Type> types> {
  Pred ret = !foldl(TruePred, !range(!size(names)), all, i,
                    And<[all, SubstLeaves<"$_self", "$" # names[i] # ".getType()",
                                          types[i].predicate>]>);
}

class InputMatchesTypes<list<string> inputArgs, list<Type> allowedTypes>
    : PredOpTrait<!interleave(inputArgs, ", ") # " have the required types",
                  _TypesAre<inputArgs, allowedTypes>.ret> {
  assert !eq(!size(inputArgs), !size(allowedTypes)), "one type is needed for each argument";
  list<string> inputArgList = inputArgs;
  list<Type> allowedTypeList = allowedTypes;
}

class InputAddressIsCombinationOf<list<string> inputArgs, list<list<Type>> allowedCombinations,
                                  string description = "">
    : PredOpTrait<!if(!empty(description),
                      !interleave(inputArgs, ", ") # " have an allowed combination of types",
                      description),
                  Or<!foreach(types, allowedCombinations, _TypesAre<inputArgs, types>.ret)>> {
  assert !not(!empty(allowedCombinations)), "a combination of types is needed";
  assert !empty(!filter(types, allowedCombinations, !ne(!size(types), !size(inputArgs)))),
      "one type is needed for each argument in each combination";
  list<string> inputArgList = inputArgs;
  list<list<Type>> allowedCombinationList = allowedCombinations;
}

class TypeIsPred<string name, Type type>
    : SubstLeaves<"$_self", "$" # name # ".getType()", type.predicate>;
class TypeIs<string name, Type type>
    : PredOpTrait<name # " is of type " # type.summary, TypeIsPred<name, type>>;

class ElementTypeIsPred<string name, Type type>
    : And<[SubstLeaves<"$_self", "$" # name # ".getType()", IsShapedTypePred>,
           SubstLeaves<"$_self", "getElementTypeOrSelf($" # name # ")", type.predicate>]>;
class ElementTypeIs<string name, Type type>
    : PredOpTrait<name # " has elements of type " # type.summary, ElementTypeIsPred<name, type>>;

// The operand or result with this number has a shaped type.
class _ShapedOperand<int i>
    : SubstLeaves<"$_self", "$_op.getOperand(" # i # ").getType()", IsShapedTypePred>;
class _ShapedResult<int i>
    : SubstLeaves<"$_self", "$_op.getResult(" # i # ").getType()", IsShapedTypePred>;

class TCopVTEtIs<int idx, Type type>
    : And<[CPred<"$_op.getNumOperands() > " # idx>, _ShapedOperand<idx>,
           SubstLeaves<"$_self", "getElementTypeOrSelf($_op.getOperand(" # idx # "))",
                       type.predicate>]>;
class TCopVTEtIsSameAs<int i, int j>
    : And<[CPred<"$_op.getNumOperands() > " # !if(!lt(i, j), j, i)>, _ShapedOperand<i>,
           _ShapedOperand<j>,
           CPred<"::mlir::getElementTypeOrSelf($_op.getOperand(" # i # ")) == "
                 "::mlir::getElementTypeOrSelf($_op.getOperand(" # j # "))">]>;
class TCopVTEtAreSameAt<list<int> indices>
    : AllMatchPred<!foreach(i, indices, "getElementTypeOrSelf($_op.getOperand(" # i # "))")>;
class TCOpResIsShapedTypePred<int i, int j>
    : And<[CPred<"$_op.getNumResults() > " # i>, CPred<"$_op.getNumOperands() > " # j>,
           _ShapedResult<i>, _ShapedOperand<j>]>;
class TCresIsSameAsOpBase<int i, int j>
    : CPred<"$_op.getResult(" # i # ").getType() == $_op.getOperand(" # j # ").getType()">;
class TCresVTEtIsSameAsOpBase<int i, int j>
    : CPred<"getElementTypeOrSelf($_op.getResult(" # i # ")) == "
            "getElementTypeOrSelf($_op.getOperand(" # j # "))">;
class TCresVTEtIsSameAsOp<int i, int j>
    : And<[TCOpResIsShapedTypePred<i, j>, TCresVTEtIsSameAsOpBase<i, j>]>;
class TCOpIsBroadcastableToRes<int opId, int resId>
    : And<[TCOpResIsShapedTypePred<opId, resId>,
           CPred<"::mlir::OpTrait::util::getBroadcastedType($_op.getOperand(" # opId
                 # ").getType(), $_op.getResult(" # resId # ").getType())">]>;

#endif
