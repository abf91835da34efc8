import { expect, inject, test } from "vitest"
import type { Demo } from "../../src/local/demo.ts"

test("The admin of demo.json signs in to the service that npm start started", async () => {
  const { base_url, admin } = (await (await fetch(inject("serviceUrl"))).json()) as Demo
  const response = await fetch(`${base_url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: base_url },
    body: JSON.stringify(admin),
  })
  expect([response.status, await response.json()]).toEqual([
    200,
    expect.objectContaining({ email: admin.email, role: "admin" }),
  ])
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? ""
  const me = await fetch(`${base_url}/api/auth/me`, { headers: { cookie } })
  expect(me.status).toBe(200)
  const tasks = await fetch(`${base_url}/api/admin/tasks?q=customer`, { headers: { cookie } })
  expect(await tasks.json()).toMatchObject({ items: [{ flow_place: 3, space: { title: "Returns desk" } }] })
})
