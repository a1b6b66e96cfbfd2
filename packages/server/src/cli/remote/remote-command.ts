// Shared by the commands that talk to a service: their options, their connection and their errors.
import { Command, InvalidArgumentError } from 'commander'
import { type Connection, connect } from '../connection/connect.ts'
import { explainServiceError } from '../connection/explain-error.ts'
import { commandLine } from '../output/command-line.ts'
import type { Io } from '../output/io.ts'
import { Refusal } from '../output/refusal.ts'

export interface RemoteOptions {
  readonly url?: string
  readonly json?: true
}

export const remoteCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .option('--url <url>', 'the service (default: RUNWRIGHT_URL, or the service of this folder)')

export const jsonOption = ['--json', 'print JSON'] as const

export const runIdArgument = ['<run id>', 'the run', parseRunId] as const

/** As after `runwright watch "$id"` with a variable that is not set. */
function parseRunId(text: string): string {
  if (/^run_\w+$/.test(text)) return text
  throw new InvalidArgumentError(`It must begin with run_. Run ${commandLine('list')} to see your runs.`)
}

/** Errors of the service become one sentence. */
export async function withService<T>(
  io: Io,
  { url, onReach }: { readonly url?: string | undefined; readonly onReach?: (isReached: boolean) => void },
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const onUnavailable = () => io.stderr.write('The service is not available. Trying again…\n')
  const connection = connect(io, { url, onUnavailable, ...(onReach && { onReach }) })
  try {
    return await work(connection)
  } catch (error) {
    const explanation = explainServiceError(error, connection)
    throw explanation === undefined ? error : new Refusal(explanation)
  }
}

export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
