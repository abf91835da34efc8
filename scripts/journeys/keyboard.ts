import type { CDPSession, Locator, Page } from "playwright-core"

/** The properties of a control that a screen reader gets. */
interface Told {
  role: string
  name: string
  value: string
}

type Name = string | RegExp
type Role = Parameters<Page["getByRole"]>[0]

/** A control is unreachable if this number of presses of Tab does not reach it. */
const MOST_TABS = 90
const MOST_ARROWS = 40
const WAIT_MS = 15_000

const fits = (name: Name, told: string) => (typeof name === "string" ? told === name : name.test(told))

/** Operates a page by keyboard only, and finds controls by role and name, as a screen reader does. */
export class Keyboard {
  presses = 0
  readonly page: Page
  private readonly session: CDPSession

  private constructor(page: Page, session: CDPSession) {
    this.page = page
    this.session = session
  }

  static async at(page: Page): Promise<Keyboard> {
    page.setDefaultTimeout(WAIT_MS)
    return new Keyboard(page, await page.context().newCDPSession(page))
  }

  async press(key: string): Promise<void> {
    this.presses++
    await this.page.keyboard.press(key)
  }

  async type(text: string): Promise<void> {
    this.presses += text.length
    await this.page.keyboard.type(text)
  }

  /** Presses Tab, or Shift+Tab, until a control of this role and name has a visible focus. */
  async to(role: Role, name: Name, { back = false } = {}): Promise<void> {
    await this.sees(role, name)
    const passed: string[] = []
    for (let tabs = 0; tabs <= MOST_TABS; tabs++) {
      const told = await this.focused()
      if (told.role === role && fits(name, told.name)) return this.seesFocus(told)
      passed.push(`${told.role} "${told.name}"`)
      await this.press(back ? "Shift+Tab" : "Tab")
    }
    throw new Error(`Tab does not reach ${role} ${name}; it passes ${[...new Set(passed)].join(", ")}`)
  }

  async enter(role: Role, name: Name, options?: { back?: boolean }): Promise<void> {
    await this.to(role, name, options)
    await this.press("Enter")
  }

  async tick(name: Name): Promise<void> {
    await this.to("checkbox", name)
    await this.press("Space")
  }

  /** Replaces the text of a field. */
  async fill(name: Name, text: string, role: Role = "textbox"): Promise<void> {
    await this.to(role, name)
    await this.press("Control+a")
    await this.type(text)
  }

  /** Pastes a text into a field. */
  async paste(name: Name, text: string, role: Role = "textbox"): Promise<void> {
    await this.to(role, name)
    await this.press("Control+a")
    this.presses++
    await this.page.keyboard.insertText(text)
  }

  /** Selects an option of a native list by typing its first word and pressing arrow keys. */
  async select(name: Name, option: string): Promise<void> {
    await this.to("combobox", name)
    await this.type(option.split(" ")[0] ?? "")
    await this.arrow("ArrowDown", ({ value }) => value === option)
  }

  /** Presses a copy button, such as "Copy the secret", and returns the copied text. */
  async copy(name: Name): Promise<string> {
    await this.enter("button", name)
    await this.has("button", "Copied")
    return this.page.evaluate<string>("navigator.clipboard.readText()")
  }

  /** Selects a radio button of a group, or a tab of a list. */
  async pick(role: "radio" | "tab", name: Name): Promise<void> {
    await this.to(role, /./)
    await this.arrow(role === "tab" ? "ArrowRight" : "ArrowDown", (told) => fits(name, told.name))
    if (role === "tab") await this.press("Enter")
  }

  /** Opens a menu and selects an item. */
  async choose(menu: Name, item: Name): Promise<void> {
    await this.enter("button", menu)
    await this.sees("menuitem", item)
    await this.arrow("ArrowDown", (told) => told.role === "menuitem" && fits(item, told.name))
    await this.press("Enter")
  }

  /** Opens a page with the command palette. */
  async go(words: string, title: Name): Promise<void> {
    await this.press("Control+k")
    await this.has("combobox", "Page or id")
    await this.type(words)
    await this.press("Enter")
    await this.sees("heading", title)
  }

  /** Waits until an element of this role and name is visible. */
  async sees(role: Role, name: Name): Promise<Locator> {
    const exact = typeof name === "string"
    const found = this.page.getByRole(role, { name, exact })
    // A password field has no ARIA role.
    const shown = role === "textbox" ? found.or(this.page.getByLabel(name, { exact })) : found
    await shown.first().waitFor()
    return shown.first()
  }

  async reads(text: Name): Promise<void> {
    await this.page.getByText(text).first().waitFor()
  }

  /** Waits until a control has the focus without a key press, for example in a dialog that opens. */
  async has(role: Role, name: Name): Promise<void> {
    const until = Date.now() + WAIT_MS
    for (;;) {
      const told = await this.focused()
      if (told.role === role && fits(name, told.name)) return
      if (Date.now() > until) throw new Error(`The focus is on ${told.role} "${told.name}", not on ${role} ${name}`)
      await this.page.waitForTimeout(20)
    }
  }

  private async arrow(key: string, isThere: (told: Told) => boolean): Promise<void> {
    const passed: string[] = []
    for (let presses = 0; presses <= MOST_ARROWS; presses++) {
      const told = await this.focused()
      if (isThere(told)) return
      passed.push(told.value || told.name)
      await this.press(key)
    }
    throw new Error(`${key} does not reach it; it passes ${[...new Set(passed)].join(", ")}`)
  }

  private async focused(): Promise<Told> {
    const { result } = await this.session.send("Runtime.evaluate", { expression: "document.activeElement" })
    const nowhere = { role: "none", name: "", value: "" }
    if (!result.objectId) return nowhere
    const { nodes } = await this.session.send("Accessibility.getPartialAXTree", {
      objectId: result.objectId,
      fetchRelatives: false,
    })
    const textOf = (part: { value?: unknown } | undefined) => String(part?.value ?? "")
    const [node] = nodes
    return node ? { role: textOf(node.role), name: textOf(node.name), value: textOf(node.value) } : nowhere
  }

  /** Throws if the focus is not visible. */
  private async seesFocus({ role, name }: Told): Promise<void> {
    const outline = await this.page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")
    if (outline === "none") throw new Error(`${role} "${name}" has the focus, but no visible outline`)
  }
}
