import { type ApiDocument, operationsOf, type Schema } from "./document.ts"
import { fieldTable, typeOf } from "./fields.ts"
import { html, line, Markup, prose } from "./markup.ts"
import { operationSection } from "./operation.ts"
import { STYLE } from "./style.ts"

/** A chapter before the operations. */
export interface Guide {
  id: string
  title: string
  content: Markup | Markup[]
}

/** What every code means. */
export type Codes = Record<string, { status: number; retryable: boolean; cause: string; cure: string }>

export interface Reference {
  document: ApiDocument
  guides: Guide[]
  codes: Codes
  /** Where the document itself is. */
  documentPath: string
  /** How its errors look: what stands before the table of codes. */
  aboutErrors: string
}

/** The reference of an API as one page, without scripts, and without anything from elsewhere. */
export function referencePage({ document, guides, codes, documentPath, aboutErrors }: Reference): string {
  const operations = operationsOf(document)
  const groups = document.tags.map((tag) => ({
    ...tag,
    id: `tag-${tag.name.replace(/\W+/g, "-")}`,
    operations: operations.filter(({ tags }) => tags.includes(tag.name)),
  }))
  const used = new Set(Object.values(document.components.responses).flatMap(codesOf))
  const known = Object.entries(codes).filter(([code]) => used.has(code))
  const schemas = Object.entries(document.components.schemas as Record<string, Schema>).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  const navigation = html`<ul>
${guides.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
<li><a href="#errors">Errors</a></li></ul>
${groups.map(
  (group) =>
    html`<h2><a href="#${group.id}">${group.name}</a></h2><ul>${group.operations.map(
      ({ operationId, summary, method }) =>
        html`<li><a href="#${operationId}"><span class="method ${method}">${method === "delete" ? "DEL" : method.toUpperCase()}</span> ${summary}</a></li>`,
    )}</ul>`,
)}
<h2><a href="#objects">Objects</a></h2><ul>${schemas.map(([name]) => html`<li><a href="#object-${name}">${name}</a></li>`)}</ul>`

  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.info.title} API</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a href="#content"><strong>${document.info.title}</strong> API</a> <a href="${documentPath}">OpenAPI</a></header>
<details class="menu"><summary>Contents</summary><nav aria-label="Contents, small">${navigation}</nav></details>
<div class="layout">
<nav class="side" aria-label="Contents">${navigation}</nav>
<main id="content">
<h1>${document.info.title} API</h1>
<p class="lead">${line(document.info.description)}</p>
${guides.map(({ id, title, content }) => html`<section class="guide" id="${id}"><h2><a href="#${id}">${title}</a></h2>${content}</section>`)}
${errorSection(known, aboutErrors)}
${groups.map(
  (group) => html`<section class="group" id="${group.id}"><h2><a href="#${group.id}">${group.name}</a></h2>
${group.description ? prose(group.description) : ""}
${group.operations.map((operation) => operationSection(operation, document))}</section>`,
)}
<section id="objects"><h2><a href="#objects">Objects</a></h2>
${schemas.map(
  ([name, schema]) => html`<section class="object" id="object-${name}"><h3><a href="#object-${name}">${name}</a></h3>
${schema.description ? prose(schema.description) : ""}${schema.properties ? fieldTable(schema, { answer: true }) : html`<p>${typeOf(schema)}</p>`}</section>`,
)}</section>
</main>
</div>
</body>
</html>
`.text
}

function codesOf(response: unknown): string[] {
  const { content = {} } = response as { content?: Record<string, { examples?: object }> }
  return Object.keys(content["application/json"]?.examples ?? {})
}

function errorSection(codes: [string, Codes[string]][], about: string): Markup {
  return html`<section class="guide" id="errors"><h2><a href="#errors">Errors</a></h2>
${prose(about)}
<div class="scroll"><table><thead><tr><th>Code</th><th>Status</th><th>Cause and cure</th></tr></thead>
<tbody>${codes
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(
      ([code, { status, retryable, cause, cure }]) => html`<tr id="error-${code}">
<td><code>${code}</code>${retryable && html` <span class="bounds">retryable</span>`}</td>
<td>${status}</td><td>${line(cause)}<br>${line(cure)}</td></tr>`,
    )}</tbody></table></div></section>`
}
