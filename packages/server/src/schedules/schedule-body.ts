// The body of the runs of a schedule: checked as a create checks it, sealed as it was sent, and shown as a run shows
// it.
import { type IntakeContext, readCreateRun } from '../domain/intake/intake.ts'
import { splitSecrets } from '../domain/secrets/split-secrets.ts'
import { ServiceError } from '../domain/service-error.ts'
import { compileSchemas, type SchemaCompiler } from '../runs/compile-schemas.ts'
import { sentDocument } from '../runs/create-run.ts'
import type { Keyring } from '../runtime/secrets/cipher-keyring.ts'
import { runSliced } from '../runtime/time-slices.ts'
import type { ScheduleBody } from '../store/schedules/schedules.ts'

export interface ScheduleIntake extends IntakeContext {
  readonly schemas: SchemaCompiler
}

interface BodyOptions {
  readonly intake: ScheduleIntake
  readonly keyring: Keyring
  readonly owner: { readonly customerId: string; readonly scheduleId: string }
}

interface ReadBody extends ScheduleBody {
  /** As it was sent, whatever the order of its keys. */
  readonly canonicalRun: string
}

/** Throws what a create would throw. The message says that the problem is in `run`. */
export async function readScheduleBody(run: unknown, { intake, keyring, owner }: BodyOptions): Promise<ReadBody> {
  const text = JSON.stringify(run)
  const accepted = await runSliced(readCreateRun(text, intake)).catch(refuseRun)
  await compileSchemas(intake.schemas, accepted.schemas, owner).catch(refuseRun)
  const sent = run as Readonly<Record<string, unknown>>
  const split = await runSliced(splitSecrets(sentDocument(accepted), sent.plan, accepted.secrets))
  const shown = split ? { ...sent, ...split.clear, ...(split.plan !== undefined && { plan: split.plan }) } : sent
  return {
    subjectId: accepted.subjectId,
    shown: JSON.stringify(shown),
    sealed: keyring.seal(text, owner),
    canonicalRun: accepted.canonicalBody,
  }
}

function refuseRun(error: unknown): never {
  if (error instanceof ServiceError) throw new ServiceError(error.reason, `run: ${error.message}`)
  throw error
}
