// The hash of an audit entry. docs/audit.md tells customers how to compute it: it must not change.
import { createHash } from 'node:crypto'
import type { AuditEntry } from '@runwright/contract'
import { canonicalJson } from '../../domain/json/canonical-json.ts'

export const entryHash = (entry: Omit<AuditEntry, 'hash'>): string =>
  createHash('sha256').update(canonicalJson(entry)).digest('hex')
