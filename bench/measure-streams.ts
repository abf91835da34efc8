import { startChild } from "./child.ts"
import { startGateway } from "./gateway.ts"
import type { BenchAccount } from "./load.ts"
import type { ModelQuestion } from "./model-process.ts"
import type { Options } from "./options.ts"
import { memoryMb, startCpuMeter } from "./processes.ts"
import { createSite, type Site, useBenchModel } from "./site.ts"
import type { Question, StatementTimes } from "./stand-ins-process.ts"
import { round, timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

/** The pieces that the model sends. Each is the time at which it was sent. */
const PIECES = 400
const FOLLOWERS = [0, 1, 3]
/** `ms`: of an answer. `crowds`: how many requests run their turns at the same moment. */
const SIZES = {
  full: { ms: 6_000, rounds: 3, crowds: [1, 50, 500] },
  smoke: { ms: 400, rounds: 1, crowds: [1, 2] },
}

const wallNow = () => performance.timeOrigin + performance.now()

/** The times of one reader, in ms. `behind`: from the moment at which the provider sent a piece until it was read. */
interface Reading {
  first: number
  behind: number[]
  gaps: number[]
  end: number
  pieces: number
}

/** Measures how text reaches readers on each way, and what a streamed turn costs with some followers. */
export async function measureStreams(world: BenchWorld, { size }: Options) {
  const { ms, rounds, crowds } = SIZES[size]
  const model = startChild("model-process.ts", {})
  world.keep(model.stop)
  const url = await model.ask<string>({ pieces: PIECES, ms, isStamped: true } satisfies ModelQuestion)
  const bindings = { OPENAI_BASE_URL: url, OPENAI_API_KEY: "bench", TURN_SLOTS: "1000", END_USER_TURN_SLOTS: "1000" }
  const site = await createSite(world, "streams", { runs: true, bindings, timed: true })
  await useBenchModel(site)
  const [account] = site.accounts as [BenchAccount]
  const gateway = await startGateway(world, url)
  const ways: Record<string, () => Promise<Record<string, Reading>>> = {
    direct: async () => ({ direct: await readDirectly(url) }),
    gateway: async () => ({ "another gateway": await readDirectly(gateway.url, gateway.headers) }),
    chat: async () => ({ "chat completions": await readOpenAi(site, account, "chat/completions") }),
    responses: async () => ({ responses: await readOpenAi(site, account, "responses") }),
    events: () => readEvents(site, account),
    "in place": () => readInPlace(site, account),
  }
  const readings = new Map<string, Reading[]>()
  for (let nth = 0; nth <= rounds; nth++) {
    for (const read of Object.values(ways)) {
      for (const [way, reading] of Object.entries(await read())) {
        // The first round only warms up.
        if (nth > 0) readings.set(way, [...(readings.get(way) ?? []), reading])
      }
    }
  }
  const costs: Record<string, unknown> = {}
  for (const how of ["queued", "waited", "in place"] as const) {
    for (const followers of how === "queued" || how === "in place" ? FOLLOWERS : [0]) {
      costs[`${how}, ${followers} followers`] = await costOf(world, site, account, { how, followers })
    }
  }
  for (const streams of crowds) {
    costs[`${streams} at once`] = await readCrowd(site, account, streams, ms / 2)
    const through = () => readDirectly(gateway.url, gateway.headers)
    const { whole, cpu_ms_each, memory_mb_each, figures } = await crowdOf(streams, through, [gateway.pid], ms / 2)
    costs[`another gateway, ${streams} at once`] = { ...figures, whole, cpu_ms_each, memory_mb_each }
  }
  return { ...Object.fromEntries([...readings].map(([way, all]) => [way, figuresOf(all)])), ...costs }
}

const middleOf = (values: number[]) => round([...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN, 1)

function figuresOf(all: Reading[]) {
  const behind = timesOf(all.flatMap((one) => one.behind))
  return {
    first: middleOf(all.map(({ first }) => first)),
    gap_mean: middleOf(all.map(({ gaps }) => gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length)),
    gap_longest: middleOf(all.map(({ gaps }) => Math.max(...gaps))),
    behind_p50: behind.p50,
    behind_p99: behind.p99,
    behind_most: middleOf(all.map((one) => Math.max(...one.behind))),
    end: middleOf(all.map(({ end }) => end)),
    pieces: middleOf(all.map(({ pieces }) => pieces)),
  }
}

const AUTHORIZED = ({ key }: BenchAccount) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

async function readDirectly(url: string, headers: Record<string, string> = {}): Promise<Reading> {
  const body = JSON.stringify({ model: "bench", stream: true, messages: [{ role: "user", content: "Hello" }] })
  const began = wallNow()
  const response = await fetch(`${url}/chat/completions`, { method: "POST", headers, body })
  return read(response, began, textOfChat)
}

async function readOpenAi({ runtime }: Site, account: BenchAccount, path: "chat/completions" | "responses") {
  const asked = path === "responses" ? { input: "Hello" } : { messages: [{ role: "user", content: "Hello" }] }
  const body = JSON.stringify({ model: account.space, stream: true, user: crypto.randomUUID(), ...asked })
  const began = wallNow()
  const response = await fetch(`${runtime.url}/v1/openai/${path}`, {
    method: "POST",
    headers: { ...AUTHORIZED(account), "idempotency-key": crypto.randomUUID() },
    body,
  })
  return read(response, began, path === "responses" ? textOfResponse : textOfChat)
}

function post(site: Site, account: BenchAccount, query = "", headers: Record<string, string> = {}) {
  const key = headers["idempotency-key"] ?? crypto.randomUUID()
  return fetch(`${site.runtime.url}/v1/turns${query}`, {
    method: "POST",
    headers: { ...AUTHORIZED(account), ...headers, "idempotency-key": key },
    body: JSON.stringify({ space: account.space, end_user_ref: key, text: "Hello" }),
  })
}

async function sendTurn(site: Site, account: BenchAccount, query = ""): Promise<string> {
  const response = await post(site, account, query)
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as { turn_id: string }).turn_id
}

/** Sends a turn as a stream, again and again while the service is too busy, as clients do. */
async function sendStream(site: Site, account: BenchAccount): Promise<Response> {
  const headers = { accept: "text/event-stream", "idempotency-key": crypto.randomUUID() }
  for (;;) {
    const response = await post(site, account, "", headers)
    if (response.status !== 503) return response
    await new Promise((done) => setTimeout(done, 1_000))
  }
}

const follow = ({ runtime }: Site, account: BenchAccount, turnId: string) =>
  fetch(`${runtime.url}/v1/turns/${turnId}/events`, {
    headers: { ...AUTHORIZED(account), accept: "text/event-stream" },
  })

/** The events of a turn, as its sender reads them and as a browser with a watch token does, a moment later. */
async function readEvents(site: Site, account: BenchAccount): Promise<Record<string, Reading>> {
  const began = wallNow()
  const turnId = await sendTurn(site, account)
  const sender = follow(site, account, turnId).then((response) => read(response, began, textOfEvent))
  const made = await fetch(`${site.runtime.url}/v1/turns/${turnId}/watch-tokens`, {
    method: "POST",
    headers: AUTHORIZED(account),
    body: "{}",
  })
  const { url } = (await made.json()) as { url: string }
  const watched = await fetch(url, { headers: { accept: "text/event-stream" } })
  const [events, follower] = await Promise.all([sender, read(watched, began, textOfEvent)])
  return { events, "follower with a token": follower }
}

/** The events of a turn in place, as its sender reads them and as a follower does, a moment later. */
async function readInPlace(site: Site, account: BenchAccount): Promise<Record<string, Reading>> {
  const began = wallNow()
  const response = await sendStream(site, account)
  const turnId = (response.headers.get("location") ?? "").split("/").at(-1) ?? ""
  const followed = follow(site, account, turnId).then((one) => read(one, began, textOfEvent))
  const [own, follower] = await Promise.all([read(response, began, textOfEvent), followed])
  return { "in place": own, "follower of a turn in place": follower }
}

/** Requests that run their turns at the same moment, in one isolate. */
async function readCrowd(site: Site, account: BenchAccount, streams: number, middleMs: number) {
  const readOne = async () => {
    const began = wallNow()
    return read(await sendStream(site, account), began, textOfEvent)
  }
  const worker = site.groups.worker ?? []
  const { whole, cpu_ms_each, memory_mb_each, figures } = await crowdOf(streams, readOne, worker, middleMs)
  const [row] = await site.sql<{ count: number }>(
    `select count(*)::int as count from (select t.* from turns t order by t.created_at desc limit $1) t
     where t.claim_message = t.turn_id`,
    [streams],
  )
  return { ...figures, whole, in_place: row?.count, worker_cpu_ms_each: cpu_ms_each, memory_mb_each }
}

/** Many streams at once, and what they cost these processes. Memory: of the first one, in the middle. */
async function crowdOf(streams: number, readOne: () => Promise<Reading>, pids: number[], middleMs: number) {
  const [pid = 0] = pids
  const before = await memoryMb(pid)
  const stop = await startCpuMeter({ own: pids })
  // A stream that was refused after its turn was accepted comes too late for the text, which is then in the result.
  const reading = Promise.allSettled(Array.from({ length: streams }, readOne))
  await new Promise((done) => setTimeout(done, middleMs))
  const memory = await memoryMb(pid)
  const all = (await reading).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
  const { cpu } = await stop()
  return {
    figures: figuresOf(all),
    whole: all.length,
    cpu_ms_each: round(((cpu.own ?? Number.NaN) * 1000) / streams, 1),
    memory_mb_each: round((memory - before) / streams, 2),
  }
}

/** Reads a stream to its end, and compares the stamps in its text with the times at which they arrived. */
async function read(response: Response, began: number, textOf: (data: unknown) => string): Promise<Reading> {
  if (!response.ok || !response.body) throw new Error(await response.text())
  const decoder = new TextDecoder()
  const arrived: number[] = []
  const behind: number[] = []
  let [lines, text] = ["", ""]
  for await (const bytes of response.body) {
    const parts = (lines + decoder.decode(bytes, { stream: true })).split("\n")
    lines = parts.pop() ?? ""
    for (const line of parts) if (line.startsWith("data: {")) text += textOf(JSON.parse(line.slice("data: ".length)))
    const stamps = text.split(" ")
    text = stamps.pop() ?? ""
    const now = wallNow()
    if (stamps.length > 0) arrived.push(now)
    for (const stamp of stamps) behind.push(now - Number(stamp))
  }
  if (behind.length !== PIECES || behind.some(Number.isNaN)) throw new Error(`${behind.length} pieces arrived`)
  const gaps = arrived.slice(1).map((at, nth) => at - (arrived[nth] ?? 0))
  return { first: (arrived[0] ?? 0) - began, behind, gaps, end: wallNow() - began, pieces: arrived.length }
}

const textOfChat = (data: unknown) =>
  (data as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? ""

function textOfResponse(data: unknown): string {
  const { type, delta } = data as { type: string; delta?: string }
  return type === "response.output_text.delta" ? (delta ?? "") : ""
}

function textOfEvent(event: unknown): string {
  const { type, data } = event as { type: string; data: { text?: string } }
  return type === "text.delta" ? (data.text ?? "") : ""
}

/** The statements, commands of Redis and messages of one turn that this many readers follow, to its end. */
async function costOf(
  { standIns }: BenchWorld,
  site: Site,
  account: BenchAccount,
  { how, followers }: { how: "queued" | "waited" | "in place"; followers: number },
) {
  const take = async () => {
    const statements = await standIns.ask<StatementTimes[]>({ ask: "statements" } satisfies Question)
    return { statements, calls: await standIns.ask<string[]>({ ask: "calls" } satisfies Question) }
  }
  await take()
  const own = how === "in place" ? await sendStream(site, account) : null
  const turnId = own
    ? ((own.headers.get("location") ?? "").split("/").at(-1) ?? "")
    : await sendTurn(site, account, how === "waited" ? "?wait=30" : "")
  const readers = Array.from({ length: followers }, () => follow(site, account, turnId))
  await Promise.all([...readers, ...(own ? [own] : [])].map(async (one) => (await one).text()))
  const isOver = async () => {
    const [row] = await site.sql<{ over: boolean }>("select state = 'done' as over from turns where turn_id = $1", [
      turnId,
    ])
    return row?.over === true
  }
  while (!(await isOver())) await new Promise((done) => setTimeout(done, 100))
  const { statements, calls } = await take()
  const count = (label: string) => calls.filter((one) => one.startsWith(label)).length
  const commands = calls.filter((one) => one.startsWith("redis ")).join(" ")
  return {
    statements: statements.reduce((sum, one) => sum + one.calls, 0),
    by_label: Object.fromEntries(statements.map((one) => [one.label, one.calls])),
    published: commands.split("publish").length - 1,
    subscribed: count("redis subscribe"),
    redis_requests: count("redis "),
    messages: count("qstash POST"),
  }
}
