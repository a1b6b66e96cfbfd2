// `runwright events <run id>`: the events of a run, up to now or to its end.
import { isTerminalStatus, type RunEvent, type Runwright } from '@runwright/client'
import type { Command } from 'commander'
import { reachNotice } from '../connection/reach-notice.ts'
import { exitCodes } from '../follow/exit-codes.ts'
import { interrupted } from '../follow/follow-run.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJsonLine, printText } from '../output/print.ts'
import { shortLine } from '../output/safe-text.ts'
import { withInterruption } from './interruption.ts'
import { type RemoteOptions, remoteCommand, runIdArgument, wholeNumber, withService } from './remote-command.ts'

interface Options extends RemoteOptions {
  readonly follow?: true
  readonly after: number
}

const pageSize = 200

export function eventsCommand(io: Io): Command {
  const command = remoteCommand('events', 'Print the events of a run, one per line.')
    .argument(...runIdArgument)
    .option('--follow', 'go on until the run has ended')
    .option('--after <seq>', 'only events after this number', wholeNumber, 0)
    .option('--json', 'print one JSON document per line')
    .action(async (id: string, options: Options) => {
      process.exitCode = await printEvents(io, id, options)
    })
  return withExamples(command, [
    ['runwright events run_01m7f8njhrfe3b4wzz6kye37bb', 'what has happened so far'],
    [`runwright events "$id" --follow --json | jq -c 'select(.type == "step.done")'`, 'steps as they end'],
  ])
}

const printEvents = (io: Io, id: string, { url, follow, after, json }: Options): Promise<number> =>
  withInterruption(async ({ signal }) => {
    const onReach = reachNotice((text) => io.stderr.write(`${text}\n`))
    try {
      return await withService(io, { url, onReach }, async ({ client, patient }) => {
        const { status } = await client.runs.get(id, { signal })
        const events =
          follow && !isTerminalStatus(status)
            ? patient.events.stream(id, { cursor: after, signal })
            : untilNow(client, id, { after, signal })
        for await (const event of events) print(io, event, json)
        return exitCodes.succeeded
      })
    } catch (error) {
      if (signal.reason !== interrupted) throw error
      return exitCodes.interrupted
    }
  })

async function* untilNow(client: Runwright, id: string, { after, signal }: { after: number; signal: AbortSignal }) {
  let cursor = after
  for (;;) {
    const page = await client.events.poll(id, { cursor, limit: pageSize, signal })
    yield* page.events
    if (page.events.length < pageSize) return
    cursor = page.next_cursor
  }
}

function print(io: Io, event: RunEvent, json: true | undefined): void {
  if (json) printJsonLine(io, event)
  else printText(io, lineOf(event))
}

function lineOf({ seq, timestamp, type, payload }: RunEvent): string {
  // Every event has a request id; it says nothing about the run.
  const { request_id: _, ...value }: Record<string, unknown> = payload.value
  const summary = shortLine(JSON.stringify(value), 200)
  return `${String(seq).padStart(5)}  ${timestamp}  ${type.padEnd(26)}  ${summary}`.trimEnd()
}
