// What makes a request with an idempotency key the same as another one: the route, the id in its path, and its body.
import type { RouteName } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'
import type { Principal } from '../../domain/principal.ts'
import type { KeyedHash } from '../../runtime/secrets/keyed-hash.ts'
import type { Repeatable, ShownTo } from '../../store/requests/kept-answers.ts'
import type { Call, HandledRoute } from '../server/response/handler.ts'

interface RepeatOptions {
  readonly route: RouteName
  readonly hashBody: KeyedHash
  /** Whether the answer shows a secret. Then only the same caller gets it again. */
  readonly showsSecret?: boolean
}

/** For a checked body. Undefined if the request has no idempotency key. */
export type Repeat = (body: unknown) => Repeatable | undefined

export const repeatOf =
  (
    { idempotencyKey, id, principal }: Pick<Call<HandledRoute>, 'idempotencyKey' | 'id' | 'principal'>,
    { route, hashBody, showsSecret = false }: RepeatOptions,
  ): Repeat =>
  (body) =>
    idempotencyKey === undefined
      ? undefined
      : {
          route,
          idempotencyKey,
          bodyHash: hashBody(canonicalJson({ id, body })),
          shownTo: showsSecret ? shownTo(principal) : undefined,
        }

function shownTo({ keyId, secretHash }: Principal): ShownTo {
  if (secretHash === undefined) throw new Error('a caller has no secret')
  return { keyId, secretHash }
}
