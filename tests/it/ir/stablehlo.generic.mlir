"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x5xf32>, tensor<4x5xf32>, tensor<i1>, tensor<i32>, tensor<2xf32>, !stablehlo.token, tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>, tensor<?x5xi1>, tensor<f32>, tensor<3x?xf32, #stablehlo.bounds<?, 5>>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<4x5xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<i1>, %arg3: tensor<i32>, %arg4: tensor<2xf32>, %arg5: !stablehlo.token, %arg6: tensor<1x8x8x3xf32>, %arg7: tensor<3x3x3x16xf32>, %arg8: tensor<?x5xi1>, %arg9: tensor<f32>, %arg10: tensor<3x?xf32, #stablehlo.bounds<?, 5>>):
    %0 = "stablehlo.add"(%arg0, %arg1) {x} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %1 = "stablehlo.add"(%arg0, %arg1) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x?xf32>
    %2 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> {foo = 1 : i32} : () -> tensor<i32>
    %4 = "stablehlo.constant"() <{value = dense_resource<blob> : tensor<4xf32>}> : () -> tensor<4xf32>
    %5 = "stablehlo.constant"() <{value = dense<[true, false]> : tensor<2xi1>}> : () -> tensor<2xi1>
    %6 = "stablehlo.reduce"(%arg0, %2) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %36 = "stablehlo.add"(%arg25, %arg26) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%36) : (tensor<f32>) -> ()
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
    %7 = "stablehlo.reduce"(%arg0, %2) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg23: tensor<f32>, %arg24: tensor<f32>):
      %35 = "stablehlo.add"(%arg24, %arg23) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%35) : (tensor<f32>) -> ()
    }) {foo = 2 : i32} : (tensor<4x5xf32>, tensor<f32>) -> tensor<f32>
    %8:2 = "stablehlo.reduce"(%arg0, %arg1, %2, %2) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg19: tensor<f32>, %arg20: tensor<f32>, %arg21: tensor<f32>, %arg22: tensor<f32>):
      %34 = "stablehlo.add"(%arg19, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%34, %arg22) : (tensor<f32>, tensor<f32>) -> ()
    }) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %9 = "stablehlo.reduce"(%arg0, %2) <{dimensions = array<i64>}> ({
    ^bb0(%arg17: tensor<f32>, %arg18: tensor<f32>):
      %33 = "stablehlo.subtract"(%arg17, %arg18) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%33) : (tensor<f32>) -> ()
    }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    %10:2 = "stablehlo.while"(%arg3, %arg0) ({
    ^bb0(%arg15: tensor<i32>, %arg16: tensor<4x5xf32>):
      "stablehlo.return"(%arg2) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg11: tensor<i32>, %arg12: tensor<4x5xf32>):
      %32 = "stablehlo.while"(%arg11) ({
      ^bb0(%arg14: tensor<i32>):
        "stablehlo.return"(%arg2) : (tensor<i1>) -> ()
      }, {
      ^bb0(%arg13: tensor<i32>):
        "stablehlo.return"(%arg13) : (tensor<i32>) -> ()
      }) : (tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%32, %arg12) : (tensor<i32>, tensor<4x5xf32>) -> ()
    }) {foo} : (tensor<i32>, tensor<4x5xf32>) -> (tensor<i32>, tensor<4x5xf32>)
    "stablehlo.while"() ({
      "stablehlo.return"(%arg2) : (tensor<i1>) -> ()
    }, {
      "stablehlo.return"() : () -> ()
    }) : () -> ()
    %11 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<5x5xf32>
    %12 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4xf32>
    %13 = "stablehlo.convolution"(%arg6, %arg7) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<[[1, 1], [1, 2]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, window_strides = array<i64: 1, 1>}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x8x9x16xf32>
    %14 = "stablehlo.convolution"(%arg6, %arg7) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
    %15 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 2, 5>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<4x5xf32>) -> tensor<2x2xf32>
    %16 = "stablehlo.slice"(%arg9) <{limit_indices = array<i64>, start_indices = array<i64>, strides = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %17 = "stablehlo.dynamic_slice"(%arg0, %arg3, %arg3) <{slice_sizes = array<i64: 1, 2>}> : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %18 = "stablehlo.concatenate"(%arg0, %arg1) <{dimension = 0 : i64}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
    %19 = "stablehlo.compare"(%arg0, %arg1) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %20 = "stablehlo.select"(%19, %arg0, %arg1) : (tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    %21 = "stablehlo.select"(%arg8, %arg0, %arg1) : (tensor<?x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x?xf32>
    %22 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %23 = "stablehlo.tuple"(%arg0, %arg3) : (tensor<4x5xf32>, tensor<i32>) -> tuple<tensor<4x5xf32>, tensor<i32>>
    %24 = "stablehlo.after_all"(%arg5, %arg5) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    %25:2 = "stablehlo.optimization_barrier"(%arg0, %arg3) : (tensor<4x5xf32>, tensor<i32>) -> (tensor<4x5xf32>, tensor<i32>)
    "stablehlo.optimization_barrier"() : () -> ()
    %26 = "stablehlo.custom_call"(%arg0) <{call_target_name = "foo.bar"}> : (tensor<4x5xf32>) -> tensor<f32>
    %27 = "stablehlo.custom_call"() <{call_target_name = "a b\22"}> : () -> tensor<f32>
    %28 = "stablehlo.complex"(%arg4, %arg4) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
    %29 = "stablehlo.exponential"(%arg0) : (tensor<4x5xf32>) -> tensor<4x5xf32>
    %30 = "stablehlo.clamp"(%2, %arg0, %2) : (tensor<f32>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    %31 = "stablehlo.clamp"(%arg0, %arg0, %arg0) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
    "func.return"() : () -> ()
  }) {a = [#stablehlo.conv<[b, 0, f]x[o, 0, i]->[b, 0, f]>, #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>]} : () -> ()
}) : () -> ()
