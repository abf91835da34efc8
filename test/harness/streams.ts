/** A provider's stream: named events for Anthropic and OpenAI, plain chunks for all others. */
export function providerStream(events: Record<string, unknown>[], { named = true } = {}): () => Promise<Response> {
  const lines = events.map((event) => `${named ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
  const text = `${lines.join("")}${named ? "" : "data: [DONE]\n\n"}`
  return async () => new Response(text, { headers: { "content-type": "text/event-stream" } })
}

export const completionChunk = (content: string, usage?: object) => ({
  id: "c",
  created: 1,
  model: "m",
  ...(usage && { usage }),
  choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: "stop" }],
})
