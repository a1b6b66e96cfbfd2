// The error envelope of every response that is not 2xx.
import { z } from 'zod'
import { errorClasses, publicReasonCodes, reasonCodes } from '../vocabulary/reasons.ts'
import { extensible, openEnum, published, requestId } from './wire.ts'

export const errorSchema = z
  .object({
    error: openEnum(Object.values(errorClasses)),
    // The console gets more, which no route of the API returns.
    reason_code: published(openEnum(reasonCodes), extensible(publicReasonCodes)),
    message: z.string().describe('What is wrong, where, and how to fix it'),
    request_id: requestId,
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof errorSchema>
