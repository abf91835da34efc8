import OpenAI from "openai"
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from "openai/helpers/zod"
import { type Access, LOOKUP, type PackageClient } from "./client.ts"
import { Order, Place } from "./forms.ts"

export const clientOf = ({ apiKey, baseURL, headers }: Access) =>
  new OpenAI({ apiKey, baseURL, defaultHeaders: headers })

const user = <Content>(content: Content) => ({ role: "user" as const, content })

export function chatClient(access: Access): PackageClient {
  const { completions } = clientOf(access).chat
  const { model } = access
  const replyTo = async (content: OpenAI.ChatCompletionUserMessageParam["content"], signal?: AbortSignal) => {
    const { choices } = await completions.create({ model, messages: [user(content)] }, { signal })
    return choices[0]?.message.content ?? ""
  }
  return {
    reply: replyTo,
    async *stream(text, signal) {
      const chunks = await completions.create({ model, messages: [user(text)], stream: true }, { signal })
      for await (const { choices } of chunks) yield choices[0]?.delta.content ?? ""
    },
    async withTool(text, find, isStreamed) {
      const tool = zodFunction({ ...LOOKUP, parameters: Order, function: find })
      const asked = { model, messages: [user(text)], tools: [tool] }
      const runner = isStreamed ? completions.runTools({ ...asked, stream: true }) : completions.runTools(asked)
      return (await runner.finalContent()) ?? ""
    },
    picture: (text, url) =>
      replyTo([
        { type: "text", text },
        { type: "image_url", image_url: { url } },
      ]),
    async place(text) {
      const response_format = zodResponseFormat(Place, "place")
      const { choices } = await completions.parse({ model, messages: [user(text)], response_format })
      return choices[0]?.message.parsed
    },
  }
}

type Input = OpenAI.Responses.ResponseInput

export function responsesClient(access: Access): PackageClient {
  const { responses } = clientOf(access)
  const { model } = access
  const replyTo = async (input: string | Input, signal?: AbortSignal) => {
    const { error, output_text } = await responses.create({ model, input }, { signal })
    if (error) throw new Error(`${error.code}: ${error.message}`)
    return output_text
  }
  return {
    reply: replyTo,
    async *stream(text, signal) {
      for await (const event of await responses.create({ model, input: text, stream: true }, { signal })) {
        if (event.type === "response.output_text.delta") yield event.delta
      }
    },
    async withTool(text, find, isStreamed) {
      const tools = [zodResponsesFunction({ ...LOOKUP, parameters: Order })]
      const input: Input = [{ role: "user", content: text }]
      for (;;) {
        // The whole chat is sent again, with the items as they were received.
        const { output, output_text } = isStreamed
          ? await responses.stream({ model, input, tools }).finalResponse()
          : await responses.parse({ model, input, tools })
        input.push(...(output as Input))
        const calls = output.filter((item) => item.type === "function_call")
        if (calls.length === 0) return output_text
        for (const { call_id, parsed_arguments } of calls) {
          input.push({ type: "function_call_output", call_id, output: find(parsed_arguments) })
        }
      }
    },
    picture: (text, url) =>
      replyTo([
        user<OpenAI.Responses.ResponseInputMessageContentList>([
          { type: "input_text", text },
          { type: "input_image", image_url: url, detail: "auto" },
        ]),
      ]),
    async place(text) {
      const response = await responses.parse({ model, input: text, text: { format: zodTextFormat(Place, "place") } })
      return response.output_parsed
    },
  }
}
