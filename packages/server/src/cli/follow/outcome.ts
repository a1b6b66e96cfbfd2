// The end of a run: one line for people, and the exit code.
import type { RunDetail, RunEvent } from '@runwright/client'
import { commandLine } from '../output/command-line.ts'
import { safeLine, safeText } from '../output/safe-text.ts'
import type { Style } from '../output/style.ts'
import { exitCodes } from './exit-codes.ts'

type LimitEvent = Extract<RunEvent, { type: 'run.limit_exceeded' }>

/** `last` is the last event. A limit ends a run with an event of its own, but with status `failed`. */
export function exitCodeOf(run: RunDetail, last: RunEvent | undefined): number {
  if (last?.type === 'run.limit_exceeded') return exitCodes.limit
  if (run.status === 'succeeded') return exitCodes.succeeded
  return run.status === 'cancelled' ? exitCodes.cancelled : exitCodes.failed
}

export function describeOutcome(run: RunDetail, last: RunEvent | undefined, style: Style): string {
  if (last?.type === 'run.limit_exceeded') return `${style.red('✗')} ${limitReached(last)}`
  if (run.status === 'succeeded') return `${style.green('✓')} Succeeded${facts(run)}.`
  if (run.status === 'cancelled') return `${style.yellow('■')} Cancelled${timedOut(last)}.`
  return [`${style.red('✗')} Failed: ${failureOf(run)}`, `  Retry it: ${commandLine(`retry ${run.id}`)}`].join('\n')
}

const limitReached = ({ payload: { value } }: LimitEvent): string =>
  `Stopped by a limit: ${value.currentValue.toLocaleString('en')} of ${value.threshold.toLocaleString('en')} ${value.unit}.`

const timedOut = (last: RunEvent | undefined): string =>
  last?.type === 'run.cancelled' && last.payload.value.reason_code === 'signal_timeout' ? ': no answer in time' : ''

function failureOf({ failure }: RunDetail): string {
  if (!failure) return 'the service gives no reason.'
  const reason = safeLine(failure.reason_code)
  return failure.message === null ? `${reason}.` : `${reason}: ${safeText(failure.message)}`
}

function facts({ metadata, usage }: RunDetail): string {
  const seconds = (Date.parse(metadata.updated_at) - Date.parse(metadata.created_at)) / 1_000
  const parts = [`in ${seconds.toFixed(1)} s`]
  if (usage) parts.push(counted(usage.tokens, 'token'), counted(usage.tool_calls, 'tool call'))
  return ` ${parts.join(', ')}`
}

const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
