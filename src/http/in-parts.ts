import type { Context as HonoContext } from "hono"
import { cutByDays, type InParts, type ListHead } from "../base/in-parts.ts"
import { plainJson } from "../base/plain-json.ts"
import { LIST_POLICY } from "../base/policies.ts"
import type { AppEnv } from "./app-env.ts"
import { textStream } from "./text-stream.ts"

/** A JSON response whose field `name` is sent while it is read: an array, or an object of key-value pairs. */
interface Streamed<Item> {
  head: object
  name: string
  kind?: "array" | "object"
  parts: AsyncGenerator<Item[]>
  /** Returns the fields that follow it. It is called after the last part. */
  tail?: () => object
}

/**
 * Sends JSON while it is read. The first part is read before anything is sent, so that a refusal is
 * still an error response. A later failure breaks the connection.
 */
export async function jsonInParts<Item>(
  c: HonoContext<AppEnv>,
  { head, name, kind = "array", parts, tail = () => ({}) }: Streamed<Item>,
): Promise<Response> {
  const textOf = (part: Item[]) =>
    kind === "array"
      ? part.map((item) => plainJson(item))
      : (part as [string, unknown][]).map(([key, value]) => `${JSON.stringify(key)}:${plainJson(value)}`)
  const [open, close] = kind === "array" ? "[]" : "{}"
  const first = await parts.next()
  const pieces = (async function* () {
    const fields = plainJson(head).slice(0, -1)
    yield `${fields}${fields === "{" ? "" : ","}${JSON.stringify(name)}:${open}`
    let separator = ""
    for (let part = first; !part.done; part = await parts.next()) {
      const texts = textOf(part.value)
      if (texts.length === 0) continue
      yield separator + texts.join(",")
      separator = ","
    }
    const rest = plainJson(tail()).slice(1, -1)
    yield `${close}${rest && ","}${rest}}`
  })()
  return textStream(pieces, c.get("ctx"), { "content-type": "application/json" })
}

/** Sends a list with its head as JSON. */
export const listInParts = <Head extends object, Item>(
  c: HonoContext<AppEnv>,
  { head, parts }: InParts<Head, Item>,
): Promise<Response> => jsonInParts(c, { head, name: "items", parts })

/** Sends a page of entries that have days, which ends when it has `LIST_POLICY.days` of them. */
export const daysInParts = <Head extends ListHead, Item>(
  c: HonoContext<AppEnv>,
  report: InParts<Head, Item>,
  daysOf: (item: Item) => number,
  { name, kind }: Pick<Streamed<Item>, "name" | "kind"> = { name: "items" },
): Promise<Response> => jsonInParts(c, { name, ...(kind && { kind }), ...cutByDays(report, LIST_POLICY.days, daysOf) })
