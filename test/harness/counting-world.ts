import { addModel } from "./models.ts"
import { chunk, counts, texts } from "./recorded.ts"
import { bytesOfFrames } from "./replay.ts"
import { PROVIDER_URL } from "./scripted-provider.ts"
import { createWorld, type World } from "./world.ts"

/**
 * A world with a model whose every answer has a short text and these counts, in OpenAI's form. `said`: other members of
 * each frame, such as `service_tier`.
 */
export async function createCountingWorld(answer: () => { usage: object; said?: object }): Promise<World> {
  const world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  world.serve("model.test", () => {
    const { usage, said } = answer()
    const frames = [...texts(), chunk({}, "stop"), counts(usage)].map((frame) => ({ ...frame, ...said }))
    const bytes = bytesOfFrames({ engine: "openai-compatible", frames: [...frames, "[DONE]"] })
    return new Response(bytes, { headers: { "content-type": "text/event-stream" } })
  })
  return world
}
