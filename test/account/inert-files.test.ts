import { afterAll, beforeAll, expect, test } from "vitest"
import { inertMediaType, safeMediaType } from "../../src/files/media-types.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  space = await client.space()
})
afterAll(() => world.close())

async function upload(name: string, type: string) {
  const response = await client.call("POST", `/v1/spaces/${space}/files?name=${name}`, "body", { "content-type": type })
  return (await response.json()) as { file_id: string; media_type: string }
}

test.each([
  ["evil.js", "text/javascript"],
  ["evil.js", "application/x-javascript; charset=utf-8"],
  ["evil.css", "text/css"],
  ["evil.wasm", "application/wasm"],
  ["evil.xsl", "text/xsl"],
])("A page does not run the file %s of the type %s as script or style", async (name, type) => {
  const { file_id } = await upload(name, type)
  const browser = await world.signIn(client.userId)
  const shown = await browser.call("GET", `/api/account/spaces/${space}/files/${file_id}/content`)
  const headers = ["content-type", "x-content-type-options", "cross-origin-resource-policy"]
  expect(headers.map((header) => shown.headers.get(header))).toEqual([
    "application/octet-stream",
    "nosniff",
    "same-origin",
  ])
  expect(await shown.text()).toBe("body")
  // A customer's server gets the type that the client sent.
  const own = await client.call("GET", `/v1/files/${file_id}/content`)
  expect(own.headers.get("content-type")).toBe(type)
})

test("Images, texts and documents keep their type in a page", () => {
  for (const type of ["image/png", "text/plain; charset=utf-8", "application/pdf", "application/json"]) {
    expect(inertMediaType(type)).toBe(type)
  }
})

test("A charset that no platform writes is dropped at upload and at download", async () => {
  expect(safeMediaType("text/html; charset=utf-7")).toBe("text/html")
  const { file_id, media_type } = await upload("page.html", "text/html; charset=utf-7")
  expect(media_type).toBe("text/html")
  await world.sql("update files set media_type = 'text/html; charset=utf-7' where file_id = $1", [file_id])
  expect((await client.call("GET", `/v1/files/${file_id}/content`)).headers.get("content-type")).toBe("text/html")
})
