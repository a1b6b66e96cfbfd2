// The error envelope that every answer but a 2xx carries.
import { z } from 'zod'
import { errorClasses, reasonCodes } from './reasons.ts'
import { requestId } from './wire.ts'

export const errorSchema = z
  .object({
    error: z.enum(Object.values(errorClasses)),
    reason_code: z.enum(reasonCodes),
    message: z.string().describe('What is wrong, where, and what would be right'),
    request_id: requestId,
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof errorSchema>
