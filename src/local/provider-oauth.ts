import { createHash, randomBytes } from "node:crypto"

/** An account at the demo's provider, for logins and model calls. */
export interface DemoAccount {
  id: string
  email: string
}

export const DEMO_ACCOUNTS: readonly DemoAccount[] = ["ada", "grace", "alan", "barbara"].map((id) => ({
  id,
  email: `${id}@provider.test`,
}))

const ACCESS_SECONDS = 600
const CODE_SECONDS = 300
const DEVICE_SECONDS = 900
const INTERVAL_SECONDS = 5

/** The state that the server keeps across restarts. A family is a login and all refresh tokens issued from it. */
export interface DemoTokens {
  codes: Record<string, { account: string; challenge: string; redirectUri: string; until: number }>
  devices: Record<
    string,
    { userCode: string; account: string | null; denied: boolean; polledAt: number; until: number }
  >
  access: Record<string, { account: string; family: string; until: number }>
  refresh: Record<string, { account: string; family: string; used: boolean }>
}

export const emptyState = (): DemoTokens => ({ codes: {}, devices: {}, access: {}, refresh: {} })

/** An OAuth error, as the token endpoint returns it. */
export class OauthRefusal extends Error {}

const random = () => randomBytes(24).toString("base64url")
const entryOf = <Value>(record: Record<string, Value>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Issues tokens of a new login, or of the login `family`. */
export function issueTokens(state: DemoTokens, id: string, family = random()) {
  const [access, refresh] = [`at-${random()}`, `rt-${random()}`]
  for (const [token, { until }] of Object.entries(state.access)) if (until < Date.now()) delete state.access[token]
  state.access[access] = { account: id, family, until: Date.now() + ACCESS_SECONDS * 1000 }
  state.refresh[refresh] = { account: id, family, used: false }
  const email = DEMO_ACCOUNTS.find((account) => account.id === id)?.email
  return {
    access_token: access,
    refresh_token: refresh,
    token_type: "Bearer",
    expires_in: ACCESS_SECONDS,
    account: { uuid: id, email_address: email },
  }
}

/** The account of an access token; null if the token is unknown or has expired. */
export function accountOfToken(state: DemoTokens, token: string): string | null {
  const found = entryOf(state.access, token)
  return found && found.until > Date.now() ? found.account : null
}

/** Issues an authorization code to a person who has just signed in. */
export function issueCode(
  state: DemoTokens,
  account: string,
  { challenge, redirectUri }: Record<string, string>,
): string {
  const code = random()
  state.codes[code] = {
    account,
    challenge: challenge ?? "",
    redirectUri: redirectUri ?? "",
    until: Date.now() + CODE_SECONDS * 1000,
  }
  return code
}

/** Issues a device code (RFC 8628 section 3.2). `page`: the URL at which people confirm it. */
export function issueDeviceCode(state: DemoTokens, page: string) {
  const [device, userCode] = [
    random(),
    randomBytes(4)
      .toString("hex")
      .toUpperCase()
      .replace(/(....)/, "$1-"),
  ]
  state.devices[device] = {
    userCode,
    account: null,
    denied: false,
    polledAt: 0,
    until: Date.now() + DEVICE_SECONDS * 1000,
  }
  return {
    device_code: device,
    user_code: userCode,
    verification_uri: page,
    interval: INTERVAL_SECONDS,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: DEVICE_SECONDS,
  }
}

/** Confirms or denies the login of a device. False if no device waits with this code. */
export function confirmDevice(state: DemoTokens, userCode: string, account: string | null): boolean {
  const found = Object.values(state.devices).find((device) => device.userCode === userCode && device.until > Date.now())
  if (!found) return false
  found.account = account
  found.denied = account === null
  return true
}

/** Answers a request to the token endpoint. Throws OauthRefusal with the OAuth error code. */
export function tokensFor(state: DemoTokens, form: URLSearchParams): object {
  const given = (name: string) => form.get(name) ?? ""
  switch (form.get("grant_type")) {
    case "authorization_code":
      return byCode(state, given("code"), given("redirect_uri"), given("code_verifier"))
    case "urn:ietf:params:oauth:grant-type:device_code":
      return byDevice(state, given("device_code"))
    case "refresh_token":
      return byRefresh(state, given("refresh_token"))
    default:
      throw new OauthRefusal("unsupported_grant_type")
  }
}

function byCode(state: DemoTokens, code: string, redirectUri: string, verifier: string): object {
  const found = entryOf(state.codes, code)
  delete state.codes[code]
  const challenge = createHash("sha256").update(verifier).digest("base64url")
  const fits = found && found.until > Date.now() && found.redirectUri === redirectUri && found.challenge === challenge
  if (!fits) throw new OauthRefusal("invalid_grant")
  return issueTokens(state, found.account)
}

function byDevice(state: DemoTokens, code: string): object {
  const found = entryOf(state.devices, code)
  if (!found) throw new OauthRefusal("invalid_grant")
  if (found.until < Date.now()) throw new OauthRefusal("expired_token")
  if (found.denied) throw new OauthRefusal("access_denied")
  const early = Date.now() - found.polledAt < INTERVAL_SECONDS * 1000
  found.polledAt = Date.now()
  if (early) throw new OauthRefusal("slow_down")
  if (found.account === null) throw new OauthRefusal("authorization_pending")
  delete state.devices[code]
  return issueTokens(state, found.account)
}

/**
 * Each refresh token works once. A second use revokes all tokens of its login, because one of the users has stolen it.
 */
function byRefresh(state: DemoTokens, token: string): object {
  const found = entryOf(state.refresh, token)
  if (!found) throw new OauthRefusal("invalid_grant")
  if (found.used) {
    for (const kind of [state.refresh, state.access]) {
      for (const [one, { family }] of Object.entries(kind)) if (family === found.family) delete kind[one]
    }
    throw new OauthRefusal("invalid_grant")
  }
  found.used = true
  return issueTokens(state, found.account, found.family)
}
