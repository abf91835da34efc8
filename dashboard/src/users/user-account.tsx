import { Suspense, useState } from "react"
import type { UserDetail } from "../api/operations.ts"
import { OperatorBilledChart } from "../operator/billed-chart.tsx"
import { OperatorPerson } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { KeyValues, Stat, Stats } from "../ui/facts.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Status } from "../ui/status.tsx"
import { Count, Money, Time } from "../ui/values.tsx"

const EditUser = lazyPart(() => import("./user-edit.tsx").then((file) => ({ default: file.OperatorEditUser })))
const Plan = lazyPart(() =>
  import("../subscriptions/user-plan.tsx").then((file) => ({ default: file.OperatorUserPlan })),
)

const limit = (usd: number | null) => (usd === null ? <span className="text-muted">no cap</span> : <Money usd={usd} />)

/** The balance, plan and details of an account. */
export function OperatorUserAccount({ of }: { of: UserDetail }) {
  const [editing, setEditing] = useState(false)
  return (
    <div className="flex flex-col gap-5">
      <Stats>
        <Stat label="Balance">
          <Money usd={of.wallet.balance_usd} />
        </Stat>
        <Stat label="Held by open turns">
          <Money usd={of.wallet.held_usd} />
        </Stat>
        <Stat label="Available">
          <Money usd={of.wallet.available_usd} />
        </Stat>
        <Stat label="Charged in 30 days">
          <Money usd={of.spend_30_days_usd} />
        </Stat>
      </Stats>
      <OperatorBilledChart userId={of.user_id} />
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
                        <OperatorPerson of={{ user_id: of.updated_by }} />
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
          <PlanOf of={of} />
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
                    <OperatorPerson key="by" of={{ user_id: of.referral.referred_by }} />
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

function PlanOf({ of }: { of: UserDetail }) {
  const [open, setOpen] = useState<"give" | "edit" | "end" | null>(null)
  const plan = of.subscription
  return (
    <Section
      title="Plan"
      action={
        plan ? (
          <span className="flex gap-2">
            <Button onClick={() => setOpen("edit")}>Change</Button>
            <Button kind="danger" onClick={() => setOpen("end")}>
              Deactivate
            </Button>
          </span>
        ) : (
          <Button onClick={() => setOpen("give")}>Assign a plan</Button>
        )
      }
    >
      {plan ? (
        <KeyValues
          entries={[
            [
              "Plan",
              <span key="plan" className="inline-flex items-center gap-2">
                {plan.plan} {plan.trial && <Status word="trial" />}
              </span>,
            ],
            ["Subscription id", <code key="id">{plan.sub_id}</code>],
            ["Since", <Time key="since" at={plan.starts_at} />],
            ["Ends", plan.ends_at ? <Time key="ends" at={plan.ends_at} /> : "no end date"],
          ]}
        />
      ) : (
        <p className="text-muted">No active plan.</p>
      )}
      {open && (
        <Suspense>
          <Plan userOf={of} what={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </Section>
  )
}
