import "../../src/local/loopback.ts"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { LLMock } from "@copilotkit/aimock"
import { startPostgres } from "../../src/local/postgres.ts"
import { startStack } from "../../src/local/stack.ts"
import { startCustomerServer, startGarbageServer } from "./customer-server.ts"
import { makeDataDirectory } from "./data-directory.ts"
import { startDelayingProxy } from "./delaying-proxy.ts"
import { serveFragileStacks } from "./fragile-stack.ts"
import { serveMcp } from "./mcp-server.ts"
import { serveNpmStart } from "./npm-start.ts"
import { startOpenIdProvider } from "./openid-provider.ts"
import { addScriptedAgent } from "./scripted-agent.ts"

/**
 * Hashing a password 4,096 times takes longer than the queries of a connection. Databases are
 * vacuumed on reuse. Pools keep the connections of a race for half a minute in each database.
 */
const BRIEF = { scram_iterations: "1", autovacuum: "off", max_connections: "600" }

/**
 * The stand-ins of all tests, in a separate process. It prints their addresses as a line of JSON
 * and ends on SIGTERM. Slow servers start after that, while the tests load; the first request waits
 * for them.
 */
let end = async () => process.exit(1)
// The test runner was killed and its end of the pipe is closed. The servers end with this process,
// even if they are not ready yet.
process.stdin.once("end", () => void end()).resume()
process.once("SIGTERM", () => void end())
const dataDir = await makeDataDirectory("test")
const slow = await startSlowDatabase(Number(process.env.TURNPIKE_STATEMENT_MS))
const stack = await startStack({
  dataDir,
  control: true,
  durable: false,
  settings: BRIEF,
  databaseUrl: slow?.url ?? process.env.DATABASE_URL,
  redisUrl: process.env.REDIS_URL,
})
const models = await startModels()
const mcp = await serveMcp()
const customer = await startCustomerServer()
const service = await serveNpmStart()
const garbage = await startGarbageServer()
const fragile = await serveFragileStacks(dataDir)
const openId = await startOpenIdProvider()
const urls = {
  stackUrl: stack.url,
  modelUrl: models.url,
  mcpUrl: mcp.url,
  customerUrl: customer.url,
  serviceUrl: service.url,
  garbageUrl: garbage.url,
  fragileUrl: fragile.url,
  openIdUrl: openId.url,
}
console.log(JSON.stringify(urls))

end = async () => {
  end = () => new Promise(() => {})
  mcp.stop()
  customer.stop()
  await service.stop()
  garbage.stop()
  await fragile.stop()
  openId.stop()
  await models.stop()
  await stack.close()
  await slow?.stop()
  await rm(dataDir, { recursive: true, force: true })
  return process.exit(0)
}

/** A PostgreSQL whose statements are delayed by up to `mostMs`, for `npm run stress`. */
async function startSlowDatabase(mostMs: number) {
  if (!(mostMs > 0)) return null
  const own = await startPostgres({ dataDir: join(dataDir, "slow-postgres"), durable: false, settings: BRIEF })
  const proxy = await startDelayingProxy(own.url, mostMs)
  return {
    url: proxy.url,
    async stop() {
      proxy.stop()
      await own.stop()
    },
  }
}

/** A server with the providers' protocols: each model's answers and the token counts that it reports. */
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
  addScriptedAgent(mock)
  await mock.start()
  return mock
}
