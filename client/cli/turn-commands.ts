import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { type Command, InvalidArgumentError, Option } from "commander"
import { isOver } from "../src/follow-turn.ts"
import { COMMAND } from "../src/names.ts"
import type { Turn } from "../src/operations.ts"
import type { Query } from "../src/transport.ts"
import { CommandError } from "./failures.ts"
import { followFeed } from "./follow-feed.ts"
import { numberOption, type Run, sinceOf, TIME_HELP } from "./run.ts"
import { connect, connectRaw } from "./settings.ts"
import { spaceIdOf } from "./space-changes.ts"
import { jsonOf, painter, shown, tableOf, usd } from "./terminal.ts"

const EFFORTS = ["none", "low", "medium", "high"] as const
const STATES = ["queued", "running", "done", "failed", "cancelled"] as const
const SPACE = "the space: its id, or the name in its file"

interface SendOptions {
  space: string
  user: string
  wait?: true
  conversation?: string
  model?: string
  maxCost?: number
  timeout?: number
  maxOutputTokens?: number
  temperature?: number
  reasoning?: (typeof EFFORTS)[number]
  schema?: string
  metadata?: Record<string, string>
  idempotencyKey?: string
}

interface ListOptions {
  space?: string
  user?: string
  state?: (typeof STATES)[number]
  limit: number
}

export function addTurnCommands(program: Command, run: Run): void {
  const turns = program.command("turns").description("send turns, follow them and list them")
  turns
    .command("send")
    .description("send a turn to the agent of a space")
    .argument("[text]", "the end user's message; without it, the standard input")
    .requiredOption("-s, --space <space>", SPACE)
    .requiredOption("-u, --user <ref>", "your own id of the end user (end_user_ref)")
    .option("-w, --wait", "wait until the turn has ended, and print the agent's reply")
    .option("--conversation <name>", "a conversation's id, or a name of your choice")
    .option("--model <pin>", "the model as engine/model")
    .option("--max-cost <usd>", "the most that the turn can cost", numberOption)
    .option("--timeout <seconds>", "the timeout of the turn", numberOption)
    .option("--max-output-tokens <number>", "the most output tokens of each model call", numberOption)
    .option("--temperature <number>", "the temperature of the model, 0 to 2", numberOption)
    .addOption(new Option("--reasoning <effort>", "how much the model reasons").choices(EFFORTS))
    .option("--schema <file>", "the JSON Schema that the reply must fit; - is the standard input")
    .option("--metadata <key=value>", "your own key and value; repeat it for several", pairOption)
    .option("--idempotency-key <key>", "send the same turn only once, however often the command runs")
    .action(run<[string | undefined, SendOptions]>(sendTurn))
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

type Context = Parameters<Parameters<Run>[0]>[0]

async function showReceipt({ terminal, connection, json }: Context, id: string) {
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

async function sendTurn({ terminal, connection, json }: Context, given: string | undefined, options: SendOptions) {
  const turnpike = await connect(connection)
  if (given === undefined && terminal.isTerminal.in) throw new CommandError("The text of the turn is missing.")
  const text = given ?? (await terminal.readInput()).trim()
  const body = {
    space: await spaceIdOf(turnpike, options.space),
    end_user_ref: options.user,
    text,
    ...(options.conversation !== undefined && { conversation: options.conversation }),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.maxCost !== undefined && { max_cost_usd: options.maxCost }),
    ...(options.timeout !== undefined && { timeout_seconds: options.timeout }),
    ...(options.maxOutputTokens !== undefined && { max_output_tokens: options.maxOutputTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.reasoning && { reasoning: { effort: options.reasoning } }),
    ...(options.schema !== undefined && { response_format: await formatOf(terminal, options.schema) }),
    ...(options.metadata && { metadata: options.metadata }),
  }
  const { idempotencyKey } = options
  const turn = await turnpike.turns.create(body, { idempotencyKey, signal: terminal.signal })
  if (!options.wait) {
    if (json) return terminal.out(`${jsonOf(turn)}\n`)
    terminal.out(`${turn.turn_id}\n`)
    return terminal.err(`The turn is ${turn.state}. Follow it: ${COMMAND} turns tail ${turn.turn_id}\n`)
  }
  const ended = await turnpike.turns.wait(turn.turn_id, { signal: terminal.signal }).catch((error: unknown) => {
    if (terminal.signal.aborted)
      terminal.err(`\nThe turn continues. Cancel it: ${COMMAND} turns cancel ${turn.turn_id}\n`)
    throw error
  })
  return showTurn({ terminal, json }, ended)
}

/** The form of a reply, with the schema in a file. */
async function formatOf(terminal: Context["terminal"], path: string) {
  const text =
    path === "-"
      ? await terminal.readInput()
      : await readFile(resolve(terminal.cwd, path), "utf8").catch(() => {
          throw new CommandError(`There is no file ${path}.`)
        })
  try {
    const schema = JSON.parse(text) as Record<string, unknown>
    return { type: "json_schema" as const, name: "result", schema }
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`)
  }
}

/** Prints a turn; its reply alone is on the standard output. The command fails if the turn did. */
function showTurn({ terminal, json }: Pick<Context, "terminal" | "json">, turn: Turn) {
  const paint = painter(terminal, "err")
  if (json) terminal.out(`${jsonOf(turn)}\n`)
  else {
    if (turn.result !== null) terminal.out(`${shown(turn.result)}\n`)
    const color = turn.state === "done" ? "green" : turn.state === "failed" ? "red" : "yellow"
    const facts = [turn.turn_id, paint(color, turn.state), usd(turn.billed_cost_usd), turn.model]
    terminal.err(`${facts.join("  ")}\n`)
    if (turn.error) terminal.err(`${turn.error.code}: ${shown(turn.error.message)}\n`)
  }
  return isOver(turn) && turn.state !== "done" ? ("turn" as const) : undefined
}

interface TailOptions {
  space?: string
  user?: string
  since?: string
}

async function tailTurns({ terminal, connection, json }: Context, id: string | undefined, options: TailOptions) {
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

async function listTurns({ terminal, connection, json }: Context, { space, user, state, limit }: ListOptions) {
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

function pairOption(given: string, known: Record<string, string> = {}): Record<string, string> {
  const at = given.indexOf("=")
  if (at < 1) throw new InvalidArgumentError("It must be key=value.")
  return { ...known, [given.slice(0, at)]: given.slice(at + 1) }
}
