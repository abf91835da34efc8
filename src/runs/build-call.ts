import type { Context } from "../actor/context.ts"
import { callsOf, type Message, type ModelCall, type ObjectPart, type TextPart } from "../agent/engine.ts"
import { cutToBytes, promptTokenBound } from "../agent/estimate.ts"
import { charsetOf, decoderOf } from "../base/media-bytes.ts"
import { storable } from "../base/storable.ts"
import { affordableOutput, worstPriceOf } from "../billing/price.ts"
import { hasTier, type TermedPrice } from "../catalog/price-terms.ts"
import { isText } from "../files/media-types.ts"
import { objectPart } from "../tools/file-tools.ts"
import { exchangesOf, filesIn, haveCalls, NO_TOOLS, type TurnMessage, toModelMessages } from "../turns/messages.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { checkedResult, repairText } from "./checked-result.ts"
import type { AttachedFile, Claim, ModelRow } from "./claim-turns.ts"
import { asked, earlierExchanges, linkMessages, namedFile, resultsAlone, stepMessages } from "./exchanges.ts"
import { type Earlier, withoutResults } from "./fit-context.ts"
import { growHold } from "./grow-hold.ts"
import { cacheOf } from "./prompt-cache.ts"
import type { AgentWork, Run } from "./run.ts"
import { RunEnd } from "./run-end.ts"
import { withFound } from "./show-found.ts"
import type { WaitLimit } from "./wait-turn.ts"

/** The first messages of an agent: earlier exchanges, which can be left out from the oldest on, and its own. */
export interface Opening {
  earlier: Earlier[]
  own: Message[]
  /** How many of its own messages the last call of the turn before had, if it continues that one. */
  sent?: number
}

/** The opening of an agent that gets one text. */
export const openingOf = (text: string, note: TextPart[] = []): Opening => ({
  earlier: [],
  own: asked(text, note),
})

/** Builds the next model call of an agent, without what its `fit` leaves out; the hold does not bound it yet. */
export function buildCall(run: Run, agent: AgentWork, { earlier, own, sent }: Opening): ModelCall {
  const { model, system, specs, steps, maxOutputTokens } = agent
  const { learned } = model
  const most = Math.min(model.max_output_tokens, learned.max_output_tokens ?? model.max_output_tokens)
  const spoken = steps.map((step, at) => [...stepMessages(step), ...repairOf(agent, at)])
  const [first = [], ...said] = withoutResults([own, ...spoken], agent.fit.results)
  const exchanges = withFound(agent, earlier.slice(agent.fit.turns), first)
  const kept = exchanges.slice(0, -1).flat()
  const begin = withSummary(run, agent, exchanges.flat())
  return {
    engine: model.engine,
    model: model.model,
    ...(system && { system }),
    ...(agent.summarises === undefined && settingsOf(run, model)),
    ...(agent.form && { result: agent.form, isFormless: learned.without?.includes("response_format") === true }),
    ...(agent.summarises === undefined && agent.ref === null && run.turn.stop && { stop: run.turn.stop }),
    ...(learned.without?.includes("stop") && { stopIsRefused: true }),
    messages: [...begin, ...said.flat()],
    tools: specs.length === 0 && haveCalls(begin) ? NO_TOOLS : specs,
    ...choiceOf(run, agent),
    maxOutputTokens: Math.min(maxOutputTokens ?? most, most),
    ...(learned.images !== undefined && { mostImages: learned.images }),
    cache: cacheOf(run, agent, {
      opening: begin.length,
      earlier: kept.length,
      sent: kept.length + (sent ?? 0),
      steps: said.map(({ length }) => length),
    }),
    attempt: run.turn.model_failures,
  }
}

/** How the caller of the turn wants tools to be called: its choice holds until the agent has called one. */
function choiceOf({ claim: { caller } }: Run, { ref, specs, steps }: AgentWork) {
  if (ref !== null || !caller || specs.length === 0) return {}
  const { choice, parallel } = caller
  const isOver = choice !== "none" && steps.some(({ content }) => callsOf(content).length > 0)
  return {
    ...(choice !== "auto" && !isOver && { choice }),
    ...(!parallel && { callsOne: true as const }),
  }
}

