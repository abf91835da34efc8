import { beforeAll, describe, expect, test } from "vitest"
import { staticFile } from "../harness/served.ts"

interface Document {
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, { operationId: string; tags: string[]; description: string }>>
}

const PAGES = [
  { page: "/docs", document: "/v1/openapi.json" },
  { page: "/api/docs", document: "/api/openapi.json" },
]

describe.each(PAGES)("$page", ({ page: pagePath, document: documentPath }) => {
  let page: Response
  let text: string
  let document: Document

  beforeAll(async () => {
    page = await staticFile(pagePath)
    text = await page.text()
    document = (await (await staticFile(documentPath)).json()) as Document
  })

  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] as string)

  test("The page is HTML that loads and calls only our host", () => {
    expect([page.status, page.headers.get("content-type")?.toLowerCase()]).toEqual([200, "text/html; charset=utf-8"])
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect([page.headers.get("x-content-type-options"), page.headers.get("referrer-policy")]).toEqual([
      "nosniff",
      "no-referrer",
    ])
    expect(page.headers.get("strict-transport-security")).toBe("max-age=31536000")
    expect(text).not.toMatch(/<img|<iframe| style="| on\w+="|https?:/i)
  })

  test("The page shows the document with a viewer that is cached forever under a name derived from its content", async () => {
    expect(all(/ data-url="([^"]+)"/g)).toEqual([documentPath])
    // The document is available to browsers without scripts or without the viewer.
    const links = all(/ href="([^"]+)"/g).filter((link) => !link.startsWith("data:"))
    expect(links).toEqual(["/", documentPath, documentPath])
    const [script = ""] = all(/ src="([^"]+)"/g)
    const viewer = await staticFile(script)
    expect([viewer.status, viewer.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"])
    expect(viewer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    const digest = await crypto.subtle.digest("SHA-256", await viewer.arrayBuffer())
    const hash = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
    expect(script).toBe(`${pagePath}/viewer-${hash.slice(0, 12)}.js`)
  })

  test("The page and the document need no key and are revalidated on each request", async () => {
    const answer = await staticFile(documentPath)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    for (const { headers } of [page, answer]) {
      expect(headers.get("cache-control")).toBe("public, max-age=0, must-revalidate")
      expect(headers.get("etag")).toMatch(/^"\w+"$/)
    }
  })

  test("The document names the server from which it was requested", () => {
    const urls = document.servers.map(({ url }) => new URL(url, `https://api.test${documentPath}`).href)
    expect(urls).toEqual(["https://api.test/"])
  })

  test("Every link in a guide or a description leads to a guide, a group or an operation", () => {
    const slug = (name: string) =>
      name
        .toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .replaceAll(" ", "-")
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
    )
    const targets = [
      ...document.tags.map(({ name }) => `#tag/${slug(name)}`),
      ...operations.map(({ path, method, tags }) => `#tag/${slug(tags[0] ?? "")}/${method}${path}`),
    ]
    expect(new Set(targets).size).toBe(targets.length)
    const links = [...document.tags, ...operations].flatMap(({ description }) =>
      [...description.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] as string),
    )
    expect(links.length).toBeGreaterThan(0)
    expect(links.filter((link) => !targets.includes(link))).toEqual([])
  })
})

test("The guide to errors has every code, and no guide has an unfilled placeholder", async () => {
  const document = (await (await staticFile("/v1/openapi.json")).json()) as Document & {
    components: { responses: Record<string, { content: Record<string, { examples: object }> }> }
  }
  const guide = document.tags.find(({ name }) => name === "Errors")?.description ?? ""
  const codes = Object.values(document.components.responses).flatMap(({ content }) =>
    Object.keys(content["application/json"]?.examples ?? {}),
  )
  expect(codes.length).toBeGreaterThan(20)
  expect(codes.filter((code) => !guide.includes(`| \`${code}\`<br>`))).toEqual([])
  expect(JSON.stringify(document.tags)).not.toMatch(/\{\{|undefined|\[object/)
})

test("A missing file is answered by the worker, or by the web app if it is built", async () => {
  const nowhere = await staticFile("/nowhere")
  const answer = { status: nowhere.status, text: await nowhere.text() }
  for (const path of ["/docs/nope", "/v1/nope"]) {
    const response = await staticFile(path)
    expect({ status: response.status, text: await response.text() }, path).toEqual(answer)
  }
  expect(answer.text).not.toContain("openapi")
})
