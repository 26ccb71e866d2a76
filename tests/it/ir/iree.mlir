module {
  util.global private mutable @count : i32
  util.global private @start <inlining_policy = #util.inline.never> = 5 : i32
  util.global public @table {kept} = dense<[1, 2]> : tensor<2xi32>
  util.global private @device = #util.null : !hal.device
  util.initializer {
    %c1_i32 = arith.constant 1 : i32
    util.global.store %c1_i32, @count : i32
    util.return
  }
  util.initializer attributes {last} {
    util.return
  }
  util.func private @declared(%arg0: tensor<?xf32>, %arg1: index {util.kept}) -> (%arg0 as tensor<4xf32>, i32 {util.kept})
  util.func private @reuses(%arg0: tensor<?xf32>) -> %arg0 attributes {nosideeffects}
  util.func public @none() {
    util.return
  }
  util.func public @util(%arg0: tensor<?xf32>, %arg1: index, %arg2: index, %arg3: !util.list<i32>, %arg4: !util.list<?>, %arg5: !util.buffer) -> i32 {
    %0:2 = util.call @declared(%arg0, %arg1) : (tensor<?xf32>, index) -> (%arg0 as tensor<4xf32>, i32)
    %1 = util.call @reuses(%arg0) : (tensor<?xf32>) -> %arg0
    util.call @none() : () -> ()
    %2 = util.list.get %arg3[%arg1] : !util.list<i32>
    %3 = util.list.get %arg4[%arg1] : !util.list<?> -> i32
    util.list.set %arg3[%arg1], %2 : !util.list<i32>
    util.list.set %arg4[%arg1], %2 : i32 -> !util.list<?>
    %min, %max = util.range.extents [%arg1 for %arg2], [%arg2 for %arg1] : index
    %4 = util.switch index from [%arg1, %arg2] at %arg1 else %arg2 : index
    %5:2 = util.assume.int 
        %arg1<umin = 1, udiv = 4>, 
        %arg2[<umin = 0>, <umax = 5>]
      : index, index
    %6 = util.assume.int %arg1<udiv = 2> : index
    %7 = util.unfoldable_constant dense<1> : tensor<4xi32>
    %8 = util.unfoldable_constant  {kept} 4 : i32
    %buffer_span = util.buffer.subspan %arg5[%arg1] : !util.buffer{%arg1} -> !util.buffer{%arg2}
    util.return %8 : i32
  }
  flow.executable private @executable {
    flow.executable.export public @function as("entry") workgroups(%arg0: index, %arg1: index) -> (index, index, index) {
      flow.return %arg0, %arg1, %arg0 : index, index, index
    }
    flow.executable.export public @other 
  }
  util.func public @flow(%arg0: tensor<?xf32>, %arg1: tensor<4xf32>, %arg2: index, %arg3: index, %arg4: !util.buffer, %arg5: i64) {
    %0 = flow.dispatch @executable::@function(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = flow.dispatch {@executable::@function, @executable::@other}[%arg2](%arg0, %arg2) : (tensor<?xf32>{%arg2}, index) -> (%arg0{%arg2}, tensor<4xf32>)
    %2 = flow.dispatch @executable::@function(%arg0, %arg2) : (tensor<?xf32>{%arg2}, index) -> %arg0 as tensor<?x2xf32>{%arg3}
    %3 = flow.dispatch.workgroups[%arg2](%arg0, %arg2) : (tensor<?xf32>{%arg2}, index) -> tensor<?xf32>{%arg3} =
        (%arg6: !iree_tensor_ext.dispatch.tensor<readonly:tensor<?xf32>>, %arg7: index, %arg8: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>) {
      flow.return
    } count(%arg6: index) -> (index, index, index) {
      flow.return %arg6, %arg6, %arg6 : index, index, index
    }
    %4:2 = flow.dispatch.region[%arg2] -> (tensor<?xf32>{%arg2}, tensor<4xf32>) {
      flow.return %arg0, %arg1 : tensor<?xf32>, tensor<4xf32>
    } count(%arg6: index) -> (index, index, index) {
      flow.return %arg6, %arg6, %arg6 : index, index, index
    }
    %5 = flow.tensor.update %arg1, %arg0[%arg2] : tensor<4xf32> -> %arg0 as tensor<?xf32>{%arg2}
    flow.tensor.trace "values" = [%arg0 : tensor<?xf32>{%arg2}, %arg1 : tensor<4xf32>]
    %6 = flow.parameter.load %arg4::%arg4[%arg5] : tensor<?xf32>{%arg2}
    %7 = flow.parameter.load %arg4[%arg5] : tensor<4xf32>
    util.return
  }
  stream.async.func private @async(%arg0: !stream.resource<*>, %arg1: index) -> (%arg0 as !stream.resource<external>, i32)
  stream.async.func private @nothing()
  util.func public @stream(%arg0: !stream.resource<*>, %arg1: !stream.resource<constant>, %arg2: !stream.timepoint, %arg3: index, %arg4: index, %arg5: !util.buffer, %arg6: i64, %arg7: i32) {
    %0 = stream.async.update on(#hal.device.affinity<@device>) %arg0, %arg0[%arg3 to %arg4] : !stream.resource<*>{%arg3} -> %arg0 as !stream.resource<*>{%arg4}
    %results, %result_timepoint = stream.async.execute with(%arg0 as %arg8: !stream.resource<*>{%arg3}, %arg1 as %arg9: !stream.resource<constant>{%arg4}) -> %arg0{%arg3} {
      %8 = stream.async.dispatch @executable::@function[%arg3](%arg8[%arg3 to %arg4 for %arg3], %arg3) : (!stream.resource<*>{%arg3}, index) -> %arg8{%arg3}
      stream.yield %8 : !stream.resource<*>{%arg3}
    } => !stream.timepoint
    %result_timepoint_0 = stream.async.execute await(%arg2) => with() {
      stream.yield
    } => !stream.timepoint
    %1:2 = stream.tensor.dispatch @executable::@function(%arg0, %arg3) : (tensor<?xf32>{%arg4} in !stream.resource<*>{%arg3}, index) -> (tensor<?xf32>{%arg4} in %arg0{%arg3}, tensor<4xf32> in !stream.resource<external>{%arg4})
    %2 = stream.cmd.execute once on(#hal.device.affinity<@device>) await(%arg2) => with(%arg0 as %arg8: !stream.resource<*>{%arg3}) {
      stream.cmd.dispatch @executable::@function[%arg3](%arg7, %arg7 : i32, i32) {
        ro %arg8[%arg3 for %arg4] : !stream.resource<*>{%arg3},
        rw %arg8[%arg4 for %arg3] : !stream.resource<*>{%arg3}
      }
    } => !stream.timepoint
    %3 = stream.cmd.execute with() {
    } => !stream.timepoint
    %4:3 = stream.resource.pack offset(%arg3) slices({
      [0, 1] = %arg3,
      [2, 3] = %arg4
    }) : index
    %results_1, %result_timepoint_2 = stream.resource.constants on(#hal.device.affinity<@device>) : 
      !stream.resource<constant>{%arg3} = dense<1> : tensor<4xi32>
      => !stream.timepoint
    %results_3:2, %result_timepoint_4 = stream.cmd.parameter.load await(%arg2) => {
      %arg5::%arg5[%arg6] : !stream.resource<constant>{%arg3},
      %arg5::%arg5[%arg6] : !stream.resource<constant>{%arg4}
    } => !stream.timepoint
    %5 = stream.cmd.parameter.gather {
      %arg5[%arg6] -> %arg1[%arg3 for %arg4] : !stream.resource<constant>{%arg3},
      %arg5[%arg6] -> %arg1[%arg4 for %arg3] : !stream.resource<constant>{%arg3}
    } => !stream.timepoint
    %6 = stream.cmd.parameter.scatter {
      %arg1[%arg3 for %arg4] : !stream.resource<constant>{%arg3} -> %arg5::%arg5[%arg6]
    } => !stream.timepoint
    %7:2 = stream.timepoint.await %arg2 => %arg0, %arg1 : !stream.resource<*>{%arg3}, !stream.resource<constant>{%arg4}
    util.return
  }
  hal.executable private @binaries {
    hal.executable.variant public @variant target(<"vmvx", "vmvx-bytecode-fb", {ukernels = "none"}>) {
      hal.executable.condition(%arg0: !hal.device) -> i1 {
        %true = arith.constant true
        hal.return %true : i1
      } attributes {kept}
      hal.executable.constant.block(%arg0: !hal.device) -> (i32, i32) as ("first", "second") {
        %c1_i32 = arith.constant 1 : i32
        hal.return %c1_i32, %c1_i32 : i32, i32
      }
      hal.executable.constant.block() -> i32 as "third" attributes {kept} {
        %c1_i32 = arith.constant 1 : i32
        hal.return %c1_i32 : i32
      }
      hal.executable.export public @function ordinal(0) layout(#hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">], flags = Indirect>) count(%arg0: !hal.device, %arg1: index) -> (index, index, index) {
        hal.return %arg1, %arg1, %arg1 : index, index, index
      }
    }
  }
  util.func public @hal(%arg0: !hal.buffer_view, %arg1: tensor<?xf32>, %arg2: index, %arg3: !hal.device, %arg4: !hal.fence, %arg5: !hal.fence, %arg6: i64, %arg7: !hal.command_buffer, %arg8: !hal.buffer) {
    %0 = hal.tensor.import %arg0 "input" : !hal.buffer_view -> tensor<?xf32> as tensor<?xi32>{%arg2}
    %1 = hal.tensor.export %arg1 : tensor<?xf32>{%arg2} -> !hal.buffer_view
    %buffer_usage = hal.buffer_usage<"TransferSource|TransferTarget|Transfer"> : i32
    %memory_type = hal.memory_type<"DeviceVisible|DeviceLocal"> : i32
    %transient_buffer = hal.device.queue.alloca<%arg3 : !hal.device> affinity(%arg6) wait(%arg4) signal(%arg5) pool(%arg6) type(%memory_type) usage(%buffer_usage) flags("None") : !hal.buffer{%arg2}
    hal.device.queue.execute.indirect<%arg3 : !hal.device> affinity(%arg6) wait(%arg4) signal(%arg5) commands(%arg7) bindings([
      (%arg8 : !hal.buffer)[%arg2, %arg2], 
      (%arg8 : !hal.buffer)[%arg2, %arg2]
    ]) flags("None")
    util.return
  }
}
