!Z17_i32 = !mod_arith.int<17 : i32>
!Z3_i64 = !mod_arith.int<3 : i64>
!Z5_i64 = !mod_arith.int<5 : i64>
!Z7681_i32 = !mod_arith.int<7681 : i32>
!encryptor_pk = !lattigo.rlwe.encryptor<publicKey = true>
!encryptor_sk = !lattigo.rlwe.encryptor<publicKey = false>
!gk_g25 = !lattigo.rlwe.galois_key<galoisElement = 25 : i64>
#inverse_canonical_encoding = #lwe.inverse_canonical_encoding<scaling_factor = 90>
#inverse_canonical_encoding1 = #lwe.inverse_canonical_encoding<scaling_factor = 88>
#key = #lwe.key<>
#key1 = #lwe.key<slot_index = 1>
#modulus_chain_L1_C0 = #lwe.modulus_chain<elements = <3 : i64, 5 : i64>, current = 0>
#modulus_chain_L1_C1 = #lwe.modulus_chain<elements = <3 : i64, 5 : i64>, current = 1>
#ring_f64_1_x16 = #polynomial.ring<coefficientType = f64, polynomialModulus = <1 + x**16>>
!rns_L0 = !rns.rns<!Z3_i64>
!rns_L1 = !rns.rns<!Z3_i64, !Z5_i64>
!skey_ = !lwe.lwe_secret_key<key = #key, ring = #ring_f64_1_x16>
#ring_Z7681_i32_-1_2x_x4 = #polynomial.ring<coefficientType = !Z7681_i32, polynomialModulus = <-1 + 2x + x**4>>
!poly = !polynomial.polynomial<ring = #ring_Z7681_i32_-1_2x_x4>
#ring_rns_L0_1_x16 = #polynomial.ring<coefficientType = !rns_L0, polynomialModulus = <1 + x**16>>
#ring_rns_L1_1_x16 = #polynomial.ring<coefficientType = !rns_L1, polynomialModulus = <1 + x**16>>
!pkey_L1 = !lwe.lwe_public_key<key = #key, ring = #ring_rns_L1_1_x16>
!skey_L0 = !lwe.lwe_secret_key<key = #key1, ring = #ring_rns_L0_1_x16>
#ciphertext_space_L0 = #lwe.ciphertext_space<ring = #ring_rns_L0_1_x16, encryption_type = mix>
#ciphertext_space_L1 = #lwe.ciphertext_space<ring = #ring_rns_L1_1_x16, encryption_type = mix>
#ciphertext_space_L1_D3 = #lwe.ciphertext_space<ring = #ring_rns_L1_1_x16, encryption_type = mix, size = 3>
!ct_L0 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L0, key = #key, modulus_chain = #modulus_chain_L1_C0>
!ct_L1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L1, key = #key, modulus_chain = #modulus_chain_L1_C1>
!ct_L1_1 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16, encoding = #inverse_canonical_encoding1>, ciphertext_space = #ciphertext_space_L1, key = #key, modulus_chain = #modulus_chain_L1_C1>
!ct_L1_D3 = !lwe.lwe_ciphertext<plaintext_space = <ring = #ring_f64_1_x16, encoding = #inverse_canonical_encoding>, ciphertext_space = #ciphertext_space_L1_D3, key = #key, modulus_chain = #modulus_chain_L1_C1>
module {
  func.func @secret(%arg0: !secret.secret<i32>, %arg1: !secret.secret<i32>, %arg2: i32) -> (!secret.secret<i32>, !secret.secret<i32>) {
    %0:2 = secret.generic(%arg0: !secret.secret<i32> {foo.x = 1 : i32}, %arg1: !secret.secret<i32> {foo.x = 2 : i32}, %arg2: i32 {foo.y}) attrs = {bar} {
    ^body(%input0: i32, %input1: i32, %input2: i32):
      %3 = arith.addi %input0, %input1 : i32
      secret.yield %3, %input2 : i32, i32
    } -> (!secret.secret<i32>, !secret.secret<i32>)
    %1 = secret.generic() {
      %c1_i32 = arith.constant 1 : i32
      secret.yield %c1_i32 : i32
    } -> !secret.secret<i32>
    secret.generic(%arg0: !secret.secret<i32>) {
    ^body(%input0: i32):
      secret.yield
    }
    %2 = secret.generic(%arg0: !secret.secret<i32>) {
    ^body(%input0: i32):
      secret.yield %input0 : i32
    } -> (!secret.secret<i32> {foo.x = 2 : i64})
    return %0#0, %0#1 : !secret.secret<i32>, !secret.secret<i32>
  }
  func.func @constants(%arg0: !Z17_i32) -> (!Z17_i32, tensor<3x!Z17_i32>, !poly) {
    %0 = mod_arith.constant -3 : !Z17_i32
    %1 = mod_arith.constant dense<[1, 2, 16]> : tensor<3x!Z17_i32>
    %2 = mod_arith.add %0, %arg0 : !Z17_i32
    %3 = polynomial.constant int<1 + x + -2x**2> : !poly
    return %2, %1, %3 : !Z17_i32, tensor<3x!Z17_i32>, !poly
  }
  func.func @ciphertexts(%arg0: tensor<1x!ct_L1_D3>, %arg1: index) -> tensor<1x!ct_L0> {
    %0 = ckks.relinearize %arg0 <from_basis = [0, 1, 2], to_basis = [0, 1]> {note} : (tensor<1x!ct_L1_D3>) -> tensor<1x!ct_L1>
    %1 = ckks.rotate %0, %arg1 : index : tensor<1x!ct_L1>
    %2 = ckks.rescale %1 <to_ring = #ring_rns_L0_1_x16> : tensor<1x!ct_L1> -> tensor<1x!ct_L0>
    return %2 : tensor<1x!ct_L0>
  }
  func.func private @types(tensor<1x!ct_L1_1>, tensor<1x!pkey_L1>, tensor<1x!skey_>, tensor<1x!skey_L0>, tensor<1x!encryptor_pk>, tensor<1x!encryptor_sk>, tensor<1x!gk_g25>)
}
