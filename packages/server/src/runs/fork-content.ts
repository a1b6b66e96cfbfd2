// The content of a fork: what the run was created with, changed as the request says.
//
// Values are sealed for one run, so they are opened and sealed again. Without a change, the stored texts are used as
// they are. Otherwise the changed content is split like that of a create, and what the fork keeps is searched for its
// secrets.
import type { ForkRun, Plan } from '@runwright/contract'
import { checkNewText } from '../domain/intake/check-new-text.ts'
import { type ChangedContent, changeContent } from '../domain/intake/read-fork.ts'
import type { KeptBody } from '../domain/run/journal.ts'
import { titleOf } from '../domain/run/title.ts'
import { mask } from '../domain/secrets/mask.ts'
import { scrubEntry } from '../domain/secrets/scrub-entry.ts'
import { SecretKeeper } from '../domain/secrets/secret-keeper.ts'
import { type SealedPart, splitSecrets } from '../domain/secrets/split-secrets.ts'
import type { Keyring, Owner } from '../runtime/secrets/cipher-keyring.ts'
import { runSliced } from '../runtime/time-slices.ts'
import type { NewFork } from '../store/run-log/fork-statement.ts'
import type { ForkSource } from '../store/runs/fork-source.ts'
import { openSent } from '../store/sealed/content.ts'
import { shortestRetentionDays } from './shortest-retention-days.ts'

type Fields = 'input' | 'metadata' | 'attachmentRefs' | 'sensitivityTags' | 'plan' | 'title' | 'sealed'

export interface ForkContent extends Pick<NewFork, Fields | 'retentionHintDays'> {
  /** Whether the fork names another agent than the run. */
  readonly changesAgent: boolean
  /** The metadata with the values of secrets: it may choose an agent and a model. */
  readonly chosen: Readonly<Record<string, unknown>>
  /** Without the secrets of the fork in what it keeps. */
  readonly scrub: (kept: KeptBody) => Promise<KeptBody>
}

interface ContentOptions {
  readonly source: ForkSource
  readonly request: ForkRun
  readonly keyring: Keyring
  /** The fork. */
  readonly owner: Owner
}

export async function contentOfFork({ source, request, keyring, owner }: ContentOptions): Promise<ForkContent> {
  const { sent, sealed } = openSent(source.content, keyring)
  const changed = await runSliced(changeContent(request, sent))
  if (changed) checkNewText(request, clearOf(source), changed.secrets)
  const { part, ...content } = changed ? await splitContent(source, changed, sealed) : sameContent(source, sealed)
  return {
    ...content,
    sealed: part && keyring.seal(part, owner),
    retentionHintDays: shortestRetentionDays(changed?.sent.sensitivity_tags ?? sent.sensitivity_tags),
    changesAgent: changed !== undefined && changed.sent.metadata.agent !== sent.metadata.agent,
    chosen: changed?.sent.metadata ?? sent.metadata,
  }
}

type Content = Omit<ForkContent, 'sealed' | 'retentionHintDays' | 'changesAgent' | 'chosen'> & {
  readonly part: SealedPart | undefined
}

/** As readers see it. */
const clearOf = ({ content }: ForkSource) => ({ input: parsed(content.input), metadata: parsed(content.metadata) })

const parsed = (json: string | null) => (json === null ? undefined : JSON.parse(json))

const sameContent = ({ content, title }: ForkSource, part: SealedPart | undefined): Content => ({
  input: content.input,
  metadata: content.metadata,
  attachmentRefs: parsed(content.attachment_refs),
  sensitivityTags: parsed(content.sensitivity_tags),
  plan: parsed(content.plan),
  title,
  part,
  scrub: async (kept) => kept,
})

async function splitContent(
  { content }: ForkSource,
  { sent, secrets }: ChangedContent,
  before: SealedPart | undefined,
): Promise<Content> {
  const plan: Plan | undefined = parsed(content.plan)
  const keeper = secrets.length > 0 ? new SecretKeeper({ document: sent, locations: secrets }) : undefined
  const hidden = keeper && hiddenAgain(before, keeper)
  const split = keeper && (await runSliced(splitSecrets(sent, plan, secrets, hidden)))
  const { input, metadata, attachment_refs, sensitivity_tags } = split?.clear ?? sent
  return {
    input: JSON.stringify(input),
    metadata: JSON.stringify(metadata),
    attachmentRefs: attachment_refs,
    sensitivityTags: sensitivity_tags,
    plan: split?.plan ?? plan,
    title: titleOf({ input, metadata, planGoal: plan?.goal && (split?.maskText(plan.goal) ?? plan.goal) }),
    part: split?.sealed,
    scrub: async (kept) => (keeper ? runSliced(scrubKept(keeper, kept)) : kept),
  }
}

/**
 * The plan and the kept results name the hidden parts of texts by their numbers, so the parts keep them. A part that
 * has no secret of the fork has one of the run: nothing would search the output of tools for it, so tools do not get
 * it.
 */
const hiddenAgain = (before: SealedPart | undefined, keeper: SecretKeeper): string[] =>
  (before?.hidden ?? []).map((text) => (keeper.scrubText(text) === text ? mask : text))

/** Yields where the work can be interrupted. */
function* scrubKept(keeper: SecretKeeper, kept: KeptBody): Generator<void, KeptBody> {
  const entries: KeptBody['entries'][number][] = []
  const answers: KeptBody['answers'][number][] = []
  for (const entry of kept.entries) {
    entries.push(yield* scrubEntry(keeper, entry))
    yield
  }
  for (const answer of kept.answers) {
    answers.push({ ...answer, payload: yield* keeper.hide(answer.payload) })
    yield
  }
  return { entries, answers }
}
