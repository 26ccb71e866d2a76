// Operations, attributes and types of HEIR's dialects `secret`, `mod_arith`, `polynomial`, `rns`, `lwe`, `ckks` and
// `lattigo` with their formats, and with wider types than HEIR's own definitions have.

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CKKS_Dialect : Dialect {
  let name = "ckks";
  let cppNamespace = "::mlir::heir::ckks";
}
def Lattigo_Dialect : Dialect {
  let name = "lattigo";
  let cppNamespace = "::mlir::heir::lattigo";
}
def LWE_Dialect : Dialect {
  let name = "lwe";
  let cppNamespace = "::mlir::heir::lwe";
}
def ModArith_Dialect : Dialect {
  let name = "mod_arith";
  let cppNamespace = "::mlir::heir::mod_arith";
}
def Polynomial_Dialect : Dialect {
  let name = "polynomial";
  let cppNamespace = "::mlir::heir::polynomial";
}
def RNS_Dialect : Dialect {
  let name = "rns";
  let cppNamespace = "::mlir::heir::rns";
}
def Secret_Dialect : Dialect {
  let name = "secret";
  let cppNamespace = "::mlir::heir::secret";
}

class AliasText<string alias> {
  string declaration = [{
    ::mlir::OpAsmAliasResult getAlias(::llvm::raw_ostream &os) const {
      os << "}] # alias # [{";
      return ::mlir::OpAsmAliasResult::OverridableAlias;
    }
  }];
}

// Attributes and types.

