import { useNavigate } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Member, Members } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { titleOf } from "../sign-in/account-list.tsx"
import { Button } from "../ui/button.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Menu } from "../ui/menu.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"
import { FactorRule } from "./factor-rule.tsx"
import { OpenInvitations } from "./invitations.tsx"
import { LeftKeys } from "./left-keys.tsx"
import { peoplePages } from "./pages.ts"
import { ROLE_LABELS } from "./role-words.ts"

const InviteDialog = lazyPart(() => import("./invite-dialog.tsx").then((module) => ({ default: module.InviteDialog })))
const MemberDialog = lazyPart(() => import("./member-dialog.tsx").then((module) => ({ default: module.MemberDialog })))
const LeaveDialog = lazyPart(() => import("./own-dialogs.tsx").then((module) => ({ default: module.LeaveDialog })))
const TransferDialog = lazyPart(() =>
  import("./own-dialogs.tsx").then((module) => ({ default: module.TransferDialog })),
)

type Open = { kind: "invite" | "leave" | "transfer" } | { kind: "role" | "remove"; member: Member } | null

/** The people of the account. */
export function PeoplePage() {
  const me = useRead("getMe")
  const members = useRead("listMembers")
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const isOwner = me.data?.account_role === "owner"
  const others = members.data?.members.filter(({ is_self }) => !is_self) ?? []
  return (
    <Page
      {...peoplePages.people}
      action={
        <Button kind="primary" icon="plus" does="inviteMember" onClick={() => setOpen({ kind: "invite" })}>
          Invite a person
        </Button>
      }
    >
      <Read of={members} rows={4}>
        {(data) => (
          <>
            <MemberTable data={data} ask={setOpen} />
            {isOwner && <OpenInvitations invitations={data.invitations} />}
            {data.keys_to_decide.length > 0 && <LeftKeys keys={data.keys_to_decide} />}
            <FactorRule of={data} />
          </>
        )}
      </Read>
      <Suspense>
        {open?.kind === "invite" && <InviteDialog onClose={close} />}
        {(open?.kind === "role" || open?.kind === "remove") && (
          <MemberDialog member={open.member} removes={open.kind === "remove"} onClose={close} />
        )}
        {open?.kind === "leave" && me.data && <LeaveDialog accountId={me.data.user.user_id} onClose={close} />}
        {open?.kind === "transfer" && <TransferDialog others={others} onClose={close} />}
      </Suspense>
    </Page>
  )
}

function MemberTable({ data: { members }, ask }: { data: Members; ask: (open: Open) => void }) {
  const navigate = useNavigate()
  const actionsOf = (member: Member) =>
    member.is_self
      ? [
          {
            label: "Hand the account over",
            does: "transferAccount" as const,
            disabled: members.length === 1,
            onSelect: () => ask({ kind: "transfer" }),
          },
          { label: "Leave the account", danger: true, onSelect: () => ask({ kind: "leave" }) },
        ]
      : [
          {
            label: "Change role",
            does: "updateMember" as const,
            onSelect: () => ask({ kind: "role", member }),
          },
          {
            label: "Show activity",
            onSelect: () => void navigate({ to: "/activity", search: { member: member.user_id } }),
          },
          {
            label: "Remove",
            does: "removeMember" as const,
            danger: true,
            onSelect: () => ask({ kind: "remove", member }),
          },
        ]
  const columns: Column<Member>[] = [
    {
      title: "Person",
      cell: (member) => (
        <span className="font-strong">
          {titleOf(member)}
          {member.is_self && <span className="font-normal text-muted"> (you)</span>}
        </span>
      ),
    },
    { title: "Email", cell: ({ email }) => email ?? "–" },
    { title: "Role", cell: ({ role }) => ROLE_LABELS[role] },
    {
      title: "Second factor",
      cell: ({ second_factor }) =>
        second_factor ? <Status word="set up" tone="ok" /> : <span className="text-muted">not set up</span>,
    },
    { title: "Since", right: true, cell: ({ joined_at }) => <Time at={joined_at} /> },
    {
      title: "Actions",
      actions: true,
      cell: (member) => <Menu label={`Actions of ${titleOf(member)}`} items={actionsOf(member)} />,
    },
  ]
  return (
    <Section title="Members">
      <Table
        caption="People of the account"
        rows={members}
        rowKey={({ user_id }) => String(user_id)}
        columns={columns}
      />
    </Section>
  )
}
