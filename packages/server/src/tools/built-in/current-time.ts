// The tool `current_time`.
import { z } from 'zod'
import type { Tool } from '../port/tool.ts'

const input = z.strictObject({})

export const currentTime: Tool<z.infer<typeof input>> = {
  name: 'current_time',
  description: 'Returns the date and time in UTC (ISO 8601).',
  input,
  effectOf: () => 'read',
  timeoutSeconds: 5,
  run: async () => ({ now: new Date().toISOString() }),
}
