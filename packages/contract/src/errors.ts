// The error envelope of every response that is not 2xx.
import { z } from 'zod'
import { errorClasses, reasonCodes } from './reasons.ts'
import { requestId } from './wire.ts'

export const errorSchema = z
  .object({
    error: z.enum(Object.values(errorClasses)),
    reason_code: z.enum(reasonCodes),
    message: z.string().describe('What is wrong, where, and how to fix it'),
    request_id: requestId,
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof errorSchema>
