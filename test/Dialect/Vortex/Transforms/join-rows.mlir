// RUN: vortex-opt %s --vortex-join-rows | FileCheck %s

// Rows that follow each other without gaps in all that is read and written are one, whose distance from others is none. All of that is found in front of
// the outermost loop.
// CHECK-LABEL: func.func @batches
// CHECK-SAME: %[[X:.*]]: memref<4x?x?xf32, strided<[?, ?, 1], offset: ?>>, %[[Y:.*]]: memref<?x?x?xf32>, %[[B:.*]]: index, %[[M:.*]]: index, %[[N:.*]]: index
// CHECK: %[[BX:.*]], %[[OX:.*]], %[[SX:.*]]:3, %[[TX:.*]]:3 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[DX:.*]] = arith.cmpi eq, %[[TX]]#1, %[[N]] : index
// CHECK: %[[BY:.*]], %[[OY:.*]], %[[SY:.*]]:3, %[[TY:.*]]:3 = memref.extract_strided_metadata %[[Y]]
// CHECK: %[[DY:.*]] = arith.cmpi eq, %[[TY]]#1, %[[N]] : index
// CHECK: %[[DENSE:.*]] = arith.andi %[[DX]], %[[DY]] : i1
// CHECK: %[[ALL:.*]] = arith.muli %[[M]], %[[N]] : index
// CHECK: %[[COLUMNS:.*]] = arith.select %[[DENSE]], %[[ALL]], %[[N]] : index
// CHECK: %[[ROWS:.*]] = arith.select %[[DENSE]], %{{.*}}, %[[M]] : index
// CHECK: %[[APART:.*]] = arith.select %[[DENSE]], %{{.*}}, %[[TX]]#1 : index
// CHECK: %[[RX:.*]] = memref.reinterpret_cast %[[X]] to offset: [%[[OX]]], sizes: [4, %[[ROWS]], %[[COLUMNS]]], strides: [%[[TX]]#0, %[[APART]], 1]
// CHECK: %[[RY:.*]] = memref.reinterpret_cast %[[Y]] to offset: [%[[OY]]], sizes: [%[[SY]]#0, %[[ROWS]], %[[COLUMNS]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[B]]
// CHECK: scf.for %[[R:.*]] = %c0 to %[[ROWS]] step %c1
// CHECK: %[[IN:.*]] = memref.subview %[[RX]][%[[I]], %[[R]], 0] [1, 1, %[[COLUMNS]]] [1, 1, 1]
// CHECK: %[[OUT:.*]] = memref.subview %[[RY]][%[[I]], %[[R]], 0] [1, 1, %[[COLUMNS]]] [1, 1, 1]
// CHECK: %[[REST:.*]] = arith.remui %[[COLUMNS]], %c16
// CHECK: scf.for
// CHECK: vector.transfer_read %[[IN]]
// CHECK: vector.transfer_write %{{.*}}, %[[OUT]]
// CHECK: } {vortex.nontemporal}
// CHECK: scf.for %[[Q:.*]] = %{{.*}} to %[[COLUMNS]] step %c16
// CHECK: arith.subi %[[COLUMNS]], %[[Q]]
func.func @batches(%x: memref<4x?x?xf32, strided<[?, ?, 1], offset: ?>>, %y: memref<?x?x?xf32>, %b: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %b step %c1 {
    scf.for %r = %c0 to %m step %c1 {
      %in = memref.subview %x[%i, %r, 0] [1, 1, %n] [1, 1, 1] : memref<4x?x?xf32, strided<[?, ?, 1], offset: ?>> to memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>
      %out = memref.subview %y[%i, %r, 0] [1, 1, %n] [1, 1, 1] : memref<?x?x?xf32> to memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>
      %rest = arith.remui %n, %c16 : index
      %whole = arith.subi %n, %rest : index
      scf.for %q = %c0 to %whole step %c16 {
        %v = vector.transfer_read %in[%c0, %c0, %q], %zero {in_bounds = [true]} : memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>, vector<16xf32>
        %w = arith.addf %v, %v : vector<16xf32>
        vector.transfer_write %w, %out[%c0, %c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>
      } {vortex.nontemporal}
      scf.for %q = %whole to %n step %c16 {
        %left = arith.subi %n, %q : index
        %mask = vector.create_mask %left : vector<16xi1>
        %v = vector.transfer_read %in[%c0, %c0, %q], %zero, %mask {in_bounds = [true]} : memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>, vector<16xf32>
        %w = arith.addf %v, %v : vector<16xf32>
        vector.transfer_write %w, %out[%c0, %c0, %q], %mask {in_bounds = [true]} : vector<16xf32>, memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>
      }
      memref.copy %out, %out : memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>> to memref<1x1x?xf32, strided<[?, ?, 1], offset: ?>>
    }
  }
  return
}

// Left alone: a value of the column, one of the row, what another row reads too, rows of a constant length, a size that is not that of a row, parts of
// rows, every second row, columns one in two.
// CHECK-LABEL: func.func @columns_as_values
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @columns_as_values(%y: memref<?x?xi32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xi32> to memref<1x?xi32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c8 {
      %place = arith.index_cast %q : index to i32
      %v = vector.broadcast %place : i32 to vector<8xi32>
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<8xi32>, memref<1x?xi32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @bias
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @bias(%x: memref<?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c16 {
      %v = vector.transfer_read %x[%q], %zero {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @scalar_of_row
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @scalar_of_row(%x: memref<?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    %s = memref.load %x[%r] : memref<?xf32>
    %v = vector.broadcast %s : f32 to vector<16xf32>
    scf.for %q = %c0 to %n step %c16 {
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @constant_length
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @constant_length(%y: memref<?x16xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, 16] [1, 1] : memref<?x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    scf.for %q = %c0 to %c16 step %c16 {
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x16xf32, strided<[16, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @other_size
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @other_size(%y: memref<?x?xf32>, %m: index, %n: index, %o: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %o step %c16 {
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @part_of_rows
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @part_of_rows(%y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 1] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c16 {
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @every_second_row
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @every_second_row(%y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  scf.for %r = %c0 to %m step %c2 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c16 {
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @one_in_two
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @one_in_two(%y: memref<?x?xf32, strided<[?, 2]>>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = arith.constant dense<1.0> : vector<16xf32>
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32, strided<[?, 2]>> to memref<1x?xf32, strided<[?, 2], offset: ?>>
    scf.for %q = %c0 to %n step %c16 {
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<16xf32>, memref<1x?xf32, strided<[?, 2], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// Nor where lanes of a vector differ, a column is read again and again, columns are summed, a part of them is left out, a value is taken from another lane.
// CHECK-LABEL: func.func @step
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @step(%y: memref<?x?xi32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant dense<[0,1,2,3,4,5,6,7]> : vector<8xi32>
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xi32> to memref<1x?xi32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c8 {
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<8xi32>, memref<1x?xi32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @twice
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @twice(%y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c8 {
      %v = vector.transfer_read %out[%c0, %c0], %z {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<8xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @sums
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @sums(%y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    %lanes = scf.for %q = %c0 to %n step %c8 iter_args(%s = %zeros) -> (vector<8xf32>) {
      %v = vector.transfer_read %out[%c0, %q], %z {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
      %t = arith.addf %s, %v : vector<8xf32>
      scf.yield %t : vector<8xf32>
    }
    %sum = vector.reduction <add>, %lanes : vector<8xf32> into f32
    %all = vector.broadcast %sum : f32 to vector<8xf32>
    scf.for %q = %c0 to %n step %c8 {
      %v = vector.transfer_read %out[%c0, %q], %z {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
      %w = arith.subf %v, %all : vector<8xf32>
      vector.transfer_write %w, %out[%c0, %q] {in_bounds = [true]} : vector<8xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @without_rest
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @without_rest(%y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant dense<1.0> : vector<8xf32>
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    %rest = arith.remui %n, %c8 : index
    %whole = arith.subi %n, %rest : index
    scf.for %q = %c0 to %whole step %c8 {
      vector.transfer_write %v, %out[%c0, %q] {in_bounds = [true]} : vector<8xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @reversed
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @reversed(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  scf.for %r = %c0 to %m step %c1 {
    %in = memref.subview %x[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    scf.for %q = %c0 to %n step %c4 {
      %v = vector.transfer_read %in[%c0, %q], %z {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
      %w = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
      vector.transfer_write %w, %out[%c0, %q] {in_bounds = [true]} : vector<4xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
    } {vortex.nontemporal}
  }
  return
}

// CHECK-LABEL: func.func @running_sums
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @running_sums(%y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  scf.for %r = %c0 to %m step %c1 {
    %out = memref.subview %y[%r, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<1x?xf32, strided<[?, 1], offset: ?>>
    %lanes = scf.for %q = %c0 to %n step %c8 iter_args(%s = %zeros) -> (vector<8xf32>) {
      %v = vector.transfer_read %out[%c0, %q], %z {in_bounds = [true]} : memref<1x?xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
      %t = arith.addf %s, %v : vector<8xf32>
      vector.transfer_write %t, %out[%c0, %q] {in_bounds = [true]} : vector<8xf32>, memref<1x?xf32, strided<[?, 1], offset: ?>>
      scf.yield %t : vector<8xf32>
    } {vortex.nontemporal}
  }
  return
}
