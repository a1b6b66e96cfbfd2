// What the deletion of a run or of a memory item returns. The deleted data is not repeated.
import { z } from 'zod'
import { id, requestId } from './wire.ts'

export const deletedRunSchema = z
  .object({ id: id('run'), deleted: z.literal(true), request_id: requestId })
  .meta({ id: 'DeletedRun' })
export type DeletedRun = z.infer<typeof deletedRunSchema>

export const deletedMemoryItemSchema = z
  .object({ id: id('mem'), deleted: z.literal(true), request_id: requestId })
  .meta({ id: 'DeletedMemoryItem' })
export type DeletedMemoryItem = z.infer<typeof deletedMemoryItemSchema>
