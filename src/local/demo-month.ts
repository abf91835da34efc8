import { randomUUID } from "node:crypto"
import type pg from "pg"
import { MICROS_PER_USD } from "../base/money.ts"
import { connectOwner } from "../ops/connect-owner.ts"
import { createApiKey, createUser, type RunSql, subscribe, topUp } from "../ops/seed.ts"
import { keepBook } from "./demo-book.ts"
import { answerWorkshop, equipWorkshop, isRefused, JOBS, openChat, WORKSHOP } from "./demo-extras.ts"
import { CUSTOMERS, DEMO_SPACES, LATER_INSTRUCTIONS, RESALE, TALKS } from "./demo-story.ts"
import type { Namespace } from "./namespace.ts"
import { createPastWorker } from "./past-worker.ts"
import { eventsOf, quotaHeaders, type Said } from "./provider-models.ts"

const DAYS = 31
const DAY_MS = 86_400_000
const TURNS_A_DAY = 36
/** The relative number of turns in each hour of a day: fewest in the early morning, most in the afternoon. */
const HOURS = [3, 2, 1, 1, 1, 2, 4, 8, 13, 17, 19, 18, 16, 18, 20, 19, 17, 14, 11, 9, 8, 7, 5, 4]
const [HOOKS, SHOP] = ["https://hooks.example.com/turnpike", "https://shop.example.com/orders/{{input.id}}"]
const PLANS = { pro: { label: "Pro", included_credit_usd: 20, daily_cap_usd: 50 } }

interface Customer {
  key: string
  spaces: { id: string; weight: number; looks: boolean }[]
  share: number
  endUsers: number
}

interface LocalVariables {
  CALLBACKS_URL: string
  SECRETS_KEYS: string
  UPSTASH_REDIS_REST_URL: string
  UPSTASH_REDIS_REST_TOKEN: string
}

interface DemoMonth {
  demoKey: string
  /** The variables of the worker that `npm start` serves. */
  variables: LocalVariables
  providerUrl: string
  now: Date
  /** Default: a month. */
  days?: number
}

/**
 * Generates a month of usage that ends now, with several accounts, tools, webhooks, caps and failures. The service
 * itself runs each turn at its moment against a simulated model, so bills, ledger and reports are consistent. Does
 * nothing if the database has turns that are older than a day.
 */
export async function liveDemoMonth(
  namespace: Namespace,
  { demoKey, variables, providerUrl, now, days = DAYS }: DemoMonth,
  say: (line: string) => void,
): Promise<void> {
  const client = await connectOwner(namespace.databaseUrl)
  const sql: RunSql = async (query, params) => (await client.query(query, params)).rows
  try {
    const begins = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS)
    const lived = await sql("select 1 from turns where created_at < $1 limit 1", [new Date(now.getTime() - DAY_MS)])
    if (lived.length > 0) return
    const chance = createChance()
    const past = createPastWorker(namespace, { ...variables }, (request) => pretend(request))
    const load = { calls: 0 }

    async function pretend(request: Request): Promise<Response | undefined> {
      const { origin, hostname } = new URL(request.url)
      if (origin === providerUrl) return answerCall(request)
      const made =
        (await book.answer(request)) ?? (await answerWorkshop(request.clone() as Request, past.clock.now().getTime()))
      if (made) return made
      if (hostname === "hooks.example.com") return new Response(null, { status: chance() < 0.04 ? 503 : 204 })
      if (hostname === "shop.example.com") {
        if (chance() < 0.05) return Response.json({ error: "no such order" }, { status: 404 })
        return Response.json({ id: request.url.split("/").at(-1), status: "shipped", carrier: "post", days: 2 })
      }
      return undefined
    }

    async function answerCall(request: Request): Promise<Response> {
      load.calls++
      past.clock.pass(Math.round(400 + 6000 * chance() ** 3))
      const kind = request.headers.has("anthropic-version") ? "messages" : "completions"
      const moment = past.clock.now().getTime()
      const used = 5 + 80 * ((moment % (5 * 3_600_000)) / (5 * 3_600_000)) * (0.5 + chance() / 2)
      if (chance() < 0.012)
        return Response.json({ error: { type: "overloaded_error", message: "Busy" } }, { status: 529 })
      const { model, messages, tools, service_tier } = (await request.json()) as {
        model: string
        service_tier?: string
        messages: { role: string; content: unknown }[]
        tools?: { function: { name: string } }[]
      }
      const last = JSON.stringify(messages.at(-1))
      if (isRefused(last, chance)) return Response.json({ error: { message: "Refused" } }, { status: 400 })
      const said = answerTo(last, kind === "completions" ? tools : undefined, chance)
      const headers = { "content-type": "text/event-stream", ...quotaHeaders(kind, Math.round(used), moment) }
      return new Response(eventsOf(kind, model, { ...said, tier: service_tier }).join(""), { headers })
    }

    const book = await keepBook(sql, { keys: variables.SECRETS_KEYS, begins, now })
    await past.moveTo(begins)
    const customers = await openAccounts(sql, past, { demoKey, begins })
    const workshop = await openWorkshop({
      client,
      sql,
      past,
      demoKey,
      variables: { ...variables, ...namespace.env },
      begins,
    })
    for (let day = 0; day < days; day++) {
      const midnight = begins.getTime() + day * DAY_MS
      const weekend = new Date(midnight).getUTCDay() % 6 === 0
      const wanted = Math.round(
        TURNS_A_DAY * (weekend ? 0.4 : 1) * (0.6 + (0.8 * day) / days) * (0.85 + 0.3 * chance()),
      )
      const moments = Array.from({ length: wanted }, () => midnight + momentOfDay(chance)).sort((a, b) => a - b)
      for (const moment of moments) {
        if (moment > now.getTime()) break
        await past.moveTo(new Date(moment))
        await sendTurn(past, customers, chance)
      }
      await workshop.work(day)
      if (day === 12) await improveSupport(past, customers[0] as Customer)
      await past.moveTo(new Date(Math.min(midnight + DAY_MS - 1000, now.getTime())))
      await past.sweep()
      if (day % 10 === 9) say(`  … ${day + 1} of ${days} days, ${load.calls} model calls`)
    }
    await past.drain()
    await workshop.close()
    await book.close()
  } finally {
    await client.end()
  }
}

