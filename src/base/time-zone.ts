/** True for a time zone of the IANA database that this runtime knows. */
export function isTimeZone(name: unknown): name is string {
  if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name })
    return true
  } catch {
    return false
  }
}

const FIELDS = {
  ...{ year: "numeric", month: "2-digit", day: "2-digit", weekday: "long" },
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "longOffset" },
} as const satisfies Intl.DateTimeFormatOptions

/** A moment in a time zone: `now` as RFC 3339 with its offset, and `today` as a date, both with the day of the week. */
export function localTimes(moment: Date, timeZone: string): { now: string; today: string } {
  const parts = new Intl.DateTimeFormat("en-US", { ...FIELDS, timeZone }).formatToParts(moment)
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? ""
  const offset = part("timeZoneName").replace("GMT", "").replace("\u2212", "-") || "+00:00"
  const day = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`
  const time = `${part("hour")}:${part("minute")}:${part("second")}`
  return { now: `${day}T${time}${offset} (${part("weekday")})`, today: `${day} (${part("weekday")})` }
}
