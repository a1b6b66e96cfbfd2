// The file of `RUNWRIGHT_OIDC`: the identity provider, and what the groups of a person allow. The operator writes it.
import { describeIssue, maxPersonLength, roleList, scopes } from '@runwright/contract'
import { z } from 'zod'
import { parseConfigJson } from '../../domain/json/config-json.ts'
import { readJsonFile } from '../../runtime/files/json-file.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import { SettingsError } from '../../runtime/settings/settings-error.ts'

const setting = 'RUNWRIGHT_OIDC'
/** Tokens and links live longer than the groups of a person count. */
const ungrantable: readonly string[] = ['tokens:create', 'links:create']
const grantable = scopes.filter((scope) => !ungrantable.includes(scope))
const maxGroups = 1_000

const name = z.string().min(1).max(maxPersonLength)
const groupSchema = z.strictObject({
  group: name,
  customer: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'must be the id of a customer' }),
  scopes: z.array(z.enum(grantable)).min(1),
  roles: roleList.default([]),
})
export type GroupRule = z.infer<typeof groupSchema>

const fileSchema = z.strictObject({
  issuer: z.string().max(1_000).refine(isIssuer, { error: 'must be an https URL without a query' }),
  client_id: name,
  name: name.default('your identity provider'),
  request_scopes: z.array(z.string().regex(/^[!#-[\]-~]{1,255}$/)).default(['openid', 'profile', 'email']),
  groups_claim: name.default('groups'),
  person_claim: name.default('sub'),
  session_hours: z.number().min(0.25).max(720).default(12),
  private_addresses: z.enum(['allow', 'deny']).default('deny'),
  groups: z.array(groupSchema).min(1).max(maxGroups),
})

export type OidcFile = z.infer<typeof fileSchema>

export interface OidcSettings extends OidcFile {
  readonly clientSecret: string | undefined
  /** Where people reach the service, without a slash at the end. */
  readonly publicUrl: string
}

/** Undefined: people sign in with keys only. */
export function readOidc({ oidc, http: { publicUrl } }: Pick<Settings, 'oidc' | 'http'>): OidcSettings | undefined {
  if (oidc.path === undefined) return undefined
  if (publicUrl === undefined)
    throw new SettingsError(`${setting} needs RUNWRIGHT_PUBLIC_URL: the provider sends people back to it.`)
  return { ...readOidcFile(oidc.path), clientSecret: oidc.clientSecret, publicUrl }
}

function readOidcFile(path: string): OidcFile {
  const value = readJsonFile(setting, path, parseConfigJson)
  const read = fileSchema.safeParse(value)
  if (!read.success) throw new SettingsError(`${setting}: in ${path}, ${describeIssue({ error: read.error, value })}.`)
  const { issuer, private_addresses } = read.data
  if (issuer.startsWith('http:') && private_addresses === 'deny')
    throw new SettingsError(
      `${setting}: in ${path}, issuer must use https. On this host, private_addresses allows http.`,
    )
  return read.data
}

function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (
    url !== undefined && /^https?:$/.test(url.protocol) && !(url.username || url.password || url.search || url.hash)
  )
}