type Chance = () => number
type Past = ReturnType<typeof createPastWorker>

/** A generator with a fixed seed, so that each run generates the same demo data. */
function createChance(): Chance {
  let state = 20_261
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) / 0x7fffff
  }
}

function pick<Item>(items: readonly Item[], weightOf: (item: Item) => number, chance: Chance): Item {
  let left = chance() * items.reduce((sum, item) => sum + weightOf(item), 0)
  for (const item of items) {
    left -= weightOf(item)
    if (left < 0) return item
  }
  return items.at(-1) as Item
}

function momentOfDay(chance: Chance): number {
  const hours = HOURS.map((weight, hour) => ({ weight, hour }))
  return (pick(hours, ({ weight }) => weight, chance).hour + chance()) * 3_600_000
}

function answerTo(last: string, tools: { function: { name: string } }[] | undefined, chance: Chance): Said {
  const [input, output] = [900 + Math.round(9000 * chance() ** 2), 40 + Math.round(400 * chance())]
  const tokens = { input, cached: Math.round(input * 0.8 * chance()), output }
  const job = JOBS.find(({ asks }) => last.includes(asks))
  if (job && tools?.some(({ function: { name } }) => name === job.call.name))
    return { words: [], ...tokens, call: job.call }
  const talk = job ?? TALKS.find(({ asks }) => last.includes(asks))
  const tool = tools?.find(({ function: { name } }) => name === "lookup_order")
  if (talk && "looks" in talk && talk.looks && tool) {
    const id = /A-\d+/.exec(talk.asks)?.[0] ?? "A-1"
    return { words: [], ...tokens, call: { name: tool.function.name, arguments: { id } } }
  }
  const says = talk?.says ?? "It is on its way, and should be with you in two days."
  return { words: says.split(/(?= )/), ...tokens }
}

