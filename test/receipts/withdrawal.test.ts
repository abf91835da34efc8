import { afterAll, beforeAll, expect, test } from "vitest"
import { createKeyRing, parseKeyRing } from "../../src/base/key-ring.ts"
import { publishSigningKeys } from "../../src/ops/publish-signing-keys.ts"
import { retireSigningKey } from "../../src/ops/retire-signing-key.ts"
import { signDocument } from "../../src/receipts/sign-document.ts"
import { failureOf } from "../harness/answers.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const LEAKED = `leaked:${btoa("l".repeat(32))}`
const NEWER = `newer:${btoa("n".repeat(32))}`

const publish = (keys: string) => publishSigningKeys(contextOf(world), keys)

/** A worker with these keys. */
const workerWith = (keys: string) => ({ ...contextOf(world), keyRing: createKeyRing(parseKeyRing(keys)) })

async function published(): Promise<string[]> {
  const response = await world.invoke(new Request("https://api.test/.well-known/jwks.json"))
  const { keys } = (await response.json()) as { keys: { kid: string; purpose: string }[] }
  return keys.flatMap(({ kid, purpose }) => (purpose === "receipts" ? [kid] : []))
}

const kidOf = ({ signature }: { signature: string }): string => JSON.parse(atob(signature.split(".")[0] ?? "")).kid

test("A withdrawn signing key leaves the published keys and signs nothing more, and the last key stays", async () => {
  const [first = ""] = await published()
  const ctx = contextOf(world)
  await expect(retireSigningKey(ctx, { kid: first, reason: "leaked" })).rejects.toThrow("only key")
  await expect(retireSigningKey(ctx, { kid: "unknown", reason: "leaked" })).rejects.toThrow("no signing key")
  await publish(`${LEAKED},${NEWER}`)
  const worker = workerWith(`${LEAKED},${NEWER}`)
  const leaked = kidOf(await signDocument(worker, { document: "turn_receipt" }))
  expect(await published()).toContain(leaked)
  expect(await retireSigningKey(ctx, { kid: leaked, reason: "The key ring leaked." })).toMatch("withdrawn")
  expect(await retireSigningKey(ctx, { kid: leaked, reason: "again" })).toMatch("before")
  expect(await published()).not.toContain(leaked)
  // The worker that read its keys before, one that starts now, and one that has no other key.
  expect(kidOf(await signDocument(worker, { document: "turn_receipt" }))).not.toBe(leaked)
  const restarted = kidOf(await signDocument(workerWith(`${LEAKED},${NEWER}`), { document: "turn_receipt" }))
  expect(await published()).toContain(restarted)
  await expect(signDocument(workerWith(LEAKED), { document: "turn_receipt" })).rejects.toMatchObject({
    code: "UNAVAILABLE",
  })
  expect(await published()).not.toContain(leaked)
})

test("A key signs only after the command line has published it, and the audit log has each new one", async () => {
  const other = `other:${btoa("o".repeat(32))}`
  const worker = workerWith(other)
  const refused = await failureOf(signDocument(worker, { document: "turn_receipt" }))
  expect(refused).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("worker-keys") })
  await publish(other)
  await publish(other)
  const kid = kidOf(await signDocument(worker, { document: "turn_receipt" }))
  expect(await published()).toContain(kid)
  const [row] = await world.sql<{ n: number }>(
    "select count(*)::int as n from audit_log where action = 'signing_key.add' and subject_id = $1",
    [kid],
  )
  expect(row?.n).toBe(1)
})
