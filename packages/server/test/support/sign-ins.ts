// Signing in through a provider as a process of the service does it, without HTTP.
import { Authenticator } from '../../src/access/authenticator.ts'
import { ConsoleSessions } from '../../src/access/console-sessions.ts'
import { readOidc } from '../../src/access/sign-in/oidc-file.ts'
import { SignIns } from '../../src/access/sign-in/sign-ins.ts'
import { readSettings } from '../../src/runtime/settings/settings.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import type { TestProvider } from './identity-provider.ts'

interface ProcessOptions {
  readonly database: Database
  readonly keyPepper: Buffer
  readonly provider: TestProvider
  /** Called with what the log says. */
  readonly onLog?: (fields: object) => void
}

export function newSignIns({ database, keyPepper, provider, onLog = () => {} }: ProcessOptions) {
  const settings = readOidc(readSettings(provider.env))
  if (!settings) throw new Error('no provider is set')
  const authenticator = new Authenticator({ database, keyPepper })
  const signIns = new SignIns({ database, keyPepper, authenticator, settings, logger: { info: onLog, warn: onLog } })
  const sessions = new ConsoleSessions({ database, keyPepper, authenticator, renewals: signIns })
  signIns.sessions = sessions
  return { signIns, sessions }
}
