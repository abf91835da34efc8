import { ChoiceFilter } from "../ui/filter-bar.tsx"

const LIMITS = [10, 20, 50, 100]
const usual = 20

/** How many are listed by name; the rest is one line. */
export const LimitFilter = ({ limit }: { limit: number }) => (
  <ChoiceFilter
    label="How many"
    name="limit"
    value={limit === usual ? undefined : String(limit)}
    all={`The first ${usual}`}
    options={LIMITS.filter((one) => one !== usual).map((one) => [String(one), `The first ${one}`] as const)}
  />
)
