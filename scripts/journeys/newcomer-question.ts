import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { JourneyQuestion } from "./asking.ts"
import { startOtherServer } from "./other-server.ts"

const run = promisify(execFile)

/** The first acts of a user without credit: a test key, a turn by the shown command, and a webhook that answers. */
export const NEWCOMERS_QUESTION: JourneyQuestion = {
  question: "Connect my server: a turn, and a webhook that is verified.",
  async find({ page, click, fill }) {
    const server = await startOtherServer()
    try {
      const steps = page.getByRole("region", { name: "First steps" })
      await click(steps.getByRole("link", { name: "Start with a test key" }))
      await page.getByText("Test data.").waitFor()
      await click(steps.getByRole("button", { name: /^Create (a|another) key$/ }))
      await fill(page.getByLabel("Name"), "Server")
      await click(page.getByRole("button", { name: "Create the key" }))
      const variable = await page.getByRole("region", { name: "The key as a variable" }).innerText()
      await click(page.getByRole("button", { name: "I have saved it" }))
      const curl = await steps.getByRole("region", { name: "The first turn as curl" }).innerText()
      await run("sh", ["-ec", `${variable}\n${curl}`])
      await steps.getByText(/^You said/).waitFor()
      await click(steps.getByRole("button", { name: /^Receive events/ }))
      await click(steps.getByRole("button", { name: "Create a webhook" }))
      await fill(page.getByRole("textbox", { name: "URL" }), `${server.url}/hooks`)
      await click(page.getByRole("button", { name: "Create the webhook" }))
      await click(page.getByRole("button", { name: "I have saved it" }))
      await click(steps.getByRole("button", { name: "Send a test event" }))
      await page.getByText("200", { exact: true }).first().waitFor()
      return "a done turn, and a test event that the receiver accepted"
    } finally {
      await server.stop()
    }
  },
}
