import { keep, useKept } from "./kept.ts"
import { lookIn, type TableLook } from "./table-look.ts"

/** The look of a list in this browser. A table that is no list always has the usual one. */
export function useTableLook(list: string | undefined): [TableLook, (look: TableLook) => void] {
  const entry = `table.${list ?? ""}`
  const text = useKept(entry)
  return [lookIn(list === undefined ? null : text), (look) => keep(entry, JSON.stringify(look))]
}
