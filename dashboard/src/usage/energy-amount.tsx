/** An exact amount of energy. Digits after the second decimal are dimmed. 10 energy are 1 USD. */
export function EnergyAmount({ energy }: { energy: number | null }) {
  if (energy === null) return <span className="text-muted">–</span>
  const [whole = "0", decimals = ""] = Math.abs(energy).toFixed(6).split(".")
  const exact = decimals.slice(2).replace(/0+$/, "")
  return (
    <span className="whitespace-nowrap">
      {energy < 0 ? "−" : ""}
      {Number(whole).toLocaleString("en-US")}.{decimals.slice(0, 2)}
      {exact && <span className="text-muted">{exact}</span>}
    </span>
  )
}
