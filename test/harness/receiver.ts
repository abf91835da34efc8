import { Webhook } from "standardwebhooks"
import { expect, vi } from "vitest"
import type { Delivery, Event } from "../../src/webhooks/schemas.ts"
import type { TestClient, World } from "./world.ts"

export interface ReceivedEvent {
  /** Milliseconds of the test's clock. */
  at: number
  headers: Record<string, string>
  body: string
  event: Event
}

type Answer = (received: ReceivedEvent) => Response | Promise<Response>

let receivers = 0

/**
 * A customer's webhook receiver on its own host. It records its requests and accepts all of them by
 * default.
 */
export function serveReceiver(
  world: Pick<World, "serve" | "clock">,
  answer: Answer = () => new Response(null, { status: 204 }),
) {
  const host = `receiver${++receivers}.customer.com`
  const received: ReceivedEvent[] = []
  const receiver = {
    url: `https://${host}/events`,
    received,
    answer,
    /** The event types that it received, in order, for one turn or for all. */
    types: (turnId?: string) =>
      received.filter(({ event }) => !turnId || event.data.turn?.turn_id === turnId).map(({ event }) => event.type),
  }
  world.serve(host, async (request) => {
    const body = await request.text()
    const seen = {
      at: world.clock.now().getTime(),
      headers: Object.fromEntries(request.headers),
      body,
      event: JSON.parse(body),
    }
    received.push(seen)
    return receiver.answer(seen)
  })
  return receiver
}

export type Receiver = ReturnType<typeof serveReceiver>

/** Registers a verified endpoint. Returns it with its secret. */
export async function makeWebhook(
  client: Pick<TestClient, "call" | "skipPing">,
  body: { url: string; events?: string[] | null },
): Promise<{ webhook_id: string; secret: string }> {
  const response = await client.call("POST", "/v1/webhooks", body)
  expect(response.status, await response.clone().text()).toBe(201)
  const made = (await response.json()) as { webhook_id: string; secret: string }
  await client.skipPing(made.webhook_id)
  return made
}

/** Verifies a request with the public standardwebhooks package at the time of the test's clock. */
export function verifies(
  secret: string,
  { at, headers, body }: Pick<ReceivedEvent, "at" | "headers" | "body">,
): boolean {
  vi.setSystemTime(at)
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  } finally {
    vi.useRealTimers()
  }
}

export async function deliveriesOf(
  client: Pick<TestClient, "call">,
  webhookId: string,
  query = "",
): Promise<Delivery[]> {
  const response = await client.call("GET", `/v1/webhooks/${webhookId}/deliveries?limit=100${query}`)
  expect(response.status, await response.clone().text()).toBe(200)
  return ((await response.json()) as { data: Delivery[] }).data
}

/** Moves the clock to a delivery's next attempt and lets the sweeper and the queue make it. */
export async function untilNextAttempt(world: World, at: string): Promise<void> {
  await world.advance(Math.max(0, new Date(at).getTime() - world.clock.ms()))
  await world.sweep()
  await world.drain()
}
