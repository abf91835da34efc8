import type { Page } from "playwright-core"
import type { Journey } from "./journey.ts"
import { Keyboard } from "./keyboard.ts"

/** Signs in at the demo provider in the tab that opens, and returns that tab. */
async function signInThere(keyboard: Keyboard, account: string): Promise<Page> {
  const opened = keyboard.page.context().waitForEvent("page")
  await keyboard.enter("link", "Open the provider's page")
  const there = await Keyboard.at(await opened)
  await there.enter("link", `${account}@provider.test`)
  keyboard.presses += there.presses
  return there.page
}

export const poolLogins: Journey = {
  name: "a provider login of each kind",
  as: "Admin",
  async go({ keyboard }) {
    await keyboard.go("add an account", "Add an account")
    await keyboard.fill("Name", "ada@provider.test")
    await keyboard.press("Enter")
    const coded = await signInThere(keyboard, "ada")
    const code = await coded.getByText("#").innerText()
    await coded.close()
    await keyboard.paste("Code", code.trim())
    await keyboard.press("Enter")
    await keyboard.enter("button", "Add ada@provider.test")
    await keyboard.reads(/is in the main pool/)

    await keyboard.pick("tab", "Alt-pool: login with a device")
    await keyboard.enter("button", /^Start (another )?login$/)
    const device = await signInThere(keyboard, "barbara")
    await device.getByText("Done").waitFor()
    await device.close()
    await keyboard.reads(/is in the alt-pool/)

    await keyboard.go("media account", "Media account")
    await keyboard.enter("button", "Start login")
    // The provider redirects to a port on the operator's machine, where no server listens.
    const led = keyboard.page.context().waitForEvent("request", (request) => request.url().includes("/callback?code="))
    const media = await signInThere(keyboard, "grace")
    const address = (await led).url()
    await media.close()
    await keyboard.paste("URL", address)
    await keyboard.press("Enter")
    await keyboard.reads(/makes pictures/)
  },
}
