import { isDeepStrictEqual } from "node:util"
import type { EngineName } from "../agent/engine.ts"
import type { Manifest } from "../agent-config/manifest.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import type { Tool } from "../agent-config/tool.ts"
import { storedRows } from "../base/casts.ts"
import { newId } from "../base/ids.ts"
import type { Learned } from "../catalog/learned.ts"
import type { PriceTerms } from "../catalog/price-terms.ts"
import { wakeWebhooksOf } from "../feed/wake-webhooks.ts"
import type { MappedContainer } from "../infrastructure/container.ts"
import { callOne, DatabaseError } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Answers, ArgumentsOf } from "../platform/procedures.ts"
import type { NoAccount, PickedAccount } from "../providers/account.ts"
import { coolsMeanwhile } from "../providers/cooling.ts"
import { PROVIDER_POLICY } from "../providers/policies.ts"
import { type ListedAccount, rosterOf } from "../providers/roster.ts"
import type { ServerPins } from "../tools/mcp-pins.ts"
import type { CallerTool, ToolChoice } from "../turns/caller-tools.ts"
import type { TurnMessage } from "../turns/messages.ts"
import { RUNNER_POLICY, TURN_POLICY } from "../turns/policies.ts"
import { type StepRow, stepRowOf } from "../turns/step-row.ts"
import { type TurnRow, turnRowOf } from "../turns/turn-row.ts"
import type { EarlierTurn, Link } from "./earlier-turns.ts"
import { assumedServers, type EngineServers, readServers, type ServersContext } from "./engine-servers.ts"
import { type Settled, settledInOrder, type TurnEnd, tellSettled } from "./settle-turns.ts"
import type { KeptCall } from "./wait-turn.ts"

/** A row of the catalog. A disabled model still serves the turns that were accepted for it. */
export interface ModelRow extends Omit<JsonRow<"model_catalog">, "engine" | "learned" | keyof PriceTerms>, PriceTerms {
  engine: EngineName
  learned: Learned
}

/** A file that was sent with the turn. */
export type AttachedFile = JsonRow<"files">

/** Everything that a worker needs to continue a turn. */
export interface Claim {
  turn: TurnRow
  /** The version of the space's configuration that the turn began with. */
  config: {
    manifest: Manifest
    tools: Record<string, Tool>
    mcp_servers: Record<string, McpServer>
    /** The tokens of each server's tools in a prompt, from their last listing. */
    mcp_tokens: Record<string, number>
    /** The pinned form of each server's tools. */
    mcp_pins: Record<string, ServerPins>
    /** Optional servers that did not answer lately, and until when each is not asked. */
    mcp_failing: Record<string, string>
  }
  /** The turn's model and the models of its sub-agents, by pin. */
  models: Record<string, ModelRow>
  /** The account of each engine of these models, for engines that have accounts. */
  accounts: Record<string, PickedAccount | NoAccount | null>
  /** When the statement that picked the accounts was sent, in milliseconds. */
  accounts_read_at: number
  /** Earlier turns of the conversation that were done, oldest first, as far as the manifest's history limits allow. */
  history: EarlierTurn[]
  /** A model's summary of the turns before these; null: none. With summaries, `history` has all turns after it. */
  summary: { until_position: number; turns: number; text: string } | null
  /** The tools that earlier turns of the conversation have found, by name; null: none. */
  found_tools: Record<string, { position: number; bytes: number }> | null
  /** The turn's messages; null: it was sent as one text. */
  messages: TurnMessage[] | null
  /** The tools of its caller, and how the model may call tools; null: none. */
  caller: { tools: CallerTool[]; choice: ToolChoice; parallel: boolean } | null
  /** The earlier turns of the exchange that a turn with results continues, oldest first. */
  links: Link[]
  steps: StepRow[]
  /** The calls for which the turn has waited. */
  calls: KeptCall[]
  files: AttachedFile[]
  /** The space's sealed secrets by name; empty if nothing can use them. */
  secrets: Record<string, string>
  /** The servers that the pins of each engine mean. */
  servers: EngineServers
  /** The sealed environment file of the engines, as the last statement read it. */
  engine_keys: string | null
  containers: MappedContainer[]
  /** The model for images, at the turn's prices; null if the turn makes no images or the catalog has no such model. */
  image_model: ModelRow | null
}

