import { dayNumber, weekdayOf } from "../../src/spending/pace.ts"
import { createRandom } from "./random.ts"

/** The first day of the year, in days since 1970. It has 60 days before it, in which accounts also spend. */
export const YEAR = dayNumber(new Date("2025-01-01T00:00:00Z"))
export const YEAR_DAYS = 365
const LEAD_DAYS = 60

export interface SimulatedAccount {
  /** The first day of all `amounts`. */
  first: number
  /** The spend of each customer on each day, in credit micros. */
  customers: { ref: string; amounts: number[]; spikes: Set<number> }[]
}

/** Days of the year on which fewer people work. */
const HOLIDAYS = [0, 1, 107, 110, 120, 148, 226, 275, 357, 358, 359, 360, 363, 364]

/**
 * Accounts with a weekly rhythm, growth or decline, holidays and noise. Each customer spends tenfold on a few days, at
 * least four weeks apart. The same seed gives the same year.
 */
export function simulateYear(accounts: number): SimulatedAccount[] {
  const random = createRandom("a year of accounts")
  const unit = () => random.int(1_000_000) / 1_000_000
  const normal = () => Math.sqrt(-2 * Math.log(unit() || 1e-6)) * Math.cos(2 * Math.PI * unit())
  return Array.from({ length: accounts }, () => {
    const weekend = 0.15 + unit()
    const growth = -0.02 + unit() * 0.14
    const noise = 0.15 + unit() * 0.3
    const people = 3 + random.int(25)
    const first = YEAR - LEAD_DAYS
    const customers = Array.from({ length: people }, (_, place) => {
      const usual = (60_000_000 * (0.5 + unit())) / (place + 1)
      const spikes = new Set<number>()
      if (random.int(3) === 0) spikes.add(YEAR + 30 + random.int(150)).add(YEAR + 210 + random.int(150))
      const amounts = Array.from({ length: LEAD_DAYS + YEAR_DAYS }, (_day, index) => {
        const day = first + index
        const rhythm = weekdayOf(day) < 5 ? 1 : weekend
        const holiday = HOLIDAYS.includes(day - YEAR) ? 0.3 : 1
        const trend = (1 + growth) ** (index / 30)
        const amount = usual * rhythm * holiday * trend * Math.exp(noise * normal())
        return Math.round(spikes.has(day) ? usual * rhythm * trend * 10 : amount)
      })
      return { ref: `customer-${place + 1}`, amounts, spikes }
    })
    return { first, customers }
  })
}

/** The spend of an account on each day. */
export const spendByDay = ({ customers }: SimulatedAccount): number[] =>
  (customers[0]?.amounts ?? []).map((_amount, day) =>
    customers.reduce((sum, { amounts }) => sum + (amounts[day] ?? 0), 0),
  )
