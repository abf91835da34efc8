import { expect, test } from "vitest"
import { COMMAND_ACCESS, openTerminal } from "../harness/terminal.ts"

test("The command line shows a customer's profile, and changes and removes facts of it", async () => {
  let profile: object = { name: "Ada", plan: "gold" }
  const asked: string[] = []
  const fetch = async (url: string, { method = "GET", body }: RequestInit = {}) => {
    asked.push(`${method} ${new URL(url).pathname}`)
    if (method === "PUT") profile = JSON.parse(String(body)).profile
    return Response.json({ end_user_ref: "customer 42", profile, changed_at: null })
  }
  const { run } = await openTerminal({ env: COMMAND_ACCESS, fetch })
  expect((await run("customers", "profile", "customer 42")).out).toMatch(/name +Ada\s+plan +gold/)
  const changed = await run(
    "customers",
    "profile",
    "customer 42",
    "name=Bob = B",
    "orders=3",
    "trusted=true",
    "id=007",
    "plan=",
  )
  expect(changed.code).toBe(0)
  expect(profile).toEqual({ name: "Bob = B", orders: 3, trusted: true, id: "007" })
  const path = "/v1/end-users/customer%2042/profile"
  expect(asked).toEqual([`GET ${path}`, `GET ${path}`, `PUT ${path}`])
  const wrong = await run("customers", "profile", "customer 42", "name")
  expect(wrong.err).toContain("It must be KEY=VALUE.")
  expect(asked).toHaveLength(3)
})
