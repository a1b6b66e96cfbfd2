// Makes a decision link, for a wait that is open and a person or a role that may decide about it. It ends at the latest
// with the wait and with the key and the secret of the caller.
import type { ApprovalRules, CreateDecisionLink } from '@runwright/contract'
import { actorOf } from '../../domain/actor.ts'
import type { Principal } from '../../domain/principal.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { toWireId } from '../../runtime/ids.ts'
import { findDatabaseTime } from '../../store/keys/key-end.ts'
import { findPersonKey } from '../../store/keys/person-key.ts'
import { recordLink } from '../../store/keys/record-link.ts'
import type { Database } from '../../store/postgres/database.ts'
import { findWaits } from '../../store/runs/run-parts.ts'
import { findRun } from '../../store/runs/runs.ts'
import { findGranterEnd } from '../granter.ts'
import type { LinkDecider, LinkForm } from './link-form.ts'

interface LinkMaker {
  readonly database: Database
  readonly form: LinkForm
}

interface WishedLink extends CreateDecisionLink {
  readonly runId: string
}

export interface IssuedLink {
  readonly link: string
  readonly expiresAt: Date
}

export async function issueLink(
  { database, form }: LinkMaker,
  maker: Principal,
  { runId, await_seq: awaitSeq, person, role, expires_in: expiresIn }: WishedLink,
): Promise<IssuedLink> {
  if (maker.secretHash === undefined) throw new Error('a caller has no secret')
  const { customerId } = maker
  const wait = (await findWaits(database, customerId, [runId])).get(runId)
  if (!wait && !(await findRun(database, customerId, runId)))
    throw new ServiceError('RUN_NOT_FOUND', 'There is no run with this id.')
  if (wait?.seq !== awaitSeq)
    throw new ServiceError('RUN_NOT_AWAITING_INPUT', 'await_seq is not the current wait of the run.')
  if (wait.rules.reauth) throw needsSignIn()
  const [decider, end, now] = await Promise.all([
    deciderOf(database, { customerId, person, role, rules: wait.rules }),
    findGranterEnd(database, maker),
    findDatabaseTime(database),
  ])
  const ends = [now.getTime() + expiresIn * 1_000, wait.expiresAt.getTime(), end?.getTime()]
  const expiresAtMs = Math.min(...ends.filter((time) => time !== undefined))
  await recordLink(database, {
    customerId,
    by: actorOf(maker),
    action: 'run.link',
    target: toWireId('run', runId),
    details: {
      ...(person !== undefined && { person }),
      ...(role !== undefined && { role }),
      await_seq: awaitSeq,
      expires_at: new Date(expiresAtMs).toISOString(),
    },
  })
  const makerMark = form.markOf(maker.secretHash)
  const claims = { customerId, runId, awaitSeq, decider, makerKeyId: maker.keyId, makerMark, expiresAtMs }
  return { link: form.write(claims), expiresAt: new Date(expiresAtMs) }
}

const needsSignIn = () =>
  new ServiceError(
    'REAUTH_REQUIRED',
    'This question needs a person who has just signed in, so no link can answer it. Send its decision page instead.',
  )

interface Deciding extends Pick<CreateDecisionLink, 'person' | 'role'> {
  readonly customerId: string
  readonly rules: ApprovalRules
}

async function deciderOf(database: Database, { customerId, person, role = '', rules }: Deciding): Promise<LinkDecider> {
  if (person !== undefined)
    return { kind: 'person', person, keyId: await keyOf(database, { customerId, person, rules }) }
  const { approvers = [], escalate_to: later = [], approvals = 1, not_requester: isNotRequester = false } = rules
  if (approvers.length === 0) throw invalid('role: the question names no roles, so its link must be for a person.')
  // Who reads the messages to a role is not known.
  if (approvals > 1 || isNotRequester)
    throw invalid('role: the question depends on which people decide, so its link must be for a person.')
  if (approvers.includes(role) || later.includes(role)) return { kind: 'role', role }
  throw new ServiceError(
    'APPROVER_REQUIRED',
    `This question needs one of the roles ${[...approvers, ...later].join(', ')}.`,
  )
}

const invalid = (message: string) => new ServiceError('LINK_PAYLOAD_INVALID', message)

interface PersonDeciding {
  readonly customerId: string
  readonly person: string
  readonly rules: ApprovalRules
}

async function keyOf(database: Database, { customerId, person, rules }: PersonDeciding): Promise<string> {
  const { approvers = [], escalate_to: later = [] } = rules
  const key = await findPersonKey(database, { customerId, person, roles: approvers, laterRoles: later })
  if (!key) throw invalid(`person: no API key with runs:signal belongs to ${JSON.stringify(person)}.`)
  if (approvers.length === 0 || key.isApprover) return key.id
  const roles = [...approvers, ...later].join(', ')
  const message = `This question needs one of the roles ${roles}; no key of ${JSON.stringify(person)} has one.`
  throw new ServiceError('APPROVER_REQUIRED', message)
}
