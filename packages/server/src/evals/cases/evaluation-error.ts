// The evaluation cannot start or go on: a file, an option or a world is wrong. The command line shows the message
// unchanged and exits with code 2.

export class EvaluationError extends Error {
  override readonly name = 'EvaluationError'
}
