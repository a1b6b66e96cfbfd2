// `runwright watch <run id>`: shows a run from its beginning and follows it to its end.
import type { Command } from 'commander'
import { reachNotice } from '../connection/reach-notice.ts'
import { exitCodesHelp } from '../follow/exit-codes.ts'
import { followRun } from '../follow/follow-run.ts'
import { Screen } from '../follow/screen.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { withInterruption } from './interruption.ts'
import { type RemoteOptions, remoteCommand, runIdArgument, withService } from './remote-command.ts'

export function watchCommand(io: Io): Command {
  const command = remoteCommand(
    'watch',
    'Show what a run has done and follow it to its end. Asks for the answer if the run awaits input.',
  )
    .argument(...runIdArgument)
    .option('--json', 'print the run as JSON when it has ended')
    .action(async (id: string, options: RemoteOptions) => {
      process.exitCode = await watchRun(io, id, options)
    })
  return withExamples(command, [
    ['runwright watch run_01m7f8njhrfe3b4wzz6kye37bb', 'follow a run that was created elsewhere'],
    ['runwright watch "$id" > result.txt', 'only the result goes to the file'],
  ]).addHelpText('after', exitCodesHelp)
}

export const watchRun = (io: Io, runId: string, { url, json }: RemoteOptions): Promise<number> =>
  withInterruption(async (interruption) => {
    const screen = new Screen(io)
    const onReach = reachNotice((text) => screen.line(screen.style.yellow(text)))
    return withService(io, { url, onReach }, async (connection) => {
      // Fails at once if there is no such run or no service.
      await connection.client.runs.get(runId)
      return followRun({ io, screen, connection, runId, json, interruption })
    })
  })
