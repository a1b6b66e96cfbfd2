// The reason codes that a route uses for an invalid query, an invalid body and a lost database.
import { type ReasonCode, type Route, type RouteName, routes } from '@runwright/contract'
import type { BodyReasons } from './read-body.ts'

const reasonsOf = (name: RouteName): Route['reasons'] => routes[name].reasons

export const queryReasonOf = (name: RouteName): ReasonCode =>
  reasonsOf(name).find((reason) => reason.endsWith('_QUERY_PARAMS_INVALID')) ?? bodyReasonsOf(name).invalid

export function bodyReasonsOf(name: RouteName): BodyReasons {
  const invalid = reasonsOf(name).find((reason) => reason.endsWith('_PAYLOAD_INVALID')) ?? 'REQUEST_MALFORMED'
  return { invalid, tooLarge: reasonsOf(name).find((reason) => reason.endsWith('_TOO_LARGE')) ?? invalid }
}

export const databaseLostReasonOf = (name: RouteName | undefined): ReasonCode | undefined =>
  name && reasonsOf(name).find((reason) => reason === 'SIGNAL_SERVICE_UNAVAILABLE')
