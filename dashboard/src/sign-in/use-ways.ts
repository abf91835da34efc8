import { useQuery } from "@tanstack/react-query"
import type { SignInWays } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"

/** The ways to sign in that this host offers. If they cannot be read, only the ones that always work. */
const ALWAYS: SignInWays = { session: "none", identity_provider: false, messaging_app: false, password_reset: false }

/** Which ways to sign in are configured, and whether the browser has a session; undefined until they are known. */
export function useWays(): SignInWays | undefined {
  const ways = useQuery({ ...queryOf("listSignInWays"), retry: false, staleTime: 0 })
  return ways.data ?? (ways.error ? ALWAYS : undefined)
}

/** How a person without an account gets one. */
export function accountWords({ identity_provider, messaging_app }: SignInWays): string {
  const ways = [identity_provider && "your identity provider", messaging_app && "the messaging app"].filter(Boolean)
  return ways.length > 0
    ? `No account yet? Your first sign-in with ${ways.join(" or ")} creates one.`
    : "No account yet? An operator of this service creates it, and sends you a sign-in link."
}
