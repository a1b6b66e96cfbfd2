// The identity provider, by OpenID Connect: where people are sent, and what it then says about them. What needs its
// document reads it if it could not be read before, so a service starts while the provider is away.
import { personName } from '@runwright/contract'
import * as oidc from 'openid-client'
import { z } from 'zod'
import type { Network } from '../../tools/http-fetch/guarded-client.ts'
import { createGuardedFetch, ProviderAway } from './guarded-fetch.ts'
import type { OidcSettings } from './oidc-file.ts'

/** What the provider says about a person. */
export interface Claims {
  readonly subject: string
  readonly person: string
  readonly name: string | null
  readonly groups: readonly string[]
  /** When the person last proved who they are. Null: it does not say. */
  readonly signedInAt: Date | null
}

export interface Answer {
  readonly claims: Claims
  readonly refreshToken: string | undefined
}

/** The provider has answered, and the person cannot sign in. `reason` is for the log, without text of the person. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(reason)
    this.reason = reason
  }
}

export type RefusalReason =
  | 'declined'
  | 'code_refused'
  | 'answer_invalid'
  | 'person_unknown'
  | 'no_auth_time'
  | 'auth_time_not_fresh'

/** What binds the answer of the provider to one attempt. */
export interface AttemptSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

interface Question extends AttemptSecrets {
  /** The person must prove again who they are. */
  readonly isFresh: boolean
}

export const newAttemptSecrets = (): AttemptSecrets => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
})

const documentMs = 24 * 3_600_000

export class IdentityProvider {
  readonly #settings: OidcSettings
  readonly #network: Partial<Network> | undefined
  #known: { readonly since: number; readonly config: Promise<oidc.Configuration> } | undefined

  constructor(settings: OidcSettings, network?: Partial<Network>) {
    this.#settings = settings
    this.#network = network
  }

  get callbackUrl(): string {
    return `${this.#settings.publicUrl}/console/callback`
  }

  async urlFor({ state, nonce, verifier, isFresh }: Question): Promise<URL> {
    const config = await this.#configuration()
    return oidc.buildAuthorizationUrl(config, {
      redirect_uri: this.callbackUrl,
      scope: this.#settings.request_scopes.join(' '),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isFresh && { prompt: 'login', max_age: '0' }),
    })
  }

