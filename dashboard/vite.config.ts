import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Rolldown } from "vite"

/** The number of chunks from which on the part of the interface that they share is in the file of every page. */
const SHARED_BY_MANY = 10

/** The file with the parts of the interface, without its hash. */
export const PARTS = "interface"

/** The library of menus and dialogs. The interface has its dialogs; the rest loads with the first menu. */
const POPUPS = /node_modules.(?:@base-ui|@floating-ui)/

/**
 * The files of the build besides one for each page: the code of the start, the parts of the interface, and menus.
 * Without them each set of pages that share a module had a file of its own, so a page loaded 10 to 40 of them.
 */
const CHUNKS: Rolldown.CodeSplittingGroup[] = [
  { name: "core", tags: ["$initial"], priority: 2 },
  { name: PARTS, test: (id) => !POPUPS.test(id), minShareCount: SHARED_BY_MANY, priority: 1 },
  { name: "popups", test: POPUPS, minShareCount: 2 },
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
