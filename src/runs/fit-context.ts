import { type Message, type ModelCall, textOf } from "../agent/engine.ts"
import { likelyPromptTokens, likelyTokens, type Prompt } from "../agent/estimate.ts"
import type { TooLong } from "../agent/refusals.ts"
import type { ModelRow } from "./claim-turns.ts"

/** An answer is given at least this share of a window. */
const ANSWER_SHARE = 1 / 4
/** The share of a refused prompt that is tried if the provider names no limit: after one refusal, and after another. */
const UNKNOWN_SHARES = [1 / 2, 1 / 4] as const
/** A text of few bytes for each token does not make the estimate of all later calls small. */
const MIN_SCALE = 0.5
/** Results of tools are left out down to this share of the room. */
const TRIM_TO = 0.7
/** A shorter result of a tool stays. */
const KEPT_RESULT_TOKENS = 200
/** The least size of a prompt from which the scale of estimates is learned. */
const SCALE_FROM_TOKENS = 500

/**
 * How much of an agent's prompt is left out so that its calls fit into the model's window. It only grows during a run,
 * so the beginning of the prompt changes seldom and a provider's cache stays useful.
 */
export class ContextFit {
  /** Earlier turns of the conversation that are left out, the oldest first. */
  turns = 0
  /** Results of tools in this turn that are replaced by a note, the oldest first. */
  results = 0
  /** The most tokens of prompt and answer; null: unknown. */
  window: number | null
  /** Tokens that the provider counts for each token of our estimate. */
  scale = 1
  /** How often a provider refused a call of this agent as too long. */
  refusals = 0
  /** The last call, with all that was left out of it. */
  private call: Prompt | null = null
  /** The prompt that was estimated last, since a long one is expensive to estimate. */
  private estimated: { call: Prompt; tokens: number } | null = null

  /** A rehearsal has no window: its script chooses the counts. */
  constructor({ engine, context_tokens, learned }: Pick<ModelRow, "engine" | "context_tokens" | "learned">) {
    const known = [context_tokens, learned.context_tokens].filter((tokens) => typeof tokens === "number")
    this.window = engine === "rehearsal" || known.length === 0 ? null : Math.min(...known)
  }

  /** The tokens that are left for a prompt next to an answer of this many tokens; infinite without a known window. */
  room(output: number): number {
    if (this.window === null) return Number.POSITIVE_INFINITY
    return this.window - Math.min(output, Math.floor(this.window * ANSWER_SHARE))
  }

  /** The tokens of a prompt, by our estimate and what providers have counted. */
  sizeOf(call: Prompt): number {
    return Math.ceil(this.estimateOf(call) * this.scale)
  }

  private estimateOf(call: Prompt): number {
    if (this.estimated?.call !== call) this.estimated = { call, tokens: likelyPromptTokens(call) }
    return this.estimated.tokens
  }

  /** The tokens of the last call. */
  get size(): number {
    return this.call ? this.sizeOf(this.call) : 0
  }

  calls(call: Prompt): void {
    this.call = call
  }

  /** Learns from the count of a prompt that the provider took. */
  counted(tokens: number): void {
    if (this.window === null || !this.call || tokens === 0) return
    const estimate = this.estimateOf(this.call)
    if (estimate >= SCALE_FROM_TOKENS) this.scale = Math.max(tokens / estimate, MIN_SCALE)
  }

  /** Learns from the refusal of the last call. */
  refused({ limit, prompt }: TooLong): void {
    this.refusals++
    const { size, scale } = this
    // A prompt without a count has at least as many tokens as the model takes.
    const tokens = prompt ?? limit
    if (tokens !== null) this.scale = Math.max(scale, (scale * tokens) / Math.max(1, size))
    if (limit !== null) this.window = Math.min(this.window ?? limit, limit)
    else {
      const share = UNKNOWN_SHARES[this.refusals === 1 ? 0 : 1]
      this.window = Math.floor(Math.min(this.window ?? size, size) * share)
    }
  }
}

/** The parts that a prompt leaves out now, and its estimated tokens. */
export interface Trimmed {
  turns: number
  results: number
  tokens: number
}

/** An earlier exchange in a prompt: a turn of the conversation, or a part of the messages of this turn. */
export interface Earlier {
  messages: Message[]
  /** The position of the turn in its conversation; missing for messages of this turn. */
  position?: number
  /** The same in each prompt that has this exchange. */
  key: string
}

/**
 * Leaves out as much of a prompt as its model's window requires: the oldest earlier turns first, then the oldest
 * results of tools. Returns what is left out, if it is more than before. `build` makes the call with what `fit` leaves
 * out; `results`: how many can be left out.
 */