  /** Throws `ProviderAway` or `SignInRefused`. `query` is what the browser has brought back. */
  async answerFor(query: string, { state, nonce, verifier }: AttemptSecrets): Promise<Answer> {
    const config = await this.#configuration()
    return ask(async () => {
      const tokens = await oidc.authorizationCodeGrant(config, new URL(`${this.callbackUrl}${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      return this.#read(config, tokens)
    })
  }

  /**
   * What it says now. A token that replaces the old one is kept before anything else is asked: the old one works no
   * more. Throws `ProviderAway`, or `SignInRefused` if the person may not go on.
   */
  async askAgain(
    refreshToken: string,
    { subject, keepToken }: { readonly subject: string; readonly keepToken: (token: string) => Promise<void> },
  ): Promise<Claims> {
    const config = await this.#configuration()
    return ask(async () => {
      const tokens = await oidc.refreshTokenGrant(config, refreshToken)
      if (tokens.refresh_token !== undefined) await keepToken(tokens.refresh_token)
      return (await this.#read(config, tokens, subject)).claims
    })
  }

  /** Where the person signs out of the provider. Undefined: it has no such page, or is away. */
  async signOutUrl(): Promise<string | undefined> {
    try {
      const config = await this.#configuration()
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: `${this.#settings.publicUrl}/console/` }).href
    } catch {
      return undefined
    }
  }

  /** Groups that are not in the ID token, or a refresh without one, are asked for with the access token. */
  async #read(
    config: oidc.Configuration,
    tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
    subject?: string,
  ): Promise<Answer> {
    const fromToken: Partial<oidc.IDToken> = tokens.claims() ?? {}
    const sub = subject ?? fromToken.sub
    if (sub === undefined || (fromToken.sub ?? sub) !== sub) throw new SignInRefused('answer_invalid')
    const isComplete = Object.hasOwn(fromToken, this.#settings.groups_claim)
    const hasMore = config.serverMetadata().userinfo_endpoint !== undefined
    const more = isComplete || !hasMore ? {} : await oidc.fetchUserInfo(config, tokens.access_token, sub)
    return { claims: this.#claimsIn({ ...more, ...fromToken, sub }, fromToken), refreshToken: tokens.refresh_token }
  }

  /** Only the ID token says when the person signed in: it is signed. */
  #claimsIn(all: Readonly<Record<string, unknown>>, { auth_time: at }: Partial<oidc.IDToken>): Claims {
    const { groups_claim, person_claim } = this.#settings
    const person = personName.safeParse(all[person_claim]).data
    // Everyone can claim any address at some providers.
    const isProven = person_claim !== 'email' || all.email_verified === true
    const subject = textOf(all.sub)
    if (person === undefined || subject === undefined || !isProven) throw new SignInRefused('person_unknown')
    const groups = [all[groups_claim]].flat().filter((group) => typeof group === 'string')
    return {
      subject,
      person,
      name: textOf(all.name) ?? textOf(all.preferred_username) ?? textOf(all.email) ?? null,
      groups,
      signedInAt: typeof at === 'number' && at > 0 && at < 1e11 ? new Date(at * 1000) : null,
    }
  }

  /** Reads its document. Throws `ProviderAway`. */
  async check(): Promise<void> {
    await this.#configuration()
  }

  /** Read again each day, and after a failure. */
  async #configuration(): Promise<oidc.Configuration> {
    const now = performance.now()
    if (this.#known === undefined || now - this.#known.since > documentMs)
      this.#known = { since: now, config: this.#discover() }
    const { config } = this.#known
    try {
      return await config
    } catch (error) {
      if (this.#known?.config === config) this.#known = undefined
      throw error
    }
  }

  async #discover(): Promise<oidc.Configuration> {
    const { issuer, client_id, clientSecret, private_addresses: privateAddresses } = this.#settings
    const fetch = createGuardedFetch({ privateAddresses, network: this.#network })
    const options = {
      [oidc.customFetch]: fetch,
      ...(issuer.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }),
    }
    const proof = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret)
    try {
      return await oidc.discovery(new URL(issuer), client_id, undefined, proof, options)
    } catch (error) {
      throw documentProblem(error)
    }
  }
}

const maxText = 255

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxText && !value.includes('\0') ? value : undefined

async function ask<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw refusalOf(error)
  }
}

/** Names and codes only: messages of the provider may contain what it was sent. */
function refusalOf(error: unknown): Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProviderAway || cause instanceof SignInRefused) return cause
  if (error instanceof oidc.AuthorizationResponseError) return new SignInRefused('declined')
  if (error instanceof oidc.ResponseBodyError)
    return error.error === 'invalid_grant'
      ? new SignInRefused('code_refused')
      : new ProviderAway(`it refused the client: ${knownError(error.error)}`)
  return error instanceof Error && isAboutAnswer(error) ? new SignInRefused('answer_invalid') : (error as Error)
}

const isAboutAnswer = (error: Error): boolean =>
  error instanceof oidc.ClientError || error instanceof oidc.WWWAuthenticateChallengeError

const known = ['invalid_client', 'unauthorized_client', 'invalid_request', 'invalid_scope', 'unsupported_grant_type']
const knownError = (code: string): string => (known.includes(code) ? code : 'another error')

/** Why its document cannot be used. */
function documentProblem(error: unknown): ProviderAway {
  const refusal = refusalOf(error)
  if (refusal instanceof ProviderAway) return refusal
  const { data } = otherIssuer.safeParse(error)
  return new ProviderAway(
    data ? `it calls itself ${data.cause.body.issuer}` : 'its document is not that of an OpenID Connect provider',
  )
}

/** The error of the library about a document with another `issuer` than that of the settings. */
const otherIssuer = z.looseObject({
  cause: z.looseObject({
    attribute: z.literal('issuer'),
    body: z.looseObject({ issuer: z.string().max(maxText) }),
  }),
})
