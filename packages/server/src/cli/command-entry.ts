// A command in the table of commands. It is loaded on demand, so that one command does not wait for the code of the
// others.
import type { Command } from 'commander'
import type { Io } from './output/io.ts'

export interface LoadContext {
  readonly io: Io
  /** The program with all its commands. */
  readonly loadAll: () => Promise<Command>
}

export interface CommandEntry {
  readonly name: string
  /** For the list of all commands. */
  readonly summary: string
  readonly load: (context: LoadContext) => Promise<Command>
}

export interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandEntry[]
}