/** `drawn`: an account that the worker has drawn itself. */
export interface ClaimRow extends Omit<Claim, "turn" | "accounts" | "accounts_read_at" | "servers"> {
  turn: JsonRow<"turns">
  slug: string | null
  accounts: Record<string, PickedAccount | { provider_id: string; drawn: true } | NoAccount | null>
  roster: ListedAccount[] | null
  has_subscriber: boolean
}

/** A runner, and the arguments of one of its looks. */
export interface RunnerLook {
  /**
   * The queue message that started it, and the number of the try. A later
   * try can take over the turns of earlier tries.
   */
  runner: { id: string; attempt: number; takesOver: boolean; isRetry?: boolean }
  /** How many turns it can take, and whether it can take no more after these. */
  places: number
  isLast: boolean
  /** Turns that it has. */
  held: readonly string[]
  /** `stays`: it looks again soon, even if this look finds nothing. `retires`: it takes no more turns. */
  stays: boolean
  /** True if it looks again soon after it has skipped turns that another transaction had locked. */
  waits?: boolean
  retires: boolean
  /** The accounts after which the look begins, from the previous look; null: any. */
  after: { live: number | null; test: number | null }
}

export interface FoundTurns {
  /**
   * looking: others rely on the runner to look again. waiting: they do
   * not. over: it was removed. full: it was not added.
   */
  status: "looking" | "waiting" | "over" | "full"
  claims: Claim[]
  /** How many turns it could have taken. `isLost`: the claimed turns were lost with their worker. */
  places: number
  isLost: boolean
  /** True if a ready turn was skipped because another transaction had locked it. */
  skipped: boolean
  /** True if turns are ready for which it has no place. `runners`: the number of runners then. */
  more: boolean
  runners: number
  after: { live: number | null; test: number | null }
}

/**
 * Claims ready turns for `leaseMs`, in fair order (claim-turns.sql): queued turns whose conversation is free, and
 * running turns that no worker holds. A turn with broken rows is skipped.
 */
export async function claimTurns(ctx: ServersContext, look: RunnerLook): Promise<FoundTurns> {
  const asked = lookFor(ctx, look)
  try {
    const { answer } = await callOne(ctx.db, "claim_turns", asked.args(false))
    return await foundOf(ctx, asked, answer)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const { answer } = await callOne(ctx.db, "claim_turns", asked.args(true))
    return foundOf(ctx, asked, answer)
  }
}

/** Settles turns of the runner and claims others, in one statement. */
export async function settleAndLook(
  ctx: ServersContext,
  ends: TurnEnd[],
  look: RunnerLook,
): Promise<{ settled: (Settled | undefined)[]; found: FoundTurns }> {
  const asked = lookFor(ctx, look)
  const { settled, looked } = await callOne(ctx.db, "settle_turns_and_look", { ends, ...asked.args(false) })
  tellSettled(ctx, settled ?? [])
  return { settled: settledInOrder(ends, settled ?? []), found: await foundOf(ctx, asked, looked) }
}

interface Asked {
  now: Date
  assumed: EngineServers
  /** The accounts that the worker has drawn for each place. */
  drawn: Map<string, ListedAccount>[]
  /** True if the statement should list the accounts of an engine. */
  lists: boolean
  args(careful: boolean): ArgumentsOf<"claim_turns">
}

function lookFor(ctx: ServersContext, look: RunnerLook): Asked {
  const now = ctx.clock.now()
  const isOut = (providerId: string, readAt: number) => coolsMeanwhile(ctx, providerId, readAt)
  const roster = rosterOf(ctx)
  const each = <T>(make: () => T) => Array.from({ length: look.places }, make)
  const drawn = each(() => roster.draw(ctx.random, isOut, now.getTime()))
  const assumed = assumedServers(ctx)
  const after = (ms: number) => new Date(now.getTime() + ms)
  const asks = {
    places: look.places,
    is_last: look.isLast,
    bytes: RUNNER_POLICY.groupBytes,
    held: [...look.held],
    takes_over: look.runner.takesOver,
    releases: look.runner.isRetry === true,
    stays: look.stays,
    waits: look.waits === true,
    retires: look.retires,
    runners: ctx.slots.runners,
    live_slots: ctx.slots.live,
    test_slots: ctx.slots.test,
    end_user_slots: ctx.slots.endUser,
    after_live: look.after.live,
    after_test: look.after.test,
    after_lane: Math.floor((ctx.random() - 0.5) * 2 ** 32),
    alive_until: after(RUNNER_POLICY.deadMs),
    looks_until: after(RUNNER_POLICY.promiseMs),
    event_ids: each(() => newId("event", now)),
    drawn: drawn.map(drawnRows),
    random: each(ctx.random),
  }
  const terms = claimTerms(ctx, look.runner, { now, assumed })
  return {
    now,
    assumed,
    drawn,
    lists: terms.listed !== null,
    args: (careful) => ({ look: { ...asks, careful }, terms }),
  }
}

