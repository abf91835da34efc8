import { useRouteContext, useSearch } from "@tanstack/react-router"
import { Suspense } from "react"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Page } from "../ui/page.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { Time } from "../ui/values.tsx"
import { accountPages } from "./pages.ts"
import type { AccountTab } from "./words.ts"

const SignIn = lazyPart(() => import("./sign-in-tab.tsx").then((module) => ({ default: module.SignInTab })))
const Sessions = lazyPart(() => import("./sessions-tab.tsx").then((module) => ({ default: module.SessionsTab })))
const Billing = lazyPart(() => import("./billing-tab.tsx").then((module) => ({ default: module.BillingTab })))
const Limits = lazyPart(() => import("./limits-tab.tsx").then((module) => ({ default: module.LimitsTab })))
const Alerts = lazyPart(() => import("./alerts-tab.tsx").then((module) => ({ default: module.AlertsTab })))
const Traces = lazyPart(() => import("./traces-tab.tsx").then((module) => ({ default: module.TracesTab })))

const TABS: [AccountTab, string, React.ComponentType][] = [
  ["sign-in", "Sign-in", SignIn],
  ["sessions", "Sessions", Sessions],
  ["billing", "Billing details", Billing],
  ["limits", "Default limits", Limits],
  ["alerts", "Alerts", Alerts],
  ["traces", "Traces", Traces],
]

export function AccountPage() {
  const { user } = useRouteContext({ from: "/app" })
  const { tab = "sign-in" } = useSearch({ from: "/app/account" })
  return (
    <Page {...accountPages.account}>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-muted">
        <span className="font-strong text-text">{user.name ?? user.email ?? `User ${user.user_id}`}</span>
        {user.email && (
          <span>
            {user.email}
            {user.email_verified ? ", verified" : ", not verified"}
          </span>
        )}
        <span>User {user.user_id}</span>
        {user.role === "admin" && <span>Admin</span>}
        <span>
          Created <Time at={user.created_at} />
        </span>
      </div>
      <Tabs
        label="Parts of the account"
        value={tab}
        tabs={TABS.map(([value, label, Content]) => ({
          value,
          label,
          content: () => (
            <Suspense fallback={<Skeleton rows={6} />}>
              <div className="flex flex-col gap-5">
                <Content />
              </div>
            </Suspense>
          ),
        }))}
      />
    </Page>
  )
}
