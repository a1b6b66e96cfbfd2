// The tool `read_result`: reads the rest of a result of this run that was too long to be shown whole.
import { showName } from '@runwright/contract'
import { z } from 'zod'
import { stepResultId } from '../../agents/finished-steps.ts'
import { readOn, readResultName } from '../../agents/show-result.ts'
import { maxShownLength } from '../../agents/value-text.ts'
import type { CallResultEntry } from '../../domain/run/journal.ts'
import type { Tool } from '../../tools/port/tool.ts'

const input = z.strictObject({
  call_id: z.string(),
  offset: z.int().min(0),
  length: z.int().min(1).max(maxShownLength).optional(),
})

interface Results {
  readonly calls: ReadonlyMap<string, CallResultEntry>
  /** The content of the last step with this id that succeeded. */
  readonly contentOf: (stepId: string) => string | undefined
}

export const readResultTool = ({ calls, contentOf }: Results): Tool<z.infer<typeof input>> => ({
  name: readResultName,
  description:
    'Reads a part of a result of this run that was cut. `call_id` is named where it was cut; `offset` counts characters.',
  input,
  effectOf: () => 'read',
  timeoutSeconds: 10,
  run: async ({ call_id, offset, length }) => {
    const content = call_id.startsWith(stepResultId('')) ? contentOf(call_id.slice(stepResultId('').length)) : undefined
    if (content !== undefined) return readOn(content, offset, length)
    const result = calls.get(call_id)
    if (result?.outcome !== 'succeeded')
      throw new Error(`There is no result of a call ${showName(call_id)} in this run.`)
    return readOn(result.output, offset, length)
  },
})
