import { expect, test } from "vitest"
import { staticFile } from "../harness/served.ts"

/** The page of the web app. */
const PAGE = await staticFile("/").then((response) => response.text())

test("A missing file, such as a file of another release, is not cached", async () => {
  for (const path of [
    "/assets/index-12345678.js",
    "/assets/0123456789ab/index-12345678.js",
    "/assets/",
    "/theme-2.js",
  ]) {
    const response = await staticFile(path)
    expect(response.headers.get("cache-control") ?? "", path).not.toContain("immutable")
  }
})

test("The files of this release are cached permanently", async () => {
  const files = [...PAGE.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string)
  expect(files.length).toBeGreaterThan(0)
  for (const path of files) {
    const response = await staticFile(path)
    expect(response.headers.get("cache-control"), path).toBe("public, max-age=31536000, immutable")
    expect(response.headers.get("content-type"), path).toMatch(/javascript|css/)
  }
})
