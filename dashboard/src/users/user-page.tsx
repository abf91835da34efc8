import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { UserDetail } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { EnergyOfUser } from "../credit/user-energy.tsx"
import { nameOf } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { Id } from "../ui/values.tsx"
import { ActDialog } from "./act-dialog.tsx"
import { usersPages } from "./pages.ts"
import { UserAccess } from "./user-access.tsx"
import { UserAccount } from "./user-account.tsx"
import { UserEndUsers } from "./user-end-users.tsx"
import { UserHistory } from "./user-history.tsx"
import { UserSpaces } from "./user-spaces.tsx"

const Credit = lazyPart(() => import("../credit/user-credit.tsx").then((file) => ({ default: file.UserCredit })))
const Block = lazyPart(() => import("./block-dialog.tsx").then((file) => ({ default: file.BlockDialog })))
const route = getRouteApi("/app/admin/operator/users/$userId")

export function UserPage() {
  const { userId } = route.useParams()
  const user = useRead("getUser", { path: { user_id: Number(userId) } })
  return (
    <Page
      title={user.data ? nameOf(user.data) : `User ${userId}`}
      about={user.data ? <Facts of={user.data} /> : usersPages.user.about}
      above={<TextLink to="/operator/users">Users</TextLink>}
      action={user.data && <Actions of={user.data} />}
    >
      <Read of={user} rows={10}>
        {(data) => <Parts of={data} />}
      </Read>
    </Page>
  )
}

function Facts({ of }: { of: UserDetail }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Id id={String(of.user_id)} />
      <Status word={of.disabled_at ? "disabled" : "active"} />
      {of.role === "admin" && <Status word="admin" />}
      {of.email && <span className="break-all">{of.email}</span>}
    </span>
  )
}

function Actions({ of }: { of: UserDetail }) {
  const [open, setOpen] = useState<"credit" | "act" | "block" | null>(null)
  return (
    <>
      {of.role !== "admin" && !of.disabled_at && <Button onClick={() => setOpen("act")}>Act as</Button>}
      <Button kind={of.disabled_at ? "plain" : "danger"} onClick={() => setOpen("block")}>
        {of.disabled_at ? "Enable" : "Block"}
      </Button>
      <Button kind="primary" icon="plus" onClick={() => setOpen("credit")}>
        Book credit
      </Button>
      {open === "act" && <ActDialog of={of} onClose={() => setOpen(null)} />}
      {open === "credit" && (
        <Suspense>
          <Credit of={of} onClose={() => setOpen(null)} />
        </Suspense>
      )}
      {open === "block" && (
        <Suspense>
          <Block of={of} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  )
}

function Parts({ of }: { of: UserDetail }) {
  const { tab = "account" } = route.useSearch()
  return (
    <Tabs
      label="Sections of the user"
      value={tab}
      tabs={[
        { value: "account", label: "Account", content: () => <UserAccount of={of} /> },
        { value: "spaces", label: "Spaces", content: () => <UserSpaces userId={of.user_id} /> },
        { value: "end-users", label: "End users", content: () => <UserEndUsers userId={of.user_id} /> },
        { value: "energy", label: "Energy and ledger", content: () => <EnergyOfUser userId={of.user_id} /> },
        { value: "access", label: "Access", content: () => <UserAccess of={of} /> },
        { value: "history", label: "History", content: () => <UserHistory userId={of.user_id} /> },
      ]}
    />
  )
}
