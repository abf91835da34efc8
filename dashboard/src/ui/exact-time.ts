/** The zone of exact times: UTC, in which the service counts days and months, or that of the browser. */
export type Zone = "utc" | "local"

/** An instant in UTC, to the second. */
export const exactUtc = (at: string) => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`

/** An instant in the zone of the browser, or in the given one, with the short form of the zone. */
export function exactLocal(at: string, timeZone?: string): string {
  const zone = { timeZone, hourCycle: "h23" } as const
  const date = new Date(at)
  const named = new Intl.DateTimeFormat("en-US", { ...zone, timeZoneName: "short" }).formatToParts(date)
  const text = new Intl.DateTimeFormat("sv-SE", { ...zone, dateStyle: "short", timeStyle: "medium" }).format(date)
  return `${text} ${named.find(({ type }) => type === "timeZoneName")?.value ?? ""}`.trim()
}

/** An instant in the chosen zone, and in the other one. */
export const exactIn = (zone: Zone, at: string) => (zone === "utc" ? exactUtc(at) : exactLocal(at))
export const otherOf = (zone: Zone, at: string) => (zone === "utc" ? exactLocal(at) : exactUtc(at))
