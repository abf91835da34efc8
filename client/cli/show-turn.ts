import { isOver } from "../src/follow-turn.ts"
import type { Turn } from "../src/operations.ts"
import type { Exit } from "./failures.ts"
import type { CommandContext } from "./run.ts"
import { jsonOf, painter, shown, usd } from "./terminal.ts"

/** Prints a turn; its reply and calls alone are on the standard output. The command fails if the turn did. */
export function showTurn({ terminal, json }: Pick<CommandContext, "terminal" | "json">, turn: Turn): Exit | undefined {
  const paint = painter(terminal, "err")
  if (json) terminal.out(`${jsonOf(turn)}\n`)
  else {
    const { calls = [] } = turn
    if (turn.result !== null && (turn.result !== "" || calls.length === 0)) terminal.out(`${shown(turn.result)}\n`)
    for (const { id, name, input } of calls) terminal.out(`${shown(`${id}  ${name} ${JSON.stringify(input)}`)}\n`)
    const color = turn.state === "done" ? "green" : turn.state === "failed" ? "red" : "yellow"
    const facts = [turn.turn_id, paint(color, turn.state), usd(turn.billed_cost_usd), turn.model]
    terminal.err(`${facts.join("  ")}\n`)
    if (turn.error) terminal.err(`${turn.error.code}: ${shown(turn.error.message)}\n`)
    if (calls.length > 0) {
      terminal.err(
        "Carry out the calls, and send the next turn with --result ID=TEXT or --result-error ID=TEXT for each.\n",
      )
    }
  }
  return isOver(turn) && turn.state !== "done" ? "turn" : undefined
}
