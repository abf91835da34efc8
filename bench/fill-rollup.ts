import { numbersOf, type Rollup } from "../src/analytics/rollups.ts"

/** SQL that inserts the rows of a table of queued rows into a rollup. */
export function fillRollup(rollup: Rollup, from: string): string {
  const { name, keys } = rollup
  const numbers = numbersOf(rollup)
  const summed = numbers.map((column) => `${column === "tokens_input_most" ? "max" : "sum"}(q.${column})`)
  const groups = Object.keys(keys).map((_, at) => at + 1)
  return `insert into ${name} (${[...Object.keys(keys), ...numbers]}) select ${[...Object.values(keys), ...summed]} from ${from} q group by ${groups} order by ${groups}`
}
