// What a process needs to create runs: for requests, and for schedules.

import type { CurrentAgents } from '../agents/definitions/agent-set.ts'
import type { KnownTools } from '../domain/plan/plan.ts'
import type { CreateDependencies } from '../runs/create-run.ts'
import { QueueLimit } from '../runs/queue-limit.ts'
import { limitsByClass } from '../runtime/settings/settings.ts'
import type { RunCreator } from '../store/run-log/run-creator.ts'
import type { Core } from './core.ts'

export interface Intake {
  readonly knownTools: KnownTools
  readonly agents: CurrentAgents
}

export const creationIn = (
  { settings, database, schemas, keys: { hashBody, keyring } }: Core,
  creator: RunCreator,
  { knownTools, agents }: Intake,
): CreateDependencies => ({
  creator,
  queueLimit: new QueueLimit(database, settings.limits.queueLimit),
  schemas: schemas.requests,
  hashBody,
  keyring,
  limits: limitsByClass(settings.limits),
  knownTools,
  agents,
  allowedModels: settings.models.allowed,
  workerIsSandbox: settings.models.worker === 'sandbox',
  stepTimeoutSeconds: settings.engine.stepTimeoutSeconds,
})
