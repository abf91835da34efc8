import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { REAL_ENGINES } from "../base/words.ts"
import type { Answers } from "../platform/procedures.ts"
import { ACCOUNT_KINDS } from "./account.ts"
import { SUSPENSIONS } from "./reactions.ts"

const POOLS = ["main", "alt-pool"] as const
export type Pool = (typeof POOLS)[number]
export const poolSchema = z.enum(POOLS).meta({ description: "The pool that an account belongs to.", example: "main" })

const RESOURCES = ["unified", "requests", "tokens", "input-tokens", "output-tokens"] as const
export type Resource = (typeof RESOURCES)[number]

/** The fields that identify a window: the resource that it counts, and its length. */
export const windowName = {
  resource: z
    .enum(RESOURCES)
    .meta({ description: "The resource that the window counts. `unified`: everything.", example: "unified" }),
  window_seconds: z.int().meta({ description: "The length of the window, in seconds.", example: 18_000 }),
}

const windowSchema = z.object({
  ...windowName,
  used_pct: z.number().nullable().meta({
    description: "How much of the window is used, in per cent. Null: not known, because the window has ended.",
    example: 37.5,
  }),
  reset_at: z.iso.datetime().nullable().meta({ description: "When the window resets. Null: not known." }),
  taken_at: z.iso.datetime().meta({ description: "When the provider reported it." }),
})

/** The tokens and amounts of calls. */
const servedSchema = z.object({
  model_calls: z.int().meta({ example: 310 }),
  tokens_input: z.int().meta({ example: 912_000 }),
  tokens_cached: z
    .int()
    .meta({ description: "The input tokens that the provider read from its cache.", example: 640_000 }),
  tokens_output: z.int().meta({ example: 41_000 }),
  cost_usd: z.number().meta({ description: "The cost for us, at the provider's prices, in USD.", example: 12.4 }),
  billed_usd: z
    .number()
    .meta({ description: "The amount that accounts were billed for these calls, in USD.", example: 12.1 }),
})
const servedExample = {
  model_calls: 310,
  tokens_input: 912_000,
  tokens_cached: 640_000,
  tokens_output: 41_000,
  cost_usd: 12.4,
  billed_usd: 12.1,
}
/** provider_rows() in src/providers/provider-row.sql sums this number of days. */
const SERVED_DAYS = 30

/** A schema field with recent usage. */
export const servedField = (of: string) =>
  servedSchema.meta({
    description: `${of} in the last ${SERVED_DAYS} days (UTC), including today: live calls, by the time at which their turns ended.`,
    example: servedExample,
  })

