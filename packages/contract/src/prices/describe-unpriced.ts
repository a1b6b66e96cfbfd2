// Says which tokens a cost leaves out, and why.
import type { Unpriced, UnpricedTokens } from './cost-sheet.ts'

const reasons: Readonly<Record<Unpriced, (model: string) => string>> = {
  no_price: (model) => `the file has no price for ${model}`,
  no_counts: (model) => `${model} did not say which were input and which output`,
  no_record: () => 'their calls have no record, such as those of the sandbox',
}

/** `show` makes the name of the model safe to print. */
export const describeUnpriced = ({ model, reason, tokens }: UnpricedTokens, show: (name: string) => string): string =>
  `Not included: ${tokens.toLocaleString('en')} tokens: ${reasons[reason](show(model ?? '-'))}.`
