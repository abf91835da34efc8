import { VERSION } from "../client/src/version.ts"

/** The path at which the service serves the client's package. */
export const CLIENT_PATH = `/client/turnpike-client-${VERSION}.tgz`

/** The path at which the service serves the wheel of the Python client. */
export const PYTHON_CLIENT_PATH = `/client/turnpike-${VERSION}-py3-none-any.whl`