/** Puts the summary of earlier turns before the first message of the space's own agent. */
function withSummary({ claim }: Run, { ref }: AgentWork, [first, ...rest]: Message[]): Message[] {
  const { summary } = claim
  if (first?.role !== "user" || ref !== null || !summary) return first ? [first, ...rest] : []
  const text = `[A summary of ${summary.turns} earlier turns of this conversation:\n${summary.text}\n]`
  return [{ ...first, content: [{ type: "text", text, byService: true }, ...first.content] }, ...rest]
}

/** The settings of a turn's calls, without those that the model refuses, and without a tier that has no price. */
export function settingsOf({ turn, claim }: Run, model: Pick<ModelRow, "learned" | "price_modifiers">) {
  const { learned } = model
  const { manifest } = claim.config
  const temperature = turn.temperature ?? manifest.temperature
  const reasoning = turn.reasoning_effort ?? manifest.reasoning?.effort
  const serviceTier = manifest.service_tier
  const takes = (name: "temperature" | "reasoning" | "service_tier") => !learned.without?.includes(name)
  return {
    ...(temperature !== undefined && takes("temperature") && { temperature }),
    ...(reasoning !== undefined && takes("reasoning") && { reasoning }),
    ...(serviceTier !== undefined && takes("service_tier") && hasTier(model, serviceTier) && { serviceTier }),
  }
}

/** The request to correct an answer, if the step is one without the form. */
function repairOf({ form, steps }: AgentWork, at: number): Message[] {
  const fault = form ? (checkedResult(form, steps.slice(0, at + 1))?.fault ?? null) : null
  if (!form || fault === null) return []
  return [{ role: "user", content: [{ type: "text", text: repairText(form, fault), byService: true }] }]
}

/** The part of a message with the values of variables. */
export const noteOf = (note: string | null): TextPart[] =>
  note === null ? [] : [{ type: "text", text: note, isNote: true }]

const missingNote = (servers: readonly string[]) =>
  `[The tools of ${servers.join(", ")} are not available now. If they are needed, say that you cannot use them.]`

/**
 * The opening of the space's own agent. `missing`: servers whose tools the agent lacks. `note`: the values of its
 * variables, which come last.
 */
export async function turnOpening(
  ctx: Context,
  claim: Claim,
  { missing, note }: { missing: readonly string[]; note: string | null },
): Promise<Opening> {
  const { history, turn, files, links } = claim
  const parts = new Map(
    await Promise.all(files.map(async (file) => [file.file_id, await attachedPart(ctx, file)] as const)),
  )
  const partsOf = (ids: readonly string[], said: readonly TurnMessage[]) => {
    const named = new Set(filesIn(said))
    return ids.flatMap((id) => (named.has(id) ? [] : (parts.get(id) ?? [])))
  }
  // A turn with results continues the exchange that its first turn has begun.
  const { text, messages, file_ids } = links[0] ?? { ...turn, messages: claim.messages }
  const sent = messages ? toModelMessages(messages, (id) => [parts.get(id) ?? namedFile(id)]) : asked(text)
  const lack =
    missing.length > 0 ? [{ type: "text" as const, text: missingNote(missing), byService: true as const }] : []
  const exchanges = exchangesOf(sent.length > 0 ? sent : resultsAlone(messages ?? []))
  const begun = withParts(exchanges.at(-1) ?? [], [...partsOf(file_ids, messages ?? []), ...lack])
  const rest = linkMessages(claim, partsOf)
  const asksAgain = rest.messages.at(-1)?.role === "user"
  const first = asksAgain ? begun : withNote(begun, noteOf(note))
  const own = asksAgain ? withNote([...begun, ...rest.messages], noteOf(note)) : [...first, ...rest.messages]
  const before = exchanges.slice(0, -1).map((messages) => ({
    messages,
    // Only a prompt that is too long needs it.
    get key() {
      return JSON.stringify(messages)
    },
  }))
  const earlier = [...earlierExchanges(history), ...before]
  return { earlier, own, ...(links.length > 0 && { sent: first.length + rest.sent }) }
}

function withNote(messages: Message[], note: TextPart[]): Message[] {
  const last = messages.at(-1)
  if (note.length === 0) return messages
  if (last?.role !== "user") return [...messages, { role: "user", content: note }]
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...note] }]
}

/** Puts parts before those of the first message of the user. */
function withParts(messages: Message[], parts: (TextPart | ObjectPart)[]): Message[] {
  if (parts.length === 0) return messages
  const at = messages.findIndex(({ role }) => role === "user")
  return messages.map((message, place) =>
    place === at && message.role === "user" ? { ...message, content: [...parts, ...message.content] } : message,
  )
}

