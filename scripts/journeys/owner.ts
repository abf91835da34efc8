import type { Journey } from "./journey.ts"
import { startOtherServer } from "./other-server.ts"

export const tool: Journey = {
  name: "a tool set up and tried",
  async go({ keyboard, stamp }) {
    const shop = await startOtherServer()
    try {
      await keyboard.go("spaces", "Spaces")
      await keyboard.enter("button", "Create a space")
      await keyboard.has("textbox", "Title")
      await keyboard.type(`Shop ${stamp}`)
      await keyboard.press("Enter")
      await keyboard.sees("heading", `Shop ${stamp}`)
      await keyboard.pick("tab", "Tools")
      await keyboard.enter("button", "Add a tool")
      await keyboard.has("textbox", "Name")
      await keyboard.type("lookup_order")
      await keyboard.fill("Description", "Finds an order by its number.")
      await keyboard.fill("URL", `${shop.url}/orders/{{input.order_id}}`)
      await keyboard.enter("button", "Add a parameter")
      await keyboard.to("textbox", "Name of parameter 1", { back: true })
      await keyboard.type("order_id")
      await keyboard.enter("button", "Save the tool")
      await keyboard.sees("cell", /lookup_order/)
      await keyboard.fill("Input", '{"order_id":"1001"}')
      await keyboard.enter("button", "Send the request")
      await keyboard.reads(/^Status 200 in/)
      await keyboard.reads(/"status": ?"shipped"/)
      if (!shop.asked.includes("GET /orders/1001")) throw new Error(`The shop received ${shop.asked.join(", ")}`)
    } finally {
      await shop.stop()
    }
  },
}

export const webhook: Journey = {
  name: "a webhook failing and redelivered",
  async go({ keyboard, stamp }) {
    const server = await startOtherServer()
    const url = `${server.url}/hooks/${stamp}`
    server.status = 500
    try {
      await keyboard.go("webhooks", "Webhooks")
      await keyboard.enter("button", "Create a webhook")
      await keyboard.has("textbox", "URL")
      await keyboard.type(url)
      await keyboard.press("Enter")
      await keyboard.sees("alertdialog", `The signing secret of ${url}`)
      await keyboard.enter("button", "I have saved it")
      await keyboard.enter("link", url)
      await keyboard.sees("heading", url)
      await keyboard.enter("button", "Send a test event")
      await keyboard.sees("cell", "500")
      server.status = 200
      await keyboard.enter("link", "ping")
      await keyboard.sees("heading", "Delivery")
      await keyboard.sees("table", "Attempts")
      await keyboard.enter("button", /^Resend/)
      await keyboard.sees("cell", "200")
      await keyboard.reads(/^(succeeded|delivered)$/)
    } finally {
      await server.stop()
    }
  },
}

export const endUser: Journey = {
  name: "an end user capped, blocked, erased",
  async go({ keyboard, stamp }) {
    const ref = `customer-${stamp}`
    await keyboard.go("end users", "End users")
    await keyboard.enter("button", "Set caps")
    await keyboard.has("textbox", "End user")
    await keyboard.type(ref)
    await keyboard.fill("Daily cap (USD)", "1.5")
    await keyboard.press("Enter")
    await keyboard.sees("heading", ref)
    await keyboard.sees("cell", "daily cap of the end user")
    await keyboard.enter("button", "Block")
    await keyboard.enter("button", "Block end user")
    await keyboard.reads("blocked")
    await keyboard.enter("button", "Erase data")
    await keyboard.has("textbox", `Type ${ref} to confirm`)
    await keyboard.type(ref)
    await keyboard.press("Enter")
    await keyboard.sees("region", "Erasure receipt")
    await keyboard.reads("erased")
  },
}
