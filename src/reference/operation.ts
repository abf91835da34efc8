import { type Answer, type ApiDocument, type DescribedOperation, nameOf, type Schema } from "./document.ts"
import { fieldTable, table, typeOf } from "./fields.ts"
import { html, line, type Markup, prose } from "./markup.ts"

/** One operation: what it takes, answers and refuses, beside a call of it. */
export function operationSection(operation: DescribedOperation, document: ApiDocument): Markup {
  const { operationId, method, path, summary, description } = operation
  return html`<section class="operation" id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code></p>
<div class="columns"><div class="words">
${description === summary ? "" : prose(description)}
${parameters(operation)}
${requestBody(operation, document)}
${answers(operation)}
${errors(operation, document)}
</div><div class="samples">${samples(operation)}</div></div>
</section>`
}

const breakable = (path: string) => path.split("/").map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))

const PLACES: Record<string, string> = { path: "In the path", query: "In the query", header: "In headers" }

function parameters({ parameters: all = [] }: DescribedOperation): Markup[] {
  return Object.entries(PLACES).flatMap(([place, title]) => {
    const rows = all.filter((parameter) => parameter.in === place)
    return rows.length > 0 ? [html`<h4>${title}</h4>${table(rows as Parameters<typeof table>[0])}`] : []
  })
}

function requestBody({ requestBody: body }: DescribedOperation, document: ApiDocument): Markup | string {
  if (!body) return ""
  const schema = body.content["application/json"]?.schema
  if (!schema) return html`<h4>Body</h4><p>${Object.keys(body.content).map((type) => html`<code>${type}</code> `)}</p>`
  const whole = schema.$ref ? (document.components.schemas[nameOf(schema.$ref)] as Schema) : schema
  return html`<h4>Body</h4>${fieldTable(whole)}`
}

function answers({ responses }: DescribedOperation): Markup[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, answer]) => {
      const { content } = answer
      const json = content?.["application/json"]
      const others = Object.entries(content ?? {}).filter(([type]) => type !== "application/json")
      const named = json?.schema?.$ref !== undefined
      return html`<h4>Answer ${status}</h4>
<p>${line(answer.description ?? "")} ${json?.schema && named && html`It is a ${typeOf(json.schema)}.`}</p>
${json?.schema && !named ? fieldTable(json.schema, { answer: true }) : ""}
${others.map(([type, { schema }]) => html`<p><code>${type}</code>${schema?.description && html`: ${line(schema.description)}`}</p>`)}
${headers(answer)}`
    })
}

/** Those of this answer; the ones that all have stand in the introduction. */
function headers({ headers: own = {} }: Answer): Markup[] {
  return Object.entries(own)
    .filter(([, header]) => header.$ref === undefined)
    .map(([name, { description }]) => html`<p class="header"><code>${name}</code>: ${line(description ?? "")}</p>`)
}

function errors({ responses }: DescribedOperation, document: ApiDocument): Markup {
  const codes = Object.values(responses).flatMap(({ $ref }) => {
    const shared = $ref ? (document.components.responses[nameOf($ref)] as Answer) : undefined
    return Object.keys(shared?.content?.["application/json"]?.examples ?? {})
  })
  return html`<h4>Errors</h4><p class="codes">${codes.map((code) => html`<a href="#error-${code}"><code>${code}</code></a> `)}</p>`
}

function samples({ "x-codeSamples": calls = [], responses }: DescribedOperation): Markup[] {
  const [status, answer] = Object.entries(responses)[0] ?? []
  const example = answer?.content?.["application/json"]?.example
  const shown = calls.map(({ label, source }) => code(label, source))
  return example === undefined ? shown : [...shown, code(`Answer ${status}`, JSON.stringify(example, null, 2))]
}

export function code(label: string, source: string): Markup {
  return html`<figure><figcaption>${label}</figcaption><pre tabindex="0"><code>${source}</code></pre></figure>`
}
