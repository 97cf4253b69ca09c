/** A fault that the server admin can fix. They see its message unchanged, without a stack trace. */
export class OperatorError extends Error {}
