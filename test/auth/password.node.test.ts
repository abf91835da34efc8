import * as crypto from "node:crypto"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { PASSWORD_POLICY } from "../../src/sign-in/policies.ts"

vi.mock("node:crypto", async (original) => {
  const real = await original<typeof crypto>()
  return { ...real, scrypt: vi.fn(real.scrypt) }
})
const scrypt = vi.mocked(crypto.scrypt)
// Another test file of this process may have loaded the module with the real crypto.
vi.resetModules()
const { hashPassword, verifyPassword } = await import("../../src/sign-in/password.ts")
const real = (await vi.importActual<typeof crypto>("node:crypto")).scrypt
/** A thousandth of the work that is asked for. */
const quick = ((...[password, salt, length, cost, done]: Parameters<typeof real>) =>
  real(password, salt, length, { ...cost, N: 2 ** 5 }, done)) as typeof real
beforeEach(() => {
  scrypt.mockClear()
  scrypt.mockImplementation(quick)
})

/** The cost of each scrypt call: its length and parameters. */
const work = () => scrypt.mock.calls.map(([, salt, length, cost]) => [(salt as Buffer).length, length, cost])
const ONE_SCRYPT = [[16, 32, expect.objectContaining({ N: 2 ** 15, r: 8, p: 3 })]]

describe("A password", () => {
  test("A hash takes the work that its parameters say", async () => {
    scrypt.mockImplementation(real)
    const stored = await hashPassword("correct horse")
    expect(await verifyPassword("correct horse", stored)).toBe(true)
    scrypt.mockImplementation(quick)
    expect(await verifyPassword("correct horse", stored), "less work gives another hash").toBe(false)
  })

  test("A password is stored with its parameters and its own salt, and only the same password matches", async () => {
    const stored = await hashPassword("correct horse")
    expect(stored).toMatch(/^scrypt\$32768\$8\$3\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/)
    expect(await hashPassword("correct horse")).not.toBe(stored)
    expect(await verifyPassword("correct horse", stored)).toBe(true)
    for (const wrong of ["", "correct hors", "correct horse ", "Correct horse"]) {
      expect(await verifyPassword(wrong, stored)).toBe(false)
    }
  })

  test("A missing password hash matches no password and costs exactly the same: one scrypt with the same parameters", async () => {
    const stored = await hashPassword("correct horse")
    for (const [password, of] of [
      ["correct horse", stored],
      ["wrong", stored],
      ["wrong", null],
      ["", null],
    ] as const) {
      scrypt.mockClear()
      expect(await verifyPassword(password, of)).toBe(of !== null && password === "correct horse")
      expect(work()).toEqual(ONE_SCRYPT)
    }
  })
})

test("Two passwords are hashed at a time, and a full queue refuses at once", async () => {
  let [inside, most] = [0, 0]
  scrypt.mockImplementation(((...[password, salt, length, cost, done]: Parameters<typeof real>) => {
    most = Math.max(most, ++inside)
    quick(password, salt, length, cost, (error, key) => {
      inside--
      done(error, key)
    })
  }) as typeof real)
  const places = PASSWORD_POLICY.atOnce + PASSWORD_POLICY.waiting
  const tries = Array.from({ length: places + 3 }, () => verifyPassword("wrong", null))
  const refused = (await Promise.allSettled(tries)).filter(({ status }) => status === "rejected")
  expect(most).toBe(2)
  expect(refused).toHaveLength(3)
  expect(refused[0]).toMatchObject({ reason: { code: "UNAVAILABLE", retryAfter: 2 } })
})