def ModArith_IntType : TypeDef<ModArith_Dialect, "ModArith"> {
  let mnemonic = "int";
  let parameters = (ins "::mlir::IntegerAttr":$modulus);
  let assemblyFormat = "`<` $modulus `>`";
}
def RNS_Type : TypeDef<RNS_Dialect, "RNS"> {
  let mnemonic = "rns";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$basisTypes);
  let assemblyFormat = "`<` $basisTypes `>`";
}
def Polynomial_IntPolynomialAttr : AttrDef<Polynomial_Dialect, "IntPolynomial"> {
  let mnemonic = "int_polynomial";
  let parameters = (ins "::mlir::heir::polynomial::IntPolynomial":$polynomial);
  let hasCustomAssemblyFormat = 1;
}
def Polynomial_TypedIntPolynomialAttr : AttrDef<Polynomial_Dialect, "TypedIntPolynomial"> {
  let mnemonic = "typed_int_polynomial";
  let parameters = (ins "::mlir::Type":$type, "::mlir::heir::polynomial::IntPolynomialAttr":$value);
  let assemblyFormat = "$value `:` $type";
}
def Polynomial_RingAttr : AttrDef<Polynomial_Dialect, "Ring"> {
  let mnemonic = "ring";
  let parameters = (ins
    "::mlir::Type":$coefficientType,
    OptionalParameter<"::mlir::heir::polynomial::IntPolynomialAttr">:$polynomialModulus
  );
  let assemblyFormat = "`<` struct(params) `>`";
}
def Polynomial_Type : TypeDef<Polynomial_Dialect, "Polynomial"> {
  let mnemonic = "polynomial";
  let parameters = (ins "::mlir::heir::polynomial::RingAttr":$ring);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = AliasText<"poly">.declaration;
}
def LWE_EncryptionType : I32EnumAttr<"LweEncryptionType", "a kind of encryption", [
    I32EnumAttrCase<"msb", 0>, I32EnumAttrCase<"lsb", 1>, I32EnumAttrCase<"mix", 2>
  ]> {
  let cppNamespace = "::mlir::heir::lwe";
  let genSpecializedAttr = 0;
}
def LWE_EncodingAttr : AttrDef<LWE_Dialect, "InverseCanonicalEncoding"> {
  let mnemonic = "inverse_canonical_encoding";
  let parameters = (ins "int64_t":$scaling_factor);
  let assemblyFormat = "`<` struct(params) `>`";
  let genMnemonicAlias = 1;
}
def LWE_KeyAttr : AttrDef<LWE_Dialect, "Key"> {
  let mnemonic = "key";
  let parameters = (ins DefaultValuedParameter<"int", "0">:$slot_index);
  let assemblyFormat = "`<` struct(params) `>`";
  let genMnemonicAlias = 1;
}
def LWE_PlaintextSpaceAttr : AttrDef<LWE_Dialect, "PlaintextSpace"> {
  let mnemonic = "plaintext_space";
  let parameters = (ins "::mlir::heir::polynomial::RingAttr":$ring, "::mlir::Attribute":$encoding);
  let assemblyFormat = "`<` struct(params) `>`";
}
def LWE_CiphertextSpaceAttr : AttrDef<LWE_Dialect, "CiphertextSpace"> {
  let mnemonic = "ciphertext_space";
  let parameters = (ins
    "::mlir::heir::polynomial::RingAttr":$ring,
    EnumParameter<LWE_EncryptionType>:$encryption_type,
    DefaultValuedParameter<"unsigned", "2">:$size
  );
  let assemblyFormat = "`<` struct(params) `>`";
}
def LWE_ModulusChainAttr : AttrDef<LWE_Dialect, "ModulusChain"> {
  let mnemonic = "modulus_chain";
  let parameters = (ins ArrayRefParameter<"::mlir::IntegerAttr">:$elements, "int":$current);
  let assemblyFormat = "`<` `elements` `=` `<` $elements `>` `,` `current` `=` $current `>`";
}
def LWE_CiphertextType : TypeDef<LWE_Dialect, "LWECiphertext"> {
  let mnemonic = "lwe_ciphertext";
  let parameters = (ins
    "::mlir::heir::lwe::PlaintextSpaceAttr":$plaintext_space,
    "::mlir::heir::lwe::CiphertextSpaceAttr":$ciphertext_space,
    "::mlir::heir::lwe::KeyAttr":$key,
    OptionalParameter<"::mlir::heir::lwe::ModulusChainAttr">:$modulus_chain
  );
  let assemblyFormat = "`<` struct(params) `>`";
}
class LWE_KeyType<string class_name, string text> : TypeDef<LWE_Dialect, class_name> {
  let mnemonic = text;
  let parameters = (ins "::mlir::heir::lwe::KeyAttr":$key, "::mlir::heir::polynomial::RingAttr":$ring);
  let assemblyFormat = "`<` struct(params) `>`";
}
def LWE_PublicKeyType : LWE_KeyType<"LWEPublicKey", "lwe_public_key">;
def LWE_SecretKeyType : LWE_KeyType<"LWESecretKey", "lwe_secret_key">;
def Lattigo_EncryptorType : TypeDef<Lattigo_Dialect, "RLWEEncryptor"> {
  let mnemonic = "rlwe.encryptor";
  let parameters = (ins "bool":$publicKey);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Lattigo_GaloisKeyType : TypeDef<Lattigo_Dialect, "RLWEGaloisKey"> {
  let mnemonic = "rlwe.galois_key";
  let parameters = (ins "::mlir::IntegerAttr":$galoisElement);
  let assemblyFormat = "`<` struct(params) `>`";
}
def Secret_Type : TypeDef<Secret_Dialect, "Secret"> {
  let mnemonic = "secret";
  let parameters = (ins "::mlir::Type":$valueType);
  let assemblyFormat = "`<` $valueType `>`";
}
def Heir_Any : Type<CPred<"true">, "any type">;

// Operations.

def Secret_GenericOp : Op<Secret_Dialect, "generic"> {
  let arguments = (ins Variadic<Heir_Any>:$inputs);
  let results = (outs Variadic<Heir_Any>:$outputs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}
def Secret_YieldOp : Op<Secret_Dialect, "yield", [Terminator]> {
  let arguments = (ins Variadic<Heir_Any>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}
def ModArith_ConstantOp : Op<ModArith_Dialect, "constant"> {
  let arguments = (ins AnyAttr:$value);
  let results = (outs Heir_Any:$output);
  let hasCustomAssemblyFormat = 1;
}
def ModArith_AddOp : Op<ModArith_Dialect, "add", [SameOperandsAndResultType]> {
  let arguments = (ins Heir_Any:$lhs, Heir_Any:$rhs);
  let results = (outs Heir_Any:$output);
  let assemblyFormat = "operands attr-dict `:` type($output)";
}
def Polynomial_ConstantOp : Op<Polynomial_Dialect, "constant"> {
  let arguments = (ins AnyAttr:$value);
  let results = (outs Heir_Any:$output);
  let hasCustomAssemblyFormat = 1;
}
def CKKS_RelinearizeOp : Op<CKKS_Dialect, "relinearize"> {
  let arguments = (ins Heir_Any:$input, DenseI32ArrayAttr:$from_basis, DenseI32ArrayAttr:$to_basis);
  let results = (outs Heir_Any:$output);
  let assemblyFormat = "operands prop-dict attr-dict `:` functional-type(operands, results)";
}
def CKKS_RescaleOp : Op<CKKS_Dialect, "rescale"> {
  let arguments = (ins Heir_Any:$input, Polynomial_RingAttr:$to_ring);
  let results = (outs Heir_Any:$output);
  let assemblyFormat = "operands prop-dict attr-dict `:` type($input) `->` type($output)";
}
def CKKS_RotateOp : Op<CKKS_Dialect, "rotate", [AllTypesMatch<["input", "output"]>]> {
  let arguments = (ins Heir_Any:$input, Index:$dynamic_shift, OptionalAttr<AnyAttr>:$static_shift);
  let results = (outs Heir_Any:$output);
  let assemblyFormat = "operands prop-dict attr-dict `:` type($dynamic_shift) `:` type($input)";
}
