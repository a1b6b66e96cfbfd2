// The command line of an installation. Each command has its own file.
import { commandGroups } from './command-table.ts'
import { runProgram } from './run-program.ts'

export const main = (argv: readonly string[]): Promise<void> => runProgram(argv, { groups: commandGroups, explain })

/** Loaded on demand: it knows the errors of the database. */
const explain = async (error: unknown): Promise<string> => (await import('./output/explain.ts')).explain(error)
