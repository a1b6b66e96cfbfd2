// The routes below /v1/keys: create, list, get, rotate and revoke the keys of the caller's customer.
import { createKeySchema, rotateKeySchema } from '@runwright/contract'
import type { Authenticator } from '../../access/authenticator.ts'
import { getKey } from '../../access/get-key.ts'
import { type IssuedKey, issueKey } from '../../access/issue-key.ts'
import type { KeyStore } from '../../access/key-secret.ts'
import { revokeKey } from '../../access/revoke-key.ts'
import { rotateKey } from '../../access/rotate-key.ts'
import type { KeyedHash } from '../../runtime/secrets/keyed-hash.ts'
import { listKeyPage } from '../../store/keys/keys.ts'
import { createdOrRepeated } from '../answers/created.ts'
import { readListPage } from '../answers/list-page.ts'
import { repeatOf } from '../answers/repeatable.ts'
import type { Answer, Handlers } from '../server/response/handler.ts'
import { readKeyBody } from './keys-body.ts'
import { keyCursorOf, keyPositionOf, toWireKey, toWireLeaves } from './keys-wire.ts'

interface KeyHandlersOptions extends KeyStore {
  readonly authenticator: Pick<Authenticator, 'forget' | 'runOnce'>
  readonly hashBody: KeyedHash
}

type KeyHandlers = Pick<Handlers, 'createKey' | 'listKeys' | 'getKey' | 'rotateKey' | 'revokeKey'>

export function keyHandlers(options: KeyHandlersOptions): KeyHandlers {
  const { database, authenticator, hashBody } = options
  return {
    createKey: async (call) => {
      const request = readKeyBody(createKeySchema, call.body)
      const repeatable = repeatOf(call, { route: 'createKey', hashBody, showsSecret: true })(request)
      const issued = await issueKey(options, call.principal, { ...request, repeatable })
      const { isRepeated, key } = issued
      return createdOrRepeated(`/v1/keys/${key.id}`, { isRepeated, ...withSecret(issued, call.requestId) })
    },
    listKeys: async ({ principal: { customerId }, query, requestId }) => {
      await authenticator.runOnce()
      const { items, nextCursor } = await readListPage({
        query,
        positionOf: keyPositionOf,
        cursorOf: keyCursorOf,
        read: (page) => listKeyPage(database, { customerId, ...page }),
      })
      return { body: { keys: items.map(toWireKey), next_cursor: nextCursor, request_id: requestId } }
    },
    getKey: async ({ principal, id, requestId }) => {
      await authenticator.runOnce()
      const { key, leaves } = await getKey(database, principal.customerId, id)
      return { body: { key: toWireKey(key), leaves: toWireLeaves(leaves), request_id: requestId } }
    },
    rotateKey: async (call) => {
      const { principal, id, requestId } = call
      const request = readKeyBody(rotateKeySchema, call.body)
      const repeatable = repeatOf(call, { route: 'rotateKey', hashBody, showsSecret: true })(request)
      const rotation = rotateKey(options, principal, {
        keyId: id,
        overlapSeconds: request.overlap_seconds,
        roles: request.roles,
        repeatable,
      })
      return withSecret(await thenForget(authenticator, id, rotation), requestId)
    },
    revokeKey: async ({ principal, id, requestId }) => {
      const key = await thenForget(authenticator, id, revokeKey(options, principal, id))
      return { body: { key: toWireKey(key), request_id: requestId } }
    },
  }
}

/** Also after a failure: the change may have been committed even though its result was lost. */
async function thenForget<T>(authenticator: Pick<Authenticator, 'forget'>, id: string, change: Promise<T>): Promise<T> {
  try {
    return await change
  } finally {
    authenticator.forget(id)
  }
}

const withSecret = ({ key, secret }: IssuedKey, requestId: string): Answer => ({
  headers: { 'cache-control': 'no-store' },
  body: { key: toWireKey(key), secret, request_id: requestId },
})
