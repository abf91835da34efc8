import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { signInAdmin } from "../harness/books.ts"
import { type Documented, documentedAt } from "../harness/documented.ts"
import { ownerWithAll } from "../harness/estate.ts"
import { createWorld, type World } from "../harness/world.ts"

/** Operations that ignore parameters that they do not know. */
const FOREIGN = [
  // Links from mails and other sites get parameters of trackers.
  "startOauthLogin",
  // The provider may add parameters (RFC 6749 section 4.1.2).
  "finishOauthLogin",
  // Clients of another service's API send that service's parameters, such as `beta=true` or `api-version`.
  ...["createResponse", "cancelResponse", "createChatCompletion", "listSpaceModels", "getSpaceModel"],
  ...["createMessage", "countMessageTokens", "getMessageModel"],
]

const HEALTH_TOKEN = "token-of-the-monitor"
const IDP_SECRET = "secret-of-the-identity-service"

const DOCUMENTS = ["/v1/openapi.json", "/api/openapi.json"]
/** All but the webhook of a bot, which first checks the secret of that bot. */
const operations = (await Promise.all(DOCUMENTS.map(documentedAt))).flat().filter(({ id }) => id !== "answerBotUpdate")
const named = (list: Documented[]) => list.map((operation) => [operation.id, operation] as const)

type Headed = Record<string, string>

let world: World
let key: Headed
let session: Headed
let plain: Headed
/** The credentials of operations that other servers call. */
let ofServers: Record<string, Headed>
beforeAll(async () => {
  world = await createWorld({ env: { HEALTH_TOKEN, IDP_INTERNAL_SECRET: IDP_SECRET } })
  const owner = await ownerWithAll(world, 1)
  key = { authorization: `Bearer ${owner.key}` }
  session = headersOf(await signInAdmin(world))
  plain = headersOf(await world.signIn(owner.userId))
  ofServers = {
    getServiceHealth: { authorization: `Bearer ${HEALTH_TOKEN}` },
    createIdpSession: { "x-internal-secret": IDP_SECRET },
  }
})
afterAll(() => world.close())

/** Sends the documented example of an operation with one parameter more. */
async function ask({ method, path, headers: own, body }: Documented, credential: Headed) {
  const url = new URL(path, "https://api.test")
  url.searchParams.append("colour", "red")
  const headers = new Headers(own)
  for (const [name, value] of Object.entries(credential)) headers.set(name, value)
  const init = { method, headers, ...(body !== undefined && { body }) }
  const response = await world.invoke(new Request(url, init))
  return { status: response.status, text: await response.text() }
}

const headersOf = (of: { cookie(): string }): Headed => ({ cookie: `token=${of.cookie()}`, origin: "https://api.test" })

const allowed = ({ id, path }: Documented) => ofServers[id] ?? (path.startsWith("/v1/") ? key : session)

test.each(named(operations.filter(({ id }) => !FOREIGN.includes(id))))(
  "%s refuses a parameter that it does not know, and names it",
  async (_id, operation) => {
    const { status, text } = await ask(operation, allowed(operation))
    expect([status >= 400, text]).toEqual([true, expect.stringContaining("colour")])
    const { error, detail } = JSON.parse(text)
    const message = error ? error.message : detail[0].msg
    expect(message).toMatch(/This operation has no query parameters|There is no such field, only /)
    if (error) expect(error.param).toBe("colour")
    else expect(detail[0].loc).toEqual(["query", "colour"])
  },
)

describe("Parameters that others add", () => {
  test.each(named(operations.filter(({ id }) => FOREIGN.includes(id))))("%s ignores them", async (_id, operation) => {
    expect((await ask(operation, allowed(operation))).text).not.toContain("colour")
  })
})

describe("A caller without the right learns nothing about parameters", () => {
  test.each(named(operations.filter(({ path }) => path.startsWith("/api/admin/"))))(
    "%s answers 403 to a user who is no admin",
    async (_id, operation) => {
      expect((await ask(operation, plain)).status).toBe(403)
    },
  )
})