export const providerSchema = z
  .object({
    provider_id: z.string().meta({ example: "team-one" }),
    pool: poolSchema,
    name: z.string().meta({ description: "The account's display name.", example: "Team one" }),
    kind: z.enum(ACCOUNT_KINDS).meta({
      description:
        "How the account is authenticated: an API key, a login with a pasted code, or a login by device code.",
      example: "oauth_code",
    }),
    engine: z.enum(REAL_ENGINES).meta({ example: "anthropic" }),
    base_url: z
      .string()
      .nullable()
      .meta({
        description:
          "The URL that calls go to. Null: the engine's own. If the environment names an account of this engine " +
          "(`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `OPENAI_BASE_URL`), only accounts with the same base URL serve the engine's pins.",
        example: "https://models.example.com/v1",
      }),
    state: z.enum(["usable", "cooling", "suspended", "needs_login", "contained", "disabled"]).meta({
      description:
        "`cooling`: it is not called before `cool_until`. `suspended`: its provider has barred it or demands payment. At `cool_until` one " +
        "call tries it again, and each failure doubles the pause up to a limit. `needs_login`: its credential was refused or is missing. " +
        "`contained`: a refreshed credential may have been lost. An admin ends `needs_login`, `contained` and `disabled`.",
      example: "usable",
    }),
    last_healthy: z.boolean().meta({
      description:
        "True if it is the only enabled and healthy account of its pool, so removing it empties the pool. A cooling account counts as healthy.",
      example: false,
    }),
    disabled: z
      .boolean()
      .meta({ description: "True if the account gets no calls and its credential is not refreshed.", example: false }),
    disabled_at: z.iso.datetime().nullable(),
    disabled_reason: z.string().nullable().meta({ example: "Paid until Friday" }),
    health: z.enum(["healthy", "suspended", "needs_login", "contained"]).meta({ example: "healthy" }),
    health_at: z.iso.datetime().nullable().meta({ description: "When its health last changed. Null: never." }),
    cool_until: z.iso.datetime().nullable(),
    cool_reason: z
      .string()
      .nullable()
      .meta({ description: "Why it cools, as a code of Turnpike.", example: "limit_reached" }),
    suspended_at: z.iso.datetime().nullable().meta({ description: "Since when it is suspended. Null: it is not." }),
    suspended_reason: z
      .enum(SUSPENSIONS)
      .nullable()
      .meta({
        description:
          "The provider's answer: `not_permitted` (403), `no_credit` (402, 429 `insufficient_quota`, or a 400 that says so), " +
          "`account_disabled` (a 400 that says so). `rejects_calls`: it rejected calls that other accounts served.",
        example: null,
      }),
    in_flight: z.int().meta({ description: "Turns that it serves at the moment.", example: 2 }),
    windows: z
      .array(windowSchema)
      .meta({ description: "The account's usage of its provider's limits, as the provider last reported it." }),
    has_credential: z
      .boolean()
      .meta({ description: "True if a credential is stored. The credential itself is never returned.", example: true }),
    token_expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When its access token expires. It is refreshed before then. Null: never, or not known." }),
    credential_lock: z.object({ until: z.iso.datetime() }).nullable().meta({
      description:
        "Set while a worker refreshes the credential. The refresh ends at `until` at the latest. Null: no refresh is running.",
      example: null,
    }),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "The last call of a turn that has ended. Null: no such call." }),
    usage: servedField("The account's usage"),
    version: z.int().meta({ description: "The version of the account. Each edit increments it.", example: 3 }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    updated_by: z
      .object({ user_id: z.int(), name: z.string().nullable().meta({ example: "Ada" }) })
      .nullable()
      .meta({ description: "The user who last changed it. Null: the command line." }),
  })
  .meta({ id: "Provider" })

export type ProviderAccount = z.infer<typeof providerSchema>

export type ProviderRow = Answers["provider_answer"]
type Served = Pick<ProviderRow, "model_calls" | "tokens_input" | "tokens_cached" | "tokens_output">

export function serializeProvider(row: ProviderRow): ProviderAccount {
  const { provider_id, name, base_url, disabled_reason, cool_reason, in_flight, has_credential, version } = row
  return {
    provider_id,
    pool: row.pool as Pool,
    name,
    kind: row.kind as ProviderAccount["kind"],
    engine: row.engine as ProviderAccount["engine"],
    base_url,
    state: row.state as ProviderAccount["state"],
    last_healthy: row.last_healthy,
    disabled: row.disabled_at !== null,
    disabled_at: toInstant(row.disabled_at),
    disabled_reason,
    health: row.health as ProviderAccount["health"],
    health_at: toInstant(row.health_at),
    cool_until: toInstant(row.cool_until),
    cool_reason,
    suspended_at: toInstant(row.suspended_at),
    suspended_reason: row.suspended_reason as ProviderAccount["suspended_reason"],
    in_flight,
    windows: row.windows.map(({ resource, reset_at, taken_at, ...window }) => ({
      ...window,
      resource: resource as Resource,
      reset_at: toInstant(reset_at),
      taken_at: toInstant(taken_at),
    })),
    has_credential,
    token_expires_at: toInstant(row.token_expires_at),
    credential_lock: row.refreshing_until === null ? null : { until: toInstant(row.refreshing_until) },
    last_used_at: toInstant(row.last_used_at),
    usage: servedOf(row, row.cost_credit_micros, row.billed_credit_micros),
    version,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
    updated_by: row.updated_by === null ? null : { user_id: row.updated_by, name: row.updated_by_name },
  }
}

/** Serializes the usage of a row whose amounts are credit micros. */
export function servedOf(
  { model_calls, tokens_input, tokens_cached, tokens_output }: Served,
  cost: number,
  billed: number,
): ProviderAccount["usage"] {
  return { model_calls, tokens_input, tokens_cached, tokens_output, cost_usd: toUsd(cost), billed_usd: toUsd(billed) }
}
