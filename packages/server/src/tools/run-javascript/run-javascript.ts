// The tool `run_javascript`: computes what a model would otherwise have to guess, where it can reach nothing.
import { maxJsonDepth } from '@runwright/contract'
import { z } from 'zod'
import { maxOutputBytes } from '../port/storable-output.ts'
import { type Tool, ToolTimeout } from '../port/tool.ts'
import { describeFailure } from './describe-failure.ts'
import type { JavaScriptLimits } from './thread.ts'
import { JavaScriptThreads } from './threads.ts'

export const maxCodeLength = 65_536
export const maxInputBytes = 4 * 1024 * 1024

export const javascriptLimits: JavaScriptLimits = {
  executionSeconds: 5,
  memoryMebibytes: 64,
  resultBytes: maxOutputBytes,
  resultDepth: maxJsonDepth,
}

const input = z.strictObject({
  code: z
    .string()
    .max(maxCodeLength)
    .meta({ description: 'For example `return input.prices.reduce((a, b) => a + b, 0)`' }),
  input: z.unknown().optional().meta({ description: 'Any JSON value; the code finds it as `input`' }),
})

type Input = z.infer<typeof input>

/** Each has threads of its own: a process needs one. */
export function javascriptTool(limits: JavaScriptLimits): Tool<Input> {
  const threads = new JavaScriptThreads(limits)
  return {
    name: 'run_javascript',
    description:
      'Runs JavaScript and gives back what it returns. `code` is the body of an async function with `input` in scope; ' +
      '`return` a JSON value. There is no network, no file, no import and no timer, and ' +
      `${limits.executionSeconds} seconds of time.`,
    input,
    effectOf: () => 'read',
    // Most of it for waiting until a thread is free.
    timeoutSeconds: 60,
    run: async ({ code, input }, context) => {
      const answer = await threads.execute({ code, input: writeInput(input) }, context)
      if ('json' in answer) return JSON.parse(answer.json)
      const message = describeFailure(answer, { code, limits })
      throw 'ended' in answer && answer.ended === 'late' ? new ToolTimeout(message) : new Error(message)
    },
  }
}

export const runJavascript = javascriptTool(javascriptLimits)

function writeInput(input: unknown): string | undefined {
  const json = JSON.stringify(input)
  if (json !== undefined && Buffer.byteLength(json) > maxInputBytes)
    throw new Error(`input.input is too large: more than ${maxInputBytes} bytes of JSON.`)
  return json
}
