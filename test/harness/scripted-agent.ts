import type { LLMock } from "@copilotkit/aimock"

/**
 * The model of a scripted agent. It calls a REST tool and an MCP tool at once, delegates, writes a
 * file, and answers.
 */
export const AGENT_MODEL = "agent-model"

const usage = { input_tokens: 100, output_tokens: 10, prompt_tokens: 100, completion_tokens: 10 }

/** The agent's next act by the number of tool results in the turn. */
const SCRIPT: Record<number, { toolCalls: { name: string; arguments: string }[] } | { content: string }> = {
  0: {
    toolCalls: [
      { name: "lookup_order", arguments: JSON.stringify({ id: "A-1" }) },
      { name: "everything__echo", arguments: JSON.stringify({ message: "from the model" }) },
    ],
  },
  2: { toolCalls: [{ name: "delegate", arguments: JSON.stringify({ agent: "researcher", task: "Sum it up." }) }] },
  3: { toolCalls: [{ name: "write_file", arguments: JSON.stringify({ name: "report.txt", content: "Shipped." }) }] },
  4: { content: "Your order has been shipped." },
}

export function addScriptedAgent(mock: LLMock): void {
  mock.addFixture({
    match: { model: AGENT_MODEL, userMessage: "Sum it up." },
    response: { content: "In short: shipped.", usage },
  })
  for (const [results, response] of Object.entries(SCRIPT)) {
    mock.addFixture({
      match: {
        model: AGENT_MODEL,
        predicate: ({ messages }) => messages.filter(({ role }) => role === "tool").length === Number(results),
      },
      response: { ...response, usage },
    })
  }
}
