import { extname, join } from "node:path"

/** The path of another program of this folder. In the published package, the programs are compiled to JavaScript. */
export const programPath = (name: string) => join(import.meta.dirname, `${name}${extname(import.meta.filename)}`)
