import { documentOf, SURFACES, type SurfaceName } from "../../scripts/documents.ts"
import { siteFiles, sitePages } from "../../src/reference/site.ts"
import type { DescribedApi } from "../../src/reference/site-operations.ts"

/** A sample of the docs, as a reader without scripts copies it. */
export interface Sample {
  page: string
  /** The id of the section. */
  heading: string | undefined
  lang: string
  code: string
  /** The id of the operation, on the pages of operations. */
  operation: string | undefined
}

/** The guide whose samples need packages of others (`test/reference/frameworks.system.test.ts`). */
export const FRAMEWORKS = "/docs/frameworks"

/** Every sample on every page in these languages. */
export async function readSamples(languages: readonly string[]): Promise<Sample[]> {
  const { names } = await siteFiles()
  const surfaces = Object.keys(SURFACES) as SurfaceName[]
  return surfaces.flatMap((surface) => {
    const { api } = SURFACES[surface]
    const { files } = sitePages(api, documentOf(surface) as unknown as DescribedApi, names, api)
    return [...files]
      .filter(([path]) => path.endsWith(".html") && !path.endsWith("/all.html"))
      .flatMap(([path, html]) => samplesIn(path.replace(/\.html$/, ""), String(html)))
      .filter(({ lang }) => languages.includes(lang))
  })
}

function samplesIn(page: string, html: string): Sample[] {
  const parts = [...html.matchAll(/<h2 id="([^"]+)"|<figure class="code" data-lang="(\w+)">.*?<code>(.*?)<\/code>/gs)]
  let heading: string | undefined
  return parts.flatMap(([, id, lang = "", code = ""]) => {
    heading = id ?? heading
    if (code === "") return []
    const operation = page.includes("/operations/") ? heading : undefined
    return [{ page, heading, lang, code: textOf(code), operation }]
  })
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
