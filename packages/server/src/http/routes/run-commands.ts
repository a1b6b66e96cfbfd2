// Cancel, retry, resume, signal and delete over HTTP.
import { actorOf } from '../../domain/actor.ts'
import { readSignal } from '../../domain/intake/intake.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { deleteRun } from '../../retention/delete-run.ts'
import { commandRun, type RunCommand } from '../../runs/command-run.ts'
import { signalRun } from '../../runs/signal-run.ts'
import type { SchemaThreads } from '../../runtime/schemas/schema-threads.ts'
import type { KeyedHash } from '../../runtime/secrets/keyed-hash.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { Announce, RunLog } from '../../store/run-log/run-log.ts'
import type { SealingKeys } from '../../store/sealed/sealing-keys.ts'
import { readIdempotencyKey } from '../server/request/idempotency-key.ts'
import type { Call, Handler, Handlers } from '../server/response/handler.ts'
import { runView } from './run-view.ts'
import { runIdOf } from './runs.ts'

interface Dependencies {
  readonly database: Database
  readonly runLog: RunLog
  readonly announce: Announce
  readonly hashBody: KeyedHash
  readonly keys: SealingKeys
  readonly schemas: Pick<SchemaThreads, 'check'>
}

export const runCommandHandlers = (
  dependencies: Dependencies,
): Pick<Handlers, 'cancelRun' | 'retryRun' | 'resumeRun' | 'signalRun' | 'deleteRun'> => {
  const command =
    (name: RunCommand): Handler<'cancelRun' | 'retryRun' | 'resumeRun'> =>
    async ({ principal, requestId, id, idempotencyKey }) => {
      const { customerId } = principal
      const target = { customerId, runId: runIdOf(id), requestId, by: actorOf(principal), idempotencyKey }
      return { body: runView(await commandRun(dependencies, name, target), requestId) }
    }
  return {
    cancelRun: command('cancel'),
    retryRun: command('retry'),
    resumeRun: command('resume'),
    deleteRun: async ({ principal, requestId, id }) => {
      await deleteRun(dependencies, { customerId: principal.customerId, id: runIdOf(id) }, actorOf(principal))
      return { body: { id, deleted: true, request_id: requestId } }
    },
    signalRun: async (call) => {
      const { principal, requestId, id, body = '' } = call
      const signal = await runSliced(readSignal(body))
      const idempotencyKey = signal.idempotency_key ?? keyOfHeader(call)
      await signalRun(dependencies, {
        customerId: principal.customerId,
        runId: runIdOf(id),
        requestId,
        by: actorOf(principal),
        action: signal.action,
        payload: signal.payload,
        call: signal.call,
        calls: signal.calls,
        awaitSeq: signal.await_seq,
        idempotencyKey,
      })
      return { body: { ok: true, request_id: requestId } }
    },
  }
}

/** Used only if the body has no key. */
function keyOfHeader({ request }: Call<'signalRun'>): string | undefined {
  const header = readIdempotencyKey(request)
  if (header.kind === 'malformed') {
    throw new ServiceError(
      'SIGNAL_PAYLOAD_INVALID',
      'The idempotency-key header must be 1 to 255 printable ASCII characters.',
    )
  }
  return header.kind === 'key' ? header.key : undefined
}
