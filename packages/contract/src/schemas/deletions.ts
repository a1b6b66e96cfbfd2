// What a deletion returns. The deleted data is not repeated.
import { z } from 'zod'
import { budgetId } from './budgets.ts'
import { id, requestId } from './wire.ts'

export const deletedRunSchema = z
  .object({ id: id('run'), deleted: z.literal(true), request_id: requestId })
  .meta({ id: 'DeletedRun' })
export type DeletedRun = z.infer<typeof deletedRunSchema>

export const deletedScheduleSchema = z
  .object({ id: id('sched'), deleted: z.literal(true), request_id: requestId })
  .meta({ id: 'DeletedSchedule' })
export type DeletedSchedule = z.infer<typeof deletedScheduleSchema>

export const deletedWebhookSchema = z
  .object({ id: id('hook'), deleted: z.literal(true), request_id: requestId })
  .meta({ id: 'DeletedWebhook' })
export type DeletedWebhook = z.infer<typeof deletedWebhookSchema>

export const deletedBudgetSchema = z
  .object({ id: budgetId, deleted: z.literal(true), request_id: requestId })
  .meta({ id: 'DeletedBudget' })
export type DeletedBudget = z.infer<typeof deletedBudgetSchema>

export const deletedMemoryItemSchema = z
  .object({ id: id('mem'), deleted: z.literal(true), request_id: requestId })
  .meta({ id: 'DeletedMemoryItem' })
export type DeletedMemoryItem = z.infer<typeof deletedMemoryItemSchema>
