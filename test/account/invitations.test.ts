import { afterAll, beforeAll, expect, test } from "vitest"
import {
  createAccountWithPeople,
  INVITATIONS,
  invite,
  KEYS,
  linkToken,
  MEMBERS,
  MEMBERSHIPS,
  rolesOf,
} from "../harness/account-people.ts"
import { askAuth } from "../harness/auth.ts"
import { EMAIL_HOOK, emailsTo, receiveEmails } from "../harness/notices.ts"
import type { Session } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let emails: ReturnType<typeof receiveEmails>
beforeAll(async () => {
  world = await createWorld({ env: EMAIL_HOOK })
  emails = receiveEmails(world)
})
afterAll(() => world.close())

test("An invited person acts for the account with the role, and is named in its activity", async () => {
  const { client, owner, member } = await createAccountWithPeople(world)
  const ben = await member("developer")
  expect((await ben.json("GET", "/api/account/me"))[1]).toMatchObject({
    user: { user_id: client.userId },
    person: { user_id: ben.userId },
    account_role: "developer",
    rights: ["read", "develop", "self"],
  })
  const [, { space_id }] = await ben.json("POST", "/api/account/spaces", { title: "Made by Ben" })
  expect((await owner.json("GET", `/api/account/spaces/${space_id}`))[0]).toBe(200)
  const [, { items }] = await owner.json("GET", `/api/account/activity?member=${ben.userId}`)
  expect(items.map(({ action, by, role, name }: Record<string, string>) => [action, by, role, name])).toEqual([
    ["space.create", "member", "developer", ben.name],
    ["member.join", "member", "developer", ben.name],
  ])
  expect((await ben.session.json("GET", MEMBERSHIPS))[1].items).toMatchObject([
    { user_id: ben.userId, own: true, role: "owner" },
    { user_id: client.userId, own: false, role: "developer" },
  ])
  // Without the header he acts for his own account, where nothing has happened.
  expect((await ben.session.json("GET", "/api/account/spaces"))[1].total).toBe(0)
})

test("An invitation works once, for its email only, until it expires, is revoked or is replaced", async () => {
  const { owner, person } = await createAccountWithPeople(world)
  const [ada, eve] = [await person(), await person()]
  const accept = (who: Session, token: string) => who.json("POST", MEMBERSHIPS, { token })
  const token = await invite(owner, ada.email.toUpperCase(), "billing")
  expect(await accept(eve.session, token)).toMatchObject([403, { code: "INVITED_EMAIL_REQUIRED" }])
  const replaced = await invite(owner, ada.email, "read_only")
  expect(await accept(ada.session, token)).toMatchObject([401, { code: "INVALID_TOKEN" }])
  const [, { invitations }] = await owner.json("GET", MEMBERS)
  expect(invitations).toMatchObject([{ email: ada.email, role: "read_only" }])
  expect((await owner.json("DELETE", `${INVITATIONS}/${invitations[0].invitation_id}`))[0]).toBe(200)
  expect((await owner.json("DELETE", `${INVITATIONS}/${invitations[0].invitation_id}`))[0]).toBe(200)
  expect(await accept(ada.session, replaced)).toMatchObject([401, { code: "INVALID_TOKEN" }])
  const again = await invite(owner, ada.email, "read_only")
  expect((await accept(ada.session, again))[0]).toBe(201)
  expect(await accept(ada.session, again)).toMatchObject([401, { code: "INVALID_TOKEN" }])
  expect(await owner.json("POST", INVITATIONS, { email: ada.email, role: "owner" })).toMatchObject([
    409,
    { code: "ALREADY_MEMBER" },
  ])
  const late = await invite(owner, eve.email, "read_only")
  await world.sql("update account_invitations set expires_at = $1 where email = $2", [world.clock.now(), eve.email])
  expect(await accept(eve.session, late)).toMatchObject([401, { code: "INVALID_TOKEN" }])
})

test("An unverified email accepts no link that its owner passed on", async () => {
  const { owner, person } = await createAccountWithPeople(world)
  const eve = await person()
  await world.sql("update users set email_verified = false where user_id = $1", [eve.session.userId])
  const token = await invite(owner, eve.email, "owner")
  expect(await eve.session.json("POST", MEMBERSHIPS, { token })).toMatchObject([
    403,
    { code: "INVITED_EMAIL_REQUIRED" },
  ])
})

