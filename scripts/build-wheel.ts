import { resolve } from "node:path"
import { packWheel } from "./pack-wheel.ts"

/** `npm run build:wheel [-- DIR]` builds the wheel of the Python client in DIR, by default dist/wheel. */
const wheel = await packWheel(resolve(process.argv[2] ?? "dist/wheel"))
console.log(`The wheel is ${wheel}. Publish it with: twine upload ${wheel}`)
