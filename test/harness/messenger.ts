import { createHmac } from "node:crypto"
import { putBrand } from "../../src/ops/brands.ts"
import { authContextOf } from "./auth.ts"
import type { World } from "./world.ts"

// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
type AnyJson = any
type Headings = Record<string, string>

export interface TestBot {
  brand: string
  host: string
  token: string
  secret: string
}

/** A brand with its own bot and its own host. */
export async function createBot(world: World, brand: string, token = `${Math.floor(Math.random() * 1e9)}:${brand}`) {
  const host = `${brand}.test`
  const change = { brand, hosts: [host], botUsername: `${brand}_bot`, botToken: token }
  const printed = await putBrand(authContextOf(world), { ...change, keys: world.env.SECRETS_KEYS })
  const secret = /webhook secret (\S+)/.exec(printed)?.[1] ?? ""
  return { brand, host, token, secret } satisfies TestBot
}

/** Signs launch data as the platform does. */
export function signLaunch(fields: Record<string, string>, token: string): string {
  const checked = Object.keys(fields).sort()
  const text = checked.map((name) => `${name}=${fields[name]}`).join("\n")
  const secret = createHmac("sha256", "WebAppData").update(token).digest()
  const hash = createHmac("sha256", secret).update(text).digest("hex")
  return new URLSearchParams({ ...fields, hash }).toString()
}

/** Launch data that was signed at the current time. */
export function launchOf(world: World, bot: TestBot, id: number, fields: Record<string, string> = {}): string {
  const user = JSON.stringify({ id, first_name: "Ada", last_name: "Lovelace", language_code: "en" })
  const auth_date = String(Math.floor(world.clock.ms() / 1000))
  return signLaunch({ query_id: crypto.randomUUID(), user, auth_date, signature: "x", ...fields }, bot.token)
}

/** A browser on a brand's host. It keeps its cookies. */
export function browserAt(world: World, host: string, always: Headings = {}) {
  const cookies = new Map<string, string>()

  async function call(method: string, path: string, body?: unknown, headers: Headings = {}): Promise<Response> {
    const sent = new Headers({ "sec-fetch-site": "same-origin", ...always, ...headers })
    if (cookies.size > 0) sent.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "))
    if (body !== undefined) sent.set("content-type", "application/json")
    const init = { method, headers: sent, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await world.invoke(new Request(`https://${host}${path}`, init))
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      value === "" ? cookies.delete(name) : cookies.set(name, value)
    }
    return response
  }

  return {
    cookies,
    call,
    async json(method: string, path: string, body?: unknown, headers?: Headings): Promise<[number, AnyJson]> {
      const response = await call(method, path, body, headers)
      return [response.status, await response.json()]
    },
  }
}

let updates = 1000

/** Posts an update to a bot's webhook and returns the bot's answer. */
export function chatWith(
  world: World,
  bot: TestBot,
  id: number,
  { secret = bot.secret, host = bot.host, address }: { secret?: string; host?: string; address?: string } = {},
) {
  const from = { id, is_bot: false, first_name: "Ada", last_name: "Lovelace" }
  const chat = { id, type: "private", first_name: "Ada" }

  async function post(update: object): Promise<[number, AnyJson]> {
    const response = await world.invoke(
      new Request(`https://${host}/api/auth/bot`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-telegram-bot-api-secret-token": secret,
          ...(address && { "cf-connecting-ip": address }),
        },
        body: JSON.stringify(update),
      }),
    )
    return [response.status, await response.json()]
  }

  const messageOf = (text: string, changes: object = {}) => ({
    update_id: ++updates,
    message: { message_id: 1, date: 1_700_000_000, from, chat, text, entities: [], ...changes },
  })
  return {
    post,
    messageOf,
    say: (text: string, changes?: object) => post(messageOf(text, changes)),
    pressOf: (data: string) => ({
      update_id: ++updates,
      callback_query: { id: "1", from, chat_instance: "1", message: { message_id: 2, date: 1, chat, text: "…" }, data },
    }),
    press: (data: string) =>
      post({
        update_id: ++updates,
        callback_query: {
          id: "1",
          from,
          chat_instance: "1",
          message: { message_id: 2, date: 1, chat, text: "…" },
          data,
        },
      }),
  }
}

export const usersOf = (world: World, bot: TestBot, id: number) =>
  world.sql<{ user_id: number; name: string }>(
    "select u.user_id::int, u.name from identities i join users u using (user_id) where issuer = $1 and subject = $2",
    [`messenger:${bot.brand}`, String(id)],
  )

export const sessionsOf = async (world: World, userId: number | undefined) =>
  (await world.sql("select 1 from sessions where user_id = $1", [userId])).length
