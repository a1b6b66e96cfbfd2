// A place where a call waits until the test lets it pass.

export class Gate {
  /** Resolves when the first call waits here. */
  readonly reached: Promise<void>
  private readonly opened: Promise<void>
  private released = false
  private markReached = () => {}
  private open = () => {}

  constructor() {
    this.reached = new Promise((resolve) => {
      this.markReached = resolve
    })
    this.opened = new Promise((resolve) => {
      this.open = resolve
    })
  }

  get isOpen(): boolean {
    return this.released
  }

  pass(): Promise<void> {
    this.markReached()
    return this.opened
  }

  /** All that wait go on, and later calls do not wait. */
  release(): void {
    this.released = true
    this.open()
  }
}
