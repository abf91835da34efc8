import { type CallCountName, countOf, type ModelUsage } from "../agent/token-names.ts"
import { composed } from "../base/casts.ts"
import { MICROS_PER_USD, toUsd } from "../base/money.ts"

/** Where the price of a component applies, and which units it prices. */
export interface PriceComponent {
  /** The models that have it: calls of chat models, or pictures. */
  kind: "chat" | "image"
  /** The units that one price is for. */
  per: number
  /**
   * The number of its units in a model call. Without one: one picture. Units that are part of another count are priced
   * once, with this component, or with the price of that one if this has none.
   */
  count?: CallCountName
  /** A part of the prompt, so that each prompt token could cost as much. */
  inPrompt?: true
  /** A part of the output, so that each output token could cost as much. */
  inOutput?: true
  /** The name in receipts and bills. */
  line: string
  /** The name in forms and tables. */
  label: string
  /** The name of one unit in requests and in fields of the catalog: `price_usd_per_picture`. Only if `per` is 1. */
  unit?: string
  /** The priced units, for descriptions: "USD per million output tokens". */
  about: string
  whenNull?: string
  /** A price in USD, for examples. */
  example: number
}

export const PER_TOKENS = 1_000_000
const TOKENS = { kind: "chat", per: PER_TOKENS } as const

/**
 * The price of a model is a list of these components, in credit micros. Each has the column `price_<name>` of
 * model_catalog and former_prices; a null price is the one of the component that its units are part of. Cost, bounds,
 * bills, the catalog and lines of receipts follow this declaration. Digests of receipts depend on its order.
 */
export const COMPONENTS = {
  input: {
    ...TOKENS,
    count: "tokensInput",
    inPrompt: true,
    line: "input",
    label: "Input",
    about: "input tokens",
    example: 1,
  },
  cached: {
    ...TOKENS,
    count: "tokensCached",
    inPrompt: true,
    line: "cached",
    label: "Cached input",
    about: "prompt tokens that the provider read from its cache",
    example: 0.1,
  },
  cache_write: {
    ...TOKENS,
    count: "tokensCacheWritten",
    inPrompt: true,
    line: "cache_written",
    label: "Cache writes, five minutes",
    about: "prompt tokens that the provider writes to its cache",
    whenNull: "same as `input`",
    example: 1.25,
  },
  cache_write_hour: {
    ...TOKENS,
    count: "tokensCacheWrittenHour",
    inPrompt: true,
    line: "cache_written_hour",
    label: "Cache writes, one hour",
    about: "prompt tokens that the cache keeps for an hour instead of five minutes",
    whenNull: "the hour is never requested",
    example: 2,
  },
  audio_input: {
    ...TOKENS,
    count: "tokensAudio",
    inPrompt: true,
    line: "audio_input",
    label: "Audio input",
    about: "prompt tokens of audio",
    whenNull: "same as `input`",
    example: 10,
  },
  output: {
    ...TOKENS,
    count: "tokensOutput",
    inOutput: true,
    line: "output",
    label: "Output",
    about: "output tokens",
    example: 5,
  },
  reasoning: {
    ...TOKENS,
    count: "tokensReasoning",
    inOutput: true,
    line: "reasoning",
    label: "Reasoning",
    about: "output tokens of reasoning",
    whenNull: "same as `output`",
    example: 5,
  },
  web_search: {
    kind: "chat",
    per: 1,
    unit: "web_search",
    count: "webSearches",
    line: "web_search",
    label: "Web search",
    about: "one web search that the provider makes itself",
    whenNull: "free",
    example: 0.01,
  },
  x_search: {
    kind: "chat",
    per: 1,
    unit: "x_search",
    count: "xSearches",
    line: "x_search",
    label: "X search",
    about: "one search of posts on X that the provider makes itself",
    whenNull: "free",
    example: 0.005,
  },
  code_execution: {
    kind: "chat",
    per: 1,
    unit: "code_execution",
    count: "codeExecutions",
    line: "code_execution",
    label: "Code execution",
    about: "one run of code in the provider's own container",
    whenNull: "free",
    example: 0.005,
  },
  image: {
    kind: "image",
    per: 1,
    unit: "picture",
    line: "image",
    label: "Picture",
    about: "one picture of any size",
    example: 0.04,
  },
} as const satisfies Record<string, PriceComponent>

export type ComponentName = keyof typeof COMPONENTS

/** The components that each chat model has a price for. For an image model these are 0. */
const REQUIRED = ["input", "cached", "output"] as const
type RequiredName = (typeof REQUIRED)[number]

export const COMPONENT_NAMES = Object.keys(COMPONENTS) as ComponentName[]
export const isRequired = (name: ComponentName) => REQUIRED.some((one) => one === name)
export const componentOf = (name: ComponentName): PriceComponent => COMPONENTS[name]
export const columnOf = <Name extends ComponentName>(name: Name): `price_${Name}` => `price_${name}`
/** The columns of all components. */
export const PRICE_COLUMNS = COMPONENT_NAMES.map(columnOf)

