// Errors that the command line explains with their message alone.

/** The command cannot be carried out; the message is one sentence. Exit code 1. */
export class Refusal extends Error {}

/** The command is used in a wrong way; the message says how to use it. Exit code 2. */
export class UsageError extends Error {}
