import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Rolldown } from "vite"

/** The number of chunks from which on the part of the interface that they share is in the file of every page. */
const SHARED_BY_MANY = 10

/** The file with the parts of the interface, without its hash. */
export const PARTS = "interface"

/** The file with the parts that the main pages share with other pages, without its hash. */
export const MAIN_PARTS = "main-parts"

/** The file with the library of menus, without its hash. */
export const POPUP_PARTS = "popups"

/** The library of menus and dialogs. The interface has its dialogs; the rest loads with the first menu. */
const POPUPS = /node_modules.(?:@base-ui|@floating-ui)/

/** The menus of lists. They load together, after the list that they belong to. */
const MENUS = /src.ui.(?:display|filter|range|views)-menu/

/** The main pages of an account. */
const MAIN_PAGES = /src.(?:home|playground|turns|usage).(?:home|playground|turns|usage|balance)-page/

/** True if a main page imports this module, or imports a module that does. */
function isOfMainPage(id: string, context: Rolldown.ChunkingContext, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  if (MAIN_PAGES.test(id)) return true
  return (context.getModuleInfo(id)?.importers ?? []).some((importer) => isOfMainPage(importer, context, seen))
}

/**
 * The files of the build besides one for each page: the code of the start, the parts of the interface, the parts that
 * the main pages share with other pages, and menus. Without them each set of pages that share a module had a file of
 * its own, so a page loaded 10 to 40 of them.
 */
const CHUNKS: Rolldown.CodeSplittingGroup[] = [
  { name: "core", tags: ["$initial"], priority: 4 },
  { name: PARTS, test: (id) => !POPUPS.test(id), minShareCount: SHARED_BY_MANY, priority: 3 },
  { name: POPUP_PARTS, test: POPUPS, minShareCount: 2, priority: 2 },
  {
    name: (id, context) => (isOfMainPage(id, context) ? MAIN_PARTS : null),
    debugName: MAIN_PARTS,
    minShareCount: 2,
    priority: 1,
  },
  { name: "menus", test: MENUS },
]

/** Builds the web app; `build.ts` runs it and names the folder. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    emptyOutDir: true,
    target: "baseline-widely-available",
    // The content security policy allows only files of this origin, and so no data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
})
