import { type Command, Option } from "commander"
import type { Turn } from "../src/operations.ts"
import type { Query } from "../src/transport.ts"
import { followFeed } from "./follow-feed.ts"
import { type CommandContext, numberOption, type Run, sinceOf, TIME_HELP } from "./run.ts"
import { addSendCommand } from "./send-turn.ts"
import { connect, connectRaw } from "./settings.ts"
import { showTurn } from "./show-turn.ts"
import { spaceIdOf } from "./space-changes.ts"
import { jsonOf, painter, shown, tableOf, usd } from "./terminal.ts"

const STATES = ["queued", "running", "done", "failed", "cancelled"] as const
const SPACE = "the space: its id, or the name in its file"

interface ListOptions {
  space?: string
  user?: string
  state?: (typeof STATES)[number]
  limit: number
}

export function addTurnCommands(program: Command, run: Run): void {
  const turns = program.command("turns").description("send turns, follow them and list them")
  addSendCommand(turns, run, SPACE)
  turns
    .command("tail")
    .description("follow the events of a turn, or the new turns of the account")
    .argument("[turn]", "the turn, turn_…; without it, all turns until Ctrl-C")
    .option("-s, --space <space>", `only turns of ${SPACE}`)
    .option("-u, --user <ref>", "only turns of this end user")
    .option("--since <time>", `begin at this time instead of now: ${TIME_HELP}`)
    .action(run<[string | undefined, TailOptions]>(tailTurns))
  turns
    .command("list")
    .description("list turns, newest first")
    .option("-s, --space <space>", `only turns of ${SPACE}`)
    .option("-u, --user <ref>", "only turns of this end user")
    .addOption(new Option("--state <state>", "only turns in this state").choices(STATES))
    .option("-n, --limit <number>", "the most turns to list", numberOption, 20)
    .action(run<[ListOptions]>(listTurns))
  turns
    .command("get")
    .description("show a turn")
    .argument("<turn>", "the turn, turn_…")
    .action(
      run<[string]>(async (context, id) => showTurn(context, await (await connect(context.connection)).turns.get(id))),
    )
  turns
    .command("receipt")
    .description("show the signed receipt of an ended turn; --json prints it as it can be verified")
    .argument("<turn>", "the turn, turn_…")
    .action(run<[string]>(showReceipt))
  turns
    .command("cancel")
    .description("cancel a turn; one that runs stops before its next step")
    .argument("<turn>", "the turn, turn_…")
    .action(
      run<[string]>(async (context, id) =>
        showTurn(context, await (await connect(context.connection)).turns.cancel(id)),
      ),
    )
}

async function showReceipt({ terminal, connection, json }: CommandContext, id: string) {
  const answer = await (await connect(connection)).turns.receipt(id)
  if (json) return terminal.out(`${jsonOf(answer)}\n`)
  const { document, digest } = answer.receipt
  const lines = document.calls.flatMap(({ model, lines }) =>
    lines.map(({ kind, quantity, unit_price_usd, per }) => [model, kind, String(quantity), `${unit_price_usd}/${per}`]),
  )
  const waived = document.calls.filter(({ waived_for }) => waived_for !== null)
  terminal.out(
    tableOf([
      ["MODEL", "KIND", "QUANTITY", "USD"],
      ...lines,
      ...waived.map(({ waived_usd, waived_for }) => ["not charged", String(waived_for), "", `-${waived_usd}`]),
      ["total", "", "", document.total_usd],
      ...(answer.refund ? [["refunded", "", "", answer.refund.document.refunded_usd]] : []),
      ["digest", digest, "", ""],
    ]),
  )
}

interface TailOptions {
  space?: string
  user?: string
  since?: string
}

async function tailTurns({ terminal, connection, json }: CommandContext, id: string | undefined, options: TailOptions) {
  const turnpike = await connect(connection)
  const paint = painter(terminal, "out")
  if (id !== undefined) {
    let start: number | undefined
    for await (const event of turnpike.turns.events(id, { signal: terminal.signal })) {
      start ??= Date.parse(event.created_at)
      const ms = Date.parse(event.created_at) - start
      const line = `${paint("dim", `+${ms} ms`.padStart(10))}  ${paint("cyan", event.type.padEnd(14))} ${factsOf(event.data)}`
      terminal.out(json ? `${jsonOf(event)}\n` : `${line.trimEnd()}\n`)
    }
    return showTurn({ terminal, json: false }, await turnpike.turns.get(id))
  }
  const space = options.space && (await spaceIdOf(turnpike, options.space))
  const transport = await connectRaw(connection)
  const feed = followFeed(transport, {
    since: await sinceOf(transport, options.since, terminal.signal),
    signal: terminal.signal,
    onLost: ({ message }) => terminal.err(`${message} Trying again …\n`),
    onBack: () => terminal.err("Connected again.\n"),
  })
  if (!json && options.since === undefined) terminal.err("Waiting for turns. Ctrl-C ends it.\n")
  for await (const { event } of feed) {
    if (!event.type.startsWith("turn.")) continue
    const { turn } = event.data as { turn: Turn }
    if ((space && turn.space !== space) || (options.user !== undefined && turn.end_user_ref !== options.user)) continue
    const facts = [
      paint("dim", event.created_at),
      paint("cyan", event.type.padEnd(14)),
      turn.turn_id,
      turn.end_user_ref,
    ]
    terminal.out(json ? `${jsonOf(event)}\n` : `${shown([...facts, shortOf(turn)].join("  "))}\n`)
  }
}

const oneLine = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
const shortOf = (turn: Turn) =>
  turn.result !== null
    ? `${usd(turn.billed_cost_usd)}  ${oneLine(turn.result)}`
    : (turn.error?.code ?? oneLine(turn.text))

/** The small values of an event, such as the name of a tool. */
function factsOf(data: Record<string, unknown>): string {
  const simple = Object.entries(data).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
  return simple.map(([name, value]) => `${name}=${typeof value === "string" ? oneLine(value) : value}`).join(" ")
}

async function listTurns({ terminal, connection, json }: CommandContext, { space, user, state, limit }: ListOptions) {
  const turnpike = await connect(connection)
  const query: Query<"listTurns"> = {
    limit: Math.min(limit, 100),
    ...(space !== undefined && { space: await spaceIdOf(turnpike, space) }),
    ...(user !== undefined && { end_user_ref: user }),
    ...(state && { state }),
  }
  const found = await turnpike.turns.list(query, { signal: terminal.signal }).toArray(limit)
  if (json) return terminal.out(`${jsonOf(found)}\n`)
  const head = ["TURN", "STATE", "CREATED", "BILLED", "END USER", "TEXT"]
  const rows = found.map((one) => [
    one.turn_id,
    one.state,
    one.created_at,
    usd(one.billed_cost_usd),
    one.end_user_ref,
    oneLine(one.text),
  ])
  terminal.out(tableOf([head, ...rows]))
}
