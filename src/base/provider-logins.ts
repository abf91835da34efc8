import * as z from "zod"
import { REAL_ENGINES } from "./words.ts"

const url = z.url({ protocol: /^https?$/ }).max(2048)
const text = z.string().min(1).max(2048)
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/)
const headerValue = z.string().regex(/^[\x20-\x7e]{1,2048}$/)

/**
 * The source of a value in a token response: a field of the response, or a claim of a token that is
 * a JWT. `path`: the keys, outermost first.
 */
const claimSource = z.strictObject({
  in: z.enum(["answer", "id_token", "access_token"]),
  path: z.array(text).min(1).max(10),
})

const loginSchema = z.strictObject({
  /** The engine whose calls the accounts serve, and its address if it is not the engine's default. */
  engine: z.enum(REAL_ENGINES),
  base_url: url.optional(),
  authorization_endpoint: url.optional(),
  device_authorization_endpoint: url.optional(),
  token_endpoint: url,
  client_id: text,
  /** Without a secret we are a public client. */
  client_secret: text.optional(),
  client_auth: z.enum(["basic", "post"]).default("basic"),
  /** With an issuer, ID tokens are validated, and a callback may name it (RFC 9207). */
  issuer: url.optional(),
  scope: z.string().max(2048).default(""),
  redirect_uri: url.optional(),
  /** Additional parameters of the authorisation request. */
  parameters: z.record(text, z.string().max(2048)).default({}),
  /** Additional headers that calls with its tokens need. */
  headers: z.record(headerName, headerValue).default({}),
  /** The values that identify the account, and that label it for people. */
  account: claimSource,
  label: claimSource.optional(),
  /**
   * The variant of device login. `code`: requests are JSON; a pending poll returns 403 or 404, and
   * a completed one returns an authorisation code with its verifier.
   */
  device: z.enum(["rfc8628", "code"]).default("rfc8628"),
  /** For `code`: the endpoint to poll, and the page where people enter their code. */
  device_token_endpoint: url.optional(),
  verification_uri: url.optional(),
  /** The format of requests to the token endpoint. */
  token_format: z.enum(["form", "json"]).default("form"),
  /** True if the token endpoint also requires the state. */
  token_state: z.boolean().default(false),
})

export type ProviderLogin = z.infer<typeof loginSchema>

/** The pools of provider accounts. */
export const LOGIN_POOLS = ["main", "alt-pool", "media"] as const
export type LoginPool = (typeof LOGIN_POOLS)[number]
export type ProviderLogins = { [pool in LoginPool]?: ProviderLogin | undefined }

/**
 * True if the account's address is known. Logins of these pools save the account without an admin who could name it.
 */
const hasAddress = ({ engine, base_url }: ProviderLogin) => engine !== "openai-compatible" || base_url !== undefined
const NO_ADDRESS = "`openai-compatible` has no default address: base_url is missing"

const byCode = loginSchema.required({ authorization_endpoint: true, redirect_uri: true })
const byDevice = loginSchema
  .required({ device_authorization_endpoint: true })
  .refine(
    ({ device, device_token_endpoint, verification_uri, redirect_uri }) =>
      device === "rfc8628" || (device_token_endpoint && verification_uri && redirect_uri),
    "the variant `code` needs device_token_endpoint, verification_uri and redirect_uri",
  )
  .refine(hasAddress, NO_ADDRESS)

const loginsSchema = z.strictObject({
  main: byCode.optional(),
  "alt-pool": byDevice.optional(),
  media: byCode.refine(hasAddress, NO_ADDRESS).optional(),
})

/** The login methods of provider accounts: the JSON in PROVIDER_LOGINS. The code contains no provider's values. */
export const providerLoginsSchema = z
  .string()
  .default("")
  .transform((json, context): ProviderLogins => {
    if (json === "") return {}
    const parsed = loginsSchema.safeParse(readJson(json))
    if (parsed.success) return parsed.data
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: "custom", path, message })
    return z.NEVER
  })

/** The parser's own message would quote the text, which may contain a secret. */
function readJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return "no JSON"
  }
}
