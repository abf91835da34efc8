import { readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { findProvider, type MatchLogic, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices"
import { FEED_ENGINES } from "../src/catalog/policies.ts"
import type { ComponentName } from "../src/catalog/price-components.ts"
import type { FeedModel, FeedPrices } from "../src/catalog/price-feed.ts"

/**
 * Writes src/catalog/feed-data.ts: providers' prices from a pinned package, and the days on which Anthropic's SDK says
 * that a model retires. Nothing asks a network. A new version of the package needs its day in PACKAGE.
 */
const FILE = "src/catalog/feed-data.ts"
const PACKAGE = { name: "@pydantic/genai-prices", version: "0.1.8", published: "2026-09-23" }

/** The price of each component in the package, and how many units it is for, in ours. */
const PRICES: [ComponentName, string, number][] = [
  ["input", "input_mtok", 1],
  ["cached", "cache_read_mtok", 1],
  ["cache_write", "cache_write_mtok", 1],
  ["cache_write_hour", "cache_write_1h_mtok", 1],
  ["audio_input", "input_audio_mtok", 1],
  ["output", "output_mtok", 1],
  ["web_search", "web_searches_kcount", 1000],
]

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The names of a model as one regular expression. */
function patternOf(match: MatchLogic): string {
  if ("or" in match) return match.or.map(patternOf).join("|")
  if ("equals" in match) return `^${escaped(match.equals)}$`
  if ("starts_with" in match) return `^${escaped(match.starts_with)}`
  if ("contains" in match) return escaped(match.contains)
  if ("regex" in match) return match.regex
  throw new Error(`${PACKAGE.name} has a new form of names: ${JSON.stringify(match)}.`)
}

/** The prices of a prompt with `tokens` tokens more than the limit of each tier below it. */
const usdOf = (price: ModelPrice, tokens: number) =>
  Object.fromEntries(
    PRICES.flatMap(([name, key, units]) => {
      const value = price[key]
      if (value === undefined) return []
      const amount = typeof value === "number" ? value : at(value, tokens)
      return [[name, amount / units]]
    }),
  )

const at = ({ base, tiers }: Exclude<ModelPrice[string], number | undefined>, tokens: number) =>
  [...tiers].sort((one, other) => one.start - other.start).findLast(({ start }) => tokens > start)?.price ?? base

function pricesOf(price: ModelPrice, from: string | null): FeedPrices {
  const limits = Object.values(price).flatMap((value) =>
    typeof value === "object" ? value.tiers.map(({ start }) => start) : [],
  )
  const tiers = [...new Set(limits)]
    .sort((one, other) => one - other)
    .map((limit) => {
      const { web_search: _single, ...usd } = usdOf(price, limit + 1)
      return { above_input_tokens: limit, usd }
    })
  return { from, usd: usdOf(price, 0), tiers }
}

function versionsOf({ id, prices }: ModelInfo): FeedPrices[] {
  if (!Array.isArray(prices)) return [pricesOf(prices, null)]
  return prices.map(({ constraint, prices: price }) => {
    if (constraint && constraint.type !== "start_date") throw new Error(`${id} has prices by the time of the day.`)
    return pricesOf(price, constraint?.start_date ?? null)
  })
}

/** Models of text: those that price both directions in tokens. */
const isText = ({ usd }: FeedPrices) => usd.input !== undefined && usd.output !== undefined

function modelsOf(engine: string): FeedModel[] {
  const provider = findProvider({ providerId: engine })
  if (!provider) throw new Error(`${PACKAGE.name} has no provider ${engine}.`)
  return provider.models
    .map((model) => ({
      engine,
      id: model.id,
      match: patternOf(model.match),
      context_tokens: model.context_window ?? null,
      prices: versionsOf(model),
    }))
    .filter(({ prices }) => prices.every(isText))
}

const require = createRequire(import.meta.url)

/** The days of retirement by model, from a table in the SDK's source that it does not export. */
async function retirements(): Promise<Record<string, string>> {
  const source = await readFile(require.resolve("@anthropic-ai/sdk/resources/messages/messages"), "utf8")
  const table = /const DEPRECATED_MODELS = \{([^}]*)\}/.exec(source)?.[1]
  if (table === undefined) throw new Error("@anthropic-ai/sdk has no DEPRECATED_MODELS any more.")
  return Object.fromEntries(
    [...table.matchAll(/'([^']+)': '([^']+)'/g)].map(([, model = "", day = ""]) => {
      const date = new Date(`${day.replace(/(\d)(st|nd|rd|th)\b/, "$1")} UTC`)
      return [`anthropic/${model}`, date.toISOString().slice(0, 10)]
    }),
  )
}

const folder = join(dirname(require.resolve(PACKAGE.name)), "..")
/** The licence of the package, which the copied data keeps. */
const licence = await readFile(join(folder, "LICENSE"), "utf8")
const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version: string }
if (version !== PACKAGE.version) throw new Error(`Write the day of ${PACKAGE.name} ${version} into ${FILE}'s script.`)

const models = FEED_ENGINES.flatMap(modelsOf)
const source = `// Generated from the data of ${PACKAGE.name} and @anthropic-ai/sdk by scripts/generate-price-feed.ts.
${licence.trim().replaceAll(/^/gm, "// ").replaceAll(/ +$/gm, "")}
export const FEED_SOURCE = ${JSON.stringify({ package: PACKAGE.name, version, published_on: PACKAGE.published })}
export const RETIREMENTS = ${JSON.stringify(await retirements())}
/** A line of JSON for each model. Only a comparison parses them. */
export const FEED_LINES = String.raw\`${models.map((model) => JSON.stringify(model)).join("\n")}\`
`

if (process.argv.includes("--check")) {
  const there = await readFile(FILE, "utf8").catch(() => "")
  if (there !== source) {
    console.error(`${FILE} is stale: run npm run models:feed.`)
    process.exit(1)
  }
} else {
  await writeFile(FILE, source)
  console.log(`${models.length} models, ${Math.round(source.length / 1024)} KiB`)
}
