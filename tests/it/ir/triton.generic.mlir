#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
"builtin.module"() ({
  "tt.func"() <{function_type = (f32, i32) -> (f32, i32), sym_name = "scale", sym_visibility = "private"}> ({
  ^bb0(%arg23: f32, %arg24: i32):
    "tt.return"(%arg23, %arg24) : (f32, i32) -> ()
  }) {noinline = true} : () -> ()
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {}, {}, {}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>, i32, !tt.ptr<i32, "constant">) -> (), sym_name = "add", sym_visibility = "public"}> ({
  ^bb0(%arg17: !tt.ptr<f32>, %arg18: !tt.ptr<f32>, %arg19: i32, %arg20: !tt.ptr<i32, "constant">):
    %17 = "arith.constant"() <{value = dense<1.000000e+00> : tensor<128xf32, #blocked>}> : () -> tensor<128xf32, #blocked>
    %18 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %19 = "tt.make_range"() <{end = 128 : i32, start = 0 : i32}> : () -> tensor<128xi32, #blocked>
    %20 = "tt.splat"(%18) : (i32) -> tensor<128xi32, #blocked>
    %21 = "arith.addi"(%20, %19) <{overflowFlags = #arith.overflow<none>}> : (tensor<128xi32, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xi32, #blocked>
    %22 = "tt.splat"(%arg19) : (i32) -> tensor<128xi32, #blocked>
    %23 = "arith.cmpi"(%21, %22) <{predicate = 2 : i64}> : (tensor<128xi32, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xi1, #blocked>
    %24 = "tt.splat"(%arg17) : (!tt.ptr<f32>) -> tensor<128x!tt.ptr<f32>, #blocked>
    %25 = "tt.addptr"(%24, %21) : (tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>) -> tensor<128x!tt.ptr<f32>, #blocked>
    %26 = "tt.load"(%25, %23, %17) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi1, #blocked>, tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %27 = "tt.load"(%25) <{isVolatile = true, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<128x!tt.ptr<f32>, #blocked>) -> tensor<128xf32, #blocked>
    %28 = "tt.load"(%arg20) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<i32, "constant">) -> i32
    %29 = "arith.addf"(%26, %27) <{fastmath = #arith.fastmath<none>}> : (tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    "tt.store"(%25, %29, %23) : (tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xf32, #blocked>, tensor<128xi1, #blocked>) -> ()
    %30 = "tt.reduce"(%29) <{axis = 0 : i32}> ({
    ^bb0(%arg21: f32, %arg22: f32):
      %32 = "arith.addf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%32) : (f32) -> ()
    }) : (tensor<128xf32, #blocked>) -> f32
    %31:2 = "tt.call"(%30, %28) <{callee = @scale}> : (f32, i32) -> (f32, i32)
    "tt.store"(%arg18, %31#0) : (!tt.ptr<f32>, f32) -> ()
    "tt.return"() : () -> ()
  }) {noinline = false} : () -> ()
  "tt.func"() <{function_type = (tensor<64x16xf16, #blocked1>, !tt.tensordesc<64x16xf16, #shared>, !tt.tensordesc<64x16xf16>, i32, tensor<1xf32, #blocked>, tensor<128xi32, #blocked>, tensor<128x!tt.ptr<i32>, #blocked>, i64) -> (), sym_name = "layouts"}> ({
  ^bb0(%arg9: tensor<64x16xf16, #blocked1>, %arg10: !tt.tensordesc<64x16xf16, #shared>, %arg11: !tt.tensordesc<64x16xf16>, %arg12: i32, %arg13: tensor<1xf32, #blocked>, %arg14: tensor<128xi32, #blocked>, %arg15: tensor<128x!tt.ptr<i32>, #blocked>, %arg16: i64):
    %6 = "tt.unsplat"(%arg13) : (tensor<1xf32, #blocked>) -> f32
    %7 = "ttg.convert_layout"(%arg9) : (tensor<64x16xf16, #blocked1>) -> tensor<64x16xf16, #linear>
    %8 = "ttg.convert_layout"(%arg9) : (tensor<64x16xf16, #blocked1>) -> tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %9 = "tt.splat"(%6) : (f32) -> tensor<16xf32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %10 = "tt.descriptor_load"(%arg10, %arg12, %arg12) : (!tt.tensordesc<64x16xf16, #shared>, i32, i32) -> tensor<64x16xf16, #blocked1>
    %11 = "tt.atomic_poll"(%arg15, %arg14, %arg16) <{scope = 1 : i32, sem = 1 : i32}> : (tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>, i64) -> tensor<128xi1, #blocked>
    %12 = "ttg.local_alloc"(%arg9) : (tensor<64x16xf16, #blocked1>) -> !ttg.memdesc<64x16xf16, #shared1, #smem>
    %13 = "ttg.local_alloc"() <{alignment = 16 : i32}> : () -> !ttg.memdesc<64x16xf16, #shared1, #smem, mutable>
    %14 = "ttg.memdesc_subslice"(%13) <{offsets = array<i32: 32, 0>}> : (!ttg.memdesc<64x16xf16, #shared1, #smem, mutable>) -> !ttg.memdesc<32x16xf16, #shared1, #smem, mutable, 64x16>
    %15:2 = "ttng.warp_group_dot_wait"(%7, %13) <{pendings = 0 : i32}> : (tensor<64x16xf16, #linear>, !ttg.memdesc<64x16xf16, #shared1, #smem, mutable>) -> (tensor<64x16xf16, #linear>, !ttg.memdesc<64x16xf16, #shared1, #smem, mutable>)
    %16 = "ttg.async_wait"() <{num = 0 : i32}> : () -> !ttg.async.token
    "ttg.barrier"() <{addrSpace = 1 : i32}> : () -> ()
    "ttg.barrier"() <{addrSpace = 17 : i32}> : () -> ()
    "ttg.barrier"() <{addrSpace = 0 : i32}> : () -> ()
    "ttg.barrier"() <{addrSpace = 31 : i32}> : () -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
  "tt.func"() <{function_type = (!ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, i1, !ttg.memdesc<1xi64, #shared2, #smem, mutable>, i32) -> (), sym_name = "partitions"}> ({
  ^bb0(%arg0: !ttg.memdesc<128x64xf16, #shared, #smem>, %arg1: !ttg.memdesc<64x128xf16, #shared, #smem>, %arg2: i1, %arg3: !ttg.memdesc<1xi64, #shared2, #smem, mutable>, %arg4: i32):
    %0:2 = "ttng.tmem_alloc"() : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %1 = "ttng.tc_gen5_mma"(%arg0, %arg1, %0#0, %0#1, %arg2, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0>}> : (!ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token, i1, i1) -> !ttg.async.token
    %2 = "ttng.tc_gen5_mma"(%arg0, %arg1, %0#0, %arg2, %arg2, %arg3, %arg3, %arg2, %arg2) <{is_async, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 2, 2>}> : (!ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, i1, i1, !ttg.memdesc<1xi64, #shared2, #smem, mutable>, !ttg.memdesc<1xi64, #shared2, #smem, mutable>, i1, i1) -> !ttg.async.token
    "ttng.tc_gen5_mma"(%arg0, %arg1, %0#0, %arg2, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 0>}> : (!ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x128xf16, #shared, #smem>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, i1, i1) -> ()
    %3:2 = "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 4, 1>, requestedRegisters = array<i32: 24, 24>}> ({
      %5 = "ub.poison"() <{value = #ub.poison}> : () -> i32
      "ttg.warp_yield"(%5, %arg2) : (i32, i1) -> ()
    }, {
      "ttg.warp_specialize.partitions"(%arg4, %arg3) ({
      ^bb0(%arg7: i32, %arg8: !ttg.memdesc<1xi64, #shared2, #smem, mutable>):
        %4 = "arith.addi"(%arg7, %arg7) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
        "ttg.warp_return"() : () -> ()
      }, {
      ^bb0(%arg5: i32, %arg6: !ttg.memdesc<1xi64, #shared2, #smem, mutable>):
        "cf.br"()[^bb1] : () -> ()
      ^bb1:  // pred: ^bb0
        "ttg.warp_return"() : () -> ()
      }) : (i32, !ttg.memdesc<1xi64, #shared2, #smem, mutable>) -> ()
    }) : () -> (i32, i1)
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"() : () -> ()
    }) : () -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}], function_type = (!tt.ptr<f32>) -> i32, sym_name = "declared", sym_visibility = "private"}> ({
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()
