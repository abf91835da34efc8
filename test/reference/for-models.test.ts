import { expect, test } from "vitest"
import { staticFile } from "../harness/served.ts"

const COMPARISON = "/docs/compare"

const read = async (path: string) => {
  const response = await staticFile(path)
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
}

/** The targets of links in Markdown. */
const linksIn = (text: string) => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target)

test("The file /llms.txt has a title, a summary and lists of links, and each link leads to a Markdown page", async () => {
  const { status, type, text } = await read("/llms.txt")
  expect([status, type]).toEqual([200, "text/plain; charset=utf-8"])
  const [title, , summary] = text.split("\n")
  expect(title).toBe("# Turnpike")
  expect(summary).toMatch(/^> \w/)
  expect([...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name)).toEqual(["Guides", "Operations"])
  const lists = text
    .slice(text.indexOf("## Guides"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  expect(lists.length).toBeGreaterThan(25)
  for (const line of lists) expect(line).toMatch(/^- \[[^\]]+\]\(\/docs\/[\w/-]+\.md\): /)
  for (const path of linksIn(text)) {
    const page = await read(path)
    expect(page.status, path).toBe(200)
    if (path.endsWith(".md"))
      expect([page.type, page.text.startsWith("# ")], path).toEqual(["text/markdown; charset=utf-8", true])
  }
})

test("The file /llms-full.txt has each page that /llms.txt lists", async () => {
  const { status, type, text } = await read("/llms-full.txt")
  expect([status, type]).toEqual([200, "text/plain; charset=utf-8"])
  const titles = [...text.matchAll(/^# (.*)$/gm)].map(([, title]) => title)
  const listed = [...(await read("/llms.txt")).text.matchAll(/^- \[([^\]]+)\]\(\/docs\/[\w/-]+\.md\)/gm)].map(
    ([, title]) => title,
  )
  expect(titles).toEqual(expect.arrayContaining(listed))
})

test("Every page of the reference names its Markdown, which has its title and no HTML, placeholder or search words", async () => {
  const home = await read("/docs")
  const paths = [...home.text.matchAll(/ href="(\/(?:api\/)?docs(?:\/[\w/-]+)?)"/g)].map(([, path = ""]) => path)
  const pages = [...new Set(paths)].filter((path) => !/\/try$/.test(path))
  expect(pages.length).toBeGreaterThan(25)
  for (const path of pages) {
    const html = await read(path)
    expect(html.text, path).toContain(`<link rel="alternate" type="text/markdown" href="${path}.md">`)
    const { status, text } = await read(`${path}.md`)
    expect(status, path).toBe(200)
    expect(text, path).not.toMatch(
      /<!--|<\/?(?:p|table|h2|code|figure)\b|\{\{(?!now\}\}|today\}\}|(?:secrets|input|end_user|turn|conversation|metadata|profile)\.)/,
    )
    for (const link of linksIn(text)) {
      const [target = ""] = link.split("#")
      if (/^https:|^$|\.json$/.test(target) || !target.startsWith("/")) continue
      expect((await read(target)).status, `${path}.md: ${link}`).toBe(200)
    }
  }
})

test("Each statement of the page that compares services has a link to its proof", async () => {
  const { text } = await read(`${COMPARISON}.md`)
  const statements = text.split("\n").filter((line) => line.startsWith("- "))
  expect(statements.length).toBeGreaterThan(15)
  for (const statement of statements) {
    // Both halves of a comparison have their own proof.
    for (const half of statement.split("; here,")) expect(linksIn(half).length, half).toBeGreaterThan(0)
  }
})
