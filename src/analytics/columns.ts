import { expressionBuilder } from "kysely"
import { composed } from "../base/casts.ts"

/**
 * Selects columns of rows `u` as one array each, because JSON of many rows of integers
 * is several times as large. `names` maps the name of each array to its column.
 */
export function inColumns<Name extends string, As extends string>(names: Readonly<Record<As, Name>>) {
  const eb = expressionBuilder<{ u: Record<Name, number> }, "u">()
  const all = Object.entries(names) as [As, Name][]
  return all.map(([as, name]) => eb.fn.agg<number[]>("array_agg", [`u.${name}`]).as(as))
}

/** The `names` of arrays that are called like their columns. */
export const sameNames = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, name])) as { [Same in Name]: Same }

/** Turns the arrays of `inColumns` back into rows. */
export function fromColumns<Row extends object>(columns: { [Name in keyof Row]: Row[Name][] }): Row[] {
  const all = Object.entries(columns) as [string, unknown[]][]
  const [first] = all
  return (first?.[1] ?? []).map((_, at) =>
    composed<Row>(Object.fromEntries(all.map(([name, values]) => [name, values[at]]))),
  )
}
