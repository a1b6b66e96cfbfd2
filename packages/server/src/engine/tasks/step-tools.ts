// The tools of an agent step: those that its model is offered, those that it searches for, and those that it may call.
//
// Up to the limits, the model is offered all of them. Above, it is offered the service's own tools, `find_tools` and
// `call_tool`. Providers cache a conversation from its beginning, and that is the tools. So what the model is offered
// then stays the same in all turns of the step, whatever servers list meanwhile: it is journaled before the first call.
import { loadSkillName } from '../../agents/describe-skills.ts'
import { readResultName } from '../../agents/show-result.ts'
import { exceedsLimits, splitTools } from '../../agents/tool-search/search-limits.ts'
import { describeDirectory } from '../../agents/tool-search/tool-directory.ts'
import { callToolName, findToolsName } from '../../agents/tool-search/wrapped-call.ts'
import { journalEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import type { ToolOffer } from '../../tools/port/catalogue.ts'
import { offeredTools } from '../calls/call-policy.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { StepAgent } from '../context/step-agent.ts'

const searchNames = [readResultName, findToolsName, callToolName]

export class StepTools {
  readonly #context: ExecutionContext
  readonly #task: Task
  readonly #as: StepAgent

  constructor(context: ExecutionContext, task: Task, as: StepAgent) {
    this.#context = context
    this.#task = task
    this.#as = as
  }

  /** Called before each call to the model, once the tools of the servers are known. */
  async prepare(): Promise<void> {
    if (this.#told !== undefined || !this.#readsPrompt) return
    const all = this.#all
    const { searched } = splitTools(all)
    if (!exceedsLimits(all) || searched.length === 0) return
    const told = describeDirectory(searched)
    await this.#context.ledger.apply({ journal: [journalEntry('search', this.#task.key, { told })] })
  }

  /** `readsOn`: a result of the run was too long to be shown whole. */
  offers(readsOn: boolean): ToolOffer[] {
    return [...this.#tools(readsOn), ...this.#offered(this.#skillNames)]
  }

  #tools(readsOn: boolean): ToolOffer[] {
    const told = this.#told
    if (told === undefined) return readsOn ? this.#offered([...this.#names, readResultName]) : this.#all
    const more = searchNames.flatMap((name) => this.#offered([name]))
    const tell = (tool: ToolOffer) => ({ ...tool, description: `${tool.description} ${told}` })
    return [...splitTools(this.#all).direct, ...more.map((tool) => (tool.name === findToolsName ? tell(tool) : tool))]
  }

  /** Undefined: every tool that policy allows. */
  allowed(readsOn: boolean): ReadonlySet<string> | undefined {
    const { tools } = this.#as
    if (tools === undefined) return undefined
    const more = this.#told === undefined ? (readsOn ? [readResultName] : []) : searchNames
    return new Set([...tools, ...more, ...this.#skillNames])
  }

  /** What `find_tools` looks through. */
  get searched(): readonly ToolOffer[] {
    return splitTools(this.#all).searched
  }

  get #skillNames(): readonly string[] {
    return this.#as.skills.length > 0 ? [loadSkillName] : []
  }

  /** Undefined: the model is offered all tools. */
  get #told(): string | undefined {
    return this.#context.ledger.progress.turns.searchOf(this.#task.key)
  }

  get #names(): readonly string[] {
    return this.#as.tools ?? this.#context.catalogue.offers().map(({ name }) => name)
  }

  get #all(): ToolOffer[] {
    return this.#offered(this.#as.tools)
  }

  /** The sandbox follows its script, whatever it is offered. */
  get #readsPrompt(): boolean {
    return this.#as.models.some(({ readsPrompt }) => readsPrompt !== false)
  }

  #offered(names: readonly string[] | undefined): ToolOffer[] {
    return offeredTools(this.#context, names)
  }
}
