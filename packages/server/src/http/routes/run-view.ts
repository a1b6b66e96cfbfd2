// Converts a run to its wire form.
import type { Run } from '@runwright/contract'
import { wireStatus } from '../../domain/run/states.ts'
import { toWireId } from '../../runtime/ids.ts'
import type { ListedRunRecord, RunRecord } from '../../store/runs/runs.ts'

const nothingYet = { redacted: true, value: null } as const

const fieldsOf = (run: RunRecord | ListedRunRecord): Omit<Run, 'event_payload' | 'request_id'> => ({
  id: toWireId('run', run.id),
  workspace_id: run.workspaceId,
  subject_id: run.subjectId,
  status: wireStatus(run.state),
  run_class: run.runClass,
  metadata: { created_at: run.createdAt.toISOString(), updated_at: run.updatedAt.toISOString() },
})

export const runView = (run: RunRecord, requestId: string): Run => ({
  ...fieldsOf(run),
  event_payload: run.result ? { redacted: run.result.redacted, value: JSON.parse(run.result.value) } : nothingYet,
  request_id: requestId,
})

interface RunParts {
  /** The result as JSON text, if it is part of the answer. */
  readonly result: string | undefined
  readonly otherFields: Readonly<Record<string, unknown>>
}

/** The JSON of a run, as got or as listed. Results are stored as text and not parsed: they may be large. */
export function runJson(run: RunRecord | ListedRunRecord, { result = 'null', otherFields }: RunParts): string {
  const fields = JSON.stringify(fieldsOf(run)).slice(0, -1)
  const payload = `"event_payload":{"redacted":${run.result?.redacted ?? nothingYet.redacted},"value":${result}}`
  const others = Object.entries(otherFields).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
  return `${fields},${payload}${others.join('')}}`
}

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
