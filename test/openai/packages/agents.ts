import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents"
import { type Access, LOOKUP, type PackageClient } from "./client.ts"
import { Order, Place } from "./forms.ts"
import { clientOf } from "./openai.ts"

setTracingDisabled(true)

export const agentsClient =
  (useResponses: boolean) =>
  (access: Access): PackageClient => {
    const modelProvider = new OpenAIProvider({ openAIClient: clientOf(access), useResponses })
    const runner = new Runner({ modelProvider })
    const { model } = access
    const agent = new Agent({ name: "Support", model })
    const replyTo = async (input: string | AgentInputItem[], options: { signal?: AbortSignal } = {}) =>
      (await runner.run(agent, input, options)).finalOutput ?? ""
    return {
      reply: (text, signal) => replyTo(text, { signal }),
      async *stream(text, signal) {
        const run = await runner.run(agent, text, { stream: true, signal })
        yield* run.toTextStream()
        await run.completed
      },
      async withTool(text, find, isStreamed) {
        const lookup = tool({ ...LOOKUP, parameters: Order, execute: async (input) => find(input) })
        const clerk = new Agent({ name: "Clerk", model, tools: [lookup] })
        if (!isStreamed) return (await runner.run(clerk, text)).finalOutput ?? ""
        const run = await runner.run(clerk, text, { stream: true })
        await run.completed
        return run.finalOutput ?? ""
      },
      picture: (text, image) =>
        replyTo([
          {
            role: "user",
            content: [
              { type: "input_text", text },
              { type: "input_image", image },
            ],
          },
        ]),
      async place(text) {
        return (await runner.run(new Agent({ name: "Finder", model, outputType: Place }), text)).finalOutput
      },
    }
  }
