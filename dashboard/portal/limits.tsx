/** @jsxImportSource preact */
import type { PortalLimit, PortalOverview } from "../../src/portal/answers.ts"
import { Moment, Section, usd } from "./values.tsx"

const NAMES: Record<PortalLimit["period"], string> = { day: "Daily limit", month: "Monthly limit" }

/** What is left of the limits. */
export const Limits = ({ of: { blocked, limits } }: { of: NonNullable<PortalOverview["limits"]> }) => (
  <Section title="Limits">
    {blocked && <p class="warn">New requests are paused for you.</p>}
    {limits.length === 0 && !blocked && <p class="muted">No limit applies to you.</p>}
    {limits.map((limit) => (
      <Limit key={limit.period} of={limit} />
    ))}
  </Section>
)

function Limit({ of: { period, limit_usd, left_usd, left_share, resets_at } }: { of: PortalLimit }) {
  const share = Math.round(left_share * 100)
  const left =
    limit_usd === null || left_usd === null ? `${share} % left` : `${usd(left_usd)} of ${usd(limit_usd)} left`
  return (
    <div class="limit">
      <div class="line">
        <span>{NAMES[period]}</span>
        <span>{left}</span>
      </div>
      <div class="meter" aria-hidden="true">
        <div style={{ width: `${share}%` }} />
      </div>
      {resets_at && (
        <p class="muted">
          Resets <Moment at={resets_at} />
        </p>
      )}
    </div>
  )
}
