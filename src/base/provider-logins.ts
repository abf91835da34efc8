import * as z from "zod"
import { REAL_ENGINES } from "./words.ts"

const url = z.url({ protocol: /^https?$/ }).max(2048)
const text = z.string().min(1).max(2048)
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/)
const headerValue = z.string().regex(/^[\x20-\x7e]{1,2048}$/)

/** Where an answer with tokens says something: a field of it, or a claim of a token that is a JWT. `path`: its keys, from outside in. */
const claimSource = z.strictObject({
  in: z.enum(["answer", "id_token", "access_token"]),
  path: z.array(text).min(1).max(10),
})

const loginSchema = z.strictObject({
  /** Whose calls the accounts serve, and where, when not at the engine's own address. */
  engine: z.enum(REAL_ENGINES),
  base_url: url.optional(),
  authorization_endpoint: url.optional(),
  device_authorization_endpoint: url.optional(),
  token_endpoint: url,
  client_id: text,
  /** Without it we are a public client. */
  client_secret: text.optional(),
  client_auth: z.enum(["basic", "post"]).default("basic"),
  /** With it ID tokens are checked, and a callback may name it (RFC 9207). */
  issuer: url.optional(),
  scope: z.string().max(2048).default(""),
  redirect_uri: url.optional(),
  /** More parameters of the authorisation request. */
  parameters: z.record(text, z.string().max(2048)).default({}),
  /** Headers that calls with its tokens need beside them. */
  headers: z.record(headerName, headerValue).default({}),
  /** What names the account, and what people know it by. */
  account: claimSource,
  label: claimSource.optional(),
  /**
   * How a device is logged in. rfc8628; or code: requests are JSON, a poll that is pending answers 403 or 404, and one that is done an
   * authorisation code with its verifier.
   */
  device: z.enum(["rfc8628", "code"]).default("rfc8628"),
  /** Of the variant `code`: where it polls, and the page where people enter their code. */
  device_token_endpoint: url.optional(),
  verification_uri: url.optional(),
  /** How the token endpoint reads requests. */
  token_format: z.enum(["form", "json"]).default("form"),
  /** Whether it also wants the state. */
  token_state: z.boolean().default(false),
})

export type ProviderLogin = z.infer<typeof loginSchema>

/** The pools of accounts at providers. */
export const LOGIN_POOLS = ["main", "alt-pool", "media"] as const
export type LoginPool = (typeof LOGIN_POOLS)[number]
export type ProviderLogins = { [pool in LoginPool]?: ProviderLogin | undefined }

/** Of an account that is saved as its login says, with no word of an admin's about where it is. */
const hasAddress = ({ engine, base_url }: ProviderLogin) => engine !== "openai-compatible" || base_url !== undefined
const NO_ADDRESS = "`openai-compatible` has no address of its own: base_url is missing"

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

/** How accounts are logged in at their providers: the JSON of PROVIDER_LOGINS. Nothing of any provider is built in. */
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

/** The parser's own message would quote the text, which may have a secret. */
function readJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return "no JSON"
  }
}
