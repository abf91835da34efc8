import { afterAll, beforeAll, expect, test } from "vitest"
import { freshCredential } from "../../src/providers/refresh.ts"
import { LOGINS, LOGINS_BY_DEVICE_CODE, MEDIA_CALLBACK } from "../harness/account-provider.ts"
import { createProviderWorld, expectNoSecret, type ProviderWorld, watchLog } from "../harness/provider-world.ts"
import { redisOf } from "../harness/redis.ts"
import { createRefresher, credentialOf } from "../harness/refreshing.ts"

let world: ProviderWorld
beforeAll(async () => {
  world = await createProviderWorld()
  world.rebind({ LOG_LEVEL: "info" })
})
afterAll(() => world.close())

/** Searches everywhere after each act, because a secret must not be stored even for a moment. */
test("No token, code, verifier, device code or key is readable anywhere while logins run, fail and end", async () => {
  const { provider } = world
  const log = watchLog()
  const answers: string[] = []
  const states: string[] = []
  const note = async ([status, answer]: [number, object]) => {
    answers.push(`${status} ${JSON.stringify(answer)}`)
    // The link to the provider's page contains the state. Only the user who started the login gets it.
    const shown = [...answers.filter((text) => !text.includes("authorization_url")), ...log.lines]
    expect(await expectNoSecret(world, [...provider.secrets, ...states], shown)).toBeGreaterThan(10)
    return answer as Record<string, string>
  }
  try {
    const { authorization_url: main = "" } = await note(await world.call("auth/start", { name: "Ada" }))
    const login = provider.logIn(main, "acc-1")
    states.push(login.state)
    await note(await world.call("auth/code", { code: `${login.code}#wrong` }))
    await note(await world.call("auth/code", { code: "canary-code-of-nobody" }))
    const says = { error: "canary", error_description: "canary", access_token: "canary" }
    provider.at("/token", () => Response.json(says, { status: 400 }))
    await note(await world.call("auth/code", { code: login.code }))
    provider.at("/token", () => Response.json({ ...says, token_type: 7 }))
    await note(await world.call("auth/code", { code: login.code }))
    provider.at(
      "/token",
      () => new Response('canary{"access_token":', { headers: { "content-type": "application/json" } }),
    )
    await note(await world.call("auth/code", { code: login.code }))
    provider.mend()
    await note(await world.call("auth/code", { code: login.code }))
    expect(await redisOf(world).command("KEYS", "provider_login:*"), "the search has found a login").toHaveLength(1)
    await note(await world.call("add", { name: "Ada" }))
    await note(await world.call("add", { name: "x", kind: "api_key", api_key: "canary-of-a-key", engine: "openai" }))
    await note(await world.call("add", { name: "x", kind: "api_key", api_key: "canary of a key", engine: "openai" }))

    for (const logins of [LOGINS, LOGINS_BY_DEVICE_CODE]) {
      world.rebind({ PROVIDER_LOGINS: JSON.stringify(logins) })
      const { user_code = "" } = await note(await world.call("alt-pool/auth/start"))
      await note(await world.look("alt-pool/auth/status"))
      await world.pass(6_000)
      const rows = await world.sql<{ text: string }>("select l::text as text from provider_logins l")
      expect(
        rows.some(({ text }) => text.includes(user_code)),
        "the one-time code is sealed",
      ).toBe(false)
      provider.deviceOf(user_code).account = "acc-2"
      await world.pass(6_000)
      expect(await note(await world.look("alt-pool/auth/status"))).toMatchObject({ status: "authorized" })
    }

    const { authorization_url: media = "" } = await note(await world.call("media/auth/start"))
    const shown = provider.logIn(media, "acc-3")
    states.push(shown.state)
    const callback = (more = "") => ({
      callback_url: `${MEDIA_CALLBACK}?code=${shown.code}&state=${shown.state}${more}`,
    })
    await note(await world.call("media/auth/complete", callback("&more=1")))
    await note(await world.call("media/auth/complete", callback()))
    await note(await world.look("media"))

    await world.advance(3_600_000)
    for (const says of [
      null,
      () => new Response("canary", { status: 500 }),
      () => Response.json({ access_token: ["canary"] }),
    ]) {
      provider.mend()
      if (says) provider.at("/token", says)
      const worker = createRefresher(world, { env: { LOG_LEVEL: "info" } })
      const called = freshCredential(worker.ctx, await credentialOf(world, "ada"), { after401: says !== null })
      const error = await called.then(
        () => null,
        (cause: unknown) => cause,
      )
      if (error instanceof Error)
        await note([0, { text: `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}` }])
    }
    await note(await world.look("media"))
    expect(log.lines.some((line) => line.includes("provider.refreshed"))).toBe(true)
    expect(log.lines.some((line) => line.includes("provider.refresh_failed"))).toBe(true)
    expect(provider.secrets.size).toBeGreaterThan(15)
  } finally {
    log.stop()
  }
})
