// The tool `current_time`.
import { z } from 'zod'
import type { Tool } from '../port/tool.ts'

const input = z.strictObject({})

export const currentTime: Tool<z.infer<typeof input>> = {
  name: 'current_time',
  description: 'Returns the current date and time in UTC, in ISO 8601 format with milliseconds.',
  input,
  effectOf: () => 'read',
  timeoutSeconds: 5,
  run: async () => ({ now: new Date().toISOString() }),
}
