// LangChain.js and LangGraph.js as they are published, as clients of the matrix (test/openai/packages/client.ts).
import { HumanMessage, ToolMessage } from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { createReactAgent } from "@langchain/langgraph/prebuilt"
import { ChatOpenAI } from "@langchain/openai"

const modelOf = ({ model, apiKey, baseURL, headers }, useResponsesApi) =>
  new ChatOpenAI({ model, apiKey, useResponsesApi, configuration: { baseURL, defaultHeaders: headers } })

const toolOf = ({ lookup, order }, find) => tool(find, { ...lookup, schema: order })

const picture = (text, url) =>
  new HumanMessage({
    content: [
      { type: "text", text },
      { type: "image_url", image_url: { url } },
    ],
  })

/** A chat model, whose caller runs the loop of calls. */
export const chatModel = (useResponsesApi, forms) => (access) => {
  const model = modelOf(access, useResponsesApi)
  const replyTo = async (input, signal) => (await model.invoke(input, { signal })).text
  return {
    reply: replyTo,
    async *stream(text, signal) {
      for await (const chunk of await model.stream(text, { signal })) yield chunk.text
    },
    async withTool(text, find, isStreamed) {
      const lookup = toolOf(forms, find)
      const bound = model.bindTools([lookup])
      const messages = [new HumanMessage(text)]
      for (;;) {
        const answer = isStreamed ? await whole(await bound.stream(messages)) : await bound.invoke(messages)
        messages.push(answer)
        if (answer.tool_calls.length === 0) return answer.text
        for (const { id, args } of answer.tool_calls) {
          messages.push(new ToolMessage({ tool_call_id: id, content: await lookup.invoke(args) }))
        }
      }
    },
    picture: (text, url) => replyTo([picture(text, url)]),
    place: (text) => model.withStructuredOutput(forms.place, { name: "place", method: "jsonSchema" }).invoke(text),
  }
}

async function whole(chunks) {
  let message
  for await (const chunk of chunks) message = message ? message.concat(chunk) : chunk
  return message
}

/** An agent of LangGraph, which runs the loop of calls itself. */
export const graphAgent = (useResponsesApi, forms) => (access) => {
  const llm = modelOf(access, useResponsesApi)
  const agent = createReactAgent({ llm, tools: [] })
  const lastOf = ({ messages }) => messages.at(-1).text
  const replyTo = async (messages, signal) => lastOf(await agent.invoke({ messages }, { signal }))
  async function* streamOf(graph, text, signal) {
    const messages = [new HumanMessage(text)]
    for await (const [chunk] of await graph.stream({ messages }, { streamMode: "messages", signal })) {
      if (chunk.getType() === "ai") yield chunk.text
    }
  }
  return {
    reply: (text, signal) => replyTo([new HumanMessage(text)], signal),
    stream: (text, signal) => streamOf(agent, text, signal),
    async withTool(text, find, isStreamed) {
      const clerk = createReactAgent({ llm, tools: [toolOf(forms, find)] })
      if (!isStreamed) return lastOf(await clerk.invoke({ messages: [new HumanMessage(text)] }))
      let reply = ""
      for await (const piece of streamOf(clerk, text)) reply += piece
      return reply
    },
    picture: (text, url) => replyTo([picture(text, url)]),
    async place(text) {
      const finder = createReactAgent({ llm, tools: [], responseFormat: forms.place })
      return (await finder.invoke({ messages: [new HumanMessage(text)] })).structuredResponse
    },
  }
}
