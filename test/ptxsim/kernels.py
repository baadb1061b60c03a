"""Kernels with one GPU candidate, written out as MLIR: a contraction of any layout with a chain behind it."""

LAYOUTS = {"n": {"a": "(d0, d2)", "b": "(d2, d1)"}, "t": {"a": "(d2, d0)", "b": "(d1, d2)"}}


def contraction(name="mm", element="f16", layout="nn", block=(128, 128, 32), warp=(64, 64), stages=4, runs=(8, 8), store=2,
                epilogue="none", result="f32", batch=False, producers=0, queue=False, cluster=(1, 1)):
    """A function @f with one kernel.  LAYOUT: of A then B, n = row-major m x k and k x n, t = transposed.

    PRODUCERS: warps that load boxes for groups of warps with tiles of WARP on wgmma, which divide the rows or the columns of a block;
    0: all warps load for mma.sync.
    QUEUE: blocks walk all tiles.  CLUSTER: blocks that start together, along rows and columns of the result.
    EPILOGUE: none; bias_relu (a vector along n, then max with 0); scale (by a number); accumulate (onto what the result holds).
    """
    shift = 1 if batch else 0
    m, n, k = (f"d{i + shift}" for i in range(3))
    prefix = "d0, " if batch else ""
    dims = "d0, d1, d2" + (", d3" if batch else "")
    a_map = f"{prefix}{m}, {k}" if layout[0] == "n" else f"{prefix}{k}, {m}"
    b_map = f"{prefix}{k}, {n}" if layout[1] == "n" else f"{prefix}{n}, {k}"
    free = "d0, d1" + (", d2" if batch else "")
    column = "d2" if batch else "d1"
    q = "?x?x?x" if batch else "?x?x"
    axes = '"b", "m", "n", "k"' if batch else '"m", "n", "k"'
    args = ", ".join(f"%{x}: index" for x in (["bt"] if batch else []) + ["m", "n", "k"])
    parallel = ", ".join(['"parallel"'] * (2 + shift))
    inner = [k if layout[0] == "n" else m, n if layout[1] == "n" else k]
    inputs = [(f"tensor<{q}{element}>", "a"), (f"tensor<{q}{element}>", "b")]
    if epilogue == "bias_relu":
        inputs.append(("tensor<?xf32>", "bias"))
    if epilogue == "scale":
        inputs.append(("f32", "scale"))
    if result != "f32":
        inputs += [("index", f"size{i}") for i in range(2 + shift)]
    names = ", ".join("%" + n_ for _, n_ in inputs)
    types = ", ".join(t for t, _ in inputs)
    out = f"tensor<{q}{result}>"
    parameters = ", ".join(f"%{n_}: {t}" for t, n_ in inputs) + f", %o: {out}"
    payload = ", ".join(f"%p{n_}: {t}" for t, n_ in inputs) + f", %po: {out}"
    lines = []
    accumulators = "%po"
    acc_type = f"tensor<{q}f32>"
    if result != "f32":
        sizes = ", ".join(f"%psize{i}" for i in range(2 + shift))
        lines.append(f"%empty = tensor.empty({sizes}) : {acc_type}")
        accumulators = "%empty"
    if epilogue != "accumulate":
        lines.append(f'%z = linalg.fill {{vortex.id = "fill"}} ins(%zero : f32) outs({accumulators} : {acc_type}) -> {acc_type}')
        accumulators = "%z"
    lines.append(f"""%p = linalg.generic {{vortex.anchor, vortex.id = "mm",
        indexing_maps = [affine_map<({dims}) -> ({a_map})>, affine_map<({dims}) -> ({b_map})>,
                         affine_map<({dims}) -> ({prefix}{m}, {n})>],
        iterator_types = [{parallel}, "reduction"]}}
        ins(%pa, %pb : {types.split(", ")[0]}, {types.split(", ")[1]}) outs({accumulators} : {acc_type}) {{
    ^bb0(%x: {element}, %y: {element}, %s: f32):
      %xf = arith.extf %x : {element} to f32
      %yf = arith.extf %y : {element} to f32
      %q = arith.mulf %xf, %yf : f32
      %r = arith.addf %s, %q : f32
      linalg.yield %r : f32
    }} -> {acc_type}""")
    value, behind = "%p", []

    def elementwise(ident, extra, body, element_type):
        nonlocal value
        more = "".join(f", {x}" for x, _, _ in extra)
        more_types = "".join(f", {t}" for _, t, _ in extra)
        more_maps = "".join(f"affine_map<({free}) -> ({mp})>, " for _, _, mp in extra)
        more_args = "".join(f", %e{i}: {t.split('x')[-1].rstrip('>')}" for i, (_, t, _) in enumerate(extra))
        source = acc_type
        lines.append(f"""%{ident} = linalg.generic {{vortex.id = "{ident}",
        indexing_maps = [affine_map<({free}) -> ({free})>, {more_maps}affine_map<({free}) -> ({free})>],
        iterator_types = [{parallel}]}}
        ins({value}{more} : {source}{more_types}) outs({'%po' if element_type == result else '%empty'} : tensor<{q}{element_type}>) {{
    ^bb0(%x: f32{more_args}, %out: {element_type}):
{body}
    }} -> tensor<{q}{element_type}>""")
        value = "%" + ident
        behind.append(f'"{ident}"')

    if epilogue == "bias_relu":
        elementwise("add", [("%pbias", "tensor<?xf32>", column)],
                    "      %s = arith.addf %x, %e0 : f32\n      linalg.yield %s : f32", "f32")
        elementwise("relu", [], "      %t = arith.maximumf %x, %zero : f32\n      linalg.yield %t : f32", "f32")
    if epilogue == "scale":
        elementwise("times", [], "      %s = arith.mulf %x, %pscale : f32\n      linalg.yield %s : f32", "f32")
    if result != "f32":
        elementwise("cast", [], f"      %t = arith.truncf %x : f32 to {result}\n      linalg.yield %t : {result}", result)
    body = "\n    ".join(lines)
    axis = {"d0": 0, "d1": 1, "d2": 2, "d3": 3}
    runs = (64, 64) if producers else runs
    constants = sorted({1, *block, *warp, *runs})
    defined = "\n    ".join(f"%c{c} = arith.constant {c} : index" for c in constants)
    batch_level = "PL 0 by %c1, " if batch else ""
    i, j, l = axis[m], axis[n], axis[k]
    together = f" cluster({'1, ' if batch else ''}{cluster[0]}, {cluster[1]})" if cluster != (1, 1) else ""
    stage = f'\n        vortex.stage [{", ".join(behind)}]' if behind else ""
    first = '"mm"' if epilogue == "accumulate" else '"fill", "mm"'
    unroll, columns = block[2] // 16, warp[1] // 8
    if producers:
        along, divided = (j, 1) if warp[1] < block[1] else (i, 0)
        groups = block[divided] // warp[divided]
        units = f"""vortex.level "warp" forall () role("producer") warps({producers}) {{
          }}
          vortex.level "warp" forall (PL {along} by %c{warp[divided]}) role("consumer") warps({groups * 4}) {{
            vortex.stage [{first}] micro <instruction = "wgmma", rows = {warp[0]}, vectors = 1, lanes = {warp[1]}, unroll = {unroll}>
          }}"""
    else:
        units = f"""vortex.level "warp" forall (PL {i} by %c{warp[0]}, PL {j} by %c{warp[1]}) {{
            vortex.stage [{first}] micro <instruction = "mma_sync", rows = {warp[0]}, vectors = {columns}, lanes = 8, unroll = {unroll}>
          }}"""
    return f"""func.func @f({parameters}) -> {out} {{
  %res = vortex.kernel "{name}" axes [{axes}] ins({names} : {types}) outs(%o : {out}) {{
  ^bb0({payload}):
    %zero = arith.constant 0.0 : f32
    {body}
    vortex.yield {value} : {out}
  }} candidates {{
  ^bb0({args}):
    {defined}
    vortex.candidate @ring schedule {{
      vortex.level "block" {"persistent" if queue else "grid"}
          ({batch_level}PL {i} by %c{block[0]}, PL {j} by %c{block[1]}) store({store}){together} {{
        vortex.level "smem" for (TRL {l} by %c{block[2]})
            load (<operand = 0, layout = swizzle, axis = {axis[inner[0]]}, together = true> by %c{runs[0]},
                  <operand = 1, layout = swizzle, axis = {axis[inner[1]]}, together = true> by %c{runs[1]})
            stages({stages}) resident {{
          {units}
        }}{stage}
      }}
    }}
  }} : {out}
  return %res : {out}
}}
"""
