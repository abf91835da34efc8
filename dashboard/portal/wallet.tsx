/** @jsxImportSource preact */
import type { PortalOverview } from "../../src/portal/answers.ts"
import { say } from "./texts.ts"
import { Figure, Moment, moneyOf, Section } from "./values.tsx"

/** The prepaid balance and its last entries. */
export function Wallet({ of: wallet }: { of: NonNullable<PortalOverview["wallet"]> }) {
  if (wallet === "none")
    return (
      <Section title="balance">
        <p class="muted">{say("noBalance")}</p>
      </Section>
    )
  const { available_usd, held_usd, entries } = wallet
  const usd = moneyOf([available_usd, held_usd, ...entries.map(({ amount_usd }) => amount_usd)])
  return (
    <Section title="balance">
      <dl class="figures">
        <Figure label="available">{usd(available_usd)}</Figure>
        {held_usd > 0 && <Figure label="reserved">{usd(held_usd)}</Figure>}
      </dl>
      {entries.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{say("time")}</th>
              <th scope="col">{say("entry")}</th>
              <th scope="col">{say("amount")}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ id, at, reason, amount_usd }) => (
              <tr key={id}>
                <td>
                  <Moment at={at} />
                </td>
                <td>{isReason(reason) ? say(reason) : reason}</td>
                <td>{usd(amount_usd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}

const isReason = (reason: string) => reason === "credit" || reason === "usage" || reason === "correction"
