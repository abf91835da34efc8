import { useRouteContext } from "@tanstack/react-router"
import { useState } from "react"
import type { Statement } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { TextLink } from "../ui/link.tsx"
import { toast } from "../ui/toast.tsx"
import { savePdf } from "./save-pdf.ts"
import type { StatementPart } from "./statement-parts.ts"
import { isShowable } from "./statement-pdf.ts"

interface HandOverProps {
  document: Statement
  digest: string
  /** Undefined while they load. */
  parts: readonly StatementPart[] | undefined
}

/** The company that a statement is for, and the statement as a file or on paper. */
export function HandOver({ document, digest, parts }: HandOverProps) {
  const { user } = useRouteContext({ from: "/app" })
  const details = useRead("getBillingDetails").data
  const [isSaving, setSaving] = useState(false)
  const account = `${user.name ?? user.email ?? "Account"} (${user.user_id})`
  const save = async () => {
    if (!details || !parts) return
    const printed = { document, digest, details, account, parts }
    if (!isShowable(printed))
      return toast("The PDF has no letters for some of these texts. Print the page instead.", { bad: true })
    setSaving(true)
    try {
      await savePdf(printed)
    } catch {
      toast("The PDF could not be made. Print the page instead.", { bad: true })
    } finally {
      setSaving(false)
    }
  }
  return (
    <div className="flex flex-wrap items-start justify-between gap-4">
      <address className="whitespace-pre-line not-italic">
        {details &&
          [details.company || account, details.address, details.tax_number && `Tax number: ${details.tax_number}`]
            .filter(Boolean)
            .join("\n")}
      </address>
      <div className="flex flex-wrap items-center gap-2 print:hidden">
        <TextLink to="/account" search={{ tab: "billing" }}>
          Billing details
        </TextLink>
        <Button onClick={() => print()}>Print</Button>
        <Button kind="primary" onClick={() => void save()} busy={isSaving} disabled={!details || !parts}>
          Save as PDF
        </Button>
      </div>
    </div>
  )
}
