// `runwright signal <run id> approve|reject|submit`: answers a run that waits.
import { type AwaitingInput, type Runwright, RunwrightError, type Signal } from '@runwright/client'
import { Argument, type Command } from 'commander'
import { type AnswerEffect, describeEffect, readEffect } from '../follow/answer-effect.ts'
import { commandLine } from '../output/command-line.ts'
import { withExamples } from '../output/help.ts'
import type { Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { UsageError } from '../output/refusal.ts'
import { shortLine } from '../output/safe-text.ts'
import { parseJson } from './read-json.ts'
import {
  jsonOption,
  type RemoteOptions,
  remoteCommand,
  runIdArgument,
  wholeNumber,
  withService,
} from './remote-command.ts'

interface Options extends RemoteOptions {
  readonly payload?: string
  readonly reason?: string
  readonly error?: string
  readonly deny?: string
  readonly arguments?: string
  readonly result?: string
  readonly calls?: string
  readonly awaitSeq?: number
}

const actions = { approve: 'approve', reject: 'reject', submit: 'submit_input' } as const
const done = { approve: 'Approved', reject: 'Rejected', submit: 'Submitted' } as const

type Word = keyof typeof actions

export function signalCommand(io: Io): Command {
  const command = remoteCommand(
    'signal',
    'Answer a run that awaits input: approve, reject or submit input. The answer holds for what the run asks now; ' +
      '--await-seq makes sure that it is still what you have seen.',
  )
    .argument(...runIdArgument)
    .addArgument(new Argument('<answer>', 'the answer').choices(Object.keys(actions)))
    .option(
      '--payload <json>',
      'data for the run, any JSON; where the question has a schema, needed with every answer but reject and --deny',
    )
    .option('--reason <text>', 'why you reject')
    .option('--error <text>', 'for submit: the call whose outcome is not known was made, and failed with this error')
    .option('--deny <text>', 'for submit: do not make the call that the run asks about, and tell the model why')
    .option('--arguments <json>', 'for submit: make the call with these arguments')
    .option('--result <json>', 'for submit: do not make the call, this is its result')
    .option('--calls <json>', 'for submit: an array that decides about several calls, each with its call_id')
    .option('--await-seq <seq>', 'the number of the wait that you answer, as runwright watch shows it', wholeNumber)
    .option(...jsonOption)
    .action((id: string, word: Word, options: Options) => signal(io, id, word, options))
  return withExamples(command, [
    ['runwright signal run_01m7f8njhrfe3b4wzz6kye37bb approve', 'approve what the run asks'],
    ['runwright signal "$id" reject --reason "Too expensive"', 'reject: the run fails'],
    [`runwright signal "$id" submit --payload '{"price": 120}'`, 'give the run what it asks for'],
    [
      'runwright signal "$id" submit --deny "Paid already"',
      'do not make the call that it asks about, and let it go on',
    ],
    [`runwright signal "$id" submit --arguments '{"amount": 450}'`, 'make the call with other arguments'],
    [
      `runwright signal "$id" submit --calls '[{"call_id": "call_1", "approve": true}, {"call_id": "call_2", "deny": "Paid already"}]'`,
      'decide about several calls at once; runwright get shows their ids',
    ],
    ['runwright signal "$id" submit --error "Card declined"', 'say that the call that it asks about has failed'],
  ])
}

async function signal(io: Io, id: string, word: Word, options: Options): Promise<void> {
  const body = { action: actions[word], ...payloadOf(word, options) }
  await withService(io, options, async ({ client }) => {
    const wait = options.awaitSeq === undefined ? await findWait(client, id) : undefined
    const seq = options.awaitSeq ?? wait?.seq
    const result = await client.runs.signal(id, { ...body, ...(seq !== undefined && { await_seq: seq }) })
    if (options.json) return printJson(io, result)
    // One person is enough for a no.
    const isAlone = wait?.approvals === 1 || word === 'reject' || options.deny !== undefined
    const effect: AnswerEffect = isAlone ? { kind: 'ended' } : await readEffect(client, { runId: id, seq })
    const asked = wait?.prompt ? `: ${shortLine(wait.prompt, 100)}` : '.'
    printText(io, `${doneWord(effect, word, options)}${asked}`)
    const more = describeEffect(effect)
    if (more !== undefined) io.stderr.write(`${more}\n`)
    io.stderr.write(`Watch it: ${commandLine(`watch ${id}`)}\n`)
  })
}

function doneWord({ kind }: AnswerEffect, word: Word, { deny }: Options): string {
  if (kind === 'counted') return 'Counted'
  if (kind === 'unknown') return 'Sent'
  return deny === undefined ? done[word] : 'Denied'
}

type Said = Pick<Signal, 'payload' | 'call' | 'calls'>

function payloadOf(word: Word, options: Options): Said {
  const { payload, reason } = options
  if (reason !== undefined && word !== 'reject') throw new UsageError('--reason is for reject. Use --payload instead.')
  if (reason !== undefined && payload !== undefined)
    throw new UsageError('--reason and --payload exclude each other: leave one out.')
  const decision = decisionOf(word, options)
  if (word === 'submit' && payload === undefined && !decision)
    throw new UsageError('submit needs --payload, --deny, --arguments, --result, --error or --calls.')
  if (reason !== undefined) return { payload: { reason } }
  return { ...decision, ...(payload !== undefined && { payload: parseJson(payload, '--payload') }) }
}

/** What is decided about the call. */
function decisionOf(word: Word, options: Options): Pick<Said, 'call' | 'calls'> | undefined {
  const names = (['deny', 'arguments', 'result', 'error', 'calls'] as const).filter(
    (name) => options[name] !== undefined,
  )
  const [name, other] = names
  if (name === undefined) return undefined
  if (word !== 'submit') throw new UsageError(`--${name} is for submit.`)
  if (other !== undefined) throw new UsageError(`--${name} and --${other} exclude each other: leave one out.`)
  const text = options[name] ?? ''
  if (name === 'deny' || name === 'error') return { call: { [name]: text } }
  // The service says what is wrong with JSON of another form.
  const value = parseJson(text, `--${name}`)
  return name === 'calls' ? { calls: value as NonNullable<Said['calls']> } : { call: { [name]: value } }
}

/** Undefined if the run does not wait, or if the key may answer but not read. */
async function findWait(client: Runwright, id: string): Promise<AwaitingInput | undefined> {
  try {
    return (await client.runs.get(id, { include: ['awaiting_input'] })).awaiting_input ?? undefined
  } catch (error) {
    if (error instanceof RunwrightError && error.reasonCode === 'SCOPE_DENIED') return undefined
    throw error
  }
}
