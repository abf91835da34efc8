import type { ProviderLogin } from "../base/provider-logins.ts"
import { claimsOf } from "./token-claims.ts"
import type { Tokens } from "./token-endpoint.ts"
import { TokenError } from "./token-errors.ts"

/** The account that tokens belong to: its id at the provider, and the name that people know it by. */
export interface ProviderIdentity {
  external_id: string
  label: string
}

/**
 * Reads the account from where the login's configuration says. Throws
 * TokenError if no account is named there.
 */
export function accountOf(login: ProviderLogin, tokens: Pick<Tokens, "access_token" | "answer">): ProviderIdentity {
  const id = saidAt(login.account, tokens)
  if (id === null) throw new TokenError("lost", "Its answer names no account in the place that PROVIDER_LOGINS gives.")
  return { external_id: id, label: (login.label && saidAt(login.label, tokens)) || id }
}

function saidAt(source: ProviderLogin["account"], { access_token, answer }: Pick<Tokens, "access_token" | "answer">) {
  const sources = {
    answer: () => answer,
    id_token: () => claimsOf(answer.id_token),
    access_token: () => claimsOf(access_token),
  }
  let value: unknown = sources[source.in]()
  for (const key of source.path) {
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
  }
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value)
  return typeof value === "string" && /^[^\p{C}]{1,200}$/u.test(value) ? value : null
}
