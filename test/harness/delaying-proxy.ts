import type { AddressInfo } from "node:net"
import { connect, createServer, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"

/**
 * A proxy to a PostgreSQL of this machine that delays each message of a client by a random time of up to `mostMs`, as a
 * busy server would. The messages of a connection keep their order.
 */
export async function startDelayingProxy(target: string, mostMs: number) {
  const { hostname, port } = new URL(target)
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let sent = Promise.resolve()
    client.on("data", (message: Buffer) => {
      sent = sent.then(() => setTimeout(Math.random() * mostMs)).then(() => void upstream.write(message))
    })
    client.on("end", () => void sent.then(() => upstream.end()))
    upstream.pipe(client)
    const pairs: [Socket, Socket][] = [
      [client, upstream],
      [upstream, client],
    ]
    for (const [one, other] of pairs) one.on("error", () => other.destroy()).on("close", () => other.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, stop: () => void server.close() }
}
