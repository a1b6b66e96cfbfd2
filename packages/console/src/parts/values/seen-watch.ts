// Notices which elements a person has had in view: for half a second without a break, on a page that is complete. Text
// that only flashes by before the rest of the page pushes it away was not seen.

/** Shorter is a flash: an eye needs a quarter of a second to find a text. */
export const seenAfterMs = 500

/** The edges of the screen may be covered by a heading or a bar. */
const margin = '-64px 0px'

interface SeenListener {
  readonly onSeen: () => void
  readonly onView: (isInView: boolean) => void
}

interface Watched extends SeenListener {
  isInView: boolean
  timer: ReturnType<typeof setTimeout> | undefined
}

export class SeenWatch {
  readonly #watched = new Map<Element, Watched>()
  #isPageComplete = false

  /** Calls `onSeen` once. Elements inside a scrolled box count only if they are in its view. */
  watch(element: Element, listener: SeenListener): () => void {
    const watched: Watched = { ...listener, isInView: false, timer: undefined }
    const look = (entries: readonly IntersectionObserverEntry[]) => {
      watched.isInView = entries.at(-1)?.isIntersecting ?? false
      watched.onView(watched.isInView)
      this.#look(watched)
    }
    const observer = new IntersectionObserver(look, { rootMargin: margin })
    this.#watched.set(element, watched)
    observer.observe(element)
    return () => {
      observer.disconnect()
      clearTimeout(watched.timer)
      this.#watched.delete(element)
    }
  }

  /** Whether nothing of the page is still to come, so that what is in view stays there. */
  setPageComplete(isComplete: boolean): void {
    this.#isPageComplete = isComplete
    this.lookAgain()
  }

  /** The page was hidden or shown. */
  readonly lookAgain = (): void => {
    for (const watched of this.#watched.values()) this.#look(watched)
  }

  #look(watched: Watched): void {
    if (!watched.isInView || !this.#isPageComplete || document.visibilityState !== 'visible') {
      clearTimeout(watched.timer)
      watched.timer = undefined
    } else if (watched.timer === undefined) {
      watched.timer = setTimeout(watched.onSeen, seenAfterMs)
    }
  }
}
