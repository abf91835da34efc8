import { orderTool } from "./customer.ts"
import { callOfOperation, ESTATE_HOST, type Estate, leavesWhole } from "./estate.ts"
import { canariesOf, liveFully, serveEchoes } from "./full-life.ts"
import type { V1Operation } from "./operations.ts"
import { laterTool, sendUntilItWaits, workTool } from "./waiting.ts"
import { refundText, refundTool } from "./waiting-tools.ts"
import type { TestClient, World } from "./world.ts"

/** A full estate's turns that wait, by what they wait for. */
export interface FullEstate extends Estate {
  waiting: Record<"decision" | "result" | "worker" | "limit", string>
}

export const LATER_HOST = "labels.customer.com"

/** Serves the tools of full estates. */
export function serveFullEstates(world: World): void {
  serveEchoes(world)
  world.serve(ESTATE_HOST, (request) => new Response("echo", { headers: { "x-from": new URL(request.url).pathname } }))
  world.serve(LATER_HOST, () => new Response(null, { status: 202 }))
}

/**
 * Gives the space of an estate an agent with everything, and turns that used it, of the estate's end user. So nearly
 * each field that an answer may have has a value.
 */
export async function fillEstate(
  world: World,
  client: TestClient,
  estate: Estate,
  { isTest = false } = {},
): Promise<FullEstate> {
  const at = `/v1/spaces/${estate.space}`
  const put = async (path: string, body: object) => {
    const response = await client.call("PUT", `${at}/${path}`, body)
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  }
  const tools = [
    orderTool(ESTATE_HOST, { approval: { when: { properties: { id: { const: "ask" } } } } }),
    orderTool("down.customer.com", { name: "broken" }),
    refundTool(),
    laterTool({
      request: { method: "POST", url: `https://${LATER_HOST}/labels`, headers: {}, query: { a: "1" }, body: {} },
    }),
    workTool(),
  ]
  for (const { name, ...tool } of tools) await put(`tools/${name}`, tool)
  const ask = { when: { properties: { of: { const: "ask" } } } }
  const server = {
    url: "https://camera.customer.com/mcp",
    headers: { "x-token": "{{secrets.TOKEN}}" },
    allowed_tools: ["shoot"],
    approval: ask,
    approvals: { shoot: ask },
  }
  for (const name of ["docs", "camera"]) await put(`mcp-servers/${name}`, server)
  await put("manifest", {
    instructions: estate.canary,
    temperature: 0.5,
    max_output_tokens: 4000,
    max_steps: 20,
    timeout_seconds: 600,
    max_wait_seconds: 86_400,
    builtin_tools: ["list_files", "read_file", "write_file", "create_task", "update_task"],
    approvals: { create_task: { when: { properties: { title: { const: "ask" } } } } },
    subagents: [
      {
        name: "researcher",
        description: "Looks things up.",
        instructions: "Look.",
        tools: [],
        max_steps: 3,
        max_output_tokens: 500,
      },
    ],
  })
  await put("retention", { text_days: 30, step_days: 30, event_days: 30, attempt_days: 30 })
  const words = canariesOf(estate.canary)
  const life = await liveFully(world, client, { space: estate.space, ref: estate.canary, words })
  const wait = async (text: string, more: object = {}) =>
    (
      await sendUntilItWaits(world, client, {
        space: estate.space,
        text,
        end_user_ref: estate.canary,
        conversation: text.slice(0, 9),
        ...more,
      })
    ).turn_id
  const decision = await wait(refundText(80))
  const waiting = {
    decision,
    result: await wait("[call print {}]"),
    worker: await wait('[call pick {"shelf":1}]'),
    // Test turns cost nothing.
    limit: isTest
      ? decision
      : await wait("[use input=100000 output=4000]\n[steps 5]", { max_cost_usd: 0.05, on_limit: "wait" }),
  }
  const [ended = ""] = life.turnIds
  return { ...estate, ids: { ...estate.ids, "ended/{turn_id}": ended }, waiting }
}

/** The turn of a full estate on which an operation succeeds. */
const TURNS: Record<string, keyof FullEstate["waiting"]> = {
  decideCall: "decision",
  sendCallResult: "result",
  renewCall: "worker",
  patchTurn: "limit",
}

/** As `callOfOperation`, for an estate whose turns wait and ended. */
export function fullCallOf(operation: V1Operation, estate: FullEstate) {
  const waits = TURNS[operation.id]
  const turn = waits ? estate.waiting[waits] : estate.ids["ended/{turn_id}"]
  const isEnded = operation.method === "get"
  const ids = waits || isEnded ? { ...estate.ids, "turns/{turn_id}": turn ?? "" } : estate.ids
  return callOfOperation(operation, { ...estate, ids })
}

/** Operations that end what others need. */
const LAST = ["deleteWebhook", "archiveSpace", "eraseEndUser"]

/** Reads first, then writes, and last the ones that end what others need. */
export const inGentleOrder = <Of extends { id: string; method: string }>(operations: readonly Of[]): Of[] => {
  const rank = (operation: Of) =>
    operation.method === "get" ? 0 : leavesWhole(operation) ? 1 : LAST.includes(operation.id) ? 3 : 2
  return operations.toSorted((one, other) => rank(one) - rank(other))
}
