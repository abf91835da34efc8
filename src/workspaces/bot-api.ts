import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { createOutbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"
import { workspaceNotFound } from "./change-workspace.ts"

const MAX_BYTES = 64 * 1024

export const botTarget = (workspaceId: string, column: "bot_token" | "bot_webhook_secret"): SealTarget => ({
  table: "workspaces",
  column,
  row: workspaceId,
  owner: workspaceId,
})

/** The bot of a workspace with its decrypted secrets. NOT_FOUND, NO_BOT, ADMIN_REQUIRED. */
export async function openBot(
  ctx: Context,
  credential: SessionCredential,
  id: string,
): Promise<{ username: string | null; token: string; webhookSecret: string | null }> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("workspaces as w")
        .innerJoin("caller", (join) => join.onTrue())
        .where("w.workspace_id", "=", id)
        .select(["w.bot_token", "w.bot_webhook_secret", "w.bot_username"]),
    { role: "admin" },
  )
  const row = rows[0]
  if (!row) throw workspaceNotFound(id)
  if (row.bot_token === null)
    throw new TurnpikeError("NO_BOT", `The workspace "${id}" has no bot token. Set one first.`)
  const open = async (sealed: string, column: Parameters<typeof botTarget>[1]) =>
    (await ctx.keyRing.open(sealed, botTarget(id, column))).text
  const secret = row.bot_webhook_secret
  return {
    username: row.bot_username,
    token: await open(row.bot_token, "bot_token"),
    webhookSecret: secret === null ? null : await open(secret, "bot_webhook_secret"),
  }
}

export interface BotApiAnswer {
  /** The HTTP status; null if the platform did not answer. */
  status: number | null
  /** The `result` of the answer; undefined if the platform refused, or if its answer is not valid. */
  result: unknown
  /** A readable reason why there is no result; null if there is one. */
  message: string | null
  /** Shortens a text from the platform, and masks secrets in it. */
  shown: (text: unknown) => string
}

/** Calls a method of the Bot API of the platform. `secret`: a text to mask in answers, besides the token. */
export async function askBotApi(
  ctx: Context,
  token: string,
  method: string,
  { body, secret }: { body?: object; secret?: string } = {},
): Promise<BotApiAnswer> {
  const masked = [token, ...(secret ? [secret] : [])]
  const shown = (text: unknown) =>
    masked.reduce((said, part) => said.replaceAll(part, "***"), String(text)).slice(0, 300)
  const outbound = createOutbound({ fetch: ctx.fetch, clock: ctx.clock, policy: ctx.urlPolicy })
  try {
    const response = await outbound.send({
      url: `${ctx.botApiUrl}/bot${token}/${method}`,
      method: body ? "POST" : "GET",
      headers: { accept: "application/json", ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
      timeoutMs: TIME_LIMITS.botApiMs,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
    })
    const { status } = response
    const answer = (await response.json().catch((error: unknown) => {
      if (error instanceof OutboundError) throw error
      return null
    })) as { ok?: unknown; description?: unknown; result?: unknown } | null
    if (answer?.ok === true && answer.result !== undefined)
      return { status, result: answer.result, message: null, shown }
    const said = typeof answer?.description === "string" ? answer.description : "an unknown format"
    return { status, result: undefined, message: `The platform answered ${status}: ${shown(said)}.`, shown }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { status: null, result: undefined, message: shown(error.message), shown }
  }
}
