// The result of a run on stdout: its output as JSON if it has one, otherwise its text.
import type { RunDetail } from '@runwright/client'
import type { Io } from '../output/io.ts'
import { printText } from '../output/print.ts'
import { safeJson, safeText } from '../output/safe-text.ts'

interface Result {
  readonly content: string
  readonly output: unknown
}

/** On a terminal, a text that was streamed there just before is not repeated. */
export function printResult(io: Io, { event_payload }: RunDetail, shownContent: string | undefined): void {
  if (!isResult(event_payload.value)) return
  const { content, output } = event_payload.value
  const isTerminal = io.stdout.isTTY === true
  if (output !== null) printText(io, isTerminal ? safeJson(toText(output)) : toText(output))
  else if (!isTerminal) printText(io, content)
  else if (content !== shownContent) printText(io, safeText(content))
}

const toText = (output: unknown): string => JSON.stringify(output, null, 2)

const isResult = (value: unknown): value is Result =>
  typeof value === 'object' && value !== null && 'content' in value && typeof value.content === 'string'
