import { ChoiceFilter } from "../ui/filter-bar.tsx"

const LIMITS = [10, 20, 50, 100]
const usual = 20

/** How many rows have a name of their own; all others are summed in one row. */
export const LimitFilter = ({ limit }: { limit: number }) => (
  <ChoiceFilter
    label="Rows"
    name="limit"
    value={limit === usual ? undefined : String(limit)}
    all={`Top ${usual}`}
    options={LIMITS.filter((one) => one !== usual).map((one) => [String(one), `Top ${one}`] as const)}
  />
)
