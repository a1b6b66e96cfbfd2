// `runwright run "goal"`: creates a run and follows it to its end.
import type { CreatedRun, CreateRunRequest } from '@runwright/client'
import { runClasses } from '@runwright/contract'
import { type Command, Option } from 'commander'
import type { Connection } from '../connection/connect.ts'
import { consoleUrl } from '../connection/console-url.ts'
import { reachNotice } from '../connection/reach-notice.ts'
import { exitCodes, exitCodesHelp } from '../follow/exit-codes.ts'
import { followRun, interrupted } from '../follow/follow-run.ts'
import { Screen } from '../follow/screen.ts'
import { commandLine } from '../output/command-line.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { UsageError } from '../output/refusal.ts'
import { withInterruption } from './interruption.ts'
import { readJsonObject } from './read-json.ts'
import { type RemoteOptions, remoteCommand, withService } from './remote-command.ts'
import { addMetadata, type RunOptions, runRequest } from './run-request.ts'

/** Of the contract, which takes longer to load than the rest of the command. */
export const exampleNames = ['approval', 'retry', 'stream'] as const

/** A ready-made run, of `runwright run --example`. */
async function findExample(name: string): Promise<CreateRunRequest> {
  const { courses } = await import('@runwright/contract')
  const course = courses.find((known) => known.name === name)
  if (course) return course.request
  throw new UsageError(`--example must be one of ${exampleNames.join(', ')}.`)
}

interface Options extends RemoteOptions, RunOptions {
  readonly idempotencyKey?: string
  readonly detach?: true
}

export function runCommand(io: Io): Command {
  const command = remoteCommand(
    'run',
    'Create a run and follow it: streamed text, steps and tool calls as they happen. Asks for approval if the run waits ' +
      'for it. The result goes to stdout, everything else to stderr.',
  )
    .argument('[goal]', 'what the run should do')
    .option('--input <file>', 'more input: a file with a JSON object, or - for stdin')
    .option('--plan <file>', 'a file with a plan (see docs/plans.md)')
    .option('--agent <name>', 'the agent of the run; runwright agents lists them')
    .option('--model <name>', 'the model, if the service lets runs choose')
    .addOption(new Option('--class <class>', 'the limits of the run').choices(runClasses))
    .option('--workspace <id>', 'workspace label, for lists and usage')
    .option('--subject <id>', 'subject label: the user or actor')
    .option('--title <text>', 'a title for lists (default: the goal)')
    .option('--metadata <key=value>', 'metadata of the run; repeat for more', addMetadata)
    .addOption(new Option('--example <name>', 'run a ready-made example').choices(exampleNames))
    .option('--idempotency-key <key>', 'a repeated command with the same key continues the same run')
    .option('--detach', 'print the id of the run and do not follow it')
    .option('--json', 'print the run as JSON when it has ended')
    .action(async (goal: string | undefined, options: Options) => {
      process.exitCode = await run(io, goal, options)
    })
  return withExamples(command, [
    ['runwright run "Compare these two offers" --input offers.json', 'follow a run on the terminal'],
    ['runwright run "Summarize the report" < /dev/null > result.txt', 'only the result goes to the file'],
    ['cat task.json | runwright run --input - --json | jq .output', 'from and to other programs'],
    ['id=$(runwright run "Tidy up" --detach) && runwright watch "$id"', 'create now, watch later'],
    ['runwright run --example approval', 'a run that asks you for approval'],
  ]).addHelpText('after', exitCodesHelp)
}

export const run = (io: Io, goal: string | undefined, options: Options): Promise<number> =>
  withInterruption(async (interruption) => {
    const request = await readRequest(io, goal, options)
    const screen = new Screen(io)
    const onReach = reachNotice((text) => screen.line(screen.style.yellow(text)))
    return withService(io, { url: options.url, onReach }, async (connection) => {
      const created = await create(connection, request, { options, interruption, screen })
      if (created === undefined) return exitCodes.interrupted
      if (options.detach) return leave(io, created, options)
      announce(screen, connection, created)
      return followRun({ io, screen, connection, runId: created.id, json: options.json, interruption })
    })
  })

async function readRequest(io: Io, goal: string | undefined, options: Options): Promise<CreateRunRequest> {
  const sources = {
    goal,
    input: options.input === undefined ? undefined : await readJsonObject(io, options.input, '--input'),
    plan: options.plan === undefined ? undefined : await readJsonObject(io, options.plan, '--plan'),
    example: options.example === undefined ? undefined : await findExample(options.example),
  }
  return runRequest(sources, options)
}

interface Creation {
  readonly options: Options
  readonly interruption: AbortController
  readonly screen: Screen
}

/** Undefined after Ctrl-C. */
async function create({ client }: Connection, request: CreateRunRequest, { options, interruption, screen }: Creation) {
  const { idempotencyKey } = options
  try {
    return await client.runs.create(request, { idempotencyKey, signal: interruption.signal })
  } catch (error) {
    if (interruption.signal.reason !== interrupted) throw error
    screen.line(`Stopped before the service answered. Run ${commandLine('list')} to see whether the run was created.`)
    return undefined
  }
}

function leave(io: Io, created: CreatedRun, { json }: Options): number {
  if (json) printJson(io, created)
  else printText(io, created.id)
  return exitCodes.succeeded
}

function announce(screen: Screen, { url }: Connection, { id, replayed }: CreatedRun): void {
  const { style } = screen
  screen.line(`${style.bold(id)}  ${style.dim(consoleUrl(url, id))}`)
  if (replayed) screen.line('The idempotency key belongs to this run: nothing new was created.')
}
