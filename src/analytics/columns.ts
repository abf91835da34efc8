import { expressionBuilder } from "kysely"

/**
 * Columns of rows `u`, each as one array: many rows of integers are several times as much to print. An array is under the name of its
 * column, or under another one.
 */
export function inColumns<Name extends string, As extends string>(names: Readonly<Record<As, Name>>) {
  const eb = expressionBuilder<{ u: Record<Name, number> }, "u">()
  const all = Object.entries(names) as [As, Name][]
  return all.map(([as, name]) => eb.fn.agg<number[]>("array_agg", [`u.${name}`]).as(as))
}

/** The rows again. */
export function fromColumns<Row extends object>(columns: { [Name in keyof Row]: Row[Name][] }): Row[] {
  const all = Object.entries(columns) as [string, unknown[]][]
  const [first] = all
  return (first?.[1] ?? []).map(
    (_, at) => Object.fromEntries(all.map(([name, values]) => [name, values[at]])) as unknown as Row,
  )
}
