// What a message about a wait says, so that a person can decide where the message is read, or follow its link.
import { toWireId } from '../runtime/ids.ts'
import { runLink } from '../runtime/settings/public-url.ts'
import type { Database } from '../store/postgres/database.ts'
import { findOpenQuestion } from '../store/runs/open-question.ts'
import type { FindQuestion } from './attempt.ts'

const maxPromptLength = 2_000

export const describeQuestion =
  (database: Database, publicUrl: string | undefined): FindQuestion =>
  async ({ customerId, runId, seq }) => {
    const question = await findOpenQuestion(database, { customerId, id: runId, seq })
    return (
      question && {
        title: question.title,
        prompt: question.prompt && shortened(question.prompt),
        tool: question.call?.tool ?? null,
        url: publicUrl === undefined ? null : runLink(publicUrl, toWireId('run', runId)),
      }
    )
  }

const shortened = (text: string): string =>
  text.length <= maxPromptLength ? text : `${text.slice(0, maxPromptLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
