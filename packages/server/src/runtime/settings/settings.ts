// Reads the settings from the environment: checked, frozen, and grouped by the part of the service that uses them.
import type { Role, RunClass } from '@runwright/contract'
import { clientVariables, findClientVariable } from './client-variables.ts'
import { findNearestName } from './nearest-name.ts'
import type { Setting } from './setting.ts'
import type { SettingTable } from './setting-table.ts'
import { allSettings, settingTable } from './setting-table.ts'
import { SettingsError } from './settings-error.ts'

type ValueOf<S> = S extends Setting<infer T, infer D> ? T | Extract<D, undefined> : never

type ValuesOf<Group> = { readonly [Property in keyof Group]: ValueOf<Group[Property]> }

type RawSettings = { readonly [Name in keyof SettingTable]: ValuesOf<SettingTable[Name]> }

export type Settings = Omit<RawSettings, 'models'> & { readonly models: ModelSettings }

type EngineSettings = Settings['engine']
type LimitSettings = Settings['limits']
export interface ModelSettings extends Readonly<Record<Role, string>> {
  /** The models that a run may choose. Empty: a run cannot choose. */
  readonly allowed: readonly string[]
  readonly providersPath: string | undefined
}

export interface RunLimits {
  readonly tokens: number
  readonly durationSeconds: number
  readonly signalTimeoutSeconds: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** Throws a SettingsError whose message names the variable and a valid value. */
export function readSettings(env: Environment): Settings {
  refuseUnknownNames(env)
  const raw = readTable(env)
  refuseSlowHeartbeat(raw.engine)
  refuseLongHeaders(raw.http)
  refuseLinksToNowhere(raw.http)
  refuseBothDirections(raw.cassettes)
  refuseHalfMail(raw.mail)
  refuseSecretOfNothing(raw.oidc)
  return freezeDeeply({ ...raw, models: modelsByRole(raw.models) })
}

/** A customer may have many keys: without a setting, all of them together have the rate of four. */
export const customerRateOf = ({ customerRateLimitPerSecond, rateLimitPerSecond }: Settings['http']): number =>
  customerRateLimitPerSecond ?? 4 * rateLimitPerSecond

/** Settings without a suffix apply to class `default`; `_SHORT` and `_LONG` to the other classes. */
export const limitsByClass = (limits: LimitSettings): Readonly<Record<RunClass, RunLimits>> => ({
  default: limitsOf(limits, ''),
  short: limitsOf(limits, 'Short'),
  long: limitsOf(limits, 'Long'),
})

const limitsOf = (limits: LimitSettings, suffix: '' | 'Short' | 'Long'): RunLimits => ({
  tokens: limits[`tokenCeiling${suffix}`],
  durationSeconds: limits[`durationSeconds${suffix}`],
  signalTimeoutSeconds: limits[`signalTimeoutSeconds${suffix}`],
})

function readTable(env: Environment): RawSettings {
  const groups = Object.entries(settingTable).map(([name, group]) => {
    const rows: [string, Setting<unknown, unknown>][] = Object.entries(group)
    return [name, Object.fromEntries(rows.map(([property, row]) => [property, readValue(row, env[row.name])]))]
  })
  // Object.fromEntries loses the type of the table.
  return Object.fromEntries(groups) as RawSettings
}

function readValue(row: Setting<unknown, unknown>, text: string | undefined): unknown {
  if (text === undefined || (text === '' && row.emptyIsUnset)) return parsedDefault(row)
  const parsed = row.parse(text)
  if (parsed.ok) return parsed.value
  const actual = row.secret ? '' : `, but is ${quoted(text)}`
  throw new SettingsError(`${row.name} must be ${parsed.wants}${actual}.`)
}

// Default paths are relative and must be resolved like any other path.
function parsedDefault({ default: value, parse }: Setting<unknown, unknown>): unknown {
  if (typeof value !== 'string') return value
  const parsed = parse(value)
  return parsed.ok ? parsed.value : value
}

/** The message names the variable, never its value: it may be a secret. */
export function refuseUnknownNames(env: Environment): void {
  const known = [...allSettings.map(({ name }) => name), ...clientVariables]
  const unknown = Object.keys(env)
    .filter((name) => name.startsWith('RUNWRIGHT_') && !known.includes(name))
    .sort()[0]
  if (unknown === undefined) return
  const nearest = findClientVariable(unknown) ?? findNearestName(unknown, known)
  const advice = nearest === undefined ? 'docs/configuration.md lists all settings.' : `did you mean ${nearest}?`
  throw new SettingsError(`${unknown} is not a setting: ${advice}`)
}

// A worker gives up a lease after two thirds of its duration without renewal, so a slower heartbeat loses every run.
function refuseSlowHeartbeat({ leaseSeconds, heartbeatSeconds }: EngineSettings): void {
  if (heartbeatSeconds < (leaseSeconds * 2) / 3) return
  const { heartbeatSeconds: heartbeat, leaseSeconds: lease } = settingTable.engine
  throw new SettingsError(
    `${heartbeat.name} (${heartbeatSeconds}) must be less than two thirds of ${lease.name} (${leaseSeconds}).`,
  )
}

/** A link in a message must lead here from elsewhere. */
function refuseLinksToNowhere({ decisionLinks, publicUrl }: RawSettings['http']): void {
  if (decisionLinks === 'off' || publicUrl !== undefined) return
  const { decisionLinks: links, publicUrl: url } = settingTable.http
  throw new SettingsError(`${links.name} needs ${url.name}: set both, or neither.`)
}

/** The headers are a part of the request. */
function refuseLongHeaders({ headersTimeoutSeconds, requestTimeoutSeconds }: RawSettings['http']): void {
  if (headersTimeoutSeconds <= requestTimeoutSeconds) return
  const { headersTimeoutSeconds: headers, requestTimeoutSeconds: request } = settingTable.http
  throw new SettingsError(
    `${headers.name} (${headersTimeoutSeconds}) must not be more than ${request.name} (${requestTimeoutSeconds}).`,
  )
}

function modelsByRole({ model, planner, worker, judge, ...others }: RawSettings['models']): ModelSettings {
  return { ...others, planner: planner ?? model, worker: worker ?? model, judge: judge ?? model }
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

function freezeDeeply<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freezeDeeply)
  return Object.freeze(value)
}

/** A replayed run has nothing to record that is not in its cassette. */
function refuseBothDirections({ recordDir, replayDir }: RawSettings['cassettes']): void {
  if (recordDir === undefined || replayDir === undefined) return
  throw new SettingsError('RUNWRIGHT_RECORD and RUNWRIGHT_REPLAY exclude each other: unset one of them.')
}

/** It would be meant for a provider that is not set. */
function refuseSecretOfNothing({ path, clientSecret }: RawSettings['oidc']): void {
  if (clientSecret === undefined || path !== undefined) return
  const { path: file, clientSecret: secret } = settingTable.oidc
  throw new SettingsError(`${secret.name} needs ${file.name}: set both, or neither.`)
}

/** A server without addresses would send nothing, without a word. */
function refuseHalfMail({ smtpUrl, path }: RawSettings['mail']): void {
  if ((smtpUrl === undefined) === (path === undefined)) return
  const { smtpUrl: server, path: file } = settingTable.mail
  const [set, missing] = smtpUrl === undefined ? [file, server] : [server, file]
  throw new SettingsError(`${set.name} needs ${missing.name}: set both, or neither.`)
}
