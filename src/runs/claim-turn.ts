import { isDeepStrictEqual } from "node:util"
import type { EngineName } from "../agent/engine.ts"
import type { Manifest } from "../agent-config/manifest.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import type { Tool } from "../agent-config/tool.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { MappedContainer } from "../infrastructure/container.ts"
import { call } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { NoAccount, PickedAccount } from "../providers/account.ts"
import { coolsMeanwhile } from "../providers/cooling.ts"
import { PROVIDER_POLICY } from "../providers/policies.ts"
import { drawNumbers, type ListedAccount, rosterOf } from "../providers/roster.ts"
import type { ServerPins } from "../tools/mcp-pins.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { StepRow } from "../turns/step-row.ts"
import { type TurnRow, turnRowOf } from "../turns/turn-row.ts"
import { assumedServers, type EngineServers, readServers, type ServersContext } from "./engine-servers.ts"

/** A row of the catalog. A disabled one still serves the turns it was accepted for. */
export interface ModelRow extends Omit<JsonRow<"model_catalog">, "engine"> {
  engine: EngineName
}

/** A file that was sent with the turn. */
export type AttachedFile = JsonRow<"files">

/** Everything a worker needs to go on with a turn. */
export interface Claim {
  turn: TurnRow
  /** The version of the space's configuration that the turn began with. */
  config: {
    manifest: Manifest
    tools: Record<string, Tool>
    mcp_servers: Record<string, McpServer>
    /** What the tools of each server counted in a prompt when they were listed last. */
    mcp_tokens: Record<string, number>
    /** What the tools of each server were when they were pinned. */
    mcp_pins: Record<string, ServerPins>
  }
  /** The turn's model and those of its sub-agents, by pin. */
  models: Record<string, ModelRow>
  /** An account at a provider for each engine of those models that has any, by engine. */
  accounts: Record<string, PickedAccount | NoAccount | null>
  /** When the statement was sent that has picked them, in milliseconds. */
  accounts_read_at: number
  /** Earlier turns of the conversation that were done, oldest first: as many as the manifest's history lets through. */
  history: { text: string; result: string; ended_at: string }[]
  steps: StepRow[]
  files: AttachedFile[]
  /** The space's secrets, sealed, by name; none when nothing could use them. */
  secrets: Record<string, string>
  /** Where the pins of each engine go. */
  servers: EngineServers
  /** The sealed environment file that engines read, as the last statement found it. */
  engine_keys: string | null
  containers: MappedContainer[]
  /** What makes its pictures, at the turn's prices; null when it makes none, or the catalog has no such model. */
  image_model: ModelRow | null
}

/** `drawn`: the account that the worker has drawn itself. */
interface ClaimRow extends Omit<Claim, "turn" | "accounts" | "accounts_read_at" | "servers"> {
  turn: JsonRow<"turns">
  slug: string | null
  accounts: Record<string, PickedAccount | { provider_id: string; drawn: true } | NoAccount | null>
  roster: ListedAccount[] | null
  has_subscriber: boolean | null
}

/** The message of the queue that brings a worker to a turn, and how often it was delivered before. */
export interface QueueAttempt {
  message: string
  retried: number
}

/**
 * Takes a turn for `leaseMs`: a queued one whose conversation is free (it becomes running), or a running one that
 * nobody holds. Null when there is nothing to do: late, duplicate, not its turn yet, or lost too often. When the answer is lost, it
 * asks once more, and the next delivery of the same message does: each takes over what those before may have got.
 */
export async function claimTurn(ctx: ServersContext, turnId: string, delivery?: QueueAttempt): Promise<Claim | null> {
  if (!delivery) return tryClaim(ctx, turnId, null)
  const first = delivery.retried * 2
  return tryClaim(ctx, turnId, { message: delivery.message, number: first }).catch((error: unknown) => {
    if (!(error instanceof TurnpikeError && error.code === "UNAVAILABLE")) throw error
    return tryClaim(ctx, turnId, { message: delivery.message, number: first + 1 })
  })
}

async function tryClaim(
  ctx: ServersContext,
  turnId: string,
  attempt: { message: string; number: number } | null,
): Promise<Claim | null> {
  const now = ctx.clock.now()
  const isOut = (providerId: string, readAt: number) => coolsMeanwhile(ctx, providerId, readAt)
  const roster = rosterOf(ctx)
  const drawn = roster.draw(ctx.random, isOut, now.getTime())
  const assumed = assumedServers(ctx)
  const [claimed] = await call<"claim_turn", ClaimRow>(ctx.db, "claim_turn", {
    turn_id: turnId,
    message: attempt?.message ?? null,
    try: attempt?.number ?? null,
    event_id: newId("event", now),
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
    drawn: drawn.size > 0 ? Object.fromEntries([...drawn].map(([engine, account]) => [engine, rowsOf(account)])) : null,
    listed: roster.ask(now.getTime()),
    roster_accounts: PROVIDER_POLICY.rosterAccounts,
    random: drawNumbers(ctx.random),
  })
  if (!claimed) return null
  const { has_subscriber, roster: listed, accounts, turn: row, slug, ...parts } = claimed
  const claim = { ...parts, turn: turnRowOf({ turn: row, slug }) }
  if (has_subscriber) wakeWebhooks(ctx, { ...claim.turn, has_subscriber: true })
  const models = claim.models ?? {}
  const own = models[claim.turn.model]?.engine
  const known = Object.entries(accounts).map(([engine, picked]) => {
    const account = picked && "drawn" in picked ? drawn.get(engine) : undefined
    if (picked && (account || ("bound" in picked && !picked.bound))) roster.note(now.getTime())
    return [engine, account ?? picked] as const
  })
  if (own && listed) roster.list(own, listed, now.getTime())
  const servers = await readServers(ctx, claim.engine_keys)
  const accounts_read_at = now.getTime()
  // The operator's keys have changed: the accounts may be at another server, so each engine's first call asks.
  if (!isDeepStrictEqual(servers, assumed)) {
    const asks = Object.values(models).flatMap(({ engine }) =>
      engine === "rehearsal" ? [] : [[engine, null] as const],
    )
    return { ...claim, models, servers, accounts: claim.turn.test ? {} : Object.fromEntries(asks), accounts_read_at }
  }
  return { ...claim, models, servers, accounts: Object.fromEntries(known) as Claim["accounts"], accounts_read_at }
}

const rowsOf = ({ provider_id, account_row, credential_row }: ListedAccount) => ({
  provider_id,
  account_row,
  credential_row,
})
