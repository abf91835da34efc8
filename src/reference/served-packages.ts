import { AI_SDK_PACKAGE, CLIENT_PACKAGE, PYTHON_MODULE } from "../../client/src/names.ts"
import { VERSION } from "../../client/src/version.ts"

/** A version of the TypeScript client as Python writes it (PEP 440): `0.1.0-dev` is `0.1.0.dev0`. */
export const pythonVersion = (version: string) => version.replace(/-dev$/, ".dev0")

/** The name of the tarball that `npm pack` writes. */
export const tarballName = (name: string, version: string) =>
  `${name.replace("@", "").replace("/", "-")}-${version}.tgz`

/** The name of a wheel (PEP 427). */
export const wheelName = (version: string) => `${PYTHON_MODULE}-${pythonVersion(version)}-py3-none-any.whl`

/** The path at which a service serves the client's package of its own version. */
export const CLIENT_PATH = `/client/${tarballName(CLIENT_PACKAGE, VERSION)}`

/** The path at which a service serves the package of the provider for the AI SDK. */
export const AI_SDK_PATH = `/client/${tarballName(AI_SDK_PACKAGE, VERSION)}`

/** The path at which a service serves the wheel of the Python client of its own version. */
export const PYTHON_CLIENT_PATH = `/client/${wheelName(VERSION)}`
