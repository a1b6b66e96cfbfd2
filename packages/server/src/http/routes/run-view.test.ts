import { createdRunSchema } from '@runwright/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newUuid, newWireId, toWireId } from '../../runtime/ids.ts'
import { createdRunJson } from './run-view.ts'

test('the response of a create is the JSON of the contract', () => {
  const storable = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((text) => !text.includes('\0'))
  const label = fc.option(storable)
  const runClass = fc.constantFrom('default' as const, 'short' as const, 'long' as const)
  const instant = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  fc.assert(
    fc.property(
      label,
      label,
      runClass,
      instant,
      fc.boolean(),
      (workspaceId, subjectId, runClass, createdAt, replayed) => {
        const [id, requestId] = [newUuid(), newWireId('req')]
        const text = createdRunJson({ id, workspaceId, subjectId, runClass, createdAt }, { replayed, requestId })
        const time = createdAt.toISOString()
        const view = {
          id: toWireId('run', id),
          workspace_id: workspaceId,
          subject_id: subjectId,
          status: 'queued',
          run_class: runClass,
          metadata: { created_at: time, updated_at: time },
          event_payload: { redacted: true, value: null },
          replayed,
          request_id: requestId,
        }
        expect(text).toBe(JSON.stringify(view))
        expect(createdRunSchema.parse(JSON.parse(text))).toEqual(view)
      },
    ),
  )
})
