// `POST /console/sign-in-codes`: a fresh code for a sign-in link, for `runwright open` on the machine of the service.
// It gives nothing that its caller does not have: only the key that the code signs in with can ask for one. A token of
// that key may do less and ends earlier, so it cannot.
import type { FastifyInstance } from 'fastify'
import { invalidCode } from '../../access/sign-in-codes.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { refuseSuspended } from '../server/admission/admission.ts'
import { isDirectFromLoopback } from '../server/admission/loopback.ts'
import { identify } from '../server/mount-routes.ts'
import type { ConsoleSessionOptions } from './console-session.ts'

export function signInLinkRoute(app: FastifyInstance, options: Omit<ConsoleSessionOptions, 'sessions'>): void {
  const { gate, signInCodes } = options
  app.post('/console/sign-in-codes', { bodyLimit: 1 }, async (request, reply) => {
    // A session of the console may not make sign-ins that outlive it.
    if (request.headers.authorization === undefined)
      throw new ServiceError('API_KEY_INVALID', 'Send the API key of this machine.')
    const principal = await identify(request, gate)
    refuseSuspended(principal)
    const own = signInCodes?.readApiKey()?.split(':')[0]
    const isOwn = own === principal.keyId && !principal.token
    if (!signInCodes || !isOwn || !isDirectFromLoopback(request.raw))
      throw invalidCode('Only the key in the data folder gets sign-in links, and only on the machine of the service.')
    return reply.code(201).header('cache-control', 'no-store').send({ code: signInCodes.issue() })
  })
}
