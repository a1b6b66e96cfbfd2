// The tool `wait`: waits for a number of seconds.
import { z } from 'zod'
import { pause } from '../port/pause.ts'
import type { Tool } from '../port/tool.ts'

export const maxWaitSeconds = 86_400

const input = z.strictObject({ seconds: z.number().min(0).max(maxWaitSeconds) })

export const wait: Tool<z.infer<typeof input>> = {
  name: 'wait',
  description: 'Waits. Fractions of a second are allowed.',
  input,
  isOfferedByName: true,
  effectOf: () => 'read',
  // Longer than the longest wait.
  timeoutSeconds: maxWaitSeconds + 60,
  sleepMs: ({ seconds }) => seconds * 1000,
  run: async ({ seconds }, { signal }) => {
    if (!(await pause(seconds, signal))) throw new Error('The wait was aborted.')
    return { seconds }
  },
}
