/** A fault of the settings, of a service or of an account that the operator can mend. It needs no stack trace. */
export class DeployFault extends Error {}
