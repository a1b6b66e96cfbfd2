// `runwright cancel`, `retry` and `resume`: change the state of a run.
import type { Command } from 'commander'
import { commandLine } from '../output/command-line.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { jsonOption, type RemoteOptions, remoteCommand, runIdArgument, withService } from './remote-command.ts'

const changes = {
  cancel: {
    description: 'Cancel a run. What it has done stays done.',
    example: 'end a run for good',
  },
  retry: {
    description: 'Retry a run that has failed. Finished steps are kept, the failed step runs again.',
    example: 'try again after the cause is gone',
  },
  resume: {
    description: 'Resume a run that has stalled and is not recovered by the service any more.',
    example: 'put a stalled run back into the queue',
  },
} as const

export type Change = keyof typeof changes

export function changeCommand(io: Io, change: Change): Command {
  const { description, example } = changes[change]
  const command = remoteCommand(change, description)
    .argument(...runIdArgument)
    .option(...jsonOption)
    .action((id: string, { json, url }: RemoteOptions) =>
      withService(io, { url }, async ({ client }) => {
        const run = await client.runs[change](id)
        if (json) return printJson(io, run)
        printText(io, `${run.id} is ${run.status}.`)
        if (change !== 'cancel') io.stderr.write(`Watch it: ${commandLine(`watch ${run.id}`)}\n`)
      }),
    )
  return withExamples(command, [[`runwright ${change} run_01m7f8njhrfe3b4wzz6kye37bb`, example]])
}
