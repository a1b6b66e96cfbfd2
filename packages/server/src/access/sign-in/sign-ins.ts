// Signs people in through the identity provider: begins an attempt, turns its answer into a session, reads the groups
// again while the session lasts, and ends all sessions of a person.
import { randomBytes } from 'node:crypto'
import { isFreshSignIn } from '../../domain/actor.ts'
import type { Principal } from '../../domain/principal.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { newWireId } from '../../runtime/ids.ts'
import type { Logger } from '../../runtime/logger.ts'
import { seal, unseal } from '../../runtime/secrets/cipher.ts'
import { type KeyedHash, keyedHash } from '../../runtime/secrets/keyed-hash.ts'
import { type EndReason, endSessionsOf, keepPerson, type PersonRow } from '../../store/keys/people.ts'
import {
  type ClaimedRenewal,
  claimRenewal,
  endRefusedSession,
  finishRenewal,
  giveUpRenewal,
  keepRefreshToken,
  readAskingTime,
} from '../../store/keys/renewals.ts'
import { deleteSession } from '../../store/keys/sessions.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { Network } from '../../tools/http-fetch/guarded-client.ts'
import type { Authenticator } from '../authenticator.ts'
import type { ConsoleSessions, GroupRenewals, OpenedSession } from '../console-sessions.ts'
import type { KeyStore } from '../key-secret.ts'
import { type Attempt, AttemptForm } from './attempt.ts'
import { type GroupGrant, grantsOfGroups } from './grant-of-groups.ts'
import { ProviderAway } from './guarded-fetch.ts'
import {
  type Answer,
  IdentityProvider,
  newAttemptSecrets,
  type RefusalReason,
  SignInRefused,
} from './identity-provider.ts'
import type { OidcSettings } from './oidc-file.ts'

/** How long what the provider has said about groups counts. */
const groupsSeconds = 15 * 60

export interface SignInsOptions extends KeyStore {
  readonly settings: OidcSettings
  readonly authenticator: Pick<Authenticator, 'forget'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Tests replace parts of the network. */
  readonly network?: Partial<Network>
}

export type SignInProblem = RefusalReason | 'attempt_unknown' | 'no_access' | 'revoked' | 'provider_away'

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly session: OpenedSession; readonly page: string }
  /** The groups of the person belong to several customers. */
  | { readonly kind: 'choose'; readonly customers: readonly string[]; readonly attempt: Attempt }
  | { readonly kind: 'failed'; readonly problem: SignInProblem; readonly again: Again }

/** What the next attempt is to do. */
type Again = Pick<Attempt, 'isFresh' | 'page'>

type Wish = Pick<Attempt, 'isFresh' | 'page' | 'customerId' | 'sessionId'>

export class SignIns implements GroupRenewals {
  readonly #options: SignInsOptions
  readonly #database: Database
  readonly #provider: IdentityProvider
  readonly #attempts: AttemptForm
  readonly #refreshKey: KeyedHash
  /** Set by what makes both: each needs the other. */
  sessions: Pick<ConsoleSessions, 'openFor' | 'forget'> | undefined

  constructor(options: SignInsOptions) {
    this.#options = options
    this.#database = options.database
    this.#provider = new IdentityProvider(options.settings, options.network)
    this.#attempts = new AttemptForm(options.keyPepper)
    this.#refreshKey = keyedHash(options.keyPepper, 'refresh token of a session')
  }

  /** What the provider is called on the page. */
  get name(): string {
    return this.#options.settings.name
  }

  /** Whether cookies of sign-ins are only for https. */
  get isSecure(): boolean {
    return this.#options.settings.publicUrl.startsWith('https:')
  }

  /** For the log of a start: a wrong issuer or a closed network is told before the first person signs in. */
  async checkProvider(): Promise<void> {
    try {
      await this.#provider.check()
    } catch (error) {
      this.#tell(error)
    }
  }

