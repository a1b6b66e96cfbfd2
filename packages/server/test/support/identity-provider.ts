// A real OpenID Connect provider on loopback, whose people and groups a test changes. It shows its own sign-in page.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Provider from 'oidc-provider'

export interface ProviderPerson {
  readonly name: string
  /** As the claim is. */
  readonly groups: unknown
  readonly email_verified?: boolean
}

interface ProviderOptions {
  readonly people: Readonly<Record<string, ProviderPerson>>
  readonly groups: readonly object[]
  /** Whether a sign-in gives a refresh token. Default: yes. */
  readonly refreshes?: boolean
  /** Whether it says when people have signed in if it is not asked to. Default: yes. */
  readonly tellsTime?: boolean
  /** Whether names and groups are in the answer to another request instead of the ID token. Default: no. */
  readonly hasUserInfo?: boolean
  /** More fields of the file of settings. */
  readonly settings?: object
}

const host = '127.0.0.1'

const portOf = (server: Server): number => (server.address() as AddressInfo).port

async function freePort(): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

export class TestProvider {
  readonly people: Map<string, ProviderPerson>
  readonly issuer: string
  /** The settings of a service whose people sign in here. */
  readonly env: Record<string, string>
  /** Set: it answers nothing. */
  isAway = false
  /** Set: its document has this issuer. */
  callsItself: string | undefined
  /** How often it was asked with a refresh token, with success. */
  refreshes = 0
  /** How long ago people have signed in, as it tells the service. */
  signedInSecondsAgo = 0
  /** Called with the address to which it leads the browser back. Returns where the browser goes instead. */
  onCallback: (url: string) => string = (url) => url
  readonly #server: Server
  readonly #folder: string

  private constructor(server: Server, { people, groups, settings }: ProviderOptions, servicePort: number) {
    this.#server = server
    this.people = new Map(Object.entries(people))
    this.issuer = `http://${host}:${portOf(server)}`
    this.#folder = mkdtempSync(join(tmpdir(), 'runwright-oidc-'))
    const path = join(this.#folder, 'oidc.json')
    const client = { issuer: this.issuer, client_id: 'runwright', name: 'Example SSO' }
    const request_scopes = ['openid', 'profile', 'email', 'groups']
    writeFileSync(path, JSON.stringify({ ...client, private_addresses: 'allow', request_scopes, groups, ...settings }))
    this.env = {
      RUNWRIGHT_OIDC: path,
      RUNWRIGHT_OIDC_CLIENT_SECRET: clientSecret,
      RUNWRIGHT_PORT: String(servicePort),
      RUNWRIGHT_PUBLIC_URL: `http://${host}:${servicePort}`,
    }
  }

  static async start(options: ProviderOptions): Promise<TestProvider> {
    let answer: RequestListener = (_request, response) => response.end()
    const server = createServer((request, response) => {
      if (provider.isAway) {
        request.socket.destroy()
        return
      }
      if (provider.callsItself !== undefined && request.url?.endsWith('/.well-known/openid-configuration')) {
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ issuer: provider.callsItself }))
        return
      }
      const setHeader = response.setHeader.bind(response)
      response.setHeader = (name, value) => {
        const leadsBack = name.toLowerCase() === 'location' && String(value).includes('/console/callback?')
        return setHeader(name, leadsBack ? provider.onCallback(String(value)) : value)
      }
      answer(request, response)
    }).listen(0, host)
    await once(server, 'listening')
    const provider: TestProvider = new TestProvider(server, options, await freePort())
    const created = provider.#create(options)
    created.on('grant.success', ({ oidc }) => {
      if (oidc.params?.grant_type === 'refresh_token') provider.refreshes += 1
    })
    answer = created.callback()
    return provider
  }

  setGroups(id: string, groups: unknown): void {
    this.people.set(id, { name: id, ...this.people.get(id), groups })
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
    rmSync(this.#folder, { recursive: true })
  }

  #create({ refreshes = true, tellsTime = true, hasUserInfo = false }: ProviderOptions): Provider {
    const { RUNWRIGHT_PUBLIC_URL: url } = this.env
    return new Provider(this.issuer, {
      clients: [
        {
          client_id: 'runwright',
          client_secret: clientSecret,
          grant_types: ['authorization_code', 'refresh_token'],
          redirect_uris: [`${url}/console/callback`],
          post_logout_redirect_uris: [`${url}/console/`],
          require_auth_time: tellsTime,
        },
      ],
      claims: { openid: ['sub'], groups: ['groups'], profile: ['name'], email: ['email', 'email_verified'] },
      scopes: ['openid', 'profile', 'email', 'groups'],
      conformIdTokenClaims: hasUserInfo,
      pkce: { required: () => true },
      issueRefreshToken: () => refreshes,
      rotateRefreshToken: true,
      cookies: { keys: [randomBytes(16).toString('hex')] },
      // A person who is removed cannot go on.
      findAccount: (_context, id) => {
        const person = this.people.get(id)
        const email = `${id}@example.com`
        return (
          person && {
            accountId: id,
            claims: () => ({ sub: id, email, email_verified: true, ...person }),
          }
        )
      },
      // Everyone has agreed to everything.
      loadExistingGrant: async ({ oidc }) => {
        const ago = this.signedInSecondsAgo
        if (oidc.session && ago !== 0) oidc.session.loginTs = Math.floor(Date.now() / 1000) - ago
        const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId })
        grant.addOIDCScope('openid profile email groups')
        await grant.save()
        return grant
      },
    })
  }
}

const clientSecret = randomBytes(16).toString('hex')
