import { Suspense, useState } from "react"
import type { Subscription, UserDetail } from "../api/operations.ts"
import { BilledChart } from "../operator/billed-chart.tsx"
import { PersonName } from "../operator/parts.tsx"
import { PlansOfUser } from "../subscriptions/subscription-table.tsx"
import { Button } from "../ui/button.tsx"
import { KeyValues, Stat, Stats } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Status } from "../ui/status.tsx"
import { Count, Money, MoneyFigure, Time } from "../ui/values.tsx"

const EditUser = lazyPart(() => import("./user-edit.tsx").then((file) => ({ default: file.EditUser })))
const Plan = lazyPart(() => import("../subscriptions/user-plan.tsx").then((file) => ({ default: file.UserPlan })))

const limit = (usd: number | null) => (usd === null ? <span className="text-muted">no cap</span> : <Money usd={usd} />)

/** The balance, plans and details of an account. */
export function UserAccount({ of }: { of: UserDetail }) {
  const [editing, setEditing] = useState(false)
  return (
    <div className="flex flex-col gap-5">
      <Stats>
        <Stat label="Balance">
          <MoneyFigure usd={of.wallet.balance_usd} />
        </Stat>
        <Stat label="Held by open turns">
          <MoneyFigure usd={of.wallet.held_usd} />
        </Stat>
        <Stat label="Available">
          <MoneyFigure usd={of.wallet.available_usd} />
        </Stat>
        <RecentSpend of={of} />
      </Stats>
      <BilledChart userId={of.user_id} />
      <PlansOf of={of} />
      <div className="grid gap-x-10 gap-y-5 xl:grid-cols-2">
        <Section title="Account" action={<Button onClick={() => setEditing(true)}>Edit</Button>}>
          <KeyValues
            entries={[
              ["Name", of.name ?? "–"],
              [
                "Email",
                of.email ? (
                  <span key="email" className="inline-flex flex-wrap items-center gap-2">
                    <span className="break-all">{of.email}</span>
                    <Status
                      word={of.email_verified ? "verified" : "not verified"}
                      tone={of.email_verified ? "ok" : "warn"}
                    />
                  </span>
                ) : (
                  "–"
                ),
              ],
              ["Messaging id", of.messenger_id ?? "–"],
              ["Role", of.role],
              ["Brand", of.brand],
              ["Created", <Time key="joined" at={of.created_at} />],
              ["Disabled", of.disabled_at ? <Time key="disabled" at={of.disabled_at} /> : undefined],
              [
                "Last changed",
                of.updated_at ? (
                  <>
                    <Time at={of.updated_at} />
                    {of.updated_by && (
                      <>
                        {" by "}
                        <PersonName of={{ user_id: of.updated_by }} />
                      </>
                    )}
                  </>
                ) : (
                  "–"
                ),
              ],
            ]}
          />
        </Section>
        <div className="flex flex-col gap-5">
          <Section title="Limits and groups">
            <KeyValues
              entries={[
                ["Low balance alert", of.low_balance_usd > 0 ? <Money key="low" usd={of.low_balance_usd} /> : "never"],
                ["Daily cap per end user", limit(of.end_user_daily_usd)],
                ["Monthly cap per end user", limit(of.end_user_monthly_usd)],
                [
                  "Teams",
                  of.teams.length === 0
                    ? "–"
                    : of.teams.map(({ team_id, name }) => (
                        <TextLink
                          key={team_id}
                          to="/operator/teams/$teamId"
                          params={{ teamId: String(team_id) }}
                          className="mr-3"
                        >
                          {name}
                        </TextLink>
                      )),
                ],
                [
                  "Workspaces",
                  of.workspaces.length === 0
                    ? "–"
                    : of.workspaces.map(({ workspace_id, name }) => (
                        <TextLink
                          key={workspace_id}
                          to="/operator/workspaces/$workspaceId"
                          params={{ workspaceId: workspace_id }}
                          className="mr-3"
                        >
                          {name}
                        </TextLink>
                      )),
                ],
                ["Referral code", <code key="code">{of.referral.ref_code}</code>],
                [
                  "Referred by",
                  of.referral.referred_by === null ? (
                    "–"
                  ) : (
                    <PersonName key="by" of={{ user_id: of.referral.referred_by }} />
                  ),
                ],
                ["Referred users", <Count key="referred" value={of.referral.referred} />],
              ]}
            />
          </Section>
        </div>
      </div>
      {editing && (
        <Suspense>
          <EditUser of={of} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </div>
  )
}

const RecentSpend = ({ of }: { of: UserDetail }) => (
  <Stat
    label="Billed in 30 days (UTC)"
    hint={
      of.refunded_30_days_usd > 0 && (
        <>
          <MoneyFigure usd={of.refunded_30_days_usd} /> refunded, <MoneyFigure usd={of.net_30_days_usd} /> net
        </>
      )
    }
  >
    <MoneyFigure usd={of.spend_30_days_usd} />
  </Stat>
)

interface OpenPlan {
  what: "give" | "edit" | "end"
  of: Subscription | null
}

function PlansOf({ of }: { of: UserDetail }) {
  const [open, setOpen] = useState<OpenPlan | null>(null)
  return (
    <Section
      title="Subscriptions"
      action={<Button onClick={() => setOpen({ what: "give", of: null })}>Assign a plan</Button>}
    >
      <PlansOfUser
        of={of.subscriptions}
        actions={(one) =>
          one.deactivated_at === null && (
            <span className="flex justify-end gap-2">
              <Button
                aria-label={`Change the plan ${one.plan} (${one.sub_id})`}
                onClick={() => setOpen({ what: "edit", of: one })}
              >
                Change
              </Button>
              <Button
                kind="danger"
                aria-label={`Deactivate the plan ${one.plan} (${one.sub_id})`}
                onClick={() => setOpen({ what: "end", of: one })}
              >
                Deactivate
              </Button>
            </span>
          )
        }
      />
      {open && (
        <Suspense>
          <Plan userOf={of} what={open.what} of={open.of} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </Section>
  )
}
