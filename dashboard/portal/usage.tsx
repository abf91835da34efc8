/** @jsxImportSource preact */
import type { PortalOverview } from "../../src/portal/answers.ts"
import { say } from "./texts.ts"
import { countText, dayText, Figure, moneyOf, Section } from "./values.tsx"

/** The amounts charged, by day. */
export function Usage({ of: { today_usd, month_usd, days } }: { of: NonNullable<PortalOverview["usage"]> }) {
  const most = Math.max(...days.map(({ charged_usd }) => charged_usd))
  const usd = moneyOf([today_usd, month_usd, ...days.map(({ charged_usd }) => charged_usd)])
  const first = days[0]?.day ?? ""
  return (
    <Section title="spend">
      <dl class="figures">
        <Figure label="today">{usd(today_usd)}</Figure>
        <Figure label="thisMonth">{usd(month_usd)}</Figure>
      </dl>
      {most === 0 ? (
        <p class="muted">{say("nothingCharged", days.length)}</p>
      ) : (
        <>
          <div class="chart" role="img" aria-label={say("chart", days.length, usd(most))}>
            {days.map(({ day, charged_usd }) => (
              <div key={day} title={`${dayText(day)}: ${usd(charged_usd)}`}>
                <div style={{ height: `${(charged_usd / most) * 100}%` }} class={charged_usd > 0 ? "some" : ""} />
              </div>
            ))}
          </div>
          <div class="axis" aria-hidden="true">
            <span>{dayText(first)}</span>
            <span>{say("todayNotOver")}</span>
          </div>
          <details>
            <summary>{say("asTable")}</summary>

            <table>
              <thead>
                <tr>
                  <th scope="col">{say("dayUtc")}</th>
                  <th scope="col">{say("requests")}</th>
                  <th scope="col">{say("charged")}</th>
                </tr>
              </thead>
              <tbody>
                {days
                  .filter(({ turns }) => turns > 0)
                  .reverse()
                  .map(({ day, turns, charged_usd }) => (
                    <tr key={day}>
                      <td>{dayText(day)}</td>
                      <td>{countText(turns)}</td>
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
