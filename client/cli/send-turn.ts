import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { type Command, InvalidArgumentError, Option } from "commander"
import { COMMAND } from "../src/names.ts"
import type { CallerToolInput, CreateTurn } from "../src/operations.ts"
import type { NewTurn } from "../src/options.ts"
import { CommandError } from "./failures.ts"
import { type CommandContext, numberOption, type Run } from "./run.ts"
import { connect } from "./settings.ts"
import { showTurn } from "./show-turn.ts"
import { spaceIdOf } from "./space-changes.ts"
import { jsonOf } from "./terminal.ts"

const EFFORTS = ["none", "low", "medium", "high"] as const

interface SendOptions {
  space: string
  user: string
  wait?: true
  conversation?: string
  messages?: string
  tools?: string[]
  toolChoice?: string
  result?: [id: string, text: string][]
  resultError?: [id: string, text: string][]
  model?: string
  maxCost?: number
  timeout?: number
  maxOutputTokens?: number
  temperature?: number
  reasoning?: (typeof EFFORTS)[number]
  schema?: string
  store: boolean
  metadata?: Record<string, string>
  idempotencyKey?: string
}

/** Adds `turns send`. `space`: the description of that option. */
export function addSendCommand(turns: Command, run: Run, space: string): void {
  turns
    .command("send")
    .description("send a turn to the agent of a space")
    .argument("[text]", "the end user's message; without it, the standard input")
    .requiredOption("-s, --space <space>", space)
    .requiredOption("-u, --user <ref>", "your own id of the end user (end_user_ref)")
    .option("-w, --wait", "wait until the turn has ended, and print the agent's reply or its calls of your tools")
    .option("--conversation <name>", "a conversation's id, or a name of your choice")
    .option("--messages <file>", "a chat as a JSON list of messages, in place of the text; - is the standard input")
    .option("--tools <file>", "your own tools as JSON, one or a list; repeat it for several files", listOption)
    .option("--tool-choice <choice>", "how the model may call tools: auto, none, required, or one tool's name")
    .option("--result <id=text>", "the result of a call, or @ and its file; repeat it for each call", resultOption)
    .option("--result-error <id=text>", "the error of a call that failed; repeat it for each", resultOption)
    .option("--model <pin>", "the model as engine/model")
    .option("--max-cost <usd>", "the most that the turn can cost", numberOption)
    .option("--timeout <seconds>", "the timeout of the turn", numberOption)
    .option("--max-output-tokens <number>", "the most output tokens of each model call", numberOption)
    .option("--temperature <number>", "the temperature of the model, 0 to 2", numberOption)
    .addOption(new Option("--reasoning <effort>", "how much the model reasons").choices(EFFORTS))
    .option("--schema <file>", "the JSON Schema that the reply must fit; - is the standard input")
    .option("--no-store", "delete the turn's texts soon after its end; its bill stays")
    .option("--metadata <key=value>", "your own key and value; repeat it for several", pairOption)
    .option("--idempotency-key <key>", "send the same turn only once, however often the command runs")
    .action(run<[string | undefined, SendOptions]>(sendTurn))
}

async function sendTurn(
  { terminal, connection, json }: CommandContext,
  given: string | undefined,
  options: SendOptions,
) {
  const turnpike = await connect(connection)
  // The service refuses a turn that says nothing.
  const body = {
    space: await spaceIdOf(turnpike, options.space),
    end_user_ref: options.user,
    ...(await saidIn(terminal, given, options)),
    ...(options.conversation !== undefined && { conversation: options.conversation }),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.maxCost !== undefined && { max_cost_usd: options.maxCost }),
    ...(options.timeout !== undefined && { timeout_seconds: options.timeout }),
    ...(options.maxOutputTokens !== undefined && { max_output_tokens: options.maxOutputTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.reasoning && { reasoning: { effort: options.reasoning } }),
    ...(options.schema !== undefined && {
      response_format: {
        type: "json_schema" as const,
        name: "result",
        schema: await jsonIn<Record<string, unknown>>(terminal, options.schema),
      },
    }),
    ...(!options.store && { store: false }),
    ...(options.metadata && { metadata: options.metadata }),
  } as NewTurn
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

type Terminal = CommandContext["terminal"]

/** The text, messages or results of the turn, with the tools of its caller. */
async function saidIn(terminal: Terminal, given: string | undefined, options: SendOptions) {
  const { messages, tools = [], toolChoice, result = [], resultError = [] } = options
  const isText = messages === undefined && result.length + resultError.length === 0
  if (isText && given === undefined && terminal.isTerminal.in)
    throw new CommandError("The text of the turn is missing.")
  const text = given ?? (isText ? (await terminal.readInput()).trim() : undefined)
  const answers = [
    ...result.map(async ([id, value]) => ({ id, output: await resultIn(terminal, value) })),
    ...resultError.map(async ([id, value]) => ({ id, error: await resultIn(terminal, value) })),
  ]
  const specs = await Promise.all(tools.map((path) => jsonIn<CallerToolInput | CallerToolInput[]>(terminal, path)))
  return {
    ...(text !== undefined && { text }),
    ...(messages !== undefined && { messages: await jsonIn<Required<CreateTurn>["messages"]>(terminal, messages) }),
    ...(answers.length > 0 && { results: await Promise.all(answers) }),
    ...(specs.length > 0 && { tools: specs.flat() }),
    ...(toolChoice !== undefined && { tool_choice: choiceOf(toolChoice) }),
  }
}

const choiceOf = (given: string): Required<CreateTurn>["tool_choice"] =>
  given === "auto" || given === "none" || given === "required" ? given : { name: given }

/** A value of an option: a text, or `@` with the path of its file. */
const resultIn = (terminal: Terminal, value: string) =>
  value.startsWith("@") ? textIn(terminal, value.slice(1)) : Promise.resolve(value)

async function jsonIn<Value>(terminal: Terminal, path: string): Promise<Value> {
  const text = await textIn(terminal, path)
  try {
    return JSON.parse(text) as Value
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`)
  }
}

/** The text of a file; of the standard input for `-`. */
async function textIn(terminal: Terminal, path: string): Promise<string> {
  if (path === "-") return terminal.readInput()
  return readFile(resolve(terminal.cwd, path), "utf8").catch(() => {
    throw new CommandError(`There is no file ${path}.`)
  })
}

const listOption = (given: string, known: string[] = []): string[] => [...known, given]

function resultOption(given: string, known: [string, string][] = []): [string, string][] {
  return [...known, pairOf(given, "id=text")]
}

function pairOption(given: string, known: Record<string, string> = {}): Record<string, string> {
  const [key, value] = pairOf(given, "key=value")
  return { ...known, [key]: value }
}

function pairOf(given: string, form: string): [string, string] {
  const at = given.indexOf("=")
  if (at < 1) throw new InvalidArgumentError(`It must be ${form}.`)
  return [given.slice(0, at), given.slice(at + 1)]
}
