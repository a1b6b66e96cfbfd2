// The guard in front of the identity provider. The connector records and connects to nothing.
import { expect, test } from 'vitest'
import { createGuardedFetch, ProviderAway } from './guarded-fetch.ts'

const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const

function startGuard(privateAddresses: 'allow' | 'deny', addresses: readonly string[]) {
  const dialed: string[] = []
  const guarded = createGuardedFetch({
    privateAddresses,
    network: {
      resolve: async () => addresses,
      dial: (to) => (_options, callback) => {
        dialed.push(...to)
        callback(Object.assign(new Error('recorded'), { code: 'ECONNREFUSED' }), null)
      },
    },
  })
  return { dialed, fetch: (url: string) => guarded(url, options) }
}

test.each([
  ['https://login.example.com/token', ['10.0.0.8']],
  ['https://login.example.com/token', ['8.8.8.8', '127.0.0.1']],
  ['https://169.254.169.254/latest', []],
  ['http://login.example.com/token', ['8.8.8.8']],
])('%s at %j is not connected to', async (url, addresses) => {
  const { fetch, dialed } = startGuard('deny', addresses)
  await expect(fetch(url)).rejects.toThrow(ProviderAway)
  expect(dialed).toEqual([])
})

test('a private address is connected to if the operator allows it, and a failure names the host', async () => {
  const { fetch, dialed } = startGuard('allow', ['10.0.0.8'])
  await expect(fetch('https://login.example.com/token')).rejects.toThrow('"login.example.com" refused the connection.')
  expect(dialed).toEqual(['10.0.0.8'])
})
