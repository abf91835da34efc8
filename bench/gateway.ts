import { needPackages } from "../scripts/own-packages.ts"
import { startChild } from "./child.ts"
import type { BenchWorld } from "./world.ts"

export interface Gateway {
  url: string
  pid: number
  headers: Record<string, string>
}

/** Starts a published gateway (`@portkey-ai/gateway`) that passes calls on to the model's server. */
export async function startGateway(world: BenchWorld, modelUrl: string): Promise<Gateway> {
  await needPackages("bench")
  const child = startChild("gateway-process.ts", {})
  world.keep(child.stop)
  const url = await child.ask<string>({})
  const headers = {
    "content-type": "application/json",
    authorization: "Bearer bench",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": modelUrl,
  }
  return { url, pid: child.pid, headers }
}
