import type { Context } from "../actor/context.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

const PREFIX = "whsec_"

/** Makes a signing secret in its public form: `whsec_` + base64 of 32 bytes (Standard Webhooks). */
export function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(WEBHOOK_POLICY.secretBytes))
  return PREFIX + btoa(String.fromCharCode(...bytes))
}

/** A signing secret is sealed for its endpoint. A rotation does not change this. */
export const signingSecretTarget = (webhookId: string): SealTarget => ({
  table: "webhook_endpoints",
  column: "secret",
  row: webhookId,
  owner: webhookId,
})

/** Opens secrets of an endpoint. In the background, seals a secret again if a newer key exists. */
export async function openSigningSecrets(ctx: Context, webhookId: string, sealed: string[]): Promise<string[]> {
  return Promise.all(
    sealed.map(async (box) => {
      const { text, stale } = await ctx.keyRing.open(box, signingSecretTarget(webhookId))
      if (stale) ctx.background(rewrap(ctx, webhookId, { old: box, text }))
      return text
    }),
  )
}

async function rewrap(ctx: Context, webhookId: string, { old, text }: { old: string; text: string }): Promise<void> {
  try {
    const sealed = await ctx.keyRing.seal(text, signingSecretTarget(webhookId))
    await call(ctx.db, "reseal_signing_secret", { webhook_id: webhookId, old, new: sealed })
  } catch (error) {
    ctx.log("error", "webhook.rewrap_failed", { webhook_id: webhookId, error: describeError(error) })
  }
}

/** The headers that every attempt has. */
export const FIXED_HEADERS = { "content-type": "application/json", "user-agent": "Turnpike-Webhooks" } as const

/** The event's id and the time of the attempt in Unix seconds, which are signed too. */
export const identityHeaders = (id: string, at: Date) => ({
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
})

/**
 * The headers of one attempt (Standard Webhooks). The id is the event's, the time is the attempt's,
 * and each secret signs `id.timestamp.body` with HMAC-SHA256.
 */
export async function signatureHeaders(
  secrets: string[],
  { id, at, body }: { id: string; at: Date; body: string },
): Promise<Record<string, string>> {
  const identity = identityHeaders(id, at)
  const signed = new TextEncoder().encode(`${id}.${identity["webhook-timestamp"]}.${body}`)
  const signatures = await Promise.all(
    secrets.map(async (secret) => {
      const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (char) => char.charCodeAt(0))
      const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
      const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed))
      return `v1,${btoa(String.fromCharCode(...signature))}`
    }),
  )
  return { ...identity, "webhook-signature": signatures.join(" ") }
}
