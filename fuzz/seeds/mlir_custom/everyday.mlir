#map = affine_map<(d0) -> (d0)>
func.func @sum(%t: tensor<?xf32>, %m: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = tensor.extract %t[%i] : tensor<?xf32>
    %y = math.absf %x fastmath<nnan> : f32
    %new = arith.addf %acc, %y : f32
    scf.yield %new : f32
  }
  memref.store %sum, %m[%c0] : memref<4xf32>
  return %sum : f32
}
