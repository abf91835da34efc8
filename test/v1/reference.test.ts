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

const sha256 = async (bytes: ArrayBuffer) =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")

const FRAMES = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe.each(PAGES)("$page", ({ page: pagePath, document: documentPath }) => {
  let page: Response
  let text: string
  let document: Document
  let pages: Map<string, string>

  beforeAll(async () => {
    page = await staticFile(pagePath)
    text = await page.text()
    document = (await (await staticFile(documentPath)).json()) as Document
    const paths = [...text.matchAll(/ href="([^"#]+)"/g)].map(([, path = ""]) => path)
    const own = [...new Set(paths)].filter((path) => path.startsWith(`${pagePath}/`) && !/\/try$|\.\w+$/.test(path))
    pages = new Map(await Promise.all(own.map(async (path) => [path, await (await staticFile(path)).text()] as const)))
  })

  test("The pages are HTML that loads and calls only our host, without inline scripts or styles", async () => {
    for (const path of [pagePath, ...pages.keys()]) {
      const { status, headers } = await staticFile(path)
      expect([status, headers.get("content-type")?.toLowerCase()]).toEqual([200, "text/html; charset=utf-8"])
      expect(headers.get("content-security-policy")).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self'; ${FRAMES}`,
      )
      expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual([
        "nosniff",
        "no-referrer",
      ])
      expect(headers.get("strict-transport-security")).toBe("max-age=31536000")
    }
    for (const html of [text, ...pages.values()])
      expect(html).not.toMatch(/<iframe|<style| style="| on\w+="|<script>|src="https?:|<link [^>]*href="https?:/i)
  })

  test("The files of the pages, and the viewer, are cached forever under names derived from their content", async () => {
    const viewer = await (await staticFile(`${pagePath}/try`)).text()
    const files = [text, viewer].flatMap((html) =>
      [...html.matchAll(/(?:src|href|data-index)="(\/docs\/[\w-]+-[0-9a-f]{12}\.\w+)"/g)].map(([, path = ""]) => path),
    )
    expect(new Set(files.map((path) => path.split("-")[0])).size).toBe(5)
    for (const path of new Set(files)) {
      const file = await staticFile(path)
      expect(file.headers.get("cache-control"), path).toBe("public, max-age=31536000, immutable")
      expect(path).toContain((await sha256(await file.arrayBuffer())).slice(0, 12))
    }
  })

  test("The viewer has its own policy and the document, and its script has the same address for both APIs", async () => {
    const viewer = await staticFile(`${pagePath}/try`)
    const html = await viewer.text()
    expect(viewer.headers.get("content-security-policy")).toBe(
      `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; ${FRAMES}`,
    )
    expect(html).toContain(` data-url="${documentPath}"`)
    const [script] = [...html.matchAll(/ src="([^"]+)"/g)].map(([, path]) => path)
    expect(script).toMatch(/^\/docs\/viewer-/)
    expect(await (await staticFile("/docs/try")).text()).toContain(` src="${script}"`)
    for (const one of [text, ...pages.values()]) expect(one).not.toContain("viewer-")
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

  test("Every operation has a section with its path, its errors, and a link into the viewer", () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, tags }]) => ({ path, method, operationId, tags })),
    )
    expect(operations.length).toBeGreaterThan(50)
    for (const { path, method, operationId, tags } of operations) {
      const group = tags[0]?.toLowerCase().replaceAll(" ", "-")
      const html = pages.get(`${pagePath}/operations/${group}`) ?? ""
      const [, section = ""] = html.split(`<h2 id="${operationId}">`)
      const [own = ""] = section.split("</section>")
      expect(own, operationId).toContain(`<code>${path}</code>`)
      expect(own, operationId).toContain(`${pagePath}/try#tag/${group}/${method.toUpperCase()}${path}"`)
      expect(own, operationId).toContain(`<h3>Errors</h3>`)
    }
  })

  test("Every link on every page leads to a page and an anchor that exist", async () => {
    const known = new Map([[pagePath, text], ...pages])
    const broken: string[] = []
    let links = 0
    for (const [path, html] of known) {
      for (const [, href = ""] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
        const [target = "", anchor] = href.split("#")
        links++
        if (
          /^https:|\/try$|\.json$|\.txt$/.test(target) ||
          ["/", "/home"].includes(target) ||
          target.startsWith("/sign-in?")
        )
          continue
        const found = target === "" ? html : (known.get(target) ?? (await (await staticFile(target)).text()))
        if (!found.includes("<main")) broken.push(`${path}: ${href}`)
        else if (anchor && !found.includes(` id="${anchor}"`)) broken.push(`${path}: ${href}`)
      }
    }
    expect(links).toBeGreaterThan(500)
    expect(broken).toEqual([])
  })

  test("No page has an unfilled placeholder, and every anchor on a page is unique", () => {
    for (const [path, html] of [[pagePath, text] as const, ...pages]) {
      expect(html, path).not.toMatch(
        /\{\{(?!now\}\}|today\}\}|(?:secrets|input|end_user|turn|conversation|metadata|profile)\.)|undefined|\[object/,
      )
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      expect(
        ids.filter((id, at) => ids.indexOf(id) !== at),
        path,
      ).toEqual([])
    }
  })
})

test("The guides to errors have every code of their API", async () => {
  for (const [documentPath, pagePath] of [
    ["/v1/openapi.json", "/docs/errors"],
    ["/api/openapi.json", "/api/docs/dashboard-errors"],
  ] as const) {
    const document = (await (await staticFile(documentPath)).json()) as Document & {
      components: { responses: Record<string, { content: Record<string, { examples: object }> }> }
    }
    const page = await (await staticFile(pagePath)).text()
    const codes = Object.values(document.components.responses).flatMap(({ content }) =>
      Object.keys(content["application/json"]?.examples ?? {}),
    )
    expect(codes.length).toBeGreaterThan(20)
    expect(codes.filter((code) => !page.includes(`<tr id="${code}">`))).toEqual([])
  }
})

test("The page with everything contains each guide, error and limit without a script", async () => {
  const page = await (await staticFile("/docs/all")).text()
  for (const text of ["Verify a webhook", "INSUFFICIENT_CREDITS", "100 MiB", "openssl dgst -sha256", "turn.done"])
    expect(page).toContain(text)
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
