// The exit codes of commands that follow a run. `usage` holds for every command.
export const exitCodes = {
  succeeded: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  limit: 4,
  /** As shells do for a program that SIGINT has ended. */
  interrupted: 130,
} as const

export const exitCodesHelp = `
Exit codes:
  0    the run succeeded
  1    the run failed, or the command could not be carried out
  2    the command is used in a wrong way
  3    the run was cancelled
  4    a limit of the run ended it
  130  Ctrl-C: the command stopped, the run goes on`
