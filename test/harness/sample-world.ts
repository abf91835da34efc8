import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Started } from "./npm-start.ts"
import { readUntilItWaits, refundText } from "./waiting-tools.ts"

export interface SampleWorld {
  /** The variables that the samples of an operation read. Each call makes new objects, since samples delete them. */
  valuesFor(operation: string | undefined): Promise<Record<string, string>>
  close(): Promise<void>
}

type Json = Record<string, unknown> & { data?: Json[] }

/** The objects that the samples of the docs need, made with the live key of a started service. */
export async function createSampleWorld({ base_url, api_key, admin }: Started): Promise<SampleWorld> {
  const receiver = createServer((_request, response) => response.writeHead(204).end())
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening))
  const { port } = receiver.address() as AddressInfo
  let made = 0

  async function call(method: string, path: string, body?: object | string): Promise<Json> {
    made++
    const response = await fetch(base_url + path, {
      method,
      headers: {
        authorization: `Bearer ${api_key}`,
        "content-type": typeof body === "string" ? "application/octet-stream" : "application/json",
        "idempotency-key": `sample-world-${made}`,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === "" ? {} : JSON.parse(text)
  }

  const createSpace = async () => {
    const { space_id } = await call("POST", "/v1/spaces", { title: "Samples", manifest: { instructions: "Be brief." } })
    const space = `/v1/spaces/${space_id}`
    await call("PUT", `${space}/secrets/ORDERS_TOKEN`, { value: "a-secret" })
    await call("PUT", `${space}/tools/lookup_order`, {
      description: "Finds an order by its id.",
      input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      request: { method: "GET", url: `http://127.0.0.1:${port}/orders/{{input.id}}` },
    })
    return String(space_id)
  }

  /** Deletes all webhooks, since an account can have only one per URL, and makes one whose ping has arrived. */
  async function createWebhook() {
    for (const { webhook_id } of (await call("GET", "/v1/webhooks")).data ?? []) {
      await call("DELETE", `/v1/webhooks/${webhook_id}`)
    }
    const { webhook_id } = await call("POST", "/v1/webhooks", {
      url: `http://127.0.0.1:${port}/hook`,
      events: ["turn.done"],
    })
    await call("POST", `/v1/webhooks/${webhook_id}/test`)
    return String(webhook_id)
  }

  const responseTo = async (model: string, input: string) =>
    String((await call("POST", "/v1/openai/responses", { model, input, user: "customer-42", background: true })).id)
  const endedTurn = (space: string) =>
    call("POST", "/v1/turns?wait=30", { space, end_user_ref: "customer-42", text: "Hello" })
  /** A turn whose call of a tool without a request waits. */
  const waitingTurn = async (space: string, approval: string): Promise<string> => {
    const tool = { description: "Refunds an order.", input_schema: { type: "object" }, request: null, approval }
    await call("PUT", `/v1/spaces/${space}/tools/refund`, tool)
    const body = { space, end_user_ref: "customer-42", text: refundText(80) }
    const { turn_id } = await call("POST", "/v1/turns", body)
    await readUntilItWaits(() => call("GET", `/v1/turns/${turn_id}?wait=1`))
    return String(turn_id)
  }

  /** Objects that take long to make, only for the operations that need them. */
  const MORE: Record<string, (space: string) => Promise<Record<string, string>>> = {
    turns: async (space) => ({ TURNPIKE_TURN: String((await endedTurn(space)).turn_id) }),
    conversations: async (space) => ({ TURNPIKE_CONVERSATION: String((await endedTurn(space)).conversation) }),
    openTurn: async (space) => {
      const { turn_id } = await call("POST", "/v1/turns", {
        space,
        end_user_ref: "customer-42",
        text: "[think 60000 ms]",
        max_cost_usd: 0.1,
      })
      return { TURNPIKE_TURN: String(turn_id) }
    },
    responses: async (space) => ({ TURNPIKE_RESPONSE: await responseTo(space, "Hello") }),
    openResponse: async (space) => ({ TURNPIKE_RESPONSE: await responseTo(space, "[think 60000 ms]") }),
    asked: async (space) => ({ TURNPIKE_TURN: await waitingTurn(space, "always") }),
    awaited: async (space) => ({ TURNPIKE_TURN: await waitingTurn(space, "never") }),
    taken: async (space) => {
      const turn = await waitingTurn(space, "never")
      await call("GET", "/v1/calls?limit=10")
      return { TURNPIKE_TURN: turn }
    },
    files: async (space) => ({
      TURNPIKE_FILE: String((await call("POST", `/v1/spaces/${space}/files?name=order.txt`, "paid")).file_id),
    }),
    webhooks: async () => ({ TURNPIKE_WEBHOOK: await createWebhook() }),
    deliveries: async () => {
      const webhook = await createWebhook()
      const [delivery] = (await call("GET", `/v1/webhooks/${webhook}/deliveries`)).data ?? []
      return { TURNPIKE_DELIVERY: String(delivery?.delivery_id) }
    },
    events: async () => {
      const [event] = (await call("GET", "/v1/events?limit=1")).data ?? []
      return { TURNPIKE_EVENT: String(event?.event_id ?? event?.id) }
    },
    erasures: async (space) => {
      await call("POST", "/v1/turns", { space, end_user_ref: "customer-43", text: "Hello" })
      return { TURNPIKE_ERASURE: String((await call("DELETE", "/v1/end-users/customer-43")).erasure_id) }
    },
    endUsers: async (space) => {
      await call("POST", "/v1/turns", { space, end_user_ref: "customer-42", text: "Hello" })
      return {}
    },
    versions: async (space) => {
      for (const instructions of ["One.", "Two.", "Three."])
        await call("PUT", `/v1/spaces/${space}/manifest`, { instructions })
      return {}
    },
    servers: async (space) => {
      await call("PUT", `/v1/spaces/${space}/mcp-servers/docs`, { url: `http://127.0.0.1:${port}/mcp` })
      return {}
    },
    silentServers: async (space) => {
      await call("PUT", `/v1/spaces/${space}/mcp-servers/docs`, { url: "http://127.0.0.1:9/mcp", required: false })
      await endedTurn(space)
      return {}
    },
    prices: async () => {
      await call("PUT", "/v1/prices/standard", { multiplier: 1.5 })
      return {}
    },
    freePrice: async () => {
      await call("PUT", "/v1/end-user-defaults", { price: null })
      await call("PUT", "/v1/end-users/customer-42/billing", { price: null })
      await call("PUT", "/v1/prices/standard", { multiplier: 1.5 })
      return {}
    },
    emptyWebhooks: async () => {
      await createWebhook()
      return {}
    },
  }

  const NEEDS: Record<string, string> = {
    getTurn: "turns",
    getConversation: "conversations",
    getTurnMessages: "turns",
    listTurnEvents: "turns",
    createWatchToken: "turns",
    getTurnReceipt: "turns",
    cancelTurn: "openTurn",
    getResponse: "responses",
    cancelResponse: "openResponse",
    patchTurn: "openTurn",
    decideCall: "asked",
    sendCallResult: "awaited",
    renewCall: "taken",
    listFiles: "files",
    getFile: "files",
    deleteFile: "files",
    getFileContent: "files",
    getWebhook: "webhooks",
    updateWebhook: "webhooks",
    deleteWebhook: "webhooks",
    rotateWebhookSecret: "webhooks",
    testWebhook: "webhooks",
    replayEvents: "webhooks",
    listDeliveries: "webhooks",
    createWebhook: "emptyWebhooks",
    getDelivery: "deliveries",
    redeliver: "deliveries",
    getEvent: "events",
    getErasure: "erasures",
    getEndUser: "endUsers",
    eraseEndUser: "endUsers",
    exportEndUser: "endUsers",
    getConfigVersion: "versions",
    listMcpServers: "servers",
    listMcpServerFailures: "silentServers",
    getMcpServer: "servers",
    deleteMcpServer: "servers",
    checkMcpServer: "servers",
    getPrice: "prices",
    putEndUserBilling: "prices",
    putEndUserDefaults: "prices",
    deletePrice: "freePrice",
  }

  return {
    async valuesFor(operation) {
      const space = await createSpace()
      const need = MORE[NEEDS[operation ?? ""] ?? ""]
      return {
        TURNPIKE_BASE_URL: base_url,
        TURNPIKE_API_KEY: api_key,
        TURNPIKE_SPACE: space,
        TURNPIKE_EMAIL: admin.email,
        TURNPIKE_PASSWORD: admin.password,
        ...(await need?.(space)),
      }
    },
    async close() {
      receiver.closeAllConnections()
      receiver.close()
    },
  }
}
