// The tokens that a cost leaves out, each model by name.
import { describeUnpriced, type UnpricedTokens, visibleText } from '@runwright/contract'

export function LeftOut({ unpriced }: { readonly unpriced: readonly UnpricedTokens[] }) {
  if (unpriced.length === 0) return null
  return (
    <ul className="text-sm text-muted">
      {unpriced.map((each) => (
        <li key={`${each.reason} ${each.model}`} className="wrap-anywhere">
          {describeUnpriced(each, visibleText)}
        </li>
      ))}
    </ul>
  )
}