/** A request of an owner's server. */
async function call(past: Past, key: string, method: string, path: string, body?: object): Promise<Response> {
  return past.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(method === "POST" && { "idempotency-key": randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/** The same, but throws if the service rejects the request. */
async function must(past: Past, key: string, method: string, path: string, body: object): Promise<unknown> {
  const response = await call(past, key, method, path, body)
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${await response.text()}`)
  return response.json().catch(() => null)
}

async function openAccounts(
  sql: RunSql,
  past: Past,
  { demoKey, begins }: { demoKey: string; begins: Date },
): Promise<Customer[]> {
  const customers: Customer[] = []
  for (const { name, credit, plan, share, endUsers } of CUSTOMERS) {
    const [known] = await sql("select user_id::float8 as user_id from users where name = $1 order by user_id limit 1", [
      name,
    ])
    const email = `${name.toLowerCase()}@customers.test`
    const userId = known ? (known.user_id as number) : await createUser(sql, { name, email })
    await sql("update users set created_at = $2 where user_id = $1", [userId, begins])
    const money = { userId, micros: credit * MICROS_PER_USD, actor: "npm start", now: begins }
    await topUp(sql, { ...money, reason: "credit_purchase", note: "Paid by card" })
    if (plan === "pro") await subscribe(sql, { userId, plan, plans: PLANS, now: begins })
    const isDemo = name === "Demo"
    const made = { userId, brand: "turnpike", name: `${name}, server`, scope: "all", now: begins } as const
    const key = isDemo ? demoKey : (await createApiKey(sql, made)).value
    const spaces: Customer["spaces"] = []
    for (const space of isDemo ? DEMO_SPACES : DEMO_SPACES.slice(0, 1 + (userId % 2))) {
      const title = isDemo ? space.title : `${name} ${space.title.toLowerCase()}`
      const tier = "serviceTier" in space ? { service_tier: space.serviceTier } : {}
      const config = { title, model: space.model, manifest: { instructions: space.instructions, ...tier } }
      const { space_id } = (await must(past, key, "POST", "/v1/spaces", config)) as { space_id: string }
      if (space.hasTool) await addTool(past, key, space_id)
      spaces.push({ id: space_id, weight: space.weight, looks: space.hasTool })
    }
    customers.push({ key, spaces, share, endUsers })
  }
  const [demo] = customers as [Customer]
  await must(past, demo.key, "POST", "/v1/webhooks", { url: HOOKS, events: ["turn.done", "turn.failed"] })
  await past.drain()
  await must(past, demo.key, "PUT", "/v1/end-users/customer-1003/limits", { daily_usd: 0.05 })
  await must(past, demo.key, "PUT", "/v1/end-users/customer-1007/limits", { blocked: true })
  for (const [method, path, body] of RESALE) await must(past, demo.key, method, path, body)
  return customers
}

async function addTool(past: Past, key: string, space: string): Promise<void> {
  await must(past, key, "PUT", `/v1/spaces/${space}/secrets/ORDERS_TOKEN`, { value: "not-a-real-token" })
  await must(past, key, "PUT", `/v1/spaces/${space}/tools/lookup_order`, {
    description: "Finds an order by its id.",
    input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    request: { method: "GET", url: SHOP, headers: { authorization: "Bearer {{secrets.ORDERS_TOKEN}}" } },
  })
}

interface Workshop {
  client: pg.Client
  sql: RunSql
  past: Past
  demoKey: string
  variables: LocalVariables
  begins: Date
}

/** Creates the workshop. `work` sends two turns with the demo's key and one by the web chat. */
async function openWorkshop({ client, sql, past, demoKey, variables, begins }: Workshop) {
  const { space_id: space } = (await must(past, demoKey, "POST", "/v1/spaces", WORKSHOP)) as { space_id: string }
  const close = await equipWorkshop(sql, { space, keys: variables.SECRETS_KEYS, now: begins })
  const [owner] = await sql("select user_id::float8 as user_id from spaces where slug = $1", [space])
  const chat = openChat(client, past, { userId: owner?.user_id as number, redis: variables })
  async function work(day: number): Promise<void> {
    for (const at of [day, day + 1]) {
      const text = JOBS[at % JOBS.length]?.asks ?? JOBS[0].asks
      const accepted = await call(past, demoKey, "POST", "/v1/turns", { space, end_user_ref: "newsletter", text })
      await past.drain()
      const { turn_id: id } = (await accepted.json()) as { turn_id: string }
      const { outputs = [] } = (await (await call(past, demoKey, "GET", `/v1/turns/${id}`)).json()) as {
        outputs?: { file_id: string }[]
      }
      for (const { file_id } of outputs) await call(past, demoKey, "DELETE", `/v1/files/${file_id}`)
    }
    // No job that generates an image: only the files of the key's turns are deleted.
    await chat(space, JOBS[day % 2]?.asks ?? JOBS[0].asks)
  }
  return { work, close }
}

/** Changes the instructions of a space, so that the page of its versions has an entry. */
async function improveSupport(past: Past, { key, spaces }: Customer): Promise<void> {
  const [support] = spaces
  await must(past, key, "PUT", `/v1/spaces/${support?.id}/manifest`, { instructions: LATER_INSTRUCTIONS })
}

async function sendTurn(past: Past, customers: Customer[], chance: Chance): Promise<void> {
  const customer = pick(customers, ({ share }) => share, chance)
  const space = pick(customer.spaces, ({ weight }) => weight, chance)
  const talk = pick(TALKS, ({ looks }) => (looks === space.looks ? 3 : 1), chance)
  const number = Math.floor(customer.endUsers ** chance())
  const [ref, metadata] = [`customer-${1000 + number}`, { topic: talk.topic }]
  const turn = { space: space.id, end_user_ref: ref, text: talk.asks, metadata }
  // A cap, a block or an empty balance may reject the turn. Reports show such rejections too.
  await call(past, customer.key, "POST", "/v1/turns", turn)
  await past.drain()
}
