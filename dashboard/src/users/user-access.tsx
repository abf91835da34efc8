import { Suspense, useState } from "react"
import type { UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { nameOf } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Time } from "../ui/values.tsx"

const Credentials = lazyPart(() => import("./user-credentials.tsx").then((file) => ({ default: file.UserCredentials })))

/** The sign-in methods and active sessions of a user. */
export function UserAccess({ of }: { of: UserDetail }) {
  const [open, setOpen] = useState<"login" | "sessions" | "acting" | null>(null)
  const name = nameOf(of)
  const end = useChange("endUserSessions")
  const endActing = useChange("endActing")
  const close = () => {
    end.reset()
    endActing.reset()
    setOpen(null)
  }
  return (
    <div className="flex flex-col gap-5">
      <Section title="Login" action={<Button onClick={() => setOpen("login")}>Change login</Button>}>
        <KeyValues
          entries={[
            ["Email", of.email ?? "–"],
            ["Password", of.has_password ? "set" : "none"],
            ["Messaging id", of.messenger_id ?? "–"],
          ]}
        />
      </Section>
      <Section title="Identities">
        <Table
          caption="Identities of the user"
          rows={of.identities}
          rowKey={({ identity_id }) => identity_id}
          empty={
            <p className="text-muted">
              No identities. The user has not linked a sign-in provider or the messaging platform.
            </p>
          }
          columns={[
            { title: "Issuer", cell: ({ issuer }) => <span className="break-all">{issuer}</span> },
            { title: "Subject", cell: ({ subject }) => <code className="break-all">{subject}</code> },
            { title: "Email", cell: ({ email }) => email ?? "–" },
            { title: "Linked", cell: ({ created_at }) => <Time at={created_at} /> },
            { title: "Last used", right: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
          ]}
        />
      </Section>
      <Section
        title="Sessions"
        action={
          <span className="flex gap-2">
            <Button onClick={() => setOpen("acting")}>End admin access</Button>
            <Button kind="danger" disabled={of.sessions.length === 0} onClick={() => setOpen("sessions")}>
              End all sessions
            </Button>
          </span>
        }
      >
        <Table
          caption="Active sessions of the user"
          rows={of.sessions}
          rowKey={({ session_id }) => session_id}
          empty={<p className="text-muted">No active sessions.</p>}
          columns={[
            {
              title: "Browser",
              cell: ({ user_agent }) => <span className="line-clamp-1 break-all">{user_agent ?? "–"}</span>,
            },
            { title: "IP address", cell: ({ address }) => <code>{address ?? "–"}</code> },
            { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
            { title: "Last used", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
            { title: "Expires", right: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
          ]}
        />
      </Section>
      {open === "login" && (
        <Suspense>
          <Credentials of={of} onClose={close} />
        </Suspense>
      )}
      <ConfirmDialog
        open={open === "sessions"}
        onClose={close}
        title={`End all sessions of ${name}?`}
        about="The user must sign in again on every device. API keys keep working."
        verb="End sessions"
        busy={end.isPending}
        error={end.error}
        onConfirm={() =>
          end.mutate(
            { path: { user_id: of.user_id } },
            {
              onSuccess: ({ ended }) => {
                toast(ended === 1 ? "1 session was ended." : `${ended} sessions were ended.`)
                close()
              },
            },
          )
        }
      />
      <ConfirmDialog
        open={open === "acting"}
        onClose={close}
        title={`End all admin access to ${name}?`}
        about="Admins who act as this user lose access with their next request."
        verb="End access"
        busy={endActing.isPending}
        error={endActing.error}
        onConfirm={() =>
          endActing.mutate(
            { path: { user_id: of.user_id } },
            {
              onSuccess: ({ ended }) => {
                toast(ended === 0 ? "No admin was acting as this user." : `Admin access ended: ${ended}.`)
                close()
              },
            },
          )
        }
      />
    </div>
  )
}
