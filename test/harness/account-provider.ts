import { createHash } from "node:crypto"
import type { World } from "./world.ts"

const HOST_OF_LOGINS = "login.provider.com"
const ORIGIN = `https://${HOST_OF_LOGINS}`
export const MEDIA_CALLBACK = "http://127.0.0.1:8976/callback"

const shared = {
  token_endpoint: `${ORIGIN}/token`,
  client_id: "turnpike",
  scope: "inference",
  account: { in: "answer", path: ["account", "uuid"] },
  label: { in: "answer", path: ["account", "email"] },
}
const byCode = { ...shared, authorization_endpoint: `${ORIGIN}/authorize`, redirect_uri: `${ORIGIN}/shown` }

/** `PROVIDER_LOGINS` for the scripted provider. */
export const LOGINS = {
  main: {
    ...byCode,
    engine: "anthropic",
    base_url: "https://models.provider.com/v1",
    client_secret: "canary of a client",
    parameters: { audience: "models", response_type: "none of ours" },
    headers: { "x-beta": "oauth" },
  },
  "alt-pool": { ...shared, engine: "openai", device_authorization_endpoint: `${ORIGIN}/device` },
  media: { ...byCode, engine: "openai", redirect_uri: MEDIA_CALLBACK },
}

/** Like `LOGINS`, but the device endpoint reports a pending login as 403 or 404. */
export const LOGINS_BY_DEVICE_CODE = {
  ...LOGINS,
  "alt-pool": {
    ...LOGINS["alt-pool"],
    device: "code",
    device_authorization_endpoint: `${ORIGIN}/device-json`,
    device_token_endpoint: `${ORIGIN}/device-token`,
    verification_uri: `${ORIGIN}/enter`,
    redirect_uri: `${ORIGIN}/device/callback`,
  },
}

export type ProviderSays = (request: Request, right: () => Promise<Response>) => Response | Promise<Response>

interface DeviceState {
  user_code: string
  /** Null until a person confirms the device. */
  account: string | null
  denied: boolean
  done: boolean
  polls: number[]
  from: number
  /** The minimum number of seconds between two polls. */
  interval: number
}

/**
 * A provider with rotating refresh tokens. A second use of a token revokes all tokens of its
 * account, and the provider records it. Every secret contains the word canary. `at` replaces the
 * answer of one path.
 */
