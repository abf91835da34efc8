import { ENERGY } from "../ui/numbers.ts"
import { ExactNumber, RoundedNumber } from "../ui/values.tsx"

/** An exact amount of energy. 10 energy are 1 USD. */
export const EnergyAmount = ({ energy }: { energy: number | null }) => <ExactNumber value={energy} form={ENERGY} />

/** The same in a headline. */
export const EnergyFigure = ({ energy }: { energy: number }) => <RoundedNumber value={energy} form={ENERGY} />
