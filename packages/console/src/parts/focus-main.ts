// After an action that removes its own button, the focus goes to the content of the page, not to its beginning.
export const focusMain = (): void => document.querySelector('main')?.focus({ preventScroll: true })
