import { TextLink } from "../ui/link.tsx"
import { plainJson } from "../ui/plain.ts"

interface Person {
  user_id: number
  name?: string | null
  email?: string | null
}

export const operatorNameOf = ({ user_id, name, email }: Person) => name ?? email ?? `User ${user_id}`

/** The name of a user with a link to their page; "–" if there is no user. */
export function OperatorPerson({ of }: { of: Person | null | undefined }) {
  if (!of) return <span className="text-muted">–</span>
  return (
    <TextLink to="/operator/users/$userId" params={{ userId: String(of.user_id) }} className="break-words">
      {operatorNameOf(of)}
    </TextLink>
  )
}

/** A curl command that calls the API with the session of the operator. */
export function operatorCurl(path: string, { method = "GET", body }: { method?: string; body?: object } = {}): string {
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} '${location.origin}${path}'`,
    `-H 'Cookie: token=YOUR_SESSION'`,
    // The API rejects a change without this header as a cross-site request.
    ...(method === "GET" ? [] : [`-H 'Origin: ${location.origin}'`]),
    ...(body ? ["-H 'Content-Type: application/json'", `-d '${plainJson(body, 0)}'`] : []),
  ]
  return lines.join(" \\\n  ")
}
