import { learnKeys } from "../../examples/verify-receipts/documents.ts"
import type { World } from "./world.ts"

/** Reads the published signing keys, so that `isSigned` knows them. */
export async function readSigningKeys(world: Pick<World, "invoke">) {
  const response = await world.invoke(new Request("https://api.test/.well-known/jwks.json"))
  const jwks = (await response.json()) as Parameters<typeof learnKeys>[0]
  learnKeys(jwks)
  return { response, kids: jwks.keys.filter(({ purpose }) => purpose === "receipts").map(({ kid }) => kid) }
}
