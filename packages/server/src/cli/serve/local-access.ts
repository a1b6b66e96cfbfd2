// Access to the service from its own machine: the key file of the data folder, and the sign-in link of the console.
// None of it is needed to serve others, so a problem is a warning.
import { Authenticator } from '../../access/authenticator.ts'
import type { KeyStore } from '../../access/key-secret.ts'
import { SignInCodes } from '../../access/sign-in-codes.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { isLoopback } from '../../http/server/admission/loopback.ts'
import {
  type LocalClient,
  readLocalClient,
  updateLocalUrl,
  writeLocalClient,
} from '../../runtime/files/local-client.ts'
import type { Logger } from '../../runtime/logger.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'
import { signInUrl } from '../connection/console-url.ts'

interface LocalAccessOptions {
  readonly dataDir: string
  readonly host: string
  readonly logger: Pick<Logger, 'warn'>
}

const wildcards = ['0.0.0.0', '::']

export class LocalAccess {
  readonly #options: LocalAccessOptions
  readonly signInCodes: SignInCodes
  #hasValidKey = false

  constructor(options: LocalAccessOptions) {
    this.#options = options
    this.signInCodes = new SignInCodes({ readApiKey: () => this.#read()?.apiKey })
  }

  /** Whether the key file has a key of this database. */
  get hasKey(): boolean {
    return this.#hasValidKey
  }

  /** Keeps the first key before the service listens: if that fails, the key is not lost. */
  keep(firstKey: string, port: number): void {
    const { dataDir, host } = this.#options
    const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    this.#attempt(() => writeLocalClient(dataDir, { url: this.#urlFor(address), apiKey: firstKey }))
  }

  /** The file may be left over from another database, or its key may be revoked. */
  async check(store: KeyStore): Promise<void> {
    const client = this.#read()
    this.#hasValidKey = client !== undefined && (await isValid(store, client))
  }

  /** Notes where the service listens, and returns the sign-in link if there is one. */
  listening(address: string): string | undefined {
    const url = this.#urlFor(address)
    this.#attempt(() => updateLocalUrl(this.#options.dataDir, url))
    if (!this.#hasValidKey || !this.#isReachedByLoopback()) return undefined
    return signInUrl(url, this.signInCodes.issue())
  }

  #urlFor(address: string): string {
    return wildcards.includes(this.#options.host) ? `http://127.0.0.1:${new URL(address).port || 80}` : address
  }

  #isReachedByLoopback(): boolean {
    const { host } = this.#options
    return wildcards.includes(host) || host === 'localhost' || isLoopback(host)
  }

  #read(): LocalClient | undefined {
    return this.#attempt(() => readLocalClient(this.#options.dataDir))
  }

  #attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      this.#options.logger.warn(error.message)
      return undefined
    }
  }
}

async function isValid(store: KeyStore, { apiKey }: LocalClient): Promise<boolean> {
  try {
    await new Authenticator(store).authenticate(`Bearer ${apiKey}`)
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}
