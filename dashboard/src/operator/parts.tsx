import { TextLink } from "../ui/link.tsx"
import { plainJson } from "../ui/plain.ts"

interface Person {
  user_id: number
  name?: string | null
  email?: string | null
}

export const operatorNameOf = ({ user_id, name, email }: Person) => name ?? email ?? `User ${user_id}`

/** A user by name, with the link to their page; "–" for nobody. */
export function OperatorPerson({ of }: { of: Person | null | undefined }) {
  if (!of) return <span className="text-muted">–</span>
  return (
    <TextLink to="/operator/users/$userId" params={{ userId: String(of.user_id) }} className="break-words">
      {operatorNameOf(of)}
    </TextLink>
  )
}

/** A request to the API as the operator's own session makes it. */
export function operatorCurl(path: string, { method = "GET", body }: { method?: string; body?: object } = {}): string {
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} '${location.origin}${path}'`,
    `-H 'Cookie: token=YOUR_SESSION'`,
    // Without it the API takes a change for one from a foreign page.
    ...(method === "GET" ? [] : [`-H 'Origin: ${location.origin}'`]),
    ...(body ? ["-H 'Content-Type: application/json'", `-d '${plainJson(body, 0)}'`] : []),
  ]
  return lines.join(" \\\n  ")
}
