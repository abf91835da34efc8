import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type Pool, type ProviderAccount, providerSchema, serializeProvider, servedField } from "./provider-row.ts"

/** Lists the accounts of the main pool and all accounts with an API key, the oldest first, for admins. */
export function listProviders(ctx: Context, credential: SessionCredential): Promise<ProviderAccount[]> {
  return accountsOf(ctx, credential, "main")
}

async function accountsOf(ctx: Context, credential: SessionCredential, pool: Pool): Promise<ProviderAccount[]> {
  const { row } = await callAs(ctx, credential, "list_providers", { pool })
  return (row.entity ?? []).map(serializeProvider)
}

const accountSchema = providerSchema
  .extend({ account_id: z.string().meta({ description: "The account's `provider_id`.", example: "alt-3f9a0c1d2e4b" }) })
  .meta({ id: "AltPoolAccount" })

export const altPoolSchema = z
  .object({
    accounts: z.array(accountSchema),
    usage: servedField("The usage of all accounts together"),
    active: z
      .object({
        account_id: z.string().meta({ example: "alt-3f9a0c1d2e4b" }),
        name: z.string().meta({ example: "Team two" }),
      })
      .nullable()
      .meta({
        description:
          "The usable account that served last, otherwise the one with the most room left. Null if none is usable.",
      }),
    state: z.enum(["empty", "usable", "cooling", "down"]).meta({
      description:
        "`cooling`: no account is usable, and at least one recovers by itself. `down`: none recovers by itself.",
      example: "usable",
    }),
  })
  .meta({ id: "AltPool" })

/** Reads the alt-pool for admins: its accounts, their usage, and the active account. */
export async function getAltPool(ctx: Context, credential: SessionCredential): Promise<z.infer<typeof altPoolSchema>> {
  const accounts = await accountsOf(ctx, credential, "alt-pool")
  const active = activeOf(accounts)
  const sum = (key: keyof ProviderAccount["usage"]) => accounts.reduce((all, { usage }) => all + usage[key], 0)
  return {
    accounts: accounts.map((account) => ({ account_id: account.provider_id, ...account })),
    usage: {
      model_calls: sum("model_calls"),
      tokens_input: sum("tokens_input"),
      tokens_cached: sum("tokens_cached"),
      tokens_output: sum("tokens_output"),
      cost_usd: exact(sum("cost_usd")),
      billed_usd: exact(sum("billed_usd")),
    },
    active: active && { account_id: active.provider_id, name: active.name },
    state: stateOf(accounts),
  }
}

/** Rounds a sum of amounts with 7 decimals, to remove the error of floating-point addition. */
const exact = (usd: number) => Math.round(usd * 1e7) / 1e7

function activeOf(accounts: ProviderAccount[]): ProviderAccount | null {
  const usable = accounts.filter(({ state }) => state === "usable")
  const used = usable.filter(({ last_used_at }) => last_used_at !== null)
  const [last] = used.toSorted((a, b) => ((a.last_used_at ?? "") < (b.last_used_at ?? "") ? 1 : -1))
  const leftPercent = ({ windows }: ProviderAccount) =>
    100 - Math.max(0, ...windows.map(({ used_pct }) => used_pct ?? 0))
  return last ?? usable.toSorted((a, b) => leftPercent(b) - leftPercent(a))[0] ?? null
}

function stateOf(accounts: ProviderAccount[]): z.infer<typeof altPoolSchema>["state"] {
  if (accounts.length === 0) return "empty"
  if (accounts.some(({ state }) => state === "usable")) return "usable"
  return accounts.some(({ state }) => state === "cooling") ? "cooling" : "down"
}
