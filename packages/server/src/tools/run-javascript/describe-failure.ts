// What became of JavaScript that gave no result, as a sentence for whoever wrote it.
import { z } from 'zod'
import type { JavaScriptAnswer, JavaScriptLimits } from './thread.ts'

export type JavaScriptFailure = Exclude<JavaScriptAnswer, { readonly json: string }>

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
  if (isOutOfMemory(thrown, failure.isFull)) return `The code needs more than ${limits.memoryMebibytes} MiB of memory.`
  if (thrown === undefined) return 'The code threw something that cannot be read.'
  if ('problem' in thrown) return `${thrown.problem}.`
  return 'value' in thrown ? `The code threw ${thrown.value}.` : describeError(thrown, code)
}

const endings: Record<Ending, (limits: JavaScriptLimits) => string> = {
  late: ({ executionSeconds }) => `The code did not end within ${executionSeconds} seconds.`,
  waiting: () => 'The code waits for a promise that nothing can settle: there are no timers and no network here.',
  too_large: ({ resultBytes }) => `The result is too large: more than ${resultBytes} bytes of JSON.`,
  too_deep: () => 'The code nests too deep.',
  broken: () => 'The engine that executes JavaScript broke down over this code.',
  stopped: () => 'The code was stopped.',
}

/** The code could have tampered with it: then it is as good as unreadable. */
function readThrown(json: string | null): Thrown | undefined {
  if (json === null) return undefined
  try {
    return thrownSchema.safeParse(JSON.parse(json)).data
  } catch {
    return undefined
  }
}

/** QuickJS has a name for it while it can still afford the error; after that it throws null or less. */
function isOutOfMemory(thrown: Thrown | undefined, isFull: boolean): boolean {
  if (thrown === undefined) return isFull
  if ('value' in thrown) return isFull && /^(null|undefined)$/.test(thrown.value)
  return 'name' in thrown && thrown.name === 'InternalError' && thrown.message === 'out of memory'
}

/**
 * QuickJS keeps the places of calls, throws and statements that are expressions. Of an error in between, such as one in
 * `return a.b`, it knows only the place before; of a syntax error it always knows the line.
 */
function describeError({ name, message, stack }: z.infer<typeof errorSchema>, code: string): string {
  const what = message === '' ? name : `${name}: ${message}`
  const line = Number(/\bcode:(\d+):\d+/.exec(stack)?.[1] ?? 0)
  if (line === 0) return what
  if (name !== 'SyntaxError') return `${what} (at or after line ${line})`
  // Below the code stands what was put around it.
  return line > code.split('\n').length ? `${name}: the code ends too early` : `${what} (line ${line})`
}
