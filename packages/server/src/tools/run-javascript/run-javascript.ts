// The tool `run_javascript`: runs code in a sandbox, to compute what a model would otherwise have to guess.
import { maxJsonDepth } from '@runwright/contract'
import { z } from 'zod'
import { scanJson } from '../../domain/json/scan-json.ts'
import { maxOutputBytes, maxOutputParts, outputLimits } from '../port/storable-output.ts'
import { type Tool, ToolTimeout } from '../port/tool.ts'
import { describeFailure } from './describe-failure.ts'
import { type JavaScriptLimits, javascriptThreads } from './javascript-threads.ts'

export const maxCodeLength = 65_536
export const maxInputBytes = 4 * 1024 * 1024

export const javascriptLimits: JavaScriptLimits = {
  executionSeconds: 5,
  memoryMebibytes: 64,
  resultBytes: maxOutputBytes,
  resultDepth: maxJsonDepth,
}

const input = z.strictObject({
  code: z.string().max(maxCodeLength).meta({ description: 'Such as `return input.prices.length`' }),
  input: z.unknown().optional().meta({ description: 'Any JSON' }),
})

type Input = z.infer<typeof input>

/** Every tool created here has its own threads, so a process should create one only. */
export function javascriptTool(limits: JavaScriptLimits): Tool<Input> {
  const threads = javascriptThreads(limits)
  return {
    name: 'run_javascript',
    description:
      'Runs the body of an async JavaScript function, which reads `input` and returns JSON. No network, files, imports ' +
      `or timers; at most ${limits.executionSeconds} s.`,
    input,
    isOfferedByName: true,
    effectOf: () => 'read',
    // Mostly for waiting until a thread is free.
    timeoutSeconds: 60,
    run: async ({ code, input }, context) => {
      const outcome = await threads.execute({ code, input: writeInput(input) }, context)
      if ('json' in outcome) return readResult(outcome.json)
      const message = describeFailure(outcome, { code, limits })
      throw 'ended' in outcome && outcome.ended === 'timed_out' ? new ToolTimeout(message) : new Error(message)
    },
  }
}

/** The code can write any text, so it is looked at before it is parsed. */
function readResult(json: string): unknown {
  if (scanJson(json, 0, outputLimits).exceedsLimits) {
    throw new Error(`The result has more than ${maxOutputParts} keys and values, or nests too deeply.`)
  }
  return JSON.parse(json)
}

export const runJavascript = javascriptTool(javascriptLimits)

function writeInput(input: unknown): string | undefined {
  const json = JSON.stringify(input)
  if (json !== undefined && Buffer.byteLength(json) > maxInputBytes)
    throw new Error(`input.input must have at most ${maxInputBytes} bytes of JSON.`)
  return json
}
