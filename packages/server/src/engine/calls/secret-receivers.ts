// Which secrets a call may receive without a person's approval. The client decides: with a step of its plan that names
// the value, or with `allow` of the tag. A model that fills in a placeholder decides nothing.
import type { JournaledCall } from '../../domain/run/journal.ts'
import type { Secret } from '../../domain/secrets/places.ts'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'

export type SecretCall = Pick<JournaledCall, 'name' | 'input' | 'byClient'>

/** These tools store their input in the database, where no secret may be, so they get the placeholders. */
const storingTools: ReadonlySet<string> = new Set(['memory_save', 'memory_search'])

/** Their output can be any function of their input, in forms that scrubbing does not find. */
const computingTools: ReadonlySet<string> = new Set(['run_javascript', 'calculator', 'json_query'])

/** Their error texts can quote a part of the input. A part of a secret is not found by scrubbing. */
const quotingTools: ReadonlySet<string> = new Set([...computingTools, 'http_fetch'])

export const storesInput = ({ name }: SecretCall): boolean => storingTools.has(name)
export const computes = ({ name }: SecretCall): boolean => computingTools.has(name)
export const quotesInput = ({ name }: SecretCall): boolean => quotingTools.has(name)

/** The secrets in the call's input that the client has not allowed for it. */
export function secretsNotAllowed(secrets: SecretKeeper | undefined, call: SecretCall): Secret[] {
  const found = secrets?.secretsIn(call.input) ?? []
  if (secrets === undefined || found.length === 0) return []
  const mayReceive = receiverCheck(secrets, call)
  return found.filter((secret) => !mayReceive(secret))
}

/** Returns the test whether the client has allowed a secret for the call. */
export function receiverCheck(secrets: SecretKeeper, call: SecretCall): (secret: Secret) => boolean {
  const host = call.name === 'http_fetch' ? hostOf(secrets.fill(call.input)) : undefined
  return ({ source, allow }) =>
    call.byClient?.includes(source) === true ||
    allow.some((receiver) => receiver === `tool:${call.name}` || receiver.toLowerCase() === `host:${host}`)
}

function hostOf(input: unknown): string | undefined {
  const url = (input as { readonly url?: unknown } | null)?.url
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : undefined
}
