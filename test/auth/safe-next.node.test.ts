import { describe, expect, test } from "vitest"
import { safeNext } from "../../src/sign-in/safe-next.ts"

const ORIGIN = "https://app.test"

describe("The page after a login", () => {
  test.each([
    "/",
    "/chat",
    "/chat?space=spc_1&turn=2#last",
    "/admin/users/42?q=a%20b&next=https://evil.com",
    "/files/r%C3%A4ume.pdf",
    "/a-b_c~d/(e)/f.g",
    "/end-users/ada%40example.com",
    "/end-users/ada@example.com",
    "/end-users/tenant%3A42",
    "/end-users/a%2Fb",
    "/end-users/a%2F%2Fb",
    "/end-users/a%5Cb",
    "/end-users/100%25",
    "/end-users/https%3A%2F%2Fexample.com",
    "/turns/turn_1?tab=events&at=2026-01-01T00:00:00Z",
  ])("The path %s is accepted", (next) => expect(safeNext(next, ORIGIN)).toBe(next))

  test("Dots and letters of other languages are encoded as a browser encodes them", () => {
    expect(safeNext("/a/../chat", ORIGIN)).toBe("/chat")
    expect(safeNext("/räume", ORIGIN)).toBe("/r%C3%A4ume")
  })

  test.each([
    "",
    " ",
    "chat",
    "?a=1",
    "//evil.com",
    "///evil.com",
    "/\\evil.com",
    "\\\\evil.com",
    "/..//evil.com",
    "/.//evil.com",
    "/%2e%2e//evil.com",
    "/a/../..//evil.com",
    "/%2f%2fevil.com",
    "/%252f%252fevil.com",
    "/%5cevil.com",
    "/%09/evil.com",
    "/\t/evil.com",
    "/\n/evil.com",
    "/chat\r\nSet-Cookie: token=x",
    "/%0d%0aLocation:%20https://evil.com",
    "/\u0000",
    "@evil.com",
    "/@evil.com",
    "/%40evil.com",
    "/;@evil.com",
    "/.evil.com",
    "/https://evil.com",
    "/https:evil.com",
    "/／evil.com",
    "/%EF%BC%8Fevil.com",
    "/\u2044evil.com",
    "/%E2%88%95evil.com",
    "https://evil.com",
    "https:evil.com",
    "https://app.test@evil.com",
    "https://app.test/chat",
    "javascript:alert(1)",
    "/javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    " /chat",
    "\u00a0/evil.com",
    "/%zz",
    "/api/auth/tg-login/status?token=x",
    "/API/auth/me",
    "/%61pi/auth/me",
    `/${"a".repeat(2048)}`,
  ])("The path %j is replaced by the default", (next) => expect(safeNext(next, ORIGIN)).toBeNull())
})
