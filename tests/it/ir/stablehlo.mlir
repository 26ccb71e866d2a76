module {
  func.func @f(%arg0: tensor<4x5xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<i1>, %arg3: tensor<i32>, %arg4: tensor<2xf32>, %arg5: !stablehlo.token, %arg6: tensor<1x8x8x3xf32>, %arg7: tensor<3x3x3x16xf32>, %arg8: tensor<?x5xi1>, %arg9: tensor<f32>, %arg10: tensor<3x?xf32, #stablehlo.bounds<?, 5>>) attributes {a = [#stablehlo.conv<[b, 0, f]x[o, 0, i]->[b, 0, f]>, #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>]} {
    %0 = stablehlo.add %arg0, %arg1 {x} : tensor<4x5xf32>
    %1 = stablehlo.add %arg0, %arg1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x?xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant {foo = 1 : i32} dense<1> : tensor<i32>
    %cst_0 = stablehlo.constant dense_resource<blob> : tensor<4xf32>
    %c_1 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
    %3 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [0, 1] {foo = 2 : i32} : (tensor<4x5xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg11: tensor<f32>, %arg12: tensor<f32>)  {
      %28 = stablehlo.add %arg12, %arg11 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }
    %4:2 = stablehlo.reduce(%arg0 init: %cst), (%arg1 init: %cst) across dimensions = [0, 1] : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
     reducer(%arg11: tensor<f32>, %arg13: tensor<f32>) (%arg12: tensor<f32>, %arg14: tensor<f32>)  {
      %28 = stablehlo.add %arg11, %arg13 : tensor<f32>
      stablehlo.return %28, %arg14 : tensor<f32>, tensor<f32>
    }
    %5 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
     reducer(%arg11: tensor<f32>, %arg12: tensor<f32>)  {
      %28 = stablehlo.subtract %arg11, %arg12 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }
    %6:2 = stablehlo.while(%iterArg = %arg3, %iterArg_2 = %arg0) : tensor<i32>, tensor<4x5xf32> attributes {foo}
    cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      %28 = stablehlo.while(%iterArg_3 = %iterArg) : tensor<i32>
      cond {
        stablehlo.return %arg2 : tensor<i1>
      } do {
        stablehlo.return %iterArg_3 : tensor<i32>
      }
      stablehlo.return %28, %iterArg_2 : tensor<i32>, tensor<4x5xf32>
    }
    stablehlo.while()
    cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      stablehlo.return 
    }
    %7 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, HIGHEST] : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<5x5xf32>
    %8 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4xf32>
    %9 = stablehlo.convolution(%arg6, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 2]], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x8x9x16xf32>
    %10 = stablehlo.convolution(%arg6, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
    %11 = stablehlo.slice %arg0 [0:2, 1:5:2] : (tensor<4x5xf32>) -> tensor<2x2xf32>
    %12 = stablehlo.slice %arg9 [] : (tensor<f32>) -> tensor<f32>
    %13 = stablehlo.dynamic_slice %arg0, %arg3, %arg3, sizes = [1, 2] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %14 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
    %15 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %16 = stablehlo.select %15, %arg0, %arg1 : tensor<4x5xi1>, tensor<4x5xf32>
    %17 = stablehlo.select %arg8, %arg0, %arg1 : (tensor<?x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x?xf32>
    %18 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4x5xf32>
    %19 = stablehlo.tuple %arg0, %arg3 : tuple<tensor<4x5xf32>, tensor<i32>>
    %20 = stablehlo.after_all %arg5, %arg5 : !stablehlo.token
    %21:2 = stablehlo.optimization_barrier %arg0, %arg3 : tensor<4x5xf32>, tensor<i32>
    stablehlo.optimization_barrier()
    %22 = stablehlo.custom_call @foo.bar(%arg0) : (tensor<4x5xf32>) -> tensor<f32>
    %23 = stablehlo.custom_call @"a b\22"() : () -> tensor<f32>
    %24 = stablehlo.complex %arg4, %arg4 : tensor<2xcomplex<f32>>
    %25 = stablehlo.exponential %arg0 : tensor<4x5xf32>
    %26 = stablehlo.clamp %cst, %arg0, %cst : (tensor<f32>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    %27 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<4x5xf32>
    return
  }
}
