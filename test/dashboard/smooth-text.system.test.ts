import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasBrowser, type Person, sendWith, startWebApp, type WebApp } from "../harness/web-app.ts"

const WORDS = Array.from({ length: 300 }, (_, nth) => `word${nth}`).join(" ")
/** A model that writes a word each 15 ms, as fast ones do. */
const TEXT = `[stream 15 ms]\n[reply ${WORDS}]`
const END_USER = "ada"

/** What a recording of the page's frames has. Times in milliseconds. */
interface Recording {
  /** Between two frames: all, and the longest. */
  frames: number
  longestFrame: number
  /** Frames with new text, and the longest time between two of them. */
  grown: number
  longestGap: number
  meanGap: number
  /** The first text after the start of the recording. */
  first: number
}

/**
 * Records each frame of the page from now on, and how long the text at `selector` is in it. The returned function ends
 * the recording when the text is whole.
 */
async function record(page: Page, selector: string): Promise<() => Promise<Recording>> {
  await page.evaluate(`(() => {
    const frames = [];
    const began = performance.now();
    const see = (at) => {
      const shown = document.querySelectorAll(${JSON.stringify(selector)});
      frames.push([at - began, shown.length > 0 ? shown[shown.length - 1].textContent.length : 0]);
      if (!globalThis.isSeen) requestAnimationFrame(see);
    };
    globalThis.isSeen = false;
    globalThis.seenFrames = frames;
    requestAnimationFrame(see);
  })()`)
  return async () => {
    await page.evaluate("globalThis.isSeen = true")
    const all = await page.evaluate<[at: number, length: number][]>("globalThis.seenFrames")
    const gapsOf = (times: readonly number[]) => times.slice(1).map((at, nth) => at - (times[nth] ?? 0))
    const grown = all.filter(([, length], nth) => length > (all[nth - 1]?.[1] ?? 0)).map(([at]) => at)
    const gaps = gapsOf(grown)
    const round = (ms: number) => Math.round(ms * 10) / 10
    return {
      frames: all.length,
      longestFrame: round(Math.max(...gapsOf(all.map(([at]) => at)))),
      grown: grown.length,
      longestGap: round(Math.max(...gaps)),
      meanGap: round(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length),
      first: round(grown[0] ?? Number.NaN),
    }
  }
}

/** The times are printed. Text that came in a few clumps would be in a few frames, also on a slow machine. */
function expectSmooth(name: string, recording: Recording): void {
  console.log(`${name}: ${JSON.stringify(recording)}`)
  expect(recording.grown).toBeGreaterThan(15)
}

describe.skipIf(!hasBrowser)("Text in a browser", () => {
  let app: WebApp
  let person: Person
  let space: string
  let send: ReturnType<typeof sendWith>
  beforeAll(async () => {
    app = await startWebApp()
    person = await app.signIn()
    send = sendWith(app.service, app.service.api_key)
    const made = await send("POST", "/v1/spaces", { title: "Smooth" })
    space = made.space_id
  })
  afterAll(() => app?.stop())

  test("The playground shows the text of its turn in many small parts", async () => {
    const { page, origin, api } = person
    await page.goto(`${origin}/playground?space=${space}`)
    await page.getByLabel("Text", { exact: true }).fill(TEXT)
    const stop = await record(page, "article [aria-live=polite]")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByRole("article").getByText("word299").last().waitFor()
    await page.getByText("billed").first().waitFor()
    expectSmooth("playground", await stop())
    const { items } = await api("GET", `/api/account/chat/turns?space=${space}`)
    expect([items.length, items[0].state, items[0].result]).toEqual([1, "done", WORDS])
  })

  test("A page of a customer shows the text of a turn that it watches in many small parts", async () => {
    const page = await person.context.newPage()
    await page.goto(`${person.origin}/robots.txt`)
    await page.setContent("<p></p>")
    const stop = await record(page, "p")
    const { turn_id } = await send("POST", "/v1/turns", { space, end_user_ref: END_USER, text: TEXT })
    const { url } = await send("POST", `/v1/turns/${turn_id}/watch-tokens`, {})
    await page.evaluate(`new Promise((done) => {
      const stream = new EventSource(${JSON.stringify(url)});
      stream.addEventListener("text.delta", ({ data }) => (document.querySelector("p").textContent += JSON.parse(data).data.text));
      stream.addEventListener("turn.done", () => { stream.close(); done() });
    })`)
    expectSmooth("page with a watch token", await stop())
    expect(await page.locator("p").textContent()).toBe(WORDS)
    await page.close()
  })

  test("The portal shows the reply of a turn in many small parts while it is written", async () => {
    const session = await send("POST", `/v1/end-users/${END_USER}/portal-sessions`, { scopes: ["turns"] })
    // Slow, so that most of it is still to come when the page is open.
    const text = TEXT.replace("15 ms", "40 ms")
    await send("POST", "/v1/turns", { space, end_user_ref: END_USER, text })
    const page = await person.context.newPage()
    await page.goto(session.url)
    await page.getByRole("button", { name: /stream 40 ms/ }).click()
    const stop = await record(page, "dd[aria-live=polite]")
    await page.locator("dd").last().filter({ hasText: "word299" }).waitFor()
    expectSmooth("portal", await stop())
    expect(await page.locator("dd").last().textContent()).toBe(WORDS)
    await page.close()
  })
})
