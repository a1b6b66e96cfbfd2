// Shows an error message instead of a blank page when a view throws.
import { Component, type ReactNode } from 'react'
import { Problem } from './problem.tsx'

interface Props {
  readonly children: ReactNode
}

interface State {
  readonly error: unknown
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined }

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <main className="mx-auto max-w-xl p-4">
        <Problem error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
      </main>
    )
  }
}
