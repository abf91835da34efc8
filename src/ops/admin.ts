import { randomBytes } from "node:crypto"
import { text as readStdin } from "node:stream/consumers"
import { parseArgs } from "node:util"
import type pg from "pg"
import type { SystemContext } from "../actor/context.ts"
import { plainJson } from "../base/plain-json.ts"
import { reportLosses } from "../billing/losses.ts"
import { nameOwner } from "../members/name-owner.ts"
import { callOne } from "../platform/db.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"
import { hashPassword } from "../sign-in/password.ts"
import { ADMIN_USAGE } from "./admin-usage.ts"
import { audited, noteAct } from "./audited.ts"
import { reconcileBooks, refund, topUpAccount } from "./books.ts"
import { setBotWebhook } from "./bot-webhook.ts"
import { putBrand } from "./brands.ts"
import { checkModels } from "./check-models.ts"
import { connectOwner } from "./connect-owner.ts"
import { directContext } from "./direct.ts"
import { accessOf } from "./grants.ts"
import { migrateDatabase } from "./migrate-database.ts"
import { PRICE_OPTIONS } from "./price-options.ts"
import { compareBooks, daysOf, seeFindings, showBook, showBooks } from "./provider-books.ts"
import { publishSigningKeys } from "./publish-signing-keys.ts"
import { putModel } from "./put-model.ts"
import { pruneReleases, readRelease } from "./release.ts"
import { resealAll } from "./reseal.ts"
import { markRestored } from "./restored.ts"
import { retireSigningKey } from "./retire-signing-key.ts"
import { createApiKey, createUser, type RunSql } from "./seed.ts"
import { brandOfUser, changeOf, runMagicLink, runSession, runUserChange } from "./users.ts"
import { wakeCron } from "./wake-cron.ts"
import { grantWorkers, workerKeys } from "./workers.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    "after-deploy": { type: "boolean" },
    "keep-days": { type: "string" },
    email: { type: "string" },
    name: { type: "string" },
    admin: { type: "boolean" },
    user: { type: "string" },
    account: { type: "string" },
    usd: { type: "string" },
    note: { type: "string" },
    test: { type: "boolean" },
    scope: { type: "string" },
    worker: { type: "string" },
    renew: { type: "boolean" },
    brand: { type: "string" },
    pin: { type: "string" },
    label: { type: "string" },
    reason: { type: "string" },
    reference: { type: "string" },
    kid: { type: "string" },
    turn: { type: "string" },
    role: { type: "string" },
    url: { type: "string" },
    host: { type: "string", multiple: true },
    landing: { type: "string" },
    "bot-username": { type: "string" },
    "bot-token": { type: "string" },
    ...PRICE_OPTIONS,
    "idle-seconds": { type: "string" },
    days: { type: "string" },
    day: { type: "string" },
    "provider-id": { type: "string" },
    json: { type: "boolean" },
    help: { type: "boolean" },
  },
})

type Needed =
  | "account"
  | "email"
  | "name"
  | "user"
  | "usd"
  | "url"
  | "pin"
  | "brand"
  | "turn"
  | "note"
  | "kid"
  | "reason"

function need(name: Needed): string {
  const value = values[name]
  if (!value) throw new Error(`--${name} is missing.\n\n${ADMIN_USAGE}`)
  return value
}

async function runBooks(ctx: SystemContext): Promise<string> {
  const { day = null, "provider-id": providerId = null, json = false } = values
  const options = { days: daysOf(values.days), providerId, day, json, keys: process.env.SECRETS_KEYS }
  const [, act] = positionals
  if (act === "seen") return seeFindings(ctx, options)
  const show = act === undefined ? showBooks : act === "day" ? showBook : act === "compare" ? compareBooks : undefined
  if (!show) throw new Error(ADMIN_USAGE)
  const { report, hasFindings } = await show(ctx, options)
  if (hasFindings) process.exitCode = 1
  return report
}

