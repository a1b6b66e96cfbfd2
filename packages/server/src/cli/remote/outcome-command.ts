// A command that makes one request and prints what came of it: a text for people, or the response with --json.
import type { Command } from 'commander'
import type { Connection } from '../connection/connect.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { jsonOption, type RemoteOptions, remoteCommand, withService } from './remote-command.ts'

interface Outcome {
  /** What `--json` prints. */
  readonly page: object
  readonly text: string
}

/** Declare the arguments on the result; `work` gets them in their order. */
export function outcomeCommand(
  io: Io,
  name: string,
  description: string,
  work: (connection: Connection, args: readonly string[]) => Promise<Outcome>,
): Command {
  const command = remoteCommand(name, description).option(...jsonOption)
  return command.action(() => {
    const { json, url } = command.opts<RemoteOptions>()
    return withService(io, { url }, async (connection) => {
      const { page, text } = await work(connection, command.args)
      if (json) printJson(io, page)
      else printText(io, text)
    })
  })
}
