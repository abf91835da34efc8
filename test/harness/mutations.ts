import fc from "fast-check"

const nested = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown

/**
 * Unusual values: wrong types, boundary lengths, texts that no database stores, and reserved names
 * of JavaScript.
 */
const ODD = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  2 ** 31,
  5e-324,
  [],
  {},
  [[]],
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "a\udc00",
  "\u202e",
  "💥".repeat(33),
  "é".normalize("NFD"),
  "١٢٣",
  "1",
  "null",
  "{}",
  ...[48, 49, 64, 65, 96, 128, 129, 200, 201, 256, 512, 513, 4001, 4097, 8193, 100_001].map((n) => "x".repeat(n)),
  "{{secrets.TOKEN}}",
  "{{secrets.NONE}}",
  "{{input}}",
  "{{",
  "https://127.0.0.1/",
  "http://localhost",
  "file:///x",
  "'; drop table turns; --",
  "%00",
  "../..",
  "constructor",
  "__proto__",
  "spc_0",
  "conv_0",
  "9999-99-99T99:99:99Z",
  nested(20),
  nested(99),
  nested(101),
  { a: { a: { a: null } } },
  JSON.parse('{"__proto__": {"x": 1}}'),
  Array(70).fill(1),
]
const NAMES = ["extra", "__proto__", "constructor", "toString", "", "a\0b", "\ud800", "name", "id", "user_id", "test"]

export const odd = fc.constantFrom(...ODD)
export const oddText = odd.filter((value): value is string => typeof value === "string" && value.isWellFormed())

type Change = { place: number; how: "replace" | "remove" | "add"; value: unknown; name: string }

const change: fc.Arbitrary<Change> = fc.record({
  place: fc.nat(),
  how: fc.constantFrom("replace", "replace", "remove", "add"),
  value: fc.oneof({ weight: 4, arbitrary: odd }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) }),
  name: fc.constantFrom(...NAMES),
})

/** A value with one or two changes. */
export function nearly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(value, fc.array(change, { minLength: 1, maxLength: 2 })).map(([valid, changes]) => {
    const holder = { root: structuredClone(valid) }
    for (const one of changes) apply(holder, one)
    return holder.root
  })
}

function apply(holder: { root: unknown }, { place, how, value: odd, name }: Change) {
  // A copy, because the next change may be inside it.
  const value = structuredClone(odd)
  const places: [object, string][] = []
  collect(holder, places)
  const [parent, key] = places[place % places.length] as [object, string]
  const target = (parent as Record<string, unknown>)[key]
  if (how === "add" && typeof target === "object" && target !== null) define(target, name, value)
  else if (how === "remove" && parent !== holder) delete (parent as Record<string, unknown>)[key]
  else define(parent, key, value)
}

function collect(value: unknown, places: [object, string][]) {
  if (typeof value !== "object" || value === null || places.length > 200) return
  for (const key of Object.keys(value)) {
    places.push([value, key])
    collect((value as Record<string, unknown>)[key], places)
  }
}

// `defineProperty` stores "__proto__" like any other field.
function define(target: object, key: string, value: unknown) {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

const BODIES = [
  "",
  " ",
  "null",
  "[]",
  "1",
  '"x"',
  "{",
  "}",
  "{}",
  "{}{}",
  "\ufeff{}",
  "{'a':1}",
  "NaN",
  "undefined",
  "{,}",
  '{"a":1e999}',
  '{"title":"a","title":"b"}',
  "1".repeat(400),
  `{"title":"${"x".repeat(1_100_000)}"}`,
  "[".repeat(5000),
  '{"a":'.repeat(3000),
  `{"a":"\\ud800"}`,
  `{"a":"\\u0000"}`,
]

/** A malformed body: cut, doubled, or with bytes that are not UTF-8. */
export function brokenBody(text: fc.Arbitrary<string>): fc.Arbitrary<string | Uint8Array<ArrayBuffer>> {
  return fc.oneof(
    fc.constantFrom(...BODIES),
    fc.tuple(text, fc.nat()).map(([whole, at]) => whole.slice(0, at % (whole.length + 1))),
    text.map((whole) => whole + whole),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Uint8Array.from(bytes)),
    text.map((whole) => Uint8Array.from([...new TextEncoder().encode(whole), 0xff, 0xc0, 0x80])),
  )
}

const IDEMPOTENCY_KEYS = [
  "k1",
  "k2",
  '"k1"',
  '"k\\"4"',
  '"open',
  "",
  " ",
  "x".repeat(255),
  "x".repeat(256),
  "a;b=c",
  "\t",
]

/** Headers of careless or hostile clients. `keys` are existing API keys. */
export function oddHeaders(keys: string[]): fc.Arbitrary<Record<string, string>> {
  const authorization = fc.constantFrom(
    ...keys.flatMap((key) => [`Bearer ${key}`, `Bearer ${key}x`, `bearer   ${key}`, `Basic ${btoa(key)}`, key]),
    ...["Bearer", "Bearer ", "", "Bearer turnpike_live_", `Bearer ${"x".repeat(5000)}`],
  )
  const type = fc.constantFrom(
    ...["application/json; charset=utf-8", "APPLICATION/JSON", "text/plain", "application/xml", "", "*/*", ";"],
    ...["application/json, text/plain", "multipart/form-data", "multipart/form-data; boundary=x", "application/jsonx"],
  )
  const one = {
    authorization,
    "content-type": type,
    "idempotency-key": fc.oneof(
      fc.constantFrom(...IDEMPOTENCY_KEYS),
      fc.string({ maxLength: 30, unit: "grapheme-ascii" }),
    ),
    accept: fc.constantFrom(
      "text/event-stream",
      "text/csv",
      "*/*",
      "text/html",
      "",
      "application/json;q=0, text/event-stream;q=1",
    ),
    "last-event-id": fc.constantFrom("0", "1", "7", "-1", "x", "999999999", "9999999999", "1.5"),
    range: fc.constantFrom("bytes=0-0", "bytes=5-", "bytes=-3", "bytes=999-", "bytes=a-b", "bytes=0-1,3-4", "lines=1"),
    "if-none-match": fc.constantFrom("*", '"x"', 'W/"x"', ""),
    "if-range": fc.constantFrom('"x"', "Sat, 21 Nov 2026 08:00:00 GMT"),
    "content-encoding": fc.constantFrom("gzip", "identity"),
    "x-request-id": fc.constantFrom("mine", ""),
  }
  const single = Object.entries(one).map(([name, value]) =>
    (value as fc.Arbitrary<string>).map((it) => ({ [name]: it })),
  )
  return fc.array(fc.oneof(...single), { minLength: 1, maxLength: 3 }).map((some) => Object.assign({}, ...some))
}
