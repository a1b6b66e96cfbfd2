// Describes, for the author of the code, why JavaScript gave no result.
import { z } from 'zod'
import type { JavaScriptLimits, JavaScriptOutcome } from './javascript-threads.ts'

type JavaScriptFailure = Exclude<JavaScriptOutcome, { readonly json: string }>

const errorSchema = z.object({ name: z.string(), message: z.string(), stack: z.string() })
const thrownSchema = z.union([z.object({ problem: z.string() }), z.object({ value: z.string() }), errorSchema])

type Thrown = z.infer<typeof thrownSchema>
type Ending = Extract<JavaScriptFailure, { readonly ended: unknown }>['ended']

interface Attempt {
  readonly code: string
  readonly limits: JavaScriptLimits
}

export function describeFailure(failure: JavaScriptFailure, { code, limits }: Attempt): string {
  if ('ended' in failure) return endings[failure.ended](limits)
  const thrown = readThrown(failure.thrown)
  if (isOutOfMemory(thrown, failure.isOutOfMemory))
    return `The code needs more than ${limits.memoryMebibytes} MiB of memory.`
  if (thrown === undefined) return 'The code threw a value that could not be read.'
  if ('problem' in thrown) return `${thrown.problem}.`
  return 'value' in thrown ? `The code threw ${thrown.value}.` : describeError(thrown, code)
}

const endings: Record<Ending, (limits: JavaScriptLimits) => string> = {
  timed_out: ({ executionSeconds }) => `The code did not finish within ${executionSeconds} seconds.`,
  unsettled: () => 'The code waits for a promise that never settles: timers and network access are not available.',
  too_large: ({ resultBytes }) => `The result is larger than ${resultBytes} bytes of JSON.`,
  too_deep: () => 'The code nests too deeply.',
  crashed: () => 'The JavaScript engine crashed on this code.',
  aborted: () => 'The code was aborted.',
  queue_full: () => 'Too much other code waits to be executed. Try again later.',
}

/** Undefined when the JSON does not have the expected form, because the code tampered with it. */
function readThrown(json: string | null): Thrown | undefined {
  if (json === null) return undefined
  try {
    return thrownSchema.safeParse(JSON.parse(json)).data
  } catch {
    return undefined
  }
}

/** QuickJS throws `out of memory` while it can still allocate the error; after that it throws null or undefined. */
function isOutOfMemory(thrown: Thrown | undefined, ranOutOfMemory: boolean): boolean {
  if (thrown === undefined) return ranOutOfMemory
  if ('value' in thrown) return ranOutOfMemory && /^(null|undefined)$/.test(thrown.value)
  return 'name' in thrown && thrown.name === 'InternalError' && thrown.message === 'out of memory'
}

/**
 * QuickJS records the positions of calls, throws and expression statements only. For an error elsewhere, such as in
 * `return a.b`, it reports the position before it. For a syntax error the line is exact.
 */
function describeError({ name, message, stack }: z.infer<typeof errorSchema>, code: string): string {
  const what = message === '' ? name : `${name}: ${message}`
  const line = Number(/\bcode:(\d+):\d+/.exec(stack)?.[1] ?? 0)
  if (line === 0) return what
  if (name !== 'SyntaxError') return `${what} (at or after line ${line})`
  // The line after the code belongs to the wrapper around it.
  return line > code.split('\n').length ? `${name}: unexpected end of the code` : `${what} (line ${line})`
}
