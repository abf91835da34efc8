import type pg from "pg"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { directContext } from "../ops/direct.ts"
import type { RunSql } from "../ops/seed.ts"
import { Meter } from "../platform/meter.ts"
import { createRedis } from "../platform/redis.ts"
import { sealCredential } from "../providers/credential.ts"
import { mintMagicLink } from "../sign-in/sign-in-token.ts"
import type { createPastWorker } from "./past-worker.ts"

type Past = ReturnType<typeof createPastWorker>

const [SANDBOX, PICTURES] = ["sandbox.example.com", "pictures.example.com"]
const DAY_MS = 86_400_000
const IMAGE_PIN = "openai-compatible/pictures"
const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010806000000", "hex")

const RESEARCHER = {
  name: "researcher",
  description: "Looks things up in the catalogue.",
  instructions: "You look one thing up in the catalogue of the shop, and answer in one sentence.",
}

/**
 * A space whose agent delegates, generates images and uses a container. It fills the columns of reports that the other
 * spaces leave empty.
 */
export const WORKSHOP = {
  title: "Workshop",
  model: "openai-compatible/demo",
  manifest: {
    instructions: "You prepare texts and pictures for the shop's newsletter.",
    builtin_tools: ["generate_image"],
    subagents: [RESEARCHER],
  },
}

/** The requests to the agent of the workshop, and the tool that it calls first for each. */
export const JOBS = [
  {
    asks: "Compare our three brightest lamps for the newsletter.",
    call: { name: "delegate", arguments: { agent: RESEARCHER.name, task: "How bright is each of our lamps?" } },
    says: "The Arc 40 leads with 1,800 lumens, before the Desk 12 and the Nook.",
  },
  {
    asks: "Count the words of last week's newsletter.",
    call: { name: "container__run", arguments: { command: "wc -w newsletter.txt" } },
    says: "It has 412 words, 30 more than the one before.",
  },
  {
    asks: "Draw a card for the winter sale.",
    call: { name: "generate_image", arguments: { prompt: "a lamp in the snow" } },
    says: "Here is the card: a lamp in the snow.",
  },
] as const

/** True if the model provider rejects this call. This happens to some calls of the sub-agent. */
export const isRefused = (last: string, chance: () => number) =>
  last.includes(JOBS[0].call.arguments.task) && chance() < 0.12

/**
 * Answers as the workshop's container, which fails on some days, and as the images endpoint; undefined for other hosts.
 */
export async function answerWorkshop(request: Request, moment: number): Promise<Response | undefined> {
  const { hostname } = new URL(request.url)
  if (hostname === PICTURES) return Response.json({ created: 1, data: [{ b64_json: PNG.toString("base64") }] })
  if (hostname !== SANDBOX) return undefined
  const day = Math.floor(moment / DAY_MS)
  if (request.method !== "POST") return new Response(null, { status: request.method === "DELETE" ? 200 : 405 })
  const { id, method, params } = (await request.json()) as {
    id?: number
    method: string
    params?: { protocolVersion?: string }
  }
  if (id === undefined) return new Response(null, { status: 202 })
  if (day % 9 === 4 || (method === "tools/call" && day % 7 === 3)) return new Response(null, { status: 503 })
  const run = { name: "run", description: "Runs a command in the workshop's folder.", inputSchema: { type: "object" } }
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: params?.protocolVersion ?? "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "sandbox", version: "1" },
    },
    "tools/list": { tools: [run] },
    "tools/call": { content: [{ type: "text", text: "412 newsletter.txt" }] },
  }
  return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} })
}

/**
 * Maps the workshop's space to its container, and adds a model and a provider account for images. Returns a function
 * that disables or deletes them again.
 */
export async function equipWorkshop(
  sql: RunSql,
  { space, keys, now }: { space: string; keys: string; now: Date },
): Promise<() => Promise<void>> {
  await sql(
    `insert into container_mappings (container, space_id, url, created_at, updated_at)
     select 'sandbox', space_id, $2, $3, $3 from spaces where slug = $1`,
    [space, `https://${SANDBOX}/mcp`, now],
  )
  await sql(
    `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output, kind, price_image)
     values ($1, 'openai-compatible', 'pictures', 'Demo, pictures', true, 200, 0, 0, 0, 'image', 400000) on conflict (pin) do nothing`,
    [IMAGE_PIN],
  )
  await sql(
    `insert into provider_accounts (provider_id, pool, name, kind, engine, base_url, created_at, updated_at)
     values ('media', 'media', 'Demo, pictures', 'oauth_code', 'openai-compatible', $1, $2, $2) on conflict do nothing`,
    [`https://${PICTURES}/v1`, now],
  )
  await sql("insert into provider_states (provider_id) values ('media') on conflict do nothing", [])
  const keyRing = createKeyRing(parseKeyRing(keys))
  const sealed = await sealCredential({ keyRing }, "media", { kind: "api_key", api_key: "not-a-real-key" })
  await sql(
    "insert into provider_credentials (provider_id, sealed, updated_at) values ('media', $1, $2) on conflict do nothing",
    [sealed, now],
  )
  // These servers do not exist, so turns after the month must not call them.
  return async () => {
    await sql("update container_mappings set enabled = false where url = $1", [`https://${SANDBOX}/mcp`])
    await sql("update model_catalog set enabled = false where pin = $1", [IMAGE_PIN])
    await sql("delete from provider_credentials where provider_id = 'media'", [])
    await sql("delete from provider_states where provider_id = 'media'", [])
    await sql("delete from provider_accounts where provider_id = 'media'", [])
  }
}

/**
 * Returns a function that sends a turn of the web chat as this user, with a new sign-in by magic link for each turn.
 */
export function openChat(
  client: pg.Client,
  past: Past,
  { userId, redis }: { userId: number; redis: { UPSTASH_REDIS_REST_URL: string; UPSTASH_REDIS_REST_TOKEN: string } },
) {
  const ctx = { ...directContext(client), clock: past.clock, redis: createRedis(redis, new Meter()) }
  const post = (path: string, body: object, cookie = "") =>
    past.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie },
      body: JSON.stringify(body),
    })
  return async (space: string, text: string): Promise<void> => {
    const { url } = await mintMagicLink(ctx, { userId, origin: past.origin })
    const signedIn = await post("/api/auth/magic", { token: url.split("#token=")[1] })
    const cookie = signedIn.headers
      .getSetCookie()
      .find((one) => one.startsWith("token="))
      ?.split(";")[0]
    if (!signedIn.ok) throw new Error(`The demo's owner cannot sign in: HTTP ${signedIn.status}`)
    const answer = await post("/api/account/chat/turns", { space, text }, cookie)
    if (!answer.ok) throw new Error(`The web chat: HTTP ${answer.status} ${await answer.text()}`)
    await past.drain()
  }
}
