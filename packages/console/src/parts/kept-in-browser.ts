// What this browser keeps of a person's choices. If it forbids storage, a choice lasts until the page is closed.

export const readKept = (name: string): string | null => {
  try {
    return window.localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Null deletes it: the default is not stored. */
export const keepInBrowser = (name: string, value: string | null): void => {
  try {
    if (value === null) window.localStorage.removeItem(name)
    else window.localStorage.setItem(name, value)
  } catch {
    // As above.
  }
}
