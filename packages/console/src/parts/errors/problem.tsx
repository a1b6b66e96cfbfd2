// Shows an error: what happened, the message of the service, and the request id.
import { Button } from '../controls/button.tsx'
import { explainError } from './explain-error.ts'

interface ProblemProps {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}

export function Problem({ error, onRetry }: ProblemProps) {
  const { title, message, reasonCode, requestId } = explainError(error)
  return (
    <div role="alert" className="flex flex-col gap-1 rounded-md border border-bad/40 bg-bad/8 px-3 py-2.5">
      <p className="font-semibold">{title}</p>
      <p className="wrap-anywhere">{message}</p>
      {(reasonCode || requestId) && (
        <p className="font-mono text-xs text-muted wrap-anywhere">
          {[reasonCode, requestId && `request ${requestId}`].filter(Boolean).join(' · ')}
        </p>
      )}
      {onRetry && (
        <div className="pt-1">
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  )
}
