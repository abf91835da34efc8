import { Suspense, useState } from "react"
import type { Secret } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"
import { RowActions } from "./row-actions.tsx"
import { isChangeable, type SpaceTabProps, useSpaceInput } from "./space-parts.ts"

const SecretForm = lazyPart(() => import("./secret-form.tsx").then((module) => ({ default: module.PutSecretDialog })))
const RemoveDialog = lazyPart(() =>
  import("./remove-dialog.tsx").then((module) => ({ default: module.RemoveFromSpaceDialog })),
)

const curlOf = (space: string) =>
  wholeCurl(`/v1/spaces/${space}/secrets/SHOP_TOKEN`, { method: "PUT", body: { value: "your-token" } })

type Opened = { kind: "put"; name: string | null } | { kind: "delete"; name: string }

export function SecretsTab({ space }: SpaceTabProps) {
  const secrets = useRead("listSecrets", useSpaceInput())
  const [opened, setOpened] = useState<Opened | null>(null)
  const can = isChangeable(space)
  const columns: Column<Secret>[] = [
    { title: "Name", cell: ({ name }) => <code className="font-strong">{name}</code> },
    { title: "Placeholder", cell: ({ name }) => <code className="text-muted">{`{{secrets.${name}}}`}</code> },
    { title: "Updated", right: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
    { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Actions",
      actions: true,
      cell: ({ name }) =>
        can && (
          <RowActions
            of={`the secret ${name}`}
            does={{ edit: "putSecret", delete: "deleteSecret" }}
            edit="Set a new value"
            onEdit={() => setOpened({ kind: "put", name })}
            onDelete={() => setOpened({ kind: "delete", name })}
          />
        ),
    },
  ]
  return (
    <Section
      title="Secrets"
      action={
        can && (
          <Button does="putSecret" icon="plus" onClick={() => setOpened({ kind: "put", name: null })}>
            Add a secret
          </Button>
        )
      }
    >
      <p className="max-w-[72ch] text-muted">
        Values are stored encrypted and never shown. Each value is sent only to the origin of a tool or server that uses
        it.
      </p>
      <Read of={secrets}>
        {({ items }) => (
          <Table
            caption="Secrets of the space"
            rows={items}
            rowKey={({ name }) => name}
            columns={columns}
            empty={
              <EmptyState title="No secrets yet" curl={curlOf(space.space_id)}>
                Add the credentials of your API, and use their placeholders in the headers of a tool.
              </EmptyState>
            }
          />
        )}
      </Read>
      <Suspense>
        {opened?.kind === "put" && (
          <SecretForm
            name={opened.name}
            taken={secrets.data?.items.map(({ name }) => name) ?? []}
            onClose={() => setOpened(null)}
          />
        )}
        {opened?.kind === "delete" && (
          <RemoveDialog
            operation="deleteSecret"
            what="secret"
            name={opened.name}
            about="The value is deleted permanently. Tools that use it fail until you add it again."
            onClose={() => setOpened(null)}
          />
        )}
      </Suspense>
    </Section>
  )
}
