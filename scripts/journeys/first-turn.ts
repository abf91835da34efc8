import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Journey, JourneyWorld } from "./journey.ts"
import type { Keyboard } from "./keyboard.ts"

const run = promisify(execFile)

/** Minutes of text, so that the turn still runs when its page opens, however slow the machine is. */
const LONG = "word ".repeat(120)

/** The rehearsal streams the text word by word. */
const slowly = (curl: string) =>
  curl.replace('"text":"', `"model":"rehearsal/standard","text":"[stream 2000 ms]\\n${LONG}`)

/** Creates a key; the focus is on its button. Returns the key's value and the shown command. */
async function makeKey(keyboard: Keyboard, name: string): Promise<{ variable: string; curl: string }> {
  await keyboard.enter("button", /^Create (a|another) key$/)
  await keyboard.has("textbox", "Name")
  await keyboard.type(name)
  await keyboard.press("Enter")
  await keyboard.sees("alertdialog", `The key ${name} is created`)
  const variable = await (await keyboard.sees("region", "The key as a variable")).innerText()
  const curl = await (await keyboard.sees("region", "The first turn as curl")).innerText()
  await keyboard.enter("button", "I have saved it")
  return { variable, curl }
}

/** Runs the shown commands in a shell. Returns the turn's id. */
async function inShell({ variable, curl }: { variable: string; curl: string }): Promise<string> {
  const { stdout } = await run("sh", ["-ec", `${variable}\n${slowly(curl)}`])
  const turn = JSON.parse(stdout) as { turn_id?: string }
  if (!turn.turn_id) throw new Error(`The shown command created no turn: ${stdout}`)
  return turn.turn_id
}

/** On the page of a running turn: reads its text as it comes, cancels the turn, and reads its bill. */
async function watchToItsBill(keyboard: Keyboard): Promise<void> {
  await keyboard.reads(/^You said:[\w ]*$/)
  await keyboard.enter("button", "Cancel turn")
  await keyboard.sees("alertdialog", /^Cancel the turn/)
  await keyboard.enter("button", "Cancel turn")
  await keyboard.sees("link", "Open in playground")
  await keyboard.pick("tab", "Bill")
  await keyboard.sees("table", "Bill by model call")
  await keyboard.reads("the amount in the ledger")
}

export const firstTurn: Journey = {
  name: "first key, first turn, its bill",
  async go({ keyboard, stamp }: JourneyWorld) {
    await keyboard.go("api keys", "API keys")
    const made = await makeKey(keyboard, `Server ${stamp}`)
    const turn = await inShell(made)
    await keyboard.press("Control+k")
    await keyboard.has("combobox", "Page or id")
    await keyboard.paste("Page or id", turn, "combobox")
    await keyboard.press("Enter")
    await watchToItsBill(keyboard)
  },
}

export const firstSteps: Journey = {
  name: "a newcomer's first steps",
  as: (stamp) => `Newcomer ${stamp}`,
  async go({ keyboard, stamp }: JourneyWorld) {
    await keyboard.sees("region", "First steps")
    const made = await makeKey(keyboard, `First ${stamp}`)
    await inShell(made)
    await keyboard.enter("link", "Steps and bill")
    await watchToItsBill(keyboard)
  },
}
