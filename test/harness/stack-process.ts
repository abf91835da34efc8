import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LLMock } from "@copilotkit/aimock"
import { startStack } from "../../src/local/stack.ts"

/** The stand-ins of all tests, in a process of their own: prints where they are as a line of JSON, ends on SIGTERM. */
const dataDir = await mkdtemp(join(tmpdir(), "turnpike-test-"))
const stack = await startStack({
  dataDir,
  control: true,
  durable: false,
  schemaSql: await readFile("schema.sql", "utf8"),
  databaseUrl: process.env.DATABASE_URL,
  redisUrl: process.env.REDIS_URL,
})
const models = await startModels()
console.log(JSON.stringify({ stackUrl: stack.url, modelUrl: models.url }))

async function end() {
  await models.stop()
  await stack.close()
  await rm(dataDir, { recursive: true, force: true })
  process.exit(0)
}
process.once("SIGTERM", end)
// The test runner was killed: its end of the pipe is closed.
process.stdin.once("end", end).resume()

/** A server that speaks the providers' protocols: what each model answers, and the tokens it reports. */
async function startModels(): Promise<LLMock> {
  const mock = new LLMock({ port: 0, logLevel: "silent" })
  const content = "Hello from the model."
  const details = { prompt_tokens_details: { cached_tokens: 100 } }
  const answers = [
    { model: "chat-model", usage: { prompt_tokens: 120, completion_tokens: 30 } },
    { model: "cached-model", usage: { prompt_tokens: 120, completion_tokens: 30, ...details } },
    { model: "responses-model", usage: { input_tokens: 120, output_tokens: 30 } },
    { model: "messages-model", usage: { input_tokens: 120, output_tokens: 30 } },
  ]
  for (const { model, usage } of answers) mock.addFixture({ match: { model }, response: { content, usage } })
  const refusals = [
    { model: "busy-model", status: 429 },
    { model: "broken-model", status: 500 },
    { model: "strict-model", status: 400 },
  ]
  for (const { model, status } of refusals) {
    mock.addFixture({
      match: { model },
      response: { error: { message: "refused, key sk-canary-123456789", type: "error" }, status },
    })
  }
  await mock.start()
  return mock
}
