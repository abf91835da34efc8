import { afterAll, beforeAll, expect, test } from "vitest"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Deliveries count for their host, however its URL is spelled", async () => {
  const { host } = new URL(serveReceiver(world).url)
  const client = await world.createAccount()
  const spellings = [
    `https:${host}/1`,
    `https:///${host}/2`,
    `https:\\\\${host}\\3`,
    ` https://${host}/4`,
    `https://${host.replace("c", "%63")}/5`,
    `https://${host.replace("c", "\uff43")}/6`,
    `https://${host.replace("c", "c\t")}/7`,
    `https://${host.replace("c", "\u00adc")}/8`,
    `HTTPS://${host.toUpperCase()}:443/9`,
  ]
  for (const url of spellings) await makeWebhook(client, { url })
  await client.runTurn({ space: await client.space() })
  const hosts = await world.sql<{ host: string }>("select host from webhook_hosts")
  expect(hosts).toEqual([{ host }])
  const again = await client.call("POST", "/v1/webhooks", { url: `https://${host}./9` })
  expect(again.status, "the full name of the same host").toBe(409)
})
