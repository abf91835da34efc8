import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { TOKEN_POLICY } from "../../src/sign-in/policies.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function exchange(token: string): Promise<Response> {
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" }
  return world.invoke(
    new Request(`${ORIGIN}/api/auth/magic`, { method: "POST", headers, body: JSON.stringify({ token }) }),
  )
}

const sessionsOf = async (userId: number) =>
  (await world.sql("select 1 from sessions where user_id = $1", [userId])).length

async function owner() {
  const browser = await world.signIn((await world.createAccount()).userId)
  const appToken = async () => (await browser.json("POST", "/api/auth/app-token"))[1].token as string
  return { browser, appToken }
}

describe("An app token", () => {
  test("Of 100 concurrent exchanges of an app token, one gives a session", async () => {
    const { browser, appToken } = await owner()
    const token = await appToken()
    const answers = await Promise.all(Array.from({ length: 100 }, () => exchange(token)))
    const good = answers.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    expect(await good[0]?.json()).toMatchObject({ user_id: browser.userId })
    expect(await sessionsOf(browser.userId)).toBe(2)
    for (const answer of answers.filter((one) => one !== good[0])) {
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([401, null])
      expect(await answer.json()).toMatchObject({ code: "INVALID_TOKEN" })
    }
    const cookie = good[0]?.headers.get("set-cookie")?.split(";")[0] ?? ""
    expect((await browser.call("GET", "/api/auth/me", undefined, { cookie })).status).toBe(200)
  })

  test("An app token expires after 60 seconds, and with the session that requested it", async () => {
    const { browser, appToken } = await owner()
    const [late, intime] = [await appToken(), await appToken()]
    await world.advance(59_999)
    expect((await exchange(intime)).status).toBe(200)
    await world.advance(1)
    expect((await exchange(late)).status).toBe(401)
    const orphan = await appToken()
    await browser.call("POST", "/api/auth/logout")
    expect((await exchange(orphan)).status).toBe(401)
  })

  test("A user who asks for too many app tokens at once is refused for a while", async () => {
    const { browser } = await owner()
    const { app } = TOKEN_POLICY.sign_in
    onTestFinished(() => void Object.assign(TOKEN_POLICY.sign_in, { app }))
    Object.assign(TOKEN_POLICY.sign_in, { app: { burst: 2, everyMs: 3_600_000 } })
    const answers = []
    for (let nth = 0; nth < 4; nth++) answers.push(await browser.call("POST", "/api/auth/app-token"))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429])
    expect(await answers[3]?.json()).toMatchObject({ code: "LOGIN_THROTTLED" })
    expect(Number(answers[3]?.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  test.each(["pg", "redis"])("An app token still gives one session after %s has failed", async (service) => {
    const { browser, appToken } = await owner()
    const token = await appToken()
    await world.plan([{ service, call: 1, times: 9, action: "fail", when: "before" }])
    const failed = await exchange(token).finally(world.clearFaults)
    expect([failed.status, failed.headers.get("set-cookie")]).toEqual([503, null])
    expect((await exchange(token)).status).toBe(200)
    expect((await exchange(token)).status).toBe(401)
    expect(await sessionsOf(browser.userId)).toBe(2)
  })
})
