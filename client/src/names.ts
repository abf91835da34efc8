/**
 * The names of the published packages. Texts, guides, generators, the command line and tests take them from here, and
 * `test/structure/package-names.test.ts` checks Markdown, JSON and TOML. No other name may be run or installed.
 */

/** The npm package of the client and the command line. */
export const CLIENT_PACKAGE = "@turnpike-turns/client"

/** The npm package of the provider for the AI SDK. */
export const AI_SDK_PACKAGE = "@turnpike-turns/ai-sdk"

/** The npm package of the whole local service. `dev` of the command line runs it. */
export const DEV_PACKAGE = "@turnpike-turns/dev"

/** The distribution of the Python client at PyPI. */
export const PYTHON_PACKAGE = "turnpike-turns"

/** The name by which Python imports the client. */
export const PYTHON_MODULE = "turnpike_turns"

/**
 * The command line, as texts call it. It runs the installed package, and without one the package of this name. The
 * program is called `turnpike`, but as an argument of npx, that name could be a package that is not ours.
 */
export const COMMAND = `npx ${CLIENT_PACKAGE}`
