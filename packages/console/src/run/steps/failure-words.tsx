// Why a step or an attempt failed.
import { visibleText } from '@runwright/contract'
import { reasonWords } from './reason-words.ts'

interface FailureWordsProps {
  readonly reasonCode: string
  readonly message: string | undefined
}

export function FailureWords({ reasonCode, message }: FailureWordsProps) {
  return (
    <div className="rounded-md bg-bad/8 px-3 py-2 text-sm">
      <p className="text-bad">{reasonWords(reasonCode)}</p>
      {message !== undefined && <p className="wrap-anywhere">{visibleText(message)}</p>}
    </div>
  )
}
