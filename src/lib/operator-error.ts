/** A fault that the server admin can fix. Its message is shown to them as it is, without a stack trace. */
export class OperatorError extends Error {}
