import { Suspense, useState } from "react"
import type { Workspace } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { Status } from "../ui/status.tsx"

const BotForm = lazyPart(() => import("./workspace-bot-form.tsx").then((file) => ({ default: file.BotForm })))

/** The bot of the workspace, with a test that asks the messaging platform for it. */
export function BotOfWorkspace({ of }: { of: Workspace }) {
  const [editing, setEditing] = useState(false)
  const test = useChange("testWorkspaceBot", { changes: ["listAudit"] })
  const { data: tested } = test
  return (
    <Section
      title="Bot"
      action={
        <span className="flex gap-2">
          <Button
            disabled={!of.bot.has_token}
            busy={test.isPending}
            onClick={() => test.mutate({ path: { workspace_id: of.workspace_id } })}
          >
            Test bot
          </Button>
          <Button onClick={() => setEditing(true)}>{of.bot.has_token ? "Change bot" : "Set bot"}</Button>
        </span>
      }
    >
      <KeyValues
        entries={[
          ["Username", of.bot.username ? `@${of.bot.username}` : "–"],
          ["Token", of.bot.has_token ? "stored, never shown" : "none"],
          [
            "Test",
            tested ? (
              <span key="test" role="status" className="inline-flex flex-wrap items-center gap-2">
                <Status
                  word={tested.ok ? (tested.matches ? "works" : "another bot") : "failed"}
                  tone={tested.ok ? (tested.matches ? "ok" : "warn") : "bad"}
                />
                {tested.message}
                {tested.username && <span className="text-muted">@{tested.username}</span>}
              </span>
            ) : undefined,
          ],
        ]}
      />
      {test.error && <ErrorState error={test.error} />}
      {editing && (
        <Suspense>
          <BotForm of={of} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </Section>
  )
}
