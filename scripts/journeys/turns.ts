import type { Journey, JourneyWorld } from "./journey.ts"

const titleOf = (stamp: string) => `Counter ${stamp}`
const greetingOf = (stamp: string) => `Hello from ${stamp}`

/** A tool whose every call waits for a person. A worker would run it. */
const REFUND = {
  name: "refund",
  description: "Refunds an amount.",
  input_schema: { type: "object", properties: { amount: { type: "number" }, order: { type: "string" } } },
  request: null,
  approval: "always",
}
/** The rehearsal model repeats the text, and makes the call that it names. */
const MODEL = "rehearsal/standard"

/** Sends a request of the signed-in user. Returns the answer. */
async function send({ keyboard, origin }: JourneyWorld, path: string, data: object): Promise<Record<string, string>> {
  const answer = await keyboard.page.request.post(`${origin}/api/account/${path}`, { headers: { origin }, data })
  if (!answer.ok()) throw new Error(await answer.text())
  return answer.json()
}

export const playgroundTurn: Journey = {
  name: "a turn in the playground",
  async go(world) {
    const { keyboard, stamp } = world
    await send(world, "spaces", { title: titleOf(stamp), model: MODEL })
    await keyboard.go("playground", "Playground")
    await keyboard.fill("Space", titleOf(stamp), "combobox")
    await keyboard.sees("option", new RegExp(titleOf(stamp)))
    await keyboard.press("Enter")
    await keyboard.fill("Text", greetingOf(stamp))
    await keyboard.press("Control+Enter")
    await keyboard.reads(`You said: ${greetingOf(stamp)}`)
  },
}

export const foundTurn: Journey = {
  name: "a turn found with filters",
  async go({ keyboard, stamp }) {
    await keyboard.go("turns", "Turns")
    await keyboard.fill("Id, customer, title or text", titleOf(stamp), "searchbox")
    await keyboard.press("Enter")
    await keyboard.enter("button", "Filter")
    await keyboard.select("State", "done")
    await keyboard.press("Escape")
    await keyboard.sees("button", "Remove the filter State")
    await keyboard.enter("button", "Views")
    await keyboard.sees("menuitem", "Save this view")
    await keyboard.press("Escape")
    await keyboard.enter("link", greetingOf(stamp))
    await keyboard.sees("heading", /^Turn/)
    await keyboard.reads(`You said: ${greetingOf(stamp)}`)
  },
}

export const allowedCall: Journey = {
  name: "a waiting call allowed",
  async go(world) {
    const { keyboard, stamp } = world
    const { space_id: space } = await send(world, "spaces", { title: `Till ${stamp}`, model: MODEL, tools: [REFUND] })
    const text = `[call refund {"amount":80,"order":"${stamp}"}]`
    await send(world, "chat/turns", { space, text })
    await keyboard.go("waiting turns", "Waiting turns")
    await keyboard.enter("button", text)
    await keyboard.enter("button", "Allow")
    await keyboard.reads("The call of refund is allowed.")
    await keyboard.reads("waits for its result")
  },
}

export const refundedTurn: Journey = {
  name: "an operator's refund of a turn",
  as: "Admin",
  async go({ keyboard, stamp }) {
    const reason = `Ticket ${stamp}`
    await keyboard.go("all turns", "All turns")
    await keyboard.fill("Id, customer or title", titleOf(stamp), "searchbox")
    await keyboard.press("Enter")
    await keyboard.sees("button", "Clear filters")
    await keyboard.enter("link", /^turn_/)
    await keyboard.enter("button", "Refund")
    await keyboard.sees("dialog", /^Refund the turn/)
    await keyboard.fill("Reason", reason)
    await keyboard.enter("button", "Refund")
    await keyboard.reads("The turn is refunded.")
    await keyboard.sees("cell", new RegExp(reason))
  },
}
