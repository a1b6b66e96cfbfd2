// What an actor with limits may see and create: what has its labels, or one run.
import { createHash } from 'node:crypto'
import type { ActorLimits } from './actor.ts'
import { ServiceError } from './service-error.ts'

interface Labels {
  readonly workspaceId: string | null
  readonly subjectId: string | null
}

/** The same for limits that are equal: what tokens with these limits share. */
export const limitsId = ({ workspaceId, subjectId, runId }: ActorLimits): string =>
  JSON.stringify([workspaceId ?? null, subjectId ?? null, runId ?? null])

export const isWithin = (limits: ActorLimits, run: Labels & { readonly id: string }): boolean =>
  hasLabels(limits, run) && (limits.runId === undefined || limits.runId === run.id)

const hasLabels = ({ workspaceId, subjectId }: ActorLimits, labels: Labels): boolean =>
  (workspaceId === undefined || workspaceId === labels.workspaceId) &&
  (subjectId === undefined || subjectId === labels.subjectId)

/** The labels of what it asks for: those that are missing are filled in, and others are refused. */
export function withLimits<L extends Labels>(limits: ActorLimits | undefined, labels: L): L {
  if (limits === undefined) return labels
  const filled = {
    ...labels,
    workspaceId: labels.workspaceId ?? limits.workspaceId ?? null,
    subjectId: labels.subjectId ?? limits.subjectId ?? null,
  }
  if (hasLabels(limits, filled)) return filled
  throw beyondLimits(limits)
}

/**
 * The labels of what it creates: exactly those of the limits. A run reads the notes that its labels share and uses up
 * their budgets, so who is limited to a subject must not choose a workspace, nor the other way round.
 */
export function asLimited<L extends Labels>(limits: ActorLimits | undefined, labels: L): L {
  const filled = withLimits(limits, labels)
  const { workspaceId, subjectId } = filled
  if (limits === undefined || isSame(limits, { workspaceId, subjectId })) return filled
  throw new ServiceError('TOKEN_LIMITED', `${sentence(limits)} It cannot add a label: make one with both labels.`)
}

const isSame = ({ workspaceId, subjectId }: ActorLimits, labels: Labels): boolean =>
  (workspaceId ?? null) === labels.workspaceId && (subjectId ?? null) === labels.subjectId

export const beyondLimits = (limits: ActorLimits): ServiceError => new ServiceError('TOKEN_LIMITED', sentence(limits))

const sentence = (limits: ActorLimits): string => `The token is limited to ${describe(limits)}.`

const describe = ({ workspaceId, subjectId, runId }: ActorLimits): string =>
  [
    ...(workspaceId === undefined ? [] : [`the workspace ${JSON.stringify(workspaceId)}`]),
    ...(subjectId === undefined ? [] : [`the subject ${JSON.stringify(subjectId)}`]),
    ...(runId === undefined ? [] : ['one run']),
  ].join(' and ')

/**
 * Idempotency keys of actors with limits are apart from all others: a guessed key neither shows nor blocks what someone
 * else has created. No client can send the first character.
 */
export const idempotencyKeyOf = (limits: ActorLimits | undefined, key: string): string =>
  limits === undefined
    ? key
    : `§${createHash('sha256')
        .update(`${limitsId(limits)}\n${key}`)
        .digest('base64url')}`
