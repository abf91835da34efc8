import { VERSION } from "../client/src/version.ts"

/** The path at which the service serves the client's package. */
export const CLIENT_PATH = `/client/turnpike-client-${VERSION}.tgz`
