import { parseArgs } from "node:util"
import { type CellOptions, simulateCells } from "./cells/simulate.ts"

const USAGE = `Simulates a service that grows from one database to several cells (docs/scale.md).

  --seed N        the same seed gives the same run (1)
  --accounts N    accounts (1,000)
  --seconds N     simulated seconds (600)
  --from N --to N turns per second at the start and at the end (20 and 400)
  --capacity N    turns per second that one cell can take (100)
  --crashes SHARE how often a mover dies in a phase of a move, from 0 to 1 (0.1)
  --unfenced      leave out freezing an account, to see that the checks find it`

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    accounts: { type: "string", default: "1000" },
    seconds: { type: "string", default: "600" },
    from: { type: "string", default: "20" },
    to: { type: "string", default: "400" },
    capacity: { type: "string", default: "100" },
    crashes: { type: "string", default: "0.1" },
    unfenced: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

function numberOf(
  name: "seed" | "accounts" | "seconds" | "from" | "to" | "capacity" | "crashes",
  least: number,
): number {
  const value = Number(values[name])
  if (!(value >= least)) throw new Error(`--${name} must be a number from ${least}.\n\n${USAGE}`)
  return value
}

if (values.help) {
  console.log(USAGE)
  process.exit()
}
try {
  const options: CellOptions = {
    seed: numberOf("seed", 0),
    accounts: numberOf("accounts", 1),
    seconds: numberOf("seconds", 1),
    from: numberOf("from", 0),
    to: numberOf("to", 0),
    capacity: numberOf("capacity", 1),
    crashes: Math.min(0.9, numberOf("crashes", 0)),
    isFenced: !values.unfenced,
  }
  const { moments, ...report } = simulateCells(options)
  console.log("second  turns/s  cells  fullest  moves")
  for (const { second, offered, cells, fullest, moves } of moments.filter((_, nth) => nth % 3 === 2)) {
    const columns = [String(second).padStart(6), offered.toFixed(0).padStart(8), String(cells).padStart(6)]
    console.log([...columns, `${(fullest * 100).toFixed(0)} %`.padStart(8), String(moves).padStart(6)].join(" "))
  }
  console.log(`
${report.turns} turns: ${report.lost} lost, ${report.doubled} ended twice. The books differ by ${report.misbooked}.
${report.moves} moves of ${report.movedAccounts} accounts, although movers died ${report.crashed} times.
An account accepted nothing for ${report.pause.median} s in the median, and ${report.pause.longest} s at most.
${report.busy} requests were repeated for that reason. Routers sent ${report.rerouted} requests to an old cell first.`)
  if (report.lost !== 0 || report.doubled > 0 || report.misbooked !== 0) process.exitCode = 1
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
