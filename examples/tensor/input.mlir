"builtin.module"() ({
  // Reshapes: the last one remains, and one to the same shape is removed.
  "func.func"() <{function_type = (tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<2x6xf32>), sym_name = "reshapes"}> ({
  ^bb0(%x: tensor<2x6xf32>):
    %0 = "tile.reshape"(%x) : (tensor<2x6xf32>) -> tensor<12xf32>
    %1 = "tile.reshape"(%0) : (tensor<12xf32>) -> tensor<3x4xf32>
    %2 = "tile.reshape"(%0) : (tensor<12xf32>) -> tensor<2x6xf32>
    "func.return"(%1, %2) : (tensor<3x4xf32>, tensor<2x6xf32>) -> ()
  }) : () -> ()
  // Transposes are composed, and removed if they cancel out.
  "func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<2x3xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>), sym_name = "transposes"}> ({
  ^bb0(%x: tensor<2x3x4xf32>, %m: tensor<2x3xf32>):
    %0 = "tile.transpose"(%x) <{permutation = array<i64: 1, 2, 0>}> : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
    %1 = "tile.transpose"(%0) <{permutation = array<i64: 1, 2, 0>}> : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
    %2 = "tile.transpose"(%1) <{permutation = array<i64: 1, 2, 0>}> : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
    %3 = "tile.transpose"(%m) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %4 = "tile.transpose"(%3) <{permutation = array<i64: 1, 0>}> : (tensor<3x2xf32>) -> tensor<2x3xf32>
    "func.return"(%1, %2, %4) : (tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>) -> ()
  }) : () -> ()
  // A row that becomes a column is reshaped; a matrix is not.
  "func.func"() <{function_type = (tensor<2x4xf32>) -> (tensor<8x1xf32>, tensor<4x2xf32>), sym_name = "rows"}> ({
  ^bb0(%x: tensor<2x4xf32>):
    %0 = "tile.reshape"(%x) : (tensor<2x4xf32>) -> tensor<1x8xf32>
    %1 = "tile.transpose"(%0) <{permutation = array<i64: 1, 0>}> : (tensor<1x8xf32>) -> tensor<8x1xf32>
    %2 = "tile.reshape"(%0) : (tensor<1x8xf32>) -> tensor<2x4xf32>
    %3 = "tile.transpose"(%2) <{permutation = array<i64: 1, 0>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
    "func.return"(%1, %3) : (tensor<8x1xf32>, tensor<4x2xf32>) -> ()
  }) : () -> ()
  // Reshapes of constants are computed; transposes only if all elements are equal.
  "func.func"() <{function_type = () -> (tensor<4xf32>, tensor<3x2xf32>, tensor<2x2xf32>), sym_name = "constants"}> ({
    %0 = "tile.constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %1 = "tile.reshape"(%0) : (tensor<2x2xf32>) -> tensor<4xf32>
    %2 = "tile.constant"() <{value = dense<5.0> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
    %3 = "tile.transpose"(%2) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %4 = "tile.transpose"(%0) <{permutation = array<i64: 1, 0>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    "func.return"(%1, %3, %4) : (tensor<4xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> ()
  }) : () -> ()
  // Transposes move down and cancel out.
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "sink"}> ({
  ^bb0(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>):
    %0 = "tile.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = "tile.transpose"(%y) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %2 = "tile.relu"(%1) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = "tile.relu"(%2) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %4 = "tile.add"(%0, %3) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %5 = "tile.transpose"(%4) <{permutation = array<i64: 1, 0>}> : (tensor<3x2xf32>) -> tensor<2x3xf32>
    "func.return"(%5) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  // Different permutations are not moved, and neither is a transpose with another use.
  "func.func"() <{function_type = (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>), sym_name = "stay"}> ({
  ^bb0(%x: tensor<2x2x2xf32>, %y: tensor<2x2x2xf32>):
    %0 = "tile.transpose"(%x) <{permutation = array<i64: 1, 0, 2>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %1 = "tile.transpose"(%y) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %2 = "tile.add"(%0, %1) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %3 = "tile.transpose"(%y) <{permutation = array<i64: 2, 1, 0>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %4 = "tile.transpose"(%x) <{permutation = array<i64: 2, 1, 0>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %5 = "tile.add"(%3, %4) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    "func.return"(%2, %5, %3) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> ()
  }) : () -> ()
  // A transposed product becomes a product of transposed factors, one of which was already transposed.
  "func.func"() <{function_type = (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>, sym_name = "product"}> ({
  ^bb0(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>):
    %0 = "tile.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %1 = "tile.matmul"(%0, %b) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %2 = "tile.transpose"(%1) <{permutation = array<i64: 1, 0>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
    "func.return"(%2) : (tensor<4x2xf32>) -> ()
  }) : () -> ()
  // Sums of reshapes and of zeros; concatenations of one input and of concatenations.
  "func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (tensor<2x2xf32>, tensor<12xf32>, tensor<4xf32>), sym_name = "rest"}> ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %zero = "tile.constant"() <{value = dense<-0.0> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %0 = "tile.reshape"(%x) : (tensor<4xf32>) -> tensor<2x2xf32>
    %1 = "tile.reshape"(%y) : (tensor<4xf32>) -> tensor<2x2xf32>
    %2 = "tile.add"(%0, %1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %3 = "tile.add"(%2, %zero) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %4 = "tile.concat"(%x, %y) <{axis = 0 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %5 = "tile.concat"(%4, %x) <{axis = 0 : i64}> : (tensor<8xf32>, tensor<4xf32>) -> tensor<12xf32>
    %6 = "tile.concat"(%y) <{axis = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%3, %5, %6) : (tensor<2x2xf32>, tensor<12xf32>, tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
