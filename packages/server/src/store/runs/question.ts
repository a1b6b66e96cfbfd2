// What a person is asked, as a wait stores it and as the signal that answers it keeps it.
import type { InputKind } from '@runwright/contract'
import type { AskedCall } from '../../domain/run/asked-call.ts'

export interface Question {
  readonly reasonCode: string
  readonly inputKind: InputKind | null
  readonly prompt: string | null
  /** The call that the answer decides about; null if it decides about something else. */
  readonly call: AskedCall | null
}

/** How much of a question a prompt shows to a model. */
const maxPromptLength = 2_000

/** What a signal answers, as `AnsweredQuestion`. */
export const answeredQuestion = (signal: string): string => `json_build_object(
  'prompt', left(${signal}.asked_content->>'prompt', ${maxPromptLength}),
  'call', case when ${signal}.asked->>'call_id' is not null then json_build_object(
    'tool', ${signal}.asked->>'tool', 'argumentsHash', ${signal}.asked->>'arguments_hash',
    'why', ${signal}.asked->>'why', 'callId', ${signal}.asked->>'call_id') end)`

/** Reads the columns `wait` and `wait_content` of a run, or `asked` and `asked_content` of a signal. */
export function readQuestion(wait: string, content: string): Question {
  const { reason_code, input_kind, tool, arguments_hash, why, has_read, call_id, call_key } = JSON.parse(wait)
  const { prompt, arguments: input } = JSON.parse(content)
  return {
    reasonCode: reason_code,
    inputKind: input_kind,
    prompt,
    call:
      tool === undefined
        ? null
        : {
            tool,
            arguments: input,
            argumentsHash: arguments_hash,
            why,
            hasRead: has_read,
            callId: call_id,
            idempotencyKey: call_key,
          },
  }
}
