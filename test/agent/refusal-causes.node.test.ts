import { expect, test } from "vitest"
import type { ModelCall } from "../../src/agent/engine.ts"
import { detailsOf } from "../../src/agent/provider-details.ts"
import { providerSaid } from "../../src/agent/provider-said.ts"
import { providerRefusalOf } from "../../src/agent/refusal-causes.ts"
import { REFUSED_REQUESTS, TOOLS } from "./refused-requests.ts"

const call: ModelCall = {
  engine: "openai-compatible",
  model: "m",
  messages: [],
  tools: TOOLS.map((name) => ({ name, description: "", inputSchema: { type: "object", properties: { blocks: {} } } })),
  maxOutputTokens: 100,
  attempt: 0,
}

test.each(REFUSED_REQUESTS)("$from is understood", ({ status, body, cause, most, tool, parameter, shows }) => {
  const said = providerSaid(body, "Bad Request")
  const refusal = providerRefusalOf(status, said)
  expect(refusal?.cause).toBe(cause)
  if (most !== undefined) expect(refusal?.mostOutput).toBe(most)
  const details = detailsOf(call, { status, said, refusal })
  expect(details).toMatchObject({ status, ...(tool && { tool }), ...(parameter && { parameter }) })
  if (shows) expect(details.message).toContain(shows)
  if (cause === "ours") expect(details.message).toBeNull()
})