export function fitContext(
  fit: ContextFit,
  build: () => ModelCall,
  { earlier, results }: { earlier: readonly Earlier[]; results: number },
): { call: ModelCall; trimmed: Trimmed | null; fits: boolean } {
  const before = { turns: fit.turns, results: fit.results }
  let call = build()
  if (fit.window === null) {
    fit.calls(call)
    return { call, trimmed: null, fits: true }
  }
  let size = fit.sizeOf(call)
  const room = fit.room(call.maxOutputTokens)
  if (size > room && fit.turns < earlier.length) {
    fit.turns = earlier.length
    const rest = fit.sizeOf(build())
    fit.turns = Math.max(before.turns, cutOf(earlier, (room - rest) / fit.scale))
    call = build()
    size = fit.sizeOf(call)
  }
  // Each cut changes the beginning of the prompt, so it makes room for several more steps.
  const aim = size > room ? room * TRIM_TO : room
  for (const [what, most] of [
    ["turns", earlier.length],
    ["results", results],
  ] as const) {
    if (size <= aim) break
    fit[what] = leastOf(fit[what], most, (count) => {
      fit[what] = count
      return fit.sizeOf(build()) <= aim
    })
    call = build()
    size = fit.sizeOf(call)
  }
  const isMore = fit.turns > before.turns || fit.results > before.results
  const trimmed = isMore ? { turns: fit.turns, results: fit.results, tokens: size } : null
  fit.calls(call)
  // An estimate can be twice too high. As long as no provider has refused a call, only a certain excess counts.
  const fits = size <= room || (fit.refusals === 0 && size / 2 <= fit.window)
  return { call: bounded(fit.window, call, size), trimmed, fits }
}

/** The least number from `from` on that is enough, or `most`. If a number is enough, all larger ones are. */
function leastOf(from: number, most: number, isEnough: (count: number) => boolean): number {
  let [low, high] = [from, most]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isEnough(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * How many of the oldest earlier turns are left out so that the others have at most `room` tokens. The next turns of
 * the conversation shall begin with the same one, so that a provider's cache stays useful, and no state says which it
 * was. So each turn has a rank by its time, and the highest one begins among those that fill at least half of the room.
 */
function cutOf(earlier: readonly Earlier[], room: number): number {
  let best = earlier.length
  let rank = -1
  let size = 0
  for (let at = earlier.length - 1; at >= 0; at--) {
    const turn = earlier[at] as Earlier
    size += turn.messages.reduce((sum, message) => sum + likelyTokens(textOf(message)), 0)
    if (size > room) break
    const mayWin = size >= room / 2 || at === 0
    if (best === earlier.length || !mayWin || rankOf(turn.key) >= rank) {
      best = at
      rank = mayWin ? rankOf(turn.key) : -1
    }
  }
  return best
}

/** A shorter history is shown whole. */
const LEAST_HISTORY = 8

/**
 * How many of the oldest turns a full history leaves out: the highest rank among its older half begins, as in a prompt
 * that is too long. Otherwise each turn's prompt would begin differently, and no cache would help.
 */
export function startOf(earlier: readonly { ended_at: string }[], most: number): number {
  if (earlier.length < Math.max(most, LEAST_HISTORY)) return 0
  const ranks = earlier.slice(0, Math.floor(earlier.length / 2) + 1).map(({ ended_at }) => rankOf(ended_at))
  return ranks.lastIndexOf(Math.max(...ranks))
}

/** The number of zero bits at the end of a hash (FNV-1a) of a key, such as the time at which the turn ended. */
function rankOf(key: string): number {
  let hash = 0x811c9dc5
  for (const unit of key) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193)
  hash ^= hash >>> 15
  return 31 - Math.clz32((hash & -hash) | 0)
}

/** The answer gets what the prompt leaves of the window. */
function bounded(window: number, call: ModelCall, size: number): ModelCall {
  const rest = Math.max(1, window - size, Math.floor(window * ANSWER_SHARE))
  return { ...call, maxOutputTokens: Math.min(call.maxOutputTokens, rest) }
}

/** The messages of each step of a turn, with the first `count` results of tools replaced by notes. */
export function withoutResults(steps: Message[][], count: number): Message[][] {
  let left = count
  const shorten = (message: Message): Message => {
    if (message.role !== "tool" || left === 0) return message
    const content = message.content.map((result) => {
      if (left === 0) return result
      left--
      const tokens = likelyTokens(JSON.stringify(result.output))
      if (tokens <= KEPT_RESULT_TOKENS) return result
      const value =
        `[The result of ${result.toolName} (about ${tokens} tokens) was removed, because the conversation has become ` +
        "too long. Call the tool again if you need it.]"
      return { ...result, output: { type: "text" as const, value } }
    })
    return { ...message, content }
  }
  return count === 0 ? steps : steps.map((messages) => messages.map(shorten))
}
