// Who does something, as one value from the check of a request to the rows that it writes: an API key, the person
// behind it, or the operator.
import type { AuditChannel } from '@runwright/contract'

export interface Actor {
  /** Null: the operator. */
  readonly keyId: string | null
  /** The name of the key when the request came. */
  readonly keyName: string | null
  /** The person that the key belongs to, or who has signed in. Null: the key stands for itself. */
  readonly person: string | null
  /** What it may decide. Roles of a key are read again where they count, because this list may be seconds old. */
  readonly roles: readonly string[]
  readonly rolesFrom: RoleSource
  /** What it sees and changes. Left out: everything of the customer. */
  readonly limits?: ActorLimits
  readonly via: AuditChannel
  /** It decides with a decision link, which this key has made. */
  readonly linkMadeBy?: string
  /** A person who has signed in. */
  readonly signIn?: SignIn
}

/** `key`: the roles are those of the key. `identity`: they came with a sign-in, a token or a link, and hold as long. */
export type RoleSource = 'key' | 'identity'

export interface SignIn {
  /** How long ago the person proved to the identity provider who they are. Null: the provider did not say. */
  readonly agoMs: number | null
}

/** How old a sign-in may be that a decision asks for. */
const freshSignInMs = 300_000
/** By how much the clock of the identity provider may be ahead. */
const maxAheadMs = 30_000

export const isFreshSignIn = (agoMs: number): boolean => -maxAheadMs <= agoMs && agoMs <= freshSignInMs

/** Labels and ids that everything must have that the actor sees. */
export interface ActorLimits {
  readonly workspaceId?: string
  readonly subjectId?: string
  readonly runId?: string
}

/** All keys of one person are one, by whichever way they come. A key without a person is one of its own. */
export const isSamePerson = (one: Identity, other: Identity): boolean =>
  one.keyId === other.keyId || (one.person !== null && one.person === other.person)

type Identity = Pick<Actor, 'keyId' | 'person'>

/** What authentication knows about a caller. A principal is one. */
export interface Caller {
  readonly keyId?: string
  readonly keyName?: string | null
  readonly person?: string | null
  readonly roles?: readonly string[]
  readonly rolesFrom?: RoleSource
  readonly limits?: ActorLimits
  /** It uses the console. */
  readonly sessionId?: string
  readonly signIn?: SignIn
  /** It uses a token of the key. */
  readonly token?: unknown
}

/** Someone with access to the host of the service: its commands and settings. */
export const operator: Actor = {
  keyId: null,
  keyName: null,
  person: null,
  roles: [],
  rolesFrom: 'identity',
  via: 'operator',
}

/** A caller without a key is the operator. */
export const actorOf = (caller: Caller): Actor => {
  const { keyId, keyName, person, roles, rolesFrom, limits, signIn } = caller
  if (keyId === undefined) return operator
  return {
    keyId,
    keyName: keyName ?? null,
    person: person ?? null,
    roles: roles ?? [],
    rolesFrom: rolesFrom ?? 'key',
    ...(limits && { limits }),
    ...(signIn && { signIn }),
    via: channelOf(caller),
  }
}

const channelOf = ({ sessionId, token }: Caller): AuditChannel =>
  sessionId !== undefined ? 'console' : token !== undefined ? 'token' : 'api'
