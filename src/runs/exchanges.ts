import { callsOf, type Message, type ObjectPart, type TextPart, type ToolOutput } from "../agent/engine.ts"
import { callerCallId } from "../turns/caller-tools.ts"
import { type TurnMessage, toModelMessages } from "../turns/messages.ts"
import { goesOn, type StepRow } from "../turns/step-row.ts"
import type { EarlierTurn, Link } from "./earlier-turns.ts"
import { type Earlier, startOf } from "./fit-context.ts"

/** The message of an agent that gets one text. */
export const asked = (text: string, note: TextPart[] = []): Message[] => [
  { role: "user", content: [{ type: "text", text }, ...note] },
]

export const namedFile = (id: string): TextPart => ({ type: "text", text: `[The file ${id}]`, byService: true })

/** The messages of a step. `answered`: the results of its calls that the step itself does not have. */
export function stepMessages(
  { content, results, finish }: StepRow,
  answered: (index: number) => ToolOutput | undefined = () => undefined,
): Message[] {
  if (finish === "empty") return [{ role: "assistant", content: [], asks: "empty" }]
  const calls = callsOf(content)
  if (goesOn(finish) && calls.length === 0) {
    return content.length > 0 || finish === "paused" ? [{ role: "assistant", content, asks: "cut" }] : []
  }
  const answers = calls.map(({ toolCallId, toolName }, index) => {
    const output = results[index] ?? answered(index) ?? { type: "error" as const, value: "No answer." }
    return { toolCallId, toolName, output }
  })
  return [{ role: "assistant", content }, ...(answers.length > 0 ? [{ role: "tool" as const, content: answers }] : [])]
}

/**
 * The earlier turns of the conversation as an agent reads them. A turn with the results of another one's calls belongs
 * to the same exchange, which stays or leaves as a whole.
 */
export function earlierExchanges(history: readonly EarlierTurn[]): Earlier[] {
  const exchanges: EarlierTurn[][] = []
  for (const turn of history) {
    const last = exchanges.at(-1)
    if (turn.continues && last) last.push(turn)
    else exchanges.push([turn])
  }
  return exchanges.map(exchangeOf)
}

/** How many of these exchanges a full history leaves out. */
export const leftOutOf = (history: readonly EarlierTurn[], most: number): number =>
  earlierExchanges(history.slice(0, startOf(history, most))).length

/**
 * One exchange of a conversation. Its key is the time at which it ended. If the history no longer has its beginning, it
 * begins with the results alone.
 */
export function exchangeOf(turns: readonly EarlierTurn[]): Earlier {
  const { ended_at: key = "", position = 0 } = turns.at(-1) ?? {}
  const [first] = turns
  if (first && turns.length === 1 && first.messages === null && first.calls === null) {
    return {
      messages: [...asked(first.text), { role: "assistant", content: [{ type: "text", text: first.result }] }],
      position,
      key,
    }
  }
  const said = turns.flatMap(({ text, messages, result, calls, continues }, at): TurnMessage[] => [
    ...(messages ? (continues && at === 0 ? withoutCalls(messages) : messages) : asText(text)),
    { role: "assistant", content: result, ...(calls && { calls }) },
  ])
  return { messages: toModelMessages(said, (id) => [namedFile(id)]), position, key }
}

const asText = (content: string): TurnMessage[] => [{ role: "user", content }]

/** The messages of a turn with results, if nothing tells the calls that they answer. */
const withoutCalls = (said: readonly TurnMessage[]): TurnMessage[] => [
  ...asText(resultsIn(said)),
  ...said.filter(({ role }) => role !== "tool"),
]

type PartsOf = (ids: readonly string[], said: readonly TurnMessage[]) => (TextPart | ObjectPart)[]

/**
 * The rest of the exchange that a turn with results continues, after the messages of its first turn, exactly as the
 * model has read it. `sent`: how many of these messages its last call had.
 */
export function linkMessages(
  {
    links,
    messages: own,
    turn,
  }: { links: readonly Link[]; messages: TurnMessage[] | null; turn: { file_ids: string[] } },
  attached: PartsOf,
): { messages: Message[]; sent: number } {
  const messages: Message[] = []
  let sent = 0
  for (const [nth, link] of links.entries()) {
    const next = links[nth + 1] ?? { messages: own, file_ids: turn.file_ids }
    const said = next.messages ?? []
    const steps = stepsOf(link, said)
    sent = messages.length + steps.slice(0, -1).flat().length
    messages.push(...steps.flat())
    const asks = toModelMessages(
      said.filter(({ role }) => role === "user"),
      (id) => [namedFile(id)],
    )
    messages.push(...asks.map((message) => withParts(message, attached(next.file_ids, said))))
  }
  return { messages, sent }
}

/** The messages of each step of a link. `said`: the messages of the next turn, with the results of its calls. */
function stepsOf({ turn_id, result, calls, steps }: Link, said: readonly TurnMessage[]): Message[][] {
  const answers = said.filter((message) => message.role === "tool")
  // Without its steps, only its calls are known.
  if (steps.length === 0) {
    return [
      toModelMessages(
        [{ role: "user", content: "" }, { role: "assistant", content: result, calls }, ...answers],
        () => [],
      ).slice(1),
    ]
  }
  const results = new Map(answers.flatMap(({ results }) => results.map((one) => [one.id, one] as const)))
  return steps.map((step) =>
    stepMessages(step, (index) => {
      const { output, error } = results.get(callerCallId(turn_id, step.step, index)) ?? {}
      if (output !== undefined) return { type: "text", value: output }
      return error === undefined ? undefined : { type: "error", value: error }
    }),
  )
}

const withParts = (message: Message, parts: (TextPart | ObjectPart)[]): Message =>
  message.role === "user" && parts.length > 0 ? { ...message, content: [...parts, ...message.content] } : message

/** The results in place of an exchange whose beginning was deleted in the meantime. */
export const resultsAlone = (said: readonly TurnMessage[]): Message[] => asked(resultsIn(said))

const resultsIn = (said: readonly TurnMessage[]): string =>
  said
    .flatMap((message) => (message.role === "tool" ? message.results : []))
    .map(({ output, error }) => output ?? error)
    .join("\n\n")
