import type { AddressInfo } from "node:net"
import { connect, createServer, type Socket } from "node:net"

/** A proxy to a port of this machine, whose connections a test can break. */
export async function startBreakableProxy(target: number) {
  const sockets = new Set<Socket>()
  let isBroken = false
  const server = createServer((socket) => {
    if (isBroken) return void socket.destroy()
    const upstream = connect(target, "127.0.0.1")
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    socket.pipe(upstream)
    upstream.pipe(socket)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const cut = () => {
    isBroken = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ends all connections, and refuses new ones until `mend`. */
    cut,
    mend() {
      isBroken = false
    },
    stop() {
      cut()
      server.close()
    },
  }
}
