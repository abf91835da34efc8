import { TOTP } from "otpauth"
import type { Page } from "playwright-core"
import type { Journey, JourneyWorld } from "./journey.ts"
import type { Keyboard } from "./keyboard.ts"

const newcomer = (stamp: string) => `Newcomer ${stamp}`
const emailOf = (stamp: string) => `newcomer-${stamp}@turnpike.test`
const passwordOf = (stamp: string) => `correct horse ${stamp}`

const PERIOD_MS = 30_000

/** The code that an authenticator app shows, `spans` periods from now. The code of each period works only once. */
const codeOf = (secret: string, { spans = 0 } = {}) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + spans * PERIOD_MS })

interface Answer {
  status: number
  headers?: Record<string, string>
  json: object
}

/** Answers the next request to `METHOD path` with this answer, instead of the answer of the service. */
async function answerOnce(page: Page, request: string, answer: Answer): Promise<void> {
  const [method, path] = request.split(" ")
  let isDone = false
  await page.route(`**${path}`, (route) => {
    if (isDone || route.request().method() !== method) return route.fallback()
    isDone = true
    return route.fulfill(answer)
  })
}

async function signInAgain(keyboard: Keyboard, stamp: string, password = passwordOf(stamp)): Promise<void> {
  await keyboard.fill("Email", emailOf(stamp))
  await keyboard.fill("Password", password)
  await keyboard.press("Enter")
}

export const secondFactor: Journey = {
  name: "a password and a second factor, asked for and proved again",
  as: newcomer,
  async go({ keyboard, stamp, expects }) {
    const { page } = keyboard
    await keyboard.go("account", "Account")
    await keyboard.fill("New password", passwordOf(stamp))
    await keyboard.fill("New password again", passwordOf(stamp))
    await keyboard.press("Enter")
    await keyboard.reads("The password is set.")
    await keyboard.enter("button", "Set up a second factor")
    const secret = await keyboard.copy("Copy the secret")
    await keyboard.fill("Code", codeOf(secret))
    await keyboard.press("Enter")
    await keyboard.sees("alertdialog", "The second factor is set up")
    const [recovery = ""] = (await keyboard.copy("Copy the secret")).split("\n")
    await keyboard.enter("button", "I have saved it")

    // The welcome page and the form request the signed-in user, and get 401.
    expects(401)
    await keyboard.enter("button", "Sign out")
    await keyboard.enter("link", "Sign in")
    await signInAgain(keyboard, stamp)
    await keyboard.has("textbox", "Code")
    await keyboard.type(codeOf(secret, { spans: 1 }))
    await keyboard.press("Enter")
    await keyboard.sees("heading", "Home")

    expects(403)
    await keyboard.go("account", "Account")
    const json = { code: "REAUTHENTICATION_REQUIRED", detail: "Prove again who you are." }
    await answerOnce(page, "DELETE /api/account/second-factor", { status: 403, json })
    await keyboard.enter("button", "Remove the second factor")
    await keyboard.enter("button", "Remove")
    await keyboard.has("textbox", "Your password")
    await keyboard.type(passwordOf(stamp))
    await keyboard.fill("Code", recovery)
    await keyboard.press("Enter")
    await keyboard.reads("Your identity is confirmed. Repeat the action.")
    await keyboard.has("button", "Remove")
    await keyboard.press("Enter")
    await keyboard.sees("button", "Set up a second factor")
  },
}

export const endedSession: Journey = {
  name: "a session that ends on a page",
  as: newcomer,
  async go({ keyboard, stamp, expects }) {
    await keyboard.go("balance", "Balance")
    await keyboard.page.context().clearCookies()
    expects(401)
    await keyboard.press("Control+k")
    await keyboard.has("combobox", "Page or id")
    await keyboard.type("turns")
    await keyboard.press("Enter")
    await keyboard.sees("dialog", "Your session has ended")
    await keyboard.has("textbox", "Password")
    // The sign-in is throttled after too many attempts.
    expects(429)
    const json = { code: "LOGIN_THROTTLED", detail: "Too many wrong passwords for this account." }
    await answerOnce(keyboard.page, "POST /api/auth/login", { status: 429, headers: { "retry-after": "3" }, json })
    await keyboard.type(passwordOf(stamp))
    await keyboard.press("Enter")
    await keyboard.reads("Too many wrong passwords for this account.")
    await keyboard.sees("button", /^Try again in [123] s$/)
    await keyboard.enter("button", "Sign in")
    await keyboard.reads("You are signed in again.")
    await keyboard.sees("heading", "Turns")
  },
}

export const conflict: Journey = {
  name: "two people who edit the same",
  as: "Admin",
  async go({ keyboard, stamp, origin, expects }) {
    await keyboard.go("catalog", "Catalog")
    const { page } = keyboard
    const { items } = (await (await page.request.get(`${origin}/api/admin/model-catalog`)).json()) as {
      items: { pin: string; label: string; version: number }[]
    }
    const [model] = items
    if (!model) throw new Error("The catalog is empty")
    const rename = async () => {
      await keyboard.choose(new RegExp(`^Actions for ${model.label.replace(/ \(.*/, "")}`), "Rename")
      await keyboard.has("textbox", "Name")
    }
    await rename()
    const theirs = await page.request.patch(`${origin}/api/admin/model-catalog/${encodeURIComponent(model.pin)}`, {
      headers: { origin, "if-match": `"${model.version}"` },
      data: { label: `${model.label} (theirs)` },
    })
    if (!theirs.ok()) throw new Error(await theirs.text())
    expects(412)
    await keyboard.fill("Name", `${model.label} (mine ${stamp})`)
    await keyboard.press("Enter")
    await keyboard.sees("alertdialog", "Another user has saved this in the meantime")
    await keyboard.reads(`${model.label} (theirs)`)
    await keyboard.enter("button", "Overwrite with my version")
    await keyboard.sees("cell", new RegExp(`mine ${stamp}`))
    await rename()
    await keyboard.fill("Name", model.label)
    await keyboard.press("Enter")
    await keyboard.reads(`${model.pin} is now called ${model.label}.`)
  },
}

async function linkOf({ mail }: JourneyWorld): Promise<string> {
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const link = mail?.bodies.map((body) => /http[^"]*\/reset-password#token=[^"]+/.exec(body)?.[0]).find(Boolean)
    if (link) return link
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`No link has come, but ${mail?.bodies.join(" ") || "no email"}`)
}

export const passwordReset: Journey = {
  name: "a new password by a link",
  as: newcomer,
  needsMail: true,
  async go(world) {
    const { keyboard, stamp, expects } = world
    expects(401)
    await keyboard.enter("button", "Sign out")
    await keyboard.enter("link", "Sign in")
    await keyboard.enter("link", "Forgot your password?")
    await keyboard.fill("Email", emailOf(stamp))
    await keyboard.press("Enter")
    await keyboard.reads("If an account with this email exists, we have sent it a link.")
    const link = await linkOf(world)
    // The user opens the link in another tab.
    await keyboard.page.goto("about:blank")
    await keyboard.page.goto(link)
    await keyboard.fill("New password", `another ${passwordOf(stamp)}`)
    await keyboard.press("Enter")
    await keyboard.reads("The password is set. Sign in with it.")
    await keyboard.enter("link", "Sign in")
    await signInAgain(keyboard, stamp, `another ${passwordOf(stamp)}`)
    await keyboard.sees("heading", "Home")
  },
}
