import { parseArgs } from "node:util"
import { launchChromium, serviceAt } from "./browser.ts"
import { JOURNEYS } from "./journeys/all.ts"
import { goJourney } from "./journeys/journey.ts"
import { startReceiver } from "./journeys/receiver.ts"

/**
 * `npm run journeys [-- --only WORD,…] [--url URL]`: what people do in the web app, by keyboard alone, in Chromium. Prints the seconds
 * and the key presses of each journey; a screenshot of one that fails is in dist/journeys. Without --url, the address that `npm start`
 * prints for the web app, it starts one of its own.
 */
const { values } = parseArgs({
  options: { only: { type: "string" }, url: { type: "string" } },
})

const browser = await launchChromium()
const mail = await startReceiver()
const hook = { EMAIL_HOOK_URL: mail.url, EMAIL_HOOK_SECRET: "of the journeys" }
const service = await serviceAt(values.url, hook)
const stamp = Date.now().toString(36).slice(-5)
try {
  const wanted = JOURNEYS.filter(({ name }) => (values.only ?? "").split(",").some((word) => name.includes(word)))
  for (const journey of wanted) {
    if (journey.needsMail && values.url) {
      console.log(
        `                           ${journey.name}: not gone, since the emails of ${values.url} are not ours`,
      )
      continue
    }
    const { name, seconds, presses, wrong } = await goJourney(browser, journey, { signIn: service.signIn, stamp, mail })
    const figures = `${seconds.toFixed(1).padStart(5)} s ${String(presses).padStart(4)} presses`
    console.log(`${wrong.length === 0 ? "ok  " : "FAIL"} ${figures}  ${name}`)
    for (const text of wrong) console.log(`       ${text}`)
    if (wrong.length > 0) process.exitCode = 1
  }
} finally {
  await browser.close()
  await service.stop()
  await mail.stop()
}
