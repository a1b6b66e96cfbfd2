// What goes into the prompts and templates of a run: its input, results, notes from memory, attachments, and for the
// sandbox its script.
import { type SandboxScript, sandboxScriptSchema } from '@runwright/contract'
import type { ReadAttachment } from '../../agents/describe-attachments.ts'
import type { Recall } from '../../agents/recall.ts'
import { writeTexts } from '../../agents/value-text.ts'
import { type Filled, fillTemplates, type TemplateScope } from '../../domain/plan/fill-templates.ts'
import type { Model, Rehearsal } from '../../models/port/model.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import type { Tools } from '../../tools/port/catalogue.ts'
import type { RunLedger } from '../ledger/run-ledger.ts'
import { readAttachments } from './attachments.ts'
import type { EngineParts } from './engine-parts.ts'
import { makeOnce } from './make-once.ts'

/** The execution of a run, as far as its prompts need it. */
interface Execution {
  readonly run: ClaimedRun
  readonly policyCaller: Pick<ClaimedRun, 'customerId' | 'metadata'>
  readonly ledger: RunLedger
  readonly catalogue: Tools
  readonly signal: AbortSignal
  readonly parts: Pick<EngineParts, 'recall' | 'policy' | 'fetchFile'>
}

export class PromptInputs {
  readonly #execution: Execution
  readonly #recalled = new Map<string, ReturnType<Recall>>()
  readonly #script: () => SandboxScript | undefined

  constructor(execution: Execution) {
    this.#execution = execution
    this.#script = makeOnce(() => readScript(execution.run.input.sandbox))
  }

  /** As models and templates may see it: with placeholders for secrets. */
  get shown(): { readonly input: unknown; readonly metadata: unknown } {
    const { run } = this.#execution
    const { input, metadata } = run.secrets?.shown ?? run
    return { input, metadata }
  }

  /** Most texts have no templates, and need no scope. */
  fill(value: unknown): Filled {
    const isPlain = typeof value === 'string' && !value.includes('{{')
    return isPlain ? { ok: true, value } : fillTemplates(value, this.templateScope())
  }

  templateScope(): TemplateScope {
    const { run, ledger } = this.#execution
    const { secrets, attachmentRefs } = run
    const { progress } = ledger
    const { input, metadata } = this.shown
    return {
      input,
      metadata,
      attachmentRefs,
      literalBraces: progress.isPlannersPlan,
      stepIds: new Set(progress.plan?.steps.map((step) => step.id)),
      steps: progress.results(),
      signal: progress.answers.lastSignal,
      secretAt: secrets && ((root, path) => secrets.placeholderAt(root, path)),
    }
  }

  /** Writes the texts that a prompt shows, in turns: the results of many steps may be large. */
  async writeTexts(): Promise<void> {
    const { finished } = this.#execution.ledger.progress
    await yieldToEventLoop()
    await runSliced(writeTexts([this.shown.input, ...finished.map(({ output }) => output)]))
    await yieldToEventLoop()
  }

  /** Cached per text: the prompt of a step must not change between its turns. */
  readonly recall: Recall = async (text) => {
    const { run, ledger, parts, signal } = this.#execution
    const { customerId, workspaceId, subjectId } = run
    const known = this.#recalled.get(text)
    const search = known ?? parts.recall?.({ customerId, workspaceId, subjectId, text }, signal)
    if (search) this.#recalled.set(text, search)
    const notes = (await search) ?? []
    if (notes.length > 0) await ledger.touch('memory', ['private', 'untrusted'])
    return notes
  }

  /** Read when a model first needs them, and kept for all prompts of this execution. */
  readonly #attachments = makeOnce(() => readAttachments(this.#execution))

  /** None for models that read no prompts, such as the sandbox: it costs no time and no traffic. */
  async attachmentsFor(models: readonly Model[]): Promise<readonly ReadAttachment[]> {
    return models.some(({ readsPrompt }) => readsPrompt !== false) ? this.#attachments() : []
  }

  rehearsal(of: Omit<Rehearsal, 'script'>): Rehearsal {
    return { script: this.#script(), ...of }
  }
}

function readScript(given: unknown): SandboxScript | undefined {
  if (given === undefined) return undefined
  const script = sandboxScriptSchema.safeParse(given)
  return script.success ? script.data : undefined
}