/** A text file becomes text, up to a limit. Any other file becomes an object, which the engine may load. */
async function attachedPart(ctx: Context, file: AttachedFile): Promise<TextPart | ObjectPart> {
  const { file_id, name, media_type, bytes } = file
  const about = `File ${name} (${file_id}, ${media_type}, ${bytes} bytes)`
  if (!isText(media_type)) {
    if (bytes <= TURN_POLICY.attachedObjectBytes) return objectPart(file)
    return { type: "text", text: `[${about}: too large to be shown.]`, byService: true }
  }
  const limit = TURN_POLICY.attachedTextBytes
  const range = { offset: 0, length: Math.min(bytes, limit) }
  const read = bytes === 0 ? new Uint8Array() : await ctx.files.read(file.object_key, { range })
  if (!read) return { type: "text", text: `[${about}: not there any more.]`, byService: true }
  // Admission counted the file's bytes. A text of another charset can be longer in UTF-8, so it is cut to that number.
  const most = Math.min(bytes, limit)
  const whole = readable(read, media_type)
  const cut = cutToBytes(whole, most)
  const isPart = bytes > limit || cut.length < whole.length
  return {
    type: "text",
    text: `${about}${isPart ? `, its first ${most} bytes` : ""}:\n${storable(cut)}\n`,
    byService: true,
  }
}

/** Decodes bytes as text. An invalid byte becomes "?", so UTF-8 text never has more bytes than admission counted. */
function readable(bytes: Uint8Array, mediaType: string): string {
  const text = decoderOf(charsetOf(bytes, mediaType)).decode(bytes)
  return text.includes("\uFFFD") ? text.replaceAll("\uFFFD", "?") : text
}

function lackOf({ budget, claim }: Run, amounts: { needed: number; wanted: number }): WaitLimit {
  const { boundBy, cap } = budget
  return {
    boundBy: boundBy ?? "max_cost",
    counter: boundBy === "end_user_credit" ? claim.turn.end_user_ref : (cap?.subject ?? null),
    resetsAt: cap?.resets_at ?? null,
    ...amounts,
  }
}

export interface BoundedCall {
  call: ModelCall
  /** True when the hold, not the configuration, limits the output. */
  cutByHold: boolean
  /** The reserved amount, in credit micros. */
  worst: number
  /** Releases the reserved amount. */
  release(): void
}

/**
 * Bounds a call so that its worst case fits into the free part of the hold, and reserves that amount. Grows the hold
 * if it is too small. Ends the run if the epoch is stale, or if the hold does not even pay for a short answer.
 */
export async function boundCall(run: Run, price: TermedPrice, call: ModelCall): Promise<BoundedCall> {
  const prompt = promptTokenBound(call)
  const wanted = call.maxOutputTokens
  const affordable = () => affordableOutput(price, prompt, Math.max(0, run.budget.left), call.serviceTier)
  const worstOf = (output: number) => worstPriceOf(price, prompt, output, call.serviceTier)
  if (affordable() < wanted) {
    const grown = await growHold(
      run.ctx,
      { ...run.turn, hold_credit_micros: run.budget.hold },
      worstOf(wanted) - run.budget.left,
    )
    if (grown === null) throw new RunEnd({ kind: "stale" })
    run.budget.hold = Math.max(run.budget.hold, grown.hold)
    run.budget.boundBy = grown.boundBy
    run.budget.cap = grown.cap
  }
  const least = Math.min(wanted, TURN_POLICY.minOutputTokens)
  // A sub-agent that runs in parallel may release a part of its reservation.
  while (affordable() < least && run.budget.isReserved) await run.budget.freed()
  const output = Math.min(wanted, affordable())
  if (output < least || (output === 0 && wanted > 0)) {
    if (!run.waitsForLimit) throw run.limit("COST_LIMIT_REACHED")
    // A waiting turn holds only its cost, so it needs the whole price of the call.
    run.lack = lackOf(run, {
      needed: worstOf(Math.max(1, least)),
      wanted: worstOf(wanted),
    })
    throw new RunEnd({ kind: "wait" })
  }
  const worst = worstOf(output)
  return {
    call: { ...call, maxOutputTokens: output },
    cutByHold: output < wanted,
    worst,
    release: run.budget.reserve(worst),
  }
}
