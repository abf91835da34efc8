import type { CacheLifetime, PromptCache } from "../agent/engine.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { AgentWork, Run } from "./run.ts"

/** The number of messages in a call's opening, in the earlier exchanges of it, and in each step. */
interface Transcript {
  opening: number
  earlier: number
  /** The messages that the last call of the turn before had, if this one continues it; otherwise 0 or `earlier`. */
  sent: number
  steps: number[]
}

/**
 * Chooses the parts of a prompt that the provider caches: tools and instructions, the earlier turns, and the newest
 * step for the next call. A cache write costs more than a plain token, so parts without a later use are not written.
 */
export function cacheOf(run: Run, agent: AgentWork, { opening, earlier, sent, steps }: Transcript): PromptCache {
  const { turn } = run
  const lifetime = lifetimeOf(run, agent)
  const all = steps.reduce((sum, count) => sum + count, opening)
  const goesOn = agent.specs.length > 0 || (earlier > 0 && !isFull(run, agent))
  // Also the end of the last call's prompt: Anthropic looks back over only 20 parts, and a step can have more.
  const last = steps.at(-1)
  const ends = goesOn ? [last === undefined ? sent : all - last, all].filter((end) => end > earlier) : []
  return {
    key: `space-${turn.space_id}${agent.name === null ? "" : `-${agent.name}`}`.slice(0, TURN_POLICY.cacheKeyChars),
    lifetime,
    breakpoints: [
      ...(earlier > 0 && goesOn ? [{ message: earlier - 1, lifetime }] : []),
      ...ends.map((end) => ({ message: end - 1, lifetime: "5m" as const })),
    ],
  }
}

/** True if the next turn's prompt begins differently: a history that has left out no turn leaves out its first one. */
function isFull({ claim }: Run, { fit }: AgentWork): boolean {
  const { history = {} } = claim.config.manifest
  if (fit.turns > 0 || history.summary || claim.history.length === 0) return false
  return claim.history.length >= (history.max_turns ?? TURN_POLICY.historyTurns)
}

/** An hour, if it has a price and the last pause of the conversation was between five minutes and an hour. */
function lifetimeOf({ claim }: Run, { model }: AgentWork): CacheLifetime {
  const last = claim.history.at(-1)
  if (!last || model.price_cache_write_hour === null) return "5m"
  const pause = Date.parse(claim.turn.started_at ?? claim.turn.created_at) - Date.parse(last.ended_at)
  return pause > TURN_POLICY.cacheMs && pause <= TURN_POLICY.cacheHourMs ? "1h" : "5m"
}
