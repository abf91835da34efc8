import type { Browser, Page } from "playwright-core"
import type { Matters } from "./asking.ts"
import { BUSY } from "./busy-account.ts"

/** A tool whose every call waits for a decision, and then for a worker. */
const TOOL = {
  name: "refund_order",
  description: "Refunds an order.",
  input_schema: { type: "object" },
  request: null,
  approval: "always",
}

/** The rehearsal costs more with each step than the turn may cost. */
const DEAR = "[use input=100000 output=4000]\n[steps 5]"

/**
 * Gives the busy account what needs its owner: turns that wait for an approval, for their own limits and for the cap of
 * a customer, and an ended turn whose request is known.
 */
export async function makeOpenMatters(browser: Browser, signIn: string): Promise<Matters> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${signIn}?as=${BUSY.owner}`)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor()
  const { origin } = new URL(page.url())
  // Each run has its own, so that a service can be asked more than once.
  const stamp = Date.now().toString(36)
  const [key, capped] = [`Matters ${stamp}`, `capped-${stamp}`]
  const made = await request(page, "POST", `${origin}/api/account/keys`, { name: key, scope: "all" }, { origin })
  const authorization = `Bearer ${made.body.value}`
  const v1 = (method: string, path: string, body?: object) =>
    request(page, method, `${origin}/v1${path}`, body, { authorization, "idempotency-key": crypto.randomUUID() })
  const space = (await v1("POST", "/spaces", { title: "Matters", tools: [TOOL] })).body.space_id
  const send = async (until: (turn: Turn) => boolean, body: object) => {
    const sent = await v1("POST", "/turns", { space, model: "rehearsal/standard", ...body })
    const { turn_id } = sent.body
    for (;;) {
      const turn: Turn = (await v1("GET", `/turns/${turn_id}?wait=5`)).body
      if (until(turn)) return { turn: turn_id, request: sent.id }
      if (turn.state !== "queued" && turn.state !== "running") throw new Error(`A turn ended: ${JSON.stringify(turn)}`)
    }
  }
  const waits = ({ waiting }: Turn) => waiting !== null
  await v1("PUT", `/end-users/${capped}/limits`, { daily_usd: 0.02 })
  await send(waits, { end_user_ref: capped, text: DEAR, on_limit: "wait", max_cost_usd: 1 })
  for (let at = 0; at < 3; at++)
    await send(waits, { end_user_ref: `limited-${at}`, text: DEAR, on_limit: "wait", max_cost_usd: 0.05 })
  await send(waits, { end_user_ref: "approver", text: '[call refund_order {"order":"A-1"}]' })
  const ended = await send(({ state }) => state === "done", {
    end_user_ref: "complains",
    text: "[use input=100 output=200]\nWhere is order 4711?",
  })
  await context.close()
  return { dearest: BUSY.dearest, ...ended, key, capped }
}

interface Turn {
  state: string
  waiting: object | null
}

async function request(
  page: Page,
  method: string,
  url: string,
  data: object | undefined,
  headers: Record<string, string>,
) {
  const answer = await page.request.fetch(url, { method, data, headers })
  if (!answer.ok()) throw new Error(`${method} ${url}: ${answer.status()} ${await answer.text()}`)
  return { body: await answer.json(), id: answer.headers()["x-request-id"] ?? "" }
}
