"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<2x6xf32>), sym_name = "reshapes"}> ({
  ^bb0(%arg11: tensor<2x6xf32>):
    %20 = "tile.reshape"(%arg11) : (tensor<2x6xf32>) -> tensor<3x4xf32>
    "func.return"(%20, %arg11) : (tensor<3x4xf32>, tensor<2x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<2x3xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>), sym_name = "transposes"}> ({
  ^bb0(%arg9: tensor<2x3x4xf32>, %arg10: tensor<2x3xf32>):
    %19 = "tile.transpose"(%arg9) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    "func.return"(%19, %arg9, %arg10) : (tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4xf32>) -> (tensor<8x1xf32>, tensor<4x2xf32>), sym_name = "rows"}> ({
  ^bb0(%arg8: tensor<2x4xf32>):
    %17 = "tile.reshape"(%arg8) : (tensor<2x4xf32>) -> tensor<8x1xf32>
    %18 = "tile.transpose"(%arg8) <{permutation = array<i64: 1, 0>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
    "func.return"(%17, %18) : (tensor<8x1xf32>, tensor<4x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> (tensor<4xf32>, tensor<3x2xf32>, tensor<2x2xf32>), sym_name = "constants"}> ({
    %13 = "tile.constant"() <{value = dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %14 = "tile.constant"() <{value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %15 = "tile.constant"() <{value = dense<5.000000e+00> : tensor<3x2xf32>}> : () -> tensor<3x2xf32>
    %16 = "tile.transpose"(%13) <{permutation = array<i64: 1, 0>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    "func.return"(%14, %15, %16) : (tensor<4xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "sink"}> ({
  ^bb0(%arg6: tensor<2x3xf32>, %arg7: tensor<2x3xf32>):
    %11 = "tile.relu"(%arg7) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %12 = "tile.add"(%arg6, %11) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%12) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>), sym_name = "stay"}> ({
  ^bb0(%arg4: tensor<2x2x2xf32>, %arg5: tensor<2x2x2xf32>):
    %5 = "tile.transpose"(%arg4) <{permutation = array<i64: 1, 0, 2>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %6 = "tile.transpose"(%arg5) <{permutation = array<i64: 0, 2, 1>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %7 = "tile.add"(%5, %6) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %8 = "tile.transpose"(%arg5) <{permutation = array<i64: 2, 1, 0>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %9 = "tile.transpose"(%arg4) <{permutation = array<i64: 2, 1, 0>}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %10 = "tile.add"(%8, %9) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    "func.return"(%7, %10, %8) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>, sym_name = "product"}> ({
  ^bb0(%arg2: tensor<3x2xf32>, %arg3: tensor<3x4xf32>):
    %3 = "tile.transpose"(%arg3) <{permutation = array<i64: 1, 0>}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %4 = "tile.matmul"(%3, %arg2) : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    "func.return"(%4) : (tensor<4x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>, tensor<4xf32>) -> (tensor<2x2xf32>, tensor<12xf32>, tensor<4xf32>), sym_name = "rest"}> ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
    %0 = "tile.add"(%arg0, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = "tile.reshape"(%0) : (tensor<4xf32>) -> tensor<2x2xf32>
    %2 = "tile.concat"(%arg0, %arg1, %arg0) <{axis = 0 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<12xf32>
    "func.return"(%1, %2, %arg1) : (tensor<2x2xf32>, tensor<12xf32>, tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
