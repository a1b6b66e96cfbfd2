// Converts a run to its wire form.
import type { ListedRun, Run } from '@runwright/contract'
import { wireStatus } from '../../domain/run/states.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { RunRecord } from '../../store/runs/runs.ts'

const nothingYet = { redacted: true, value: null } as const

export const listedRun = (run: RunRecord): ListedRun => ({
  id: toWireId('run', run.id),
  workspace_id: run.workspaceId,
  subject_id: run.subjectId,
  status: wireStatus(run.state),
  run_class: run.runClass,
  metadata: { created_at: run.createdAt.toISOString(), updated_at: run.updatedAt.toISOString() },
  event_payload: run.result ? { redacted: run.result.redacted, value: JSON.parse(run.result.value) } : nothingYet,
})

export const runView = (run: RunRecord, requestId: string): Run => ({ ...listedRun(run), request_id: requestId })

let lastInstant: Date | undefined
let lastText = ''

/** All runs of a batch have the same creation time, so its text is cached. */
function textOf(instant: Date): string {
  if (instant !== lastInstant) {
    lastText = instant.toISOString()
    lastInstant = instant
  }
  return lastText
}

/**
 * The JSON of a `CreatedRun`: the run as it was at creation, also for a replay. Built as text, because every create
 * returns it and only the labels need escaping.
 */
export function createdRunJson(
  {
    id,
    workspaceId,
    subjectId,
    runClass,
    createdAt,
  }: Pick<RunRecord, 'id' | 'workspaceId' | 'subjectId' | 'runClass' | 'createdAt'>,
  { replayed, requestId }: { replayed: boolean; requestId: string },
): string {
  const time = textOf(createdAt)
  const labels = `"workspace_id":${JSON.stringify(workspaceId)},"subject_id":${JSON.stringify(subjectId)}`
  const state = `"status":"queued","run_class":"${runClass}"`
  const times = `"metadata":{"created_at":"${time}","updated_at":"${time}"}`
  const result = '"event_payload":{"redacted":true,"value":null}'
  return `{"id":"${toWireId('run', id)}",${labels},${state},${times},${result},"replayed":${replayed},"request_id":"${requestId}"}`
}
