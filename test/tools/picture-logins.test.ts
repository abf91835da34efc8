import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { createAccountProvider, LOGINS } from "../harness/account-provider.ts"
import { addImageModel, logInMedia, PAINTER, PICTURES, pictureAnswer, serveImages } from "../harness/pictures.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const PAINT = '[call generate_image {"prompt":"a cat"}]'
const OLD = "canary-media-token-1"
const NEW = "canary-media-token-2"
const NOTHING = "Pictures cannot be made at the moment."

let world: World
let logins: ReturnType<typeof createAccountProvider>
const logged: string[] = []
beforeAll(async () => {
  for (const level of ["info", "error", "log", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(" ")))
  }
  world = await createWorld({ env: { LOG_LEVEL: "info", PROVIDER_LOGINS: JSON.stringify(LOGINS) } })
  logins = createAccountProvider(world)
  await addImageModel(world)
})
afterAll(async () => {
  vi.restoreAllMocks()
  expect(logged.join("\n")).not.toContain("canary-")
  await world.close()
})

let refreshes = 0
beforeEach(async () => {
  const credential = { kind: "oauth", access_token: OLD, refresh_token: "canary-refresh-1", headers: {} } as const
  await logInMedia(world, { credential })
  refreshes = 0
  answerRefreshes(() => Response.json({ access_token: NEW, token_type: "bearer", expires_in: 86_400 }))
})

const answerRefreshes = (answer: () => Response | Promise<Response>) =>
  logins.at("/token", () => {
    refreshes++
    return answer()
  })

/** Makes the images endpoint accept only these tokens. `asked` lists the tokens that it received. */
function serveFor(...tokens: string[]) {
  const asked: string[] = []
  serveImages(world, ({ headers }) => {
    const token = (headers.authorization ?? "").replace("Bearer ", "")
    asked.push(token)
    return tokens.includes(token) ? pictureAnswer(PICTURES.png) : Response.json({ error: token }, { status: 401 })
  })
  return asked
}

async function media() {
  const [row] = await world.sql<{ health: string; version: number; refreshing: boolean }>(
    `select a.health, c.version, c.refreshing_until is not null as refreshing from provider_accounts a
      join provider_credentials c using (provider_id) where a.provider_id = 'media'`,
  )
  return row
}

const paint = async (client: TestClient) => client.runTurn({ space: await client.space(PAINTER), text: PAINT })
const lossesOf = (turnId: string) => world.sql("select cause from losses where turn_id = $1", [turnId])
const endsSoon = () =>
  world.sql("update provider_credentials set expires_at = $1", [new Date(world.clock.ms() + 60_000)])