test("Two concurrent accepts of one invitation make one membership", async () => {
  const { client, owner, person } = await createAccountWithPeople(world)
  const ada = await person()
  const token = await invite(owner, ada.email, "developer")
  const other = await world.signIn(ada.session.userId)
  const answers = await Promise.all([ada.session, other].map((one) => one.json("POST", MEMBERSHIPS, { token })))
  expect(answers.map(([status]) => status).toSorted()).toEqual([201, 401])
  expect(await rolesOf(owner)).toEqual({ [client.userId]: "owner", [ada.session.userId]: "developer" })
})

test("The link for the owner makes no user, and does not tell whether the email has one", async () => {
  const { owner, person } = await createAccountWithPeople(world)
  const known = await person()
  for (const email of [known.email, `nobody@account-${owner.userId}.test`]) {
    const token = await invite(owner, email, "developer")
    const read = await owner.json("POST", "/api/auth/invitations", { token }, { "x-turnpike-user": null })
    expect(read).toMatchObject([200, { email, role: "developer", new_user: false }])
    const joined = await owner.json("POST", "/api/auth/invitations/join", {
      token,
      name: "X",
      password: "correct horse",
    })
    expect(joined).toMatchObject([401, { code: "INVALID_TOKEN" }])
  }
})

test("The activity of an invitation names the role, and no email", async () => {
  const { owner, member } = await createAccountWithPeople(world)
  const ben = await member("read_only")
  const [, { invitation_id }] = await owner.json("POST", INVITATIONS, { email: "canary@people.test", role: "billing" })
  expect((await owner.json("DELETE", `${INVITATIONS}/${invitation_id}`))[0]).toBeLessThan(300)
  const [, { items }] = await ben.json("GET", `/api/account/activity?subject_id=${invitation_id}`)
  expect(items).toMatchObject([
    { action: "member.uninvite", before: { role: "billing" }, after: null },
    { action: "member.invite", before: null, after: { role: "billing" } },
  ])
  const stored = await world.sql("select before, after from audit_log where subject_id = $1", [invitation_id])
  expect(JSON.stringify([items, stored])).not.toContain("canary")
})

test("A new user joins by the link of the email, once, and is signed in", async () => {
  const { client, owner } = await createAccountWithPeople(world)
  const email = `new@account-${client.userId}.test`
  await invite(owner, email, "billing")
  await world.settled()
  const [sent] = emailsTo(emails, email)
  expect(sent).toMatchObject({ kind: "member_invited", data: { role: "billing" } })
  const body = { token: linkToken(sent?.data.url ?? ""), name: "New", password: "a long password of mine" }
  const join = () => askAuth(world, "/api/auth/invitations/join", { body })
  const joined = await join()
  expect([joined.status, joined.answer]).toMatchObject([200, { email, email_verified: true, name: "New" }])
  expect(joined.cookie).toContain("token=")
  expect((await join()).status).toBe(401)
  expect(Object.values(await rolesOf(owner))).toEqual(["owner", "billing"])
  expect(client.userId).toBeGreaterThan(0)
})

test("The email about a new key goes to the owner, and after a transfer to the new one", async () => {
  const { client, owner, member } = await createAccountWithPeople(world)
  const email = `owner@account-${client.userId}.test`
  await world.sql("update users set email = $1 where user_id = $2", [email, client.userId])
  const ben = await member("developer")
  const create = async (name: string) => {
    expect((await ben.json("POST", KEYS, { name }))[0]).toBe(201)
    await world.settled()
  }
  await create("before")
  expect((await owner.json("POST", "/api/account/transfer", { user_id: ben.userId, role: "billing" }))[0]).toBe(200)
  await create("after")
  const named = (to: string) =>
    emailsTo(emails, to).flatMap(({ kind, data }) => (kind === "key_created" ? [data.name] : []))
  expect([named(email), named(ben.email)]).toEqual([["before"], ["after"]])
})