/** The components of a kind, with the columns of their prices. */
export const componentsOf = <Kind extends PriceComponent["kind"]>(kind: Kind) =>
  COMPONENT_NAMES.filter((name): name is NameOf<Kind> => componentOf(name).kind === kind)

type NameOf<Kind> = {
  [Name in ComponentName]: (typeof COMPONENTS)[Name]["kind"] extends Kind ? Name : never
}[ComponentName]
type ChatName = NameOf<"chat">
type UnitOf<Name extends ComponentName> = (typeof COMPONENTS)[Name] extends { unit: infer Unit extends string }
  ? Unit
  : never
/** The names of the components that are priced per unit, and of those that are priced per million tokens. */
type SingleName = { [Name in ComponentName]: UnitOf<Name> extends never ? never : Name }[ComponentName]
type TokenName = Exclude<ComponentName, SingleName>

/** The components that are priced per million tokens. */
export const TOKEN_COMPONENTS = componentsOf("chat").filter(
  (name): name is TokenName => componentOf(name).unit === undefined,
)
/** The components of a kind that are priced per unit. */
export const singlesOf = <Kind extends PriceComponent["kind"]>(kind: Kind) =>
  componentsOf(kind).filter((name): name is NameOf<Kind> & SingleName => componentOf(name).unit !== undefined)

export type CatalogField<Name extends ComponentName> = `price_usd_per_${UnitOf<Name>}`
/** The field of a price per unit in the catalog. */
export const catalogFieldOf = <Name extends SingleName>(name: Name) =>
  `price_usd_per_${componentOf(name).unit}` as CatalogField<Name>
/** The name of a component's price in a request that sets prices. */
export const requestNameOf = (name: ComponentName) => componentOf(name).unit ?? name

/** The path of a component's price in a row of the catalog. */
export const placeInCatalog = (name: ComponentName) => {
  const { unit } = componentOf(name)
  return unit === undefined ? ["price_usd_per_million_tokens", name] : [`price_usd_per_${unit}`]
}

/** A field for each price per unit of chat models. */
export type ChatSingles<Value> = { [Name in ChatName & SingleName as CatalogField<Name>]: Value }

/** The prices of a chat model. */
export type Price = { [Name in RequiredName as `price_${Name}`]: number } & {
  [Name in Exclude<ChatName, RequiredName> as `price_${Name}`]: number | null
}

/** A field for each price per million tokens. */
export type PriceFields<Required, Optional> = { [Name in RequiredName]: Required } & {
  [Name in Exclude<TokenName, RequiredName>]: Optional
}

/** Prices as rows have them: all components, each null if it is not known or not set. */
export type ComponentPrices = { [Name in ComponentName as `price_${Name}`]: number | null }

/** The component whose units those of each component are part of. */
const WHOLES = new Map(
  COMPONENT_NAMES.map((name) => {
    const { count } = componentOf(name)
    const whole = count && countOf(count).partOf
    return [name, COMPONENT_NAMES.find((other) => whole !== undefined && componentOf(other).count === whole)]
  }),
)

/** The price of a component's units: its own, or the one of the component that they are part of. Null: not known. */
export function unitPriceOf(row: Partial<ComponentPrices>, name: ComponentName): number | null {
  const whole = WHOLES.get(name)
  return row[columnOf(name)] ?? (whole === undefined ? null : unitPriceOf(row, whole))
}

/** True if the prices are known, and units of the component are free. */
export const isUnpriced = (row: Partial<ComponentPrices>, name: ComponentName) =>
  unitPriceOf(row, name) === null && unitPriceOf(row, "input") !== null

/** Each component of a chat model with those that are part of it. Every model call is priced with it. */
const PARTS = componentsOf("chat").map(
  (name) => [name, componentsOf("chat").filter((other) => WHOLES.get(other) === name)] as const,
)

/** The units of each component of a chat model's call. Units that another component prices are left out. */
export function quantitiesOf(usage: ModelUsage): [ComponentName, number][] {
  const unitsOf = (name: ComponentName) => {
    const { count } = componentOf(name)
    return count === undefined ? 0 : (usage[count] ?? 0)
  }
  return PARTS.map(([name, parts]) => [name, parts.reduce((rest, part) => rest - unitsOf(part), unitsOf(name))])
}

/** The amounts of a price in USD, by component. */
export type UsdPrices = Partial<Record<ComponentName, number | null | undefined>>

/** Amounts in USD as the columns of all components. */
export const priceRowOf = (usd: UsdPrices): ComponentPrices =>
  composed(
    Object.fromEntries(
      COMPONENT_NAMES.map((name) => {
        const amount = usd[name] ?? (isRequired(name) ? 0 : null)
        return [columnOf(name), amount === null ? null : Math.round(amount * MICROS_PER_USD)]
      }),
    ),
  )

export const usdOf = (micros: number | null) => (micros === null ? null : toUsd(micros))
