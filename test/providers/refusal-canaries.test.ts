import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { readEventStream } from "../harness/event-stream.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { exportTraces, serveCollector, TRACE_ENDPOINT_PATH } from "../harness/otlp.ts"
import { createPortalBrowser, makePortal, SHOP } from "../harness/portal.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { PROVIDER_URL } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const KEY = "sk-proj-K9canaryQ7xZ4mL2vN8b"
/** A provider's message, and the words in it that concern the operator's account alone. */
const MESSAGES: [status: number, message: string, canaries: string[]][] = [
  [400, "Invalid request from organization org-Kx81Harbor.", ["org-Kx81Harbor"]],
  [400, "The request of Blue Harbor Robotics GmbH is invalid.", ["Harbor", "Robotics", "GmbH"]],
  [400, "Organization Open Models has a limit of 5 images.", ["Open Models"]],
  [400, `The key ${KEY} may not use this parameter.`, [KEY, "canary"]],
  [400, "Key sk-ant-api03-AAbbCC112233 is limited to text.", ["sk-ant", "AAbbCC112233"]],
  [400, "Ask ops@blue-harbor.example to enable image input.", ["ops@", "blue-harbor"]],
  [400, "Contact Jane Doe, +49 30 901820, about this request.", ["Jane", "Doe", "901820"]],
  [400, "The account 481516 does not support the tool.", ["481516"]],
  [400, "Project number 777000111222 is not enabled for this model's output.", ["777000111222"]],
  [
    400,
    "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/harbor failed validation",
    ["123456789012", "harbor", "eu-west-1"],
  ],
  [400, "Invalid value at https://harbor-prod.openai.azure.example/deployments/x", ["harbor-prod", "azure.example"]],
  [400, "upstream 10.44.7.12:8000 refused the request", ["10.44.7.12"]],
  [400, "upstream llm-7.cluster.harbor.internal:8000 refused the request", ["llm-7", "harbor"]],
  [400, "Deployment 'harbor-gpt-prod' does not support temperature.", ["harbor-gpt-prod"]],
  [400, 'Workspace "Request Model" may not upload a PDF.', ["Request Model"]],
  [400, "tenant 0f8fad5b-d9cd-469f-a165-70867728950e: image too large", ["0f8fad5b", "469f", "70867728950e"]],
  [400, "user_2hQzHarbor91 sent an invalid schema for tools.0", ["user_2hQzHarbor91"]],
  [400, "Bearer eyJhbGciOiJIUzI1NiJ9.canary was not accepted for this parameter", ["eyJhbGciOi", "canary"]],
  [400, "Blue Harbor, 500 Howard Street, San Francisco: content rejected", ["Howard", "Francisco"]],
  [400, "request req_011CXKcanary of acct_1Harbor9 is invalid", ["req_011", "acct_1"]],
  [413, "Customer cus_Harbor77 sends too many bytes.", ["cus_Harbor77"]],
  [415, "File type not supported for harbor_team_9.", ["harbor_team_9"]],
  [422, "projects/harbor-llm-4711/locations/europe-west4 has an invalid value", ["harbor-llm-4711", "europe-west4"]],
  [401, `Incorrect API key provided: ${KEY}. You can find your API key at https://harbor.example.`, [KEY, "harbor"]],
  [402, "Account Blue Harbor has insufficient credits: 3.17 USD.", ["Harbor", "3.17"]],
  [403, "Project `proj_Harbor12` does not have access to model `gpt-canary`.", ["proj_Harbor12"]],
  [404, "The model `harbor-canary-7b` does not exist for organization org-Kx81Harbor.", ["org-Kx81Harbor"]],
  [429, "Rate limit reached in organization org-Kx81Harbor on tokens per min: 30000.", ["org-Kx81Harbor"]],
  [
    429,
    "You exceeded your current quota of account 998877, please check billing of Blue Harbor.",
    ["998877", "Harbor"],
  ],
  [503, "harbor-gpu-3 of Blue Harbor is overloaded", ["harbor-gpu-3", "Harbor"]],
]