  /** Undefined: the provider is away. */
  async begin(wish: Wish): Promise<{ readonly url: string; readonly attempt: string } | undefined> {
    const attempt = { ...newAttemptSecrets(), ...wish }
    try {
      return { url: (await this.#provider.urlFor(attempt)).href, attempt: this.#attempts.write(attempt) }
    } catch (error) {
      this.#tell(error)
      return undefined
    }
  }

  /** `kept` is what the browser has kept of the attempt, and `query` what it has brought from the provider. */
  async finish(kept: string | undefined, query: string): Promise<SignInOutcome> {
    const attempt = kept === undefined ? undefined : this.#attempts.read(kept)
    const [state, ...more] = new URLSearchParams(query).getAll('state')
    if (!attempt || more.length > 0 || state !== attempt.state)
      return { kind: 'failed', problem: 'attempt_unknown', again: attempt ?? { isFresh: false, page: '#/' } }
    try {
      const askedAt = await readAskingTime(this.#database)
      const answer = { ...(await this.#provider.answerFor(query, attempt)), askedAt }
      if (attempt.isFresh) refuseOldProof(answer)
      return await this.#finishAttempt(attempt, answer)
    } catch (error) {
      return { kind: 'failed', problem: this.#tell(error), again: attempt }
    }
  }

  async #finishAttempt(attempt: Attempt, answer: TimedAnswer): Promise<SignInOutcome> {
    const { page, customerId: wished, sessionId } = attempt
    const { settings } = this.#options
    const grants = grantsOfGroups(settings.groups, answer.claims.groups)
    if (wished === undefined && grants.size > 1) return { kind: 'choose', customers: [...grants.keys()], attempt }
    const [customerId = ''] = wished === undefined ? grants.keys() : [wished]
    const grant = grants.get(customerId)
    if (!grant) return { kind: 'failed', problem: 'no_access', again: attempt }
    const row = await this.#keep(answer, { customerId, grant })
    if (!row) return { kind: 'failed', problem: 'no_access', again: attempt }
    if (row.isRevoked) return { kind: 'failed', problem: 'revoked', again: attempt }
    const session = await this.#open(answer, { customerId, row })
    // Otherwise the session before would stay open, and no cookie could end it.
    if (sessionId !== undefined) await this.#endOne(Buffer.from(sessionId, 'hex'))
    return { kind: 'signed_in', session, page }
  }

  /** Ends all sessions of the person, on every browser. */
  async endEverywhere({ customerId, keyId }: Pick<Principal, 'customerId' | 'keyId'>): Promise<string | undefined> {
    await this.#endAll({ customerId, keyId }, { reason: 'signed_out_everywhere' })
    return this.#provider.signOutUrl()
  }

  async renew({ token, tokenHash, secondsBefore }: Parameters<GroupRenewals['renew']>[0]): Promise<void> {
    const claimed = await claimRenewal(this.#database, { tokenHash, secondsBefore })
    if (!claimed) return
    try {
      await this.#renewClaimed(token, claimed)
    } catch (error) {
      // Another process reads the groups now, or has read them.
      if (error instanceof ClaimLost) return
      const problem = this.#tell(error)
      if (problem !== 'provider_away') return await endRefusedSession(this.#database, claimed)
      await giveUpRenewal(this.#database, claimed)
      throw this.#unavailable()
    }
  }

  /** The row comes first: if time stops in between, outdated groups do not count for longer. */
  async #renewClaimed(token: string, claimed: ClaimedRenewal): Promise<void> {
    const { settings } = this.#options
    const { customerId, keyId, issuer, subject, sealedRefresh, askedAt } = claimed
    if (issuer !== settings.issuer) throw new SignInRefused('person_unknown')
    const refresh = unseal(this.#refreshKey(token), sealedRefresh, refreshPlace).toString()
    const keepToken = async (fresh: string) => {
      if (!(await keepRefreshToken(this.#database, claimed, this.#seal(token, fresh)))) throw new ClaimLost()
    }
    const claims = await this.#provider.askAgain(refresh, { subject, keepToken })
    const grant = grantsOfGroups(settings.groups, claims.groups).get(customerId)
    if (!grant) return this.#endWithoutGroups(claimed)
    await this.#keep({ claims, askedAt }, { customerId, grant })
    this.#options.authenticator.forget(keyId)
    await finishRenewal(this.#database, claimed, groupsSeconds)
  }

  /** An outdated answer ends nothing. The next request then asks again, and does not wait for the end of the claim. */
  async #endWithoutGroups(claimed: ClaimedRenewal): Promise<void> {
    await this.#endAll(claimed, { reason: 'groups', askedAt: claimed.askedAt })
    await giveUpRenewal(this.#database, claimed)
  }

  async #keep(
    { claims, askedAt }: Pick<TimedAnswer, 'claims' | 'askedAt'>,
    { customerId, grant }: Membership,
  ): Promise<PersonRow | undefined> {
    const { subject, person, name } = claims
    const { issuer } = this.#options.settings
    const identity = { customerId, issuer, subject, person, name, ...grant, askedAt }
    const kept = await keepPerson(this.#database, identity, { keyId: newWireId('key'), secretHash: randomBytes(32) })
    if (kept) this.#options.authenticator.forget(kept.keyId)
    else this.#options.logger.warn({ customer_id: customerId }, 'RUNWRIGHT_OIDC names a customer that does not exist')
    return kept
  }

  #open({ claims, refreshToken, askedAt }: TimedAnswer, { customerId, row }: { customerId: string; row: PersonRow }) {
    if (!this.sessions) throw new Error('sign-ins were used before they were connected to sessions')
    return this.sessions.openFor({
      customerId,
      keyId: row.keyId,
      secretHash: row.secretHash,
      maxSeconds: this.#options.settings.session_hours * 3_600,
      askedAt,
      groupsSeconds,
      signedInAt: claims.signedInAt,
      seal: (token) => (refreshToken === undefined ? null : this.#seal(token, refreshToken)),
    })
  }

  /** Only the browser has the token, so a copy of the database opens nothing. */
  #seal(token: string, refreshToken: string): Buffer {
    return seal(this.#refreshKey(token), Buffer.from(refreshToken), refreshPlace)
  }

  async #endAll({ customerId, keyId }: Pick<Principal, 'customerId' | 'keyId'>, why: EndReason) {
    await endSessionsOf(this.#database, { customerId, keyId, ...why, secretHash: randomBytes(32) })
    this.#options.authenticator.forget(keyId)
  }

  async #endOne(tokenHash: Buffer): Promise<void> {
    await deleteSession(this.#database, tokenHash)
    this.sessions?.forget(tokenHash.toString('hex'))
  }

  /** Says in the log what went wrong. What is not about the sign-in is thrown again. */
  #tell(error: unknown): SignInProblem {
    const { issuer } = this.#options.settings
    if (error instanceof ProviderAway) {
      this.#options.logger.warn({ issuer, problem: error.message }, 'the identity provider cannot be asked')
      return 'provider_away'
    }
    if (!(error instanceof SignInRefused)) throw error
    this.#options.logger.info({ issuer, reason: error.reason }, 'a sign-in was refused')
    return error.reason
  }

  #unavailable(): ServiceError {
    const { host } = new URL(this.#options.settings.issuer)
    const text = `The identity provider ${host} cannot be reached, so your groups cannot be checked. Try again.`
    return new ServiceError('SIGN_IN_UNAVAILABLE', text, 5)
  }
}

const refreshPlace = 'runwright refresh token of a session'

/** What the provider says, and when it was asked. */
type TimedAnswer = Answer & { readonly askedAt: Date }

/** A provider may ignore that it was to ask again, and who sits at the browser can leave that out. */
function refuseOldProof({ claims: { signedInAt }, askedAt }: TimedAnswer): void {
  if (signedInAt === null) throw new SignInRefused('no_auth_time')
  if (!isFreshSignIn(askedAt.getTime() - signedInAt.getTime())) throw new SignInRefused('auth_time_not_fresh')
}

class ClaimLost extends Error {
  override readonly name = 'ClaimLost'
}

interface Membership {
  readonly customerId: string
  readonly grant: GroupGrant
}
