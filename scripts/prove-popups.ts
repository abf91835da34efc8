import type { ElementHandle, Locator, Page } from "playwright-core"
import { axeOf, overflowOf } from "./prove-page.ts"

/** The dialogs, menus and panels of pages. The first look at a page finds them, and later looks open the same ones. */
export interface Popups {
  /** The names of the buttons and of the items of menus that open something, by address. */
  openers: Map<string, string[]>
  /** The number of checked popups, over all looks. */
  checked: number
}

const POPUP = "[role=dialog], [role=alertdialog], [role=menu], dialog[open]"
const REFUSAL = { status: 500, json: { detail: "This check changes nothing.", code: "INTERNAL" } }
/** The time in which a button opens its popup. One with `aria-haspopup` must open it. */
const OPENS_MS = { declared: 10_000, possible: 700 }
/** The time in which a popup gets the focus, or closes. */
const MOVES_MS = 5_000
const MOST_BUTTONS = 60
/** The pages on which the frame is also checked: the navigation, the search and the switch of accounts. */
const WITH_FRAME = ["/home", "/operator"]

/** A string, because scripts have no types of the browser. Only the first entry of a list is checked. */
const NEXT_BUTTON = `({ root, pressed, wanted }) => [...document.querySelectorAll(root + " button")].find((button) => {
  const name = (button.getAttribute("aria-label") ?? button.innerText).trim()
  const isLater = button.closest("thead, tbody tr:not(:first-child), main li:not(:first-child), [role=tablist]")
  return name !== "" && !isLater && button.checkVisibility() && !button.matches(":disabled, [aria-disabled=true]") &&
    !pressed.includes(name) && (wanted === null || wanted.includes(name))
}) ?? null`
const HAS_FOCUS = "document.activeElement !== null && document.activeElement !== document.body"

interface Opened {
  page: Page
  popup: Locator
  /** The names of the button, and of the item of its menu. */
  name: string
  /** The first look at the page: axe checks the whole page, not only the popup. */
  isFirst: boolean
}

/** Refuses every change, so that no pressed button has an effect. */
export async function refuseChanges(page: Page): Promise<void> {
  await page.route("**/api/**", (route) =>
    route.request().method() === "GET" ? route.fallback() : route.fulfill(REFUSAL),
  )
}

/**
 * Opens each popup of a page, closes it with Escape, and returns the faults. `reopen` loads the page again, after a
 * button that led to another one.
 */
export async function provePopups(page: Page, popups: Popups, reopen: () => Promise<void>): Promise<string[]> {
  const wrong: string[] = []
  const address = page.url()
  const wanted = popups.openers.get(address) ?? null
  const root = WITH_FRAME.includes(new URL(address).pathname) ? "body" : "main"
  const openers: string[] = []
  const pressed: string[] = []
  while (pressed.length < MOST_BUTTONS) {
    const button = await nextButton(page, { root, pressed, wanted })
    if (!button) break
    const name = await nameOf(button)
    pressed.push(name)
    const popup = await press(page, button)
    if (popup) {
      openers.push(name)
      const opened = { page, popup, name, isFirst: wanted === null }
      const found = await proveOpen(opened)
      const items = await itemsOf(opened)
      wrong.push(...found, ...(await close(opened)))
      popups.checked++
      for (const [at, item] of items.entries()) {
        if (wanted && !wanted.includes(itemName(name, item))) continue
        const again = await nextButton(page, { root, pressed: [], wanted: [name] })
        if (!again) break
        const dialog = await pressItem(opened, again, { at, item })
        if (dialog) {
          openers.push(dialog.name)
          wrong.push(...(await proveOpen(dialog)), ...(await close(dialog)))
          popups.checked++
        }
        if (page.url() !== address) await reopen()
      }
    }
    if (page.url() !== address) await reopen()
  }
  if (!wanted) popups.openers.set(address, openers)
  return wrong
}

interface Wanted {
  root: string
  pressed: string[]
  wanted: string[] | null
}

async function nextButton(page: Page, wanted: Wanted): Promise<ElementHandle | null> {
  return (await page.evaluateHandle(`(${NEXT_BUTTON})(${JSON.stringify(wanted)})`)).asElement()
}

const nameOf = async (button: ElementHandle) =>
  ((await button.getAttribute("aria-label")) ?? (await button.innerText())).trim()

const popupOf = (page: Page) => page.locator(POPUP).filter({ visible: true }).last()

/** Presses a button by keyboard. Returns the popup that it opened. */
async function press(page: Page, button: ElementHandle): Promise<Locator | null> {
  const isDeclared = (await button.getAttribute("aria-haspopup")) !== null
  await button.focus()
  await page.keyboard.press("Enter")
  const popup = popupOf(page)
  const timeout = isDeclared ? OPENS_MS.declared : OPENS_MS.possible
  return popup.waitFor({ timeout }).then(
    () => popup,
    (error) => {
      if (isDeclared) throw error
      return null
    },
  )
}

/** The items of an open menu that do something. */
const itemsOf = ({ popup }: Opened) => popup.and(popup.page().getByRole("menu")).getByRole("menuitem").allInnerTexts()

const itemName = (button: string, item: string) => `${button}, ${item.trim()}`

/** Opens the menu again and presses an item. Returns the dialog that it opened. */
async function pressItem(
  opened: Opened,
  button: ElementHandle,
  { at, item }: { at: number; item: string },
): Promise<Opened | null> {
  const { page, name } = opened
  const menu = await press(page, button)
  const entry = menu?.getByRole("menuitem").nth(at)
  if (!entry || (await entry.getAttribute("aria-disabled")) === "true") {
    await close(opened)
    return null
  }
  await entry.focus()
  await page.keyboard.press("Enter")
  const popup = page.locator("[role=dialog], [role=alertdialog], dialog[open]").filter({ visible: true }).last()
  return popup.waitFor({ timeout: OPENS_MS.possible }).then(
    () => ({ ...opened, popup, name: itemName(name, item) }),
    () => null,
  )
}

async function proveOpen({ page, popup, name, isFirst }: Opened): Promise<string[]> {
  const focus = page.locator(":focus")
  const hasFocus = popup.and(focus).or(popup.locator(focus)).first().waitFor({ timeout: MOVES_MS })
  const isReached = await hasFocus.then(
    () => true,
    () => false,
  )
  const box = await popup.boundingBox()
  const width = page.viewportSize()?.width ?? 0
  const wrong = [
    ...(await overflowOf(page)),
    ...(await axeOf(page, { within: isFirst ? "body" : POPUP, isStrict: true })),
  ]
  if (box && (box.x < 0 || box.x + box.width > width)) wrong.push("stands outside the window")
  const inside = await popup.evaluate((element: unknown) => {
    const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number }
    return scrollWidth - clientWidth
  })
  if (!isReached) wrong.push("it does not get the focus")
  if (inside > 0) wrong.push(`its content is ${inside} px too wide`)
  return wrong.map((text) => `"${name}" opened: ${text}`)
}

/** Closes a popup with Escape. The focus must then be on a control of the page. */
async function close({ page, popup, name }: Opened): Promise<string[]> {
  const pressEscape = async () => {
    await page.keyboard.press("Escape")
    return popup.waitFor({ state: "hidden", timeout: MOVES_MS }).then(
      () => true,
      () => false,
    )
  }
  // On a busy machine, the first press can come before the popup listens.
  if (!(await pressEscape()) && !(await pressEscape())) return [`"${name}" opened: Escape does not close it`]
  return (await page.evaluate<boolean>(HAS_FOCUS)) ? [] : [`"${name}" closed: the focus is lost`]
}
