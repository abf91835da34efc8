import { anthropic, gemini, github, openAi, type RefusedRequest, vllm } from "./refused-forms.ts"

/** Refusals of files, of content, and for a reason of the operator's account. */
export const REFUSED_CONTENT: RefusedRequest[] = [
  // Files
  {
    from: "Anthropic: bytes of an image",
    source: github("anthropics/claude-code/issues/19631"),
    status: 400,
    body: anthropic(
      "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes",
    ),
    cause: "file",
    shows: "image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes",
  },
  {
    from: "Anthropic: pixels of an image",
    source: github("anthropics/claude-code/issues/4778"),
    status: 400,
    body: anthropic(
      "messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    ),
    cause: "file",
    shows: "exceed max allowed size: 8000 pixels",
  },
  {
    from: "Anthropic: pixels of many images",
    source: github("anthropics/claude-code/issues/24630"),
    status: 400,
    body: anthropic(
      "messages.19.content.27.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    ),
    cause: "file",
  },
  {
    from: "Anthropic: media type",
    source: github("anthropics/claude-code/issues/8184"),
    status: 400,
    body: anthropic(
      "messages.36.content.2.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
    cause: "file",
    shows: "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
  },
  {
    from: "Anthropic: another type than declared",
    source: github("anthropics/claude-code/issues/13131"),
    status: 400,
    body: anthropic(
      "messages.18.content.1.image.source.base64.data: Image does not match the provided media type image/png",
    ),
    cause: "file",
  },
  {
    from: "Anthropic: empty image",
    source: github("anthropics/claude-code/issues/12750"),
    status: 400,
    body: anthropic("messages.118.content.4.image.source.base64: image cannot be empty"),
    cause: "file",
  },
  {
    from: "Anthropic: pages of a PDF",
    source: github("warpdotdev/warp/issues/8114"),
    status: 400,
    body: anthropic("messages.4.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided."),
    cause: "file",
    shows: "A maximum of 100 PDF pages may be provided.",
  },
  {
    from: "Anthropic: PDF",
    source: github("anthropics/anthropic-sdk-python/issues/903"),
    status: 400,
    body: anthropic("Could not process PDF"),
    cause: "file",
    shows: "Could not process PDF",
  },
  {
    from: "vLLM: number of images",
    source: github("vllm-project/vllm/issues/13513"),
    status: 400,
    body: vllm("At most 1 image(s) may be provided in one request."),
    cause: "file",
    shows: "At most 1 image(s) may be provided in one request.",
  },
  {
    from: "OpenRouter: images",
    source: github("JohnnyZ93/oai-compatible-copilot/issues/229"),
    status: 404,
    body: JSON.stringify({
      error: { code: "404", message: "No endpoints found that support image input", param: "", type: "" },
    }),
    cause: "file",
    shows: "No endpoints found that support image input",
  },
  // Content
  {
    from: "Azure: content filter",
    source: github("openai/openai-python/issues/331"),
    status: 400,
    body: JSON.stringify({
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
      },
    }),
    cause: "content",
    shows: "Please modify your prompt and retry.",
  },
  {
    from: "Azure, with its inner error",
    source: github("compl-ai/compl-ai/issues/20"),
    status: 400,
    body: JSON.stringify({
      error: {
        message: "The response was filtered due to the prompt triggering the policy.",
        type: null,
        param: "prompt",
        code: "content_filter",
        status: 400,
        innererror: {
          code: "ResponsibleAIPolicyViolation",
          content_filter_result: { violence: { filtered: true, severity: "medium" } },
        },
      },
    }),
    cause: "content",
  },
  // The operator's account
  {
    from: "Gemini: key",
    source: github("itcon-pty-au/stremio-ai-search/issues/59"),
    status: 400,
    body: JSON.stringify({
      error: {
        code: 400,
        message: "API key not valid. Please pass a valid API key.",
        status: "INVALID_ARGUMENT",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "API_KEY_INVALID",
            domain: "googleapis.com",
          },
        ],
      },
    }),
    cause: "ours",
  },
  {
    from: "Gemini: location",
    source: github("google-gemini/gemini-cli/issues/24641"),
    status: 400,
    body: gemini("User location is not supported for the API use.", "FAILED_PRECONDITION"),
    cause: "ours",
  },
]

/** Further forms of the same refusals. */
export const MORE_REFUSED: RefusedRequest[] = [
  {
    from: "DeepSeek, reasoner",
    source: github("Aider-AI/aider/pull/4125"),
    status: 400,
    body: openAi("Invalid max_tokens value, the valid range of max_tokens is [1, 65536]", "invalid_request_error"),
    cause: "output",
    most: 65_536,
  },
  {
    from: "OpenAI: the prompt and the answer",
    source: github("ChatGPTNextWeb/NextChat/issues/3195"),
    status: 400,
    body: openAi(
      "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      "context_length_exceeded",
      "messages",
    ),
    cause: "context",
  },
  {
    from: "Anthropic: format of an image",
    source: github("anthropics/claude-code/issues/28485"),
    status: 400,
    body: anthropic("messages.34.content.2.image.source.base64.data: Image format image/png not supported"),
    cause: "file",
    shows: "not supported",
  },
  {
    from: "Anthropic: pages, without a place",
    source: github("anthropics/claude-code/issues/5707"),
    status: 400,
    body: anthropic("A maximum of 100 PDF pages may be provided."),
    cause: "file",
  },
  {
    from: "Gemini: a property without a type",
    source: github("danny-avila/LibreChat/issues/6971"),
    status: 400,
    body: gemini(
      "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[mode].type: must be specified when not using one_of, any_of or all_of fields\n",
    ),
    cause: "tool",
    tool: "lookup_order",
    shows: "must be specified when not using",
  },
  {
    from: "OpenAI: array without items, deep",
    source: github("brainlid/langchain/issues/148"),
    status: 400,
    body: openAi(
      "Invalid schema for function 'lookup_order': In context=('properties', 'info', 'items', 'properties', 'synonyms'), array schema missing items",
      "invalid_function_parameters",
    ),
    cause: "tool",
    tool: "lookup_order",
  },
  {
    from: "OpenRouter: tools, with a name to disable",
    source: github("Kilo-Org/kilocode/issues/9006"),
    status: 404,
    body: JSON.stringify({
      error: { message: 'No endpoints found that support tool use. Try disabling "question".', code: 404 },
    }),
    cause: "parameter",
    parameter: "tools",
  },
  {
    from: "Anthropic through a proxy",
    source: github("daya0576/pi-imessage/issues/5"),
    status: 400,
    body: JSON.stringify({
      error: {
        code: "400",
        type: "invalid_params",
        message:
          "messages.161.content.1.image.source.base64: image exceeds 5 MB maximum: 5272940 bytes > 5242880 bytes",
      },
    }),
    cause: "file",
    shows: "image exceeds 5 MB maximum",
  },
]
