import { useSearch } from "@tanstack/react-router"
import { useRead } from "../api/query.ts"
import { TextLink } from "../ui/link.tsx"
import { Notice } from "../ui/notice.tsx"

/** How to get credit: the operator's page, or the operator in person. */
export function AddCredit({ url }: { url: string | null }) {
  return url ? (
    <a href={url} target="_blank" rel="noreferrer" className="text-accent underline">
      Add credit
    </a>
  ) : (
    <span>Ask the operator of this service to add credit.</span>
  )
}

/** Tells an account without credit that live turns are refused, before it sends one. */
export function CreditNotice() {
  const { test } = useSearch({ from: "/app" })
  const balance = useRead("getBalance")
  const setup = useRead("getSetup", { query: { test: test && "true" } })
  if (test || !balance.data || !setup.data || balance.data.available_usd > 0) return null
  return (
    <Notice>
      <span>This account has no available credit, so its turns are refused with 402.</span>
      <AddCredit url={setup.data.top_up_url} />
      <TextLink to="." search={(old: object) => ({ ...old, test: true }) as never} className="text-warn underline">
        Use test data, which costs nothing
      </TextLink>
    </Notice>
  )
}
