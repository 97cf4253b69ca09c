/** A fault that the server admin can fix. They see its message unchanged, without a stack trace. */
export class OperatorError extends Error {}

/** A mistake in how a command was called, or in a setting or file that it was given. */
export class UsageError extends OperatorError {}
