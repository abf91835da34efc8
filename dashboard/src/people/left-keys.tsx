import { Suspense, useState } from "react"
import type { Members } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import type { KeyChange } from "../integrations/key-dialogs.tsx"
import { KeyMenu } from "../integrations/key-menu.tsx"
import { Button } from "../ui/button.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Time } from "../ui/values.tsx"

const KeyDialog = lazyPart(() =>
  import("../integrations/key-dialogs.tsx").then((module) => ({ default: module.KeyDialog })),
)

/** Working keys whose values are known to people who have left, or have fewer rights now. */
export function LeftKeys({ keys }: { keys: Members["keys_to_decide"] }) {
  const keep = useChange("keepKey", { changes: ["listMembers"], onAnswer: ({ name }) => toast(`${name} is kept.`) })
  const [asked, setAsked] = useState<KeyChange | null>(null)
  return (
    <Section title="Keys to decide about">
      <p className="max-w-[72ch] text-muted">
        People who have left, or who have fewer rights now, know the values of these keys. Rotate without an overlap,
        revoke or keep each.
      </p>
      <Table
        caption="Keys to decide about"
        rows={keys}
        rowKey={({ key_id }) => key_id}
        columns={[
          {
            title: "Key",
            cell: ({ key_id, name }) => (
              <TextLink to="/keys/$keyId" params={{ keyId: key_id }}>
                {name}
              </TextLink>
            ),
          },
          { title: "Known to", cell: ({ made_by }) => made_by ?? "–" },
          {
            title: "Value",
            cell: ({ hint, known_value }) =>
              known_value === "former" ? "An old value" : <code className="break-all">{hint}</code>,
          },
          { title: "Last used", right: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
          {
            title: "Actions",
            actions: true,
            cell: ({ made_by: _maker, known_value: _known, ...apiKey }) => (
              <span className="inline-flex items-center">
                <Button
                  kind="quiet"
                  does="keepKey"
                  aria-label={`Keep the key ${apiKey.name}`}
                  busy={keep.isPending && keep.variables?.path.key_id === apiKey.key_id}
                  onClick={() => keep.mutate({ path: { key_id: apiKey.key_id }, query: {} })}
                >
                  Keep
                </Button>
                <KeyMenu apiKey={apiKey} ask={setAsked} />
              </span>
            ),
          },
        ]}
      />
      {keep.error && <ErrorState error={keep.error} />}
      <Suspense>{asked && <KeyDialog {...asked} onClose={() => setAsked(null)} />}</Suspense>
    </Section>
  )
}
