// POST /v1/runs/{id}/decision-links: makes a link with which one person, or a role, decides about a wait.
import { type CreateDecisionLink, createDecisionLinkSchema, describeIssue } from '@runwright/contract'
import { issueLink } from '../../access/decision-links/issue-link.ts'
import { LinkForm } from '../../access/decision-links/link-form.ts'
import { parseStrictJson, smallSize } from '../../domain/json/strict-json.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { Handlers } from '../server/response/handler.ts'
import { runIdOf } from './runs.ts'

interface DecisionLinkOptions {
  readonly database: Database
  readonly keyPepper: Buffer
  readonly settings: Pick<Settings['http'], 'decisionLinks' | 'publicUrl'>
}

export const decisionLinkHandlers = ({
  database,
  keyPepper,
  settings: { decisionLinks, publicUrl },
}: DecisionLinkOptions): Pick<Handlers, 'createDecisionLink'> => {
  const form = new LinkForm(keyPepper)
  return {
    createDecisionLink: async ({ principal, id, body, requestId }) => {
      if (decisionLinks === 'off')
        throw new ServiceError(
          'DECISION_LINKS_OFF',
          'This service makes no decision links: RUNWRIGHT_DECISION_LINKS is off.',
        )
      const request = readBody(body)
      const { link, expiresAt } = await issueLink({ database, form }, principal, { ...request, runId: runIdOf(id) })
      return {
        headers: { 'cache-control': 'no-store' },
        body: {
          url: `${publicUrl}/decide/${link}`,
          run_id: id,
          await_seq: request.await_seq,
          person: request.person ?? null,
          role: request.role ?? null,
          expires_at: expiresAt.toISOString(),
          request_id: requestId,
        },
      }
    },
  }
}

// A valid body has two levels. Up to this depth, a nested value is reported by the name of its field.
const maxDepth = 8

function readBody(text: string | undefined): CreateDecisionLink {
  const json = parseStrictJson(text ?? '', { maxDepth, size: smallSize })
  if (!json.ok) throw invalid(json.problem)
  const parsed = createDecisionLinkSchema.safeParse(json.value)
  if (parsed.success) return parsed.data
  throw invalid(`${describeIssue({ error: parsed.error, value: json.value })}.`)
}

const invalid = (message: string) => new ServiceError('LINK_PAYLOAD_INVALID', message)
