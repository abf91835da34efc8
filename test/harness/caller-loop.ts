import type { Random } from "./random.ts"
import type { Asked, ProviderScript } from "./scripted-provider.ts"

/*
 * The reference model of a conversation with tools that its caller carries out. It knows each prompt, each turn's end
 * and each bill before the service does.
 */

interface Call {
  /** Empty, if the caller does not know it. */
  id: string
  name: string
  input: string
  /** Null: it has none yet. */
  result: string | null
}

/** A message of a prompt, with the results of its calls. */
type Entry = { user: string } | { said: string; calls: Call[] }

/** A turn as it was sent, and as it must end. */
export interface LoopTurn {
  id: string
  /** The text of the user; null: results alone. */
  text: string | null
  /** True if it gives the results of the turn before. */
  continues: boolean
  parallel: boolean
  /** Whether the model may call tools. */
  callable: boolean
  /** The answers of the provider that are left. */
  script: ProviderScript[]
  ends: "done" | "failed" | "cancelled"
  /** The model's answers as its next call reads them. */
  steps: Entry[]
  /** The text of the last answer. */
  result: string
  /** The calls that the caller makes. */
  calls: Call[]
  /** In credit micros, of the calls that were made. */
  billed: number
  modelCalls: number
}

export const CALLER_TOOLS = ["find", "ship"].map((name) => ({
  name,
  input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
}))
export const OWN_TOOL = "list_files"

const UNANSWERED = "The call was not answered."
const MISFIT = "(does not fit)"
const ONE_AT_A_TIME = "One tool can be called at a time: call this one again."
const NONE = "No tool may be called in this turn. Answer without one."

/** Credit micros of a call, at the prices of addModel(). The provider counts 50 tokens, and two for each word. */
const costOf = ({ words = [] }: ProviderScript) => 50 * 30 + (2 * words.length + 1) * 150

/** The messages of a prompt after its instructions. Throws unless each call has one result, in their order. */
function entriesOf(messages: Asked["messages"]): Entry[] {
  const entries: Entry[] = []
  const left: Call[] = []
  for (const message of messages as AskedMessage[]) {
    const content = message.content ?? ""
    if (message.role === "tool") {
      const next = left.shift()
      if (next?.id !== message.tool_call_id) throw new Error(`the result of ${message.tool_call_id} is out of order`)
      if (next) next.result = content.includes("does not fit the tool's schema") ? MISFIT : content
      continue
    }
    if (left.length > 0) break
    if (message.role === "user") entries.push({ user: content })
    else if (message.role === "assistant") {
      const calls = (message.tool_calls ?? []).map(({ id, function: called }) => {
        return { id, name: called.name, input: called.arguments, result: null }
      })
      left.push(...calls)
      entries.push({ said: content, calls })
    }
  }
  if (left.length > 0) throw new Error(`${left.length} calls have no result`)
  return entries
}

interface AskedMessage {
  role: "system" | "user" | "assistant" | "tool"
  content: string | null
  tool_call_id?: string
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}

/** Entries without ids of calls, as a text to compare. */
const shown = (entries: readonly Entry[]): string =>
  JSON.stringify(
    entries.map((entry) =>
      "user" in entry
        ? entry
        : { ...entry, calls: entry.calls.map(({ name, input, result }) => [name, input, result ?? UNANSWERED]) },
    ),
  )

/** A conversation: what its turns have said, and the turns that were sent and have not ended. */
export class CallerLoop {
  readonly sent: LoopTurn[] = []
  readonly queue: LoopTurn[] = []
  readonly faults: string[] = []
  readonly n: number
  readonly random: Random
  /** Earlier exchanges, as later turns read them. */
  private past: Entry[] = []
  /** The turns of the last exchange that are done. */
  private exchange: LoopTurn[] = []

  constructor(n: number, random: Random) {
    this.n = n
    this.random = random
  }

  get lastDone(): LoopTurn | undefined {
    return this.exchange.at(-1)
  }

  /** The calls that can be answered now; none: the next turn needs a text. */
  get open(): Call[] {
    return this.queue.length === 0 ? (this.lastDone?.calls ?? []) : []
  }

  /** Remembers a turn that was accepted, with the results of the open calls in their order. */
  accept(turn: LoopTurn, results: readonly string[] = []) {
    for (const [nth, call] of this.open.entries()) if (turn.continues) call.result = results[nth] ?? null
    this.sent.push(turn)
    this.queue.push(turn)
  }

  /** Ends a turn that has not begun: it was cancelled. */
  cancel(turn: LoopTurn) {
    turn.ends = "cancelled"
    this.end(turn)
  }

