/** @jsxImportSource preact */
import type { PortalOverview } from "../../src/portal/answers.ts"
import { Figure, Moment, Section, usd } from "./values.tsx"

/** The prepaid balance and its last entries. */
export function Wallet({ of: wallet }: { of: NonNullable<PortalOverview["wallet"]> }) {
  if (wallet === "none")
    return (
      <Section title="Balance">
        <p class="muted">You have no prepaid balance.</p>
      </Section>
    )
  return (
    <Section title="Balance">
      <dl class="figures">
        <Figure label="Available">{usd(wallet.available_usd)}</Figure>
        {wallet.held_usd > 0 && <Figure label="Reserved for running requests">{usd(wallet.held_usd)}</Figure>}
      </dl>
      {wallet.entries.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Entry</th>
              <th scope="col">Amount</th>
            </tr>
          </thead>
          <tbody>
            {wallet.entries.map(({ id, at, reason, amount_usd }) => (
              <tr key={id}>
                <td>
                  <Moment at={at} />
                </td>
                <td>{REASONS[reason] ?? reason}</td>
                <td>{usd(amount_usd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}

const REASONS: Record<string, string> = { credit: "Credit", usage: "Request", correction: "Correction" }
