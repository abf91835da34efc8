import type { World } from "./world.ts"

/** The pin of an OpenAI-compatible model that the tests' model server serves. */
export const MODEL_PIN = "openai-compatible/chat-model"

/** Adds a model to the catalog, at 3 / 0.30 / 15 USD per million tokens. */
export async function addModel({ sql }: Pick<World, "sql">, pin = MODEL_PIN): Promise<void> {
  const [engine, model] = pin.split("/")
  await sql(
    `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output)
     values ($1, $2, $3, $3, true, 2000, 30000000, 3000000, 150000000)`,
    [pin, engine, model],
  )
}
