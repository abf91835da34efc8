/** @jsxImportSource preact */
import type { PortalLimit, PortalOverview } from "../../src/portal/answers.ts"
import { say } from "./texts.ts"
import { Moment, moneyOf, Section, shareText } from "./values.tsx"

/** What is left of the limits. */
export const Limits = ({ of: { blocked, limits, rates } }: { of: NonNullable<PortalOverview["limits"]> }) => (
  <Section title="limits">
    {blocked && <p class="warn">{say("paused")}</p>}
    {limits.length === 0 && rates.length === 0 && !blocked && <p class="muted">{say("noLimit")}</p>}
    {limits.map((limit) => (
      <Limit key={limit.period} of={limit} />
    ))}
    {rates.map(({ kind, most, used }) => (
      <div class="line" key={kind}>
        <span>{say(`rate_${kind}`)}</span>
        <span>{used === null ? most : say("usedOf", String(used), String(most))}</span>
      </div>
    ))}
  </Section>
)

function Limit({ of: { period, limit_usd, left_usd, left_share, resets_at } }: { of: PortalLimit }) {
  const share = Math.round(left_share * 100)
  const usd = moneyOf([limit_usd ?? 0, left_usd ?? 0])
  const left =
    limit_usd === null || left_usd === null
      ? say("leftShare", shareText(left_share))
      : say("leftOf", usd(left_usd), usd(limit_usd))
  return (
    <div class="limit">
      <div class="line">
        <span>{say(period)}</span>
        <span>{left}</span>
      </div>
      <div class="meter" aria-hidden="true">
        <div style={{ width: `${share}%` }} />
      </div>
      {resets_at && (
        <p class="muted">
          <Moment at={resets_at} text="resets" />
        </p>
      )}
    </div>
  )
}