describe("A token that the images endpoint refuses", () => {
  test("The token is refreshed once, and the picture is made", async () => {
    const asked = serveFor(NEW)
    const client = await world.createAccount()
    expect(await paint(client)).toMatchObject({ state: "done", outputs: [{ name: "picture-0-0.png" }] })
    expect([asked, refreshes]).toEqual([[OLD, NEW], 1])
    expect(await media()).toEqual({ health: "healthy", version: 2, refreshing: false })
    await paint(client)
    expect(asked).toEqual([OLD, NEW, NEW])
    await expectPromises(world, client.userId)
  })

  test("A refused new token means that the account needs a login, and no request is sent until then", async () => {
    const asked = serveFor()
    const client = await world.createAccount()
    const turn = await paint(client)
    expect(turn).toMatchObject({ state: "done", outputs: [] })
    expect(turn.result).toContain(NOTHING)
    expect([asked, refreshes]).toEqual([[OLD, NEW], 1])
    expect(await media()).toEqual({ health: "needs_login", version: 2, refreshing: false })
    expect((await paint(client)).result).toContain(NOTHING)
    expect(asked).toHaveLength(2)
    expect(await lossesOf(turn.turn_id), "a 401 makes no picture").toEqual([])
    await expectPromises(world, client.userId)
  })

  test.each([
    ["refuses", () => Response.json({ error: "invalid_grant" }, { status: 400 }), "needs_login"],
    ["has a temporary failure", () => new Response("", { status: 503 }), "healthy"],
  ])("A token endpoint that %s makes no picture possible", async (_what, answer, health) => {
    answerRefreshes(answer)
    const asked = serveFor(NEW)
    const turn = await paint(await world.createAccount())
    expect(turn.result).toContain(NOTHING)
    expect([asked, refreshes]).toEqual([[OLD], 1])
    expect(await media()).toMatchObject({ health, version: 1 })
  })

  test("A token that was refreshed earlier for this picture is refreshed once more", async () => {
    await endsSoon()
    answerRefreshes(() => {
      const access_token = refreshes === 1 ? "canary-media-token-1b" : NEW
      return Response.json({ access_token, token_type: "bearer", expires_in: 86_400 })
    })
    const asked = serveFor(NEW)
    expect(await paint(await world.createAccount())).toMatchObject({ outputs: [{ name: "picture-0-0.png" }] })
    expect([asked, refreshes]).toEqual([["canary-media-token-1b", NEW], 2])
  })

  test("A refused API key means that the account needs a new key", async () => {
    await logInMedia(world)
    const asked = serveFor()
    expect((await paint(await world.createAccount())).result).toContain(NOTHING)
    expect([asked, refreshes]).toEqual([[OLD], 0])
    expect(await media()).toMatchObject({ health: "needs_login" })
  })
})

describe("A cancel that is acknowledged early", () => {
  async function cancelled(client: TestClient, turnId: string): Promise<void> {
    await world.advance(1_000)
    expect((await client.call("POST", `/v1/turns/${turnId}/cancel`)).status).toBe(200)
  }
  async function begun() {
    const client = await world.createAccount()
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space(PAINTER), text: PAINT }))
    return { client, turn_id }
  }

  test("A cancel while the token is refreshed prevents the request, and no cost is billed", async () => {
    await endsSoon()
    const asked = serveFor(NEW)
    const { client, turn_id } = await begun()
    answerRefreshes(async () => {
      await cancelled(client, turn_id)
      return Response.json({ access_token: NEW, token_type: "bearer", expires_in: 86_400 })
    })
    await world.drain()
    expect(await client.getTurn(turn_id)).toMatchObject({ state: "cancelled", outputs: [] })
    expect(asked).toEqual([])
    expect(await lossesOf(turn_id)).toEqual([])
    const [promised] = await expectPromises(world, client.userId)
    expect(promised?.billed).toBeLessThan(400_000)
  })

  test("A cancel while a refused token is refreshed prevents a second request", async () => {
    const asked = serveFor(NEW)
    const { client, turn_id } = await begun()
    answerRefreshes(async () => {
      await cancelled(client, turn_id)
      return Response.json({ access_token: NEW, token_type: "bearer", expires_in: 86_400 })
    })
    await world.drain()
    expect(await client.getTurn(turn_id)).toMatchObject({ state: "cancelled", outputs: [] })
    expect(asked).toEqual([OLD])
    await expectPromises(world, client.userId)
  })
})

test("The lease is renewed when the picture is requested, however long the credential took", async () => {
  await endsSoon()
  serveFor(NEW)
  let left = 0
  answerRefreshes(async () => {
    await world.advance(7_000)
    return Response.json({ access_token: NEW, token_type: "bearer", expires_in: 86_400 })
  })
  const client = await world.createAccount()
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space(PAINTER), text: PAINT }))
  serveImages(world, async () => {
    const [turn] = await world.sql<{ lease_until: string }>("select lease_until from turns where turn_id = $1", [
      turn_id,
    ])
    left = Date.parse(turn?.lease_until ?? "") - world.clock.ms()
    return pictureAnswer(PICTURES.png)
  })
  await world.drain()
  expect(await client.getTurn(turn_id)).toMatchObject({ outputs: [{ name: "picture-0-0.png" }] })
  expect(left).toBe(150_000)
})