/** The terms of all claims of one statement. */
export function claimTerms(
  ctx: ServersContext,
  { id, attempt }: Pick<RunnerLook["runner"], "id" | "attempt">,
  { now, assumed }: { now: Date; assumed: EngineServers },
) {
  return {
    runner_id: id,
    try: attempt,
    moment: now,
    lease: new Date(now.getTime() + TURN_POLICY.leaseMs),
    max_attempts: TURN_POLICY.maxAttempts,
    history_turns: TURN_POLICY.historyTurns,
    history_within: TURN_POLICY.historyWithin,
    history_bytes: TURN_POLICY.historyBytes,
    bytes_per_token: TURN_POLICY.bytesPerToken,
    history_tokens: TURN_POLICY.historyTokens,
    servers: assumed,
    served_after: new Date(now.getTime() - PROVIDER_POLICY.bindMs),
    listed: rosterOf(ctx).ask(now.getTime()),
    roster_accounts: PROVIDER_POLICY.rosterAccounts,
  }
}

async function foundOf(ctx: ServersContext, asked: Asked, found: Answers["found_turns"] | null): Promise<FoundTurns> {
  if (!found) throw new Error("The look returned no answer.")
  const rows = storedRows<ClaimRow>(found.claims)
  if (asked.lists && rows.length > 0) rosterOf(ctx).noteAsked(asked.now.getTime())
  wakeWebhooksOf(
    ctx,
    rows.map(({ turn, has_subscriber }) => ({ ...turn, has_subscriber })),
  )
  for (const [turn_id, error] of Object.entries(found.broken as Record<string, string>)) {
    ctx.log("error", "turn.unclaimable", { turn_id, error })
  }
  return {
    status: found.status as FoundTurns["status"],
    claims: await Promise.all(rows.map((row, nth) => claimOf(ctx, row, { ...asked, drawn: asked.drawn[nth] }))),
    places: asked.drawn.length,
    isLost: found.alone,
    skipped: found.skipped,
    more: found.more,
    runners: found.runners ?? 0,
    after: { live: found.after_live, test: found.after_test },
  }
}

export async function claimOf(
  ctx: ServersContext,
  { has_subscriber: _, roster: listed, accounts, turn: row, slug, ...parts }: ClaimRow,
  { drawn, assumed, now }: { drawn: Map<string, ListedAccount> | undefined; assumed: EngineServers; now: Date },
): Promise<Claim> {
  const roster = rosterOf(ctx)
  const links = parts.links.map((link) => ({ ...link, steps: link.steps.map(stepRowOf) }))
  const claim = { ...parts, links, steps: parts.steps.map(stepRowOf), turn: turnRowOf({ turn: row, slug }) }
  const models = claim.models ?? {}
  const own = models[claim.turn.model]?.engine
  const known = Object.entries(accounts).map(([engine, picked]) => {
    const account = picked && "drawn" in picked ? drawn?.get(engine) : undefined
    if (picked && (account || ("bound" in picked && !picked.bound))) roster.note(now.getTime())
    return [engine, account ?? picked] as const
  })
  if (own && listed) roster.list(own, listed, now.getTime())
  const servers = await readServers(ctx, claim.engine_keys)
  const accounts_read_at = now.getTime()
  // The operator's keys have changed, so the accounts may be at another server: each engine's first call asks.
  if (!isDeepStrictEqual(servers, assumed)) {
    const asks = Object.values(models).flatMap(({ engine }) =>
      engine === "rehearsal" ? [] : [[engine, null] as const],
    )
    return { ...claim, models, servers, accounts: claim.turn.test ? {} : Object.fromEntries(asks), accounts_read_at }
  }
  return { ...claim, models, servers, accounts: Object.fromEntries(known) as Claim["accounts"], accounts_read_at }
}

/** The rows of the accounts that the worker has drawn for a turn; null if it has drawn none. */
export function drawnRows(drawn: Map<string, ListedAccount>) {
  if (drawn.size === 0) return null
  return Object.fromEntries(
    [...drawn].map(([engine, { provider_id, account_row, credential_row }]) => [
      engine,
      { provider_id, account_row, credential_row },
    ]),
  )
}
