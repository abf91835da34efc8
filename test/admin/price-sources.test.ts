import { afterAll, beforeAll, expect, test } from "vitest"
import { catalogModel } from "../harness/admin-places.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addImageModel } from "../harness/pictures.ts"
import { createWorld, type World } from "../harness/world.ts"

/** The provider's prices and the markup of a model, as operators set and read them. */

const CATALOG = "/api/admin/model-catalog"

let world: World
let admin: Admin
let chat: string
let image: string
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  chat = await catalogModel({ admin })
  image = await addImageModel(world)
})
afterAll(() => world.close())

const TOKENS = { input: 1, cached: 0.1, output: 5 }
const put = (pin: string, body: object) => admin.json("PUT", `${CATALOG}/${encodeURIComponent(pin)}/prices`, body)
const add = (body: object) => {
  const row = { engine: "openai", model: `m-${crypto.randomUUID().slice(0, 8)}`, label: "Ours" }
  return admin.json("POST", CATALOG, { ...row, ...body })
}
interface Refusal {
  detail: { loc: string[]; msg: string }[]
}
const faultsOf = ([status, { detail }]: [number, Refusal]) => [
  status,
  detail.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`),
]

const percents = (percent: number) => ({ markup: { percent } })

test.each<[body: object, fault: string]>([
  [{ provider: TOKENS, markup: {} }, "markup: must add a percentage or an amount"],
  [{ provider: TOKENS, ...percents(-1) }, "markup.percent: must be at least 0"],
  [{ provider: TOKENS, ...percents(1_001) }, "markup.percent: must be at most 1000"],
  [{ provider: TOKENS, ...percents(0.123) }, "markup.percent: must have at most two decimals"],
  [
    { provider: { ...TOKENS, output: 99_999 }, ...percents(1) },
    "markup: makes a price above 100000 USD per million tokens",
  ],
  [{ provider: { input: 1, cached: 1 }, ...percents(5) }, "provider.output: is required"],
  [{ ...TOKENS, provider: { ...TOKENS, output: -1 } }, "provider.output: must be at least 0"],
  [
    { provider: { picture: 1 }, markup: { percent: 1, usd_per_million_tokens: 1 } },
    "markup.usd_per_million_tokens: is not allowed for pictures",
  ],
])("Wrong prices are refused with their place: %j", async (body, fault) => {
  expect(faultsOf(await put(chat, body))).toEqual([422, [fault]])
})

test("Prices of our own and a markup are not taken together", async () => {
  const [status, { detail }] = await put(chat, { ...TOKENS, provider: TOKENS, ...percents(5) })
  expect([status, detail.length > 0]).toEqual([422, true])
  const price_usd_per_million_tokens = TOKENS
  const provider_prices = { price_usd_per_million_tokens }
  expect(faultsOf(await add({ price_usd_per_million_tokens, provider_prices, ...percents(5) }))).toEqual([
    422,
    ["markup: is not allowed with prices of our own"],
  ])
  expect(faultsOf(await add(percents(5)))).toEqual([422, ["provider_prices: is required with `markup`"]])
  expect(faultsOf(await add({ price_usd_per_million_tokens, provider_prices: { price_usd_per_picture: 1 } }))).toEqual([
    422,
    [
      'provider_prices.price_usd_per_million_tokens: is required for the kind "chat"',
      'provider_prices.price_usd_per_picture: is not allowed for the kind "chat"',
    ],
  ])
})

test("Prices of another kind of model are a conflict", async () => {
  expect(await put(chat, { provider: { picture: 1 }, ...percents(5) })).toMatchObject([409, { code: "CONFLICT" }])
  expect(await put(image, { provider: TOKENS, ...percents(5) })).toMatchObject([409, { code: "CONFLICT" }])
})

test("A new model has prices that a markup made, each rounded up, and shows both", async () => {
  const provider_prices = {
    price_usd_per_million_tokens: { ...TOKENS, input: 0.0000001 },
    price_usd_per_web_search: 0.01,
    price_tiers: [{ above_input_tokens: 10, ...TOKENS, input: 2 }],
    price_modifiers: { flex: 0.5 },
  }
  const [status, row] = await add({ provider_prices, markup: { percent: 10, usd_per_million_tokens: 1 } })
  expect([status, row]).toMatchObject([
    200,
    {
      price_usd_per_million_tokens: { input: 1.0000002, cached: 1.11, output: 6.5, reasoning: null },
      price_usd_per_web_search: 0.011,
      price_usd_per_picture: null,
      price_tiers: [{ above_input_tokens: 10, input: 3.2 }],
      price_modifiers: { flex: 0.5 },
      provider_prices,
      markup: { percent: 10, usd_per_million_tokens: 1 },
    },
  ])
  const [, { items }] = await admin.json("GET", CATALOG)
  expect(items.find(({ pin }: { pin: string }) => pin === row.pin)).toEqual(row)
})

test("A price version is new if only the provider's prices or the markup changed", async () => {
  const pin = await catalogModel({ admin })
  const versionOf = async (body: object) => (await put(pin, body))[1].price_version
  expect(await versionOf({ ...TOKENS, cached: 0 })).toBe(2)
  expect(await versionOf(TOKENS)).toBe(3)
  expect(await versionOf({ ...TOKENS, provider: TOKENS }), "the same prices").toBe(3)
  expect(await versionOf({ ...TOKENS, provider: null }), "the same prices").toBe(3)
  expect(await versionOf({ ...TOKENS, provider: { ...TOKENS, output: 4 } })).toBe(4)
  expect(await versionOf({ ...TOKENS, provider: { ...TOKENS, output: 4 } })).toBe(4)
  expect(await versionOf({ provider: TOKENS, ...percents(20) })).toBe(5)
  expect(await versionOf({ provider: TOKENS, ...percents(20) })).toBe(5)
  expect((await put(pin, TOKENS))[1]).toMatchObject({ price_version: 6, provider_prices: null, markup: null })
  const former = await world.sql(
    `select price_version, provider_prices ->> 'price_output' as output, price_markup ->> 'ten_thousandths' as markup
     from former_prices where pin = $1 order by 1`,
    [pin],
  )
  expect(former.slice(3)).toEqual([
    { price_version: 4, output: "40000000", markup: null },
    { price_version: 5, output: "50000000", markup: "2000" },
  ])
})
