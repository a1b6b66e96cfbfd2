// An example of the audit log. Its hash is a real one.
import { keyIds, requestIds, runId } from './ids.ts'

const approval = {
  seq: 4711,
  at: '2026-11-15T09:31:12.204Z',
  action: 'run.signal',
  key_id: keyIds.caller,
  key_name: 'Approver Kim',
  via: 'console',
  target: runId,
  details: { action: 'approve' },
  previous_hash: '9f2c4a1be07d35c8f6e1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7',
  hash: '96e21b7009f8a961da847a6f3f1da6ff1af1a68b36afcf704a125fb1dc8ccd10',
}

export const auditLists = {
  approval: {
    summary: 'Someone approved a call in the console',
    value: { entries: [approval], next_cursor: '4711', request_id: requestIds.retry },
  },
}
