// Scales the elements of a tensor. The rules simplify the arithmetic in the loop.
func.func @scale(%tensor: tensor<?xi32>, %factor: i32) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %size = tensor.dim %tensor, %c0 : tensor<?xi32>
  %result = scf.for %i = %c0 to %size step %c1 iter_args(%acc = %tensor) -> (tensor<?xi32>) {
    %element = tensor.extract %tensor[%i] : tensor<?xi32>
    %scaled = arith.muli %element, %factor : i32
    %plus = arith.addi %scaled, %zero : i32
    %next = tensor.insert %plus into %acc[%i] : tensor<?xi32>
    scf.yield %next : tensor<?xi32>
  }
  return %result : tensor<?xi32>
}
