// Several observers of the engine as one.
import type { EngineObserver } from '../engine/context/observer.ts'

export function combineObservers(observers: readonly EngineObserver[]): EngineObserver | undefined {
  if (observers.length < 2) return observers[0]
  const each = (tell: (observer: EngineObserver) => void) => {
    for (const observer of observers) tell(observer)
  }
  const tracer = observers.find(({ traceparentOfModelCall }) => traceparentOfModelCall)
  return {
    claimed: (runs) => each((observer) => observer.claimed?.(runs)),
    executionEnded: (run) => each((observer) => observer.executionEnded?.(run)),
    stepEnded: (step) => each((observer) => observer.stepEnded?.(step)),
    planEnded: (plan) => each((observer) => observer.planEnded?.(plan)),
    modelCalled: (call) => each((observer) => observer.modelCalled?.(call)),
    toolCalled: (call) => each((observer) => observer.toolCalled?.(call)),
    toolTried: (call) => each((observer) => observer.toolTried?.(call)),
    traceIdOf: (run) => tracer?.traceIdOf?.(run),
    traceparentOfModelCall: (call) => tracer?.traceparentOfModelCall?.(call),
    traceparentOfToolCall: (call) => tracer?.traceparentOfToolCall?.(call),
  }
}
