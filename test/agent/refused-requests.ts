import { MORE_REFUSED, REFUSED_CONTENT } from "./refused-content.ts"
import { anthropic, gemini, github, openAi, type RefusedRequest, vllm } from "./refused-forms.ts"

/** The tools of the request, in this order. Providers name a tool or its place. */
export const TOOLS = ["lookup_order", "refund_order", "show_canvases"]

export const REFUSED_REQUESTS: RefusedRequest[] = [
  // The answer's limit
  {
    from: "OpenAI: max_tokens",
    source: github("ChatGPTNextWeb/NextChat/issues/3195"),
    status: 400,
    body: openAi(
      "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
      null,
      "max_tokens",
    ),
    cause: "output",
    most: 4_096,
    shows: "This model supports at most 4096 completion tokens",
  },
  {
    from: "OpenAI, code invalid_value",
    source: github("opencode-ai/opencode/issues/140"),
    status: 400,
    body: openAi(
      "max_tokens is too large: 50000. This model supports at most 32768 completion tokens, whereas you provided 50000.",
      "invalid_value",
      "max_tokens",
    ),
    cause: "output",
    most: 32_768,
  },
  {
    from: "MiMo, the words in param",
    source: github("AQBot-Desktop/AQBot/issues/93"),
    status: 400,
    body: JSON.stringify({
      error: {
        message: "Param Incorrect",
        type: "upstream_error",
        param:
          "max_tokens is too large: 1048576. This model supports at most 131072 completion tokens, whereas you provided 1048576.",
        code: "400",
      },
    }),
    cause: "output",
    most: 131_072,
  },
  {
    from: "LiteLLM",
    source: github("enoch3712/ExtractThinker/issues/346"),
    status: 400,
    body: openAi(
      "litellm.BadRequestError: OpenAIException - max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
    ),
    cause: "output",
    most: 16_384,
  },
  {
    from: "DeepSeek",
    source: github("deepseek-ai/DeepSeek-V3/issues/69"),
    status: 400,
    body: openAi("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "invalid_request_error"),
    cause: "output",
    most: 8_192,
    shows: "the valid range of max_tokens is [1, 8192]",
  },
  {
    from: "vLLM: the window is full",
    source: github("claude-code-best/claude-code/issues/272"),
    status: 400,
    body: vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 64001 tokens and your request has 24235 input tokens (64000 > 64001 - 24235). None",
    ),
    cause: "output",
    most: 39_766,
  },
  // Parameters
  {
    from: "OpenAI: temperature",
    source: github("owndev/Open-WebUI-Functions/issues/98"),
    status: 400,
    body: openAi(
      "Unsupported value: 'temperature' does not support 0.01 with this model. Only the default (1) value is supported.",
      "unsupported_value",
      "temperature",
    ),
    cause: "parameter",
    parameter: "temperature",
    shows: "Only the default (1) value is supported.",
  },
  {
    from: "OpenAI, reported without its body",
    source: github("QwenLM/qwen-code/issues/921"),
    status: 400,
    body: "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    cause: "parameter",
    parameter: "temperature",
  },
  {
    from: "Moonshot",
    source: github("XCNXNXNX/dsh-portable-tavern/issues/1"),
    status: 400,
    body: JSON.stringify({
      error: { message: "invalid temperature: only 1 is allowed for this model", type: "invalid_request_error" },
    }),
    cause: "parameter",
    parameter: "temperature",
    shows: "only 1 is allowed for this model",
  },
  {
    from: "OpenRouter: tools",
    source: github("evalstate/fast-agent/issues/122"),
    status: 404,
    body: JSON.stringify({
      error: {
        message:
          "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing",
        code: 404,
      },
    }),
    cause: "parameter",
    parameter: "tools",
    shows: "No endpoints found that support tool use.",
  },
  {
    from: "OpenRouter: tool_choice",
    source: github("zed-industries/zed/issues/36094"),
    status: 404,
    body: JSON.stringify({
      error: { message: "No endpoints found that support the provided 'tool_choice' value.", code: 404 },
    }),
    cause: "parameter",
    parameter: "tools",
  },
  // Schemas of tools
  {
    from: "Anthropic: draft 2020-12",
    source: github("anthropics/claude-code/issues/63673"),
    status: 400,
    body: anthropic(
      "tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.",
    ),
    cause: "tool",
    tool: "refund_order",
    shows: "tools.1.custom.input_schema: JSON schema is invalid.",
  },
  {
    from: "Anthropic through Vertex",
    source: github("can1357/oh-my-pi/issues/45"),
    status: 400,
    body: anthropic("tools.2.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"),
    cause: "tool",
    tool: "show_canvases",
  },
  {
    from: "OpenAI: array without items",
    source: github("gumloop/guMCP/pull/136"),
    status: 400,
    body: openAi(
      "Invalid schema for function 'show_canvases': In context=('properties', 'blocks'), array schema missing items.",
      "invalid_function_parameters",
      "tools[2].function.parameters",
    ),
    cause: "tool",
    tool: "show_canvases",
    shows: "Invalid schema for function 'show_canvases'",
  },
  {
    from: "OpenAI, responses: strict",
    source: github("kevinwatt/mysql-mcp/issues/5"),
    status: 400,
    body: openAi(
      "Invalid schema for function 'lookup_order': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'params'.",
      "invalid_function_parameters",
      "tools[0].parameters",
    ),
    cause: "tool",
    tool: "lookup_order",
  },
  {
    from: "DeepSeek: type null",
    source: github("farion1231/cc-switch/issues/5490"),
    status: 400,
    body: openAi(
      "Invalid schema for function 'refund_order': schema must be a JSON Schema of 'type: \"object\"', got 'type: null'.",
    ),
    cause: "tool",
    tool: "refund_order",
  },
  {
    from: "Gemini: empty properties",
    source: github("vercel/ai/issues/3371"),
    status: 400,
    body: gemini(
      "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties: should be non-empty for OBJECT type\n",
    ),
    cause: "tool",
    tool: "refund_order",
    shows: "should be non-empty for OBJECT type",
  },
  {
    from: "Gemini: required",
    source: github("iBUHub/AIStudioToAPI/issues/154"),
    status: 400,
    body: gemini(
      "* GenerateContentRequest.tools[0].function_declarations[2].parameters.required[0]: property is not defined\n",
    ),
    cause: "tool",
    tool: "show_canvases",
    shows: "property is not defined",
  },
  {
    from: "Gemini, in a list",
    source: github("zereight/gitlab-mcp/issues/166"),
    status: 400,
    body: JSON.stringify([
      {
        error: {
          code: 400,
          message:
            "Invalid value at 'tools[0].function_declarations[2].parameters.properties[7].value.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), \"\"",
          status: "INVALID_ARGUMENT",
        },
      },
    ]),
    cause: "tool",
    tool: "show_canvases",
  },
  ...REFUSED_CONTENT,
  ...MORE_REFUSED,
]
