// `runwright fork <run id> <step>`: creates a run that continues another one after a finished step.
import type { Command } from 'commander'
import { commandLine } from '../output/command-line.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { readJsonObject } from './read-json.ts'
import { jsonOption, type RemoteOptions, remoteCommand, runIdArgument, withService } from './remote-command.ts'

interface Options extends RemoteOptions {
  readonly input?: string
  readonly metadata?: string
  readonly idempotencyKey?: string
}

export function forkCommand(io: Io): Command {
  const command = remoteCommand(
    'fork',
    'Create a run that keeps what another one had finished when a step ended, and executes the rest. ' +
      'Prints the id of the new run.',
  )
    .argument(...runIdArgument)
    .argument('<step>', 'the last step to keep: the id of a step that has finished')
    .option('--input <file>', 'another input: a file with a JSON object, or - for stdin (default: that of the run)')
    .option('--metadata <file>', 'other metadata: a file with a JSON object (default: that of the run)')
    .option('--idempotency-key <key>', 'a repeated command with the same key returns the same run')
    .option(...jsonOption)
    .action((id: string, step: string, options: Options) => fork(io, id, step, options))
  return withExamples(command, [
    ['runwright fork run_01m7f8njhrfe3b4wzz6kye37bb research', 'execute everything after the step "research" again'],
    ['id=$(runwright fork "$id" research --input other.json) && runwright watch "$id"', 'use another input'],
  ])
}

async function fork(io: Io, id: string, step: string, { url, json, idempotencyKey, ...files }: Options): Promise<void> {
  const input = files.input === undefined ? undefined : await readJsonObject(io, files.input, '--input')
  const metadata = files.metadata === undefined ? undefined : await readJsonObject(io, files.metadata, '--metadata')
  const request = { from_step: step, ...(input && { input }), ...(metadata && { metadata }) }
  await withService(io, { url }, async ({ client }) => {
    const created = await client.runs.fork(id, request, { idempotencyKey })
    if (json) return printJson(io, created)
    printText(io, created.id)
    io.stderr.write(`Watch it: ${commandLine(`watch ${created.id}`)}\n`)
  })
}