export function createAccountProvider(world: Pick<World, "serve" | "clock">) {
  const codes = new Map<string, { challenge: string; redirect: string; account: string }>()
  const refreshTokens = new Map<string, { account: string; used: boolean }>()
  const accessTokens = new Map<string, string>()
  const devices = new Map<string, DeviceState>()
  const places = new Map<string, ProviderSays>()
  const secrets = new Set<string>()
  const grants: { type: string; at: number; body: Record<string, string> }[] = []
  const wrongs: string[] = []
  let made = 0
  let expiresIn: number | undefined = 3600
  let deviceAnswer: Record<string, unknown> = {}

  const textOf = async (request: Request) => new TextDecoder().decode(await request.arrayBuffer())

  const secret = (kind: string) => {
    const value = `canary-${kind}-${++made}-${crypto.randomUUID()}`
    secrets.add(value)
    return value
  }

  const refuse = (error: string, status = 400) =>
    Response.json({ error, error_description: "canary of an error" }, { status })

  function tokensFor(account: string): Response {
    const [access_token, refresh_token] = [secret("access"), secret("refresh")]
    accessTokens.set(access_token, account)
    refreshTokens.set(refresh_token, { account, used: false })
    return Response.json({
      access_token,
      refresh_token,
      token_type: "Bearer",
      ...(expiresIn !== undefined && { expires_in: expiresIn }),
      account: { uuid: account, email: `${account}@people.com` },
    })
  }

  async function token(request: Request): Promise<Response> {
    const text = await textOf(request)
    const isJson = request.headers.get("content-type") === "application/json"
    const body: Record<string, string> = isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
    grants.push({ type: body.grant_type ?? "", at: world.clock.ms(), body })
    if (body.code_verifier) secrets.add(body.code_verifier)
    if (body.grant_type === "authorization_code") return exchangeCode(body)
    if (body.grant_type === "refresh_token") return rotate(body.refresh_token ?? "")
    return pollDevice(body.device_code ?? "")
  }

  function exchangeCode({ code = "", code_verifier = "", redirect_uri = "" }: Record<string, string>): Response {
    const asked = codes.get(code)
    codes.delete(code)
    const challenge = createHash("sha256").update(code_verifier).digest("base64url")
    if (!asked || challenge !== asked.challenge || redirect_uri !== asked.redirect) return refuse("invalid_grant")
    return tokensFor(asked.account)
  }

  function rotate(given: string): Response {
    const known = refreshTokens.get(given)
    if (known?.used) wrongs.push("a refresh token was used twice")
    if (!known || known.used) {
      // A reused token revokes all tokens of the account.
      for (const one of refreshTokens.values()) if (one.account === known?.account) one.used = true
      return refuse("invalid_grant")
    }
    known.used = true
    return tokensFor(known.account)
  }

  function startDevice(form: Record<string, string>, json: boolean): Response {
    const device_code = secret("device")
    const user_code = `WDJB-${String(++made).padStart(4, "0")}`
    const said = { interval: 5, expires_in: 600, ...deviceAnswer }
    devices.set(device_code, {
      user_code,
      account: null,
      denied: false,
      done: false,
      polls: [],
      from: world.clock.ms(),
      interval: said.interval ?? 5,
    })
    grants.push({ type: "device", at: world.clock.ms(), body: form })
    if (json) return Response.json({ device_auth_id: device_code, user_code, interval: String(said.interval) })
    return Response.json({
      device_code,
      user_code,
      verification_uri: `${ORIGIN}/enter`,
      verification_uri_complete: `${ORIGIN}/enter?user_code=${user_code}`,
      ...said,
    })
  }

  /** Records every violation of the protocol by a poll of ours. */
  function polled(code: string): DeviceState | null {
    const device = devices.get(code)
    if (!device) return null
    const now = world.clock.ms()
    const last = device.polls.at(-1) ?? device.from
    if (now - last < device.interval * 1000) wrongs.push("polled too early")
    if (device.done || device.denied) wrongs.push("polled after the end")
    device.polls.push(now)
    return device
  }

  function pollDevice(code: string): Response {
    const device = polled(code)
    if (!device) return refuse("invalid_grant")
    if (device.denied) return refuse("access_denied")
    if (device.account === null) return refuse("authorization_pending")
    device.done = true
    return tokensFor(device.account)
  }

  async function pollJson(request: Request): Promise<Response> {
    const { device_auth_id, user_code } = (await request.json()) as Record<string, string>
    const device = polled(device_auth_id ?? "")
    if (!device || device.user_code !== user_code) return new Response("nothing", { status: 404 })
    if (device.account === null) return new Response("not yet", { status: device.polls.length % 2 ? 403 : 404 })
    device.done = true
    const [authorization_code, code_verifier] = [secret("code"), secret("verifier")]
    const challenge = createHash("sha256").update(code_verifier).digest("base64url")
    codes.set(authorization_code, { challenge, redirect: `${ORIGIN}/device/callback`, account: device.account })
    return Response.json({ authorization_code, code_verifier })
  }

  const formOf = async (request: Request) => Object.fromEntries(new URLSearchParams(await textOf(request)))
  const right: Record<string, (request: Request) => Promise<Response>> = {
    "/token": token,
    "/device": async (request) => startDevice(await formOf(request), false),
    "/device-json": async (request) => startDevice((await request.json()) as Record<string, string>, true),
    "/device-token": pollJson,
  }
  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const serve = () => right[pathname]?.(request) ?? Promise.resolve(new Response("nothing here", { status: 404 }))
    return (await places.get(pathname)?.(request, serve)) ?? serve()
  }
  world.serve(HOST_OF_LOGINS, answer)

  return {
    serve: answer,
    secrets,
    grants,
    /** Our violations of the protocol. */
    wrongs,
    accountOfToken: (accessToken: string) => accessTokens.get(accessToken),
    /** The refresh tokens of an account that the provider would accept. */
    usable: (account: string) =>
      [...refreshTokens].filter(([, one]) => one.account === account && !one.used).map(([it]) => it),
    /** Replaces the answer of this path from now on. */
    at: (path: string, says: ProviderSays) => void places.set(path, says),
    /** Restores the normal answers. */
    mend: () => places.clear(),
    expires: (seconds: number | undefined) => {
      expiresIn = seconds
    },
    devicesSay: (answer: Record<string, unknown>) => {
      deviceAnswer = answer
    },
    grantsOf: (type: string) => grants.filter((one) => one.type === type),
    /**
     * A person logs in as `account` on the provider's page. Returns the code that the page shows,
     * and its state.
     */
    logIn(authorizationUrl: string, account: string) {
      const { searchParams: query, origin, pathname } = new URL(authorizationUrl)
      const expected = {
        response_type: "code",
        client_id: "turnpike",
        code_challenge_method: "S256",
        scope: "inference",
      }
      for (const [name, value] of Object.entries(expected)) {
        if (query.get(name) !== value) throw new Error(`${name} is ${query.get(name)}`)
      }
      if (`${origin}${pathname}` !== `${ORIGIN}/authorize`) throw new Error(`${origin}${pathname} is not its page`)
      const [code, redirect] = [secret("code"), query.get("redirect_uri") ?? ""]
      codes.set(code, { challenge: query.get("code_challenge") ?? "", redirect, account })
      return { code, state: query.get("state") ?? "", redirect }
    },
    deviceOf(userCode: string): DeviceState {
      const device = [...devices.values()].find(({ user_code }) => user_code === userCode)
      if (!device) throw new Error(`there is no device with ${userCode}`)
      return device
    },
  }
}
