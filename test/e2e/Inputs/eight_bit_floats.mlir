// Floats of eight bits, in and out as bytes.

func.func @widen_e4m3(%x: tensor<?xi8>) -> tensor<?xf32> {
  %0 = arith.bitcast %x : tensor<?xi8> to tensor<?xf8E4M3FN>
  %1 = arith.extf %0 : tensor<?xf8E4M3FN> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

func.func @round_e4m3_f32(%x: tensor<?xf32>) -> tensor<?xi8> {
  %0 = arith.truncf %x : tensor<?xf32> to tensor<?xf8E4M3FN>
  %1 = arith.bitcast %0 : tensor<?xf8E4M3FN> to tensor<?xi8>
  return %1 : tensor<?xi8>
}

func.func @round_e4m3_f64(%x: tensor<?xf64>) -> tensor<?xi8> {
  %0 = arith.truncf %x : tensor<?xf64> to tensor<?xf8E4M3FN>
  %1 = arith.bitcast %0 : tensor<?xf8E4M3FN> to tensor<?xi8>
  return %1 : tensor<?xi8>
}

func.func @add_e4m3(%x: tensor<?xi8>, %y: tensor<?xi8>) -> tensor<?xi8> {
  %0 = arith.bitcast %x : tensor<?xi8> to tensor<?xf8E4M3FN>
  %1 = arith.bitcast %y : tensor<?xi8> to tensor<?xf8E4M3FN>
  %2 = arith.addf %0, %1 : tensor<?xf8E4M3FN>
  %3 = arith.bitcast %2 : tensor<?xf8E4M3FN> to tensor<?xi8>
  return %3 : tensor<?xi8>
}

func.func @fma_e4m3(%x: tensor<?xi8>, %y: tensor<?xi8>) -> tensor<?xi8> {
  %0 = arith.bitcast %x : tensor<?xi8> to tensor<?xf8E4M3FN>
  %1 = arith.bitcast %y : tensor<?xi8> to tensor<?xf8E4M3FN>
  %2 = math.fma %0, %1, %0 : tensor<?xf8E4M3FN>
  %3 = arith.bitcast %2 : tensor<?xf8E4M3FN> to tensor<?xi8>
  return %3 : tensor<?xi8>
}

func.func @widen_e5m2(%x: tensor<?xi8>) -> tensor<?xf32> {
  %0 = arith.bitcast %x : tensor<?xi8> to tensor<?xf8E5M2>
  %1 = arith.extf %0 : tensor<?xf8E5M2> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

func.func @round_e5m2_f32(%x: tensor<?xf32>) -> tensor<?xi8> {
  %0 = arith.truncf %x : tensor<?xf32> to tensor<?xf8E5M2>
  %1 = arith.bitcast %0 : tensor<?xf8E5M2> to tensor<?xi8>
  return %1 : tensor<?xi8>
}

func.func @round_e5m2_f64(%x: tensor<?xf64>) -> tensor<?xi8> {
  %0 = arith.truncf %x : tensor<?xf64> to tensor<?xf8E5M2>
  %1 = arith.bitcast %0 : tensor<?xf8E5M2> to tensor<?xi8>
  return %1 : tensor<?xi8>
}

func.func @add_e5m2(%x: tensor<?xi8>, %y: tensor<?xi8>) -> tensor<?xi8> {
  %0 = arith.bitcast %x : tensor<?xi8> to tensor<?xf8E5M2>
  %1 = arith.bitcast %y : tensor<?xi8> to tensor<?xf8E5M2>
  %2 = arith.addf %0, %1 : tensor<?xf8E5M2>
  %3 = arith.bitcast %2 : tensor<?xf8E5M2> to tensor<?xi8>
  return %3 : tensor<?xi8>
}

func.func @fma_e5m2(%x: tensor<?xi8>, %y: tensor<?xi8>) -> tensor<?xi8> {
  %0 = arith.bitcast %x : tensor<?xi8> to tensor<?xf8E5M2>
  %1 = arith.bitcast %y : tensor<?xi8> to tensor<?xf8E5M2>
  %2 = math.fma %0, %1, %0 : tensor<?xf8E5M2>
  %3 = arith.bitcast %2 : tensor<?xf8E5M2> to tensor<?xi8>
  return %3 : tensor<?xi8>
}

func.func @product(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = arith.truncf %x : tensor<?x?xf32> to tensor<?x?xf8E4M3FN>
  %1 = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xf8E5M2>
  %2 = linalg.matmul ins(%0, %1 : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
