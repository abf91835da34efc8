/** @jsxImportSource preact */
import type { PortalOverview } from "../../src/portal/answers.ts"
import { dayText, Figure, Section, usd } from "./values.tsx"

/** The amounts charged, by day. */
export function Usage({ of: { today_usd, month_usd, days } }: { of: NonNullable<PortalOverview["usage"]> }) {
  const most = Math.max(...days.map(({ charged_usd }) => charged_usd))
  const first = days[0]?.day ?? ""
  return (
    <Section title="Spend">
      <dl class="figures">
        <Figure label="Today (UTC)">{usd(today_usd)}</Figure>
        <Figure label="This month">{usd(month_usd)}</Figure>
      </dl>
      {most === 0 ? (
        <p class="muted">Nothing was charged in the last {days.length} days.</p>
      ) : (
        <>
          <div
            class="chart"
            role="img"
            aria-label={`Spend on each of the last ${days.length} days, at most ${usd(most)}`}
          >
            {days.map(({ day, charged_usd }) => (
              <div key={day} title={`${dayText(day)}: ${usd(charged_usd)}`}>
                <div style={{ height: `${(charged_usd / most) * 100}%` }} class={charged_usd > 0 ? "some" : ""} />
              </div>
            ))}
          </div>
          <div class="axis" aria-hidden="true">
            <span>{dayText(first)}</span>
            <span>Today, not over yet</span>
          </div>
          <details>
            <summary>Show as a table</summary>

            <table>
              <thead>
                <tr>
                  <th scope="col">Day (UTC)</th>
                  <th scope="col">Turns</th>
                  <th scope="col">Charged</th>
                </tr>
              </thead>
              <tbody>
                {days
                  .filter(({ turns }) => turns > 0)
                  .reverse()
                  .map(({ day, turns, charged_usd }) => (
                    <tr key={day}>
                      <td>{dayText(day)}</td>
                      <td>{turns}</td>
                      <td>{usd(charged_usd)}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </Section>
  )
}
