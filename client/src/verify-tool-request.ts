import { ToolRequestError } from "./errors.ts"
import type { TakenCall } from "./operations.ts"
import { systemRuntime } from "./runtime.ts"
import { findHeader, type WebhookHeaders } from "./verify-webhook.ts"

/** A request of Turnpike to a tool or an MCP server. `body`: the raw bytes; left out for a request without a body. */
export interface ToolRequest {
  headers: WebhookHeaders
  body?: string | Uint8Array | undefined
}

/** For whom, and in which turn, a tool is called. */
export interface ToolIdentity {
  /** Your own id of the end user. Null: a member of the space talks in its web chat. */
  end_user_ref: string | null
  space: string
  /** The version of the space's configuration. */
  config_version: number | null
  /** The sub-agent that makes the call; null: the space's own agent. */
  agent: string | null
  turn_id: string | null
  conversation: string | null
  /** The call as "step.call"; null for requests to an MCP server that call no tool. */
  call: string | null
  /** True for a test turn. */
  test: boolean
  /** The `Idempotency-Key` of the call: the same for each repeat. A random id for requests that call no tool. */
  id: string
}

/** A public key of `/.well-known/jwks.json` (RFC 8037). */
export interface PublicKey {
  kty?: string
  crv?: string
  x?: string
  kid?: string
  purpose?: string
}

/** Options of the verification. */
export interface VerifyToolOptions {
  /** The origin of your tool's URL, such as `https://api.example.com`, or several. */
  audience: string | readonly string[]
  /** The origin of the Turnpike service. Default: that of TURNPIKE_BASE_URL. */
  issuer?: string | undefined
  /** Accepts calls of live turns only, or of test turns only. Default: both. */
  mode?: "live" | "test" | undefined
  /** The maximum difference between the clocks, in seconds. Default 60. */
  toleranceSeconds?: number | undefined
  /** The keys of the issuer. Default: they are fetched, and kept for an hour. */
  keys?: readonly PublicKey[] | undefined
  /** The function that fetches the keys. Default: the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** The current time. Default: the time of this machine. */
  now?: Date | undefined
}

const HEADER = "turnpike-identity"
const TYPE = "turnpike-identity+jwt"

/**
 * Verifies `Turnpike-Identity` of a request to a tool, and returns for whom it is made. Throws ToolRequestError if the
 * token is missing, expired, not signed by the service, or made for another server, call or body.
 *
 * @example
 * const body = await request.text()
 * const options = { audience: "https://api.example.com" }
 * const { end_user_ref } = await verifyToolRequest({ headers: request.headers, body }, options)
 */
export async function verifyToolRequest(
  { headers, body = "" }: ToolRequest,
  options: VerifyToolOptions,
): Promise<ToolIdentity> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  if (!ArrayBuffer.isView(bytes)) {
    throw new TypeError(
      "verifyToolRequest: pass the raw body as text or bytes. The token does not cover a parsed body.",
    )
  }
  const token = findHeader(headers, HEADER)
  if (!token) throw refused(`the header ${HEADER} is missing`)
  const claims = await validClaims(token, options)
  const key = findHeader(headers, "idempotency-key")
  if (key !== undefined && key !== claims.jti) throw refused("its token belongs to another call")
  if (claims.body !== (await digestOf(bytes)))
    throw refused("its token is for another body: pass the body as it was received")
  return identityIn(claims)
}

/**
 * Verifies the `identity` of a call that a worker has taken, and returns for whom it is made. A service to which your
 * worker passes the call need not trust the worker then. Throws ToolRequestError as verifyToolRequest does.
 *
 * @example
 * const { end_user_ref } = await verifyTakenCall(call)
 */
export async function verifyTakenCall(
  { turn_id, call, identity }: Pick<TakenCall, "turn_id" | "call" | "identity">,
  options: Omit<VerifyToolOptions, "audience"> = {},
): Promise<ToolIdentity> {
  if (!identity) throw refused("the call has no identity")
  const claims = await validClaims(identity, { ...options, audience: issuerOf(options.issuer) })
  if (claims.turn !== turn_id || claims.call !== call) throw refused("its token belongs to another call")
  return identityIn(claims)
}

/** The claims of a token that is valid now, for this audience and mode. */
async function validClaims(token: string, options: VerifyToolOptions): Promise<Claims> {
  const issuer = issuerOf(options.issuer)
  const now = options.now?.getTime() ?? systemRuntime.now()
  const claims = await claimsOf(token, { ...options, issuer, at: now })
  const seconds = now / 1000
  const tolerance = options.toleranceSeconds ?? 60
  if (claims.iss !== issuer) throw refused("another service has made its token")
  const origins = (typeof options.audience === "string" ? [options.audience] : options.audience).map(originOf)
  if (typeof claims.aud !== "string" || !origins.includes(claims.aud)) {
    throw refused(`its token is for ${JSON.stringify(claims.aud)}, which is not your audience`)
  }
  if (!(Number(claims.exp) + tolerance > seconds)) throw refused("its token has expired")
  if (!(Number(claims.iat) - tolerance <= seconds)) throw refused("its token was made in the future: check your clock")
  if (options.mode && claims.test !== (options.mode === "test")) {
    throw refused(`it is a call of a ${claims.test ? "test" : "live"} turn`)
  }
  return claims
}