  /** Answers a call of the model. */
  answer(asked: Asked): ProviderScript {
    const [turn] = this.queue
    const script = turn?.script.shift()
    if (!turn || !script) {
      this.faults.push("a call that no turn may make")
      return { words: ["wrong"] }
    }
    this.compare(turn, asked)
    if (script.status) this.end(turn)
    else this.step(turn, script)
    return script
  }

  private compare(turn: LoopTurn, asked: Asked) {
    try {
      const [found, expected] = [shown(entriesOf(asked.messages)), shown(this.promptOf(turn))]
      if (found !== expected) this.faults.push(`turn ${turn.id} has read\n${found}\ninstead of\n${expected}`)
    } catch (error) {
      this.faults.push(`turn ${turn.id}: ${(error as Error).message}`)
    }
  }

  /** The prompt of the next call. A turn that continues an exchange reads all steps of its earlier turns. */
  private promptOf({ continues, text, steps }: LoopTurn): Entry[] {
    const links = continues
      ? this.exchange.flatMap((link) => [...userOf(link), ...link.steps])
      : historyOf(this.exchange)
    return [...this.past, ...links, ...userOf({ text }), ...steps]
  }

  private step(turn: LoopTurn, script: ProviderScript) {
    turn.billed += costOf(script)
    turn.modelCalls++
    const said = (script.words ?? []).join("")
    turn.result = said
    const calls = (script.calls ?? []).map((call, index): Call => {
      return { id: "", name: call.name, input: call.arguments, result: resultOf(turn, call, index) }
    })
    turn.steps.push({ said, calls })
    turn.calls = calls.filter(({ result }) => result === null)
    if (turn.ends === "cancelled" || turn.calls.length > 0 || calls.length === 0) this.end(turn)
  }

  private end(turn: LoopTurn) {
    this.queue.splice(this.queue.indexOf(turn), 1)
    if (turn.ends !== "done") {
      turn.calls = []
      // The results can be sent again.
      for (const call of this.lastDone?.calls ?? []) if (turn.continues) call.result = null
      return
    }
    if (!turn.continues) this.past.push(...historyOf(this.exchange.splice(0)))
    this.exchange.push(turn)
  }
}

const userOf = ({ text }: Pick<LoopTurn, "text">): Entry[] => (text === null ? [] : [{ user: text }])

/** The turns of an exchange as later texts read them: with the caller's calls alone. */
const historyOf = (turns: readonly LoopTurn[]): Entry[] =>
  turns.flatMap((turn) => [
    ...userOf(turn),
    ...(turn.result === "" && turn.calls.length === 0 ? [] : [{ said: turn.result, calls: turn.calls }]),
  ])

/** The result that a call gets at once; null: the caller makes it. */
function resultOf(
  { callable, parallel }: Pick<LoopTurn, "callable" | "parallel">,
  call: { name: string; arguments: string },
  index: number,
): string | null {
  if (!callable) return NONE
  if (!parallel && index > 0) return ONE_AT_A_TIME
  if (call.name === OWN_TOOL) return "[]"
  return typeof JSON.parse(call.arguments).id === "string" ? null : MISFIT
}

/** Random answers of a model; the last one ends the turn. Two of three turns end with calls, if they may. */
export function randomAnswers(random: Random, turn: Pick<LoopTurn, "parallel" | "callable">): ProviderScript[] {
  const words = (least: number) => Array.from({ length: least + random.int(3) }, (_, nth) => `word${nth}`)
  const several = (pick: () => NonNullable<ProviderScript["calls"]>[number]) =>
    Array.from({ length: 1 + random.int(3) }, pick)
  const script = Array.from({ length: random.pick([0, 0, 0, 1, 2]) }, (): ProviderScript => {
    return { words: words(0), calls: several(() => (random.int(3) > 0 ? OWN : misfit(random))) }
  })
  if (random.int(3) > 0) {
    const calls = several(() => (random.int(5) > 0 ? fitting(random) : random.pick([OWN, misfit(random)])))
    script.push({ words: random.int(3) > 0 ? [] : words(1), calls })
    if (calls.some((call, index) => resultOf(turn, call, index) === null)) return script
  }
  return [...script, { words: words(1) }]
}

const OWN = { name: OWN_TOOL, arguments: "{}" }

const fitting = (random: Random) => {
  return { name: random.pick(CALLER_TOOLS).name, arguments: JSON.stringify({ id: `order ${random.int(999)}` }) }
}

const misfit = (random: Random) => ({ name: random.pick(CALLER_TOOLS).name, arguments: `{"id":${random.int(9)}}` })
