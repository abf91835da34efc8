import type { JsonValue } from "./json-value.ts"
import { fieldsOfSchema } from "./site-fields.ts"
import { type DescribedApi, type DescribedOperation, mainAnswerOf } from "./site-operations.ts"
import { samplesOf } from "./site-samples.ts"

/** The part of a page's address after which its Markdown begins. */
export const markdownPath = (path: string) => `${path}.md`

/** A guide as Markdown for models: without the words for the search, and with links to other pages as Markdown. */
export function guideMarkdown(title: string, text: string, pagePath: string): string {
  const plain = text
    .replace(/^<!--.*?-->\n/gm, "")
    .replace(/\]\(([\w-]+)\.md(#[^)]*)?\)/g, (_link, name: string, anchor = "") => `](${pagePath}/${name}.md${anchor})`)
    .replace(
      /\]\((\/(?:api\/)?docs\/[\w/-]+)(#[^)]*)?\)/g,
      (_link, path: string, anchor = "") => `](${path}.md${anchor})`,
    )
  return `# ${title}\n\n${plain.trim()}\n`
}

const row = (...cells: string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`
const tableOf = (head: string[], rows: string[][]) =>
  [row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n")

/** A group of operations as Markdown: for each its parameters, body, a sample, its answer and its errors. */
export function operationsMarkdown(api: DescribedApi, tag: string, about: string): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags[0] === tag ? [operationMarkdown(api, { path, method, operation })] : [],
    ),
  )
  return `# ${tag}\n\n${about}\n\n${operations.join("\n\n")}\n`
}

function operationMarkdown(
  api: DescribedApi,
  { path, method, operation }: { path: string; method: string; operation: DescribedOperation },
): string {
  const { schemas, responses } = api.components
  const { parameters = [], requestBody } = operation
  const body = requestBody?.content["application/json"]
  const [status, answer] = mainAnswerOf(operation.responses)
  const answered = answer?.content?.["application/json"]
  const fields = (schema: JsonValue | undefined) =>
    (schema ? fieldsOfSchema(schema, schemas) : []).map(({ name, type, required, description }) => [
      `\`${name}\``,
      type,
      required ? "yes" : "",
      description,
    ])
  const inputs = [
    ...parameters.map(({ name, in: place, required, description = "" }) => [
      `\`${name}\``,
      place,
      required ? "yes" : "",
      description,
    ]),
    ...fields(body?.schema),
  ]
  const codes = Object.entries(operation.responses).flatMap(([status, { $ref }]) => {
    const { examples = {} } = responses[$ref?.split("/").at(-1) ?? ""]?.content?.["application/json"] ?? {}
    return Object.keys(examples).map((code) => ({ status, code }))
  })
  const sample = samplesOf({
    method,
    path,
    parameters,
    body: body?.example as JsonValue | undefined,
    isUpload: requestBody !== undefined && !body,
    client: undefined,
    pythonClient: undefined,
  }).find(({ lang }) => lang === "bash")
  const parts = [
    `## ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\` (\`${operation.operationId}\`)`,
    operation.description,
    inputs.length > 0 && tableOf(["Input", "Type", "Required", "Meaning"], inputs),
    sample && `\`\`\`bash\n${sample.text}\n\`\`\``,
    `Answer ${status}: ${answer?.description ?? ""}`,
    answered?.example !== undefined && `\`\`\`json\n${JSON.stringify(answered.example, null, 2)}\n\`\`\``,
    codes.length > 0 && `Errors: ${codes.map(({ status, code }) => `${status} \`${code}\``).join(", ")}.`,
  ]
  return parts.filter((part) => typeof part === "string").join("\n\n")
}

interface ListedPage {
  path: string
  title: string
  about: string
}

const linkTo = ({ path, title, about }: ListedPage) => `- [${title}](${markdownPath(path)})${about && `: ${about}`}`

export interface PageList {
  title: string
  about: string
  groups: { name: string; pages: ListedPage[] }[]
}

/** The list of all pages of an API as Markdown. */
export function homeMarkdown({ title, about, groups }: PageList, details = ""): string {
  const lists = groups.map(({ name, pages }) => `## ${name}\n\n${pages.map(linkTo).join("\n")}`)
  return `${[`# ${title}`, `> ${about}`, details, ...lists].filter(Boolean).join("\n\n")}\n`
}

/** The file that tells a model where to read, in the form of llmstxt.org. */
export const llmsText = (list: PageList, { everything, document }: { everything: string; document: string }): string =>
  homeMarkdown(
    list,
    `Turnpike is a hosted service. A server calls it at this host below \`/v1\`, with \`Authorization: Bearer <API_KEY>\`. \`/v1/openai\` accepts the clients of OpenAI's API, and \`/v1/anthropic\` those of Anthropic's. Every page is Markdown at its address with \`.md\`, and [all guides](${everything}) are on one page. The [OpenAPI document](${document}) has every operation.`,
  )
