// The service that a command talks to, and the key that it uses. The key is never an argument: other users of the
// machine can see arguments.
import { resolve } from 'node:path'
import { readLocalClient } from '../../runtime/files/local-client.ts'
import { apiKeyVariable, urlVariable } from '../../runtime/settings/client-variables.ts'
import { settingTable } from '../../runtime/settings/setting-table.ts'
import { refuseUnknownNames } from '../../runtime/settings/settings.ts'
import { findOriginOfPackage, installedCommandLine } from '../output/command-line.ts'
import type { Io } from '../output/io.ts'
import { Refusal, UsageError } from '../output/refusal.ts'

export interface Target {
  readonly url: string
  readonly apiKey: string
  /** Where the key comes from, for messages about it. */
  readonly keySource: string
}

type Environment = Io['env']

const defaultUrl = 'http://127.0.0.1:8080'

/** `urlOption` is that of `--url`. */
export function findTarget(env: Environment, urlOption?: string): Target {
  // A misspelt name must not send a command to the wrong service.
  refuseUnknownNames(env)
  const url = givenUrl(env, urlOption)
  const apiKey = env[apiKeyVariable]
  if (apiKey) return { url: url ?? localUrl(env), apiKey: checkedKey(apiKey), keySource: apiKeyVariable }
  return fromFile(env, url)
}

/** The address without a key, for what needs none. */
export function findUrl(env: Environment, urlOption?: string): string {
  return givenUrl(env, urlOption) ?? localUrl(env)
}

/** `npx http://…/cli.tgz` names the service, too. */
function givenUrl(env: Environment, urlOption: string | undefined): string | undefined {
  const given = urlOption ?? env[urlVariable]
  if (given) return checkedUrl(given, urlOption === undefined ? urlVariable : '--url')
  return findOriginOfPackage()
}

const startAdvice = (): string =>
  findOriginOfPackage() === undefined
    ? `start a service here with ${installedCommandLine('start')}`
    : `create a key with ${installedCommandLine('keys create')}`

/** The key of the file is sent only to the service that created it. */
function fromFile(env: Environment, url: string | undefined): Target {
  const dataDir = dataDirOf(env)
  const local = readLocalClient(dataDir)
  if (local === undefined)
    throw new Refusal(`No API key: set ${apiKeyVariable}${url ? '' : ` and ${urlVariable}`}, or ${startAdvice()}.`)
  if (url !== undefined && !isSameOrigin(url, local.url))
    throw new Refusal(`No API key for ${url}: set ${apiKeyVariable}. The key in ${dataDir} is for ${local.url}.`)
  return { url: url ?? local.url, apiKey: local.apiKey, keySource: `${dataDir}/client.json` }
}

const localUrl = (env: Environment): string => readLocalClient(dataDirOf(env))?.url ?? defaultUrl

const dataDirOf = (env: Environment): string =>
  resolve(env[settingTable.database.dataDir.name] ?? settingTable.database.dataDir.default)

const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin

function checkedUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`${name} must be the URL of a service, such as ${defaultUrl}.`)
  if (url.username || url.password) throw new UsageError(`${name} must not contain a password. Set ${apiKeyVariable}.`)
  return text.replace(/(?<!\/)\/+$/, '')
}

function checkedKey(text: string): string {
  if (/^[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/.test(text)) return text
  throw new UsageError(`${apiKeyVariable} must be an API key, <key_id>:<secret>.`)
}
