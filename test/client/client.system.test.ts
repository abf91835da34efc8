import { afterAll } from "vitest"
import { npmStart } from "../harness/npm-start.ts"
import { describeClient } from "./behaviours.ts"

let service: Awaited<ReturnType<typeof npmStart>> | undefined

describeClient("Node", async () => {
  service = await npmStart()
  return service
})

afterAll(() => service?.stop())
