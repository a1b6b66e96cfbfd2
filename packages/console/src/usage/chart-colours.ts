// The colours of the chart, for the light and the dark theme. Told apart also with the common colour deficiencies.
export const palette = [
  'light-dark(#0b6b66, #5fc9c0)',
  'light-dark(#c2571a, #f0a06a)',
  'light-dark(#3c5bb5, #8fb0ff)',
  'light-dark(#a8357f, #ee93cd)',
  'light-dark(#7d7414, #d8cc5c)',
  'light-dark(#5b3fa0, #b9a3f5)',
  'light-dark(#6b7782, #a9b4be)',
] as const

export const colourAt = (index: number): string => palette[index % palette.length] ?? palette[0]

/** A canvas does not know CSS variables or `light-dark()`: the browser resolves them for an element. */
export const resolveColour = (element: HTMLElement, colour: string): string => {
  const before = element.style.color
  element.style.color = colour
  const resolved = getComputedStyle(element).color
  element.style.color = before
  return resolved
}

/** Calls back when the theme changes: by the system, or by the switch of the console. */
export const onThemeChange = (listener: () => void): (() => void) => {
  const system = window.matchMedia('(prefers-color-scheme: dark)')
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  system.addEventListener('change', listener)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', listener)
  }
}
