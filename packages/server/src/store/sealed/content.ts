// Reads back what a client sent with a run, with its tagged values put in place again.
import type { SensitivityTag } from '@runwright/contract'
import { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { joinSecrets, type SealedPart, type SentDocument } from '../../domain/secrets/split-secrets.ts'
import type { Keyring } from '../../runtime/secrets/cipher-keyring.ts'

/** The columns that it is read from; JSON as text. */
export type StoredContent = {
  readonly id: string
  readonly customer_id: string
  readonly input: string
  readonly metadata: string
  readonly sensitivity_tags: string | null
  readonly plan: string | null
  readonly sealed: Buffer | null
  readonly sealed_key: number | null
}

/** With everything that the client sent. */
export type SentRow = StoredContent & { readonly attachment_refs: string | null }

export interface RunContent {
  /** As they were sent. Everything that leaves the run must be scrubbed by `secrets` first. */
  readonly input: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  /** With placeholders in place of secrets. */
  readonly plan: unknown
  /** Undefined when nothing is secret. */
  readonly secrets: SecretKeeper | undefined
}

/** Adds the content to a run. Sealed values are opened on first use: one that does not open fails only its run. */
export function withContent<Run extends object>(run: Run, row: StoredContent, keyring: Keyring): Run & RunContent {
  if (row.sealed === null) return { ...run, ...plainContent(row) }
  let opened: RunContent | undefined
  const open = (): RunContent => {
    opened ??= openContent(row, keyring)
    return opened
  }
  return Object.defineProperties({ ...run } as Run & RunContent, {
    input: { get: () => open().input, enumerable: true },
    metadata: { get: () => open().metadata, enumerable: true },
    plan: { get: () => open().plan, enumerable: true },
    secrets: { get: () => open().secrets, enumerable: true },
  })
}

const plainContent = ({ input, metadata, plan }: StoredContent): RunContent => ({
  input: JSON.parse(input),
  metadata: JSON.parse(metadata),
  plan: parseOptional(plan),
  secrets: undefined,
})

const parseOptional = (json: string | null): unknown => (json === null ? undefined : JSON.parse(json))

/** Throws SealBroken. */
export function openContent(row: StoredContent, keyring: Keyring): RunContent {
  const plain = plainContent(row)
  if (row.sealed === null) return plain
  const sent: SentDocument = {
    input: plain.input,
    metadata: plain.metadata,
    sensitivity_tags: parseOptional(row.sensitivity_tags) as SensitivityTag[],
  }
  const part = openPart(row, keyring) as SealedPart
  const { input, metadata, sensitivity_tags: tags } = joinSecrets(sent, part)
  return { input, metadata, plan: plain.plan, secrets: SecretKeeper.find({ input, metadata }, tags, part.hidden) }
}

interface SentContent {
  readonly sent: SentDocument
  /** Undefined when nothing was sealed. */
  readonly sealed: SealedPart | undefined
}

/** What the client sent, to create another run with it. Throws SealBroken. */
export function openSent(row: SentRow, keyring: Keyring): SentContent {
  const sent: SentDocument = {
    input: JSON.parse(row.input),
    metadata: JSON.parse(row.metadata),
    ...(row.attachment_refs !== null && { attachment_refs: JSON.parse(row.attachment_refs) }),
    ...(row.sensitivity_tags !== null && { sensitivity_tags: JSON.parse(row.sensitivity_tags) }),
  }
  const sealed = openPart(row, keyring)
  return { sent: sealed ? joinSecrets(sent, sealed) : sent, sealed }
}

function openPart(row: StoredContent, keyring: Keyring): SealedPart | undefined {
  if (row.sealed === null || row.sealed_key === null) return undefined
  const owner = { runId: row.id, customerId: row.customer_id }
  return keyring.open({ keyId: row.sealed_key, bytes: row.sealed }, owner) as SealedPart
}
