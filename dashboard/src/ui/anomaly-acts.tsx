import type { Anomaly } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "./button.tsx"
import { ErrorState } from "./error-state.tsx"
import { TextLink } from "./link.tsx"
import { toast } from "./toast.tsx"

type ActsProps = Pick<Anomaly, "anomaly_id" | "end_user_ref" | "key_id" | "space" | "from" | "to">

/** A link to the turns of an anomaly, and a button that dismisses it. */
export function AnomalyActs({ anomaly_id, end_user_ref, key_id, space, from, to }: ActsProps) {
  const put = useChange("putAnomaly", { changes: ["listAnomalies", "getAttention", "listActivity"] })
  const dismiss = () =>
    put.mutate(
      { path: { anomaly_id }, body: { state: "dismissed" } },
      { onSuccess: () => toast("The anomaly is dismissed.") },
    )
  return (
    <>
      <TextLink
        to="/turns"
        search={{
          created_after: from,
          created_before: to,
          sort: "cost",
          end_user_ref: end_user_ref ?? undefined,
          key: key_id ?? undefined,
          space: space ?? undefined,
        }}
      >
        View its turns
      </TextLink>
      <Button does="putAnomaly" busy={put.isPending} onClick={dismiss}>
        Dismiss
      </Button>
      {put.error && <ErrorState error={put.error} />}
    </>
  )
}
