import { afterAll, beforeAll, expect, test } from "vitest"
import { readJson } from "../harness/answers.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const LONG = "k".repeat(65)

const TURN_FIELDS =
  "space, end_user_ref, text, messages, tools, tool_choice, parallel_tool_calls, results, conversation, files, model, max_cost_usd, timeout_seconds, max_output_tokens, temperature, reasoning, response_format, stop, store, on_limit, max_wait_seconds, metadata"

test.each([
  ["POST", "/v1/turns", {}, "space: is required"],
  ["POST", "/v1/turns", [], "The body: must be an object, not an array"],
  ["POST", "/v1/turns", { space: 7 }, "space: must be a string, not a number"],
  ["POST", "/v1/turns", { space: null }, "space: must be a string, not null"],
  ["POST", "/v1/turns", { space: "s", end_user_ref: "" }, "end_user_ref: must not be empty"],
  [
    "POST",
    "/v1/turns",
    { space: "s", end_user_ref: "e", text: "x".repeat(100_001) },
    "text: must have at most 100000 characters",
  ],
  ["POST", "/v1/turns", { space: "s", end_user_ref: "e", text: "t", max_cost_usd: 0 }, "max_cost_usd: must be above 0"],
  [
    "POST",
    "/v1/turns",
    { space: "s", end_user_ref: "e", text: "t", user: "u" },
    `user: There is no such field, only ${TURN_FIELDS}.`,
  ],
  [
    "POST",
    "/v1/spaces",
    { title: "t", metadata: { [LONG]: "v" } },
    `metadata.${LONG}: its name must have at most 64 characters`,
  ],
  ["GET", "/v1/turns?limit=1000", undefined, "limit: must be at most 100"],
  ["GET", "/v1/turns?limit=abc", undefined, "limit: must be a number"],
  ["GET", "/v1/turns?limit=1.5", undefined, "limit: must be a whole number"],
  [
    "GET",
    "/v1/turns?state=over",
    undefined,
    'state: must be one of "queued", "running", "done", "failed", "cancelled"',
  ],
  ["GET", "/v1/turns?created_after=now", undefined, "created_after: must be a time, such as 2026-11-20T08:30:00Z"],
] as const)("A wrong %s %s is answered with a clear message: %j", async (method, path, body, message) => {
  const client = await world.createAccount()
  const headers = { "Idempotency-Key": crypto.randomUUID() }
  expect(await readJson(client.call(method, path, body, headers))).toMatchObject([422, { error: { message } }])
})

test("The answer reports only one error of a field, not all errors that follow from it", async () => {
  const client = await world.createAccount()
  const [, answer] = await readJson(
    client.call("POST", "/v1/turns", { space: "s", end_user_ref: "e", text: "" }, { "Idempotency-Key": "k" }),
  )
  expect(answer).toMatchObject({ error: { details: [{ param: "text", message: "must not be empty" }] } })
})

test.each([
  ["/turns", "There is nothing at /turns: the API is below /v1, and its reference at /docs."],
  ["/v1/spaces/", "There is nothing at /v1/spaces/: a path does not end with a slash."],
  ["/v1/nope", "There is nothing at /v1/nope."],
])("The wrong path %s is answered with the likely mistake", async (path, message) => {
  const client = await world.createAccount()
  expect(await readJson(client.call("GET", path))).toMatchObject([404, { error: { message } }])
})

test("A key without its scheme is answered with the missing scheme", async () => {
  const response = await world.invoke(
    new Request("https://api.test/v1/me", { headers: { Authorization: "turnpike_live_x" } }),
  )
  const message = "The Authorization header must be `Bearer <API_KEY>`, with nothing else in it."
  expect([response.status, await response.json()]).toMatchObject([401, { error: { code: "INVALID_API_KEY", message } }])
})
