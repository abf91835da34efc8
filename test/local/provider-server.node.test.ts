import { createHash } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import { freePort } from "../../src/local/postgres.ts"
import { type LocalProvider, startProvider } from "../../src/local/provider-server.ts"
import { windowsOf } from "../../src/providers/windows.ts"
import { textMessage } from "../harness/steps.ts"

let dataDir: string
let port: number
let provider: LocalProvider
afterEach(() => {
  vi.useRealTimers()
})
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "turnpike-provider-"))
  port = await freePort()
  provider = await startProvider(dataDir, port)
})
afterAll(async () => {
  await provider.stop()
  await rm(dataDir, { recursive: true })
})

async function token(form: Record<string, string>) {
  const response = await fetch(`${provider.url}/oauth/token`, { method: "POST", body: new URLSearchParams(form) })
  return [response.status, (await response.json()) as Record<string, string>] as const
}

const models = (access = "") =>
  fetch(`${provider.url}/v1/models`, {
    headers: { authorization: `Bearer ${access}`, "anthropic-version": "2023-06-01" },
  })

test("The server logs in by a code with PKCE, once, and rotates its refresh tokens, also across a restart", async () => {
  const verifier = "v".repeat(43)
  const challenge = createHash("sha256").update(verifier).digest("base64url")
  const redirect_uri = `${provider.url}/oauth/code`
  const query = new URLSearchParams({
    redirect_uri,
    state: "s 1",
    code_challenge: challenge,
    code_challenge_method: "S256",
  })
  const authorize = `${provider.url}/oauth/authorize?${query}`
  expect(await (await fetch(authorize)).text()).toContain("ada@provider.test")
  const codeOf = async () => ((await (await fetch(`${authorize}&account=ada`)).text()).split("#")[0] ?? "").trim()
  const form = { grant_type: "authorization_code", redirect_uri, code_verifier: verifier }
  expect(await token({ ...form, code: await codeOf(), code_verifier: "w".repeat(43) })).toEqual([
    400,
    { error: "invalid_grant" },
  ])
  const code = await codeOf()
  const [status, tokens] = await token({ ...form, code })
  expect([status, tokens.account]).toEqual([200, { uuid: "ada", email_address: "ada@provider.test" }])
  expect((await token({ ...form, code }))[0], "a code works once").toBe(400)
  await provider.stop()
  provider = await startProvider(dataDir, port)
  expect((await models(tokens.access_token)).status).toBe(200)
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" }
  const [, rotated] = await token(refresh)
  expect((await models(rotated.access_token)).status).toBe(200)
  expect(await token(refresh), "a reused refresh token ends its login").toEqual([400, { error: "invalid_grant" }])
  expect((await models(rotated.access_token)).status).toBe(401)
  expect((await token({ ...refresh, refresh_token: rotated.refresh_token ?? "" }))[0]).toBe(400)
})

test("The server logs in by a device: pending, too early, confirmed, denied", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const begin = async () =>
    (await (await fetch(`${provider.url}/oauth/device`, { method: "POST" })).json()) as Record<string, string>
  const poll = ({ device_code = "" }) =>
    token({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code })
  const confirm = ({ verification_uri_complete = "" }, how: string) => fetch(`${verification_uri_complete}&${how}`)
  const device = await begin()
  expect((await poll(device))[1]).toEqual({ error: "authorization_pending" })
  expect((await poll(device))[1]).toEqual({ error: "slow_down" })
  expect((await confirm(device, "account=alan")).status).toBe(200)
  vi.advanceTimersByTime(5_000)
  expect((await poll(device))[1].account).toMatchObject({ uuid: "alan" })
  expect((await poll(device))[1], "the code works once").toEqual({ error: "invalid_grant" })
  const denied = await begin()
  await confirm(denied, "deny=1")
  expect((await poll(denied))[1]).toEqual({ error: "access_denied" })
  const late = await begin()
  vi.advanceTimersByTime(15 * 60_000 + 1)
  expect((await poll(late))[1]).toEqual({ error: "expired_token" })
  expect((await confirm(late, "account=alan")).status).toBe(404)
})

test.each(["anthropic", "openai-compatible"] as const)(
  "The server answers %s, counts its quota, and fails on request",
  async (engine) => {
    const account = engine === "anthropic" ? "grace" : "barbara"
    const { access_token: apiKey } = provider.login(account)
    let headers = new Headers()
    const call = () =>
      callModel(
        {
          fetch: async (input, init) => {
            const response = await fetch(input, init)
            headers = response.headers
            return response
          },
          accounts: { [engine]: { apiKey, baseUrl: `${provider.url}/v1` } },
          sleep: async () => {},
          signal: new AbortController().signal,
          loadObject: async () => null,
          onText: () => {},
        },
        { engine, model: "demo", messages: [textMessage("user", "hi")], maxOutputTokens: 100, tools: [], attempt: 0 },
      )
    const control = (asked: object) =>
      fetch(`${provider.url}/control`, { method: "POST", body: JSON.stringify({ account, ...asked }) })
    const used = () => windowsOf(headers, new Date())[0]
    const answer = await call()
    expect(answer).toMatchObject({ text: `The demo provider answers as account ${account}.`, finish: "stop" })
    expect(answer.usage).toMatchObject({ tokensInput: 120, tokensOutput: 6 })
    expect(used()).toMatchObject({ resource: "unified", window_seconds: 18_000, used_pct: 12 })
    for (const status of ["429", "529", "401", "cut"]) {
      await control({ answer: status, times: 1, used: 40 })
      await expect(call(), status).rejects.toThrow()
      if (status === "429") expect(used()).toMatchObject({ used_pct: 100 })
    }
    expect((await call()).text, "only for this many calls").toContain(account)
    expect(used()).toMatchObject({ used_pct: 44 })
  },
)

test("The server answers programs on this machine and no page of another site", async () => {
  const ask = (headers: Record<string, string>) =>
    new Promise<number | undefined>((done, fail) => {
      const call = request({ host: "127.0.0.1", port, path: "/oauth/code?code=x", headers }, (response) => {
        response.resume().on("end", () => done(response.statusCode))
      })
      call.on("error", fail).end()
    })
  const host = `127.0.0.1:${port}`
  expect(await ask({ host })).toBe(200)
  expect(await ask({ host: `evil.test:${port}` })).toBe(403)
  expect(await ask({ host, origin: "https://evil.test" })).toBe(403)
})