let world: World
let admin: Admin
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL, OPENAI_API_KEY: KEY, LOG_LEVEL: "silent" } })
  admin = await signInAdmin(world)
  await addModel(world)
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ model: MODEL_PIN })
  world.serve("model.test", async (request) => {
    const { messages } = (await request.json()) as { messages: { content: unknown }[] }
    const number = Number(/number (\d+)/.exec(JSON.stringify(messages.at(-1)))?.[1])
    const [status, message] = MESSAGES[number] ?? [500, ""]
    return Response.json({ error: { message, type: "invalid_request_error", code: null } }, { status })
  })
})
afterAll(() => world.close())

/** Everything that a browser with a watch token reads of an ended turn. */
async function watched(turnId: string): Promise<string> {
  const { url } = await (await client.call("POST", `/v1/turns/${turnId}/watch-tokens`, {})).json<{ url: string }>()
  const headers = { origin: SHOP, accept: "text/event-stream" }
  return JSON.stringify(await readEventStream(await world.invoke(new Request(url, { headers }))))
}

test("Nothing of the operator's account in 30 provider messages reaches a customer, and operators see them whole", async () => {
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url, events: null })
  const owner = await world.signIn(client.userId)
  const collector = serveCollector(world)
  expect((await owner.json("PUT", TRACE_ENDPOINT_PATH, { url: collector.url, with_text: true }))[0]).toBe(200)
  const browser = createPortalBrowser(world)
  const turns = await Promise.all(
    MESSAGES.map(async (_message, number) =>
      turnOf(await client.sendTurn({ space, text: `number ${number}`, end_user_ref: `person-${number}` })),
    ),
  )
  for (let round = 0; round < 6; round++) {
    await world.drain()
    await world.advance(61_000)
  }
  await world.drain()
  await world.settled()
  await exportTraces(world)
  const spans = collector.spans()
  const seen = async (path: string) => (await client.call("GET", path)).text()
  for (const [number, [status, message, canaries]] of MESSAGES.entries()) {
    const id = turns[number]?.turn_id ?? ""
    const turn = await client.getTurn(id)
    expect(turn, message).toMatchObject({ state: "failed", error: { details: { status } } })
    if (status < 405 && status > 400) expect(turn.error?.code).toBe("MODEL_UNAVAILABLE")
    const doors = {
      turn: JSON.stringify(turn),
      events: await seen(`/v1/turns/${id}/events?limit=100`),
      steps: await seen(`/v1/turns/${id}/steps`),
      list: await seen(`/v1/turns?end_user_ref=person-${number}`),
      response: await seen(`/v1/openai/responses/${id.replace("turn_", "resp_")}`),
      trace: JSON.stringify(await owner.json("GET", `/api/account/turns/${id}/trace`)),
      page: JSON.stringify(await owner.json("GET", `/api/account/turns/${id}`)),
      watch: await watched(id),
      portal: await (
        await (await browser.open(await makePortal(client, `person-${number}`))).get(`turns/${id}`)
      ).text(),
      spans: JSON.stringify(spans.filter(({ traceId }) => traceId === turn.traceparent.split("-")[1])),
      webhook: JSON.stringify(receiver.received.filter(({ event }) => event.data.turn?.turn_id === id)),
    }
    expect(doors.webhook, message).toContain("turn.failed")
    expect(doors.response, message).toContain('"failed"')
    expect(doors.trace, message).toContain("attempt")
    expect(doors.watch, message).toContain("turn.failed")
    expect(doors.portal, message).toContain(id)
    expect(doors.spans, message).toContain("turnpike.model_call.failed")
    for (const [door, text] of Object.entries(doors)) {
      for (const canary of canaries) expect(text, `${door}: ${message}`).not.toContain(canary)
    }
    const [, looked] = await admin.json("GET", `/api/admin/turns/${id}`)
    const whole = looked.provider_messages[0]
    expect(whole, message).toMatchObject({ status })
    expect(whole.message).not.toContain(KEY)
    expect(whole.message.length, message).toBeGreaterThan(message.length - KEY.length)
  }
})