async function run(client: pg.Client): Promise<string> {
  const ctx = directContext(client)
  const sql: RunSql = async (query, params) => (await client.query(query, params)).rows
  const now = new Date()
  switch (positionals[0]) {
    case "migrate": {
      const phase = values["after-deploy"] ? "after-deploy" : "before-deploy"
      const log = (line: string) => console.log(line)
      const { text, isBlocked } = await migrateDatabase(client, ctx, { phase, log })
      if (isBlocked) process.exitCode = 1
      return text
    }
    case "grant": {
      const { worker, renew = false } = values
      if (worker) accessOf(worker)
      // Written first, because the new passwords are shown only once.
      await noteAct(ctx, { action: "cli.grant", subject: ["worker", worker ?? "each"], after: { renew } })
      return grantWorkers(client, { worker, renew, databaseUrl: process.env.DATABASE_URL as string })
    }
    case "worker-keys": {
      const ring = process.env.SECRETS_KEYS
      const keys = await workerKeys(ring, values.worker)
      await publishSigningKeys(ctx, ring as string)
      await noteAct(ctx, { action: "cli.worker_keys", subject: ["worker", values.worker ?? "each"] })
      return keys
    }
    case "reseal": {
      const done = await resealAll(client, process.env.SECRETS_KEYS)
      await noteAct(ctx, { action: "cli.reseal", subject: ["keys", "SECRETS_KEYS"], after: { done } })
      return done
    }
    case "retire-signing-key": {
      const [kid, reason] = [need("kid"), need("reason")]
      return audited(
        client,
        ctx,
        () => retireSigningKey(ctx, { kid, reason }),
        (answer) => ({ action: "signing_key.withdraw", subject: ["signing_key", kid], after: { reason, answer } }),
      )
    }
    case "restored": {
      const events = await markRestored(client)
      await noteAct(ctx, { action: "cli.restored", subject: ["events", "all"], after: { events } })
      return `${events} events are prepared.`
    }
    case "prune-releases": {
      const release = await readRelease()
      const pruned = await pruneReleases(client, release, { keepDays: Number(values["keep-days"] ?? 7) })
      await noteAct(ctx, { action: "cli.prune_releases", subject: ["release", release.name], after: { pruned } })
      return pruned.length > 0 ? `Removed: ${pruned.join(", ")}.` : "There was nothing to remove."
    }
    case "user": {
      const password = values.admin ? randomBytes(15).toString("base64url") : undefined
      const user = { email: need("email"), role: values.admin ? "admin" : "user" } as const
      const details = { ...(values.name && { name: values.name }), ...(values.brand && { brand: values.brand }) }
      const secret = password && { passwordHash: await hashPassword(password) }
      const make = () => createUser(sql, { ...user, ...details, ...secret })
      const userId = await audited(client, ctx, make, (id) => ({
        action: "user.create",
        subject: ["user", id],
        after: user,
      }))
      return `user_id ${userId}${password ? `\npassword ${password} (shown once)` : ""}`
    }
    case "disable":
    case "enable":
    case "role":
      return runUserChange(ctx, Number(need("user")), changeOf(positionals[0], values.role))
    case "owner":
      return nameOwner(ctx, { account: Number(need("account")), person: Number(need("user")) })
    case "magic-link":
      await noteAct(ctx, { action: "cli.magic_link", subject: ["user", need("user")] })
      return runMagicLink(ctx, process.env, { userId: Number(need("user")), origin: need("url") })
    case "session":
      return runSession(ctx, process.env.SECRETS_KEYS, Number(need("user")))
    case "reset-factor": {
      const reset = { user_id: Number(need("user")), by: null, request_id: ctx.requestId, address: null }
      const row = await callOne(ctx.db, "drop_second_factor", { ...reset, moment: now })
      return row.drop_second_factor ? "The second factor was removed." : "The user has no second factor."
    }
    case "top-up": {
      const { reason, note, reference } = values
      const credit = { user: need("user"), usd: need("usd"), reason, note, reference }
      const book = () => topUpAccount(ctx, credit)
      return audited(client, ctx, book, () => ({
        action: "user.credit",
        subject: ["user", credit.user],
        after: credit,
      }))
    }
    case "refund": {
      const [turn, note] = [need("turn"), need("note")]
      const giveBack = () => refund(ctx, { turn, note })
      return audited(client, ctx, giveBack, (answer) => ({
        action: "turn.refund",
        subject: ["turn", turn],
        after: { note, answer },
      }))
    }
    case "reconcile": {
      await noteAct(ctx, { action: "books.reconcile", subject: ["reconciliation", "cli"] })
      const { report, sound } = await reconcileBooks(ctx)
      if (!sound) process.exitCode = 1
      return report
    }
    case "losses":
      return plainJson(await reportLosses(ctx, Number(values.days ?? 30)), 2)
    case "key": {
      const { scope = "created" } = values
      if (scope !== "created" && scope !== "all") throw new Error("--scope must be created or all.")
      const key = {
        userId: Number(need("user")),
        name: need("name"),
        scope,
        brand: values.brand ?? (await brandOfUser(ctx, Number(need("user")))),
        test: values.test ?? false,
        now,
      } as const
      const { key_id, value } = await audited(
        client,
        ctx,
        () => createApiKey(sql, key),
        (made) => ({ action: "key.create", subject: ["key", made.key_id], after: { ...key, now: undefined } }),
      )
      return `key_id ${key_id}\nkey    ${value} (shown once)`
    }
    case "brand": {
      const { host, landing, "bot-username": botUsername, "bot-token": token } = values
      const botToken = token === "-" ? (await readStdin(process.stdin)).trim() : token
      return putBrand(ctx, {
        brand: need("brand"),
        ...(host && { hosts: host.flatMap((hosts) => hosts.split(",")) }),
        ...(landing && { landingPath: landing }),
        ...(botUsername && { botUsername }),
        ...(botToken && { botToken }),
        keys: process.env.SECRETS_KEYS,
      })
    }
    case "bot-webhook": {
      const apiUrl = process.env.BOT_API_URL ?? "https://api.telegram.org"
      const host = values.host?.[0] ?? null
      await noteAct(ctx, { action: "cli.bot_webhook", subject: ["brand", need("brand")], after: { host } })
      return setBotWebhook(ctx, { brand: need("brand"), host, keys: process.env.SECRETS_KEYS, apiUrl, fetch })
    }
    case "model": {
      const put = () => putModel(ctx, need("pin"), values)
      await audited(client, ctx, put, (after) => ({ action: "model.enable", subject: ["model", need("pin")], after }))
      return `${need("pin")} is enabled.`
    }
    case "models": {
      if (positionals[1] !== "check") throw new Error(ADMIN_USAGE)
      const { report, hasFindings } = await checkModels(ctx, { json: values.json ?? false })
      if (hasFindings) process.exitCode = 1
      return report
    }
    case "books":
      return runBooks(ctx)
    default:
      throw new Error(ADMIN_USAGE)
  }
}

if (values.help || positionals[0] === "help") {
  console.log(ADMIN_USAGE)
  process.exit()
}
try {
  if (!process.env.DATABASE_URL)
    throw new Error(`Set DATABASE_URL to the database's direct connection string.\n\n${ADMIN_USAGE}`)
  const client = await connectOwner(process.env.DATABASE_URL, TIME_LIMITS.connectMs)
  try {
    console.log(await run(client))
    const warning = await wakeCron(process.env)
    if (warning) console.error(warning)
  } finally {
    await client.end()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
