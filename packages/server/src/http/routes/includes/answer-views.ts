// The answers of people, as the API shows them. Payloads are stored with placeholders, which are masked here.
import type { Decision, RunSignal } from '@runwright/contract'
import type { SecretKeeper } from '../../../domain/secrets/secret-keeper.ts'
import type { SignalRecord, VoteRecord } from '../../../store/runs/signals.ts'
import { questionView } from './question-view.ts'

export function* decisionViews(
  votes: readonly VoteRecord[],
  secrets: SecretKeeper | undefined,
): Generator<void, Decision[]> {
  const views: Decision[] = []
  for (const vote of votes) views.push({ at: vote.at.toISOString(), ...(yield* answerView(vote, secrets)) })
  return views
}

export function* signalViews(
  signals: readonly SignalRecord[],
  secrets: SecretKeeper | undefined,
): Generator<void, RunSignal[]> {
  const views: RunSignal[] = []
  for (const signal of signals) {
    const { seq, at, counted, asked } = signal
    const answer = yield* answerView(signal, secrets)
    views.push({ seq, at: at.toISOString(), ...answer, counted, asked: questionView(asked) })
  }
  return views
}

type Answer = Omit<VoteRecord, 'at'>

function* answerView(answer: Answer, secrets: SecretKeeper | undefined): Generator<void, Omit<Decision, 'at'>> {
  const said = { payload: answer.payload, call: answer.call, calls: answer.calls && [...answer.calls] }
  const shown = secrets ? ((yield* secrets.show(said)) as typeof said) : said
  const { action, keyId: key_id, keyName: key_name, person, roles, via } = answer
  return { action, key_id, key_name, person, roles: [...roles], via, ...shown }
}
