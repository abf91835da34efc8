// Verifies receipts of end users: `node verify.ts receipt.json …`. It needs no API key, only the published keys.
import { readFile } from "node:fs/promises"
import { faultsOf } from "./receipt.ts"

const jwks = await (await fetch(`${process.env.TURNPIKE_BASE_URL}/.well-known/jwks.json`)).json()
for (const file of process.argv.slice(2)) {
  const receipt = JSON.parse(await readFile(file, "utf8"))
  const faults = await faultsOf(receipt, jwks)
  const { turn_id, charge_usd, price } = receipt.document
  const by = price ? `by ${price.name}, version ${price.version}` : "without a price"
  console.log(`${turn_id}: ${charge_usd} USD ${by}${faults.length === 0 ? ", right" : ""}`)
  for (const fault of faults) console.error(`WRONG: ${turn_id}: ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}
