import { beforeAll, expect, test } from "vitest"
import { type ApiDocument, operationsOf } from "../../src/reference/document.ts"
import { guidesOf } from "../../src/reference/guides.ts"
import { html, line } from "../../src/reference/markup.ts"
import { referencePage } from "../../src/reference/page.ts"
import { createWorld } from "../harness/world.ts"

let page: Response
let text: string
let document: ApiDocument

beforeAll(async () => {
  const world = await createWorld()
  page = await world.invoke(new Request("https://api.test/docs"))
  text = await page.text()
  document = (await (await world.invoke(new Request("https://api.test/v1/openapi.json"))).json()) as ApiDocument
})

const all = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] as string)

test("the reference is a page of HTML that may load nothing, not even from here", async () => {
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"])
  const policy = page.headers.get("content-security-policy") ?? ""
  const [style = ""] = all(/<style>([\s\S]*?)<\/style>/g)
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  expect(policy).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(text).not.toMatch(/<script|<link|<img|<iframe| style="| on\w+="|\ssrc=/i)
})

test("it has every operation, object and code, each once and where links lead", () => {
  const ids = all(/ id="([^"]+)"/g)
  expect(new Set(ids).size).toBe(ids.length)
  const codes = Object.values(document.components.responses).flatMap((answer) => {
    const { content } = answer as { content: Record<string, { examples: object }> }
    return Object.keys(content["application/json"]?.examples ?? {})
  })
  for (const { operationId } of operationsOf(document)) expect(ids).toContain(operationId)
  for (const name of Object.keys(document.components.schemas)) expect(ids).toContain(`object-${name}`)
  for (const code of codes) expect(ids).toContain(`error-${code}`)
  const links = all(/ href="([^"]+)"/g)
  expect(links.filter((link) => !link.startsWith("#"))).toEqual(["/v1/openapi.json"])
  expect(links.filter((link) => link.startsWith("#") && !ids.includes(link.slice(1)))).toEqual([])
})

test("each operation has its address, and its calls with curl and with the client", () => {
  for (const { operationId, path, summary } of operationsOf(document)) {
    const [section = ""] = all(new RegExp(`(<section class="operation" id="${operationId}">[\\s\\S]*?</section>)`, "g"))
    expect(section.replaceAll("<wbr>", "")).toContain(`<code>${path}</code>`)
    expect(section.replaceAll("&#39;", "'")).toContain(summary)
    expect(section).toContain("<figcaption>curl</figcaption>")
    expect(section).toContain("<figcaption>turnpike-client</figcaption>")
    expect(section).toMatch(/<code>curl (-X [A-Z]+ )?(&#39;)?https:\/\/api\.test\/v1\//)
  }
})

test("whatever a description or an example holds is text", () => {
  const evil = "<script>alert(1)</script>\"'&"
  expect(html`<p title="${evil}">${line(`\`${evil}\` ${evil} [x](#${evil})`)}</p>`.text).not.toMatch(/<script|"'/)
  const marked = JSON.parse(JSON.stringify(document).replaceAll("Send a turn", "<script>x</script>")) as ApiDocument
  const copy = referencePage({
    document: marked,
    guides: guidesOf(`https://"><script>`),
    codes: {},
    aboutErrors: "",
    documentPath: "/",
  })
  expect(copy).not.toContain("<script")
})

test("neither the page nor the document needs a key, and an answer says where it was made", async () => {
  expect(page.headers.get("x-request-id")).toMatch(/^req_/)
  expect(document.servers).toEqual([{ url: "https://api.test" }])
})