function identityIn(claims: Claims): ToolIdentity {
  return {
    end_user_ref: claims.sub ?? null,
    space: claims.act.space,
    config_version: claims.act.config_version ?? null,
    agent: claims.act.agent ?? null,
    turn_id: claims.turn ?? null,
    conversation: claims.conv ?? null,
    call: claims.call ?? null,
    test: claims.test,
    id: claims.jti,
  }
}

interface Claims {
  iss: string
  aud: string
  sub?: string
  act: { space: string; config_version?: number | null; agent?: string | null }
  turn?: string | null
  conv?: string | null
  call?: string
  test: boolean
  /** Missing in the token of a taken call. */
  body?: string
  iat: number
  exp: number
  jti: string
}

type Known = VerifyToolOptions & { issuer: string; at: number }

/** The claims of a token (RFC 7519) whose signature (EdDSA, RFC 8037) is that of a published key for identities. */
async function claimsOf(token: string, known: Known): Promise<Claims> {
  const parts = token.split(".")
  const [header = "", payload = "", signature = ""] = parts
  const head = parsed(header) as { alg?: unknown; typ?: unknown; kid?: unknown; crit?: unknown } | null
  // The type comes first: a token of another kind may be valid, but it means something else (RFC 8725, section 3.11).
  if (parts.length !== 3 || head?.typ !== TYPE || head.alg !== "EdDSA" || head.crit !== undefined) {
    throw refused("its token is not of this kind")
  }
  const jwk = await keyOf(String(head.kid), known)
  const signed = new TextEncoder().encode(`${header}.${payload}`)
  const key = await crypto.subtle.importKey(
    "jwk",
    { kty: "OKP", crv: "Ed25519", x: jwk.x as string },
    { name: "Ed25519" },
    false,
    ["verify"],
  )
  const bytes = decode(signature)
  if (bytes?.length !== 64 || !(await crypto.subtle.verify({ name: "Ed25519" }, key, bytes, signed))) {
    throw refused("its token is not signed by the service")
  }
  return parsed(payload) as Claims
}

interface KeptKeys {
  keys: readonly PublicKey[]
  fetchedAt: number
}
const kept = new Map<string, KeptKeys>()
const KEEP_MS = 3_600_000
/** A key that is not known may be new, so the keys are fetched again, but not for each forged token. */
const AGAIN_MS = 30_000

async function keyOf(kid: string, { keys, issuer, fetch = globalThis.fetch, at }: Known): Promise<PublicKey> {
  const find = (all: readonly PublicKey[]) => all.find((key) => key.kid === kid && key.purpose === "identity")
  const unknown = () => refused("its token is signed by a key that the service does not publish")
  if (keys) {
    const key = find(keys)
    if (!key) throw unknown()
    return key
  }
  let known = kept.get(issuer)
  const age = known ? at - known.fetchedAt : Number.POSITIVE_INFINITY
  if (!known || Math.abs(age) > KEEP_MS || (!find(known.keys) && Math.abs(age) > AGAIN_MS)) {
    const response = await fetch(`${issuer}/.well-known/jwks.json`).catch((cause: unknown) => {
      throw refused("the keys of the service cannot be fetched", cause)
    })
    if (!response.ok) throw refused(`the keys of the service cannot be fetched: HTTP ${response.status}`)
    known = { keys: ((await response.json()) as { keys: PublicKey[] }).keys, fetchedAt: at }
    kept.set(issuer, known)
  }
  const key = find(known.keys)
  if (!key) throw unknown()
  return key
}

function issuerOf(given: string | undefined): string {
  const issuer = given ?? (globalThis as { process?: { env?: Record<string, string> } }).process?.env?.TURNPIKE_BASE_URL
  if (!issuer) throw new TypeError("verifyToolRequest: pass the issuer, or set TURNPIKE_BASE_URL.")
  return originOf(issuer)
}

const originOf = (url: string) => new URL(url).origin

async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)))
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")
}

function decode(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const base64 = text.replaceAll("-", "+").replaceAll("_", "/")
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

function parsed(part: string): unknown {
  const bytes = decode(part)
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}

function refused(reason: string, cause?: unknown): ToolRequestError {
  return new ToolRequestError(`The tool's request is not verified: ${reason}.`, {
    code: "TOOL_REQUEST_REFUSED",
    cause,
  })
}
