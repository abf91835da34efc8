import { inject } from "vitest"
import type { Demo } from "../../src/local/demo.ts"
import { describeClient } from "./behaviours.ts"

describeClient("workerd", async () => {
  const response = await fetch(inject("serviceUrl"))
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Demo
})
