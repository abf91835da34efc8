import { exportBaseUrl } from "../ui/commands.ts"
import { TextLink } from "../ui/link.tsx"
import { plainJson } from "../ui/plain.ts"

interface Person {
  user_id: number
  name?: string | null
  email?: string | null
}

export const nameOf = ({ user_id, name, email }: Person) => name ?? email ?? `User ${user_id}`

/** The name of a user with a link to their page; "–" if there is no user. */
export function PersonName({ of }: { of: Person | null | undefined }) {
  if (!of) return <span className="text-muted">–</span>
  return (
    <TextLink to="/operator/users/$userId" params={{ userId: String(of.user_id) }} className="break-words">
      {nameOf(of)}
    </TextLink>
  )
}

/** A command that calls the API with the operator's session, the cookie `token`, in TURNPIKE_SESSION. */
export function curl(path: string, { method = "GET", body }: { method?: string; body?: object } = {}): string {
  const lines = [
    `curl -s${method === "GET" ? "" : ` -X ${method}`} "$TURNPIKE_BASE_URL${path}"`,
    `-H "Cookie: token=$TURNPIKE_SESSION"`,
    // The API rejects a change without this header as a cross-site request.
    ...(method === "GET" ? [] : [`-H "Origin: $TURNPIKE_BASE_URL"`]),
    ...(body ? ["-H 'Content-Type: application/json'", `-d '${plainJson(body, 0)}'`] : []),
  ]
  return `${exportBaseUrl()}\n${lines.join(" \\\n  ")}`
}
