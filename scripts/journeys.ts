import { parseArgs } from "node:util"
import { launchChromium, serviceAt } from "./browser.ts"
import { JOURNEYS } from "./journeys/all.ts"
import { describeAnswer } from "./journeys/asking.ts"
import { figuresOf, printFigures } from "./journeys/figures.ts"
import { goJourney } from "./journeys/journey.ts"
import { makeManySpaces } from "./journeys/many-spaces.ts"
import { startOtherServer } from "./journeys/other-server.ts"
import { answersOf } from "./journeys/questions.ts"

/**
 * `npm run journeys [-- --only WORD,…] [--url URL]` does what users do, in Chromium and by keyboard only. Without
 * `--url`, the address that `npm start` prints, it starts a service. `--figures` measures slow pages, and `--questions`
 * asks what users ask. With `--url`, both need `--data`, the data directory of that service.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    url: { type: "string" },
    figures: { type: "boolean", default: false },
    questions: { type: "boolean", default: false },
    data: { type: "string" },
  },
})

const browser = await launchChromium()
const mail = await startOtherServer()
const hook = { EMAIL_HOOK_URL: mail.url, EMAIL_HOOK_SECRET: "of the journeys" }
const service = await serviceAt(values.url, hook)
const stamp = Date.now().toString(36).slice(-5)
const dataDir = values.data ?? service.dataDir
try {
  if (values.figures) {
    if (!dataDir) throw new Error("--figures with --url also needs --data, the data directory of that service")
    await makeManySpaces(dataDir)
    printFigures(await figuresOf(browser, service.signIn))
  }
  if (values.questions) {
    if (!dataDir) throw new Error("--questions with --url also needs --data, the data directory of that service")
    for await (const answer of answersOf({ browser, signIn: service.signIn, dataDir }))
      console.log(describeAnswer(answer))
  }
  const wanted = JOURNEYS.filter(
    ({ name }) =>
      !values.figures && !values.questions && (values.only ?? "").split(",").some((word) => name.includes(word)),
  )
  for (const journey of wanted) {
    if (journey.needsMail && values.url) {
      console.log(
        `                           ${journey.name}: skipped, because ${values.url} does not send its emails to this command`,
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
