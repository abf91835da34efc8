import { inject } from "vitest"
import { createWorld } from "./world.ts"

/** A world whose PostgreSQL, a durable one of its own, can be stopped (`crash`: without any notice) and started again. */
export async function createFragileWorld() {
  const fragileUrl = inject("fragileUrl")
  const post = async (path: string) => {
    const response = await fetch(`${fragileUrl}${path}`, { method: "POST" })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { stackUrl: string; place: number }
  }
  const { stackUrl, place } = await post("/")
  const world = await createWorld({ stackUrl })
  const act = (name: string) => async () => void (await post(`/${place}/${name}`))
  return { ...world, postgres: { stop: act("stop"), crash: act("crash"), start: act("start") } }
}
