import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateText, isStepCount, type LanguageModel, Output, streamText, tool } from "ai"
import { type Access, LOOKUP, type PackageClient } from "./client.ts"
import { Order, Place } from "./forms.ts"

/** `ai` with a model of one of its providers. */
const aiClient =
  (modelOf: (access: Access) => LanguageModel) =>
  (access: Access): PackageClient => {
    const model = modelOf(access)
    return {
      reply: async (prompt, abortSignal) => (await generateText({ model, prompt, abortSignal })).text,
      async *stream(prompt, abortSignal) {
        // Without `onError`, it prints each error.
        const { fullStream } = streamText({ model, prompt, abortSignal, onError: () => {} })
        for await (const part of fullStream) {
          if (part.type === "error") throw part.error
          if (part.type === "abort") throw new DOMException("The stream was aborted.", "AbortError")
          if (part.type === "text-delta") yield part.text
        }
      },
      async withTool(prompt, find, isStreamed) {
        const lookupOrder = tool({ description: LOOKUP.description, inputSchema: Order, execute: find })
        const asked = { model, prompt, tools: { lookupOrder }, stopWhen: isStepCount(5) }
        if (!isStreamed) return (await generateText(asked)).text
        return streamText(asked).text
      },
      picture: async (text, url) => {
        const content = [
          { type: "text" as const, text },
          { type: "image" as const, image: url },
        ]
        return (await generateText({ model, messages: [{ role: "user", content }] })).text
      },
      place: async (prompt) => (await generateText({ model, prompt, output: Output.object({ schema: Place }) })).output,
    }
  }

export const aiResponses = aiClient(({ model, ...options }) => createOpenAI(options).responses(model))

export const aiChat = aiClient(({ model, ...options }) => createOpenAI(options).chat(model))

export const aiCompatible = aiClient(({ model, ...options }) =>
  createOpenAICompatible({ name: "turnpike", supportsStructuredOutputs: true, ...options })(model),
)
